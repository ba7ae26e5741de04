//! Data of what the small kernel lacks: there is none.

use testbed_definitions::ids::Processor;

pub mod agent {
    /// Nobody is told of the load.
    pub struct Agent {
        pub alarm: u64,
        pub from: u64,
        pub holds_first: bool,
    }

    impl Agent {
        pub const NEW: Agent = Agent { alarm: u64::MAX, from: u64::MAX, holds_first: false };
    }
}

pub mod counting;

pub mod ends {
    use crate::state::thread::Tcb;

    /// Nothing is left to be ended.
    pub struct Ends;

    impl Ends {
        pub const NONE: Ends = Ends;

        pub fn forget(&mut self, _: &'static [Tcb], _: &Tcb) {}
    }
}

pub mod estate;
pub mod groups {
    /// No processes exchange.
    pub struct Groups;

    impl Groups {
        pub const NONE: Groups = Groups;
        pub fn allow_rounds(&mut self, _: u32) {}
    }
}

pub mod guest;

pub mod input {
    /// Nobody reads.
    pub struct Input;

    impl Input {
        pub const fn new() -> Self {
            Input
        }
        #[inline]
        pub fn is_wanted(&self) -> bool {
            false
        }
        #[inline]
        pub fn due(&self) -> Option<u64> {
            None
        }
    }
}

pub mod invoked {
    /// The host's program is known.
    #[derive(Clone, Copy)]
    pub struct Invoked;

    impl Invoked {
        pub const NONE: Invoked = Invoked;
    }
}

pub mod keepers {
    use crate::state::process::Process;

    /// No page is kept for anybody.
    pub struct Keepers;

    impl Keepers {
        pub const NONE: Keepers = Keepers;

        pub fn forget_process(&mut self, _: Process) {}
    }
}

pub mod keeping {
    use core::marker::PhantomData;

    /// No page is kept for a thread.
    pub struct Keeping;

    impl Keeping {
        pub fn clear(&self) {}
    }

    /// Every time-slice is a whole one.
    #[derive(Clone, Copy)]
    pub struct Slice;

    impl Slice {
        pub const NONE: Slice = Slice;

        #[inline]
        pub fn start_of_next(&self, _: u32, now: u32) -> u32 {
            now
        }
    }

    /// No home has to be told.
    pub struct Owed<P>(PhantomData<P>);
}

pub mod layout {
    use testbed_kernel_core::layout::Item;

    pub const TABLES: &[(Item, usize)] = &[];
}

pub mod list {
    /// There are no alternatives.
    pub struct List;

    impl List {
        pub fn clear(&self) {}
    }
}

pub mod measured {
    /// Nothing is measured of a thread.
    pub struct Measured;

    impl Measured {
        pub const USED: usize = 0;
        pub const STARTED: usize = 0;
        pub const PASSAGE: u32 = 0;
        pub const SWITCH: u32 = 0;

        pub fn clear(&self) {}
        pub fn come(&self) {}
    }
}

pub mod mount {
    /// No file is on its way.
    pub struct Mounts;

    impl Mounts {
        pub const NONE: Mounts = Mounts;
    }
}

pub mod moves {
    /// Threads stay where they are.
    pub struct Moves;

    impl Moves {
        pub const NONE: Moves = Moves;
    }
}

pub mod paging {
    /// How a thread that waits for a page goes on.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Resume {
        Call,
    }

    /// Pages are here or nowhere.
    pub struct Announcements;

    impl Announcements {
        pub const NONE: Announcements = Announcements;
    }
}

pub mod parked {
    /// No thread comes.
    pub struct Parked;

    impl Parked {
        pub const NONE: Parked = Parked;
    }
}

pub mod streams {
    /// All read and write at the console.
    pub struct Streams;

    impl Streams {
        pub const NONE: Streams = Streams;

        pub const fn is_led(&self) -> bool {
            false
        }
    }
}

/// There is no filestore.
pub struct Files;

impl Files {
    pub const fn new() -> Self {
        Files
    }
    pub fn start(&mut self, _: Processor) {}
}
