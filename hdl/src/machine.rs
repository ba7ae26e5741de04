//! The whole machine: processors, Centrenet bus, monitor.

use rust_hdl::prelude::*;
use testbed_machine::Machine as Description;

use crate::centrenet::{Bus, Phase, Strobe};
use crate::monitor::{GlobalClock, Link, Mmi, MmiConfig, Smi, TracePort};
use crate::processor::Processor;
use crate::support::blocks::Optional;
use crate::support::verilog::{connected_verilog, VerilogError};

/// A Testbed of N processors, 1 to 16. Processor 0 is the master.
///
/// ```text
///                   +---------+
///  reset_vector --->|         |---> tx             (console of the first processor)
///            rx --->| Machine |---> rts
///   trace_ready --->|         |---> trace_valid
///         clock --->|         |---> trace_word [20]
///                   |         |---> trace_full
///                   +---------+
///
///   link <-- port <-- mmi <========== monitoring bus ========+
///             processors[0]                                  |
///        ||                                                  |
///        ||      processors[1] -- smi[0]   ...   processors[N-1] -- smi[N-2]
///        ||            ||                              ||
///     ===++============++== Centrenet bus =============++===
/// ```
///
/// Slave `i` has SMI `i`, at index `i - 1` of `smi`.
///
/// A *headless* machine is the machine without its master, for FPGAs that hold one processor only.
/// Its first slave is `processors[0]` and has the console. There is no Centrenet, so the stations'
/// addresses read as 0. Nobody programs the MMI, whose registers keep their values after reset.
#[derive(LogicBlock)]
pub struct Machine {
    pub clock: Signal<In, Clock>,
    /// First pc of every processor, constant.
    pub reset_vector: Signal<In, Bits<32>>,
    /// Serial line of the first processor's UART.
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    /// The UART has room for a character.
    pub rts: Signal<Out, Bit>,
    /// A word goes to the trace port's link.
    pub trace_valid: Signal<Out, Bit>,
    /// `MmiWord` layout.
    pub trace_word: Signal<Out, Bits<20>>,
    /// Whoever is at the trace port takes words. Always high in simulations; must not depend on `trace_valid`.
    pub trace_ready: Signal<In, Bit>,
    /// The trace port's FIFO has no room.
    pub trace_full: Signal<Out, Bit>,

    pub processors: Vec<Processor>,
    pub smi: Vec<Smi>,
    pub mmi: Mmi,
    pub port: TracePort,
    link: Link,
    strobe: Strobe,
    /// Not in a headless machine.
    bus: Optional<Bus>,
    global_clock: GlobalClock,

    number: Vec<Constant<Bits<4>>>,
    stations: Constant<Bits<8>>,
    /// Masters that are processors: 1, or 0 in a headless machine. The slaves follow in
    /// `processors`.
    _masters: usize,
}

impl Machine {
    /// The machine that `description` describes.
    ///
    /// # Panics
    /// If `description` was not validated.
    pub fn new(description: &Description) -> Self {
        let stations = description.processors.len();
        let (core, ram_bytes, clock_hz) = (description.core, description.ram_bytes, description.clock_hz);
        let processor = |_| Processor::new(core, ram_bytes, clock_hz, stations as u32, !description.headless);
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
            processors: (description.console()..stations).map(processor).collect(),
            smi: (1..stations).map(|_| Smi::new(description.smi_queue)).collect(),
            mmi: Mmi::new(MmiConfig::of(description)),
            port: TracePort::new(description.port_queue),
            link: Link::new(description.port_cycles),
            strobe: Default::default(),
            bus: Optional::when(!description.headless, || Bus::new(stations)),
            global_clock: Default::default(),
            number: (description.console()..stations).map(|i| Constant::new((i as u64).into())).collect(),
            stations: Constant::new((stations as u64).into()),
            _masters: usize::from(!description.headless),
        }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        // What a headless machine lacks, or has instead, stands in loops that run once or not at
        // all.
        clock!(self, clock, strobe);
        for _once in 0..self.bus.count() {
            self.bus.clock.next = self.clock.val();
        }
        clock!(self, clock, global_clock, mmi, port, link);

        // What all processors share, and Centrenet.
        for i in 0..self.processors.len() {
            self.processors[i].clock.next = self.clock.val();
            self.processors[i].reset_vector.next = self.reset_vector.val();
            self.processors[i].number.next = self.number[i].val();
            self.processors[i].stations.next = self.stations.val();
            self.processors[i].strobe.next = self.strobe.strobe.val();
            for _once in 0..self.bus.count() {
                self.processors[i].grant.next = self.bus.grant[i].val();
                self.processors[i].phase.next = self.bus.phase.val();
                self.processors[i].word.next = self.bus.word.val();
                self.processors[i].damaged.next = self.bus.damaged.val();
                self.bus.request[i].next = self.processors[i].request.val();
                self.bus.sent_word[i].next = self.processors[i].sent_word.val();
                self.bus.ack[i].next = self.processors[i].ack.val();
                self.bus.nack[i].next = self.processors[i].nack.val();
            }
            for _once in self.bus.count()..1 {
                self.processors[i].grant.next = false;
                self.processors[i].phase.next = Phase::Idle;
                self.processors[i].word.next = 0.into();
                self.processors[i].damaged.next = false;
            }
        }

        // The console; the master, and the MMI, which has nobody on its device port in a headless
        // machine.
        self.processors[0].rx.next = self.rx.val();
        self.tx.next = self.processors[0].tx.val();
        self.rts.next = self.processors[0].rts.val();
        for master in 0..self._masters {
            self.processors[master].has_smi.next = false;
            self.processors[master].has_mmi.next = true;
            self.processors[master].smi_rdata.next = 0.into();
            self.processors[master].smi_stall.next = false;
            self.processors[master].mmi_rdata.next = self.mmi.rdata.val();
        }
        self.mmi.strobe.next = self.strobe.strobe.val();
        for master in 0..self._masters {
            self.mmi.select.next = self.processors[master].mmi_select.val();
            self.mmi.address.next = self.processors[master].address.val();
            self.mmi.read.next = self.processors[master].read.val();
            self.mmi.write.next = self.processors[master].write.val();
            self.mmi.wdata.next = self.processors[master].wdata.val();
        }
        for _once in self._masters..1 {
            self.mmi.select.next = false;
            self.mmi.address.next = 0.into();
            self.mmi.read.next = false;
            self.mmi.write.next = false;
            self.mmi.wdata.next = 0.into();
        }
        self.mmi.bus_ready[0].next = false;
        self.mmi.bus_data[0].next = 0.into();
        self.mmi.bus_key[0].next = 0.into();
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

        // The slaves, each with its SMI. Serial input that is not the console is idle. `first` is
        // one number, where the slaves begin in `processors`: blocks know no `let`.
        for first in self._masters..(self._masters + 1) {
            for i in 0..self.smi.len() {
                for _idle in 0..self._masters {
                    self.processors[i + first].rx.next = true;
                }
                self.processors[i + first].has_smi.next = true;
                self.processors[i + first].has_mmi.next = false;
                self.processors[i + first].mmi_rdata.next = 0.into();
                self.processors[i + first].smi_rdata.next = self.smi[i].rdata.val();
                self.processors[i + first].smi_stall.next = self.smi[i].stall.val();

                self.smi[i].clock.next = self.clock.val();
                self.smi[i].strobe.next = self.strobe.strobe.val();
                self.smi[i].select.next = self.processors[i + first].smi_select.val();
                self.smi[i].address.next = self.processors[i + first].address.val();
                self.smi[i].read.next = self.processors[i + first].read.val();
                self.smi[i].write.next = self.processors[i + first].write.val();
                self.smi[i].wdata.next = self.processors[i + first].wdata.val();

                self.smi[i].stamp.next = self.global_clock.stamp.val();
                self.smi[i].wraps.next = self.global_clock.wraps.val();
                self.smi[i].wrapped.next = self.global_clock.wrapped.val();
                self.smi[i].ticked.next = self.global_clock.ticked.val();
                self.smi[i].bus_select.next = self.mmi.bus_select[i + 1].val();
                self.smi[i].bus_datum.next = self.mmi.bus_datum.val();
                self.smi[i].bus_take.next = self.mmi.bus_take[i + 1].val();
                self.smi[i].bus_command.next = self.mmi.bus_command[i + 1].val();
                self.smi[i].bus_number.next = self.mmi.bus_number.val();
                self.smi[i].bus_value.next = self.mmi.bus_value.val();
                self.mmi.bus_ready[i + 1].next = self.smi[i].bus_ready.val();
                self.mmi.bus_data[i + 1].next = self.smi[i].bus_data.val();
                self.mmi.bus_key[i + 1].next = self.smi[i].bus_key.val();
            }
        }
    }
}

/// Processors a machine can have.
pub const PROCESSORS_MAX: usize = 16;

/// Why a description has no hardware.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error("machine {name} has {processors} processors; there can be 1 to {PROCESSORS_MAX}")]
    Processors { name: String, processors: usize },
    #[error(
        "machine {name} has a clock of {clock_hz} Hz, which can't send {baud} baud: `clock` has to be {} to {} Hz",
        clocks.start,
        clocks.end - 1
    )]
    Link { name: String, baud: u32, clock_hz: u32, clocks: std::ops::Range<u64> },
    #[error(transparent)]
    Verilog(#[from] VerilogError),
}

/// Whether a machine can have as many processors as `description` has.
pub(crate) fn check_processors(description: &Description) -> Result<(), MachineError> {
    let processors = description.processors.len();
    match (1..=PROCESSORS_MAX).contains(&processors) {
        true => Ok(()),
        false => Err(MachineError::Processors { name: description.name.clone(), processors }),
    }
}

/// The machine's Verilog; its top module is `top`.
///
/// # Errors
/// The number of processors is out of range, or rust-hdl finds a mistake in a block.
pub fn verilog(description: &Description) -> Result<String, MachineError> {
    check_processors(description)?;
    Ok(connected_verilog(Machine::new(description))?)
}

#[cfg(test)]
mod text;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::lint::assert_clean;
    use testbed_machine::Core;

    /// Smallest machine with everything in it.
    fn two() -> Description {
        Description { processors: vec!["a".into(), "b".into()], ram_bytes: 16 * 1024, ..Description::testbed6() }
    }

    #[test]
    fn the_machine_and_all_its_blocks_pass_the_lint() {
        assert_clean(Machine::new(&two()));
    }

    #[test]
    fn verilog_names_every_processor_and_one_smi_a_slave() {
        let text = verilog(&two()).unwrap();
        for module in ["top", "top$processors$0", "top$processors$1$pipeline", "top$smi$0", "top$mmi", "top$bus"] {
            assert!(text.contains(&format!("module {module}(")), "{module}");
        }
        assert!(!text.contains("module top$smi$1("));
    }

    #[test]
    fn one_core_takes_the_place_of_the_other() {
        let multicycle = Description { core: Core::Multicycle, ..two() };
        let text = verilog(&two()).unwrap();
        let first = verilog(&multicycle).unwrap();
        for processor in 0..2 {
            let has = |text: &str, core: &str| text.contains(&format!("module top$processors${processor}${core}("));
            assert!(has(&text, "pipeline") && !has(&text, "core"));
            assert!(has(&first, "core") && !has(&first, "pipeline"));
        }
        assert_clean(Machine::new(&multicycle));
        // All around it is there as before.
        let others = |text: &str| {
            let modules = text.lines().filter(|line| line.starts_with("module "));
            let around = modules.filter(|line| !line.contains("$core") && !line.contains("$pipeline"));
            around.map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(others(&text), others(&first));
    }

    #[test]
    fn a_headless_machine_has_one_processor_and_no_centrenet() {
        let description = Description { headless: true, ..two() };
        let text = verilog(&description).unwrap();
        for module in ["top", "top$processors$0$pipeline", "top$smi$0", "top$mmi", "top$port"] {
            assert!(text.contains(&format!("module {module}(")), "{module}");
        }
        assert!(!text.contains("top$processors$1") && !text.contains("station(") && !text.contains("top$bus"));
        assert_clean(Machine::new(&description));
    }

    #[test]
    fn a_machine_without_processors_is_refused() {
        let error = verilog(&Description { processors: vec![], ..two() }).unwrap_err();
        assert_eq!(error.to_string(), "machine testbed6 has 0 processors; there can be 1 to 16");
    }
}
