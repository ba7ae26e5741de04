//! Reads task graphs, a line at a time, so that no memory is needed for a whole file.

use super::line::{number, numbered, words, Fault, What};
use super::placement::place;
use super::{Graph, Link, FIRST, HEADER, LAST, LINKS, LINKS_A_THREAD, MESSAGES, MESSAGE_BYTES, PAIRS, PHASES, ROUNDS};
use super::{THREADS, TOTAL, WORK};

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
    /// The machine's.
    processors: u8,
    line: u32,
    stage: Stage,
    /// Threads with a `work` in this phase.
    worked: u64,
}

impl<'g> Reader<'g> {
    /// Makes `graph` the empty one, and then what the lines say. It is to run on a machine with so
    /// many processors.
    pub fn new(graph: &'g mut Graph, processors: u8) -> Self {
        graph.clear();
        Reader { graph, processors, line: 0, stage: Stage::Header, worked: 0 }
    }

    /// Takes the next line; `None` is one that was too long.
    ///
    /// # Errors
    /// What is wrong with it. The graph is then not to be used.
    pub fn line<'a>(&mut self, line: Option<&'a [u8]>) -> Result<(), Fault<'a>> {
        self.line += 1;
        numbered(self.line, line, |text| self.statement(text))
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
        place(&mut self.graph.places, self.processors, thread, processor)
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
