//! What belongs to a block as a whole: its arrays, clocks, code and names; and how a finding is told.

use super::*;

#[test]
fn arrays() {
    let good = rules! {
        #[hdl_gen] fn update(&mut self) {
            for i in 0..2 {
                self.lanes[i].clock.next = self.clock.val();
                self.lanes[i].d.next = self.a.val();
            }
            self.narrow.next = self.lanes[1].q.val();
        }
    };
    assert_eq!(good, []);
}

#[test]
fn a_clock_is_handed_down_only() {
    #[derive(LogicBlock, Default)]
    struct Gate {
        pub clock: Signal<In, Clock>,
        pub gated: Signal<Out, Clock>,
    }
    impl Logic for Gate {
        #[hdl_gen]
        fn update(&mut self) {
            self.gated.next = self.clock.val();
        }
    }
    #[derive(LogicBlock, Default)]
    struct Through {
        pub clock: Signal<In, Clock>,
        pub q: Signal<Out, Bit>,
        gate: Gate,
        register: DFF<Bit>,
    }
    impl Logic for Through {
        #[hdl_gen]
        fn update(&mut self) {
            self.gate.clock.next = self.clock.val();
            self.register.clock.next = self.gate.gated.val();
            self.register.d.next = !self.register.q.val();
            self.q.next = self.register.q.val();
        }
    }
    let found = lint(&Through::default());
    let names: Vec<_> = found.iter().map(|f| (f.rule, f.culprit.as_str())).collect();
    assert!(names.contains(&(Rule::Clock, "gated")), "{names:?}");
    assert!(names.contains(&(Rule::Clock, "gate$gated")), "{names:?}");
    let good = rules! { #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, register); self.narrow.next = self.register.q.val(); } };
    assert_eq!(good, []);
}

#[test]
fn missing_code() {
    #[derive(LogicBlock, Default)]
    struct Inner {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
    }
    impl Logic for Inner {
        fn update(&mut self) {
            self.o.next = self.i.val();
        }
    }
    #[derive(LogicBlock, Default)]
    struct Outer {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
        inner: Inner,
    }
    impl Logic for Outer {
        #[hdl_gen]
        fn update(&mut self) {
            self.inner.i.next = self.i.val();
            self.o.next = self.inner.o.val();
        }
    }
    let found = lint(&Outer::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].module.as_str(), found[0].rule), ("top$inner", Rule::EmptyModule));
}

#[test]
fn a_block_that_never_wakes() {
    let bad = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.three.val() + 1; } };
    assert_eq!(bad, [Rule::ConstantBlock]);
    let good = rules! { #[hdl_gen] fn update(&mut self) { self.narrow.next = self.three.val() + self.a.val(); } };
    assert_eq!(good, []);
}

#[test]
fn keywords() {
    #[derive(LogicBlock, Default)]
    struct Bad {
        pub event: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
    }
    impl Logic for Bad {
        #[hdl_gen]
        fn update(&mut self) {
            self.o.next = self.event.val();
        }
    }
    let found = lint(&Bad::default());
    assert_eq!((found.len(), found[0].rule, found[0].culprit.as_str()), (1, Rule::Keyword, "event"));
}

/// Overrides its output.
#[derive(LogicBlock, Default)]
struct Overrides {
    pub request: Signal<In, Bit>,
    pub grant: Signal<Out, Bit>,
    pub mode: Signal<In, Bit>,
}

impl Logic for Overrides {
    #[hdl_gen]
    fn update(&mut self) {
        self.grant.next = false;
        if self.request.val() & self.mode.val() {
            self.grant.next = true;
        }
    }
}

/// Assigns its output once.
#[derive(LogicBlock, Default)]
struct Once {
    pub request: Signal<In, Bit>,
    pub grant: Signal<Out, Bit>,
    pub mode: Signal<In, Bit>,
    value: Signal<Local, Bit>,
}

impl Logic for Once {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = false;
        if self.request.val() & self.mode.val() {
            self.value.next = true;
        }
        self.grant.next = self.value.val();
    }
}

macro_rules! parent {
    ($name:ident, $child:ty) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub go: Signal<In, Bit>,
            pub done: Signal<Out, Bit>,
            child: $child,
        }
        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.child.mode.next = self.go.val();
                self.child.request.next = false;
                if self.go.val() {
                    self.child.request.next = true;
                }
                self.done.next = self.child.grant.val();
            }
        }
    };
}

#[test]
fn overriding_both_ways() {
    parent!(BothWays, Overrides);
    parent!(OneWay, Once);
    let found = lint(&BothWays::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule, found[0].culprit.as_str()), (Rule::GlitchLoop, "child.request and child.grant"));
    assert_eq!(lint(&OneWay::default()), []);
}

#[test]
fn cores_are_not_repeated() {
    #[derive(LogicBlock, Default)]
    struct Wrapped {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
    }
    impl Logic for Wrapped {
        fn update(&mut self) {}
        fn connect(&mut self) {
            self.o.connect();
        }
        fn hdl(&self) -> Verilog {
            Verilog::Wrapper(Wrapper {
                code: "core core(i, o);".into(),
                cores: "module core(input i, output o); assign o = i; endmodule".into(),
            })
        }
    }
    #[derive(LogicBlock, Default)]
    struct Twice {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
        one: Wrapped,
        two: Wrapped,
    }
    impl Logic for Twice {
        #[hdl_gen]
        fn update(&mut self) {
            self.one.i.next = self.i.val();
            self.two.i.next = self.one.o.val();
            self.o.next = self.two.o.val();
        }
    }
    let found = lint(&Twice::default());
    assert_eq!((found.len(), found[0].rule), (1, Rule::DuplicateCore));
    assert_eq!(lint(&Wrapped::default()), []);
}

#[test]
fn a_finding_names_module_statement_and_remedy() {
    block!(
        Subject,
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() + 1 == self.b.val();
        }
    );
    let text = lint(&Subject::default())[0].to_string();
    assert_eq!(
        text,
        "top: WideComparison at `a + 32'h1` in `flag = a + 32'h1 == b`; assign the operand to a Local of its own \
         width first and use that"
    );
}

/// As many children as the constant says, which may be none.
#[derive(LogicBlock)]
struct Optional<const S: usize> {
    pub clock: Signal<In, Clock>,
    pub source: Signal<In, Bits<4>>,
    pub sum: Signal<Out, Bits<4>>,
    child: [DFF<Bits<4>>; S],
    kept: Signal<Local, Bits<4>>,
}

impl<const S: usize> Logic for Optional<S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.kept.next = 0.into();
        for i in 0..S {
            self.child[i].clock.next = self.clock.val();
            self.child[i].d.next = self.source.val();
            self.kept.next = self.child[i].q.val();
        }
        self.sum.next = self.kept.val() | self.source.val();
    }
}

impl<const S: usize> Optional<S> {
    fn new() -> Self {
        Optional {
            clock: Default::default(),
            source: Default::default(),
            sum: Default::default(),
            child: std::array::from_fn(|_| Default::default()),
            kept: Default::default(),
        }
    }
}

#[test]
fn a_loop_that_never_runs_names_nothing() {
    assert_clean(Optional::<0>::new());
    assert_clean(Optional::<1>::new());
}
