//! Changes what is monitored while it runs, and emits data in between, so that the trace can be
//! held against what was asked for. Then it tries what cannot be changed.
#![no_std]
#![no_main]

use libtos::monitor::event::{DIAG_ALL, DIAG_PROFILE, DIAG_READY, DIAG_TIMER, DIAG_USER, MORE, USER};
use libtos::monitor::filter::{action, register, Command};
use libtos::monitor::{classes, command, set_classes, setting};
use libtos::{create, delay_us, exit, println, processor, send_event, stack_for, wait, Arguments, Error};
use programs::verdict::Verdict;

libtos::program!(main);

/// Data emitted with no class enabled, with class user, while they are dropped, while they are
/// counted, and afterwards. Each part's data say which it is.
const PARTS: [u16; 5] = [50, 40, 30, 20, 10];
const STACK_PAGES: u32 = 4;

fn main(arguments: Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: control");
        return 2;
    }
    let verdict = Verdict::default();
    let before = classes();
    verdict.check("silence", set_classes(0) == Ok(()) && classes() == 0);
    emit(0);
    verdict.check("data", set_classes(DIAG_USER) == Ok(()) && classes() == DIAG_USER);
    emit(1);
    verdict.check("dropped", rule(action::DROP) == Ok(()));
    emit(2);
    let often = set(register::INTERVAL, 8);
    verdict.check("counted", often.and_then(|()| rule(action::COUNT)) == Ok(()) && setting(register::ACTION) == 3);
    emit(3);
    verdict.check("passed", set(register::ACTION, action::OFF) == Ok(()) && setting(register::ACTION) == 0);
    emit(4);
    verdict.check("as before", set_classes(before) == Ok(()) && classes() == before);
    refused(&verdict, before);
    elsewhere(&verdict);
    verdict.wrong()
}

fn emit(part: u16) {
    for number in 0..PARTS[part as usize] {
        while send_event(part << 8 | number) != Ok(true) {
            delay_us(100);
        }
        delay_us(20);
    }
}

fn set(register: u8, value: u16) -> Result<(), Error> {
    command(Command { smi: 0, register, value })
}

/// Rule 0 is for user data.
fn rule(action: u16) -> Result<(), Error> {
    set(register::ACTION, action::OFF)?;
    set(register::MASK, !MORE)?;
    set(register::MATCH, USER)?;
    set(register::ACTION, action)
}

/// What decides how words are read stays as it is.
fn refused(verdict: &Verdict, before: u32) {
    let fixed = Err(Error::FixedSetting);
    verdict.expect("class ready", set_classes(DIAG_READY), fixed);
    verdict.expect("class ready besides", set_classes(before | DIAG_READY), fixed);
    verdict.expect("a class that is none", set_classes(DIAG_ALL + 1), fixed);
    verdict.expect("pairs", set(register::PAIRS, 0), fixed);
    verdict.expect("a register that is none", set(15, 1), fixed);
    let far = Command { smi: 15, register: register::INTERVAL, value: 1 };
    verdict.expect("a monitor that is none", command(far), Err(Error::BadProcessor));
    verdict.check("nothing of that", classes() == before && setting(register::INTERVAL) == 8);
}

/// All processors know, also the master.
fn elsewhere(verdict: &Verdict) {
    let wanted = DIAG_PROFILE | DIAG_TIMER;
    verdict.check("other classes", set_classes(wanted) == Ok(()));
    for id in 2..2 + libtos::processors() {
        let made = create(id, STACK_PAGES, (id - 2) as i32, look, stack_for(STACK_PAGES));
        verdict.count(made.is_ok());
    }
    verdict.check("on every processor", wait() == 0);
    verdict.check("set from elsewhere", classes() == DIAG_USER);
}

extern "C" fn look() -> ! {
    let right = classes() == DIAG_PROFILE | DIAG_TIMER && setting(register::INTERVAL) == 8;
    // The last one changes them again.
    if processor() + 1 == libtos::processors() {
        delay_us(3000);
        exit((!right || set_classes(DIAG_USER).is_err()) as u32);
    }
    exit(!right as u32)
}
