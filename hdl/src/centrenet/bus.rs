//! Arbiter and word multiplexer of one Centrenet node.

use crate::support::blocks::each;
use crate::support::ports::Word;
use rust_hdl::prelude::*;

/// What the word on the bus is, or what became of the packet offered.
#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
pub enum Phase {
    Idle,
    /// The word is a header: who is addressed answers in this cycle.
    Header,
    /// All addressed stations have room: payload follows.
    Go,
    /// An addressed station lacks room.
    Abort,
    /// Nobody is addressed.
    NoTaker,
    /// The word is payload.
    Data,
    /// The word is the CRC.
    Crc,
}

impl Word for Phase {
    fn to_word(self) -> u64 {
        let bits: Bits<3> = self.into();
        bits.to_u64()
    }
    /// Numbers that name no phase count as idle.
    fn from_word(word: u64) -> Self {
        use Phase::*;
        [Idle, Header, Go, Abort, NoTaker, Data, Crc].get((word & 7) as usize).copied().unwrap_or(Idle)
    }
}

/// States of the bus, in the order in which a transaction passes through them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
enum State {
    Idle,
    Header,
    Answer,
    Verdict,
    Start,
    Stream,
}

/// The bus: grants in turn, one transaction at a time ("A transaction" in `docs/centrenet.md`).
///
/// ```text
///                  +---------+
/// request[N]    => |         | => grant[N]
/// sent_word[N]  => |   Bus   | => phase  } to all
/// ack[N]        => |         | => word   } stations
/// nack[N]       => |         | => damaged }
///                  +---------+
/// ```
///
/// Station `i` of N connects to index `i` of every list:
///
/// ```text
/// for i in 0..self.station.len() {
///     self.station[i].grant.next = self.bus.grant[i].val();
///     self.station[i].phase.next = self.bus.phase.val();
///     self.station[i].word.next = self.bus.word.val();
///     self.station[i].damaged.next = self.bus.damaged.val();
///     self.bus.request[i].next = self.station[i].request.val();
///     self.bus.sent_word[i].next = self.station[i].sent_word.val();
///     self.bus.ack[i].next = self.station[i].ack.val();
///     self.bus.nack[i].next = self.station[i].nack.val();
/// }
/// ```
///
/// [`Node`](super::node::Node) is a whole block that does this. (One index in a path is all that the Verilog generator
/// understands, and there is none more here.)
#[derive(LogicBlock)]
pub struct Bus {
    pub clock: Signal<In, Clock>,
    pub request: Vec<Signal<In, Bit>>,
    pub sent_word: Vec<Signal<In, Bits<32>>>,
    pub ack: Vec<Signal<In, Bit>>,
    pub nack: Vec<Signal<In, Bit>>,
    pub grant: Vec<Signal<Out, Bit>>,
    pub phase: Signal<Out, Phase>,
    pub word: Signal<Out, Bits<32>>,
    /// Some station has said no in the cycle before: behind a CRC word, that it was wrong.
    pub damaged: Signal<Out, Bit>,
    state: DFF<State>,
    /// The station that is or was last granted, one-hot.
    owner: DFF<Bits<16>>,
    granted: DFF<Bit>,
    /// The stations that come after the last grantee in this round.
    above: DFF<Bits<16>>,
    phase_register: DFF<Phase>,
    word_register: DFF<Bits<32>>,
    damaged_register: DFF<Bit>,
    /// Payload words to come.
    left: DFF<Bits<10>>,
    requests: Signal<Local, Bits<16>>,
    candidates: Signal<Local, Bits<16>>,
    minus: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    below: Signal<Local, Bits<16>>,
    upto: Signal<Local, Bits<16>>,
    selected: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<12>>,
    rounded: Signal<Local, Bits<12>>,
    any_ack: Signal<Local, Bit>,
    any_nack: Signal<Local, Bit>,
    one: Constant<Bits<16>>,
}

impl Bus {
    /// # Panics
    /// If there are not 1 to 16 stations.
    pub fn new(stations: usize) -> Self {
        assert!((1..=testbed_definitions::packet::STATIONS_MAX).contains(&stations), "a bus has 1 to 16 stations");
        Bus {
            clock: Default::default(),
            request: each(stations),
            sent_word: each(stations),
            ack: each(stations),
            nack: each(stations),
            grant: each(stations),
            phase: Default::default(),
            word: Default::default(),
            damaged: Default::default(),
            state: Default::default(),
            owner: Default::default(),
            granted: Default::default(),
            above: Default::default(),
            phase_register: Default::default(),
            word_register: Default::default(),
            damaged_register: Default::default(),
            left: Default::default(),
            requests: Default::default(),
            candidates: Default::default(),
            minus: Default::default(),
            lowest: Default::default(),
            below: Default::default(),
            upto: Default::default(),
            selected: Default::default(),
            length: Default::default(),
            rounded: Default::default(),
            any_ack: Default::default(),
            any_nack: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for Bus {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, owner, granted, above, phase_register, word_register, left);
        dff_setup!(self, clock, damaged_register);
        // Gather the stations' signals.
        self.requests.next = 0.into();
        self.selected.next = 0.into();
        self.any_ack.next = false;
        self.any_nack.next = false;
        for i in 0..self.request.len() {
            self.requests.next = self.requests.val().replace_bit(i, self.request[i].val());
            if self.owner.q.val().get_bit(i) {
                self.selected.next = self.selected.val() | self.sent_word[i].val();
            }
            if self.ack[i].val() {
                self.any_ack.next = true;
            }
            if self.nack[i].val() {
                self.any_nack.next = true;
            }
        }
        // Round robin: the lowest of those after the last grantee, else the lowest of all.
        self.candidates.next = self.requests.val() & self.above.q.val();
        if !self.candidates.val().any() {
            self.candidates.next = self.requests.val();
        }
        self.minus.next = self.one.val() + (!self.candidates.val());
        self.lowest.next = self.candidates.val() & self.minus.val();
        self.below.next = self.lowest.val() - 1;
        self.upto.next = self.lowest.val() | self.below.val();
        // Payload words of the header that passes.
        self.length.next = self.selected.val().get_bits::<12>(16);
        self.rounded.next = self.length.val() + 3;

        self.granted.d.next = false;
        self.phase_register.d.next = Phase::Idle;
        self.word_register.d.next = self.selected.val();
        match self.state.q.val() {
            State::Idle => {
                if self.requests.val().any() {
                    self.owner.d.next = self.lowest.val();
                    self.above.d.next = !self.upto.val();
                    self.granted.d.next = true;
                    self.state.d.next = State::Header;
                }
            }
            State::Header => {
                self.phase_register.d.next = Phase::Header;
                self.left.d.next = self.rounded.val().get_bits::<10>(2);
                self.state.d.next = State::Answer;
            }
            State::Answer => {
                self.state.d.next = State::Verdict;
            }
            State::Verdict => {
                self.state.d.next = State::Idle;
                if self.any_nack.val() {
                    self.phase_register.d.next = Phase::Abort;
                } else if self.any_ack.val() {
                    self.phase_register.d.next = Phase::Go;
                    self.state.d.next = State::Start;
                } else {
                    self.phase_register.d.next = Phase::NoTaker;
                }
            }
            State::Start => {
                self.state.d.next = State::Stream;
            }
            State::Stream => {
                if self.left.q.val().any() {
                    self.phase_register.d.next = Phase::Data;
                    self.left.d.next = self.left.q.val() - 1;
                } else {
                    self.phase_register.d.next = Phase::Crc;
                    self.state.d.next = State::Idle;
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }

        self.damaged_register.d.next = self.any_nack.val();

        self.phase.next = self.phase_register.q.val();
        self.word.next = self.word_register.q.val();
        self.damaged.next = self.damaged_register.q.val();
        for i in 0..self.grant.len() {
            self.grant[i].next = self.granted.q.val() & self.owner.q.val().get_bit(i);
        }
    }
}
