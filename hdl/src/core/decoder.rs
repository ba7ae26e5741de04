//! Instruction decoder.

use rust_hdl::prelude::*;

/// Decodes one RV32IM + Zicsr + Zilsd instruction as it arrives, and keeps what it found.
///
/// ```text
///                 +-----------+
///   instruction ->|           |-> class of instruction (at most one of them is high)
///   take        ->|  Decoder  |-> immediate, subtracts, writes_csr
///                 |           |-> illegal
///                 +-----------+
/// ```
///
/// With `take` high in *t* the outputs from *t*+1 on are those of the instruction of *t*, until the
/// next `take`. Every word that is no instruction of this machine gives `illegal`, and then no
/// class. What depends on more than the word (CSR numbers, privilege) is judged elsewhere.
#[derive(LogicBlock)]
pub struct Decoder {
    pub clock: Signal<In, Clock>,
    pub instruction: Signal<In, Bits<32>>,
    pub take: Signal<In, Bit>,
    /// Sign-extended immediate of the instruction's format.
    pub immediate: Signal<Out, Bits<32>>,
    /// Register-register arithmetic, without multiply and divide.
    pub register_op: Signal<Out, Bit>,
    pub immediate_op: Signal<Out, Bit>,
    /// Of arithmetic and branches: the ALU subtracts, as for all but `add`, `addi` and, where it
    /// does not matter, `beq`. Of other instructions it means nothing.
    pub subtracts: Signal<Out, Bit>,
    pub muldiv: Signal<Out, Bit>,
    pub load: Signal<Out, Bit>,
    pub store: Signal<Out, Bit>,
    /// The load or store is of a pair of registers.
    pub pair: Signal<Out, Bit>,
    pub branch: Signal<Out, Bit>,
    pub jal: Signal<Out, Bit>,
    pub jalr: Signal<Out, Bit>,
    /// `jal` or `jalr`.
    pub link: Signal<Out, Bit>,
    pub lui: Signal<Out, Bit>,
    pub auipc: Signal<Out, Bit>,
    pub csr: Signal<Out, Bit>,
    /// The CSR instruction writes (`csrrs` and `csrrc` of `x0` do not).
    pub writes_csr: Signal<Out, Bit>,
    pub ecall: Signal<Out, Bit>,
    pub ebreak: Signal<Out, Bit>,
    pub mret: Signal<Out, Bit>,
    pub wfi: Signal<Out, Bit>,
    /// The instruction has a destination, and it is not `x0`.
    pub writes_rd: Signal<Out, Bit>,
    pub illegal: Signal<Out, Bit>,
    kept: DFF<Bits<20>>,
    kept_immediate: DFF<Bits<32>>,
    opcode: Signal<Local, Bits<7>>,
    minor: Signal<Local, Bits<3>>,
    upper: Signal<Local, Bits<7>>,
    plain: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    shift: Signal<Local, Bit>,
    sign: Signal<Local, Bits<32>>,
    format_i: Signal<Local, Bits<32>>,
    format_s: Signal<Local, Bits<32>>,
    format_b: Signal<Local, Bits<32>>,
    format_j: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    is_op: Signal<Local, Bit>,
    is_immediate: Signal<Local, Bit>,
    is_muldiv: Signal<Local, Bit>,
    is_load: Signal<Local, Bit>,
    is_store: Signal<Local, Bit>,
    is_pair: Signal<Local, Bit>,
    is_branch: Signal<Local, Bit>,
    is_jal: Signal<Local, Bit>,
    is_jalr: Signal<Local, Bit>,
    is_lui: Signal<Local, Bit>,
    is_auipc: Signal<Local, Bit>,
    is_csr: Signal<Local, Bit>,
    is_ecall: Signal<Local, Bit>,
    is_ebreak: Signal<Local, Bit>,
    is_mret: Signal<Local, Bit>,
    is_wfi: Signal<Local, Bit>,
    is_fence: Signal<Local, Bit>,
    is_subtracting: Signal<Local, Bit>,
    is_writing: Signal<Local, Bit>,
    has_rd: Signal<Local, Bit>,
    is_link: Signal<Local, Bit>,
    computes: Signal<Local, Bit>,
    ones: Constant<Bits<32>>,
    upper_mask: Constant<Bits<32>>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            instruction: Default::default(),
            take: Default::default(),
            immediate: Default::default(),
            register_op: Default::default(),
            immediate_op: Default::default(),
            subtracts: Default::default(),
            muldiv: Default::default(),
            load: Default::default(),
            store: Default::default(),
            pair: Default::default(),
            branch: Default::default(),
            jal: Default::default(),
            jalr: Default::default(),
            link: Default::default(),
            lui: Default::default(),
            auipc: Default::default(),
            csr: Default::default(),
            writes_csr: Default::default(),
            ecall: Default::default(),
            ebreak: Default::default(),
            mret: Default::default(),
            wfi: Default::default(),
            writes_rd: Default::default(),
            illegal: Default::default(),
            kept: Default::default(),
            kept_immediate: Default::default(),
            opcode: Default::default(),
            minor: Default::default(),
            upper: Default::default(),
            plain: Default::default(),
            other: Default::default(),
            shift: Default::default(),
            sign: Default::default(),
            format_i: Default::default(),
            format_s: Default::default(),
            format_b: Default::default(),
            format_j: Default::default(),
            chosen: Default::default(),
            is_op: Default::default(),
            is_immediate: Default::default(),
            is_muldiv: Default::default(),
            is_load: Default::default(),
            is_store: Default::default(),
            is_pair: Default::default(),
            is_branch: Default::default(),
            is_jal: Default::default(),
            is_jalr: Default::default(),
            is_lui: Default::default(),
            is_auipc: Default::default(),
            is_csr: Default::default(),
            is_ecall: Default::default(),
            is_ebreak: Default::default(),
            is_mret: Default::default(),
            is_wfi: Default::default(),
            is_fence: Default::default(),
            is_subtracting: Default::default(),
            is_writing: Default::default(),
            has_rd: Default::default(),
            is_link: Default::default(),
            computes: Default::default(),
            ones: Constant::new(0xffff_ffffu64.into()),
            upper_mask: Constant::new(0xffff_f000u64.into()),
        }
    }
}

impl Logic for Decoder {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, kept, kept_immediate);

        // Fields.
        self.opcode.next = self.instruction.val().get_bits::<7>(0);
        self.minor.next = self.instruction.val().get_bits::<3>(12);
        self.upper.next = self.instruction.val().get_bits::<7>(25);
        self.plain.next = self.upper.val() == 0;
        self.other.next = self.upper.val() == 32;
        self.shift.next = (self.minor.val() == 1) | (self.minor.val() == 5);

        // Classes, each only where the whole encoding is legal.
        self.is_op.next = (self.opcode.val() == 0x33)
            & (self.plain.val() | (self.other.val() & ((self.minor.val() == 0) | (self.minor.val() == 5))));
        self.is_muldiv.next = (self.opcode.val() == 0x33) & (self.upper.val() == 1);
        self.is_immediate.next = (self.opcode.val() == 0x13)
            & (!self.shift.val() | self.plain.val() | (self.other.val() & (self.minor.val() == 5)));
        // A pair begins at an even register.
        self.is_load.next = (self.opcode.val() == 0x03)
            & ((self.minor.val() != 3) | !self.instruction.val().get_bit(7))
            & (self.minor.val() != 6)
            & (self.minor.val() != 7);
        self.is_store.next = (self.opcode.val() == 0x23)
            & ((self.minor.val() < 3) | ((self.minor.val() == 3) & !self.instruction.val().get_bit(20)));
        self.is_pair.next = (self.is_load.val() | self.is_store.val()) & (self.minor.val() == 3);
        self.is_branch.next = (self.opcode.val() == 0x63) & (self.minor.val() != 2) & (self.minor.val() != 3);
        self.is_jal.next = self.opcode.val() == 0x6f;
        self.is_jalr.next = (self.opcode.val() == 0x67) & (self.minor.val() == 0);
        self.is_lui.next = self.opcode.val() == 0x37;
        self.is_auipc.next = self.opcode.val() == 0x17;
        self.is_fence.next = (self.opcode.val() == 0x0f) & (self.minor.val() < 2);
        self.is_csr.next = (self.opcode.val() == 0x73) & (self.minor.val() != 0) & (self.minor.val() != 4);
        self.is_ecall.next = self.instruction.val() == 0x0000_0073;
        self.is_ebreak.next = self.instruction.val() == 0x0010_0073;
        self.is_mret.next = self.instruction.val() == 0x3020_0073;
        self.is_wfi.next = self.instruction.val() == 0x1050_0073;

        // Immediates.
        self.sign.next = 0.into();
        if self.instruction.val().get_bit(31) {
            self.sign.next = self.ones.val();
        }
        self.format_i.next = bit_cast::<32, 11>(self.instruction.val().get_bits::<11>(20)) | (self.sign.val() << 11);
        self.format_s.next = bit_cast::<32, 5>(self.instruction.val().get_bits::<5>(7))
            | (bit_cast::<32, 6>(self.instruction.val().get_bits::<6>(25)) << 5)
            | (self.sign.val() << 11);
        self.format_b.next = (bit_cast::<32, 4>(self.instruction.val().get_bits::<4>(8)) << 1)
            | (bit_cast::<32, 6>(self.instruction.val().get_bits::<6>(25)) << 5)
            | (bit_cast::<32, 1>(self.instruction.val().get_bits::<1>(7)) << 11)
            | (self.sign.val() << 12);
        self.format_j.next = (bit_cast::<32, 10>(self.instruction.val().get_bits::<10>(21)) << 1)
            | (bit_cast::<32, 1>(self.instruction.val().get_bits::<1>(20)) << 11)
            | (bit_cast::<32, 8>(self.instruction.val().get_bits::<8>(12)) << 12)
            | (self.sign.val() << 20);
        // The opcode alone selects: for words that are no instruction the immediate means nothing.
        self.chosen.next = self.format_i.val();
        if self.instruction.val().get_bits::<3>(2) == 5 {
            self.chosen.next = self.instruction.val() & self.upper_mask.val();
        } else if self.instruction.val().get_bits::<5>(2) == 8 {
            self.chosen.next = self.format_s.val();
        } else if self.instruction.val().get_bits::<5>(2) == 24 {
            self.chosen.next = self.format_b.val();
        } else if self.instruction.val().get_bits::<5>(2) == 27 {
            self.chosen.next = self.format_j.val();
        }

        // For `addi`, which has no bit 5, bit 30 belongs to the immediate.
        self.is_subtracting.next =
            self.minor.val().any() | (self.instruction.val().get_bit(30) & self.instruction.val().get_bit(5));
        self.is_writing.next =
            self.is_csr.val() & (!self.instruction.val().get_bit(13) | self.instruction.val().get_bits::<5>(15).any());
        self.has_rd.next = self.instruction.val().get_bits::<5>(7).any();

        self.kept.d.next = self.kept.q.val();
        self.kept_immediate.d.next = self.kept_immediate.q.val();
        if self.take.val() {
            self.kept_immediate.d.next = self.chosen.val();
            self.kept.d.next = bit_cast::<20, 1>(self.is_op.val().into())
                | (bit_cast::<20, 1>(self.is_immediate.val().into()) << 1)
                | (bit_cast::<20, 1>(self.is_muldiv.val().into()) << 2)
                | (bit_cast::<20, 1>(self.is_load.val().into()) << 3)
                | (bit_cast::<20, 1>(self.is_store.val().into()) << 4)
                | (bit_cast::<20, 1>(self.is_branch.val().into()) << 5)
                | (bit_cast::<20, 1>(self.is_jal.val().into()) << 6)
                | (bit_cast::<20, 1>(self.is_jalr.val().into()) << 7)
                | (bit_cast::<20, 1>(self.is_lui.val().into()) << 8)
                | (bit_cast::<20, 1>(self.is_auipc.val().into()) << 9)
                | (bit_cast::<20, 1>(self.is_csr.val().into()) << 10)
                | (bit_cast::<20, 1>(self.is_ecall.val().into()) << 11)
                | (bit_cast::<20, 1>(self.is_ebreak.val().into()) << 12)
                | (bit_cast::<20, 1>(self.is_mret.val().into()) << 13)
                | (bit_cast::<20, 1>(self.is_wfi.val().into()) << 14)
                | (bit_cast::<20, 1>(self.is_subtracting.val().into()) << 15)
                | (bit_cast::<20, 1>(self.is_writing.val().into()) << 16)
                | (bit_cast::<20, 1>(self.has_rd.val().into()) << 17)
                | (bit_cast::<20, 1>(self.is_fence.val().into()) << 18)
                | (bit_cast::<20, 1>(self.is_pair.val().into()) << 19);
        }
        self.immediate.next = self.kept_immediate.q.val();
        self.register_op.next = self.kept.q.val().get_bit(0);
        self.immediate_op.next = self.kept.q.val().get_bit(1);
        self.muldiv.next = self.kept.q.val().get_bit(2);
        self.load.next = self.kept.q.val().get_bit(3);
        self.store.next = self.kept.q.val().get_bit(4);
        self.branch.next = self.kept.q.val().get_bit(5);
        self.jal.next = self.kept.q.val().get_bit(6);
        self.jalr.next = self.kept.q.val().get_bit(7);
        self.lui.next = self.kept.q.val().get_bit(8);
        self.auipc.next = self.kept.q.val().get_bit(9);
        self.csr.next = self.kept.q.val().get_bit(10);
        self.ecall.next = self.kept.q.val().get_bit(11);
        self.ebreak.next = self.kept.q.val().get_bit(12);
        self.mret.next = self.kept.q.val().get_bit(13);
        self.wfi.next = self.kept.q.val().get_bit(14);
        self.subtracts.next = self.kept.q.val().get_bit(15);
        self.writes_csr.next = self.kept.q.val().get_bit(16);
        self.pair.next = self.kept.q.val().get_bit(19);

        // What is in no class is found out here, behind the register: the word comes late.
        self.is_link.next = self.kept.q.val().get_bit(6) | self.kept.q.val().get_bit(7);
        self.computes.next =
            self.kept.q.val().get_bits::<4>(0).any() | self.is_link.val() | self.kept.q.val().get_bits::<3>(8).any();
        self.link.next = self.is_link.val();
        self.writes_rd.next = self.kept.q.val().get_bit(17) & self.computes.val();
        self.illegal.next = !(self.computes.val()
            | self.kept.q.val().get_bits::<2>(4).any()
            | self.kept.q.val().get_bits::<4>(11).any()
            | self.kept.q.val().get_bit(18));
    }
}
