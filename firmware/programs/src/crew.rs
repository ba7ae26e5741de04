//! What `synthetic`, `taskgraph`, `adder` and `wator` share: where their threads (*workers*) start,
//! what these are told and leave, and a thread that moves them about at random.
//!
//! Every worker can migrate at any time: it has no children, no files and no console, and what it
//! works on lies in its stack. What all are told is in a page that nobody writes to once there are
//! workers, so that each processor has its own copy. What they leave is in another page, to which
//! each writes once, at its end.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::console::Line;
use libtos::file::{flags, File};
use libtos::random::Random;
use libtos::{
    clock, create, delay_us, exit, halt, migrate, migrate_self, need_large_kernel, println, processor, processors,
    thread_id, thread_number, wait, Arguments, Error, Place, SECOND_STACK,
};
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::limits::THREADS as IDS;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::placement::by_lot;
use testbed_kernel_core::task_graph::line::{Fault, Lines};
use testbed_kernel_core::task_graph::placement::Placement;
use testbed_kernel_core::task_graph::{FIRST, LAST, THREADS};

/// Pages of a worker's stack beside those it works on ([`Crew::room_pages`]).
const FRAME_PAGES: u32 = 2;
/// The thread that moves the others, and its stack.
const WANDERER: u8 = LAST + 1;
const WANDERER_PAGES: u32 = 2;
/// The options' names; the arguments before the first of them are the program's own.
const OPTIONS: [&str; 5] = ["here", "random", "static", "seed", "roam"];
/// How the options are written, for a program's usage.
pub const USAGE: &str = "[here|random|static FILE] [seed SEED] [roam MICROSECONDS]";

/// Words that all workers are told: the crew's, then the program's own.
const WORDS: usize = PAGE_BYTES as usize / 4;
const SEED: usize = 0;
const WORKERS: usize = 1;
const PAGES: usize = 2;
const ROAM: usize = 3;
const OWN: usize = 4;
/// Words that a worker leaves: whether it has ended (1: all was right, 2: not), and three more.
const LEFT: usize = 4;

/// A page for itself.
#[repr(C, align(1024))]
struct Page([AtomicU32; WORDS]);

impl Page {
    const fn new() -> Self {
        Page([const { AtomicU32::new(0) }; WORDS])
    }

    fn get(&self, index: usize) -> u32 {
        self.0.get(index).map_or(0, |word| word.load(Relaxed))
    }

    fn set(&self, index: usize, value: u32) {
        if let Some(word) = self.0.get(index) {
            word.store(value, Relaxed);
        }
    }
}

static TOLD: Page = Page::new();
static RESULTS: Page = Page::new();

/// Where workers start.
#[derive(Clone, Copy)]
enum Start {
    /// Where the program has been invoked, unless the program knows better.
    Default,
    Here,
    /// By lot, the same number on each slave.
    Random,
    /// As a file of the filestore says.
    Static(&'static str),
}

/// The options behind a program's own arguments.
#[derive(Clone, Copy)]
pub struct Options {
    arguments: Arguments,
    /// The program's own arguments.
    own: usize,
    start: Start,
    seed: u32,
    roam_us: u32,
}

impl Options {
    /// `None` if they are not written as [`USAGE`] says, or there are more of the program's own than `most`.
    pub fn parse(arguments: Arguments, most: usize) -> Option<Options> {
        let own = arguments.iter().take_while(|word| !OPTIONS.contains(word)).count();
        let mut options = Options { arguments, own, start: Start::Default, seed: libtos::seed(), roam_us: 0 };
        let mut words = arguments.iter().skip(own);
        let mut place = own;
        while let Some(word) = words.next() {
            place += 1;
            match word {
                "here" => options.start = Start::Here,
                "random" => options.start = Start::Random,
                "static" => options.start = Start::Static(words.next()?),
                "seed" => options.seed = words.next().and_then(|_| arguments.number(place, 0))?,
                "roam" => options.roam_us = words.next().and_then(|_| arguments.number(place, 0))?,
                _ => return None,
            }
            place += usize::from(matches!(word, "static" | "seed" | "roam"));
        }
        (own <= most).then_some(options)
    }

    /// The program's own argument `index`.
    pub fn word(&self, index: usize) -> Option<&'static str> {
        self.arguments.iter().take(self.own).nth(index)
    }

    /// It as a number, `default` if there is none; `None` if it is something else.
    pub fn number(&self, index: usize, default: u32) -> Option<u32> {
        if index < self.own {
            self.arguments.number(index, default)
        } else {
            Some(default)
        }
    }

    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Whether threads start where the program would have them.
    pub fn leave_places(&self) -> bool {
        matches!(self.start, Start::Default)
    }
}

/// Ends the program for an error that should not be.
pub fn fail(error: Error) -> ! {
    Line::new().text("thread ").number(thread_id().into()).text(": ").text(error.meaning()).end();
    halt()
}

/// How often a file is looked for that seems not to be there: a thread that was moved away ahead of
/// the look and back behind it can't tell.
const LOOKS: u32 = 16;

/// Does something with files where the process was invoked. A balancer may move the thread
/// meanwhile: then it goes back, and does it again.
fn at_home<T>(mut action: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let home = ThreadNumber::from_bits(thread_number()).home().number();
    let mut looks = 1;
    loop {
        if processor() != home {
            migrate_self(Place::Processor(home))?;
        }
        match action() {
            // The file is home's, so the thread was away, wherever it is now.
            Err(Error::NotHere) => {}
            Err(Error::NoFile) if looks < LOOKS => looks += 1,
            result => return result,
        }
    }
}

/// Reads a file line by line. The error is what `take` says of a line.
pub fn read_lines(
    name: &str,
    mut take: impl for<'a> FnMut(Option<&'a [u8]>) -> Result<(), Fault<'a>>,
) -> Result<bool, Error> {
    let file = at_home(|| File::open(name, flags::READ))?;
    let mut lines = Lines::default();
    let mut good = true;
    let mut look = |line: Option<&[u8]>| {
        if good {
            good = take(line).inspect_err(|fault| println!("{name}: {fault}")).is_ok();
        }
    };
    let (mut offset, mut buffer) = (0, [0; 256]);
    loop {
        let bytes = at_home(|| file.read(offset, &mut buffer))?;
        buffer[..bytes].iter().for_each(|&byte| lines.put(byte, &mut look));
        offset += bytes as u32;
        if bytes < buffer.len() {
            break;
        }
    }
    lines.end(&mut look);
    Ok(good)
}

/// The workers of a program, before they start.
pub struct Crew {
    /// Thread [`FIRST`] and those that follow.
    pub workers: u8,
    /// Pages that each works on, at the lower end of its stack: [`room`].
    pub room_pages: u32,
    pub entry: extern "C" fn() -> !,
}

/// A crew at work.
pub struct Started {
    workers: u8,
    roams: bool,
    at_ms: u32,
}

impl Crew {
    /// Starts all workers, each where the options say; `preferred` says where one starts of which they
    /// say nothing. The result is `None` if the file of the placement makes no sense, which has been
    /// said.
    pub fn start(&self, options: &Options, preferred: impl Fn(u8) -> Option<u8>) -> Option<Started> {
        let places = self.places(options, preferred)?;
        let pages = FRAME_PAGES + self.room_pages;
        for (index, value) in
            [(SEED, options.seed), (WORKERS, self.workers.into()), (PAGES, pages), (ROAM, options.roam_us)]
        {
            TOLD.set(index, value);
        }
        let at_ms = clock();
        for (index, &place) in places.iter().take(self.workers.into()).enumerate() {
            let id = FIRST + index as u8;
            create(id, pages, place.into(), self.entry, top(id)).unwrap_or_else(|error| no_start(id, place, error));
        }
        if options.roam_us > 0 {
            let top = top(FIRST + self.workers);
            create(WANDERER, WANDERER_PAGES, processor().into(), wander, top).unwrap_or_else(|error| fail(error));
        }
        Some(Started { workers: self.workers, roams: options.roam_us > 0, at_ms })
    }

    fn places(&self, options: &Options, preferred: impl Fn(u8) -> Option<u8>) -> Option<[u8; THREADS]> {
        let mut places = [processor(); THREADS];
        let used = &mut places[..usize::from(self.workers)];
        match options.start {
            Start::Here => {}
            Start::Default => {
                used.iter_mut().zip(FIRST..).for_each(|(place, id)| *place = preferred(id).unwrap_or(*place));
            }
            Start::Random => {
                by_lot(options.seed, processors().saturating_sub(1), used);
                used.iter_mut().for_each(|place| *place += u8::from(processors() > 1));
            }
            Start::Static(name) => {
                let mut placement = Placement::new(self.workers, processors());
                let read = read_lines(name, |line| placement.line(line));
                if !read.unwrap_or_else(|error| cannot_read(name, error)) {
                    return None;
                }
                let said = placement.end().inspect_err(|fault| println!("{name}: {fault}")).ok()?;
                used.iter_mut().zip(said).for_each(|(place, said)| *place = said.unwrap_or(*place));
            }
        }
        if options.roam_us > 0 {
            need_large_kernel("threads that move");
        }
        // What all are told is in a page, and so is what each leaves.
        if places[..usize::from(self.workers)].iter().any(|&place| place != processor()) {
            need_large_kernel("shared pages for threads on several processors");
        }
        Some(places)
    }
}

fn no_start(id: u8, place: u8, error: Error) -> ! {
    println!("thread {id} cannot start on processor {place}: {}", error.meaning());
    halt()
}

/// Ends the program for a file that is not there.
pub fn cannot_read(name: &str, error: Error) -> ! {
    if error == Error::UnknownCall {
        need_large_kernel("files");
    }
    println!("{name}: {}: give it to the machine with `--file`", error.meaning());
    halt()
}

/// The address above a worker's stack; below each is a page that is not mapped.
fn top(id: u8) -> u32 {
    SECOND_STACK - u32::from(id - FIRST) * (TOLD.get(PAGES) + 1) * PAGE_BYTES
}

/// The seed of the run, or that of the options.
pub fn seed() -> u32 {
    TOLD.get(SEED)
}

/// Tells the workers a number, before they start.
pub fn tell(index: usize, value: u32) {
    TOLD.set(OWN + index, value);
}

/// What they have been told.
pub fn told(index: usize) -> u32 {
    TOLD.get(OWN + index)
}

/// The lower pages of the calling worker's stack, zeros at first.
///
/// # Safety
/// A worker must call it once only, and its frames must not reach there: [`FRAME_PAGES`] are theirs.
pub unsafe fn room() -> &'static mut [u8] {
    let bottom = top(thread_id()) - TOLD.get(PAGES) * PAGE_BYTES;
    let bytes = (TOLD.get(PAGES) - FRAME_PAGES) * PAGE_BYTES;
    // SAFETY: mapped for this thread, which is the only one to name it.
    unsafe { core::slice::from_raw_parts_mut(bottom as *mut u8, bytes as usize) }
}

/// Ends a worker, with what it leaves.
pub fn finish(right: bool, words: [u32; LEFT - 1]) -> ! {
    let at = LEFT * usize::from(thread_id());
    words.iter().enumerate().for_each(|(index, &word)| RESULTS.set(at + 1 + index, word));
    RESULTS.set(at, if right { 1 } else { 2 });
    exit(u32::from(!right))
}

/// What a worker has left.
pub fn left(id: u8) -> [u32; LEFT - 1] {
    core::array::from_fn(|index| RESULTS.get(LEFT * usize::from(id) + 1 + index))
}

fn is_done(id: u8) -> bool {
    RESULTS.get(LEFT * usize::from(id)) != 0
}

impl Started {
    /// Waits until all have ended. The result is how many failed, and the milliseconds since the start.
    pub fn wait(&self) -> (u32, u32) {
        let failed = wait();
        let took = clock().wrapping_sub(self.at_ms);
        let wrong = self.ids().filter(|&id| RESULTS.get(LEFT * usize::from(id)) != 1).count() as u32;
        (failed.max(wrong), took)
    }

    pub fn ids(&self) -> impl Iterator<Item = u8> {
        FIRST..FIRST + self.workers
    }

    /// Prints how long it took, and how often workers were moved if they were.
    pub fn print(&self, name: &str, took_ms: u32) {
        let mut line = Line::new();
        line.text(name).text(": took ").number(took_ms).text(" ms");
        if self.roams {
            line.text(", ").number(left(WANDERER)[0]).text(" moves");
        }
        line.end();
    }
}

/// Moves workers that have not ended to random slaves, one every so often.
extern "C" fn wander() -> ! {
    let (workers, period) = (TOLD.get(WORKERS), TOLD.get(ROAM));
    let mut random = Random::new(TOLD.get(SEED) ^ 0x0a11);
    let mut moves = 0;
    loop {
        delay_us(period / 2 + random.below(period));
        let first = random.below(workers) as u8;
        let mut ids = (0..workers as u8).map(|turn| FIRST + (first + turn) % workers as u8);
        let Some(id) = ids.find(|&id| !is_done(id)) else { finish(true, [moves, 0, 0]) };
        moves += u32::from(moves_somewhere(id, &mut random));
    }
}

/// Tries to move a worker from wherever it is. It is refused if it waits for something.
fn moves_somewhere(id: u8, random: &mut Random) -> bool {
    let number = thread_number() & !(IDS as u16 - 1) | u16::from(id);
    let slaves = processors().saturating_sub(1);
    let to = u8::from(slaves > 0) + random.below(slaves.into()) as u8;
    (0..processors())
        .filter(|&from| from != to)
        .any(|from| migrate(number, Place::Processor(from), Place::Processor(to)).is_ok())
}
