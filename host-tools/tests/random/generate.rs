//! Random plans. A seed gives the same plan everywhere; low seeds give small ones.

use testbed_definitions::limits::{FIRST_STACK_PAGES, SMALL_FIRST_STACK_PAGES};
use testbed_definitions::syscall::FOREVER;
use testbed_kernel_core::filter::classes;
use testbed_machine::{Machine, Order};
use testbed_sim::lockstep::random::Random;
use testbed_trace::capture::KernelKind;

use super::plan::{Act, End, Language, Op, Place, Plan, Setting, Stacks, Thread, ARENA_BYTES, CELLS, STACK_PAGES};

const PAGE: u32 = testbed_definitions::page::PAGE_BYTES;
/// Seeds below this give small programs.
const SMALL_SEEDS: u64 = 24;
/// A pair of threads and the channel that leads from the first to the second.
type Edge = (u8, usize, usize);

/// What a program may have of everything.
struct Budget {
    /// Pages of stacks beside the first one.
    stack_pages: u32,
    threads: u32,
    message: u32,
    channels: u32,
    ops: u32,
}

pub fn plan(seed: u64, language: Language) -> Plan {
    let mut random = Random::new(seed.wrapping_mul(2) + u64::from(language == Language::C));
    let setting = setting(&mut random, language, seed);
    let budget = budget(&mut random, &setting, seed);
    let mut generator = Generator { random, language, setting, budget, threads: vec![], arena: 0, edges: vec![] };
    generator.threads();
    generator.edges();
    let count = 4 + generator.random.below(generator.budget.ops);
    let moves_others = generator.random.percent(40);
    let ops = (0..count).filter_map(|_| generator.op(moves_others)).collect();
    Plan { seed, language, setting: generator.setting, threads: generator.threads, ops }
}

fn setting(random: &mut Random, language: Language, seed: u64) -> Setting {
    let is_small = language == Language::C && random.percent(15);
    let ram_bytes = match random.below(10) {
        _ if is_small => 128 << 10,
        0 => 512 << 10,
        1..3 => 1 << 20,
        3..6 => 2 << 20,
        _ => 4 << 20,
    };
    // Every number of them in turn, and mostly some.
    let processors = match seed % 3 {
        _ if is_small => 1 + random.below(6),
        0 => 1 + (seed / 3 % 16) as u32,
        1 => random.pick(&[2, 6]),
        _ => 2 + random.below(7),
    };
    let kernel = if random.percent(35) && !is_small { KernelKind::Tos94 } else { KernelKind::Default };
    let names: &[&str] = &["0", "profile+timer+user", "profile+timer+user+detail"];
    let dgl = classes(random.pick(names)).unwrap_or_default();
    let machine = Machine {
        name: "random".into(),
        processors: (0..processors).map(|number| format!("p{number}")).collect(),
        ram_bytes,
        smi_queue: 1 << (4 + random.below(8)),
        tick_cycles: random.pick(&[1, 25, 25, 100]),
        poll_cycles: random.pick(&[2, 2, 40, 180]),
        order: random.pick(&Order::ALL),
        ..Machine::testbed6()
    };
    Setting { machine, kernel, dgl, is_small }
}

fn budget(random: &mut Random, setting: &Setting, seed: u64) -> Budget {
    let ops = if seed < SMALL_SEEDS { 2 + seed as u32 } else { 100 };
    let (stack_pages, most_threads) = match setting.machine.ram_bytes {
        _ if setting.is_small => (12, 4),
        // The kernel and the program's file leave some hundred pages, of which a few are to stay free.
        ..0x10_0000 => (45, 6),
        0x10_0000 => (100, 12),
        _ => (280, 16),
    };
    let message = match random.below(20) {
        _ if setting.is_small => 200,
        0..4 if stack_pages >= 280 => 70_000,
        4..8 if stack_pages >= 100 => 20_000,
        8 => 64,
        _ => 5_000,
    };
    let most = if seed < SMALL_SEEDS { most_threads.min(2 + seed as u32 / 2) } else { most_threads };
    let threads = 2 + random.below(most - 1);
    Budget { stack_pages, threads, message, channels: if setting.is_small { 64 } else { 128 }, ops }
}

struct Generator {
    random: Random,
    language: Language,
    setting: Setting,
    budget: Budget,
    threads: Vec<Thread>,
    /// The first byte of the arena that nobody has.
    arena: u32,
    edges: Vec<Edge>,
}

impl Generator {
    fn processors(&self) -> u32 {
        self.setting.machine.processors.len() as u32
    }

    /// Threads with stacks of many sizes, as many as there is memory for.
    fn threads(&mut self) {
        let mut stacks = Stacks::new();
        let mut pages_left = self.budget.stack_pages;
        let small = self.setting.is_small;
        let base = if small { 1 } else { STACK_PAGES };
        for index in 0..self.budget.threads as usize {
            let wanted = self.budget.message + 8;
            let wanted = if small { wanted } else { wanted.next_multiple_of(PAGE) };
            let deep = if small { 1 } else { 1 + self.random.below(6) };
            let processor = self.random.below(self.processors());
            let parent =
                if self.random.percent(20) && !small { self.random.below(index.max(1) as u32) } else { 0 } as usize;
            let arena = self.arena..if self.random.percent(50) { self.arena + wanted } else { self.arena };
            // Half of the arena is for fights.
            let arena = if arena.end <= ARENA_BYTES / 2 { arena } else { self.arena..self.arena };
            if index == 0 {
                // Its stack is there already.
                let in_stack = if small { 256 } else { wanted.min(5 * PAGE) };
                let top = testbed_definitions::page::VIRTUAL_BYTES;
                let pages = if small { SMALL_FIRST_STACK_PAGES } else { FIRST_STACK_PAGES };
                self.threads.push(Thread {
                    parent,
                    processor,
                    top,
                    pages,
                    arena: arena.clone(),
                    in_stack,
                    deep: deep.min(4),
                });
            } else {
                let in_stack = if small {
                    256
                } else if arena.is_empty() || self.random.percent(50) {
                    wanted
                } else {
                    0
                };
                let pages = base + deep + in_stack.div_ceil(PAGE);
                if pages > pages_left && index >= 2 {
                    break;
                }
                pages_left = pages_left.saturating_sub(pages);
                let top = stacks.take(pages);
                self.threads.push(Thread { parent, processor, top, pages, arena: arena.clone(), in_stack, deep });
            }
            // Not at a page's beginning, so that neighbours share pages.
            self.arena = arena.end + self.random.below(3) * 36;
        }
    }

    /// Some pairs of threads, each with a channel.
    fn edges(&mut self) {
        let threads = self.threads.len() as u32;
        let mut numbers: Vec<u8> = (0..self.budget.channels as u8).collect();
        let wanted = (2 * threads).max(self.random.below(6 * threads)).min(self.budget.channels);
        for _ in 0..wanted {
            let from = self.random.below(threads);
            let to = (from + 1 + self.random.below(threads - 1)) % threads;
            let number = numbers.swap_remove(self.random.below(numbers.len() as u32) as usize);
            self.edges.push((number, from as usize, to as usize));
        }
    }

    /// Bytes of a message that both threads have room for.
    fn bytes(&mut self, from: usize, to: usize) -> u32 {
        let room = |thread: &Thread| thread.in_stack.max(thread.arena.end - thread.arena.start).saturating_sub(8);
        let most = room(&self.threads[from]).min(room(&self.threads[to])).min(self.budget.message);
        let near =
            |random: &mut Random, size: u32| (size * random.below(most / size + 2) + random.below(7)).saturating_sub(3);
        let bytes = match self.random.below(10) {
            0 => 0,
            1..3 => self.random.below(9),
            // What a packet holds, and a page.
            3 => near(&mut self.random, 2028),
            4 => near(&mut self.random, PAGE),
            5 => most,
            _ => self.random.below(most + 1),
        };
        bytes.min(most)
    }

    /// A place for so many bytes of a thread, at any alignment.
    fn place(&mut self, thread: usize, bytes: u32) -> Place {
        let Thread { arena, in_stack, .. } = self.threads[thread].clone();
        let in_arena = arena.end - arena.start;
        if self.language == Language::C && !self.setting.is_small && bytes < 2000 && self.random.percent(25) {
            return Place::Heap(self.random.below(4));
        }
        let fits = [in_arena >= bytes, in_stack >= bytes];
        let takes_arena = if fits[0] && fits[1] { self.random.percent(50) } else { fits[0] };
        let left = if takes_arena { in_arena - bytes } else { in_stack - bytes };
        let offset = match self.random.below(4) {
            0 => left,
            1 => self.random.below(left + 1),
            _ => self.random.below(left / 8 + 1) * 8,
        };
        if takes_arena {
            Place::Arena(offset)
        } else {
            Place::Stack(offset)
        }
    }

    fn end(&mut self, thread: usize, bytes: u32) -> End {
        End { thread, place: self.place(thread, bytes) }
    }

    fn op(&mut self, moves_others: bool) -> Option<Op> {
        match self.random.below(100) {
            0..45 => Some(self.message()),
            45..58 if !self.setting.is_small => self.alternative(),
            58..63 if !self.setting.is_small => self.fight(),
            _ => self.local(moves_others),
        }
    }

    fn message(&mut self) -> Op {
        let (channel, from, to) = self.random.pick(&self.edges);
        let bytes = self.bytes(from, to);
        let room = if self.random.percent(10) { bytes / 2 } else { bytes };
        let (from, to) = (self.end(from, bytes), self.end(to, room + 1));
        Op::Message { channel, from, to, key: self.random.next_u32(), bytes, room }
    }

    fn alternative(&mut self) -> Option<Op> {
        let to = self.random.below(self.threads.len() as u32) as usize;
        let inward: Vec<Edge> = self.edges.iter().copied().filter(|edge| edge.2 == to).take(16).collect();
        if inward.is_empty() {
            return None;
        }
        let mut messages = Vec::new();
        for _ in 0..1 + self.random.below(2 * inward.len() as u32) {
            let (channel, from, _) = self.random.pick(&inward);
            let bytes = self.bytes(from, to);
            messages.push((channel, self.end(from, bytes), self.random.next_u32(), bytes));
        }
        let room = messages.iter().map(|(_, _, _, bytes)| *bytes).max().unwrap_or(0);
        let timeout = match self.random.below(4) {
            0 => self.random.below(3000),
            1 => 0,
            _ => FOREVER,
        };
        Some(Op::Alternative { to: self.end(to, room + 1), room, timeout, messages })
    }

    fn fight(&mut self) -> Option<Op> {
        let threads = self.threads.len() as u32;
        let (channel, from, to) = self.random.pick(&self.edges);
        let area = self.arena.next_multiple_of(PAGE);
        let left = ARENA_BYTES.saturating_sub(area) / PAGE;
        if left == 0 || threads < 3 {
            return None;
        }
        let sends = self.random.percent(30);
        let outside = if sends { to } else { from };
        let most = {
            let Thread { arena, in_stack, .. } = &self.threads[outside];
            (arena.end - arena.start).max(*in_stack).saturating_sub(1)
        };
        let pages = 1 + self.random.below(left.min(12));
        // Less than a page's end, where the writers' words are.
        let bytes = ((pages - 1) * PAGE + self.random.below(PAGE - 160)).min(most);
        let bytes = if bytes % PAGE > PAGE - 160 { bytes - 160 } else { bytes };
        self.arena = area + (bytes + 1).next_multiple_of(PAGE);
        let mut writers: Vec<usize> = (0..threads as usize).filter(|thread| ![from, to].contains(thread)).collect();
        let least = if self.random.percent(50) { 1 } else { writers.len() };
        while writers.len() > least && self.random.percent(70) {
            writers.swap_remove(self.random.below(writers.len() as u32) as usize);
        }
        let outer = self.place(outside, bytes + 1);
        let inner = Place::Arena(0);
        let places = if sends { (inner, outer) } else { (outer, inner) };
        let (from, to) = (End { thread: from, place: places.0 }, End { thread: to, place: places.1 });
        let (key, yields) = (self.random.next_u32(), self.random.percent(60));
        Some(Op::Fight { channel, from, to, key, bytes, area, sends, writers, yields })
    }

    fn local(&mut self, moves_others: bool) -> Option<Op> {
        let thread = self.random.below(self.threads.len() as u32) as usize;
        let small = self.setting.is_small;
        let is_parent = |thread: usize| thread == 0 || self.threads.iter().any(|other| other.parent == thread);
        let is_parent = is_parent(thread);
        let processors = self.processors();
        let roomy = self.setting.machine.ram_bytes >= 2 << 20;
        let random = &mut self.random;
        let act = match random.below(100) {
            0..30 if !small && processors > 1 && !is_parent => Act::Migrate { to: random.below(processors) },
            30..45 if !small && processors > 1 && moves_others => {
                let other = 1 + random.below(self.threads.len() as u32 - 1) as usize;
                Act::Push { other, from: random.below(processors), to: random.below(processors) }
            }
            45..52 if !small => Act::Delay { microseconds: random.below(5000) },
            52..58 => Act::Compute { microseconds: random.below(3000) },
            58..64 => Act::Yield { times: random.below(20) },
            64..74 => Act::Deep { pages: 1 + random.below(self.threads[thread].deep) },
            74..80 if !small && !moves_others => Act::File { key: random.next_u32(), bytes: random.below(6000) },
            80..90 if !small => {
                let cell = random.below(CELLS as u32) as usize;
                Act::Add { cell, amount: random.next_u32(), times: 1 + random.below(40) }
            }
            90..93 if roomy => Act::Invoke { processor: random.below(processors), seed: random.below(100_000_000) },
            93..95 if roomy => Act::Kill { processor: random.below(processors), microseconds: random.below(20_000) },
            95..100 if self.language == Language::C && !small => {
                Act::Heap { blocks: (0..1 + random.below(12)).map(|_| random.below(900)).collect() }
            }
            _ => return None,
        };
        Some(Op::Local { thread, act })
    }
}
