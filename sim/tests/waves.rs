//! Wave files of a chosen window and scope, read back: the engines' files agree with each other and with what retired.

use std::collections::BTreeMap;
use std::path::Path;

use testbed_machine::Machine;
use testbed_sim::engine::{Engine, Image, Retirement};
use testbed_sim::rust_hdl::RustHdl;
use testbed_sim::verilator::Verilator;
use testbed_sim::waves::Waves;
use wellen::simple::{read, Waveform};

const FROM: u64 = 150;
const UNTIL: u64 = 420;
/// The run goes on after the file has ended.
const CYCLES: u64 = 500;
const PROCESSOR: usize = 1;
/// A clock whose period is no whole number of picoseconds.
const CLOCK_HZ: u32 = 33_000_000;
/// Verilator's own level above the design.
const WRAPPER: &str = "TOP";
const CORE: [&str; 3] = ["top", "processors$1", "pipeline"];

fn machine() -> Machine {
    let processors = vec!["p0".into(), "p1".into()];
    Machine { name: "small2".into(), processors, clock_hz: CLOCK_HZ, ram_bytes: 64 * 1024, ..Machine::testbed6() }
}

fn window(path: &Path, scope: &str, depth: u32) -> Waves {
    Waves { scope: scope.into(), depth, ..Waves::new(path, FROM, UNTIL) }
}

/// Runs `engine` past the window, in uneven parts; gives what [`PROCESSOR`] retired within it.
fn run(mut engine: impl Engine) -> Vec<Retirement> {
    engine.record_retirements(Some(PROCESSOR));
    for until in [1, FROM + 7, CYCLES] {
        engine.run_until(until).unwrap();
    }
    let mut retirements = engine.take_retirements();
    retirements.retain(|retirement| (FROM..UNTIL).contains(&retirement.cycle));
    retirements
}

fn verilator(image: &Image, waves: Waves) -> Vec<Retirement> {
    run(Verilator::with_waves(&machine(), image, waves, &mut |_| ()).unwrap())
}

fn rust_hdl(image: &Image, waves: Waves) -> Vec<Retirement> {
    run(RustHdl::with_waves(&machine(), image, waves).unwrap())
}

/// Picoseconds of machine time at which half cycle `half` begins.
fn time(half: u64) -> u64 {
    (u128::from(half) * 500_000_000_000 / u128::from(CLOCK_HZ)) as u64
}

/// What signal `name` of the core shows in every half cycle of the window.
fn values(file: &mut Waveform, name: &str) -> BTreeMap<u64, u64> {
    let hierarchy = file.hierarchy();
    let in_verilator = || hierarchy.lookup_var(&[WRAPPER, CORE[0], CORE[1], CORE[2]], name);
    let var = hierarchy.lookup_var(&CORE, name).or_else(in_verilator).unwrap_or_else(|| panic!("{name} is not there"));
    let signal = file.hierarchy()[var].signal_ref();
    file.load_signals(&[signal]);
    let times = file.time_table().to_vec();
    let changes: BTreeMap<u64, u64> = file
        .get_signal(signal)
        .expect("just loaded")
        .iter_changes()
        .map(|(index, value)| (times[index as usize], value.try_into().expect("two-valued, up to 64 bits")))
        .collect();
    let at = |half| changes.range(..=time(half)).next_back().map(|(_, value)| (half, *value));
    (2 * FROM..2 * UNTIL).map(|half| at(half).expect("a value from the start of the window")).collect()
}

/// Retirements as the file shows them: cycle, pc, instruction, value.
fn retired(file: &mut Waveform) -> Vec<(u64, u64, u64, u64)> {
    let [valid, pc, instruction, value] =
        ["retire_valid", "retire_pc", "retire_instruction", "retire_value"].map(|name| values(file, name));
    let cycles = (FROM..UNTIL).filter(|cycle| valid[&(2 * cycle)] == 1);
    cycles.map(|cycle| (cycle, pc[&(2 * cycle)], instruction[&(2 * cycle)], value[&(2 * cycle)])).collect()
}

/// Names of all instances with signals in the file.
fn instances(file: &Waveform) -> Vec<String> {
    let hierarchy = file.hierarchy();
    let used = hierarchy.all_scopes().filter(|scope| hierarchy[*scope].vars(hierarchy).next().is_some());
    let names = used.map(|scope| hierarchy[scope].full_name(hierarchy));
    names.map(|name| name.strip_prefix("TOP.").map_or(name.clone(), String::from)).collect()
}

#[test]
fn three_files_agree_on_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["rust-hdl.vcd", "verilator.vcd", "verilator.fst"].map(|name| folder.path().join(name));
    let image = crate::common::chatter();
    let scope = CORE[..2].join(".");
    let runs = [
        rust_hdl(&image, window(&paths[0], &scope, 0)),
        verilator(&image, window(&paths[1], &scope, 0)),
        verilator(&image, window(&paths[2], &scope, 0)),
    ];
    let expected: Vec<_> =
        runs[0].iter().map(|r| (r.cycle, u64::from(r.pc), u64::from(r.instruction), u64::from(r.value))).collect();
    assert!(expected.len() > 50, "{} retirements", expected.len());
    let mut files = paths.map(|path| (read(&path).unwrap(), path));
    for ((file, path), run) in files.iter_mut().zip(&runs) {
        assert_eq!(*run, runs[0]);
        let times = file.time_table();
        assert_eq!(times.first(), Some(&time(2 * FROM)), "{path:?}");
        let ends = time(2 * UNTIL - 1)..=time(2 * UNTIL);
        assert!(times.last().is_some_and(|last| ends.contains(last)), "{path:?}: {times:?}");
        let unit = file.hierarchy().timescale().expect("a file says its unit");
        assert_eq!((unit.factor, unit.unit), (1, wellen::TimescaleUnit::PicoSeconds), "{path:?}");
        assert_eq!(retired(file), expected, "{path:?}");
        assert!(instances(file).iter().all(|instance| instance.starts_with("top.processors$1")));
        assert!(
            instances(file).iter().any(|instance| instance.ends_with("processors$1.station$0.receiver")),
            "{path:?}"
        );
    }
    for name in ["clock", "retire_pc", "retire_address", "retire_data", "retire_mask", "retire_cause"] {
        let shown = files.each_mut().map(|(file, _)| values(file, name));
        // The first cycle of a file has no rising edge in Verilator's.
        let after_first = |values: &BTreeMap<u64, u64>| values.clone().split_off(&(2 * FROM + 1));
        assert_eq!(after_first(&shown[0]), after_first(&shown[1]), "{name}");
        assert_eq!(shown[1], shown[2], "{name}");
        if name == "clock" {
            assert!(after_first(&shown[0]).iter().all(|(half, value)| *value == (half + 1) % 2));
        }
    }
}

#[test]
fn depth_bounds_the_levels() {
    let folder = tempfile::tempdir().unwrap();
    let image = crate::common::chatter();
    let core = CORE.join(".");
    for (scope, depth, name) in [(core.as_str(), 1, "core"), ("", 1, "top"), ("", 2, "second")] {
        let native = folder.path().join(format!("{name}.vcd"));
        let fst = folder.path().join(format!("{name}.fst"));
        rust_hdl(&image, window(&native, scope, depth));
        verilator(&image, window(&fst, scope, depth));
        let sets = [native, fst].map(|path| {
            let file = read(&path).unwrap();
            let mut names = instances(&file);
            names.sort();
            names
        });
        assert_eq!(sets[0], sets[1], "scope {scope:?}, depth {depth}");
        let levels = |path: &str| path.split('.').count();
        let deepest = sets[0].iter().map(|instance| levels(instance)).max().unwrap();
        assert_eq!(deepest, scope.split('.').filter(|name| !name.is_empty()).count().max(1) + depth as usize - 1);
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let image = crate::common::chatter();
    let fails = |waves: &Waves| {
        let native = RustHdl::with_waves(&machine(), &image, waves.clone()).and_then(|mut e| e.run_until(CYCLES));
        let compiled = Verilator::with_waves(&machine(), &image, waves.clone(), &mut |_| ());
        [native, compiled.and_then(|mut e| e.run_until(CYCLES))].map(|result| result.unwrap_err().to_string())
    };
    for message in fails(&window(&folder.path().join("a.vcd"), "top.processors$7", 0)) {
        assert!(message.contains("no instance top.processors$7"), "{message}");
    }
    for message in fails(&window(&folder.path().join("missing/a.vcd"), "", 0)) {
        assert!(message.contains("missing/a.vcd"), "{message}");
    }
}
