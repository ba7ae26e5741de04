//! Reaches the limits of processes, and one past each: what is asked for and what comes of it, on
//! the processor of the first argument (by default this one). Exit code 0 if everything went as it
//! should, and nothing was left behind.
#![no_std]
#![no_main]

use libtos::process::{await_end, counter, counters, invoke, kill, process, processes, resume, suspend, How, Process};
use libtos::{create, exit, println, receive, stack_for, wait, yield_now, Arguments, Error};
use programs::verdict::Verdict;

libtos::program!(main);

const NAME: &str = "processes";
const STACK_PAGES: u32 = 4;

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        Some("block") => block(),
        Some("threads") => threads(),
        Some("fault") => fault(),
        Some("code") => arguments.number(1, 0).unwrap_or(1),
        _ => match arguments.numbers([libtos::processor()]) {
            Some([processor]) if processor < libtos::processors() => test(processor),
            _ => {
                println!("usage: processes [PROCESSOR (0 to {})]", libtos::processors() - 1);
                2
            }
        },
    }
}

struct Test {
    how: How,
    verdict: Verdict,
}

impl Test {
    fn expect<T>(&self, what: &str, result: Result<T, Error>, expected: Result<(), Error>) {
        self.verdict.expect(what, result, expected);
    }
    fn expect_code(&self, what: &str, code: Result<u32, Error>, expected: u32) {
        match code {
            Ok(code) => println!("{what}: exit code {:#x}", code),
            Err(error) => println!("{what}: {}", error.meaning()),
        }
        self.verdict.count(code == Ok(expected));
    }
    fn invoke(&self, arguments: &str) -> Result<Process, Error> {
        invoke(NAME, arguments.as_bytes(), self.how)
    }
    /// How many processes there are at most: 16 on every processor, and this one is one of this processor's.
    fn places(&self) -> usize {
        16 - (self.how.processor == Some(libtos::processor())) as usize
    }
}

fn test(processor: u8) -> u32 {
    let how = How { processor: Some(processor), background: true, ..How::default() };
    let test = Test { how, verdict: Verdict::default() };
    // Once, so that the file is there when pages are counted.
    let first = test.invoke("code\x007\0");
    test.expect_code("a process ends", first.and_then(await_end), 7);
    let before = counters();
    test.expect_code("its code is still known", first.and_then(await_end), 7);
    errors(&test);
    limit(&test);
    ends(&test);
    let after = counters();
    let kept = [counter::FREE_PAGES, counter::FREE_THREADS, counter::PROCESSES];
    let same = kept.into_iter().all(|index| before[index] == after[index]);
    println!("pages, threads and processes are {} before", if same { "as many as" } else { "NOT as many as" });
    println!("processes: {} wrong", test.verdict.wrong());
    test.verdict.wrong() + !same as u32
}

fn errors(test: &Test) {
    test.expect("a file that isn't there", invoke("nothing", &[], test.how), Err(Error::NoFile));
    test.expect("a name with a blank", invoke("no thing", &[], test.how), Err(Error::BadName));
    test.expect("arguments too long", invoke(NAME, &[0; 257], test.how), Err(Error::BadLength));
    let far = How { processor: Some(16), ..test.how };
    test.expect("processor 16", invoke(NAME, &[], far), Err(Error::BadProcessor));
    test.expect("await itself", await_end(process()), Err(Error::NoPermission));
    test.expect("await nobody", await_end(0xffff), Err(Error::NoProcess));
    test.expect("kill nobody", kill(0), Err(Error::NoProcess));
    test.expect("peek, untrusted", libtos::process::peek(process(), 0x400, &mut [0]), Err(Error::NoPermission));
}

/// As many processes as there can be, and one more.
fn limit(test: &Test) {
    let mut children = [0; 16];
    let children = &mut children[..test.places()];
    for child in children.iter_mut() {
        *child = test.invoke("block\0").unwrap_or(0);
    }
    let made = children.iter().filter(|&&child| child != 0).count();
    test.verdict.count(made == test.places());
    println!("{} processes beside the first", if made == test.places() { "as many as can be" } else { "TOO FEW" });
    test.expect("one more", test.invoke("code\0"), Err(Error::TooManyProcesses));
    if test.how.processor == Some(libtos::processor()) {
        println!("{} processes are listed", processes().count());
    }
    let killed = children.iter().filter(|&&child| kill(child).is_ok()).count();
    let ended = children.iter().filter(|&&child| await_end(child) == Ok(0xffff_fffe)).count();
    println!("{} of them killed, {} awaited", made - killed, made - ended);
    test.verdict.count(killed == made && ended == made);
    test.expect("kill again", kill(children[0]), Err(Error::NoProcess));
}

/// Ways to end.
fn ends(test: &Test) {
    test.expect_code("with threads that block", test.invoke("threads\0").and_then(await_end), 0xffff_fffe);
    test.expect_code("a fault of the first thread", test.invoke("fault\0").and_then(await_end), 0xffff_fffe);
    let child = invoke(NAME, b"code\x005\0", How { suspended: true, ..test.how });
    for _ in 0..3 {
        yield_now();
    }
    test.expect("resume", child.and_then(resume), Ok(()));
    test.expect_code("it ends", child.and_then(await_end), 5);
    let child = test.invoke("block\0");
    test.expect("suspend", child.and_then(suspend), Ok(()));
    test.expect("kill", child.and_then(kill), Ok(()));
    test.expect_code("it ends", child.and_then(await_end), 0xffff_fffe);
    test.expect("await twice", child.and_then(await_end), Ok(()));
}

/// Waits for ever.
fn block() -> u32 {
    receive(1, &mut [0]).is_err() as u32
}

/// Threads that are ready, that wait, and that block, when one of them ends the program.
fn threads() -> u32 {
    for (id, entry) in [(2, spin as extern "C" fn() -> !), (3, receiver), (4, parent)] {
        let elsewhere = (libtos::processor() + id) % libtos::processors();
        if create(id, STACK_PAGES, elsewhere as i32, entry, stack_for(STACK_PAGES)).is_err() {
            return 1;
        }
    }
    let _ = create(5, STACK_PAGES, -1, halt, stack_for(STACK_PAGES));
    wait()
}
extern "C" fn spin() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
extern "C" fn receiver() -> ! {
    exit(block())
}
extern "C" fn parent() -> ! {
    let _ = create(6, STACK_PAGES, libtos::processor() as i32, receiver, 0xc_0000);
    wait();
    exit(0)
}
extern "C" fn halt() -> ! {
    yield_now();
    libtos::halt()
}

fn fault() -> u32 {
    // SAFETY: the store is refused; that is what it is for.
    unsafe { null_store() }
}
// At the same address whatever the compiler does: right after the start-up code.
core::arch::global_asm!(".section .text.fixed, \"ax\"", "null_store: sw zero, 0(zero)");

extern "C" {
    fn null_store() -> !;
}
