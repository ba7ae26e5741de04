//! `testbed run`: a program on a machine, its output folder, and a summary of the ordered trace.

mod host;
mod text;
mod waves;

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use itertools::Itertools;
use testbed_definitions::boot::{is_small, SMALL_BELOW};
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::{input, suggest, units, Machine, Order};
use testbed_runner::drive::drive;
use testbed_runner::files::{filestore, Source, Stored, Wanted};
use testbed_runner::firmware::Firmware;
use testbed_runner::look::Tables;
use testbed_runner::operator::{is_capable, Asked, Operator, Terminal, View};
use testbed_runner::{engines, filter, firmware, image, tell};
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::Boot;
use testbed_trace::capture::{
    verify, BalanceRecord, Capture, Claim, Gift, Integrity, KernelKind, RunRecord, BALANCE, CONSOLE_LOG, FILES, INPUT,
    THREADS,
};
use testbed_trace::order::events;
use testbed_trace::summary::Summary;

use self::host::HostFiles;
pub use self::text::check_master;
use self::waves::WaveOptions;
use super::balance::Balance;
use super::classes::classes;
use super::faults::{self, Losing};
use super::getting::{self, Getting, Wish};
use super::left;
use super::progress::{cycles, spinner};
use super::source::warn;
use super::{begin, ending, grouped, output_folder, Exit, Failure};

/// Machine time after which a run ends unless told otherwise.
const DEFAULT_SECONDS: u64 = 120;
/// Bytes of console input from a file, at most: a machine takes hours to read them.
const INPUT_BYTES: u64 = 64 << 20;

/// Runs a program and leaves what its monitors saw in a folder.
///
/// If the program has not ended when the run does, it is said who waits for whom, and who can never
/// go on. The exit code is then 7, or 0 if --for or --cycles has asked for a part of the run and
/// some thread may go on; 130 after Ctrl-C.
#[derive(Args, Debug)]
pub struct Run {
    /// A program of firmware/programs, or the path of an ELF file
    pub program: String,
    /// Arguments for the program
    #[arg(trailing_var_arg = false)]
    pub arguments: Vec<String>,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    pub engine: String,
    /// A machine by name (testbed6, testbed2, ulx3s-85f, hx8k-evn, report1991, bench) or a TOML file
    #[arg(long, default_value = "testbed6", value_name = "FILE|NAME")]
    pub machine: String,
    /// Stop after this machine time, such as 500ms, 20us or 2s [default: 120s]
    #[arg(long = "for", value_name = "TIME", conflicts_with = "cycles")]
    pub time: Option<String>,
    /// Stop after this many machine cycles
    #[arg(long, value_name = "N")]
    pub cycles: Option<u64>,
    /// Output folder; an earlier run in it is replaced
    /// [default: out/PROGRAM, where an earlier run is kept as out/PROGRAM.1, .2 and so on]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u32,
    /// default, or tos94: message components wait for the main loop, as in the report; with little
    /// RAM there is only the small kernel
    #[arg(long, default_value = "default", value_name = "KIND")]
    pub kernel: String,
    /// Put this file into the filestore too; a program of firmware/programs or an ELF file can be executed (repeatable)
    #[arg(long = "file", value_name = "PATH[=NAME]")]
    pub files: Vec<String>,
    #[command(flatten)]
    waves: WaveOptions,
    /// Event classes: profile, ready, timer, user, detail, load, joined by `+`; or a number
    /// [default: profile+timer+user, with --balance load]
    #[arg(long)]
    pub dgl: Option<String>,
    /// Let the monitors pass, drop or count events: `ACTION CODE[/MASK][,...]`, as in `drop
    /// TIMER,0x0200/0xff00`; the first that fits decides (repeatable)
    #[arg(long = "filter", value_name = "RULES")]
    pub filters: Vec<String>,
    /// Ticks of the global clock between the totals of what filters count, a power of two [default: 65536]
    #[arg(long, value_name = "TICKS")]
    pub totals: Option<u32>,
    /// Console input: a file, all of it from the start, or `-` for lines as they are typed, until
    /// Ctrl-D; without --for the run then takes as long as it takes
    #[arg(long, value_name = "FILE|-")]
    pub input: Option<String>,
    /// Console input as an earlier run had it, in the same cycles: the file `input` of its folder
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    pub replay: Option<PathBuf>,
    /// Which pair the MMI takes from the SMIs: that of the next in turn, or the oldest [default: what the machine says]
    #[arg(long, value_name = "turns|time")]
    pub order: Option<String>,
    #[command(flatten)]
    pub getting: Getting,
    #[command(flatten)]
    pub balance: Balance,
    #[command(flatten)]
    pub losing: Losing,
    /// Somebody has seen the console while the program ran.
    #[arg(skip)]
    seen: Cell<bool>,
}

impl Run {
    pub fn run(&self) -> Result<Exit, Failure> {
        let machine = self.ordered(Machine::load(&self.machine)?)?;
        let (record, _claim, taken) = self.execute(&machine)?;
        let exit = self.report(&record)?;
        taken.map(|()| exit)
    }

    /// `machine` with the order of the command line.
    fn ordered(&self, machine: Machine) -> Result<Machine, Failure> {
        let Some(name) = &self.order else { return Ok(machine) };
        let order = Order::named(name).ok_or_else(|| {
            let names = Order::ALL.map(Order::name);
            let (meant, names) = (suggest::question(name, names), names.join(" or "));
            Failure::new(Exit::Input, format!("--order: no order is called `{name}`\n  help: {meant}use {names}"))
        })?;
        Ok(Machine { order, ..machine })
    }

    /// Where the run's output goes.
    pub fn folder(&self) -> PathBuf {
        output_folder(self.out.as_deref(), Path::new(&self.program))
    }

    /// The program to start and the files of the command line, checked to be there.
    fn wanted(&self) -> Result<(Wanted, Vec<Wanted>), Failure> {
        let root = firmware::root()?;
        if !self.program.contains('/') {
            firmware::check_program(&root, &self.program)?;
        }
        let programs = firmware::programs(&root)?;
        let source = Source::new(&self.program, &programs);
        let first = Wanted { name: source.name(), source };
        let mut more: Vec<_> = self.files.iter().map(|text| Wanted::new(text, &programs)).collect();
        first.source.check(true)?;
        more.iter().try_for_each(|wanted| wanted.source.check(false))?;
        self.balance.files(&programs, &mut more)?;
        Ok((first, more))
    }

    /// The kernel that `machine` gets: the small one has no policy to choose.
    fn kernel(&self, machine: &Machine) -> Result<KernelKind, Failure> {
        let known = KernelKind::ALL.into_iter().find(|kind| kind.name() == self.kernel);
        let kind = known.ok_or_else(|| {
            let names = KernelKind::ALL.map(KernelKind::name);
            let (meant, names) = (suggest::question(&self.kernel, names), names.join(" or "));
            let message = format!("--kernel: no kernel is called `{}`\n  help: {meant}use {names}", self.kernel);
            Failure::new(Exit::Input, message)
        })?;
        match (is_small(machine.ram_bytes), kind) {
            (false, kind) => Ok(kind),
            (true, KernelKind::Default) => Ok(KernelKind::Small),
            (true, _) => {
                let bytes = |bytes: u32| units::print(bytes.into(), units::BYTES);
                let (ram, enough) = (bytes(machine.ram_bytes), bytes(SMALL_BELOW));
                let message = format!(
                    "--kernel: {} has {ram} of RAM, for which there is the small kernel only, without `{}`\n  \
                     help: take a machine with at least {enough}",
                    machine.name, self.kernel
                );
                Err(Failure::new(Exit::Input, message))
            }
        }
    }

    /// Runs the program into the output folder; all inputs are checked before anything is built.
    /// An earlier run's folder is cleared when nothing but the machine itself can fail any more.
    /// The last result says whether the files of `--get` could be taken: a run without them is
    /// reported too.
    pub fn execute(&self, machine: &Machine) -> Result<(RunRecord, Claim, Result<(), Failure>), Failure> {
        if !engines::NAMES.contains(&self.engine.as_str()) {
            return Err(engines::OpenError::Unknown { name: self.engine.clone() }.into());
        }
        let waves = self.waves.of(&self.engine)?;
        let limit = self.limit(machine)?;
        let dgl = self.dgl.as_deref().map(classes).transpose()?;
        let dgl = dgl.or(self.balance.classes()).unwrap_or(DIAG_DEFAULT);
        let commands = filter::commands(&self.filters, self.totals, dgl)?;
        let kernel = self.kernel(machine)?;
        let operator = self.operator(machine)?;
        let balance = self.balance.chosen(machine, dgl)?;
        let faults = self.losing.chosen(machine)?;
        let wishes = self.getting.wishes(machine, start(machine) as usize, &self.folder())?;
        let (first, wanted) = self.wanted()?;
        check_master(&self.program, machine, "take `testbed exec` and a program without kernel, or remove `headless`")?;
        let spinner = spinner("building the firmware");
        let root = firmware::root()?;
        let built = firmware::build(&root)?;
        let files = filestore(machine, &root, &built, &first, &wanted)?;
        let boot = Boot {
            options: kernel.options(),
            dgl,
            seed: self.seed,
            start_processor: start(machine),
            commands,
            arguments: self.arguments.clone(),
            balancer: balance.as_ref().map_or_else(Vec::new, BalanceRecord::arguments),
            faults: faults.as_ref().map(faults::thresholds),
            copies: faults.as_ref().map_or(0, faults::copies_word),
        };
        let image = image::of_files(machine, &built, &files, &boot)?;
        let claim = Claim::new(&self.folder())?;
        spinner.set_message(format!("starting the {} engine", self.engine));
        let mut engine = engines::open(&self.engine, machine, &image, waves)?;
        spinner.finish_and_clear();
        let record = RunRecord { balance: balance.clone(), faults, ..self.record(machine, (dgl, kernel), &files) };
        let is_bounded = self.time.is_some() || self.cycles.is_some();
        let bar = if self.is_live() { ProgressBar::hidden() } else { cycles(is_bounded.then_some(limit)) };
        let operator = self.at_terminal(machine, &built, &bar)?.unwrap_or(operator);
        let operator = self.answering(operator, machine, &built)?;
        let mut operator = ending::stoppable(operator)?;
        // Behind it: who sees the folder may end the run, and no signal is to be lost.
        let (claim, writer) = begin(claim, self.out.is_some(), machine, &record)?;
        let mut log = self.balance.log(machine, &built, &self.folder())?;
        let driven = drive(engine.as_mut(), writer, record, limit, &mut operator, |engine| {
            bar.set_position(engine.cycle());
            log.iter_mut().for_each(|log| log.follow(engine));
        });
        // Also if the engine has failed: its machine still has the files.
        let taken = self.take(&wishes, engine.as_ref(), &built, &files);
        let record = driven?;
        let left = engine.console_waiting() + operator.held();
        if left > 0 {
            tell!("{} bytes of the input were not taken", grouped(left as u64));
        }
        self.seen.set(self.is_live() || operator.has_terminal());
        bar.finish_and_clear();
        self.waves.check(&record);
        let capture = Capture::of_run(&self.folder(), record);
        ending::keep(engine.as_ref(), &capture, &built, &files, &operator)?;
        Ok((capture.record, claim, taken))
    }

    /// Takes the balancer's log out of the machine, and the files that are wished for.
    fn take(&self, wishes: &[Wish], engine: &dyn Engine, built: &Firmware, files: &[Stored]) -> Result<(), Failure> {
        let (_, kernel) = built.kernel(engine.machine().ram_bytes)?;
        self.balance.take(engine, &kernel, &self.folder())?;
        if self.getting.all {
            left::keep(engine, &kernel, (start(engine.machine()) as usize, files), &self.folder())?;
        }
        getting::take(wishes, engine, &kernel)
    }

    fn record(&self, machine: &Machine, (dgl, kernel): (u32, KernelKind), files: &[Stored]) -> RunRecord {
        RunRecord {
            arguments: self.arguments.clone(),
            engine: self.engine.clone(),
            seed: self.seed,
            kernel: Some(kernel),
            files: files.iter().map(|file| file.name.clone()).collect(),
            dgl,
            filters: self.filters.clone(),
            totals: self.totals,
            ..RunRecord::new(machine, &self.program)
        }
    }

    /// The operator at the terminal in which the command was called, if there is one and nothing
    /// else gives the input.
    fn at_terminal(&self, machine: &Machine, built: &Firmware, bar: &ProgressBar) -> Result<Option<Operator>, Failure> {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let is_capable = is_capable(std::env::var("TERM").ok().as_deref());
        if self.input.is_some() || self.replay.is_some() || !is_terminal || !is_capable {
            return Ok(None);
        }
        let (_, kernel) = built.kernel(machine.ram_bytes)?;
        let Some(tables) = Tables::of(&kernel) else { return Ok(None) };
        let bar = bar.clone();
        let terminal = Terminal::new(tables, &machine.processors, move || {
            bar.finish_and_clear();
            bar.set_draw_target(ProgressDrawTarget::hidden());
            println!("the machine's console: Tab completes, Ctrl-C ends what runs there, Ctrl-D ends the input, Ctrl-\\ the run");
        });
        let is_open = self.time.is_none() && self.cycles.is_none();
        Ok(Some(Operator::terminal(terminal, is_open)))
    }

    /// `operator`, who also answers what shells ask, unless what was given before is given again:
    /// then the answers are among it.
    fn answering(&self, operator: Operator, machine: &Machine, built: &Firmware) -> Result<Operator, Failure> {
        if self.replay.is_some() {
            return Ok(operator);
        }
        let (_, kernel) = built.kernel(machine.ram_bytes)?;
        let Some(tables) = Tables::of(&kernel) else { return Ok(operator) };
        let host = HostFiles { machine: machine.clone(), kernel, folder: self.folder() };
        Ok(operator.with_asked(Asked::new(tables, Box::new(host))))
    }

    /// Somebody types.
    fn is_live(&self) -> bool {
        self.input.as_deref() == Some("-")
    }

    /// Who gives the console input. A person sees the console meanwhile.
    fn operator(&self, machine: &Machine) -> Result<Operator, Failure> {
        if self.is_live() {
            let view = View::new(&machine.processors, io::stdout(), io::stdin().is_terminal());
            return Ok(Operator::live(io::BufReader::new(io::stdin())).with_view(view));
        }
        if let Some(path) = &self.replay {
            return Ok(Operator::replay(Gift::read(path)?));
        }
        let Some(path) = &self.input else { return Ok(Operator::nobody()) };
        let bytes = input::bytes(Path::new(path), INPUT_BYTES).map_err(|error| {
            let message = format!("--input: cannot read {path}: {error}\n  help: give a file, or - to type lines");
            Failure::new(Exit::Input, message)
        })?;
        Ok(Operator::at_once(bytes))
    }

    fn limit(&self, machine: &Machine) -> Result<u64, Failure> {
        let Some(time) = &self.time else {
            if self.is_live() && self.cycles.is_none() {
                return Ok(u64::MAX);
            }
            return Ok(self.cycles.unwrap_or(DEFAULT_SECONDS * u64::from(machine.clock_hz)));
        };
        let wrong = |what: &dyn std::fmt::Display| {
            let message =
                format!("--for: {what}\n  help: write a number and one of {}, as in 500ms", units::names(units::TIME));
            Failure::new(Exit::Input, message)
        };
        let picoseconds = units::parse(time, units::TIME).map_err(|error| wrong(&error))?;
        let cycles = units::cycles(picoseconds, machine.clock_hz);
        cycles.map(|(cycles, _)| cycles).ok_or_else(|| wrong(&format!("`{time}` is too long")))
    }

    /// Prints what the run showed. The exit code says whether it was sound, and what the program said.
    fn report(&self, record: &RunRecord) -> Result<Exit, Failure> {
        let capture = Capture::of_run(&self.folder(), record.clone());
        let integrity = verify(&capture)?;
        warn(&capture, &integrity);
        let mut summary = Summary::default();
        for event in events(&capture, &integrity)? {
            summary.add(&event?);
        }
        let mut out = io::stdout().lock();
        let console = if self.seen.get() { String::new() } else { text::console(&capture.dir)? };
        write!(out, "{}\n{console}{}\n{}", text::head(record), summary.text(record), text::ledger(record))?;
        writeln!(out, "{}", text::speed(record))?;
        let asked = self.time.is_some() || self.cycles.is_some();
        let ended = ending::tell(&mut out, &capture, &integrity, asked)?;
        let more: String = [CONSOLE_LOG, INPUT, THREADS, BALANCE, FILES]
            .iter()
            .filter(|name| capture.dir.join(name).exists())
            .map(|name| format!(" {name}"))
            .collect();
        writeln!(out, "\nleft in {}: trace/ mmi.raw console.txt run.json{more}", capture.dir.display())?;
        check_sound(record, &integrity)?;
        let failed = record.exits.first().is_some_and(|exit| exit.code != 0);
        Ok(if failed { Exit::Negative } else { ended })
    }
}

/// Whether all events of a run are accounted for, and what it left is whole.
pub fn check_sound(record: &RunRecord, integrity: &Integrity) -> Result<(), Failure> {
    let imbalances = record.ledger.as_ref().map(|ledger| ledger.imbalances()).unwrap_or_default();
    if imbalances.is_empty() && integrity.damage.is_empty() {
        return Ok(());
    }
    let damage = integrity.damage.iter().map(ToString::to_string);
    let list = imbalances.into_iter().chain(damage).join("\n  ");
    Err(Failure::new(Exit::Machine, format!("the ledger does not balance\n  {list}")))
}

/// Builds the firmware and places kernel and `program` in RAM.
pub fn image(machine: &Machine, program: &str, boot: &Boot) -> Result<Image, Failure> {
    Ok(image::of_programs(&firmware::build(&firmware::root()?)?, machine, &[program], &[], boot)?)
}

/// The program starts on the first slave: the master has no monitor.
pub fn start(machine: &Machine) -> u32 {
    u32::from(machine.processors.len() > 1)
}
