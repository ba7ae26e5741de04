//! A machine with its surroundings.

use rust_hdl::prelude::*;
use testbed_definitions::map;
use testbed_machine::Machine as Description;

use super::{Options, Surroundings};
use crate::machine::Machine;

/// The machine with what every board has around it.
///
/// ```text
///              +-------+
///       rx --->|       |---> tx, rts   (console of the first processor)
///              | Board |---> link      (serial: the trace port's frames)
///    clock --->|       |---> leds [8]  (see `Surroundings`)
///              +-------+
/// ```
///
/// There is no reset: registers and RAM start as configured.
#[derive(LogicBlock)]
pub struct Board {
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub rts: Signal<Out, Bit>,
    pub link: Signal<Out, Bit>,
    pub leds: Signal<Out, Bits<8>>,

    pub machine: Machine,
    pub around: Surroundings,
    reset_vector: Constant<Bits<32>>,
}

impl Board {
    /// The board's machine.
    ///
    /// # Panics
    /// As [`Machine::new`] and [`Surroundings::new`].
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
            around: Surroundings::new(description, options),
            reset_vector: Constant::new(u64::from(map::RAM_BASE).into()),
        }
    }
}

impl Logic for Board {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, machine, around);
        self.machine.reset_vector.next = self.reset_vector.val();
        self.machine.rx.next = self.rx.val();
        self.tx.next = self.machine.tx.val();
        self.rts.next = self.machine.rts.val();
        self.machine.trace_ready.next = self.around.trace_ready.val();
        self.around.trace_valid.next = self.machine.trace_valid.val();
        self.around.trace_word.next = self.machine.trace_word.val();
        self.around.trace_full.next = self.machine.trace_full.val();
        self.around.rx.next = self.rx.val();
        self.around.tx.next = self.machine.tx.val();
        self.link.next = self.around.link.val();
        self.leds.next = self.around.leds.val();
    }
}
