//! Byte lanes of loads and stores.

use rust_hdl::prelude::*;

/// Replicates store data over the lanes, extracts load data, checks alignment; combinational.
///
/// ```text
///   offset (address 2:0)  +---------+-> store_data, mask
///   width (funct3)        |  Lanes  |-> load_data
///   stored, word  ------->+---------+-> misaligned
/// ```
#[derive(LogicBlock)]
pub struct Lanes {
    pub offset: Signal<In, Bits<3>>,
    /// `funct3` of the load or store: bits 1:0 the size (0 byte, 1 half, 2 word, 3 pair of words,
    /// each of which is as a word), bit 2 "unsigned".
    pub width: Signal<In, Bits<3>>,
    /// The register to be stored.
    pub stored: Signal<In, Bits<32>>,
    /// The whole word that a load read.
    pub word: Signal<In, Bits<32>>,
    /// `stored`, replicated: four times the byte or twice the half.
    pub store_data: Signal<Out, Bits<32>>,
    /// Lanes that the access touches.
    pub mask: Signal<Out, Bits<4>>,
    pub load_data: Signal<Out, Bits<32>>,
    pub misaligned: Signal<Out, Bit>,
    stored_byte: Signal<Local, Bits<8>>,
    stored_half: Signal<Local, Bits<16>>,
    byte_data: Signal<Local, Bits<8>>,
    half_data: Signal<Local, Bits<16>>,
    spread: Signal<Local, Bits<32>>,
    lanes: Signal<Local, Bits<4>>,
    extracted: Signal<Local, Bits<32>>,
    odd: Signal<Local, Bit>,
    above_byte: Constant<Bits<32>>,
    above_half: Constant<Bits<32>>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            offset: Default::default(),
            width: Default::default(),
            stored: Default::default(),
            word: Default::default(),
            store_data: Default::default(),
            mask: Default::default(),
            load_data: Default::default(),
            misaligned: Default::default(),
            stored_byte: Default::default(),
            stored_half: Default::default(),
            byte_data: Default::default(),
            half_data: Default::default(),
            spread: Default::default(),
            lanes: Default::default(),
            extracted: Default::default(),
            odd: Default::default(),
            above_byte: Constant::new(0xffff_ff00u64.into()),
            above_half: Constant::new(0xffff_0000u64.into()),
        }
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        self.stored_byte.next = self.stored.val().get_bits::<8>(0);
        self.stored_half.next = self.stored.val().get_bits::<16>(0);
        self.spread.next = self.stored.val();
        self.lanes.next = 15.into();
        self.odd.next = self.offset.val().get_bits::<2>(0).any()
            | ((self.width.val().get_bits::<2>(0) == 3) & self.offset.val().get_bit(2));
        if self.width.val().get_bits::<2>(0) == 0 {
            self.spread.next = bit_cast::<32, 8>(self.stored_byte.val())
                | (bit_cast::<32, 8>(self.stored_byte.val()) << 8)
                | (bit_cast::<32, 8>(self.stored_byte.val()) << 16)
                | (bit_cast::<32, 8>(self.stored_byte.val()) << 24);
            self.lanes.next = bits::<4>(1) << self.offset.val().get_bits::<2>(0);
            self.odd.next = false;
        } else if self.width.val().get_bits::<2>(0) == 1 {
            self.spread.next =
                bit_cast::<32, 16>(self.stored_half.val()) | (bit_cast::<32, 16>(self.stored_half.val()) << 16);
            self.lanes.next = 3.into();
            if self.offset.val().get_bit(1) {
                self.lanes.next = 12.into();
            }
            self.odd.next = self.offset.val().get_bit(0);
        }
        self.store_data.next = self.spread.val();
        self.mask.next = self.lanes.val();
        self.misaligned.next = self.odd.val();

        // Loads: choose the half, then the byte of it.
        self.half_data.next = self.word.val().get_bits::<16>(0);
        if self.offset.val().get_bit(1) {
            self.half_data.next = self.word.val().get_bits::<16>(16);
        }
        self.byte_data.next = self.half_data.val().get_bits::<8>(0);
        if self.offset.val().get_bit(0) {
            self.byte_data.next = self.half_data.val().get_bits::<8>(8);
        }
        self.extracted.next = self.word.val();
        if self.width.val().get_bits::<2>(0) == 0 {
            self.extracted.next = bit_cast::<32, 8>(self.byte_data.val());
            if self.byte_data.val().get_bit(7) & !self.width.val().get_bit(2) {
                self.extracted.next = bit_cast::<32, 8>(self.byte_data.val()) | self.above_byte.val();
            }
        } else if self.width.val().get_bits::<2>(0) == 1 {
            self.extracted.next = bit_cast::<32, 16>(self.half_data.val());
            if self.half_data.val().get_bit(15) & !self.width.val().get_bit(2) {
                self.extracted.next = bit_cast::<32, 16>(self.half_data.val()) | self.above_half.val();
            }
        }
        self.load_data.next = self.extracted.val();
    }
}
