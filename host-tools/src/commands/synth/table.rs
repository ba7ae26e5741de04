//! `testbed synth --table`: the page of areas and clocks.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;

use serde_json::Value;
use testbed_hdl::support::synthesis::Family;
use testbed_synth::area::{self, Measured, Subject};
use testbed_synth::board::Board;
use testbed_synth::step::Watcher;
use testbed_synth::SynthError;

use super::super::{grouped, Exit, Failure};
use super::REPORT;

/// Seeds of which each clock is told.
const SEEDS: u32 = 3;

const HEAD: &str = "\
# Area and speed

Made by `testbed synth --table`; do not edit. Blocks and other cores are measured alike: mapped
alone for LUT4, flip-flops and block RAM; for the clock with a register at every input and output,
placed and routed with three seeds at 100 MHz wanted, of which the range is shown. A LUT4 of ECP5
counts two for a carry cell (CCU2C) and eight for a LUT RAM of 16 x 4; on iCE40 carry is beside the
LUT4. yosys maps ECP5 with `-abc9`, which may make a path two fifths longer than the longest. Where
a core starts, the size of its RAM and its devices are tied, as the other cores' parameters are.
nextpnr's clocks are those of the slowest corner.
";

/// The page.
///
/// # Errors
/// A tool is missing or fails.
pub fn page(root: &Path, watch: &Watcher) -> Result<String, Failure> {
    let mut out = HEAD.to_string();
    let machine = Board::named("ulx3s-85f")?.load_machine(None)?;
    let blocks = area::blocks(&machine).map_err(SynthError::from)?;
    let peers = area::peers(root)?;
    let subjects: Vec<_> = blocks.iter().chain(&peers).collect();
    let table = |family| table(&subjects, family, root, watch);
    // The tools use one processor each.
    let (ecp5, ice40) = thread::scope(|scope| {
        let ice40 = scope.spawn(|| table(Family::Ice40));
        (table(Family::Ecp5), ice40.join().expect("measuring does not panic"))
    });
    let _ = write!(out, "\n## Blocks and other cores on ECP5-85F, speed grade 6\n\n{}", ecp5?);
    let _ = write!(out, "\n## Blocks and other cores on iCE40 HX8K\n\n{}", ice40?);
    out += "
The blocks are those of the machine `ulx3s-85f`. PicoRV32 and VexRiscv are unchanged, as their
packages on PyPI have them; caches are theirs.
";
    out += &boards(root);
    Ok(out)
}

/// Rows of what was measured on a family.
fn table(subjects: &[&Subject], family: Family, root: &Path, watch: &Watcher) -> Result<String, Failure> {
    let mut out = format!("{COLUMNS}\n");
    for subject in subjects {
        let line = match subject.fits(family) {
            true => line(&measure(subject, family, root, watch)?),
            false => "needs block RAM with two write ports | | | | |".into(),
        };
        let _ = writeln!(out, "| {} | {line}", subject.name);
    }
    Ok(out)
}

const COLUMNS: &str = "| block | LUT4 | flip-flops | block RAM | multipliers | MHz |\n|---|---|---|---|---|---|";

fn measure(subject: &Subject, family: Family, root: &Path, watch: &Watcher) -> Result<Measured, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::new(Exit::Environment, error))?;
    let named = |tool: &str, line: &str| watch(&format!("{}, {tool}", subject.name), line);
    Ok(subject.measure(family, SEEDS, (root, folder.path()), &named)?)
}

fn line(measured: &Measured) -> String {
    let cells = &measured.cells;
    let (luts, flip_flops) = (grouped(cells.luts as u64), grouped(cells.flip_flops as u64));
    format!("{luts} | {flip_flops} | {} | {} | {} |", cells.block_rams, cells.multipliers, range(&measured.fmax))
}

/// `41.2 to 43.0`; of none, that there is no room.
fn range(values: &[f64]) -> String {
    let (low, high) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), &value| (low.min(value), high.max(value)));
    match values.len() {
        0 => "does not fit".into(),
        1 => format!("{low:.1}"),
        _ => format!("{low:.1} to {high:.1}"),
    }
}

/// Whole machines, as `testbed synth --board` left them.
fn boards(root: &Path) -> String {
    let mut out = "
## Machines on boards

As `testbed synth --board NAME --seeds 3` reports; what is used is of the device, after packing.

"
    .to_string();
    out += "| board | machine | used | MHz by seed | wanted |\n|---|---|---|---|---|\n";
    for name in Board::names() {
        let row = board(&root.join("target/synth").join(name).join(REPORT));
        let row =
            row.unwrap_or_else(|| format!("not measured: `testbed synth --board {name} --seeds 3` first | | | |"));
        let _ = writeln!(out, "| {name} | {row}");
    }
    out
}

fn board(path: &Path) -> Option<String> {
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    let used = report["uses"].as_array()?.iter().map(|found| {
        let number = |key: &str| grouped(found[key].as_u64().unwrap_or(0));
        format!("{} {} of {}", found["resource"].as_str().unwrap_or("?"), number("used"), number("available"))
    });
    let seeds = report["seeds"].as_array()?.iter().filter_map(|pair| pair[1].as_f64());
    let seeds: Vec<_> = seeds.map(|fmax| format!("{fmax:.1}")).collect();
    let wanted = report["wanted"].as_f64()?;
    let used: Vec<_> = used.collect();
    Some(format!("{} | {} | {} | {wanted:.1} |", report["machine"].as_str()?, used.join("<br>"), seeds.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_told_as_a_range() {
        assert_eq!(range(&[41.25, 40.96, 43.04]), "41.0 to 43.0");
        assert_eq!(range(&[41.25]), "41.2");
        assert_eq!(range(&[]), "does not fit");
    }

    #[test]
    fn a_board_that_was_not_made_says_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        assert!(
            boards(root.path()).contains("| hx8k-evn | not measured: `testbed synth --board hx8k-evn --seeds 3` first")
        );
        let folder = root.path().join("target/synth/hx8k-evn");
        std::fs::create_dir_all(&folder).unwrap();
        let report = r#"{"machine": "m", "uses": [{"resource": "ICESTORM_LC", "used": 7000, "available": 7680}],
            "seeds": [[1, 20.04], [2, 21.5]], "wanted": 12.0}"#;
        std::fs::write(folder.join(REPORT), report).unwrap();
        assert!(boards(root.path()).contains("| hx8k-evn | m | ICESTORM_LC 7,000 of 7,680 | 20.0, 21.5 | 12.0 |"));
    }
}
