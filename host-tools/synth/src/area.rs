//! Area and speed of single blocks and of other cores, all measured alike: mapped alone for the
//! area; between registers for the speed.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testbed_definitions::map;
use testbed_hdl::centrenet::Station;
use testbed_hdl::core::Core;
use testbed_hdl::monitor::{Mmi, MmiConfig, Smi};
use testbed_hdl::pipeline::Pipeline;
use testbed_hdl::processor::Processor;
use testbed_hdl::support::synthesis::{count, Cells, Family};
use testbed_hdl::support::verilog::{connected_verilog, VerilogError, TOP};
use testbed_machine::Machine;

use super::flow::PLAIN;
use super::step::{Watcher, Work};
use super::tools::Tool;
use super::{report, report::Use, SynthError};
use crate::peers::{self, Peer};

/// Slaves of the machine whose MMI is measured: all of the report's.
const PROCESSORS: usize = 6;

/// Something to measure.
pub struct Subject {
    pub name: String,
    /// The name of the module that is measured.
    top: &'static str,
    clock: &'static str,
    verilog: String,
    /// Values of its parameters.
    parameters: Vec<(&'static str, u32)>,
    /// Ports that are there for simulation only, so that no bitstream has what drives them; `*` stands for anything.
    unconnected: &'static [&'static str],
    /// Inputs that a machine ties to a value that never changes, each with it as a constant of the input's width in
    /// Verilog: what other cores have as parameters.
    tied: Vec<(&'static str, String)>,
    /// It has memory with two write ports, for which iCE40 has no block RAM.
    two_ports: bool,
}

/// Area and clock of a subject on a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub cells: Cells,
    /// MHz, by seed from 1; none if the device has no room for it.
    pub fmax: Vec<f64>,
}

/// The blocks of a processor's machine, from the inside out, as `machine` describes them.
///
/// # Errors
/// rust-hdl finds a mistake in a block.
pub fn blocks(machine: &Machine) -> Result<Vec<Subject>, VerilogError> {
    let config = MmiConfig { processors: PROCESSORS, ..MmiConfig::of(machine) };
    let processor = Processor::new(machine.core, machine.ram_bytes, machine.clock_hz, PROCESSORS as u32, true);
    let subject = |name: &str, verilog: String| Subject::new(name, TOP, "clock", verilog);
    // Where it starts, the size of its RAM, and that its device is an SMI.
    let word = |value: u32| format!("32'd{value}");
    let tied = vec![
        ("reset_vector", word(map::RAM_BASE)),
        ("ram_mask", word(machine.ram_bytes - 1)),
        ("has_smi", "1'b1".into()),
        ("has_mmi", "1'b0".into()),
    ];
    let core = |name: &str, verilog: String| Subject {
        unconnected: &["retire_*"],
        tied: tied.clone(),
        ..subject(name, verilog)
    };
    Ok(vec![
        core("core", connected_verilog(Core::default())?),
        core("core, pipelined", connected_verilog(Pipeline::default())?),
        subject("station of Centrenet", connected_verilog(Station::default())?),
        subject("SMI", connected_verilog(Smi::new(machine.smi_queue))?),
        subject("MMI of six processors", connected_verilog(Mmi::new(config))?),
        Subject {
            two_ports: true,
            ..subject("processor (core, RAM, station, UART, CLINT)", connected_verilog(processor)?)
        },
    ])
}

/// Other cores, from PyPI.
///
/// # Errors
/// They can't be had.
pub fn peers(root: &Path) -> Result<Vec<Subject>, SynthError> {
    let all = [Peer::PicoRv32Fast, Peer::PicoRv32Small, Peer::VexRiscvLite, Peer::VexRiscv];
    let subject = |peer: Peer| {
        let path = peers::source(root, peer)?;
        let verilog = fs::read_to_string(&path).map_err(|source| SynthError::Io { path, source })?;
        let fast = u32::from(peer == Peer::PicoRv32Fast);
        let (top, parameters) = match peer {
            Peer::PicoRv32Fast | Peer::PicoRv32Small => {
                let options = [("BARREL_SHIFTER", fast), ("ENABLE_FAST_MUL", fast), ("ENABLE_MUL", 1 - fast)];
                ("picorv32", [options.as_slice(), &[("ENABLE_DIV", 1)]].concat())
            }
            Peer::VexRiscvLite | Peer::VexRiscv => ("VexRiscv", vec![]),
        };
        // Their formal and trace ports are off unless parameters and macros ask for them.
        Ok(Subject { parameters, ..Subject::new(peer.name(), top, "clk", verilog) })
    };
    all.into_iter().map(subject).collect()
}

/// What nextpnr is told of a family's device, on which pins are free, and where to put what is placed.
const fn device(family: Family) -> &'static [&'static str] {
    match family {
        Family::Ecp5 => &["--85k", "--package", "CABGA381", "--lpf-allow-unconstrained", "--textcfg", "placed"],
        Family::Ice40 => &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained", "--asc", "placed"],
    }
}

/// MHz that are asked for, so that all are pressed alike.
const WANTED: &str = "100";

impl Subject {
    /// The module `top`, without parameters, all of whose ports count.
    fn new(name: &str, top: &'static str, clock: &'static str, verilog: impl Into<String>) -> Self {
        let (parameters, unconnected, tied, two_ports) = (vec![], &[], vec![], false);
        Subject { name: name.into(), top, clock, verilog: verilog.into(), parameters, unconnected, tied, two_ports }
    }

    /// Whether the family has the memory for it.
    pub fn fits(&self, family: Family) -> bool {
        family == Family::Ecp5 || !self.two_ports
    }

    /// Maps the subject, then places and routes it with `seeds` seeds. `folder` is for its files.
    ///
    /// # Errors
    /// A tool is missing or fails, otherwise than for want of room.
    pub fn measure(
        &self,
        family: Family,
        seeds: u32,
        (root, folder): (&Path, &Path),
        watch: &Watcher,
    ) -> Result<Measured, SynthError> {
        let work = |tool: Tool, arguments: &[&str]| {
            let arguments = arguments.iter().map(std::ffi::OsString::from).collect();
            Work { tool, root, folder, label: "", arguments, pipe: None }.run(watch)
        };
        let path = |name: &str| folder.join(name);
        let write = |name: &str, text: &str| {
            fs::write(path(name), text).map_err(|source| SynthError::Io { path: path(name), source })
        };
        let read =
            |name: &str| fs::read_to_string(path(name)).map_err(|source| SynthError::Io { path: path(name), source });
        write("subject.v", &self.verilog)?;
        work(Tool::Yosys, &["-q", "-p", &self.alone(family)])?;
        let unread = |error: &dyn std::fmt::Display| SynthError::Report("yosys' output".into(), error.to_string());
        let cells = count(&read("cells.json")?, family).map_err(|error| unread(&error))?;
        let ports = ports(&read("ports.json")?, self.top).map_err(|error| unread(&error))?;
        write("wrapper.v", &self.wrapper(&ports))?;
        let map = family.mapping();
        let wrapped =
            format!("read_verilog subject.v wrapper.v; {map} -top {WRAPPER}; {PLAIN}; write_json mapped.json");
        work(Tool::Yosys, &["-q", "-p", &wrapped])?;
        let mut fmax = Vec::new();
        for seed in 1..=seeds {
            let seed = seed.to_string();
            let arguments = ["--json", "mapped.json", "--freq", WANTED, "--timing-allow-fail"];
            let seeded = ["--seed", &seed, "--report", "report.json"];
            match work(Tool::router(family), &[device(family), &arguments, &seeded].concat()) {
                Err(error) if report::used_at_failure(&error).iter().any(Use::is_over) => break,
                done => done?,
            };
            let routed = report::read(&read("report.json")?)?;
            fmax.push(routed.fmax("clock").ok_or_else(|| unread(&"no clock in nextpnr's report"))?);
        }
        Ok(Measured { cells, fmax })
    }

    /// What yosys does to map the subject alone: its ports but those that are tied, and the count of its cells.
    fn alone(&self, family: Family) -> String {
        let (top, map) = (self.top, family.mapping());
        let tie = |(port, value): &(&str, String)| {
            format!("delete -port {top}/i:{port}; cd {top}; connect -set {port} {value}; cd ..; ")
        };
        let tied: String = self.tied.iter().map(tie).collect();
        let set: String = self.parameters.iter().map(|(name, value)| format!(" -chparam {name} {value}")).collect();
        // Of the top module, whose name may have changed; those inside have ports of such names, too.
        let without: String = self.unconnected.iter().map(|port| format!("delete -port A:top/o:{port}; ")).collect();
        format!(
            "read_verilog subject.v; hierarchy -check -top {top}{set}; {without}proc; opt; {tied}opt; \
             write_json ports.json; {map} -top {top}; tee -q -o cells.json stat -json"
        )
    }

    /// The subject with a register at every input and output: shift registers in, a tree of
    /// exclusive ors, registered too, out.
    fn wrapper(&self, ports: &[Port]) -> String {
        let width = |is_input: bool| ports.iter().filter(|port| port.is_input == is_input).map(Port::bits).sum();
        let (inputs, outputs): (usize, usize) = (width(true), width(false));
        // An output that the subject leaves undefined, as PicoRV32 its trace, would make all that
        // it is folded with undefined, and yosys remove it.
        let defined: Vec<_> = ports
            .iter()
            .filter(|port| !port.is_input)
            .flat_map(|port| &port.defined)
            .enumerate()
            .filter(|(_, defined)| **defined)
            .map(|(place, _)| format!("outputs[{place}]"))
            .collect();
        let mut out = format!(
            "module {WRAPPER}(input clock, input shifted, output reg shown);\n  reg [{}:0] inputs;\n  wire [{}:0] outputs;\n  \
             always @(posedge clock) inputs <= {{inputs, shifted}};\n",
            inputs.max(1) - 1,
            outputs.max(1) - 1
        );
        let parameters: Vec<_> = self.parameters.iter().map(|(name, value)| format!(".{name}({value})")).collect();
        let (mut places, mut connected) = ([0, 0], vec![format!(".{}(clock)", self.clock)]);
        for port in ports.iter().filter(|port| port.name != self.clock) {
            let (place, bus) = match port.is_input {
                true => (&mut places[0], "inputs"),
                false => (&mut places[1], "outputs"),
            };
            connected.push(format!(".{}({bus}[{}:{}])", port.name, *place + port.bits() - 1, *place));
            *place += port.bits();
        }
        connected.extend(self.tied.iter().map(|(port, value)| format!(".{port}({value})")));
        let parameters = if parameters.is_empty() { String::new() } else { format!("#({}) ", parameters.join(", ")) };
        out += &format!("  {} {parameters}subject({});\n", self.top, connected.join(", "));
        out += &format!("  wire [{}:0] known = {{{}}};\n", defined.len().max(1) - 1, defined.join(", "));
        out += &tree(defined.len().max(1));
        out + "endmodule\n"
    }
}

/// Registers the outputs, then folds four into one, again and again.
fn tree(outputs: usize) -> String {
    let mut out = format!("  reg [{}:0] stage0;\n  always @(posedge clock) stage0 <= known;\n", outputs - 1);
    let (mut width, mut stage) = (outputs, 0);
    while width > 1 {
        let next = width.div_ceil(4);
        out += &format!("  reg [{}:0] stage{};\n  always @(posedge clock) begin\n", next - 1, stage + 1);
        for bit in 0..next {
            let high = (4 * bit + 3).min(width - 1);
            out += &format!("    stage{}[{bit}] <= ^stage{stage}[{high}:{}];\n", stage + 1, 4 * bit);
        }
        out += "  end\n";
        (width, stage) = (next, stage + 1);
    }
    out + &format!("  always @(posedge clock) shown <= stage{stage}[0];\n")
}

/// Name of the module around a subject.
const WRAPPER: &str = "measure";

#[derive(Debug, PartialEq)]
struct Port {
    name: String,
    is_input: bool,
    /// Whether each bit has a value.
    defined: Vec<bool>,
}

impl Port {
    fn bits(&self) -> usize {
        self.defined.len()
    }
}

/// The ports of the module `top`, or of what yosys made of it with parameters, from `write_json`.
fn ports(json: &str, top: &str) -> Result<Vec<Port>, String> {
    let json: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let modules = json["modules"].as_object().ok_or("no modules")?;
    let is_top = |module: &&Value| module["attributes"].get("top").is_some();
    let module = modules.get(top).filter(is_top).or_else(|| modules.values().find(is_top)).ok_or("no top module")?;
    let ports = module["ports"].as_object().ok_or("no ports")?;
    let port = |(name, port): (&String, &Value)| {
        let bits = port["bits"].as_array().map_or(&[] as &[Value], Vec::as_slice);
        Port {
            name: name.clone(),
            is_input: port["direction"] == "input",
            defined: bits.iter().map(|bit| bit != "x").collect(),
        }
    };
    Ok(ports.iter().map(port).collect())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use testbed_hdl::support::proven;

    /// Makes the check, unless this crate with these tools is known to have passed it.
    fn check(name: &str, make: impl FnOnce()) {
        let done = proven::sources(&["host-tools/synth/src", "hdl/src/support/synthesis.rs"]);
        proven::check(&[("yosys", "-V"), ("nextpnr-ice40", "--version")], &[name, &done], make);
    }

    /// A subject on iCE40, with so many seeds.
    fn measured(subject: &Subject, seeds: u32) -> Measured {
        let folder = tempfile::tempdir().unwrap();
        let root = testbed_runner::firmware::root().unwrap();
        let watch = |_: &str, _: &str| ControlFlow::Continue(());
        subject.measure(Family::Ice40, seeds, (&root, folder.path()), &watch).unwrap()
    }

    /// A counter with a parameter, between registers: its area is its own, its clock is found.
    #[test]
    fn a_subject_is_measured_alone_and_timed_between_registers() {
        check("a subject is measured alone", || {
            let verilog =
                "module counter(input clk, input [7:0] by, input up, output reg [15:0] sum);\n parameter SCALE = 1;\n\
            initial sum = 0;\n always @(posedge clk) if (up) sum <= sum + by * SCALE;\nendmodule\n";
            let subject =
                Subject { parameters: vec![("SCALE", 2)], ..Subject::new("counter", "counter", "clk", verilog) };
            let measured = measured(&subject, 2);
            // By 2 the lowest bit never changes, and 15 do.
            assert!((15..=16).contains(&measured.cells.flip_flops), "{measured:?}");
            assert!((15..40).contains(&measured.cells.luts), "{measured:?}");
            assert_eq!(measured.fmax.len(), 2);
            assert!(measured.fmax.iter().all(|&fmax| (50.0..600.0).contains(&fmax)), "{measured:?}");
        });
    }

    /// An input that never changes costs what a constant does, and nothing is shifted into it.
    #[test]
    fn a_tied_input_is_a_constant_alone_and_between_registers() {
        check("a tied input is a constant", || {
            let verilog = "module counter(input clk, input [7:0] by, input up, output reg [15:0] sum);\n\
                initial sum = 0;\n always @(posedge clk) if (up) sum <= sum + by;\nendmodule\n";
            let subject =
                Subject { tied: vec![("by", "8'd2".into())], ..Subject::new("counter", "counter", "clk", verilog) };
            let measured = measured(&subject, 1);
            assert_eq!((measured.cells.flip_flops, measured.fmax.len()), (15, 1), "{measured:?}");
        });
    }

    /// That costs no other subject its row.
    #[test]
    fn a_subject_that_is_too_large_has_an_area_and_no_clock() {
        check("a subject that is too large has an area", || {
            let verilog = "module long(input clk, input a, output reg [8191:0] all);\n \
            always @(posedge clk) all <= {all, a};\nendmodule\n";
            let measured = measured(&Subject::new("long", "long", "clk", verilog), 2);
            assert_eq!((measured.cells.flip_flops, measured.fmax.len()), (8192, 0), "{measured:?}");
        });
    }

    /// What is undefined is left out, or all would be; PicoRV32's trace is. So is what only simulation reads.
    #[test]
    fn outputs_without_a_value_do_not_make_the_rest_undefined_and_unconnected_ones_are_not_there() {
        check("outputs without a value do not make the rest undefined", || {
            let verilog =
            "module half(input clk, input a, output reg [1:0] b, output reg [3:0] never, output reg [7:0] seen_all);\n\
            always @(posedge clk) begin b <= {b[0], a}; never <= 4'bx; seen_all <= {seen_all, a}; end\nendmodule\n";
            let subject = Subject { unconnected: &["seen_*"], ..Subject::new("half", "half", "clk", verilog) };
            let measured = measured(&subject, 1);
            assert_eq!((measured.cells.flip_flops, measured.fmax.len()), (2, 1), "{measured:?}");
        });
    }

    #[test]
    fn every_bit_of_every_port_is_connected_once() {
        let port = |name: &str, is_input, bits| Port { name: name.into(), is_input, defined: vec![true; bits] };
        let ports = [port("clk", true, 1), port("a", true, 3), port("b", true, 2), port("c", false, 5)];
        let subject = Subject {
            parameters: vec![("P", 1)],
            tied: vec![("d", "3'd7".into())],
            ..Subject::new("x", "x", "clk", "")
        };
        let text = subject.wrapper(&ports);
        assert!(
            text.contains(
                "x #(.P(1)) subject(.clk(clock), .a(inputs[2:0]), .b(inputs[4:3]), .c(outputs[4:0]), .d(3'd7));"
            ),
            "{text}"
        );
        assert!(text.contains("stage1[1] <= ^stage0[4:4];"), "{text}");
    }
}
