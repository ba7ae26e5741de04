//! Every parser bears its valid inputs, all that are kept, and some thousand mutations; and a
//! campaign finds what is wrong.

use testbed_fuzz::targets::{named, Target};
use testbed_fuzz::{bears, campaign, kept};

/// Mutations of each parser's inputs; a hundred times as many with `TESTBED_LONG=1`.
fn cases() -> u32 {
    if std::env::var_os("TESTBED_LONG").is_some() {
        200_000
    } else {
        2_000
    }
}

#[track_caller]
fn is_borne(name: &str) {
    let target = named(name).unwrap_or_else(|| panic!("no parser is called {name}"));
    let seeds = (target.seeds)().into_iter().enumerate().map(|(number, seed)| (format!("seed {number}"), seed));
    for (name, input) in seeds.chain(kept(target)) {
        bears(target, &input).unwrap_or_else(|what| panic!("{}, {name}: {what}", target.name));
    }
    if let Err(found) = campaign(target, cases(), 1994) {
        panic!("{name}: {}\n{} bytes: {}", found.what, found.input.len(), found.input.escape_ascii());
    }
}

macro_rules! borne {
    ($($(#[$on:meta])? $test:ident: $name:literal;)*) => {
        $($(#[$on])? #[test] fn $test() { is_borne($name); })*

        #[test]
        #[cfg(feature = "host")]
        fn every_parser_has_its_test() {
            let tested = [$($name),*];
            assert_eq!(testbed_fuzz::targets::TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), tested);
        }
    };
}

borne! {
    machine_descriptions: "machine";
    records: "record";
    metadata: "metadata";
    replayed_input: "replay";
    the_command_line: "command-line";
    task_graphs: "task-graph";
    streams: "streams";
    folders: "folder";
    words_alone: "mmi";
    waves: "wave";
    frames: "frames";
    consoles: "console";
    datagrams: "datagram";
    records_of_probes: "probe";
    scripts: "script";
    expressions: "expression";
    packed_files: "packed";
    #[cfg(feature = "host")]
    elf_files: "elf";
    #[cfg(feature = "host")]
    files_for_the_filestore: "file";
    #[cfg(feature = "host")]
    rules_of_filters: "filter";
    #[cfg(feature = "host")]
    terminal_views: "view";
}

/// A parser that panics at what only a mutation makes.
const FAULTY: Target = Target {
    name: "faulty",
    what: "numbers",
    words: &[","],
    seeds: || vec![b"1,2,3".to_vec()],
    check: |input| {
        let text = String::from_utf8_lossy(input);
        for number in text.split(',').filter_map(|number| number.parse::<u64>().ok()) {
            assert!(number < 1 << 20, "{number} is too much");
        }
        Ok(())
    },
};

#[test]
fn a_campaign_finds_a_panic_and_makes_it_small_and_is_repeatable() {
    let found = campaign(&FAULTY, 10_000, 7).unwrap_err();
    assert!(found.what.starts_with("it panics: ") && found.what.ends_with("is too much"), "{found:?}");
    assert!(found.input.len() <= 24, "{found:?}");
    let again = campaign(&FAULTY, 10_000, 7).unwrap_err();
    assert_eq!((again.tried, again.input), (found.tried, found.input));
}
