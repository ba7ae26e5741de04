//! Where the tables are that only this kernel has.

use core::mem::offset_of;
use testbed_kernel_core::filestore::{File, Filestore};
use testbed_kernel_core::input::Switch;
use testbed_kernel_core::layout::Item;

use crate::state::extended::input::Input;
use crate::state::extended::invoked::Invoked;
use crate::state::extended::list::List;
use crate::state::kernel::Kernel;
use crate::state::place::Place;
use crate::state::thread::Tcb;

const LIST: [(Item, usize); 4] = List::layout(Tcb::LIST);

const FILE: [(Item, usize); 4] = File::LAYOUT;

pub const TABLES: &[(Item, usize)] = &[
    LIST[0],
    LIST[1],
    LIST[2],
    LIST[3],
    Invoked::layout(Place::INVOKED),
    (Item::InputTurn, offset_of!(Kernel, input) + offset_of!(Input, switch) + offset_of!(Switch, turn)),
    (Item::Files, offset_of!(Kernel, files) + Filestore::RECORDS.0),
    (Item::FileCount, Filestore::RECORDS.1),
    FILE[0],
    FILE[1],
    FILE[2],
    FILE[3],
];
