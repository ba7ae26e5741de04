//! A run, by as many cycles as a page asks for, into a folder in memory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use testbed_emulator::emulator::Emulator;
use testbed_emulator::engine::Engine;
use testbed_emulator::load::Boot;
use testbed_session::asked::Asked;
use testbed_session::course::Course;
use testbed_session::look::{look, Lines, Tables};
use testbed_session::store;
use testbed_session::taking::balance_log;
use testbed_trace::analysis::Options;
use testbed_trace::capture::{
    verify, BalanceRecord, Capture, CaptureWriter, Files, Gift, RunRecord, Stop, BALANCE, THREADS,
};
use testbed_trace::export::{export, Filter, Format, Target};
use testbed_trace::order::events;
use testbed_trace::report::{collect, Shown, State};
use testbed_trace::waits::{text, waits_with, Input, Place, Snapshot};

use crate::files::{Kept, PageHost};
use crate::kit::Kit;
use crate::seen::Seen;
use crate::wishes::{Checked, Wishes};

/// The folder's name among files in memory.
const FOLDER: &str = "run";
/// Bytes of `mmi.raw` after which a run stops: a page has only so much memory, and each word lies in
/// it twice and a half.
const MMI_MAX: u64 = 256 << 20;

/// A machine that runs.
pub struct Run {
    engine: Emulator,
    course: Course,
    files: Files,
    /// `None` when the run is over.
    writer: Option<CaptureWriter>,
    record: RunRecord,
    stopped: Option<&'static str>,
    /// The kernel's ELF file.
    kernel: Vec<u8>,
    /// What waits to be given to the console when the next chunk begins.
    input: Vec<u8>,
    /// What shells ask of the page; `None` where the kernel has no shells.
    asked: Option<Asked>,
    kept: Kept,
    /// What was printed, each byte with its processor, and not taken yet.
    console: Vec<(u8, u8)>,
    mmi_bytes: u64,
    seen: Seen,
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Run {
    /// Starts what `wishes` ask for with what `kit` has; nothing has run yet.
    ///
    /// # Errors
    /// What is wrong with the wishes or the files, with a remedy.
    pub fn new(wishes: &Wishes, kit: &Kit) -> Result<Self, String> {
        let checked = wishes.check()?;
        let Checked { machine, kernel, dgl, commands } = &checked;
        let files = kit.files(machine, wishes)?;
        let boot = Boot {
            options: kernel.options(),
            dgl: *dgl,
            seed: wishes.seed,
            // The master has no monitor.
            start_processor: u32::from(machine.processors.len() > 1),
            commands: commands.clone(),
            arguments: wishes.arguments.clone(),
            balancer: wishes.balance.as_ref().map_or_else(Vec::new, BalanceRecord::arguments),
            ..Boot::default()
        };
        let (name, elf) = kit.kernel(*kernel);
        let image = store::image(machine, (name, elf), &files, &boot).map_err(said)?;
        let engine = Emulator::new(machine, &image).map_err(said)?;
        let record = RunRecord {
            arguments: wishes.arguments.clone(),
            engine: engine.name().into(),
            seed: wishes.seed,
            kernel: Some(*kernel),
            files: files.iter().map(|file| file.name.clone()).collect(),
            dgl: *dgl,
            filters: wishes.filters.clone(),
            totals: wishes.totals,
            balance: wishes.balance.clone(),
            ..RunRecord::new(machine, &wishes.program)
        };
        let host = PageHost {
            machine: machine.clone(),
            kernel: elf.to_vec(),
            given: kit.given.clone(),
            kept: Kept::default(),
        };
        Run::begin(engine, record, host, wishes.cycles.unwrap_or(u64::MAX))
    }

    fn begin(engine: Emulator, record: RunRecord, host: PageHost, limit: u64) -> Result<Self, String> {
        let files = Files::memory();
        let writer = CaptureWriter::in_memory(&files, Path::new(FOLDER), &host.machine, &record).map_err(said)?;
        let (kernel, kept) = (host.kernel.clone(), host.kept.clone());
        Ok(Run {
            asked: Tables::of(&kernel).map(|tables| Asked::new(tables, Box::new(host))),
            kept,
            kernel,
            course: Course::new(&engine, limit),
            seen: Seen::new(&record, u64::from(record.machine.clock_hz)),
            engine,
            files,
            writer: Some(writer),
            record,
            stopped: None,
            input: Vec::new(),
            console: Vec::new(),
            mmi_bytes: 0,
        })
    }

    /// What ran, as it is known now.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// The machine cycle that has been reached.
    pub fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    /// Gives the machine bytes at its console, when the next chunk begins.
    pub fn give(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }

    /// Goes on until this cycle, or until the run is over.
    ///
    /// # Errors
    /// The machine has put out what no sound one does.
    pub fn advance(&mut self, until: u64) -> Result<(), String> {
        while self.stopped.is_none() && self.engine.cycle() < until {
            self.step(until)?;
        }
        Ok(())
    }

    fn step(&mut self, until: u64) -> Result<(), String> {
        if self.course.is_at_limit(&self.engine) {
            return self.stop("limit", Stop::Limit);
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        if Course::is_at_chunk(&self.engine) {
            let mut bytes = std::mem::take(&mut self.input);
            if let Some(asked) = &mut self.asked {
                asked.look(&mut self.engine);
                bytes = asked.pass(bytes);
            }
            if !bytes.is_empty() {
                let gift = Gift { cycle: self.engine.cycle(), bytes };
                writer.input(&gift).map_err(said)?;
                self.engine.give_console(&gift.bytes).map_err(said)?;
            }
        }
        let output = self.course.step_to(&mut self.engine, until).map_err(said)?;
        self.mmi_bytes += 4 * output.words.len() as u64;
        self.seen.take(&output.words);
        writer.words(output.words.into_iter().map(|word| (word.cycle, word.word))).map_err(said)?;
        let stamped = output.console.iter().map(|byte| (byte.cycle, byte.processor, byte.byte));
        writer.printed(&stamped.collect::<Vec<_>>(), self.engine.cycle()).map_err(said)?;
        let printed: Vec<_> = output.console.into_iter().map(|byte| (byte.processor, byte.byte)).collect();
        // What a shell asks is in the capture, and is not shown.
        let shown = self.asked.as_mut().map(|asked| asked.hear(&printed));
        self.console.extend(shown.unwrap_or(printed));
        if self.course.is_over(&self.engine) {
            return self.stop("exit", Stop::Exit);
        }
        if self.mmi_bytes > MMI_MAX {
            return self.stop("full", Stop::User);
        }
        Ok(())
    }

    /// Ends the run where it is.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn end(&mut self) -> Result<(), String> {
        if self.stopped.is_some() {
            return Ok(());
        }
        self.stop("user", Stop::User)
    }

    fn stop(&mut self, why: &'static str, stop: Stop) -> Result<(), String> {
        self.stopped = Some(why);
        self.record = self.course.complete(&self.engine, self.record.clone(), stop);
        self.seen.end(self.engine.cycle());
        self.take_log()?;
        if self.record.exits.is_empty() {
            self.write(THREADS, self.snapshot().json().as_bytes())?;
        }
        match self.writer.take() {
            Some(writer) => writer.finish(&self.record).map_err(said),
            None => Ok(()),
        }
    }

    /// What was printed since the last call, each byte with its processor.
    pub fn take_console(&mut self) -> Vec<(u8, u8)> {
        std::mem::take(&mut self.console)
    }

    /// Draws the last so many cycles from now on.
    pub fn draw_last(&mut self, cycles: u64) {
        self.seen.picture.draw_last(&self.record, cycles);
    }

    /// What is to be drawn now.
    pub fn shown(&self) -> Option<Shown> {
        self.seen.picture.shown()
    }

    /// How far it is.
    pub fn state(&mut self) -> State {
        let count = self.engine.machine().processors.len();
        let smis: Vec<_> = (1..count).map(|smi| self.engine.smi(smi)).collect();
        let (moves, moved) = self.seen.picture.moves();
        let exits = self.engine.exits();
        let name = |processor: u8| self.record.machine.processors[usize::from(processor)].clone();
        let held = self.asked.as_ref().map_or(0, Asked::held);
        let state = State {
            cycle: self.engine.cycle(),
            stopped: self.stopped,
            exits: exits.iter().map(|exit| (name(exit.processor), exit.cycle, exit.code)).collect(),
            input_waiting: self.input.len() + held + self.engine.console_waiting(),
            instructions: (0..count).map(|processor| self.engine.instructions(processor)).collect(),
            events: 0,
            event_rate: 0.0,
            proven: 0,
            processors: Vec::new(),
            links: Vec::new(),
            threads: 0,
            moves,
            moved,
            dropped: smis.iter().map(|smi| u64::from(smi.dropped)).sum(),
            filtered: smis.iter().map(|smi| u64::from(smi.filtered)).sum(),
            bytes: self.mmi_bytes,
        };
        state.with(&self.seen.picture.watch().view(), &self.record.machine.processors)
    }

    /// Takes the balancer's log out of the machine as it is now, if there is a balancer.
    fn take_log(&self) -> Result<(), String> {
        let log = self.record.balance.as_ref().and_then(|_| balance_log(&self.engine, &self.kernel));
        log.map_or(Ok(()), |log| self.write(BALANCE, &log))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.files.write(&Path::new(FOLDER).join(name), bytes).map_err(said)
    }

    /// What every thread does now. Whoever has the page may type at any time.
    fn snapshot(&self) -> Snapshot {
        look(&self.engine, &self.kernel, Input::Given, &|_| None::<NoLines>)
    }

    /// Who waits for whom now, and who can never go on: the text of `testbed analyse DIR waits`.
    ///
    /// # Errors
    /// The trace can't be read.
    pub fn waits(&self) -> Result<String, String> {
        let mut capture = self.capture()?;
        let integrity = verify(&capture).map_err(said)?;
        capture.record = self.course.present(&self.engine, self.record.clone());
        let report = waits_with(&capture, &integrity, Some(&self.snapshot())).map_err(said)?;
        Ok(text(&report))
    }

    /// Names and sizes of the files that the machine has handed over.
    pub fn kept(&self) -> Vec<(String, usize)> {
        self.kept.lock().iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect()
    }

    fn capture(&self) -> Result<Capture, String> {
        self.take_log()?;
        Capture::open_in(&self.files, Path::new(FOLDER)).map_err(said)
    }

    /// A file of the run's folder, one that is made of it (`report.html`, `trace.perfetto`), or one
    /// that the machine has handed over.
    ///
    /// # Errors
    /// There is none of this name, or it can't be made; why is said.
    pub fn file(&self, name: &str) -> Result<Vec<u8>, String> {
        match name {
            "report.html" => {
                let page = collect(&self.capture()?, &Options::default()).map_err(said)?;
                Ok(page.html().into_bytes())
            }
            "trace.perfetto" => self.perfetto(),
            name => {
                if let Some(bytes) = self.kept.lock().get(name) {
                    return Ok(bytes.clone());
                }
                if name == BALANCE {
                    self.take_log()?;
                }
                let path = Path::new(FOLDER).join(name);
                let found = self.files.contents().into_iter().find(|(own, _)| *own == path);
                found.map(|(_, bytes)| bytes).ok_or_else(|| format!("the run has left no file `{name}`"))
            }
        }
    }

    /// Names of the files in the run's folder.
    pub fn names(&self) -> Vec<PathBuf> {
        let strip = |path: PathBuf| path.strip_prefix(FOLDER).map(Path::to_path_buf).unwrap_or(path);
        self.files.contents().into_iter().map(|(path, _)| strip(path)).collect()
    }

    fn perfetto(&self) -> Result<Vec<u8>, String> {
        let capture = self.capture()?;
        let integrity = verify(&capture).map_err(said)?;
        let events = events(&capture, &integrity).map_err(said)?;
        let out = Shared::default();
        let target = Target::Stream(Box::new(out.clone()));
        let record = &capture.record;
        export(events, record, &Filter::default(), Format::Perfetto, target, true).map_err(said)?;
        let mut bytes = out.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *bytes))
    }
}

/// A page has no debugging information, and so no lines of sources.
struct NoLines;

impl Lines for NoLines {
    fn of_call(&self, _: u32, _: u32) -> Vec<Place> {
        Vec::new()
    }
}

/// Bytes that somebody else writes.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
