//! Runs a plan under a watchdog: standing still while work is left is a failure.

use std::sync::OnceLock;

use testbed_definitions::file::{EXECUTE, READ};
use testbed_runner::counters::ledger;
use testbed_runner::engines;
use testbed_runner::firmware::{self, Firmware};
use testbed_sim::engine::Engine;
use testbed_sim::load::{image, Boot, File};

use super::plan::{Language, Plan};
use super::script::Step;

/// Cycles between two looks.
const CHUNK: u64 = 16_384;
/// Instructions of a processor in ten of these that are more than a kernel's looks whether there is
/// something to do.
const BUSY: u64 = 5_000;
/// Cycles that are left to the console and the monitors after the exit.
const DRAIN: u64 = 4_000_000;
/// Bytes above this tell of progress: what is above it is the thread's id.
const PROGRESS: u8 = 0x80;
const THREAD_IDS: u8 = 64;

/// The firmware, built once.
pub fn built() -> &'static Firmware {
    static BUILT: OnceLock<Firmware> = OnceLock::new();
    BUILT.get_or_init(|| firmware::build(&firmware::root().unwrap()).unwrap_or_else(|error| panic!("{error}")))
}

/// How a run ended that was right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    pub cycles: u64,
    pub steps: u64,
}

/// Kinds of failures, so that a program is not shrunk to one that fails otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// All processors sleep, or some are busy, and nothing goes on.
    Asleep,
    Busy,
    /// It ends, and something is wrong.
    Wrong,
    /// It can't be run.
    Refused,
}

/// How a run failed.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub text: String,
}

impl Failure {
    fn new(kind: Kind, text: impl std::fmt::Display) -> Self {
        Failure { kind, text: text.to_string() }
    }
}

/// What is seen of the threads.
struct Progress {
    /// By thread: steps done, and the processor on which the last one ended.
    done: Vec<(usize, usize)>,
    /// The cycle in which one was done.
    last: u64,
    /// What the processors print beside, and which thread's numbers make no sense.
    text: Vec<String>,
}

impl Progress {
    fn see(&mut self, engine: &mut dyn Engine) {
        for byte in engine.take_console() {
            let thread = usize::from(byte.byte.wrapping_sub(PROGRESS + 1));
            if byte.byte > PROGRESS && byte.byte < PROGRESS + THREAD_IDS && thread < self.done.len() {
                self.done[thread].0 += 1;
                self.done[thread].1 = usize::from(byte.processor);
                self.last = byte.cycle;
            } else if let Some(text) = self.text.get_mut(usize::from(byte.processor)) {
                text.push(char::from(byte.byte));
                self.last = byte.cycle;
            }
        }
    }

    fn steps(&self) -> u64 {
        self.done.iter().map(|(done, _)| *done as u64).sum()
    }
}

/// Runs a plan to its end.
///
/// # Errors
/// What is not as it should be, in words.
pub fn run(plan: &Plan, program: &[u8]) -> Result<Ended, Failure> {
    run_steps(plan, &plan.steps(), program)
}

/// Runs a program in Rust with other steps than those of its plan, or any with its own.
///
/// # Errors
/// As [`run`].
pub fn run_steps(plan: &Plan, steps: &[Vec<Step>], program: &[u8]) -> Result<Ended, Failure> {
    let refused = |text| Failure::new(Kind::Refused, text);
    let mut engine = start(plan, steps, program).map_err(refused)?;
    let mut progress = Progress {
        done: vec![(0, 0); steps.len()],
        last: 0,
        text: vec![String::new(); plan.setting.machine.processors.len()],
    };
    let patience = plan.patience_ms() * u64::from(plan.setting.machine.clock_hz) / 1000;
    while engine.exits().is_empty() {
        advance(engine.as_mut(), CHUNK).map_err(refused)?;
        progress.see(engine.as_mut());
        let stands = engine.cycle() - progress.last > patience;
        let talks = progress.text.iter().any(|text| text.len() > 20_000);
        if stands || talks {
            return Err(standing(plan, engine.as_mut(), steps, &progress));
        }
    }
    let exit = engine.exits()[0];
    for _ in 0..DRAIN / CHUNK {
        advance(engine.as_mut(), CHUNK).map_err(refused)?;
        if ledger(engine.as_ref()).queued() == 0 {
            break;
        }
    }
    progress.see(engine.as_mut());
    // Threads of C print their sums where they are, and when they end.
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    let (printed, expected) = (progress.text.concat(), plan.expected());
    if sorted(&printed) != sorted(&expected) || exit.code != 0 {
        let text = format!("exit code {}; printed\n{printed}expected\n{expected}", exit.code as i32);
        return Err(Failure::new(Kind::Wrong, text));
    }
    let imbalances = ledger(engine.as_ref()).imbalances();
    if !imbalances.is_empty() {
        return Err(Failure::new(Kind::Wrong, format!("the ledger does not balance: {}", imbalances.join("; "))));
    }
    Ok(Ended { cycles: exit.cycle, steps: progress.steps() })
}

fn advance(engine: &mut dyn Engine, cycles: u64) -> Result<(), String> {
    engine.run_until(engine.cycle() + cycles).map_err(|error| error.to_string())?;
    engine.take_trace();
    Ok(())
}

/// The machine with the program, at cycle 0.
fn start(plan: &Plan, steps: &[Vec<Step>], program: &[u8]) -> Result<Box<dyn Engine>, String> {
    let machine = &plan.setting.machine;
    let (_, kernel) = built().kernel(machine.ram_bytes).map_err(|error| error.to_string())?;
    let (_, trial) = built().read("trial").map_err(|error| error.to_string())?;
    let script = plan.script_of(steps);
    let mut files = vec![File::program("program", program)];
    if plan.language == Language::Rust {
        files.push(File { name: "script", bytes: &script, permissions: READ });
    }
    if plan.invokes() {
        files.push(File { name: "trial", bytes: &trial, permissions: READ | EXECUTE });
    }
    let boot = Boot {
        options: plan.setting.kernel.options(),
        dgl: plan.setting.dgl,
        seed: plan.seed as u32,
        start_processor: u32::from(machine.processors.len() > 1),
        commands: vec![],
        arguments: vec!["script".into()],
        ..Boot::default()
    };
    let image = image(machine, ("kernel", &kernel), &files, &boot).map_err(|error| error.to_string())?;
    engines::open("emulator", machine, &image, None).map_err(|error| error.to_string())
}

/// Says who waits where.
fn standing(plan: &Plan, engine: &mut dyn Engine, steps: &[Vec<Step>], progress: &Progress) -> Failure {
    let ms = |cycles: u64| cycles * 1000 / u64::from(plan.setting.machine.clock_hz);
    let mut text = format!("no progress from {} ms on, until {} ms\n", ms(progress.last), ms(engine.cycle()));
    for (thread, (steps, (done, processor))) in steps.iter().zip(&progress.done).enumerate() {
        if let Some(step) = steps.get(*done) {
            text += &format!(
                "  thread {thread}, last seen on processor {processor}, step {done} of {}: {step:?}\n",
                steps.len()
            );
        }
    }
    let processors = 0..plan.setting.machine.processors.len();
    let before: Vec<u64> = processors.clone().map(|processor| engine.instructions(processor)).collect();
    let mut kind = Kind::Asleep;
    if advance(engine, 10 * CHUNK).is_ok() {
        let counts: Vec<u64> = processors.map(|processor| engine.instructions(processor) - before[processor]).collect();
        if counts.iter().any(|count| *count > BUSY) {
            kind = Kind::Busy;
        }
        let busy: Vec<String> = counts.iter().map(ToString::to_string).collect();
        text += &format!("  instructions in {} cycles by processor: {}\n", 10 * CHUNK, busy.join(" "));
    }
    for (processor, printed) in progress.text.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        text += &format!("  processor {processor} printed: {}\n", printed.chars().take(2000).collect::<String>());
        // A program that has said that something is wrong waits for somebody who has ended.
        kind = Kind::Wrong;
    }
    Failure::new(kind, text)
}
