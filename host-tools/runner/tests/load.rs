//! Kernel and programs: built, placed in RAM, refused with a reason.

use std::sync::OnceLock;

use testbed_definitions::boot::{self, word, BALANCER};
use testbed_definitions::file;
use testbed_definitions::map::RAM_BASE;
use testbed_machine::Machine;
use testbed_runner::engines;
use testbed_runner::files::{filestore, Wanted};
use testbed_runner::firmware::{self, Firmware};
use testbed_sim::engine::Image;
use testbed_sim::load::{image, Boot, File, LoadError};

fn built() -> &'static Firmware {
    static BUILT: OnceLock<Firmware> = OnceLock::new();
    BUILT.get_or_init(|| firmware::build(&firmware::root().unwrap()).unwrap_or_else(|error| panic!("{error}")))
}

fn load(machine: &Machine, program: &[u8], boot: &Boot) -> Result<Image, LoadError> {
    let (_, kernel) = built().kernel(machine.ram_bytes).unwrap();
    image(machine, ("kernel", &kernel), &[File::program("program", program)], boot)
}

/// The boot block in the kernel's data.
fn block(image: &Image) -> &[u8] {
    let magic = boot::MAGIC.to_le_bytes();
    let block = image.segments.iter().find_map(|(_, data)| {
        let at = data.windows(4).position(|window| window == magic)?;
        data.get(at..at + 4 * boot::WORDS)
    });
    block.expect("the kernel's data hold the block")
}

#[test]
fn the_boot_block_says_where_the_program_is() {
    let (_, program) = built().read("remote").unwrap();
    let arguments = vec!["20".into(), "word".into()];
    let boot = Boot { options: 1, dgl: 5, seed: 7, start_processor: 1, commands: vec![], arguments, ..Boot::default() };
    let machine = Machine::testbed6();
    let image = load(&machine, &program, &boot).unwrap();
    let block = block(&image);
    let get = |index: usize| u32::from_le_bytes(block[4 * index..][..4].try_into().unwrap());
    assert_eq!(get(word::PROCESSORS), 6);
    assert_eq!(get(word::RAM_BYTES), 4 << 20);
    assert_eq!((get(word::DIAG), get(word::SEED), get(word::START_PROCESSOR)), (5, 7, 1));
    assert_eq!(get(word::ARGUMENT_BYTES), 8);
    assert_eq!(&block[4 * word::ARGUMENTS..][..8], b"20\0word\0");
    let (address, data) = image.segments.last().unwrap();
    assert_eq!((*address, get(word::FILES), get(word::OPTIONS)), (get(word::FILES_ADDRESS), 1, 1));
    let record: Vec<u32> =
        data.chunks(4).take(file::record::WORDS).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(
        (record[file::record::ADDRESS], record[file::record::PERMISSIONS]),
        (address + 1024, file::READ | file::EXECUTE)
    );
    assert!(data[1024..].starts_with(b"\x7fELF") && record[file::record::BYTES] as usize <= data.len() - 1024);
    assert!(data[4 * file::record::NAME..].starts_with(b"program\0"));
    assert_eq!(address % 1024, 0);
    assert!(*address as usize + data.len() <= (RAM_BASE + machine.ram_bytes) as usize);
    assert!(data.len() - 1024 < program.len(), "debugging information is left out");
}

#[test]
fn ram_too_small_is_said_with_the_size_that_does() {
    let (_, program) = built().read("remote").unwrap();
    let machine = Machine { ram_bytes: 16 << 10, ..Machine::testbed6() };
    let error = load(&machine, &program, &Boot::default()).unwrap_err().to_string();
    assert!(error.contains("RAM") && error.contains("`ram` in its description"), "{error}");
}

/// A page less than kernel, tables and files take is refused with the numbers, for small kernels and others; with that
/// page the kernel has all that it takes for itself.
#[test]
fn the_kernels_tables_count() {
    let page = 1024;
    for ram_bytes in [64 << 10, 512 << 10, 2 << 20] {
        let machine = Machine { ram_bytes, ..Machine::testbed6() };
        let (_, kernel) = built().kernel(ram_bytes).unwrap();
        let (_, program) = built().read("remote").unwrap();
        let data = vec![7; ram_bytes as usize];
        let store = |bytes: usize| {
            let mut files = vec![File::program("program", &program)];
            // As many files as it takes, none of them too large.
            let parts = data[..bytes].chunks(256 << 10);
            files.extend(parts.map(|bytes| File { name: "data", bytes, permissions: file::READ }));
            image(&machine, ("kernel", &kernel), &files, &Boot::default())
        };
        let (mut fits, mut too_much) = (0, ram_bytes as usize);
        while too_much - fits > page {
            let bytes = (fits + too_much) / 2;
            match store(bytes) {
                Err(LoadError::RamTooSmall { .. }) => too_much = bytes,
                Ok(_) => fits = bytes,
                Err(error) => panic!("{error}"),
            }
        }
        let Err(LoadError::RamTooSmall { kernel, tables, files, .. }) = store(too_much) else { unreachable!() };
        assert!(tables > 4 * page as u64, "{tables}");
        assert!(kernel + tables + files > u64::from(ram_bytes), "{kernel}, {tables}, {files}");
        let text = store(too_much).unwrap_err().to_string();
        assert!(text.contains(&format!("its tables {tables} bytes")) && text.contains("help"), "{text}");
    }
}

/// Programs that nobody has asked for leave room for the one that is started: 180 KiB of zeros, for
/// one of them.
#[test]
fn every_program_starts_in_1_mib() {
    let machine = Machine { ram_bytes: 1 << 20, ..Machine::named("testbed2").unwrap() };
    let root = firmware::root().unwrap();
    let programs = firmware::programs(&root).unwrap();
    assert!(programs.len() > 40, "{programs:?}");
    let (_, kernel) = built().kernel(machine.ram_bytes).unwrap();
    let mut failed = vec![];
    // The balancer keeps what it knows of all threads, `bsp-random` what all of its processes have, and
    // the shell has a heap, and its utilities beside it: they want more.
    for name in programs.iter().filter(|name| ![BALANCER, "bsp-random", "sh"].contains(&name.as_str())) {
        let files = filestore(&machine, &root, built(), &Wanted::new(name, &programs), &[]).unwrap();
        let files: Vec<File> = files.iter().map(|file| file.as_file()).collect();
        let image = image(&machine, ("kernel", &kernel), &files, &Boot::default()).unwrap();
        let mut engine = engines::open("emulator", &machine, &image, None).unwrap();
        engine.run_until(400_000).unwrap();
        let text: Vec<u8> = engine.take_console().into_iter().map(|byte| byte.byte).collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        if text.contains("can't start") {
            failed.push((name, text));
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn what_is_no_program_is_refused() {
    let machine = Machine::testbed6();
    let refuse = |bytes: &[u8]| load(&machine, bytes, &Boot::default()).unwrap_err();
    assert!(matches!(refuse(b"#!/bin/sh\n"), LoadError::NotElf { .. }));
    assert!(matches!(refuse(b""), LoadError::NotElf { .. }));
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(matches!(refuse(&own), LoadError::NotElf { .. }), "a 64-bit ELF file");
    let (_, program) = built().read("remote").unwrap();
    let mut arm = program.clone();
    arm[18] = 40;
    assert_eq!(refuse(&arm), LoadError::Architecture { file: "program".into(), machine: 40 });
    // Cut anywhere: an error or an image, never a panic.
    for cut in (0..program.len()).step_by(97) {
        let _ = load(&machine, &program[..cut], &Boot::default());
    }
}

#[test]
fn too_many_arguments_are_refused() {
    let (_, program) = built().read("remote").unwrap();
    let boot = Boot { arguments: vec!["x".repeat(300)], ..Boot::default() };
    assert_eq!(load(&Machine::testbed6(), &program, &boot).unwrap_err(), LoadError::Arguments { bytes: 301 });
}

/// The balancer's arguments lie behind the program's, each with a NUL, and the options say how long they are.
#[test]
fn the_balancers_arguments_are_behind_the_programs() {
    let (_, program) = built().read("remote").unwrap();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let kept = boot::option::TOS94;
    for (arguments, balancer, bytes) in [
        (words(&["20", "", "x"]), words(&["report", "1000000"]), &b"20\0\0x\0report\x001000000\0"[..]),
        (words(&[]), words(&["gain", "200000"]), b"gain\x00200000\0"),
        (words(&["20"]), words(&[]), b"20\0"),
    ] {
        let length = balancer.iter().map(|word| word.len() + 1).sum::<usize>();
        let boot = Boot { options: kept, arguments, balancer, ..Boot::default() };
        let image = load(&Machine::testbed6(), &program, &boot).unwrap();
        let block = block(&image);
        let get = |index: usize| u32::from_le_bytes(block[4 * index..][..4].try_into().unwrap());
        assert_eq!(get(word::ARGUMENT_BYTES) as usize, bytes.len() - length);
        let option = if length == 0 { 0 } else { boot::option::BALANCER };
        let expected = kept | option | (length as u32) << boot::option::BALANCER_ARGUMENTS_SHIFT;
        assert_eq!(get(word::OPTIONS), expected, "{boot:?}");
        let area = &block[4 * word::ARGUMENTS..];
        assert_eq!(&area[..bytes.len()], bytes);
        assert!(area[bytes.len()..].iter().all(|&byte| byte == 0), "{boot:?}");
    }
}

/// The limit is one for both.
#[test]
fn arguments_of_program_and_balancer_share_their_room() {
    let (_, program) = built().read("remote").unwrap();
    let balancer = vec!["none".to_owned(), "1000".to_owned()];
    let boot =
        |bytes: usize| Boot { arguments: vec!["x".repeat(bytes)], balancer: balancer.clone(), ..Boot::default() };
    let room = boot::ARGUMENT_BYTES - "none\x001000\0".len() - 1;
    assert!(load(&Machine::testbed6(), &program, &boot(room)).is_ok());
    let bytes = boot::ARGUMENT_BYTES + 1;
    assert_eq!(load(&Machine::testbed6(), &program, &boot(room + 1)).unwrap_err(), LoadError::Arguments { bytes });
}
