//! Who may do what to whom. The first process, which is an operator, invokes some that attack it, each other
//! and the monitors; then it gives one of them the right to. Exit code 0 if each got what it should.
#![no_std]
#![no_main]

use libtos::monitor::filter::{register, Command};
use libtos::monitor::{classes, command, deliver, missed, read, set_classes, want, Delivery};
use libtos::process::{await_end, background, invoke, kill, process, resume, suspend, How, Process};
use libtos::{create, delay_us, exit, println, processor, receive, stack_for, wait, Arguments, Error};
use programs::verdict::Verdict;

libtos::program!(main);

const NAME: &str = "rights";
const STACK_PAGES: u32 = 4;

fn main(arguments: Arguments) -> u32 {
    let number = |index| arguments.number(index, 0u16).unwrap_or(0);
    match arguments.iter().next() {
        Some("block") => receive(1, &mut [0]).is_err() as u32,
        Some("attack") => attack(number(1), number(2)),
        Some("operate") => operate(number(1)),
        Some("far") => far(),
        _ => test(),
    }
}

/// Arguments: a word, and processes.
fn arguments<'a>(buffer: &'a mut [u8; 32], word: &str, processes: [Process; 2]) -> &'a [u8] {
    let mut used = 0;
    let mut put = |byte| {
        buffer[used] = byte;
        used += 1;
    };
    word.bytes().for_each(&mut put);
    put(0);
    for process in processes {
        for place in [10_000, 1000, 100, 10, 1] {
            put(b'0' + (process / place % 10) as u8);
        }
        put(0);
    }
    &buffer[..used]
}

fn test() -> u32 {
    let verdict = Verdict::default();
    let block = |how| invoke(NAME, b"block\0", how);
    let (Ok(sibling), before) = (block(How::default()), classes()) else { return 1 };
    let mut buffer = [0; 32];
    // On the victim's processor, on another, and on the master.
    for place in [processor(), processor() + 1, 0] {
        let how = How { processor: Some(place), ..How::default() };
        let attacker = invoke(NAME, arguments(&mut buffer, "attack", [process(), sibling]), how);
        let code = attacker.and_then(await_end);
        verdict.check("the attacker was refused everything", code == Ok(0));
    }
    verdict.check(
        "a thread of its on another processor too",
        invoke(NAME, b"far\0", How::default()).and_then(await_end) == Ok(0),
    );
    verdict.check("the classes are as before", classes() == before);
    let how = How { operator: true, ..How::default() };
    let operator = invoke(NAME, arguments(&mut buffer, "operate", [sibling, 0]), how);
    verdict.check("an operator may", operator.and_then(await_end) == Ok(0));
    verdict.check("what it has ended has ended", await_end(sibling) == Ok(0xffff_fffe));
    let Ok(sibling) = block(How::default()) else { return 1 };
    verdict.expect("end a child", kill(sibling), Ok(()));
    verdict.check("it ends", await_end(sibling) == Ok(0xffff_fffe));
    println!("{NAME}: {} wrong", verdict.wrong());
    verdict.wrong()
}

/// What it must not do to a process.
fn control_all(verdict: &Verdict, whom: &str, victim: Process) {
    let refused = Err(Error::NoPermission);
    println!("{whom}:");
    verdict.expect("end it", kill(victim), refused);
    verdict.expect("stop it", suspend(victim), refused);
    verdict.expect("let it go on", resume(victim), refused);
    verdict.expect("put it into the background", background(victim), refused);
}

fn control_monitors(verdict: &Verdict) {
    let refused = Err(Error::NoPermission);
    verdict.expect("change the classes", set_classes(0), refused);
    verdict.expect("drop events", command(Command { smi: 0, register: register::INTERVAL, value: 1 }), refused);
    verdict.expect("collect events", deliver(Delivery::PortAndQueue), refused);
    verdict.expect("choose them", want(u16::MAX, 0, 0), refused);
    verdict.expect("take them", read(&mut [0; 4]), refused);
    let asked = if processor() == 0 { Ok(()) } else { Err(Error::NoMonitor) };
    verdict.expect("ask how many were missed", missed(), asked);
}

fn attack(first: Process, sibling: Process) -> u32 {
    let verdict = Verdict::default();
    println!("on processor {}", processor());
    control_all(&verdict, "the first process", first);
    control_all(&verdict, "a sibling", sibling);
    control_monitors(&verdict);
    let child = invoke(NAME, b"block\0", How { suspended: true, ..How::default() });
    let operator = How { operator: true, ..How::default() };
    verdict.expect("make an operator", invoke(NAME, b"block\0", operator), Err(Error::NoPermission));
    verdict.expect("let a child go on", child.and_then(resume), Ok(()));
    verdict.expect("end it", child.and_then(kill), Ok(()));
    verdict.check("it ends", child.and_then(await_end) == Ok(0xffff_fffe));
    verdict.wrong()
}

/// A thread on a processor that is not its process's home.
fn far() -> u32 {
    let there = processor() as i32 + 1;
    if create(2, STACK_PAGES, there, try_monitors, stack_for(STACK_PAGES)).is_err() {
        return 1;
    }
    wait()
}

extern "C" fn try_monitors() -> ! {
    let verdict = Verdict::default();
    control_monitors(&verdict);
    exit(verdict.wrong())
}

fn operate(victim: Process) -> u32 {
    let verdict = Verdict::default();
    let before = classes();
    verdict.expect("an operator's child changes the classes", set_classes(0), Ok(()));
    verdict.expect("and back", set_classes(before), Ok(()));
    verdict.expect("stops a sibling", suspend(victim), Ok(()));
    delay_us(1000);
    verdict.expect("and ends it", kill(victim), Ok(()));
    verdict.wrong()
}
