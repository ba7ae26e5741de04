//! The sieve of Eratosthenes as a pipeline: every thread keeps the first number that it is sent, a
//! prime, and passes on those that it does not divide. Threads are dealt out over all slaves.
//! Argument: `[FILTERS]`, 1 to 60, by default 20. Every prime is checked, and how many numbers come
//! out at the end.
#![no_std]
#![no_main]

use libtos::{create, exit, halt, println, processors, receive, send_block, stack_for, thread_id, wait, Error};

libtos::program!(main);

const STACK_PAGES: u32 = 3;
/// Thread number of the first filter.
const FIRST: u8 = 2;
/// Channel to the first filter, and that on which it tells its prime at the end; those of the
/// others follow. After its prime, the last filter tells how many numbers it has let through.
const PIPE: u8 = 0;
const TELL: u8 = 64;

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([filters @ 1..=60]) = arguments.numbers([20u8]) else {
        println!("usage: sieve [FILTERS (1 to 60)]");
        return 2;
    };
    match sieve(filters) {
        Ok(wrong) => wrong,
        Err(error) => {
            println!("sieve: {}", error.meaning());
            halt();
        }
    }
}

fn is_prime(number: u32) -> bool {
    number >= 2 && (2..).take_while(|divisor| divisor * divisor <= number).all(|divisor| number % divisor != 0)
}

fn sieve(filters: u8) -> Result<u32, Error> {
    let slaves = (processors() - 1).max(1);
    let first = u8::from(processors() > 1);
    for filter in 0..filters {
        let place = first + filter % slaves;
        create(FIRST + filter, STACK_PAGES, place as i32, run, stack_for(STACK_PAGES))?;
    }
    send_word(PIPE, filters as u32)?;
    let largest = (2..).filter(|&number| is_prime(number)).nth(filters as usize - 1).unwrap_or(2);
    // Between the last filter's prime and twice that, what no filter divides is prime.
    for number in 2..=2 * largest {
        send_word(PIPE, number)?;
    }
    send_word(PIPE, 0)?;
    let mut wrong = 0;
    let mut primes = (2..).filter(|&number| is_prime(number));
    let mut last = 0;
    for filter in 0..filters {
        last = receive_word(TELL + filter)?;
        wrong += (Some(last) != primes.next()) as u32;
    }
    let rest = receive_word(TELL + filters - 1)?;
    let expected = (largest + 1..=2 * largest).filter(|&number| is_prime(number)).count() as u32;
    wrong += (rest != expected) as u32 + wait();
    println!("sieve: {filters} primes, the last is {last}; {rest} more up to {}: {wrong} wrong", 2 * largest);
    Ok(wrong)
}

fn send_word(channel: u8, word: u32) -> Result<(), Error> {
    send_block(channel, &word.to_le_bytes()).map(drop)
}

fn receive_word(channel: u8) -> Result<u32, Error> {
    let mut word = [0; 4];
    match receive(channel, &mut word)? {
        4 => Ok(u32::from_le_bytes(word)),
        _ => Err(Error::BadLength),
    }
}

extern "C" fn run() -> ! {
    exit(filter(thread_id() - FIRST).is_err() as u32)
}

/// Receives how many filters there still are, its prime, and numbers until a 0; passes on what it doesn't divide.
fn filter(index: u8) -> Result<(), Error> {
    let (inward, onward, tell) = (PIPE + index, PIPE + index + 1, TELL + index);
    let filters = receive_word(inward)?;
    let is_last = filters == 1;
    if !is_last {
        send_word(onward, filters - 1)?;
    }
    let prime = receive_word(inward)?;
    let mut passed = 0;
    loop {
        let number = receive_word(inward)?;
        let divides = number != 0 && number % prime == 0;
        if !divides && !is_last {
            send_word(onward, number)?;
        }
        if number == 0 {
            break;
        }
        passed += !divides as u32;
    }
    send_word(tell, prime)?;
    if is_last {
        send_word(tell, passed)?;
    }
    Ok(())
}
