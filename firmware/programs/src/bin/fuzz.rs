//! Does at random what programs can do: calls with any arguments, loads and stores and jumps to
//! anywhere. Victims do it, processes of their own; meanwhile this process's threads on all
//! processors look whether their memory and their channels stay as they should. Arguments:
//! `[SEED [CALLS]]`, by default 1 and 20,000 calls. Calls count only if their victim made all of
//! them and said so by its exit code.
#![no_std]
#![no_main]

use libtos::process::{await_end, invoke, kill, How, Process};
use libtos::random::Random;
use libtos::{
    alt, create, delay_us, exit, halt, need_large_kernel, println, processor, processors, receive, send_block,
    stack_for, wait, Arguments, Error,
};
use programs::victim;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Thread ids of guardians, and channels to and from them.
const GUARDIAN: u8 = 2;
const ASK: u8 = 0;
const ANSWER: u8 = 16;
/// Victims at a time, calls of each, and the time that they have.
const BATCH: usize = 8;
const CALLS: u32 = 2000;
const BATCH_US: u32 = 400_000;
/// Words of a guardian's memory.
const WORDS: usize = 256;

fn main(arguments: Arguments) -> u32 {
    if arguments.iter().next() == Some("victim") {
        let (Some(seed), Some(calls)) = (arguments.number(1, 0), arguments.number(2, 0)) else { return 2 };
        return victim::run(seed, calls);
    }
    need_large_kernel("several processes");
    let Some([seed, calls]) = arguments.numbers([1, 20_000]) else {
        println!("usage: fuzz [SEED [CALLS]]");
        return 2;
    };
    match fuzz(seed, calls) {
        Ok(wrong) => wrong,
        Err(error) => {
            println!("fuzz: {}", error.meaning());
            halt();
        }
    }
}

fn fuzz(seed: u32, calls: u32) -> Result<u32, Error> {
    for place in 0..processors() {
        create(GUARDIAN + place, STACK_PAGES, place as i32, guard, stack_for(STACK_PAGES))?;
    }
    let mut random = Random::new(seed);
    let (mut made, mut whole, mut victims, mut rounds) = (0, 0, 0, 0u32);
    // A victim may spoil itself; some more than needed must be enough.
    while made < calls && victims < 4 * calls / CALLS + 16 {
        let mut batch = [None; BATCH];
        for place in &mut batch {
            *place = Some(start(&mut random)?);
            victims += 1;
        }
        delay_us(BATCH_US);
        for process in batch.into_iter().flatten() {
            // Most have ended. What a victim has made of itself may go on for ever.
            let _ = kill(process);
            let code = await_end(process)?;
            if code == victim::DONE {
                made += CALLS;
                whole += 1;
            }
        }
        ask_all(rounds)?;
        rounds += 1;
    }
    for place in 0..processors() {
        send_block(ASK + place, &[])?;
    }
    let failed = wait();
    println!("fuzz: {made} calls, {whole} of {victims} victims made all of theirs; {rounds} rounds of questions, {failed} failed");
    Ok(failed + (made < calls) as u32)
}

/// Invokes a victim on some processor.
fn start(random: &mut Random) -> Result<Process, Error> {
    let mut text = [0; 40];
    let mut used = 0;
    let mut put = |bytes: &[u8]| {
        text[used..used + bytes.len()].copy_from_slice(bytes);
        used += bytes.len();
    };
    put(b"victim\0");
    for number in [random.word(), CALLS] {
        let mut digits = [b'0'; 11];
        let mut rest = number;
        for digit in digits[..10].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        digits[10] = 0;
        put(&digits);
    }
    let processor = random.below(processors() as u32) as u8;
    invoke("fuzz", &text[..used], How { processor: Some(processor), background: true, ..How::default() })
}

/// All guardians are there, and answer what they are asked.
fn ask_all(round: u32) -> Result<(), Error> {
    for place in 0..processors() {
        send_block(ASK + place, &round.to_le_bytes())?;
    }
    for place in 0..processors() {
        let mut answer = [0; 8];
        receive(ANSWER + place, &mut answer)?;
        if answer[..4] != round.to_le_bytes() || answer[4..] != [0; 4] {
            println!("fuzz: processor {place}: memory or a message is WRONG");
            halt();
        }
    }
    Ok(())
}

/// Looks at its memory again and again, and tells how many words have changed.
extern "C" fn guard() -> ! {
    let me = processor();
    let mut memory = [0u32; WORDS];
    let word = |index: usize| (index as u32 ^ (me as u32) << 16).wrapping_mul(0x9e37_79b1);
    memory.iter_mut().enumerate().for_each(|(index, place)| *place = word(index));
    let mut question = [0; 4];
    let mut wrong = 0u32;
    loop {
        let memory = core::hint::black_box(&memory);
        wrong += memory.iter().enumerate().filter(|&(index, &found)| found != word(index)).count() as u32;
        match alt(&[ASK + me], &mut question, Some(2000)) {
            Err(Error::Timeout) => continue,
            Ok((0, 4)) => {}
            Ok((0, 0)) => exit((wrong != 0) as u32),
            _ => exit(1),
        }
        let mut answer = [0; 8];
        answer[..4].copy_from_slice(&question);
        answer[4..].copy_from_slice(&wrong.to_le_bytes());
        if send_block(ANSWER + me, &answer) != Ok(8) {
            exit(1);
        }
    }
}
