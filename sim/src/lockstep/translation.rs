//! Follows a core's retirements far enough to know which page-map state each access met.
//!
//! Written from `docs/hardware.md` alone and independent of the engines, so it also is a third
//! opinion on which accesses fault.

use testbed_definitions::{csr, map, page};

use super::encode::{OP_LOAD, OP_STORE, OP_SYSTEM};
use crate::engine::{Image, Retirement};

/// Kinds of access that are translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    Fetch,
    Load,
    Store,
}

impl Access {
    pub const ALL: &'static [Access] = &[Access::Fetch, Access::Load, Access::Store];

    fn permission(self) -> u32 {
        match self {
            Access::Fetch => page::PTE_EXECUTE,
            Access::Load => page::PTE_READ,
            Access::Store => page::PTE_WRITE,
        }
    }
    fn page_fault(self) -> u32 {
        match self {
            Access::Fetch => csr::cause::FETCH_PAGE,
            Access::Load => csr::cause::LOAD_PAGE,
            Access::Store => csr::cause::STORE_PAGE,
        }
    }
}

/// What an access found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Hit,
    HitDenied,
    Miss,
    MissInvalid,
    MissDenied,
    OutOfRange,
}

impl State {
    pub const ALL: &'static [State] =
        &[State::Hit, State::HitDenied, State::Miss, State::MissInvalid, State::MissDenied, State::OutOfRange];

    fn allowed(self) -> bool {
        matches!(self, State::Hit | State::Miss)
    }
}

/// Registers, mode, page map and TLB of one core, as far as its retirements show them.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    registers: [u32; 32],
    user: bool,
    /// `mstatus`, of which MPP and MPRV count.
    mstatus: u32,
    pmbase: u32,
    ram: Vec<u8>,
    /// The first half of a pair was the last that was followed.
    in_pair: bool,
    /// Virtual page and entry.
    tlb: [Option<(u32, u32)>; page::TLB_ENTRIES],
}

impl Tracker {
    pub(super) fn new(image: &Image, ram_bytes: u32) -> Self {
        let mut ram = vec![0; ram_bytes as usize];
        for (start, bytes) in &image.segments {
            let offset = (start - map::RAM_BASE) as usize;
            ram[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        Tracker {
            registers: [0; 32],
            user: false,
            mstatus: 0,
            pmbase: 0,
            ram,
            in_pair: false,
            tlb: [None; page::TLB_ENTRIES],
        }
    }

    /// The translations that a retirement implies (its fetch, its data access), each with whether
    /// its outcome was the expected one; then takes over its effects.
    pub(super) fn follow(&mut self, r: &Retirement) -> [Option<(Access, State, bool)>; 2] {
        if self.in_pair {
            // The first half has shown both translations; nothing comes between the halves.
            self.in_pair = false;
            self.retire(r);
            return [None, None];
        }
        self.in_pair = r.half;
        let fetch = (self.user && self.paged()).then(|| {
            let state = self.translate(r.pc, Access::Fetch);
            // An interrupt goes before a fetch fault.
            let interrupt = r.trap && r.cause & csr::MCAUSE_INTERRUPT != 0;
            let faulted = r.trap && r.cause == Access::Fetch.page_fault();
            (Access::Fetch, state, interrupt || faulted != state.allowed())
        });
        let data = self.data_access(r);
        if r.trap {
            self.mstatus = if self.user { self.mstatus & !csr::MSTATUS_MPP } else { self.mstatus | csr::MSTATUS_MPP };
            self.user = false;
        } else {
            self.retire(r);
        }
        [fetch, data]
    }

    fn paged(&self) -> bool {
        self.pmbase & csr::PMBASE_ENABLE != 0
    }

    fn data_access(&mut self, r: &Retirement) -> Option<(Access, State, bool)> {
        let access = match r.instruction & 0x7f {
            OP_LOAD => Access::Load,
            OP_STORE => Access::Store,
            _ => return None,
        };
        let faulted = r.trap && r.cause == access.page_fault();
        // Other traps come before translation, or exclude it.
        if r.trap && !faulted {
            return None;
        }
        let mprv = self.mstatus & csr::MSTATUS_MPRV != 0 && self.mstatus & csr::MSTATUS_MPP == 0;
        if !(self.paged() && (self.user || mprv)) {
            return None;
        }
        let word = r.instruction;
        let offset = match access {
            Access::Store => ((word as i32) >> 20 & !0x1f) as u32 | word >> 7 & 0x1f,
            _ => ((word as i32) >> 20) as u32,
        };
        let address = self.registers[(word >> 15 & 31) as usize].wrapping_add(offset);
        if access == Access::Store && self.opens(address) {
            return None;
        }
        let state = self.translate(address, access);
        Some((access, state, faulted != state.allowed()))
    }

    /// A store there is not translated: the page of programs' events.
    fn opens(&self, address: u32) -> bool {
        self.pmbase & csr::PMBASE_EVENT != 0 && address & !(page::PAGE_BYTES - 1) == map::EVENT_PAGE
    }

    fn translate(&mut self, address: u32, access: Access) -> State {
        if address >= page::VIRTUAL_BYTES {
            return State::OutOfRange;
        }
        let virtual_page = address >> page::PAGE_SHIFT;
        let index = page::tlb_index(virtual_page);
        if let Some((_, entry)) = self.tlb[index].filter(|(tag, _)| *tag == virtual_page) {
            return if entry & access.permission() != 0 { State::Hit } else { State::HitDenied };
        }
        let offset = ((self.pmbase & csr::PMBASE_BASE) | (virtual_page * 4)) & (self.ram.len() as u32 - 1);
        let entry = self.word(offset);
        if entry & page::PTE_VALID == 0 {
            State::MissInvalid
        } else if entry & access.permission() == 0 {
            State::MissDenied
        } else {
            self.tlb[index] = Some((virtual_page, entry));
            State::Miss
        }
    }

    fn word(&self, offset: u32) -> u32 {
        let at = offset as usize;
        u32::from_le_bytes([self.ram[at], self.ram[at + 1], self.ram[at + 2], self.ram[at + 3]])
    }

    fn retire(&mut self, r: &Retirement) {
        if r.store {
            self.store(r);
        }
        if r.instruction & 0x7f == OP_SYSTEM {
            self.system(r.instruction);
        }
        if r.rd != 0 {
            self.registers[r.rd as usize] = r.value;
        }
    }

    fn store(&mut self, r: &Retirement) {
        let Some(offset) = r.address.checked_sub(map::RAM_BASE).map(|offset| (offset & !3) as usize) else { return };
        if offset >= self.ram.len() {
            return;
        }
        for (lane, byte) in r.data.to_le_bytes().into_iter().enumerate() {
            if r.mask >> lane & 1 != 0 {
                self.ram[offset + lane] = byte;
            }
        }
    }

    fn system(&mut self, word: u32) {
        if word == super::encode::MRET {
            self.user = self.mstatus & csr::MSTATUS_MPP == 0;
            self.mstatus &= !csr::MSTATUS_MPP;
            if self.user {
                self.mstatus &= !csr::MSTATUS_MPRV;
            }
            return;
        }
        let (funct3, source) = (word >> 12 & 7, word >> 15 & 31);
        let operand = if funct3 & 4 != 0 { source } else { self.registers[source as usize] };
        let number = (word >> 20) as u16;
        let old = match number {
            csr::MSTATUS => self.mstatus,
            csr::PMBASE => self.pmbase,
            _ => return,
        };
        let new = match funct3 & 3 {
            1 => operand,
            _ if source == 0 => return,
            2 => old | operand,
            3 => old & !operand,
            _ => return,
        };
        if number == csr::PMBASE {
            self.pmbase = new & csr::PMBASE_MASK;
            self.tlb = [None; page::TLB_ENTRIES];
        } else {
            let machine = new & csr::MSTATUS_MPP == csr::MSTATUS_MPP;
            self.mstatus = new & csr::MSTATUS_MPRV | if machine { csr::MSTATUS_MPP } else { 0 };
        }
    }
}
