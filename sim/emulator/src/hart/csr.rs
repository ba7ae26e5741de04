//! Control and status registers.

use crate::model::clint::set_half;
use testbed_definitions::csr::*;

/// The registers themselves; counters are kept as offsets from what counts anyway.
#[derive(Clone, Debug, Default)]
pub(in crate::hart) struct Csrs {
    pub user: bool,
    pub interrupts_on: bool,
    pub previous_on: bool,
    /// MPP: machine mode.
    pub previous_machine: bool,
    pub modify_privilege: bool,
    pub enabled: u32,
    pub vector: u32,
    counter_enable: u32,
    /// The values of [`PLAIN`].
    pub plain: [u32; PLAIN.len()],
    pub page_map: u32,
    /// `mcycle` in cycle `t` is `t` plus this.
    cycle_offset: u64,
    /// `minstret` is the instructions retired plus this.
    retired_offset: u64,
}

/// What CSRs allow that change seldom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::hart) struct Mode {
    /// Loads and stores go through the TLB.
    pub translating: bool,
    /// CSRs of machine mode can be accessed.
    pub machine: bool,
    /// The time can be read.
    pub times: bool,
}

/// The CSRs that hold a value for machine mode and do nothing else, and what is kept of a write.
pub(in crate::hart) const PLAIN: [(u16, u32); 4] =
    [(MSCRATCH, u32::MAX), (MEPC, !3), (MCAUSE, MCAUSE_MASK), (MTVAL, u32::MAX)];

/// The place in [`PLAIN`] and [`Csrs::plain`] of a CSR.
pub(in crate::hart) fn plain(number: u16) -> Option<usize> {
    PLAIN.iter().position(|plain| plain.0 == number)
}

/// What the CSR numbers that are not registers of [`Csrs`] show in the cycle of the instruction.
#[derive(Clone, Copy)]
pub(in crate::hart) struct Surroundings {
    pub cycle: u64,
    pub time: u64,
    /// Instructions retired before this one.
    pub retired: u64,
    pub pending: u32,
    pub hart: u32,
}

impl Csrs {
    /// Enters a trap.
    pub fn trap(&mut self, pc: u32, cause: u32, value: u32) {
        let [_, rest @ ..] = &mut self.plain;
        *rest = [pc, cause, value];
        self.previous_on = self.interrupts_on;
        self.interrupts_on = false;
        self.previous_machine = !self.user;
        self.user = false;
    }

    /// Returns from one.
    pub fn mret(&mut self) {
        self.interrupts_on = self.previous_on;
        self.previous_on = true;
        self.user = !self.previous_machine;
        self.modify_privilege &= self.previous_machine;
        self.previous_machine = false;
    }

    /// Whether fetches are translated.
    pub fn translates_fetches(&self) -> bool {
        self.user && self.page_map & PMBASE_ENABLE != 0
    }

    /// Where an exception has happened.
    pub fn exception_pc(&self) -> u32 {
        let [_, pc, ..] = self.plain;
        pc
    }

    /// What the way in which instructions are executed depends on.
    pub fn mode(&self) -> Mode {
        let times = !self.user || self.counter_enable >> (TIME & 0x1f) & 1 != 0;
        Mode { translating: self.translates_data(), machine: !self.user, times }
    }

    fn translates_data(&self) -> bool {
        (self.user || self.modify_privilege && !self.previous_machine) && self.page_map & PMBASE_ENABLE != 0
    }

    /// Whether stores that are translated reach the page of programs' events.
    pub fn opens_events(&self) -> bool {
        self.page_map & PMBASE_EVENT != 0
    }

    /// The value of `number` for an instruction that also writes it if `writes`; `None` if that is
    /// illegal.
    pub fn read(&self, number: u16, writes: bool, around: Surroundings) -> Option<u32> {
        let user_counter = number & 0x1f < 3 && self.counter_enable >> (number & 0x1f) & 1 != 0;
        if self.user && (number >> 8 & 3 != 0 || !user_counter) || writes && number >> 10 == 3 {
            return None;
        }
        let cycles = around.cycle.wrapping_add(self.cycle_offset);
        let retired = around.retired.wrapping_add(self.retired_offset);
        if let Some(plain) = plain(number) {
            return Some(self.plain[plain]);
        }
        Some(match number {
            MSTATUS => self.status(),
            MISA => MISA_VALUE,
            MIE => self.enabled,
            MTVEC => self.vector,
            MCOUNTEREN => self.counter_enable,
            MIP => around.pending,
            PMBASE => self.page_map,
            MCYCLE | CYCLE => cycles as u32,
            MCYCLEH | CYCLEH => (cycles >> 32) as u32,
            MINSTRET | INSTRET => retired as u32,
            MINSTRETH | INSTRETH => (retired >> 32) as u32,
            TIME => around.time as u32,
            TIMEH => (around.time >> 32) as u32,
            MIMPID => MIMPID_VALUE,
            MHARTID => around.hart,
            _ if reads_as_zero(number) => 0,
            _ => return None,
        })
    }

    fn status(&self) -> u32 {
        let bit = |on: bool, bits: u32| if on { bits } else { 0 };
        bit(self.interrupts_on, MSTATUS_MIE)
            | bit(self.previous_on, MSTATUS_MPIE)
            | bit(self.previous_machine, MSTATUS_MPP)
            | bit(self.modify_privilege, MSTATUS_MPRV)
    }

    /// Writes `number`, which [`Csrs::read`] has allowed.
    pub fn write(&mut self, number: u16, value: u32, around: Surroundings) {
        if let Some(plain) = plain(number) {
            self.plain[plain] = value & PLAIN[plain].1;
            return;
        }
        match number {
            MSTATUS => {
                self.interrupts_on = value & MSTATUS_MIE != 0;
                self.previous_on = value & MSTATUS_MPIE != 0;
                self.previous_machine = value & MSTATUS_MPP == MSTATUS_MPP;
                self.modify_privilege = value & MSTATUS_MPRV != 0;
            }
            MIE => self.enabled = value & (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL),
            MTVEC => self.vector = value & !3,
            MCOUNTEREN => self.counter_enable = value & 7,
            PMBASE => self.page_map = value & PMBASE_MASK,
            MCYCLE | MCYCLEH => {
                let now = around.cycle.wrapping_add(self.cycle_offset);
                let next = set_half(now, number == MCYCLEH, value);
                self.cycle_offset = next.wrapping_sub(around.cycle + 1);
            }
            MINSTRET | MINSTRETH => {
                let now = around.retired.wrapping_add(self.retired_offset);
                let next = set_half(now, number == MINSTRETH, value);
                self.retired_offset = next.wrapping_sub(around.retired + 1);
            }
            _ => {}
        }
    }
}

/// CSRs that exist and hold nothing.
fn reads_as_zero(number: u16) -> bool {
    matches!(
        number,
        MENVCFG | MSTATUSH | MENVCFGH | MCOUNTINHIBIT | MVENDORID | MARCHID | MCONFIGPTR
            | MHPMEVENT3..=MHPMEVENT31
            | MHPMCOUNTER3..=MHPMCOUNTER31
            | MHPMCOUNTER3H..=MHPMCOUNTER31H
            | TSELECT..=TDATA3
            // The user's names of the event counters.
            | 0xc03..=0xc1f
            | 0xc83..=0xc9f
    )
}
