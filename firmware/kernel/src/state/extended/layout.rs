//! Where the tables are that only this kernel has.

use core::mem::offset_of;
use testbed_kernel_core::layout::Item;

use crate::state::extended::invoked::Invoked;
use crate::state::extended::list::{List, SHORT};
use crate::state::place::Place;
use crate::state::thread::Tcb;

pub const TABLES: &[(Item, usize)] = &[
    (Item::TcbListShort, offset_of!(Tcb, list) + offset_of!(List, short)),
    (Item::TcbListShortBytes, SHORT),
    (Item::TcbListPage, offset_of!(Tcb, list) + offset_of!(List, page)),
    (Item::TcbListCount, offset_of!(Tcb, list) + offset_of!(List, count)),
    (Item::PlaceName, offset_of!(Place, invoked) + offset_of!(Invoked, name)),
];
