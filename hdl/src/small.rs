//! A machine whose master is no processor, for FPGAs that hold one processor only.

use rust_hdl::prelude::*;
use testbed_machine::Machine as Description;

use crate::centrenet::{Phase, Strobe};
use crate::monitor::{GlobalClock, Link, Mmi, MmiConfig, Smi, TracePort};
use crate::processor::Processor;

/// The *headless* machine: one slave with its SMI, the MMI, the trace port. No master, so no Centrenet, and nobody programs the MMI.
///
/// ```text
///                   +-------+
///  reset_vector --->|       |---> tx             (console of the slave)
///            rx --->| Small |---> rts
///   trace_ready --->|       |---> trace_valid
///         clock --->|       |---> trace_word [20]
///                   |       |---> trace_full
///                   +-------+
///
///   link <-- port <-- mmi <== monitoring bus == smi[0] -- processors[0]
/// ```
///
/// The slave is processor 1 of the description, and its SMI has number 1, as in every machine. What the MMI's registers hold after
/// reset stays. The Centrenet station's addresses read as 0.
#[derive(LogicBlock)]
pub struct Small {
    pub clock: Signal<In, Clock>,
    /// First pc, constant.
    pub reset_vector: Signal<In, Bits<32>>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub rts: Signal<Out, Bit>,
    /// As of [`crate::machine::Machine`].
    pub trace_valid: Signal<Out, Bit>,
    pub trace_word: Signal<Out, Bits<20>>,
    pub trace_ready: Signal<In, Bit>,
    pub trace_full: Signal<Out, Bit>,

    pub processors: [Processor; 1],
    pub smi: [Smi; 1],
    pub mmi: Mmi,
    pub port: TracePort,
    link: Link,
    strobe: Strobe,
    global_clock: GlobalClock,

    number: Constant<Bits<4>>,
    stations: Constant<Bits<8>>,
}

impl Small {
    /// The machine that `description` describes.
    ///
    /// # Panics
    /// If `description` is not headless, or was not validated.
    pub fn new(description: &Description) -> Self {
        assert!(description.headless && description.processors.len() == 2, "machine {} has a master", description.name);
        Self {
            clock: Default::default(),
            reset_vector: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            rts: Default::default(),
            trace_valid: Default::default(),
            trace_word: Default::default(),
            trace_ready: Default::default(),
            trace_full: Default::default(),
            processors: [Processor::new(description.ram_bytes, description.clock_hz, 2, false)],
            smi: [Smi::new(description.smi_queue)],
            mmi: Mmi::new(MmiConfig::of(description)),
            port: TracePort::new(description.port_queue),
            link: Link::new(description.port_cycles),
            strobe: Default::default(),
            global_clock: Default::default(),
            number: Constant::new(1u64.into()),
            stations: Constant::new(2u64.into()),
        }
    }
}

impl Logic for Small {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, strobe, global_clock, mmi, port, link);

        // The slave: console, SMI. Nobody is on its bus.
        self.processors[0].clock.next = self.clock.val();
        self.processors[0].reset_vector.next = self.reset_vector.val();
        self.processors[0].number.next = self.number.val();
        self.processors[0].stations.next = self.stations.val();
        self.processors[0].strobe.next = self.strobe.strobe.val();
        self.processors[0].grant.next = false;
        self.processors[0].phase.next = Phase::Idle;
        self.processors[0].word.next = 0.into();
        self.processors[0].rx.next = self.rx.val();
        self.tx.next = self.processors[0].tx.val();
        self.rts.next = self.processors[0].rts.val();
        self.processors[0].has_smi.next = true;
        self.processors[0].has_mmi.next = false;
        self.processors[0].mmi_rdata.next = 0.into();
        self.processors[0].smi_rdata.next = self.smi[0].rdata.val();
        self.processors[0].smi_stall.next = self.smi[0].stall.val();
        self.smi[0].clock.next = self.clock.val();
        self.smi[0].strobe.next = self.strobe.strobe.val();
        self.smi[0].select.next = self.processors[0].smi_select.val();
        self.smi[0].address.next = self.processors[0].address.val();
        self.smi[0].read.next = self.processors[0].read.val();
        self.smi[0].write.next = self.processors[0].write.val();
        self.smi[0].wdata.next = self.processors[0].wdata.val();

        // The monitoring bus.
        self.smi[0].stamp.next = self.global_clock.stamp.val();
        self.smi[0].wraps.next = self.global_clock.wraps.val();
        self.smi[0].wrapped.next = self.global_clock.wrapped.val();
        self.smi[0].ticked.next = self.global_clock.ticked.val();
        self.smi[0].bus_select.next = self.mmi.bus_select[1].val();
        self.smi[0].bus_datum.next = self.mmi.bus_datum.val();
        self.smi[0].bus_take.next = self.mmi.bus_take[1].val();
        self.smi[0].bus_command.next = self.mmi.bus_command[1].val();
        self.smi[0].bus_number.next = self.mmi.bus_number.val();
        self.smi[0].bus_value.next = self.mmi.bus_value.val();
        self.mmi.bus_ready[0].next = false;
        self.mmi.bus_data[0].next = 0.into();
        self.mmi.bus_key[0].next = 0.into();
        self.mmi.bus_ready[1].next = self.smi[0].bus_ready.val();
        self.mmi.bus_data[1].next = self.smi[0].bus_data.val();
        self.mmi.bus_key[1].next = self.smi[0].bus_key.val();

        // The MMI, which nobody programs, and the trace port.
        self.mmi.strobe.next = self.strobe.strobe.val();
        self.mmi.select.next = false;
        self.mmi.address.next = 0.into();
        self.mmi.read.next = false;
        self.mmi.write.next = false;
        self.mmi.wdata.next = 0.into();
        self.global_clock.tick_cycles.next = self.mmi.tick_cycles.val();
        self.mmi.stamp.next = self.global_clock.stamp.val();
        self.mmi.wraps.next = self.global_clock.wraps.val();
        self.port.valid.next = self.mmi.trace_valid.val();
        self.port.word.next = self.mmi.trace_word.val();
        self.mmi.port_room.next = self.port.room.val();
        self.trace_full.next = !self.port.room.val();
        self.link.valid.next = self.port.trace_valid.val() & self.trace_ready.val();
        self.port.trace_ready.next = self.link.ready.val() & self.trace_ready.val();
        self.trace_valid.next = self.port.trace_valid.val() & self.link.ready.val() & self.trace_ready.val();
        self.trace_word.next = self.port.trace_word.val();
    }
}
