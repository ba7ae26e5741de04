//! Reads task graphs and placements, a line at a time, so that no memory is needed for a whole file.

use core::fmt;

use super::{Graph, Link, FIRST, LAST, LINKS, LINKS_A_THREAD, MESSAGES, MESSAGE_BYTES, PAIRS, PHASES, ROUNDS};
use super::{THREADS, TOTAL, WORK};

/// Bytes of a line at most, without its newline.
pub const LINE_BYTES: usize = 100;
/// The first line of every file.
pub const HEADER: &str = "taskgraph 1";
/// No machine has more processors.
const PROCESSORS: u32 = testbed_definitions::packet::STATIONS_MAX as u32;

/// What is wrong, and in which line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<'a> {
    pub line: u32,
    pub what: What<'a>,
}

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What<'a> {
    Header,
    NotText,
    TooLong,
    Statement(&'a str),
    /// How the statement is written.
    Form(&'static str),
    Range {
        word: &'a str,
        what: &'static str,
        least: u32,
        most: u32,
    },
    /// A thread that the graph does not have, or that another line was about already.
    NoThread(u8),
    Twice(u8, &'static str),
    ThreadsTwice,
    ThreadsFirst,
    PhaseFirst,
    PlaceLate,
    Itself,
    LinkTwice,
    TooMany {
        what: &'static str,
        most: u32,
    },
    Unplaced(u8),
    NoPhase,
    NoEnd,
    AfterEnd,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match self.what {
            What::Header => write!(f, "no task graph: write `{HEADER}` first"),
            What::NotText => write!(f, "not UTF-8: write plain text"),
            What::TooLong => write!(f, "longer than {LINE_BYTES} bytes: put comments on lines of their own"),
            What::Statement(word) => {
                write!(
                    f,
                    "no statement `{}`: there are threads, place, phase, work, link and end",
                    word.escape_default()
                )
            }
            What::Form(form) => write!(f, "not written as it must be: `{form}`"),
            What::Range { word, what, least, most } => {
                write!(f, "`{}` is no number of {what}: write {least} to {most}", word.escape_default())
            }
            What::NoThread(thread) => {
                write!(f, "no thread {thread}: the line `threads` says how many, from {FIRST} on")
            }
            What::Twice(thread, statement) => write!(f, "thread {thread} has a `{statement}` already: leave one out"),
            What::ThreadsTwice => write!(f, "a second line `threads`: leave one out"),
            What::ThreadsFirst => write!(f, "threads are not known yet: write `threads COUNT` before"),
            What::PhaseFirst => write!(f, "outside a phase: write `phase ROUNDS` before"),
            What::PlaceLate => write!(f, "places come before the first phase: move the line up"),
            What::Itself => write!(f, "a thread can't send to itself: name two threads"),
            What::LinkTwice => write!(f, "this phase has such a link already: add up their messages"),
            What::TooMany { what, most } => write!(f, "too many {what}: {most} at most"),
            What::Unplaced(thread) => write!(f, "thread {thread} has no place: write `place {thread} PROCESSOR`"),
            What::NoPhase => write!(f, "no phase: write `phase ROUNDS` and what is done in it"),
            What::NoEnd => write!(f, "the file ends too early: write `end` last"),
            What::AfterEnd => write!(f, "something behind `end`: move `end` to the last line"),
        }
    }
}

/// Takes a file's bytes in parts, and hands on its lines.
pub struct Lines {
    bytes: [u8; LINE_BYTES],
    used: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { bytes: [0; LINE_BYTES], used: 0 }
    }
}

impl Lines {
    /// Calls `take` with each line that ends with the byte; `None` is one that can't be taken.
    pub fn put(&mut self, byte: u8, take: impl FnOnce(Option<&[u8]>)) {
        if byte == b'\n' {
            let used = core::mem::take(&mut self.used);
            return take(self.bytes.get(..used));
        }
        if let Some(place) = self.bytes.get_mut(self.used) {
            *place = byte;
        }
        // One more than fits says that it was too long.
        self.used = (self.used + 1).min(LINE_BYTES + 1);
    }

    /// The last line, if it has no newline.
    pub fn end(&mut self, take: impl FnOnce(Option<&[u8]>)) {
        if self.used > 0 {
            self.put(b'\n', take);
        }
    }
}

/// Words of a line, without its comment.
fn words<const N: usize>(line: &str) -> (usize, [&str; N]) {
    let text = line.split_once('#').map_or(line, |(text, _)| text);
    let (mut count, mut all) = (0, [""; N]);
    for word in text.split_ascii_whitespace() {
        if let Some(place) = all.get_mut(count) {
            *place = word;
        }
        count += 1;
    }
    (count, all)
}

fn number<'a>(word: &'a str, what: &'static str, least: u32, most: u32) -> Result<u32, What<'a>> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { word.parse::<u32>().ok() } else { None };
    value.filter(|value| (least..=most).contains(value)).ok_or(What::Range { word, what, least, most })
}

/// Where a reader is in its file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Header,
    Body,
    End,
}

/// Reads a graph line by line.
pub struct Reader<'g> {
    graph: &'g mut Graph,
    line: u32,
    stage: Stage,
    /// Threads with a `work` in this phase.
    worked: u64,
}

impl<'g> Reader<'g> {
    /// Makes `graph` the empty one, and then what the lines say.
    pub fn new(graph: &'g mut Graph) -> Self {
        graph.clear();
        Reader { graph, line: 0, stage: Stage::Header, worked: 0 }
    }

    /// Takes the next line; `None` is one that was too long.
    ///
    /// # Errors
    /// What is wrong with it. The graph is then not to be used.
    pub fn line<'a>(&mut self, line: Option<&'a [u8]>) -> Result<(), Fault<'a>> {
        self.line += 1;
        let taken = match line.map(core::str::from_utf8) {
            None => Err(What::TooLong),
            Some(Err(_)) => Err(What::NotText),
            Some(Ok(text)) => self.statement(text),
        };
        taken.map_err(|what| Fault { line: self.line, what })
    }

    /// The file has ended.
    ///
    /// # Errors
    /// It has no end, or its whole is too much.
    pub fn end(self) -> Result<(), Fault<'static>> {
        if self.stage == Stage::End {
            return Ok(());
        }
        let what = if self.stage == Stage::Header { What::Header } else { What::NoEnd };
        Err(Fault { line: self.line + 1, what })
    }

    fn statement<'a>(&mut self, text: &'a str) -> Result<(), What<'a>> {
        let (count, [statement, operands @ ..]) = words::<5>(text);
        if self.stage == Stage::Header {
            let is_header = count == 2 && HEADER.split_once(' ') == Some((statement, operands[0]));
            self.stage = Stage::Body;
            return if is_header { Ok(()) } else { Err(What::Header) };
        }
        if count == 0 {
            return Ok(());
        }
        if self.stage == Stage::End {
            return Err(What::AfterEnd);
        }
        let forms = ["threads COUNT", "place THREAD PROCESSOR", "phase ROUNDS", "work THREAD UNITS"];
        let forms = forms.into_iter().chain(["link FROM TO MESSAGES BYTES", "end"]);
        let named = |form: &&str| form.split(' ').next() == Some(statement);
        let form = forms.clone().find(named).ok_or(What::Statement(statement))?;
        if form.split(' ').count() != count {
            return Err(What::Form(form));
        }
        match statement {
            "threads" => self.threads(operands[0]),
            "place" => self.place(operands[0], operands[1]),
            "phase" => self.phase(operands[0]),
            "work" => self.work(operands[0], operands[1]),
            "link" => self.link(operands),
            _ => self.last(),
        }
    }

    fn threads<'a>(&mut self, count: &'a str) -> Result<(), What<'a>> {
        if self.graph.threads > 0 {
            return Err(What::ThreadsTwice);
        }
        self.graph.threads = number(count, "threads", 1, THREADS as u32)? as u8;
        Ok(())
    }

    /// The id in a word, of a thread that there is.
    fn thread<'a>(&self, word: &'a str) -> Result<u8, What<'a>> {
        if self.graph.threads == 0 {
            return Err(What::ThreadsFirst);
        }
        let thread = number(word, "a thread", FIRST.into(), LAST.into())? as u8;
        if self.graph.has(thread) {
            Ok(thread)
        } else {
            Err(What::NoThread(thread))
        }
    }

    fn place<'a>(&mut self, thread: &'a str, processor: &'a str) -> Result<(), What<'a>> {
        let thread = self.thread(thread)?;
        if self.graph.phases_used > 0 {
            return Err(What::PlaceLate);
        }
        place(&mut self.graph.places, thread, processor)
    }

    fn phase<'a>(&mut self, rounds: &'a str) -> Result<(), What<'a>> {
        if self.graph.threads == 0 {
            return Err(What::ThreadsFirst);
        }
        let rounds = number(rounds, "rounds", 1, ROUNDS)?;
        let first = self.graph.links_used;
        let next = self.graph.phases.get_mut(usize::from(self.graph.phases_used));
        let phase = next.ok_or(What::TooMany { what: "phases", most: PHASES as u32 })?;
        (phase.rounds, phase.first) = (rounds, first);
        self.graph.phases_used += 1;
        self.worked = 0;
        Ok(())
    }

    /// The phase that is open.
    fn open<'a>(&self) -> Result<usize, What<'a>> {
        usize::from(self.graph.phases_used).checked_sub(1).ok_or(What::PhaseFirst)
    }

    fn work<'a>(&mut self, thread: &'a str, units: &'a str) -> Result<(), What<'a>> {
        let (thread, phase) = (self.thread(thread)?, self.open()?);
        let units = number(units, "units", 0, WORK)?;
        if self.worked >> thread & 1 != 0 {
            return Err(What::Twice(thread, "work"));
        }
        self.worked |= 1 << thread;
        self.graph.phases[phase].work[usize::from(thread - FIRST)] = units;
        self.graph.check_totals()
    }

    fn link<'a>(&mut self, [from, to, messages, bytes]: [&'a str; 4]) -> Result<(), What<'a>> {
        let (from, to, phase) = (self.thread(from)?, self.thread(to)?, self.open()?);
        let messages = number(messages, "messages", 1, MESSAGES)? as u16;
        let bytes = number(bytes, "bytes", 0, MESSAGE_BYTES)? as u16;
        self.graph.add_link(phase, from, to, messages, bytes)
    }

    fn last<'a>(&mut self) -> Result<(), What<'a>> {
        if self.graph.phases_used == 0 {
            return Err(if self.graph.threads == 0 { What::ThreadsFirst } else { What::NoPhase });
        }
        self.stage = Stage::End;
        Ok(())
    }
}

impl Graph {
    /// Makes it [`Graph::EMPTY`], without a second one in memory.
    fn clear(&mut self) {
        (self.threads, self.phases_used, self.links_used, self.channels) = (0, 0, 0, 0);
        self.places = [None; THREADS];
        for phase in &mut self.phases {
            (phase.rounds, phase.first, phase.links) = (0, 0, 0);
            phase.work = [0; THREADS];
        }
        self.links.fill(Link { from: 0, to: 0, channel: 0, messages: 0, bytes: 0 });
    }

    /// Adds a link to the last phase, with the channel that its threads have or the next one.
    pub(super) fn add_link<'a>(
        &mut self,
        phase: usize,
        from: u8,
        to: u8,
        messages: u16,
        bytes: u16,
    ) -> Result<(), What<'a>> {
        if from == to {
            return Err(What::Itself);
        }
        let phase = self.phases[phase];
        if self.links(&phase).any(|(_, link)| (link.from, link.to) == (from, to)) {
            return Err(What::LinkTwice);
        }
        for thread in [from, to] {
            let count = self.links(&phase).filter(|(_, link)| link.from == thread || link.to == thread).count();
            if count == LINKS_A_THREAD {
                return Err(What::TooMany { what: "links of a thread in a phase", most: LINKS_A_THREAD as u32 });
            }
        }
        let channel = self.channel(from, to).unwrap_or(self.channels);
        if usize::from(channel) == PAIRS {
            return Err(What::TooMany { what: "pairs of threads with links", most: PAIRS as u32 });
        }
        let next = self.links.get_mut(usize::from(self.links_used));
        let next = next.ok_or(What::TooMany { what: "links", most: LINKS as u32 })?;
        *next = Link { from, to, channel, messages, bytes };
        self.channels = self.channels.max(channel + 1);
        self.links_used += 1;
        self.phases[usize::from(self.phases_used) - 1].links += 1;
        self.check_totals()
    }

    /// Whether units and messages can be counted.
    fn check_totals<'a>(&self) -> Result<(), What<'a>> {
        let (mut units, mut messages) = (0u64, 0u64);
        for phase in self.phases() {
            let rounds = u64::from(phase.rounds);
            units += phase.work.iter().map(|&units| rounds * u64::from(units)).sum::<u64>();
            messages += self.links(phase).map(|(_, link)| rounds * u64::from(link.messages)).sum::<u64>();
        }
        if units.max(messages) > TOTAL {
            let what = if units > TOTAL { "units of work in all" } else { "messages in all" };
            return Err(What::TooMany { what, most: TOTAL as u32 });
        }
        Ok(())
    }
}

fn place<'a>(places: &mut [Option<u8>; THREADS], thread: u8, processor: &'a str) -> Result<(), What<'a>> {
    let processor = number(processor, "a processor", 0, PROCESSORS - 1)? as u8;
    match places[usize::from(thread - FIRST)].replace(processor) {
        None => Ok(()),
        Some(_) => Err(What::Twice(thread, "place")),
    }
}

/// Reads a placement: a line `place THREAD PROCESSOR` for each thread, and no other.
pub struct Placement {
    places: [Option<u8>; THREADS],
    threads: u8,
    line: u32,
}

impl Placement {
    /// For so many threads, from [`FIRST`] on.
    pub fn new(threads: u8) -> Self {
        Placement { places: [None; THREADS], threads: threads.min(THREADS as u8), line: 0 }
    }

    /// Takes the next line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn line<'a>(&mut self, line: Option<&'a [u8]>) -> Result<(), Fault<'a>> {
        self.line += 1;
        let taken = match line.map(core::str::from_utf8) {
            None => Err(What::TooLong),
            Some(Err(_)) => Err(What::NotText),
            Some(Ok(text)) => self.statement(text),
        };
        taken.map_err(|what| Fault { line: self.line, what })
    }

    fn statement<'a>(&mut self, text: &'a str) -> Result<(), What<'a>> {
        let (count, [statement, thread, processor]) = words::<3>(text);
        if count == 0 {
            return Ok(());
        }
        if statement != "place" || count != 3 {
            return Err(What::Form("place THREAD PROCESSOR"));
        }
        let thread = number(thread, "a thread", FIRST.into(), u32::from(FIRST + self.threads) - 1)? as u8;
        place(&mut self.places, thread, processor)
    }

    /// The processors of all threads, from [`FIRST`] on.
    ///
    /// # Errors
    /// A thread has none.
    pub fn end(self) -> Result<[Option<u8>; THREADS], Fault<'static>> {
        let missing = self.places.iter().take(self.threads.into()).position(Option::is_none);
        match missing {
            None => Ok(self.places),
            Some(thread) => Err(Fault { line: self.line + 1, what: What::Unplaced(FIRST + thread as u8) }),
        }
    }
}
