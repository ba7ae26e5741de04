//! What goes on an FPGA: the machine, its trace port on a serial line, and lights. Knows no vendor: pads and PLLs go around it.

mod frames;
mod lights;
#[cfg(test)]
mod tests;

use rust_hdl::prelude::*;
use testbed_definitions::{link, map};
use testbed_machine::Machine as Description;

pub use frames::{fits, FrameSender, BIT_CYCLES_MIN};
pub use lights::{Beat, Light};

use crate::machine::{on_big_stack, Machine, MachineError};
use crate::support::verilog::connected_verilog;
use crate::with_processors;

/// Name of the module that [`verilog`] makes.
pub const TOP: &str = "board";

/// What a board adds to a machine's description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// First content of every processor's RAM: a file for `$readmemh`, a word of 8 hexadecimal digits a line, from the RAM's first word on. Zeros without.
    pub image: Option<String>,
    /// Bits a second of the link.
    pub link_baud: u32,
    /// The MMI's queue and the trace port's are made of LUT RAM, which iCE40 does not have, instead of one block RAM each.
    pub queues_in_luts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { image: None, link_baud: link::BAUD, queues_in_luts: false }
    }
}

/// Machines that need every block RAM of their board for their processors and SMIs: six of 64 KiB in 208 blocks of 2 KiB.
const FULL: &[&str] = &["ulx3s-85f"];

impl Options {
    /// What suits the board that `machine` is meant for, with RAM all zero.
    pub fn of(machine: &Description) -> Self {
        let full = machine.board.as_deref().is_some_and(|board| FULL.contains(&board));
        Options { queues_in_luts: full, ..Options::default() }
    }
}

/// The machine of `N` processors with what every board has around it.
///
/// ```text
///              +----------+
///       rx --->|          |---> tx, rts   (console of the master)
///              | Board<N> |---> link      (serial: the trace port's frames)
///    clock --->|          |---> leds [8]
///              +----------+
/// ```
///
/// | light | lit while |
/// |---|---|
/// | 0 | (blinks, four times a second: the clock runs) |
/// | 1 | the link sends |
/// | 2, 3 | a character is on the console's line out, in |
/// | 4 | the trace port is full, so pairs wait in the SMIs' queues |
/// | 5 to 7 | never |
///
/// Lights 1 to 4 are lit for a beat, a sixteenth of a second, after a beat in which there was cause to. There is no reset: registers and RAM start as configured.
#[derive(LogicBlock)]
pub struct Board<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub rts: Signal<Out, Bit>,
    pub link: Signal<Out, Bit>,
    pub leds: Signal<Out, Bits<8>>,

    pub machine: Machine<N>,
    pub frames: FrameSender,
    beat: Beat,
    sending: Light,
    console_out: Light,
    console_in: Light,
    full: Light,
    blink: Signal<Local, Bits<8>>,
    reset_vector: Constant<Bits<32>>,
}

impl<const N: usize> Board<N> {
    /// The board's machine.
    ///
    /// # Panics
    /// As [`Machine::new`] and [`FrameSender::new`].
    pub fn new(description: &Description, options: &Options) -> Self {
        let mut machine = Machine::new(description);
        if let Some(image) = &options.image {
            machine.processors.iter_mut().for_each(|processor| processor.ram.set_image(image));
        }
        if options.queues_in_luts {
            machine.mmi.queue_in_luts();
            machine.port.queue_in_luts();
        }
        Self {
            clock: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            rts: Default::default(),
            link: Default::default(),
            leds: Default::default(),
            machine,
            frames: FrameSender::new(description.clock_hz, options.link_baud),
            beat: Beat::new(description.clock_hz),
            sending: Default::default(),
            console_out: Default::default(),
            console_in: Default::default(),
            full: Default::default(),
            blink: Default::default(),
            reset_vector: Constant::new(u64::from(map::RAM_BASE).into()),
        }
    }
}

impl<const N: usize> Logic for Board<N> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, machine, frames, beat, sending, console_out, console_in, full);
        self.machine.reset_vector.next = self.reset_vector.val();
        self.machine.rx.next = self.rx.val();
        self.tx.next = self.machine.tx.val();
        self.rts.next = self.machine.rts.val();
        self.machine.trace_ready.next = self.frames.ready.val();
        self.frames.valid.next = self.machine.trace_valid.val();
        self.frames.word.next = self.machine.trace_word.val();
        self.link.next = self.frames.line.val();

        self.sending.beat.next = self.beat.beat.val();
        self.console_out.beat.next = self.beat.beat.val();
        self.console_in.beat.next = self.beat.beat.val();
        self.full.beat.next = self.beat.beat.val();
        self.sending.on.next = self.frames.sending.val();
        self.console_out.on.next = !self.machine.tx.val();
        self.console_in.on.next = !self.rx.val();
        self.full.on.next = self.machine.trace_full.val();
        self.blink.next = 0.into();
        if self.beat.half.val() {
            self.blink.next = 1.into();
        }
        self.leds.next = self.blink.val()
            | (bit_cast::<8, 1>(self.sending.lit.val()) << 1)
            | (bit_cast::<8, 1>(self.console_out.lit.val()) << 2)
            | (bit_cast::<8, 1>(self.console_in.lit.val()) << 3)
            | (bit_cast::<8, 1>(self.full.lit.val()) << 4);
    }
}

/// The board's Verilog; its top module is [`TOP`].
///
/// # Errors
/// As [`crate::machine::verilog`], or the clock is too slow or too fast for the link.
pub fn verilog(description: &Description, options: &Options) -> Result<String, MachineError> {
    let (clock_hz, baud) = (description.clock_hz, options.link_baud);
    if !fits(clock_hz, baud) {
        return Err(MachineError::Link { name: description.name.clone(), baud, clock_hz });
    }
    let (description, options) = (description.clone(), options.clone());
    let text = on_big_stack(move || {
        let processors = description.processors.len();
        let text = with_processors!(processors, N => connected_verilog(Board::<N>::new(&description, &options))?);
        text.ok_or_else(|| MachineError::Processors { name: description.name.clone(), processors })
    })??;
    Ok(renamed(&text))
}

/// `text` with its top module called [`TOP`], and the others after it.
fn renamed(text: &str) -> String {
    let old = crate::support::verilog::TOP;
    text.replace(&format!("module {old}("), &format!("module {TOP}(")).replace(&format!("{old}$"), &format!("{TOP}$"))
}
