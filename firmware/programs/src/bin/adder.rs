//! The report's `adder` (section 4.3.2, appendix A.7): an asynchronous circuit that adds, simulated
//! with a thread for each of its 14 elements and one for the environment: `adder A B [REPEAT]` and the
//! options of [`programs::crew`]. It adds REPEAT pairs in the report's order, from A and B on: B counts
//! up fastest. Of up to 16 additions it prints each, with the elements that the signal has passed by
//! kind; of more the last one, and sums of all. The circuit is [`testbed_kernel_core::adder`].
#![no_std]
#![no_main]

use libtos::{alt, need_large_kernel, println, receive, send_block, thread_id, Arguments, Error};
use programs::crew::{self, Crew, Options};
use testbed_kernel_core::adder::{
    Delays, Memory, Wiring, A, B, BITS, CHANNELS, CIRCUIT, ELEMENTS, KINDS, NEXT, SUM, TAKEN,
};
use testbed_kernel_core::task_graph::FIRST;

libtos::program!(main);

/// Operands are bytes.
const MOST: u32 = 255;
const REPEAT_MOST: u32 = 1_000_000;
/// Additions that are printed one by one.
const PRINTED: u32 = 16;
/// The environment comes behind the elements.
const ENVIRONMENT: u8 = FIRST + ELEMENTS as u8;
/// From the environment to the first thread.
const ANSWERS: u8 = CHANNELS as u8;
/// From the environment to each element: it is over.
const OVER: u8 = ANSWERS + 1;
const ANSWER_BYTES: usize = 4 + Delays::BYTES;
const MOST_INPUTS: usize = 4;

/// What the threads are told.
const FIRST_A: usize = 0;
const FIRST_B: usize = 1;
const REPEAT: usize = 2;

fn main(arguments: Arguments) -> u32 {
    need_large_kernel("ALT");
    let options = Options::parse(arguments, 3).filter(|options| options.word(1).is_some());
    let numbers = options.and_then(|options| {
        let operand = |index| options.number(index, 0).filter(|&operand| operand <= MOST);
        let repeat = options.number(2, 1).filter(|repeat| (1..=REPEAT_MOST).contains(repeat))?;
        Some((options, operand(0)?, operand(1)?, repeat))
    });
    let Some((options, a, b, repeat)) = numbers else {
        println!("usage: adder A B (0 to {MOST}) [REPEAT (1 to {REPEAT_MOST})]");
        println!("       {}", crew::USAGE);
        return 2;
    };
    for (index, value) in [(FIRST_A, a), (FIRST_B, b), (REPEAT, repeat)] {
        crew::tell(index, value);
    }
    let crew = Crew { workers: ELEMENTS as u8 + 1, room_pages: 0, entry: work };
    let Some(started) = crew.start(&options, |_| None) else { return 2 };
    let wrong = answers(a, b, repeat).unwrap_or_else(|error| crew::fail(error));
    let (failed, took) = started.wait();
    println!("adder: {repeat} additions, {wrong} wrong, {failed} failed");
    started.print("adder", took);
    wrong + failed
}

/// The operands of addition `number`.
fn operands(a: u32, b: u32, number: u32) -> (u32, u32) {
    let place = (a * (MOST + 1) + b + number) % ((MOST + 1) * (MOST + 1));
    (place / (MOST + 1), place % (MOST + 1))
}

/// Takes the environment's answers: one by one if there are few, otherwise their sum. The result is how
/// many sums are wrong.
fn answers(a: u32, b: u32, repeat: u32) -> Result<u32, Error> {
    let mut wrong = 0;
    let mut bytes = [0; ANSWER_BYTES];
    for number in 0..if repeat <= PRINTED { repeat } else { 1 } {
        receive(ANSWERS, &mut bytes)?;
        let (sum, delays) = answer(&bytes);
        let (a, b) = operands(a, b, number);
        let [keller, call, muller, merge] = delays.0;
        if repeat <= PRINTED {
            println!("{a} + {b} is {sum}; keller {keller}, call {call}, muller {muller}, merge {merge}");
            wrong += u32::from(sum != a + b);
        } else {
            println!("of all: wrong {sum}; keller {keller}, call {call}, muller {muller}, merge {merge}");
            wrong += sum;
        }
    }
    Ok(wrong)
}

fn answer(bytes: &[u8; ANSWER_BYTES]) -> (u32, Delays) {
    let (sum, delays) = bytes.split_at(4);
    let sum = sum.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    (sum, delays.first_chunk().map_or(Delays::default(), Delays::from_bytes))
}

fn tell(sum: u32, delays: Delays) -> Result<(), Error> {
    let mut bytes = [0; ANSWER_BYTES];
    bytes[..4].copy_from_slice(&sum.to_le_bytes());
    bytes[4..].copy_from_slice(&delays.to_bytes());
    send_block(ANSWERS, &bytes).map(drop)
}

extern "C" fn work() -> ! {
    let me = thread_id();
    let element = CIRCUIT.get(usize::from(me - FIRST));
    let done = if me == ENVIRONMENT { environment() } else { element.map_or(Ok(0), simulate) };
    let count = done.unwrap_or_else(|error| crew::fail(error));
    crew::finish(true, [count, 0, 0])
}

/// An element, until it is told that it is over. The result is how many signals it has taken.
fn simulate(element: &Wiring) -> Result<u32, Error> {
    let mut inputs = [OVER + thread_id() - FIRST; MOST_INPUTS + 1];
    let count = element.inputs.len();
    inputs[..count].copy_from_slice(element.inputs);
    let (mut memory, mut bytes, mut taken) = (Memory::default(), [0; Delays::BYTES], 0);
    loop {
        let (input, _) = alt(&inputs[..=count], &mut bytes, None)?;
        if input == count {
            return Ok(taken);
        }
        taken += 1;
        if let Some((output, record)) = memory.take(element.kind, input, Delays::from_bytes(&bytes)) {
            for &channel in element.outputs[output] {
                send_block(channel, &record.to_bytes())?;
            }
        }
    }
}

/// Gives the circuit its operands bit by bit, and takes the sums. The result is how many additions.
fn environment() -> Result<u32, Error> {
    let (a, b, repeat) = (crew::told(FIRST_A), crew::told(FIRST_B), crew::told(REPEAT));
    let (mut wrong, mut all) = (0, [0u32; KINDS]);
    for number in 0..repeat {
        let (a, b) = operands(a, b, number);
        let (sum, delays) = add(a, b)?;
        if repeat <= PRINTED {
            tell(sum, delays)?;
        }
        wrong += u32::from(sum != a + b);
        all.iter_mut().zip(delays.0).for_each(|(all, delay)| *all = all.wrapping_add(delay));
    }
    if repeat > PRINTED {
        tell(wrong, Delays(all))?;
    }
    for element in 0..ELEMENTS as u8 {
        send_block(OVER + element, &[])?;
    }
    Ok(repeat)
}

fn add(a: u32, b: u32) -> Result<(u32, Delays), Error> {
    let (mut sum, mut record) = (0, [0; Delays::BYTES]);
    for bit in 0..BITS {
        send_block(A[(a >> bit & 1) as usize], &record)?;
        send_block(B[(b >> bit & 1) as usize], &record)?;
        let (value, _) = alt(&SUM, &mut record, None)?;
        sum |= (value as u32) << bit;
        send_block(TAKEN, &record)?;
        receive(NEXT, &mut record)?;
    }
    Ok((sum, Delays::from_bytes(&record)))
}
