use super::*;

/// A block with the ports below and the given `update`.
macro_rules! block {
    ($name:ident, $($update:tt)*) => {
        #[derive(LogicBlock)]
        struct $name {
            pub clock: Signal<In, Clock>,
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub f: Signal<In, Bit>,
            pub s: Signal<In, Signed<8>>,
            pub t: Signal<In, Signed<8>>,
            pub flag: Signal<Out, Bit>,
            pub narrow: Signal<Out, Bits<8>>,
            pub broad: Signal<Out, Bits<16>>,
            byte_local: Signal<Local, Bits<8>>,
            bit_local: Signal<Local, Bit>,
            register: DFF<Bits<8>>,
            lanes: [DFF<Bits<8>>; 2],
            three: Constant<Bits<8>>,
            state: DFF<State>,
        }
        impl Default for $name {
            fn default() -> Self {
                $name {
                    clock: Default::default(),
                    a: Default::default(),
                    b: Default::default(),
                    f: Default::default(),
                    s: Default::default(),
                    t: Default::default(),
                    flag: Default::default(),
                    narrow: Default::default(),
                    broad: Default::default(),
                    byte_local: Default::default(),
                    bit_local: Default::default(),
                    register: Default::default(),
                    lanes: Default::default(),
                    three: Constant::new(3.into()),
                    state: Default::default(),
                }
            }
        }
        impl Logic for $name {
            $($update)*
        }
    };
}

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum State {
    Idle,
    Busy,
    Done,
}

/// Rules found in `update`.
macro_rules! rules {
    ($($update:tt)*) => {{
        block!(Subject, $($update)*);
        lint(&Subject::default()).iter().map(|finding| finding.rule).collect::<Vec<_>>()
    }};
}

mod blocks;
mod expressions;
