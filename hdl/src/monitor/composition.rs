//! One clock, the SMIs, the MMI and the trace port of a machine, connected: the pattern for the
//! machine, and what tests drive.

use super::{GlobalClock, Link, Mmi, MmiConfig, Smi, TracePort};
use crate::ports;
use crate::support::ports::{drive, driven, observed, width, Input, Output, Ports};
use rust_hdl::prelude::*;

/// The monitor of a machine with four processors: three SMIs (at index 0 to 2, numbered 1 to 3), the MMI and the
/// trace port with its link.
///
/// Every device port comes out: SMI `i` has entry `i` of the `smi_` arrays, the MMI those with `mmi_`.
#[derive(LogicBlock)]
pub struct MonitorBench {
    pub clock: Signal<In, Clock>,
    pub strobe: Signal<In, Bit>,
    pub smi_select: [Signal<In, Bit>; 3],
    pub smi_address: [Signal<In, Bits<16>>; 3],
    pub smi_read: [Signal<In, Bit>; 3],
    pub smi_write: [Signal<In, Bit>; 3],
    pub smi_wdata: [Signal<In, Bits<32>>; 3],
    pub smi_rdata: [Signal<Out, Bits<32>>; 3],
    pub smi_stall: [Signal<Out, Bit>; 3],
    pub mmi_select: Signal<In, Bit>,
    pub mmi_address: Signal<In, Bits<16>>,
    pub mmi_read: Signal<In, Bit>,
    pub mmi_write: Signal<In, Bit>,
    pub mmi_wdata: Signal<In, Bits<32>>,
    pub mmi_rdata: Signal<Out, Bits<32>>,
    /// A word goes to the link.
    pub trace_valid: Signal<Out, Bit>,
    pub trace_word: Signal<Out, Bits<20>>,
    global_clock: GlobalClock,
    smi: [Smi; 3],
    mmi: Mmi,
    port: TracePort,
    link: Link,
}

impl MonitorBench {
    /// With SMI queues of `smi_queue` entries, a port for `port_queue` words and a link that takes
    /// one every `port_cycles` cycles.
    pub fn new(smi_queue: u32, mmi: MmiConfig, (port_queue, port_cycles): (u32, u32)) -> Self {
        Self {
            clock: Default::default(),
            strobe: Default::default(),
            smi_select: Default::default(),
            smi_address: Default::default(),
            smi_read: Default::default(),
            smi_write: Default::default(),
            smi_wdata: Default::default(),
            smi_rdata: Default::default(),
            smi_stall: Default::default(),
            mmi_select: Default::default(),
            mmi_address: Default::default(),
            mmi_read: Default::default(),
            mmi_write: Default::default(),
            mmi_wdata: Default::default(),
            mmi_rdata: Default::default(),
            trace_valid: Default::default(),
            trace_word: Default::default(),
            global_clock: Default::default(),
            smi: std::array::from_fn(|_| Smi::new(smi_queue)),
            mmi: Mmi::new(mmi),
            port: TracePort::new(port_queue),
            link: Link::new(port_cycles),
        }
    }
}

impl Logic for MonitorBench {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, global_clock, mmi, port, link);
        self.global_clock.tick_cycles.next = self.mmi.tick_cycles.val();

        self.mmi.strobe.next = self.strobe.val();
        self.mmi.select.next = self.mmi_select.val();
        self.mmi.address.next = self.mmi_address.val();
        self.mmi.read.next = self.mmi_read.val();
        self.mmi.write.next = self.mmi_write.val();
        self.mmi.wdata.next = self.mmi_wdata.val();
        self.mmi_rdata.next = self.mmi.rdata.val();
        self.mmi.stamp.next = self.global_clock.stamp.val();
        self.mmi.wraps.next = self.global_clock.wraps.val();
        self.port.valid.next = self.mmi.trace_valid.val();
        self.port.word.next = self.mmi.trace_word.val();
        self.mmi.port_room.next = self.port.room.val();
        self.link.valid.next = self.port.trace_valid.val();
        self.port.trace_ready.next = self.link.ready.val();
        self.trace_valid.next = self.port.trace_valid.val() & self.link.ready.val();
        self.trace_word.next = self.port.trace_word.val();

        // Entry 0 of the MMI's arrays belongs to the master, which has no SMI.
        self.mmi.bus_ready[0].next = false;
        self.mmi.bus_data[0].next = 0.into();
        self.mmi.bus_key[0].next = 0.into();
        for i in 0..3 {
            self.smi[i].clock.next = self.clock.val();
            self.smi[i].strobe.next = self.strobe.val();
            self.smi[i].select.next = self.smi_select[i].val();
            self.smi[i].address.next = self.smi_address[i].val();
            self.smi[i].read.next = self.smi_read[i].val();
            self.smi[i].write.next = self.smi_write[i].val();
            self.smi[i].wdata.next = self.smi_wdata[i].val();
            self.smi_rdata[i].next = self.smi[i].rdata.val();
            self.smi_stall[i].next = self.smi[i].stall.val();

            self.smi[i].stamp.next = self.global_clock.stamp.val();
            self.smi[i].wraps.next = self.global_clock.wraps.val();
            self.smi[i].wrapped.next = self.global_clock.wrapped.val();
            self.smi[i].ticked.next = self.global_clock.ticked.val();

            self.mmi.bus_ready[i + 1].next = self.smi[i].bus_ready.val();
            self.mmi.bus_data[i + 1].next = self.smi[i].bus_data.val();
            self.mmi.bus_key[i + 1].next = self.smi[i].bus_key.val();
            self.smi[i].bus_select.next = self.mmi.bus_select[i + 1].val();
            self.smi[i].bus_datum.next = self.mmi.bus_datum.val();
            self.smi[i].bus_take.next = self.mmi.bus_take[i + 1].val();
            self.smi[i].bus_command.next = self.mmi.bus_command[i + 1].val();
            self.smi[i].bus_number.next = self.mmi.bus_number.val();
            self.smi[i].bus_value.next = self.mmi.bus_value.val();
        }
    }
}

/// The ports of entry `$i` of the SMIs' arrays, named as in Verilog.
macro_rules! smi_ports {
    ($bench:ident, $inputs:ident, $outputs:ident, $($i:literal)*) => {$(
        smi_ports!(@in $bench, $inputs, $i, smi_select smi_address smi_read smi_write smi_wdata);
        smi_ports!(@out $bench, $outputs, $i, smi_rdata smi_stall);
    )*};
    (@in $bench:ident, $ports:ident, $i:literal, $($name:ident)*) => {$(
        $ports.push(Input {
            name: concat!(stringify!($name), "$", $i),
            width: width(&$bench.$name[$i]),
            get: |bench| driven(&bench.$name[$i]),
            set: |bench, word| drive(&mut bench.$name[$i], word),
        });
    )*};
    (@out $bench:ident, $ports:ident, $i:literal, $($name:ident)*) => {$(
        $ports.push(Output {
            name: concat!(stringify!($name), "$", $i),
            width: width(&$bench.$name[$i]),
            get: |bench| observed(&bench.$name[$i]),
        });
    )*};
}

impl MonitorBench {
    /// All ports, for harnesses: the strobe, the MMI's, then those of each SMI.
    pub fn ports(&self) -> Ports<Self> {
        let bench = self;
        let mut ports = ports!(bench: MonitorBench, clock: clock,
            inputs: [strobe, mmi_select, mmi_address, mmi_read, mmi_write, mmi_wdata],
            outputs: [mmi_rdata, trace_valid, trace_word]);
        let (inputs, outputs) = (&mut ports.inputs, &mut ports.outputs);
        smi_ports!(bench, inputs, outputs, 0 1 2);
        ports
    }
}
