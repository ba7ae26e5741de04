//! What the tools say of a placed design: what it uses of the device, its clocks, its longest path.

use std::collections::BTreeMap;
use std::fmt;

use itertools::Itertools;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag};
use nom::character::complete::{char, space0, space1, u64};
use nom::combinator::{eof, map};
use nom::sequence::{preceded, separated_pair, terminated};
use nom::{IResult, Parser};
use serde::{Deserialize, Serialize};
use testbed_hdl::support::synthesis::Family;

use super::SynthError;

/// Something that a device has a number of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Use {
    /// As nextpnr calls it.
    pub resource: String,
    pub used: u64,
    pub available: u64,
}

/// Resources of both families that are of interest, and what they are.
const RESOURCES: &[(&str, &str)] = &[
    ("TRELLIS_COMB", "LUT4"),
    ("TRELLIS_FF", "flip-flops"),
    ("DP16KD", "block RAM of 18 Kibit"),
    ("MULT18X18D", "multipliers"),
    ("ICESTORM_LC", "logic cells (LUT4 and flip-flop)"),
    ("ICESTORM_RAM", "block RAM of 4 Kibit"),
    ("ICESTORM_SPRAM", "SPRAM of 256 Kibit"),
    ("ICESTORM_DSP", "multipliers"),
];

impl Use {
    /// Block RAM of a family.
    pub fn block_ram(family: Family, used: u64, available: u64) -> Self {
        let resource = match family {
            Family::Ecp5 => "DP16KD",
            Family::Ice40 => "ICESTORM_RAM",
        };
        Use { resource: resource.into(), used, available }
    }

    /// What it is, in words; `None` if nobody asks for it.
    pub fn meaning(&self) -> Option<&'static str> {
        RESOURCES.iter().find(|(name, _)| *name == self.resource).map(|&(_, meaning)| meaning)
    }

    /// Whether it is more than there is.
    pub fn is_over(&self) -> bool {
        self.used > self.available
    }

    /// Keys of the machine description that make it less.
    fn remedy(&self) -> &'static str {
        match self.resource.as_str() {
            ram if ram.contains("RAM") || ram == "DP16KD" => {
                "reduce `ram`, or smi_queue, mmi_queue or port_queue of `monitor`, in the machine's description"
            }
            // Without multipliers and LUT RAM the pipelined core takes twice the room.
            "ICESTORM_LC" => "name fewer `processors`, or choose `core = \"multicycle\"`, in the machine's description",
            _ => "name fewer `processors` in the machine's description",
        }
    }
}

/// A clock after routing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clock {
    pub name: String,
    /// MHz.
    pub achieved: f64,
    /// MHz.
    pub wanted: f64,
}

/// A stretch of a path within one signal's logic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hop {
    /// Hierarchical name of the signal that the stretch leads to, in the hardware's own names.
    pub signal: String,
    pub nanoseconds: f64,
}

/// The longest path between two registers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Path(pub Vec<Hop>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.0.iter().map(|hop| format!("  {:>7.2} ns  {}", hop.nanoseconds, hop.signal));
        f.write_str(&lines.join("\n"))
    }
}

/// nextpnr's report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routed {
    /// Only what is of interest and the device has.
    pub uses: Vec<Use>,
    pub clocks: Vec<Clock>,
    /// The longest path of the clock with the least slack.
    pub path: Path,
}

impl Routed {
    /// The clock whose net has this name, in MHz.
    pub fn fmax(&self, clock: &str) -> Option<f64> {
        self.clocks.iter().find(|found| found.name == clock).map(|found| found.achieved)
    }

    /// Calls the one clock that is none of `others` by its name. A net has many, of which yosys
    /// keeps one, newer versions that of a block inside.
    pub fn call_clock(&mut self, name: &str, others: &[&str]) {
        let mut rest = self.clocks.iter_mut().filter(|clock| !others.contains(&clock.name.as_str()));
        if let (Some(clock), None) = (rest.next(), rest.next()) {
            clock.name = name.into();
        }
    }
}

#[derive(Deserialize)]
struct Raw {
    fmax: BTreeMap<String, RawClock>,
    utilization: BTreeMap<String, RawUse>,
    critical_paths: Vec<RawPath>,
}

#[derive(Deserialize)]
struct RawClock {
    achieved: f64,
    constraint: f64,
}

#[derive(Deserialize)]
struct RawUse {
    used: u64,
    available: u64,
}

#[derive(Deserialize)]
struct RawPath {
    from: String,
    to: String,
    path: Vec<RawHop>,
}

#[derive(Deserialize)]
struct RawHop {
    delay: f64,
    from: RawEnd,
    net: Option<String>,
    to: RawEnd,
}

#[derive(Deserialize)]
struct RawEnd {
    cell: String,
}

/// Reads nextpnr's report.
///
/// # Errors
/// It is none.
pub fn read(json: &str) -> Result<Routed, SynthError> {
    let bad = |error: &dyn fmt::Display| SynthError::Report("nextpnr's report".into(), error.to_string());
    let raw: Raw = serde_json::from_str(json).map_err(|error| bad(&error))?;
    if raw.fmax.is_empty() {
        return Err(bad(&"it has no clock"));
    }
    let uses = RESOURCES.iter().filter_map(|&(name, _)| {
        let found = raw.utilization.get(name)?;
        Some(Use { resource: name.into(), used: found.used, available: found.available })
    });
    let clock = |(name, clock): (&String, &RawClock)| Clock {
        name: base(name).into(),
        achieved: clock.achieved,
        wanted: clock.constraint,
    };
    Ok(Routed { uses: uses.collect(), clocks: raw.fmax.iter().map(clock).collect(), path: longest(&raw) })
}

/// The longest path from a clock's edge to an edge of the same clock.
fn longest(raw: &Raw) -> Path {
    let within = raw.critical_paths.iter().filter(|path| path.from == path.to && path.from.contains("edge"));
    let length = |path: &&RawPath| path.path.iter().map(|hop| hop.delay).sum::<f64>();
    within.max_by(|a, b| length(a).total_cmp(&length(b))).map(|path| hops(&path.path)).unwrap_or_default()
}

fn hops(raw: &[RawHop]) -> Path {
    let mut hops: Vec<Hop> = Vec::new();
    for hop in raw {
        // A net says what is computed; within a cell, the cell that it leads to.
        let name = hop.net.as_deref().unwrap_or(if hops.is_empty() { &hop.from.cell } else { &hop.to.cell });
        let signal = base(name).to_string();
        match hops.last_mut() {
            Some(last) if last.signal == signal => last.nanoseconds += hop.delay,
            _ => hops.push(Hop { signal, nanoseconds: hop.delay }),
        }
    }
    Path(hops)
}

/// What the tools append to a name when they split, map or pack it.
const APPENDED: &[&str] = &[
    "_SB_", "_RDATA", "_LUT4", "_PFUMX", "_L6MUX21", "_CCU2C", "_TRELLIS", "_DP16KD", "_MULT18", "_LC", "_RAM", "_DFF",
    "_ALU", "_$glb_", "$",
];

/// The hardware's own name in a tool's: without the top module, and without what was appended.
fn base(name: &str) -> &str {
    let name = name.trim_start_matches("$glbnet$").trim_start_matches("board.");
    // Names of an array's elements have a `$` and digits, which belong to them.
    let cut = |&mark: &&str| {
        let places = name.match_indices(mark).map(|(at, _)| at).filter(|&at| at > 0);
        let element = |at: usize| mark == "$" && name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        let mut places = places.filter(|&at| !element(at));
        places.next()
    };
    let end = APPENDED.iter().filter_map(cut).min().unwrap_or(name.len());
    &name[..end]
}

/// A line such as `Info: TRELLIS_FF: 1234/24288 5%`, with blanks between all.
fn used(line: &str) -> IResult<&str, Use> {
    let resource = preceded((tag("Info:"), space0), terminated(is_not(": "), (space0, char(':'), space0)));
    let numbers = separated_pair(u64, (space0, char('/'), space0), terminated(u64, alt((space1, eof))));
    map((resource, numbers), |(resource, (used, available)): (&str, _)| Use {
        resource: resource.into(),
        used,
        available,
    })
    .parse(line)
}

/// What nextpnr's log says is used of a device, also if the design does not fit.
pub fn utilisation(log: &str) -> Vec<Use> {
    let line = |line| used(line).ok().map(|(_, used)| used);
    log.lines().filter_map(line).filter(|found| found.meaning().is_some()).collect()
}

/// The same of the log of a tool that failed; nothing if that is not why.
pub fn used_at_failure(error: &SynthError) -> Vec<Use> {
    let SynthError::Failed { log, .. } = error else { return Vec::new() };
    utilisation(&std::fs::read_to_string(log).unwrap_or_default())
}

/// The error for a design that is larger than the device; `None` if it is not.
pub fn too_large(uses: impl IntoIterator<Item = Use>, machine: &str, board: &str) -> Option<SynthError> {
    let over: Vec<_> = uses.into_iter().filter(Use::is_over).collect();
    let lack =
        |found: &Use| format!("{} {} of {}", found.meaning().unwrap_or(&found.resource), found.used, found.available);
    let remedy = over.iter().map(Use::remedy).fold(Vec::new(), |mut all: Vec<&str>, one| {
        if !all.contains(&one) {
            all.push(one);
        }
        all
    });
    (!over.is_empty()).then(|| SynthError::TooLarge {
        machine: machine.into(),
        board: board.into(),
        lacks: over.iter().map(lack).collect(),
        remedy: remedy.join("; "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "Info: Device utilisation:\nInfo: \t         ICESTORM_LC:  9100/ 7680   118%\n\
        Info: \t        ICESTORM_RAM:    40/   32   125%\nInfo: \t               SB_IO:    13/  256     5%\n\
        ERROR: Unable to place cell 'x_LC', no BELs remaining to implement cell type 'ICESTORM_LC'\n";

    #[test]
    fn a_design_that_does_not_fit_names_what_lacks_and_the_keys() {
        let error = too_large(utilisation(LOG), "mine", "hx8k-evn").unwrap().to_string();
        for part in [
            "mine does not fit on hx8k-evn",
            "logic cells (LUT4 and flip-flop) 9100 of 7680",
            "40 of 32",
            "`processors`",
            "`core = \"multicycle\"`",
            "`ram`",
        ] {
            assert!(error.contains(part), "`{part}` is not in {error}");
        }
        let fits = LOG.replace("9100", "910").replace("40/", "30/");
        assert!(too_large(utilisation(&fits), "mine", "hx8k-evn").is_none());
    }

    #[test]
    fn names_are_the_hardwares_own() {
        for (tools, ours) in [
            ("board.machine.processors$0.core.address_SB_LUT4_O_3_LC", "machine.processors$0.core.address"),
            ("$glbnet$machine_clock", "machine_clock"),
            ("machine_clock$SB_IO_IN_$glb_clk", "machine_clock"),
            ("steady_$glb_clk", "steady"),
            ("board.machine.processors$3.core.alu.sum[7]", "machine.processors$3.core.alu.sum[7]"),
            ("board.port.fifo.count_TRELLIS_FF_Q_2_DI_CCU2C_S0", "port.fifo.count"),
        ] {
            assert_eq!(base(tools), ours);
        }
    }

    #[test]
    fn the_machines_clock_is_known_by_what_it_is_not() {
        let clock = |name: &str| Clock { name: name.into(), achieved: 30.0, wanted: 24.0 };
        let mut routed = Routed { clocks: vec![clock("block.clock"), clock("steady")], ..Routed::default() };
        routed.call_clock("machine_clock", &["steady", "oscillator"]);
        assert_eq!(routed.clocks, [clock("machine_clock"), clock("steady")]);
        // One of two can't be told.
        let mut routed = Routed { clocks: vec![clock("a"), clock("b")], ..Routed::default() };
        routed.call_clock("machine_clock", &["steady"]);
        assert_eq!(routed.fmax("machine_clock"), None);
    }

    #[test]
    fn a_report_is_read_and_its_longest_path_told_by_signals() {
        let json = r#"{"critical_paths": [
            {"from": "<async>", "to": "posedge c", "path": [{"delay": 99, "from": {"cell": "p"}, "to": {"cell": "p"}, "type": "source"}]},
            {"from": "posedge c", "to": "posedge c", "path": [
                {"delay": 0.5, "from": {"cell": "board.a_LC"}, "to": {"cell": "board.a_LC"}, "type": "clk-to-q"},
                {"delay": 1.5, "from": {"cell": "board.a_LC"}, "net": "board.a[1]", "to": {"cell": "board.b_SB_LUT4_O_LC"}, "type": "routing"},
                {"delay": 0.4, "from": {"cell": "board.b_SB_LUT4_O_LC"}, "to": {"cell": "board.b_SB_LUT4_O_LC"}, "type": "logic"},
                {"delay": 0.6, "from": {"cell": "board.b_SB_LUT4_O_LC"}, "net": "board.b_SB_LUT4_O_1", "to": {"cell": "board.d_LC"}, "type": "routing"}]}],
          "fmax": {"c$SB_IO_IN_$glb_clk": {"achieved": 33.5, "constraint": 25}},
          "utilization": {"ICESTORM_LC": {"available": 7680, "used": 69}, "SB_WARMBOOT": {"available": 1, "used": 0}}}"#;
        let routed = read(json).unwrap();
        assert_eq!(routed.fmax("c"), Some(33.5));
        assert_eq!(routed.uses, [Use { resource: "ICESTORM_LC".into(), used: 69, available: 7680 }]);
        let path: Vec<_> = routed.path.0.iter().map(|hop| (hop.signal.as_str(), hop.nanoseconds)).collect();
        assert_eq!(path, [("a", 0.5), ("a[1]", 1.5), ("b", 1.0)]);
    }

    #[test]
    fn what_is_no_report_is_an_error() {
        assert!(read("{}").is_err());
        assert!(read(r#"{"critical_paths": [], "fmax": {}, "utilization": {}}"#).is_err());
    }
}
