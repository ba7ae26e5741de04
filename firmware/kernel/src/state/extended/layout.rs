//! Where the tables are that only this kernel has.

use testbed_kernel_core::layout::Item;

use crate::state::extended::invoked::Invoked;
use crate::state::extended::list::List;
use crate::state::place::Place;
use crate::state::thread::Tcb;

const LIST: [(Item, usize); 4] = List::layout(Tcb::LIST);

pub const TABLES: &[(Item, usize)] = &[LIST[0], LIST[1], LIST[2], LIST[3], Invoked::layout(Place::INVOKED)];
