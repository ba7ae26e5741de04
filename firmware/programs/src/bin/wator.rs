//! The report's `wator` (section 4.3.3): `wator [STEPS [REGIONS [THOUGHT]]]` and the options of
//! [`programs::crew`]: fish and sharks on an ocean of 100 by 100 cells, divided into REGIONS of whole
//! rows, a thread each. In each half of a step regions show each other their borders, their animals
//! choose where to go, and those that want across are told by the neighbour whether they may. THOUGHT
//! is how long an animal computes to choose. [`testbed_kernel_core::wator`] has the rules.
//!
//! After each step it prints how many fish and sharks there are: the same for a seed, whatever the
//! regions, the processors and the places of threads.
//!
//! Regions lie in a ring, and exchange with the neighbour at each edge by channels that wait for both.
//! Edges have one order for all, even ones, odd ones, and the last if their number is odd. Every
//! region goes to its two edges in this order, so the first edge at which an exchange is not over has
//! both its regions there, and they never wait in a circle.
#![no_std]
#![no_main]

use libtos::{need_large_kernel, println, receive, send_block, thread_id, Arguments, Error};
use programs::crew::{self, Crew, Options};
use testbed_kernel_core::task_graph::FIRST;
use testbed_kernel_core::wator::region::{rows, Edge, Region, BYTES_A_ROW, MESSAGE_BYTES};
use testbed_kernel_core::wator::{Kind, Now, SIDE};

libtos::program!(main);

const PAGE_BYTES: u32 = 1024;
const STEPS: u32 = 100;
const MOST_STEPS: u32 = 200;
const REGIONS: u32 = 20;
/// Each has three channels: up, down, and to the first thread.
const MOST_REGIONS: u32 = 42;
const THOUGHT: u32 = 64;
const MOST_THOUGHT: u32 = 100_000;
/// Bytes of what a region tells of a step: fish and sharks.
const COUNT: usize = 4;

/// What the regions are told.
const TOLD_STEPS: usize = 0;
const TOLD_REGIONS: usize = 1;
const TOLD_THOUGHT: usize = 2;

fn main(arguments: Arguments) -> u32 {
    need_large_kernel("shared pages");
    simulate(arguments)
}

// Not in line: the small kernel's stack for the first thread has no room for the counts.
#[inline(never)]
fn simulate(arguments: Arguments) -> u32 {
    let options = Options::parse(arguments, 3);
    let numbers = options.and_then(|options| {
        let number = |index, default, most| options.number(index, default).filter(|number| (1..=most).contains(number));
        let (steps, regions) = (number(0, STEPS, MOST_STEPS)?, number(1, REGIONS, MOST_REGIONS)?);
        Some((options, steps, regions, number(2, THOUGHT, MOST_THOUGHT)?))
    });
    let Some((options, steps, regions, thought)) = numbers else {
        println!(
            "usage: wator [STEPS (1 to {MOST_STEPS}) [REGIONS (1 to {MOST_REGIONS}) [THOUGHT (1 to {MOST_THOUGHT})]]]"
        );
        println!("       {}", crew::USAGE);
        return 2;
    };
    for (index, value) in [(TOLD_STEPS, steps), (TOLD_REGIONS, regions), (TOLD_THOUGHT, thought)] {
        crew::tell(index, value);
    }
    let bytes = SIDE.div_ceil(regions as usize) * BYTES_A_ROW + COUNT * steps as usize;
    let crew = Crew { workers: regions as u8, room_pages: (bytes as u32).div_ceil(PAGE_BYTES), entry: live };
    let Some(started) = crew.start(&options, |_| None) else { return 2 };
    let mut counts = [(0, 0); MOST_STEPS as usize];
    gather(&mut counts[..steps as usize], regions as u8).unwrap_or_else(|error| crew::fail(error));
    let (failed, took) = started.wait();
    for (step, (fish, sharks)) in counts[..steps as usize].iter().enumerate() {
        println!("step {}: {fish} fish, {sharks} sharks", step + 1);
    }
    println!("wator: {steps} steps, {regions} regions, {failed} failed");
    started.print("wator", took);
    failed
}

/// Adds up what the regions have counted after each step.
fn gather(counts: &mut [(u32, u32)], regions: u8) -> Result<(), Error> {
    let mut told = [0; COUNT * MOST_STEPS as usize];
    for region in 0..regions {
        let told = &mut told[..COUNT * counts.len()];
        receive(2 * regions + region, told)?;
        for (count, told) in counts.iter_mut().zip(told.chunks_exact(COUNT)) {
            count.0 += u32::from(u16::from_le_bytes([told[0], told[1]]));
            count.1 += u32::from(u16::from_le_bytes([told[2], told[3]]));
        }
    }
    Ok(())
}

extern "C" fn live() -> ! {
    let right = Place::new().live().unwrap_or_else(|error| crew::fail(error));
    crew::finish(right, [0; 3])
}

/// A region's place in the ring.
struct Place {
    index: usize,
    regions: usize,
    /// The edges, in the order that all regions have.
    edges: [Edge; 2],
}

impl Place {
    fn new() -> Self {
        let (index, regions) = (usize::from(thread_id() - FIRST), crew::told(TOLD_REGIONS) as usize);
        let mut place = Place { index, regions, edges: Edge::BOTH };
        if place.turn(Edge::Below) < place.turn(Edge::Above) {
            place.edges.reverse();
        }
        place
    }

    /// The number of an edge: that of the region above it.
    fn number(&self, edge: Edge) -> usize {
        match edge {
            Edge::Above => (self.index + self.regions - 1) % self.regions,
            Edge::Below => self.index,
        }
    }

    /// When an edge has its turn.
    fn turn(&self, edge: Edge) -> (usize, usize) {
        let number = self.number(edge);
        let is_odd_one_out = self.regions % 2 == 1 && number + 1 == self.regions;
        (if is_odd_one_out { 2 } else { number % 2 }, number)
    }

    /// Lives through all steps, and tells what was counted. The result is whether all messages made sense.
    fn live(&self) -> Result<bool, Error> {
        let (steps, seed) = (crew::told(TOLD_STEPS) as usize, crew::seed());
        // SAFETY: once a thread, whose frames are small.
        let room = unsafe { crew::room() };
        let (counts, room) = room.split_at_mut(COUNT * steps);
        let (first, rows) = rows(self.index, self.regions);
        let Some(mut region) = Region::new(seed, first, rows, room) else { return Ok(false) };
        let mut right = true;
        for (step, count) in counts.chunks_exact_mut(COUNT).enumerate() {
            let now = Now { seed, step: step as u32 + 1, thought: crew::told(TOLD_THOUGHT) };
            for kind in Kind::HALVES {
                right &= self.half(&mut region, now, kind)?;
            }
            let (fish, sharks) = region.population();
            count[..2].copy_from_slice(&(fish as u16).to_le_bytes());
            count[2..].copy_from_slice(&(sharks as u16).to_le_bytes());
        }
        send_block((2 * self.regions + self.index) as u8, counts)?;
        Ok(right)
    }

    fn half(&self, region: &mut Region, now: Now, kind: Kind) -> Result<bool, Error> {
        let mut right = self.exchange(
            region,
            |region, edge, message| {
                message[..SIDE].copy_from_slice(region.border(edge));
                SIDE
            },
            |region, edge, said| region.see(edge, said),
        )?;
        region.choose(now, kind);
        right &= self.exchange(
            region,
            |region, edge, message| region.claims(now, edge, message),
            |region, edge, said| region.hear(edge, said),
        )?;
        region.resolve(now, kind);
        right &= self.exchange(
            region,
            |region, edge, message| region.answers(edge, message),
            |region, edge, said| region.obey(edge, said),
        )?;
        region.settle(now);
        Ok(right)
    }

    /// Says something to the neighbour at each edge, and hears what it says. What is said at one edge
    /// must not depend on what is heard at the other.
    fn exchange(
        &self,
        region: &mut Region,
        say: impl Fn(&Region, Edge, &mut [u8; MESSAGE_BYTES]) -> usize,
        hear: impl Fn(&mut Region, Edge, &[u8]) -> bool,
    ) -> Result<bool, Error> {
        let (mut said, mut heard, mut right) = ([0; MESSAGE_BYTES], [0; MESSAGE_BYTES], true);
        for edge in self.edges {
            let bytes = if self.regions == 1 {
                // The ocean's other end.
                let other = if edge == Edge::Above { Edge::Below } else { Edge::Above };
                say(region, other, &mut heard)
            } else {
                let bytes = say(region, edge, &mut said);
                self.talk(edge, &said[..bytes], &mut heard)?
            };
            right &= hear(region, edge, &heard[..bytes]);
        }
        Ok(right)
    }

    /// The region above an edge sends first. The result is the bytes received.
    fn talk(&self, edge: Edge, said: &[u8], heard: &mut [u8]) -> Result<usize, Error> {
        let down = 2 * self.number(edge) as u8;
        let up = down + 1;
        if edge == Edge::Below {
            send_block(down, said)?;
            return receive(up, heard);
        }
        let bytes = receive(down, heard)?;
        send_block(up, said)?;
        Ok(bytes)
    }
}
