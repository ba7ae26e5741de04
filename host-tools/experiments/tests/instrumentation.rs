//! What instrumentation takes of the kernel, shown with real kernels.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use testbed_definitions::{event, map};
use testbed_experiments::instrumentation::{event_sites, share};
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_runner::firmware::{self, Firmware};
use testbed_sim::engine::Engine;
use testbed_sim::load::{image, Boot, File};

/// Cycles after which a program that has not ended fails the test.
const LIMIT: u64 = 50_000_000;
const STEP: u64 = 1 << 16;

fn built() -> &'static Firmware {
    static BUILT: OnceLock<Firmware> = OnceLock::new();
    BUILT.get_or_init(|| firmware::build(&firmware::root().unwrap()).unwrap_or_else(|error| panic!("{error}")))
}

/// Runs a program on earth to its end, and shows the engine to `look` after each step.
fn run(built: &Firmware, words: &[&str], mut look: impl FnMut(&mut dyn Engine)) {
    let machine = Machine::testbed6();
    let (_, kernel) = built.kernel(machine.ram_bytes).unwrap();
    let (_, program) = built.read(words[0]).unwrap();
    let dgl = event::DIAG_ALL & !event::DIAG_READY;
    let arguments = words[1..].iter().map(|word| word.to_string()).collect();
    let boot = Boot { dgl, start_processor: 1, arguments, ..Boot::default() };
    let image = image(&machine, ("kernel", &kernel), &[File::program(words[0], &program)], &boot).unwrap();
    let mut engine = engines::open("emulator", &machine, &image, None).unwrap();
    engine.record_retirements(Some(1));
    while engine.exits().is_empty() {
        assert!(engine.cycle() < LIMIT, "{} does not end", words[0]);
        engine.run_until(engine.cycle() + STEP).unwrap();
        look(engine.as_mut());
    }
    assert_eq!(engine.exits()[0].code, 0, "{} fails", words[0]);
}

fn emitted(engine: &dyn Engine) -> Vec<u32> {
    (0..engine.machine().processors.len()).map(|processor| engine.smi(processor).emitted).collect()
}

#[test]
fn instrumentation_has_its_share() {
    let found = share(built()).unwrap();
    println!("{found:?}");
    println!(
        "{:.2} % of the code, {:.2} % emit, {:.2} % of the lines; {} instructions of other kinds",
        found.percent(),
        found.emitting_percent(),
        found.lines.percent(),
        found.others()
    );
    for size in [found.with, found.without] {
        assert_eq!(size.bytes, 4 * size.instructions, "all of it is code");
    }
    assert!((0.1..20.0).contains(&found.percent()));
    assert!(found.emitting_percent() < found.percent() && found.sites.instructions() < found.instructions());
    // Each class that is tested for is loaded, picked out and branched by; one load may serve two
    // tests. The agent of the load compares and changes bits of the same word, without a branch.
    let sites = found.sites;
    let branched = sites.branches + sites.branches / 10;
    assert!(sites.loads <= sites.masks && sites.masks <= branched, "{sites:?}");
    assert!((0.1..10.0).contains(&found.lines.percent()), "{:?}", found.lines);
    assert_eq!(sites.stores, event_sites(built()).unwrap().len() as u64);
}

#[test]
fn a_kernel_without_events_emits_none() {
    let without = built().unmonitored().unwrap();
    assert!(event_sites(&without).unwrap().is_empty());
    let mut last = vec![];
    run(&without, &["hello"], |engine| last = emitted(engine));
    assert!(last.len() == 6 && last.iter().all(|&words| words == 0), "{last:?}");
    run(built(), &["hello"], |engine| last = emitted(engine));
    assert!(last[1] > 0, "with events there are some");
}

/// What emits while a program runs is among the sites that were found without running it.
#[test]
fn every_store_to_the_monitor_is_found() {
    let sites: BTreeSet<u32> = event_sites(built()).unwrap().into_iter().collect();
    let mut seen = BTreeSet::new();
    let register = map::SMI_BASE + map::smi::EVENT;
    for words in [&["remote", "4", "2", "1"][..], &["local", "4", "2", "1"], &["migrate", "4", "3000", "1"]] {
        run(built(), words, |engine| {
            let stores = engine.take_retirements();
            seen.extend(stores.iter().filter(|one| one.store && one.address == register).map(|one| one.pc));
        });
    }
    let missed: Vec<_> = seen.difference(&sites).map(|pc| format!("{pc:#010x}")).collect();
    assert!(missed.is_empty(), "{} of {} not found: {missed:?}", missed.len(), seen.len());
    assert!(seen.len() > 20, "only {} of {} sites have emitted", seen.len(), sites.len());
}
