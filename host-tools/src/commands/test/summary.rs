//! What `testbed test` says at its end: how long each file of tests took, which tests failed, and
//! which were left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use itertools::Itertools;

use super::collect::Binary;
use super::schedule::Outcome;

/// A table of all files of tests, the longest first, and lists of the tests that did not run and of
/// those that failed.
pub fn text(binaries: &[Binary], outcomes: &[Outcome], left_out: &[String]) -> String {
    let mut text = String::from("\nseconds  tests of\n");
    let mut line = |seconds: f64, what: &str| writeln!(text, "{seconds:7.1}  {what}").expect("text takes all");
    let mut files: BTreeMap<String, f64> = BTreeMap::new();
    for outcome in outcomes {
        *files.entry(file(&binaries[outcome.unit.binary], &outcome.unit.module)).or_default() += outcome.seconds;
    }
    files.iter().sorted_by(|(_, a), (_, b)| b.total_cmp(a)).for_each(|(file, seconds)| line(*seconds, file));
    line(files.values().sum(), "all together");
    let passed: usize = outcomes.iter().map(|outcome| outcome.passed).sum();
    let failed: Vec<&String> = outcomes.iter().flat_map(|outcome| &outcome.failed).collect();
    let mut list = |title: String, names: &mut dyn Iterator<Item = &String>| {
        writeln!(text, "\n{title}").expect("text takes all");
        names.for_each(|name| writeln!(text, "  {name}").expect("text takes all"));
    };
    if !left_out.is_empty() {
        let title = format!("{} tests were skipped; `cargo testbed test --long` runs them too:", left_out.len());
        list(title, &mut left_out.iter());
    }
    list(format!("{passed} tests passed, {} failed", failed.len()), &mut failed.into_iter());
    text
}

/// The target, and of a target with modules the outermost one.
fn file(binary: &Binary, module: &str) -> String {
    let outermost = module.split("::").next().unwrap_or_default();
    // Of `programs`, every test is a module.
    let module = if binary.target == "programs" { "" } else { outermost };
    [&binary.package, &binary.target, module].join(" ").trim_end().into()
}

#[cfg(test)]
mod tests {
    use super::super::collect::tests::script;
    use super::super::schedule::Unit;
    use super::*;

    fn outcome(module: &str, seconds: f64, failed: &[&str]) -> Outcome {
        let unit = Unit { binary: 0, module: module.into(), tests: vec![], left_out: 0 };
        Outcome { unit, seconds, passed: 3, failed: failed.iter().map(|name| (*name).into()).collect() }
    }

    #[test]
    fn the_longest_comes_first_and_what_was_left_out_is_named_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let binaries = [script(folder.path(), "")];
        let outcomes =
            [outcome("short", 0.25, &[]), outcome("long::a", 60.0, &["long::a::wrong"]), outcome("long::b", 40.0, &[])];
        let left_out = ["one", "two"].map(String::from);
        let found = text(&binaries, &outcomes, &left_out);
        let lines: Vec<_> = found.lines().skip(2).collect();
        let table = ["  100.0  package script long", "    0.2  package script short", "  100.2  all together", ""];
        assert_eq!(lines[..4], table, "{found}");
        assert!(lines[4].starts_with("2 tests were skipped"), "{found}");
        assert_eq!(lines[5..], ["  one", "  two", "", "9 tests passed, 1 failed", "  long::a::wrong"]);
        let found = text(&binaries, &outcomes[..1], &[]);
        assert!(!found.contains("skipped") && found.ends_with("\n3 tests passed, 0 failed\n"), "{found}");
    }
}
