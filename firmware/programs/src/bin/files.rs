//! Reaches the limits of the filestore, and one past each. Exit code 0 if everything went as it
//! should, and nothing was left behind.
#![no_std]
#![no_main]

use libtos::file::{chmod, flags, list, rename, unlink, File, EXECUTE, READ, TRUSTED, WRITE};
use libtos::pattern::{fill, Buffer, Check};
use libtos::process::{counter, counters};
use libtos::{migrate_self, println, processor, processors, Error, Place};
use programs::verdict::Verdict;

libtos::program!(main);

const NAME: &str = "files";
/// Files a filestore holds, and bytes a file may have.
const FILES: usize = 64;
const FILE_BYTES: u32 = 512 * 1024;
const CHUNK: usize = 4096;
const MAKE: u32 = flags::READ | flags::WRITE | flags::CREATE;

fn main(arguments: libtos::Arguments) -> u32 {
    if !arguments.is_empty() {
        println!("usage: files");
        return 2;
    }
    let test = Verdict::default();
    let before = (counters()[counter::FREE_PAGES], list().count());
    names(&test);
    permissions(&test);
    own_file(&test);
    elsewhere(&test);
    count(&test);
    size(&test);
    let after = (counters()[counter::FREE_PAGES], list().count());
    test.check("pages and files as before", before == after);
    println!("files: {} wrong", test.wrong());
    test.wrong()
}

fn names(test: &Verdict) {
    test.expect("a name with a slash", File::open("a/b", MAKE), Err(Error::BadName));
    test.expect("no name", File::open("", MAKE), Err(Error::BadName));
    test.expect("25 characters", File::open("a234567890123456789012345", MAKE), Err(Error::BadName));
    test.expect("24 characters", File::open("a23456789012345678901234", MAKE), Ok(()));
    test.expect("rename", rename("a23456789012345678901234", "one"), Ok(()));
    test.expect("onto another", rename("one", NAME), Err(Error::FileExists));
    test.expect("the old name", File::open("a23456789012345678901234", flags::READ), Err(Error::NoFile));
    test.expect("the new name", File::open("one", flags::READ), Ok(()));
}

fn permissions(test: &Verdict) {
    let Ok(file) = File::open("one", flags::READ | flags::WRITE) else { return test.check("open", false) };
    test.expect("write", file.write(0, b"hello"), Ok(()));
    test.expect("write with a gap", file.write(2000, b"!"), Ok(()));
    let mut buffer = [1; 8];
    test.check("read", file.read(0, &mut buffer) == Ok(8) && &buffer == b"hello\0\0\0");
    test.check("read the end", file.read(1998, &mut buffer) == Ok(3) && &buffer[..3] == b"\0\0!");
    test.check("read behind the end", file.read(5000, &mut buffer) == Ok(0));
    test.expect("a null buffer", file.read(0, null()), Err(Error::BadPointer));
    test.expect("may be read only", chmod("one", READ), Ok(()));
    test.expect("write", file.write(0, b"x"), Err(Error::NoPermission));
    test.expect("remove", unlink("one"), Err(Error::NoPermission));
    test.expect("make it trusted", chmod("one", READ | TRUSTED), Err(Error::NoPermission));
    test.expect("invoke what isn't executable", libtos::process::invoke("one", &[], here()), Err(Error::NoPermission));
    test.expect("may be executed", chmod("one", WRITE | EXECUTE), Ok(()));
    test.expect("invoke what is no program", libtos::process::invoke("one", &[], here()), Err(Error::BadProgram));
    test.expect("read", file.read(0, &mut buffer), Err(Error::NoPermission));
    test.expect("remove", unlink("one"), Ok(()));
    test.expect("write", file.write(0, b"x"), Err(Error::NoFile));
}

/// The program that runs cannot be damaged.
fn own_file(test: &Verdict) {
    test.expect("write to this program", File::open(NAME, flags::WRITE), Err(Error::NoPermission));
    test.expect("may be written", chmod(NAME, READ | WRITE | EXECUTE), Ok(()));
    test.expect("write to this program", File::open(NAME, flags::WRITE), Err(Error::NoPermission));
    test.expect("empty this program", File::open(NAME, flags::TRUNCATE), Err(Error::NoPermission));
    test.expect("may not be written", chmod(NAME, READ | EXECUTE), Ok(()));
}

/// A file is open where it was opened, whatever the file with the same place in another filestore is.
fn elsewhere(test: &Verdict) {
    let home = processor();
    let away = home % (processors() - 1) + 1;
    let go = |to| migrate_self(Place::Processor(to)).is_ok();
    let Ok(here) = File::open("here", MAKE) else { return test.check("open", false) };
    let went = go(away);
    let there = File::open("there", MAKE);
    let found = [here.write(0, b"x"), here.read(0, &mut [0]).map(drop), there.map(drop)];
    let found_there = there.and_then(|there| {
        go(home);
        there.write(0, b"x")
    });
    let removed = go(away) && unlink("there").is_ok() && go(home);
    test.check("to another processor and back", went && removed && processor() == home);
    for (what, result) in ["write to a file left behind", "read it", "open one there"].into_iter().zip(found) {
        let expected = if what.starts_with("open") { Ok(()) } else { Err(Error::NotHere) };
        test.expect(what, result, expected);
    }
    test.expect("write to that one here", found_there, Err(Error::NotHere));
    test.check("the file here is empty", File::open("here", flags::READ).is_ok_and(|file| file.bytes == 0));
    test.expect("remove", unlink("here"), Ok(()));
}

/// As many files as there can be, and one more.
fn count(test: &Verdict) {
    let free = FILES - list().count();
    let mut name = *b"file..";
    let mut with_name = |number: usize, act: &dyn Fn(&str) -> bool| {
        (name[4], name[5]) = (b'0' + number as u8 / 10, b'0' + number as u8 % 10);
        core::str::from_utf8(&name).is_ok_and(act)
    };
    let made = (0..free).filter(|&number| with_name(number, &|name| File::open(name, MAKE).is_ok())).count();
    test.check("as many files as can be", made == free && list().count() == FILES);
    test.expect("one more", File::open("more", MAKE), Err(Error::TooManyFiles));
    let removed = (0..free).filter(|&number| with_name(number, &|name| unlink(name).is_ok())).count();
    test.check("all removed", removed == free);
}

/// A file as large as can be, and one byte more.
fn size(test: &Verdict) {
    let Ok(file) = File::open("large", MAKE) else { return test.check("open", false) };
    let mut buffer = Buffer::<{ CHUNK / 4 }>::new();
    let chunks = FILE_BYTES / CHUNK as u32;
    let written = (0..chunks).all(|number| {
        fill(&mut buffer, number);
        file.write(number * CHUNK as u32, &buffer).is_ok()
    });
    test.check("512 KiB written", written && File::open("large", flags::READ).is_ok_and(|f| f.bytes == FILE_BYTES));
    test.expect("one byte more", file.write(FILE_BYTES, &[1]), Err(Error::FileTooLarge));
    let mut check = Check::default();
    let read = (0..chunks).all(|number| {
        let bytes = file.read(number * CHUNK as u32, &mut buffer);
        check.add(&buffer);
        bytes == Ok(CHUNK)
    });
    test.check("512 KiB read", read && check.wrong == 0);
    test.expect("empty it", File::open("large", flags::WRITE | flags::TRUNCATE), Ok(()));
    test.check("it is empty", file.read(0, &mut buffer) == Ok(0));
    test.expect("remove", unlink("large"), Ok(()));
}

fn here() -> libtos::process::How {
    libtos::process::How::default()
}
/// Memory that isn't this program's.
fn null() -> &'static mut [u8] {
    // SAFETY: none; the kernel must refuse it before anybody reads it.
    unsafe { core::slice::from_raw_parts_mut(core::hint::black_box(4) as *mut u8, 4) }
}
