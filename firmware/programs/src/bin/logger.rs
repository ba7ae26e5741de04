//! The report's logger: collects the monitor's events on the master, tells the processors' apart
//! and writes each pair to a file, while a program runs on some slaves. Arguments:
//! `queue|some|port SLAVES PROGRAM [ARGUMENTS]`. With `queue` nothing leaves the machine faster
//! than it collects; with `some` it collects what it can, and says how much it missed; with `port`
//! it collects nothing. The file, `log` in the master's filestore, has 4 bytes a pair, time first,
//! and begins anew when it is full.
//!
//! For each slave it prints how many pairs came and a hash of them, so that they can be compared
//! with what the trace port showed.
#![no_std]
#![no_main]

use libtos::file::{flags, File};
use libtos::monitor::{self, Delivery, MmiWord};
use libtos::process::{await_end, invoke, How, Process};
use libtos::{alt, clock, println, receive, send_block, Arguments, Error};
use testbed_definitions::limits::FILE_BYTES;
use testbed_definitions::monitor::SMIS_MAX;
use testbed_kernel_core::hash::{mixed, EMPTY};

libtos::program!(main);

/// Channels between the main thread and the collector.
const BEGUN: u8 = 1;
const STOP: u8 = 2;
const COLLECTOR: u8 = 2;
const STACK_PAGES: u32 = 8;
/// Bytes that are written to the file at once.
const BLOCK: usize = 1024;
const MASTER: u8 = 0;
/// After this time without a word, in milliseconds, nothing more comes of programs that have ended.
const SILENCE_MS: u32 = 5;

fn main(arguments: Arguments) -> u32 {
    let mut words = arguments.iter();
    let delivery = match words.next() {
        Some("queue") => Delivery::PortAndQueue,
        Some("some") => Delivery::PortAndSome,
        Some("port") => Delivery::Port,
        _ => return usage(),
    };
    let (Some(slaves), Some(program)) = (arguments.number(1, 0), words.nth(1)) else { return usage() };
    match run(delivery, slaves as u8, program, arguments) {
        Ok(failed) => failed,
        Err(error) => {
            println!("logger: {}", error.meaning());
            1
        }
    }
}

fn usage() -> u32 {
    println!("usage: logger queue|some|port SLAVES PROGRAM [ARGUMENTS]");
    2
}

fn run(delivery: Delivery, slaves: u8, program: &str, arguments: Arguments) -> Result<u32, Error> {
    let collects = delivery != Delivery::Port;
    if collects {
        let stack = libtos::stack_for(STACK_PAGES);
        let entry = if delivery == Delivery::PortAndSome { collect_some } else { collect_all };
        libtos::create(COLLECTOR, STACK_PAGES, MASTER.into(), entry, stack)?;
        receive(BEGUN, &mut [0])?;
    }
    let mut processes = [None::<Process>; SMIS_MAX];
    for (slave, process) in (1..=slaves).zip(&mut processes) {
        *process = Some(invoke(program, arguments.after(3), How { processor: Some(slave), ..How::default() })?);
    }
    let mut failed = 0;
    for process in processes.into_iter().flatten() {
        failed += u32::from(await_end(process)? != 0);
    }
    if collects {
        send_block(STOP, &[0])?;
        failed += libtos::wait();
    }
    Ok(failed)
}

/// What came from one slave.
#[derive(Clone, Copy)]
struct Slave {
    pairs: u32,
    /// The hash of the pairs' halfwords.
    hash: u32,
    /// A time-stamp whose datum has not come yet.
    time: Option<u16>,
}

struct Log {
    file: File,
    offset: u32,
    block: [u8; BLOCK],
    used: usize,
}

impl Log {
    fn add(&mut self, time: u16, datum: u16) -> Result<(), Error> {
        let place = &mut self.block[self.used..self.used + 4];
        place[..2].copy_from_slice(&time.to_le_bytes());
        place[2..].copy_from_slice(&datum.to_le_bytes());
        self.used += 4;
        if self.used == BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.offset + BLOCK as u32 > FILE_BYTES as u32 {
            self.offset = 0;
        }
        self.file.write(self.offset, &self.block[..self.used])?;
        self.offset += self.used as u32;
        self.used = 0;
        Ok(())
    }
}

extern "C" fn collect_all() -> ! {
    collect(Delivery::PortAndQueue)
}

extern "C" fn collect_some() -> ! {
    collect(Delivery::PortAndSome)
}

fn collect(delivery: Delivery) -> ! {
    let code = match log(delivery) {
        Ok(()) => 0,
        Err(error) => {
            println!("logger: {}", error.meaning());
            1
        }
    };
    libtos::exit(code)
}

fn log(delivery: Delivery) -> Result<(), Error> {
    let file = File::open("log", flags::WRITE | flags::CREATE | flags::TRUNCATE)?;
    let mut log = Log { file, offset: 0, block: [0; BLOCK], used: 0 };
    let mut slaves = [Slave { pairs: 0, hash: EMPTY, time: None }; SMIS_MAX + 1];
    let mut words = [0; 64];
    // Touched once, so that what has to be fetched is here before it matters.
    log.flush()?;
    monitor::read(&mut words)?;
    monitor::deliver(delivery)?;
    send_block(BEGUN, &[0])?;
    let (mut stopping, mut last) = (false, clock());
    loop {
        let count = monitor::read(&mut words)?;
        for &word in &words[..count] {
            let word = MmiWord::unpack(word);
            let slave = &mut slaves[word.smi as usize];
            match slave.time.take() {
                None => slave.time = Some(word.value),
                Some(time) => {
                    slave.pairs += 1;
                    slave.hash = mixed(mixed(slave.hash, time), word.value);
                    log.add(time, word.value)?;
                }
            }
        }
        if count != 0 {
            last = clock();
        } else if stopping {
            // Also what a monitor holds that is slowly polled.
            if clock() - last > SILENCE_MS {
                break;
            }
        } else {
            stopping = alt(&[STOP], &mut [0], Some(0)).is_ok();
        }
    }
    log.flush()?;
    monitor::deliver(Delivery::Port)?;
    for (number, slave) in slaves.iter().enumerate().filter(|(_, slave)| slave.pairs != 0) {
        println!("logger: slave {number}: {} pairs, hash {:08x}", slave.pairs, slave.hash);
    }
    if delivery == Delivery::PortAndSome {
        println!("logger: missed {} pairs", monitor::missed()?);
    }
    Ok(())
}
