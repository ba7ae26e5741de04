//! Random programs in Rust and in C on random machines: each computes what its generator knows,
//! under a watchdog that calls standing still a failure. A seed that fails is shrunk to its
//! smallest program and said.
//!
//! `TESTBED_TRIALS=rust:17` (or `c:17`, or a range, `rust:1..500`) runs these seeds and no others;
//! `testbed test --long` some thousands.

mod c_source;
mod generate;
mod plan;
mod script;
mod shrink;
mod watch;

pub use watch::built;

use std::collections::BTreeSet;
use std::path::Path;

use plan::{Act, End, Language, Op, Place, Plan, Setting, Stacks, Thread};
use script::Step;
use testbed_definitions::page::{PAGE_BYTES, VIRTUAL_BYTES};
use testbed_machine::{Machine, Order};
use testbed_trace::capture::KernelKind;
use watch::Kind;

/// Seeds of a short run and of a long one.
const RUST: [u64; 2] = [60, 3000];
const C: [u64; 2] = [60, 1000];

/// Seeds beyond the first ones that have shown faults, which are mended: they run each time.
fn once_failed(language: Language) -> &'static [u64] {
    match language {
        Language::Rust => &[73, 152, 193, 199, 563, 916, 967, 1102, 1393, 1409, 1468, 2463],
        Language::C => &[93],
    }
}

/// The seeds to run: those of `TESTBED_TRIALS` for this language, or the first ones.
fn seeds(language: Language, counts: [u64; 2]) -> Vec<u64> {
    let Ok(wanted) = std::env::var("TESTBED_TRIALS") else {
        let first = 0..counts[usize::from(crate::common::is_long())];
        let others = once_failed(language).iter().copied().filter(|seed| !first.contains(seed));
        return first.clone().chain(others).collect();
    };
    let name = if language == Language::C { "c" } else { "rust" };
    let number =
        |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("TESTBED_TRIALS={wanted}: `{text}` is no seed"));
    let (kind, range) =
        wanted.split_once(':').unwrap_or_else(|| panic!("TESTBED_TRIALS={wanted}: write rust:7 or c:1..100"));
    match range.split_once("..") {
        _ if kind != name => Vec::new(),
        Some((first, end)) => (number(first)..number(end)).collect(),
        None => vec![number(range)],
    }
}

/// Runs the plans of these seeds; fails with all that failed, each in its smallest form.
fn trials(language: Language, seeds: Vec<u64>, build: impl Fn(&Plan) -> Vec<u8>) {
    let (mut failed, mut cycles, mut steps) = (Vec::new(), 0, 0);
    for seed in seeds {
        let plan = generate::plan(seed, language);
        match watch::run(&plan, &build(&plan)) {
            Ok(ended) => {
                cycles += ended.cycles;
                steps += ended.steps;
            }
            Err(first) => {
                let run =
                    |plan: &Plan| watch::run(plan, &build(plan)).err().filter(|failure| failure.kind == first.kind);
                let smallest = shrink::shrink(&plan, |plan| run(plan).is_some());
                let why = run(&smallest).map(|failure| failure.text).unwrap_or_default();
                eprintln!("{language:?} seed {seed} fails ({:?}): {}", first.kind, first.text);
                eprintln!("smallest, on {:?}:\n{}{why}", smallest.setting, smallest.text());
                eprintln!("{}", keep(&smallest, &build(&smallest)));
                failed.push(seed);
            }
        }
    }
    eprintln!("{language:?}: {steps} steps in {cycles} cycles");
    assert!(failed.is_empty(), "seeds that fail: {failed:?}; TESTBED_TRIALS={language:?}:SEED runs one");
}

/// Leaves a program, its script or source and its machine in a folder; the command that runs it.
fn keep(plan: &Plan, program: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{:?}-{}", plan.language, plan.seed));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let machine = write("machine.toml", plan.setting.machine.to_toml().as_bytes());
    let what = match plan.language {
        Language::Rust => format!("trial script --file {}=script", write("script", &plan.script())),
        Language::C => {
            write("program.c", c_source::text(plan).as_bytes());
            format!("{} --file trial", write("program", program))
        }
    };
    let (kernel, dgl) = (plan.setting.kernel.name(), plan.setting.dgl);
    format!("testbed run {what} --machine {machine} --kernel {kernel} --dgl {dgl} --seed {}", plan.seed as u32)
}

#[test]
fn random_programs_in_rust() {
    let (_, program) = watch::built().read("trial").unwrap();
    trials(Language::Rust, seeds(Language::Rust, RUST), |_| program.clone());
}

#[test]
fn random_programs_in_c() {
    let folder = tempfile::tempdir().unwrap();
    trials(Language::C, seeds(Language::C, C), |plan| c_source::build(plan, folder.path()));
}

/// A small plan whose threads exchange messages.
fn plan_with_messages() -> Plan {
    let has_messages = |plan: &Plan| plan.ops.iter().any(|op| matches!(op, plan::Op::Message { bytes: 4.., .. }));
    (0..).map(|seed| generate::plan(seed, Language::Rust)).find(has_messages).unwrap()
}

#[test]
fn random_programs_that_stand_still_or_err_are_seen() {
    let (_, program) = watch::built().read("trial").unwrap();
    let plan = plan_with_messages();
    let run = |change: &dyn Fn(&mut Vec<Step>)| {
        let mut steps = plan.steps();
        steps.iter_mut().for_each(change);
        watch::run_steps(&plan, &steps, &program).map_err(|failure| failure.kind)
    };
    assert!(run(&|_| ()).is_ok());
    // Nobody sends any more, and whoever receives waits for ever.
    let silent = |steps: &mut Vec<Step>| steps.retain(|step| !matches!(step, Step::Send { .. }));
    assert_eq!(run(&silent).err(), Some(Kind::Asleep));
    // One bit of what is sent is another one.
    let wrong = |steps: &mut Vec<Step>| {
        for step in steps {
            if let Step::Send { key, .. } = step {
                *key ^= 1 << 9;
            }
        }
    };
    assert_eq!(run(&wrong).err(), Some(Kind::Wrong));
}

/// A message that takes all data buffers leaves its sender's processor with nothing to do, and a
/// thread that invokes elsewhere needs a buffer next.
#[test]
fn random_programs_invoke_when_all_buffers_were_taken() {
    let (_, program) = watch::built().read("trial").unwrap();
    let Plan { mut setting, .. } = generate::plan(0, Language::Rust);
    setting.machine = Machine { processors: ["p0", "p1", "p2"].map(String::from).to_vec(), ..Machine::testbed6() };
    setting.dgl = 0;
    let in_stack = 20 * PAGE_BYTES;
    let first =
        Thread { parent: 0, processor: 1, top: VIRTUAL_BYTES, pages: 16, arena: 0..in_stack, in_stack: 0, deep: 1 };
    let top = Stacks::new().take(29);
    let second = Thread { processor: 2, top, pages: 29, arena: in_stack..in_stack, in_stack, ..first.clone() };
    for kernel in [KernelKind::Default, KernelKind::Tos94] {
        for bytes in [15_000, 16_000, 17_766, 20_000] {
            let message = |channel, key| Op::Message {
                channel,
                from: End { thread: 0, place: Place::Arena(424) },
                to: End { thread: 1, place: Place::Stack(347) },
                key,
                bytes,
                room: bytes,
            };
            let invoke = |thread, processor| Op::Local { thread, act: Act::Invoke { processor, seed: 14_697_397 } };
            let plan = Plan {
                seed: 0,
                language: Language::Rust,
                setting: Setting { kernel, ..setting.clone() },
                threads: vec![first.clone(), second.clone()],
                ops: vec![invoke(1, 1), message(28, 1_042_395_649), invoke(0, 2), message(76, 1_050_861_852)],
            };
            let ended = watch::run(&plan, &program);
            assert!(ended.is_ok(), "{} bytes, kernel {}: {ended:?}", bytes, kernel.name());
        }
    }
}

/// A short run has everything that programs can do, everywhere that they can do it.
#[test]
fn random_programs_have_everything() {
    let (mut kinds, mut processors, mut settings) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut longest = 0;
    for (language, count) in [(Language::Rust, RUST[0]), (Language::C, C[0])] {
        for plan in (0..count).map(|seed| generate::plan(seed, language)) {
            assert_eq!(plan.script(), generate::plan(plan.seed, language).script(), "a seed is a program");
            let machine = &plan.setting.machine;
            processors.insert(machine.processors.len());
            settings.insert((machine.ram_bytes, plan.setting.kernel.name(), machine.order == Order::Time));
            for step in plan.steps().iter().flatten() {
                // The step's name, and of one for itself what it does.
                let text = format!("{step:?}");
                let name = text.strip_prefix("Local(").unwrap_or(&text);
                kinds.insert(format!("{language:?} {}", name.split([' ', ')']).next().unwrap_or_default()));
                if let Step::Send { bytes, .. } = step {
                    longest = longest.max(*bytes);
                }
            }
        }
    }
    // Both languages have all but blocks of the heap, which C has.
    assert_eq!(kinds.len(), 17 + 18, "{kinds:?}");
    assert!(processors.len() >= 12 && processors.contains(&1) && processors.contains(&16), "{processors:?}");
    assert!(settings.len() >= 12 && longest > 65_536, "{settings:?} {longest}");
}
