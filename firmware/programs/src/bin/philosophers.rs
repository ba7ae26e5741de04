//! Dining philosophers: threads on all slaves, with a thread for each fork, which listens to the
//! two who may take it by ALT. Arguments: `[PHILOSOPHERS [MEALS]]`, 2 to 30 philosophers, by
//! default 5, and meals of each, by default 20. All but the last take their left fork first, so
//! that nobody waits in a circle; every fork checks that it is put down by who took it.
#![no_std]
#![no_main]

use libtos::random::Random;
use libtos::Error;
use libtos::{
    alt, compute_us, create, exit, halt, need_large_kernel, println, processors, receive, send_block, stack_for,
    thread_id, wait,
};

libtos::program!(main);

const STACK_PAGES: u32 = 3;
/// Thread numbers of the first philosopher and fork.
const PHILOSOPHER: u8 = 2;
const FORK: u8 = 32;
/// Channels to a fork: from the philosopher whose left fork it is, then from whose right fork it is.
const TO_FORK: u8 = 0;
/// Channel to a philosopher: who sits there, how many there are, and how often to eat.
const INVITATION: u8 = 64;
const MOST: u8 = 30;

const TAKE: u8 = 1;
const PUT: u8 = 2;
const LEAVE: u8 = 3;

fn main(arguments: libtos::Arguments) -> u32 {
    need_large_kernel("ALT");
    let numbers = arguments.at_most(2).map(|all| (all.number(0, 5), all.number(1, 20u16)));
    let Some((Some(philosophers @ 2..=MOST), Some(meals))) = numbers else {
        println!("usage: philosophers [PHILOSOPHERS (2 to {MOST}) [MEALS]]");
        return 2;
    };
    if let Err(error) = dine(philosophers, meals) {
        println!("philosophers: {}", error.meaning());
        halt();
    }
    let failed = wait();
    println!("philosophers: {philosophers} have eaten {meals} times each, {failed} failed");
    failed
}

fn dine(philosophers: u8, meals: u16) -> Result<(), Error> {
    let slaves = (processors() - 1).max(1);
    let place = |index: u8| (u8::from(processors() > 1) + index % slaves) as i32;
    for seat in 0..philosophers {
        create(FORK + seat, STACK_PAGES, place(seat + 1), fork, stack_for(STACK_PAGES))?;
        create(PHILOSOPHER + seat, STACK_PAGES, place(seat), philosopher, stack_for(STACK_PAGES))?;
    }
    for seat in 0..philosophers {
        let [low, high] = meals.to_le_bytes();
        send_block(INVITATION + seat, &[philosophers, low, high])?;
    }
    Ok(())
}

extern "C" fn philosopher() -> ! {
    exit(live(thread_id() - PHILOSOPHER).is_err() as u32)
}

fn live(seat: u8) -> Result<(), Error> {
    let mut invitation = [0; 3];
    if receive(INVITATION + seat, &mut invitation)? != 3 {
        return Err(Error::BadLength);
    }
    let [philosophers, low, high] = invitation;
    let left = TO_FORK + 2 * seat;
    let right = TO_FORK + 2 * ((seat + 1) % philosophers) + 1;
    let (first, second) = if seat + 1 == philosophers { (right, left) } else { (left, right) };
    let mut random = Random::new(seat as u32);
    for meal in 0..u16::from_le_bytes([low, high]) {
        compute_us(random.below(500));
        // Which meal it is tells the fork whether anything was lost or came twice.
        let [low, high] = meal.to_le_bytes();
        send_block(first, &[TAKE, low, high])?;
        send_block(second, &[TAKE, low, high])?;
        compute_us(random.below(500));
        send_block(first, &[PUT, low, high])?;
        send_block(second, &[PUT, low, high])?;
    }
    send_block(left, &[LEAVE, low, high])?;
    send_block(right, &[LEAVE, low, high])?;
    Ok(())
}

extern "C" fn fork() -> ! {
    match lie_on_table(thread_id() - FORK) {
        Ok(true) => exit(0),
        _ => exit(1),
    }
}

/// Serves both neighbours until both have left. `false` if somebody did what makes no sense.
fn lie_on_table(place: u8) -> Result<bool, Error> {
    let channels = [TO_FORK + 2 * place, TO_FORK + 2 * place + 1];
    let mut meals = [0u16; 2];
    let mut guests = 2;
    let mut message = [0; 3];
    while guests > 0 {
        let (who, bytes) = alt(&channels, &mut message, None)?;
        let [what, low, high] = message;
        if bytes != 3 || u16::from_le_bytes([low, high]) != meals[who] {
            return Ok(false);
        }
        match what {
            LEAVE => guests -= 1,
            TAKE => {
                // Until it is put down, nobody else is listened to.
                if receive(channels[who], &mut message)? != 3 || message != [PUT, low, high] {
                    return Ok(false);
                }
                meals[who] += 1;
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}
