//! Runs the tests of all binaries: the longest first, as many at a time as there are processors.
//!
//! What is started is a *unit*: the tests of one module of one binary, one after the other in one
//! process, since tests of a module may share what they have prepared.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::mpsc;
use std::sync::Mutex;
use std::time::Instant;

use super::collect::Binary;

/// Binaries with a harness of their own, which takes one name and not several.
const ONE_NAME: [(&str, Division); 2] = [("programs", Division::Each), ("documented", Division::Together)];

/// How the tests of a binary make units.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Division {
    Modules,
    /// Every test is one.
    Each,
    /// All tests are one, since they share what one of them makes.
    Together,
}

fn division(target: &str) -> Division {
    ONE_NAME.iter().find(|(name, _)| *name == target).map_or(Division::Modules, |&(_, division)| division)
}

/// Units that take a minute and more, by target and the start of their module: they go first when
/// nothing is known of an earlier run.
const LONG: &[(&str, &str)] = &[
    ("all", "synth"),
    ("all", "netlist"),
    ("documented", ""),
    ("all", "web"),
    ("all", "waits"),
    ("all", "random"),
    ("all", "cores"),
    ("testbed_hdl", ""),
    ("all", "monitor"),
    ("all", "centrenet"),
    ("programs", ""),
    ("pages", ""),
    ("all", "profile"),
    ("migration", ""),
];

/// Tests of one module of a binary.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Index of the binary.
    pub binary: usize,
    /// The module's path, without the name of the test; empty at the top.
    pub module: String,
    /// Whole names of its tests, those that are left out too.
    pub tests: Vec<String>,
    /// How many of them are left out.
    pub left_out: usize,
}

/// What came of a unit.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub unit: Unit,
    pub seconds: f64,
    pub passed: usize,
    /// The tests that failed, or why the unit as a whole did.
    pub failed: Vec<String>,
}

/// The tests that `binary` has whose names contain `filter`: all, and those that are left out.
///
/// # Errors
/// It can't be started, or ends with an error.
pub fn list(binary: &Binary, filter: Option<&str>) -> io::Result<[Vec<String>; 2]> {
    let listed = |more: &[&str]| {
        let output = binary.command().args(filter).arg("--list").args(more).output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect::<Vec<_>>())
    };
    Ok([listed(&[])?, listed(&["--ignored"])?])
}

/// The units of the binary with this index and target.
pub fn units(binary: usize, target: &str, tests: &[String], left_out: &[String]) -> Vec<Unit> {
    let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for test in tests {
        let module = match division(target) {
            Division::Modules => test.rsplit_once("::").map_or("", |(module, _)| module),
            Division::Each => test,
            Division::Together => "",
        };
        modules.entry(module).or_default().push(test.clone());
    }
    let unit = |(module, tests): (&str, Vec<String>)| {
        let left_out = tests.iter().filter(|test| left_out.contains(test)).count();
        Unit { binary, module: module.into(), tests, left_out }
    };
    modules.into_iter().map(unit).collect()
}

/// Puts the longest first: by the seconds that units took before, else by [`LONG`].
pub fn sort(units: &mut [Unit], binaries: &[Binary], known: &BTreeMap<String, f64>) {
    let rank = |unit: &Unit| {
        let target = binaries[unit.binary].target.as_str();
        LONG.iter().position(|(long, module)| *long == target && unit.module.starts_with(module))
    };
    // What is not known and not said to be long is short.
    let seconds = |unit: &Unit| {
        let guess = rank(unit).map_or(0.0, |rank| (1000 - rank) as f64);
        known.get(&name(&binaries[unit.binary], unit)).copied().unwrap_or(guess)
    };
    units.sort_by(|a, b| seconds(b).total_cmp(&seconds(a)));
}

/// What a unit is called.
pub fn name(binary: &Binary, unit: &Unit) -> String {
    [&binary.package, &binary.target, &unit.module].map(String::as_str).join(" ").trim_end().into()
}

/// What every unit is started with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// The tests were listed with it.
    pub filter: Option<&'a str>,
    /// Tests that are left out as a rule run too.
    pub all: bool,
}

/// Runs `units` in their order with so many workers; `show` is told what each printed as soon as it
/// has ended.
///
/// # Errors
/// `show` fails.
pub fn run(
    binaries: &[Binary],
    units: Vec<Unit>,
    workers: usize,
    settings: Settings<'_>,
    mut show: impl FnMut(&Outcome, &[u8]) -> io::Result<()>,
) -> io::Result<Vec<Outcome>> {
    let queue = Mutex::new(units.into_iter());
    let (sender, receiver) = mpsc::channel();
    let mut outcomes = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || loop {
                let next = queue.lock().unwrap_or_else(|error| error.into_inner()).next();
                let Some(unit) = next else { break };
                // Nobody listens any more when showing has failed.
                if sender.send(start(&binaries[unit.binary], unit, settings)).is_err() {
                    break;
                }
            });
        }
        drop(sender);
        for (outcome, printed) in receiver {
            show(&outcome, &printed)?;
            outcomes.push(outcome);
        }
        Ok(outcomes)
    })
}

/// Runs a unit to its end; gives what it printed too.
fn start(binary: &Binary, unit: Unit, settings: Settings<'_>) -> (Outcome, Vec<u8>) {
    let started = Instant::now();
    let mut command = binary.command();
    command.arg("--test-threads=1").args(settings.all.then_some("--include-ignored"));
    match division(&binary.target) {
        Division::Together => command.args(settings.filter),
        Division::Modules | Division::Each => command.arg("--exact").args(&unit.tests),
    };
    let (mut passed, mut failed, mut printed) = (0, Vec::new(), Vec::new());
    match command.output() {
        Ok(output) => {
            printed = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&printed);
            failed = failures(&text);
            let [there, wrong, ignored] = counts(&text).unwrap_or_default();
            passed = there;
            if there + wrong + ignored != unit.tests.len() {
                failed.push(format!("{}: not all of its {} tests ran", name(binary, &unit), unit.tests.len()));
            } else if !output.status.success() && failed.is_empty() {
                failed.push(format!("{}: {}", name(binary, &unit), output.status));
            }
        }
        Err(error) => failed.push(format!("{}: cannot start it: {error}", name(binary, &unit))),
    }
    (Outcome { unit, seconds: started.elapsed().as_secs_f64(), passed, failed }, printed)
}

/// Names of the tests that failed.
fn failures(text: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("test ")?.rsplit_once(" ... FAILED")?.0.trim_end().to_string());
    text.lines().filter_map(name).collect()
}

/// How many tests passed, failed and were ignored, as the last line of the harness has it.
fn counts(text: &str) -> Option<[usize; 3]> {
    let line = text.lines().rev().find(|line| line.starts_with("test result: "))?;
    let number =
        |word: &str| line.split(['.', ';']).find_map(|part| part.trim().strip_suffix(word)?.trim().parse().ok());
    Some([number("passed")?, number("failed")?, number("ignored")?])
}

/// Prints what a unit printed, with its name and time ahead.
///
/// # Errors
/// Standard output can't be written.
pub fn show(binaries: &[Binary], outcome: &Outcome, printed: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n== {} ({:.1} s)", name(&binaries[outcome.unit.binary], &outcome.unit), outcome.seconds)?;
    out.write_all(printed)
}

#[cfg(test)]
mod tests {
    use super::super::collect::tests::script;
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn a_unit_is_a_module_or_a_single_test() {
        let tests = names(&["top", "a::one", "a::two", "a::b::three"]);
        let found = units(3, "all", &tests, &names(&["a::two"]));
        let shape = |unit: &Unit| (unit.module.clone(), unit.tests.len(), unit.left_out);
        let expected = [("", 1, 0), ("a", 2, 1), ("a::b", 1, 0)].map(|(name, all, out)| (name.to_string(), all, out));
        assert_eq!(found.iter().map(shape).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|unit| unit.binary == 3));
        assert_eq!(units(0, "programs", &tests, &[]).len(), 4);
        assert_eq!(units(0, "documented", &tests, &[]).len(), 1);
    }

    #[test]
    fn the_longest_goes_first_whether_known_or_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut binaries = vec![script(folder.path(), ""), script(folder.path(), "")];
        binaries[1].target = LONG[0].0.into();
        let unit = |binary, module: &str| Unit { binary, module: module.into(), tests: vec![], left_out: 0 };
        let mut order = vec![unit(0, "short"), unit(0, "known"), unit(1, LONG[0].1), unit(0, "longer")];
        let known = BTreeMap::from([("package script known".to_string(), 7.0), ("package script longer".into(), 8.0)]);
        sort(&mut order, &binaries, &known);
        assert_eq!(
            order.iter().map(|unit| unit.module.as_str()).collect::<Vec<_>>(),
            [LONG[0].1, "longer", "known", "short"]
        );
    }

    #[test]
    fn results_are_counted_and_failures_named() {
        let text = "test a::b ... FAILED\ntest a::c ... ok\n\
                    test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 3 filtered out; finished in 0.1s\n";
        assert_eq!(counts(text), Some([12, 1, 2]));
        assert_eq!(failures(text), ["a::b"]);
        assert_eq!(counts("test a ... ok\n"), None);
    }

    /// A shell script stands for a test binary.
    #[test]
    fn a_unit_is_run_with_its_names_and_what_does_not_run_is_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let result = |passed: usize| format!("test result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured");
        let text = format!(
            "[ \"$GIVEN$CARGO_PKG_NAME\" = yes ] || exit 9\n\
             case \"$*\" in\n*a::lost*) echo '{}';;\n*a::dies*) kill -9 $$;;\n\
             '--test-threads=1 --include-ignored --exact a::one a::two') echo '{}';;\n*) exit 8;;\nesac",
            result(0),
            result(2)
        );
        let binaries = [script(folder.path(), &text)];
        let tests = names(&["a::one", "a::two", "b::a::lost", "c::a::dies"]);
        let (mut printed, all) = (0, units(0, "all", &tests, &[]));
        let settings = Settings { filter: Some("a"), all: true };
        let mut outcomes = run(&binaries, all, 2, settings, |_, text| {
            printed += text.len();
            Ok(())
        })
        .unwrap();
        outcomes.sort_by(|a, b| a.unit.module.cmp(&b.unit.module));
        assert_eq!((outcomes[0].passed, outcomes[0].failed.len()), (2, 0), "{outcomes:?}");
        assert!(outcomes[1].failed[0].contains("not all of its 1 tests ran"), "{outcomes:?}");
        assert_eq!(outcomes[2].failed.len(), 1, "{outcomes:?}");
        assert!(printed > 2 * result(0).len());
    }

    #[test]
    fn the_tests_of_a_binary_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[ \"$3\" = --ignored ] || echo 'b: test'\necho 'a: test'; echo; echo '2 tests, 0 benchmarks'";
        let listed = list(&script(folder.path(), text), Some("filter")).unwrap();
        assert_eq!(listed, [names(&["b", "a"]), names(&["a"])]);
        assert!(list(&script(folder.path(), "exit 3"), None).is_err());
    }
}
