//! Reaches the limits of threads, and one past each, on all processors. Exit code 0 if everything
//! went as it should, and nothing was left behind.
#![no_std]
#![no_main]

use libtos::process::{counter, counters};
use libtos::{
    create, exit, println, processor, processors, receive, send_block, stack_for, thread_number, wait, Error,
};
use programs::verdict::Verdict;

libtos::program!(main);

/// Threads of a process, the first one among them: their ids are 1 to 63.
const THREADS: u8 = 63;
const PAGES: u32 = 2;
const PAGE_BYTES: u32 = 1024;
/// On which the last thread hears that it may end.
const END: u8 = 1;
/// The same for a grandchild: the ends of a channel stay with the threads that had them first.
const GRANDCHILD_END: u8 = 100;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: threads");
        return 2;
    }
    let test = Verdict::default();
    let other = (processor() + 1) % processors();
    let kept = || [counter::FREE_THREADS, counter::FREE_PAGES].map(|index| counters()[index]);
    let before = kept();
    refused(&test, other);
    families(&test, other);
    random(&test);
    all(&test);
    test.check("pages and threads as before", before == kept());
    println!("threads: {} wrong", test.wrong());
    test.wrong()
}

fn at(processor: u8, id: u8, stack: u32) -> Result<u16, Error> {
    create(id, PAGES, processor as i32, end, stack)
}

fn refused(test: &Verdict, other: u8) {
    let (stack, here) = (stack_for(PAGES), processor());
    test.expect("id 0", at(here, 0, stack), Err(Error::NoThread));
    test.expect("id 64", at(here, 64, stack), Err(Error::NoThread));
    test.expect("the id of the first thread", at(other, 1, stack), Err(Error::ThreadExists));
    test.expect("processor 16", at(16, 2, stack), Err(Error::BadProcessor));
    test.expect("no stack", create(2, 0, other as i32, end, stack), Err(Error::BadPointer));
    test.expect("more stack than there is", create(2, 513, other as i32, end, 0x10_0000), Err(Error::BadPointer));
    test.expect("a stack not of whole pages", at(other, 2, stack - 4), Err(Error::BadPointer));
    test.expect("a stack where code is", at(other, 2, 0x8_0000), Err(Error::BadPointer));
    test.expect("a stack beyond memory", at(other, 2, 0x10_0400), Err(Error::BadPointer));
    test.expect("the first thread's stack", at(other, 2, 0x10_0000), Err(Error::BadPointer));
    // SAFETY: none of these addresses is entered: the kernel refuses them.
    let entry = |address: usize| unsafe { core::mem::transmute::<usize, extern "C" fn() -> !>(address) };
    test.expect("an entry in the data", create(2, PAGES, other as i32, entry(0x8_0000), stack), Err(Error::BadPointer));
    test.expect("an entry between words", create(2, PAGES, other as i32, entry(0x402), stack), Err(Error::BadPointer));
}

/// What belongs to a thread elsewhere, and parents that end before their children.
fn families(test: &Verdict, other: u8) {
    let stack = stack_for(PAGES);
    let waiting = create(2, PAGES, other as i32, wait_for_end, stack);
    test.check("a thread has its number wherever it is", waiting.is_ok_and(|child| child == thread_number() + 1));
    test.expect("its id", at(processor(), 2, stack_for(PAGES)), Err(Error::ThreadExists));
    test.expect("its stack", at(processor(), 3, stack), Err(Error::BadPointer));
    test.expect("a page of its stack", at(processor(), 3, stack + PAGE_BYTES), Err(Error::BadPointer));
    test.expect("let it end", send_block(END, &[]), Ok(()));
    test.check("it has", wait() == 0);
    test.expect("its id and stack", at(processor(), 2, stack), Ok(()));
    test.check("it has ended", wait() == 0);
    test.expect("a parent that ends first", create(2, PAGES, other as i32, parent, stack), Ok(()));
    test.expect("let the grandchild end", send_block(GRANDCHILD_END, &[]), Ok(()));
    test.check("the code of the child, not of the grandchild", wait() == 1 && wait() == 0);
}

fn random(test: &Verdict) {
    let mut seen = [0u8; 16];
    for id in 2..32 {
        let mut place = [0];
        let made = create(id, PAGES, -1, tell_place, stack_for(PAGES));
        if made.is_err() || receive(id, &mut place) != Ok(1) {
            return test.check("a thread anywhere", false);
        }
        seen[place[0] as usize % 16] += 1;
    }
    wait();
    let slaves = &seen[1..processors() as usize];
    test.check("negative processors are all slaves", seen[0] == 0 && slaves.iter().all(|&count| count != 0));
}

/// As many as there are ids, on all processors.
fn all(test: &Verdict) {
    let mut stack = 0xb_0000;
    let mut next = || {
        stack += (PAGES + 1) * PAGE_BYTES;
        stack
    };
    let made = (2..=THREADS).filter(|&id| create(id, PAGES, (id % processors()) as i32, each_end, next()).is_ok());
    test.check("62 children", made.count() == THREADS as usize - 1);
    let free = (1..=THREADS).filter(|&id| at(processor(), id, next()) != Err(Error::ThreadExists)).count();
    test.check("and no id is free", free == 0);
    let ended = (2..=THREADS).filter(|&id| send_block(id + 32, &[]).is_ok()).count();
    test.check("all have been told to end", ended == THREADS as usize - 1);
    test.check("all have", wait() == 0);
}

extern "C" fn end() -> ! {
    exit(0)
}
extern "C" fn wait_for_end() -> ! {
    exit(receive(END, &mut []).is_err() as u32)
}
extern "C" fn each_end() -> ! {
    exit(receive((thread_number() & 0x3f) as u8 + 32, &mut []).is_err() as u32)
}
/// Its child, on the first thread's processor, waits for [`GRANDCHILD_END`]; it doesn't.
extern "C" fn parent() -> ! {
    let made = create(3, PAGES, (processor() + processors() - 1) as i32 % processors() as i32, fails_late, 0xa_0000);
    exit(if made.is_ok() { 5 } else { 0 })
}
extern "C" fn fails_late() -> ! {
    exit(9 + receive(GRANDCHILD_END, &mut []).is_err() as u32)
}
extern "C" fn tell_place() -> ! {
    let sent = send_block((thread_number() & 0x3f) as u8, &[processor()]);
    exit(sent.is_err() as u32)
}
