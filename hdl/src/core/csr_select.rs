//! Which CSR an instruction means, its value, and whether the access is allowed.

use rust_hdl::prelude::*;
use testbed_definitions::csr;

// The numbers as `match` wants them; in the Verilog they are the constants of the same names.
const MSTATUS: usize = csr::MSTATUS as usize;
const MISA: usize = csr::MISA as usize;
const MIE: usize = csr::MIE as usize;
const MTVEC: usize = csr::MTVEC as usize;
const MCOUNTEREN: usize = csr::MCOUNTEREN as usize;
const MENVCFG: usize = csr::MENVCFG as usize;
const MSTATUSH: usize = csr::MSTATUSH as usize;
const MENVCFGH: usize = csr::MENVCFGH as usize;
const MCOUNTINHIBIT: usize = csr::MCOUNTINHIBIT as usize;
const MSCRATCH: usize = csr::MSCRATCH as usize;
const MEPC: usize = csr::MEPC as usize;
const MCAUSE: usize = csr::MCAUSE as usize;
const MTVAL: usize = csr::MTVAL as usize;
const MIP: usize = csr::MIP as usize;
const PMBASE: usize = csr::PMBASE as usize;
const MCYCLE: usize = csr::MCYCLE as usize;
const MINSTRET: usize = csr::MINSTRET as usize;
const MCYCLEH: usize = csr::MCYCLEH as usize;
const MINSTRETH: usize = csr::MINSTRETH as usize;
const CYCLE: usize = csr::CYCLE as usize;
const TIME: usize = csr::TIME as usize;
const INSTRET: usize = csr::INSTRET as usize;
const CYCLEH: usize = csr::CYCLEH as usize;
const TIMEH: usize = csr::TIMEH as usize;
const INSTRETH: usize = csr::INSTRETH as usize;
const MVENDORID: usize = csr::MVENDORID as usize;
const MARCHID: usize = csr::MARCHID as usize;
const MIMPID: usize = csr::MIMPID as usize;
const MHARTID: usize = csr::MHARTID as usize;
const MCONFIGPTR: usize = csr::MCONFIGPTR as usize;

/// Selects the value of the CSR `number` from the values of all, combinationally.
///
/// ```text
///   number, writes, user         +-------------+
///   counter_enable               |  CsrSelect  |-> value
///   the values of the CSRs ----->+-------------+-> illegal
/// ```
///
/// `illegal`: there is no such CSR, or the access is above the privilege, or it `writes` a read-only one.
#[derive(LogicBlock)]
#[allow(non_snake_case)]
pub struct CsrSelect {
    pub number: Signal<In, Bits<12>>,
    pub writes: Signal<In, Bit>,
    pub user: Signal<In, Bit>,
    pub mstatus: Signal<In, Bits<32>>,
    pub mie: Signal<In, Bits<32>>,
    pub mip: Signal<In, Bits<32>>,
    pub mtvec: Signal<In, Bits<32>>,
    pub counter_enable: Signal<In, Bits<3>>,
    pub mscratch: Signal<In, Bits<32>>,
    pub mepc: Signal<In, Bits<32>>,
    pub mcause: Signal<In, Bits<32>>,
    pub mtval: Signal<In, Bits<32>>,
    pub pmbase: Signal<In, Bits<32>>,
    pub cycle_low: Signal<In, Bits<32>>,
    pub cycle_high: Signal<In, Bits<32>>,
    pub instret_low: Signal<In, Bits<32>>,
    pub instret_high: Signal<In, Bits<32>>,
    pub mtime_low: Signal<In, Bits<32>>,
    pub mtime_high: Signal<In, Bits<32>>,
    pub hart_id: Signal<In, Bits<4>>,
    pub value: Signal<Out, Bits<32>>,
    pub illegal: Signal<Out, Bit>,
    bank: Signal<Local, Bits<7>>,
    entry: Signal<Local, Bits<5>>,
    chosen: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
    permitted: Signal<Local, Bit>,
    enabled: Signal<Local, Bits<4>>,
    events: Constant<Bits<7>>,
    counters: Constant<Bits<7>>,
    counters_high: Constant<Bits<7>>,
    user_counters: Constant<Bits<7>>,
    user_counters_high: Constant<Bits<7>>,
    triggers: Constant<Bits<10>>,
    misa: Constant<Bits<32>>,
    mimpid: Constant<Bits<32>>,
    MSTATUS: Constant<Bits<12>>,
    MISA: Constant<Bits<12>>,
    MIE: Constant<Bits<12>>,
    MTVEC: Constant<Bits<12>>,
    MCOUNTEREN: Constant<Bits<12>>,
    MENVCFG: Constant<Bits<12>>,
    MSTATUSH: Constant<Bits<12>>,
    MENVCFGH: Constant<Bits<12>>,
    MCOUNTINHIBIT: Constant<Bits<12>>,
    MSCRATCH: Constant<Bits<12>>,
    MEPC: Constant<Bits<12>>,
    MCAUSE: Constant<Bits<12>>,
    MTVAL: Constant<Bits<12>>,
    MIP: Constant<Bits<12>>,
    PMBASE: Constant<Bits<12>>,
    MCYCLE: Constant<Bits<12>>,
    MINSTRET: Constant<Bits<12>>,
    MCYCLEH: Constant<Bits<12>>,
    MINSTRETH: Constant<Bits<12>>,
    CYCLE: Constant<Bits<12>>,
    TIME: Constant<Bits<12>>,
    INSTRET: Constant<Bits<12>>,
    CYCLEH: Constant<Bits<12>>,
    TIMEH: Constant<Bits<12>>,
    INSTRETH: Constant<Bits<12>>,
    MVENDORID: Constant<Bits<12>>,
    MARCHID: Constant<Bits<12>>,
    MIMPID: Constant<Bits<12>>,
    MHARTID: Constant<Bits<12>>,
    MCONFIGPTR: Constant<Bits<12>>,
}

impl Default for CsrSelect {
    fn default() -> Self {
        Self {
            number: Default::default(),
            writes: Default::default(),
            user: Default::default(),
            mstatus: Default::default(),
            mie: Default::default(),
            mip: Default::default(),
            mtvec: Default::default(),
            counter_enable: Default::default(),
            mscratch: Default::default(),
            mepc: Default::default(),
            mcause: Default::default(),
            mtval: Default::default(),
            pmbase: Default::default(),
            cycle_low: Default::default(),
            cycle_high: Default::default(),
            instret_low: Default::default(),
            instret_high: Default::default(),
            mtime_low: Default::default(),
            mtime_high: Default::default(),
            hart_id: Default::default(),
            value: Default::default(),
            illegal: Default::default(),
            bank: Default::default(),
            entry: Default::default(),
            chosen: Default::default(),
            known: Default::default(),
            permitted: Default::default(),
            enabled: Default::default(),
            events: bank(csr::MHPMEVENT3),
            counters: bank(csr::MHPMCOUNTER3),
            counters_high: bank(csr::MHPMCOUNTER3H),
            user_counters: bank(csr::CYCLE),
            user_counters_high: bank(csr::CYCLEH),
            triggers: Constant::new(u64::from(csr::TSELECT >> 2).into()),
            misa: Constant::new(u64::from(csr::MISA_VALUE).into()),
            mimpid: Constant::new(u64::from(csr::MIMPID_VALUE).into()),
            MSTATUS: named(MSTATUS),
            MISA: named(MISA),
            MIE: named(MIE),
            MTVEC: named(MTVEC),
            MCOUNTEREN: named(MCOUNTEREN),
            MENVCFG: named(MENVCFG),
            MSTATUSH: named(MSTATUSH),
            MENVCFGH: named(MENVCFGH),
            MCOUNTINHIBIT: named(MCOUNTINHIBIT),
            MSCRATCH: named(MSCRATCH),
            MEPC: named(MEPC),
            MCAUSE: named(MCAUSE),
            MTVAL: named(MTVAL),
            MIP: named(MIP),
            PMBASE: named(PMBASE),
            MCYCLE: named(MCYCLE),
            MINSTRET: named(MINSTRET),
            MCYCLEH: named(MCYCLEH),
            MINSTRETH: named(MINSTRETH),
            CYCLE: named(CYCLE),
            TIME: named(TIME),
            INSTRET: named(INSTRET),
            CYCLEH: named(CYCLEH),
            TIMEH: named(TIMEH),
            INSTRETH: named(INSTRETH),
            MVENDORID: named(MVENDORID),
            MARCHID: named(MARCHID),
            MIMPID: named(MIMPID),
            MHARTID: named(MHARTID),
            MCONFIGPTR: named(MCONFIGPTR),
        }
    }
}

/// The bank of 32 CSRs that `number` is in.
fn bank(number: u16) -> Constant<Bits<7>> {
    Constant::new(u64::from(number >> 5).into())
}

/// A CSR's number, for the field of its name.
fn named(number: usize) -> Constant<Bits<12>> {
    Constant::new((number as u64).into())
}

impl Logic for CsrSelect {
    #[hdl_gen]
    fn update(&mut self) {
        self.bank.next = self.number.val().get_bits::<7>(5);
        self.entry.next = self.number.val().get_bits::<5>(0);

        // Those that read as zero and ignore writes have empty arms.
        self.chosen.next = 0.into();
        self.known.next = true;
        match self.number.val().index() {
            MSTATUS => {
                self.chosen.next = self.mstatus.val();
            }
            MISA => {
                self.chosen.next = self.misa.val();
            }
            MIE => {
                self.chosen.next = self.mie.val();
            }
            MTVEC => {
                self.chosen.next = self.mtvec.val();
            }
            MCOUNTEREN => {
                self.chosen.next = bit_cast::<32, 3>(self.counter_enable.val());
            }
            MENVCFG => {}
            MSTATUSH => {}
            MENVCFGH => {}
            MCOUNTINHIBIT => {}
            MSCRATCH => {
                self.chosen.next = self.mscratch.val();
            }
            MEPC => {
                self.chosen.next = self.mepc.val();
            }
            MCAUSE => {
                self.chosen.next = self.mcause.val();
            }
            MTVAL => {
                self.chosen.next = self.mtval.val();
            }
            MIP => {
                self.chosen.next = self.mip.val();
            }
            PMBASE => {
                self.chosen.next = self.pmbase.val();
            }
            MCYCLE => {
                self.chosen.next = self.cycle_low.val();
            }
            MCYCLEH => {
                self.chosen.next = self.cycle_high.val();
            }
            MINSTRET => {
                self.chosen.next = self.instret_low.val();
            }
            MINSTRETH => {
                self.chosen.next = self.instret_high.val();
            }
            CYCLE => {
                self.chosen.next = self.cycle_low.val();
            }
            CYCLEH => {
                self.chosen.next = self.cycle_high.val();
            }
            TIME => {
                self.chosen.next = self.mtime_low.val();
            }
            TIMEH => {
                self.chosen.next = self.mtime_high.val();
            }
            INSTRET => {
                self.chosen.next = self.instret_low.val();
            }
            INSTRETH => {
                self.chosen.next = self.instret_high.val();
            }
            MVENDORID => {}
            MARCHID => {}
            MIMPID => {
                self.chosen.next = self.mimpid.val();
            }
            MHARTID => {
                self.chosen.next = bit_cast::<32, 4>(self.hart_id.val());
            }
            MCONFIGPTR => {}
            _ => {
                // Event counters 3 to 31 under their machine and user numbers, their selectors; triggers.
                self.known.next = ((self.entry.val() > 2)
                    & ((self.bank.val() == self.events.val())
                        | (self.bank.val() == self.counters.val())
                        | (self.bank.val() == self.counters_high.val())
                        | (self.bank.val() == self.user_counters.val())
                        | (self.bank.val() == self.user_counters_high.val())))
                    | (self.number.val().get_bits::<10>(2) == self.triggers.val());
            }
        }

        // User mode has the three counters, each if `mcounteren` has its bit. Bits 11:10 of a
        // read-only number are ones.
        self.enabled.next = bit_cast::<4, 3>(self.counter_enable.val());
        self.permitted.next = !self.user.val()
            | ((self.number.val().get_bits::<2>(8) == 0)
                & (self.entry.val() < 3)
                & self.enabled.val().get_bit(self.number.val().get_bits::<2>(0).index()));
        self.value.next = self.chosen.val();
        self.illegal.next =
            !self.known.val() | !self.permitted.val() | (self.writes.val() & self.number.val().get_bits::<2>(10).all());
    }
}
