//! Output folders and their parts alone, with whatever is in their files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::Machine;
use testbed_trace::capture::{verify, wave, Capture, CaptureError, CaptureWriter, Integrity, RunRecord, Tail};
use testbed_trace::order::{events, Event};
use testbed_trace::synthetic::{capture, Mix};

use super::target::{hold, scratch, sober, Target};
use super::words::{sound, told};

/// Files of a folder that an input holds, one after the other, each behind its length.
const FILES: [&str; 7] =
    ["mmi.raw", ".mmi.raw.sums", "trace/earth", "trace/.earth.sums", "trace/air", "trace/.air.sums", "holes"];
/// Number of the file of holes.
const HOLES: usize = 6;

/// Bits of the first byte of an input.
const COMPLETE: u8 = 1;
const COUNTED: u8 = 2;
const MMI_ALONE: u8 = 4;
const CTF_ALONE: u8 = 8;

fn machine() -> Machine {
    Machine { processors: ["master", "earth", "air"].map(String::from).into(), ..Machine::testbed6() }
}

/// The same run, once as it was written and once as it came over a link that lost some of it.
struct Original {
    metadata: Vec<u8>,
    record: RunRecord,
    /// The bytes of either copy, by number of [`FILES`].
    copies: [Vec<Vec<u8>>; 2],
    /// The events of both copies, by SMI and number of the first pair.
    truth: HashMap<(u8, u64), Vec<Event>>,
}

/// The original, which all threads share.
fn original() -> &'static Original {
    static ORIGINAL: OnceLock<Original> = OnceLock::new();
    ORIGINAL.get_or_init(|| {
        let (whole, holed) = (scratch(), scratch());
        let mix = Mix { ticks: 3_000, silence_every: 40, silence_wraps: 600, loss_every: 20, long_every: 4 };
        let record = capture(whole.path(), &machine(), mix, 1, 60).expect("a folder can be written");
        let lossy = RunRecord { ledger: None, ..record.clone() };
        let words = fs::read(whole.path().join(FILES[0])).expect("it is there");
        lose(&words, holed.path(), &lossy).expect("a folder can be written");
        let mut truth: HashMap<(u8, u64), Vec<Event>> = HashMap::new();
        for (dir, record, is_whole) in [(&whole, &record, true), (&holed, &lossy, false)] {
            let opened = Capture::of_run(dir.path(), record.clone());
            let integrity = verify(&opened).expect("it can be read");
            assert_eq!(integrity.is_whole(), is_whole, "{integrity:?}");
            for event in events(&opened, &integrity).expect("it can be read") {
                let event = event.expect("it can be read");
                truth.entry((event.smi, event.index)).or_default().push(event);
            }
        }
        let files = |dir: &TempDir| -> Vec<Vec<u8>> {
            FILES.map(|name| fs::read(dir.path().join(name)).unwrap_or_default()).into()
        };
        let copies = [files(&whole), files(&holed)];
        assert!(copies[0][HOLES].is_empty() && !copies[1][HOLES].is_empty());
        let metadata = fs::read(whole.path().join("trace/metadata")).expect("it is there");
        Original { truth, metadata, record, copies }
    })
}

/// Writes the pairs of these words as they come over a link on which some are lost, now and then.
fn lose(words: &[u8], dir: &Path, record: &RunRecord) -> Result<(), CaptureError> {
    /// Pairs of which the last few are lost.
    const EVERY: usize = 50;
    let mut writer = CaptureWriter::create(dir, &machine(), record)?;
    for (turn, pairs) in words.chunks(8 * EVERY).enumerate() {
        let lost = turn % 4;
        let arrived = &pairs[..pairs.len().saturating_sub(8 * lost)];
        let word = |word: &[u8]| (0, word.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)));
        writer.words(arrived.chunks_exact(4).map(word))?;
        if lost > 0 {
            writer.hole(lost as u64)?;
        }
    }
    writer.finish(record)
}

/// Folders: how they are read in the first byte, then the files.
pub const FOLDER: Target = Target {
    name: "folder",
    what: "output folders: mmi.raw, CTF streams, their sums, holes",
    words: &["1 0 0\n", "3 5 7\n", "18446744073709551615 1 1\n", "0 0 0\n", "1 18446744073709551615 0\n", "\n"],
    seeds: || {
        let packed = |flags: u8, files: &[Vec<u8>]| {
            let file = |file: &Vec<u8>| [&(file.len() as u32).to_le_bytes()[..], file].concat();
            std::iter::once(vec![flags]).chain(files.iter().map(file)).collect::<Vec<_>>().concat()
        };
        let [whole, holed] = &original().copies;
        let of_whole =
            [COMPLETE | COUNTED, COUNTED, 0, MMI_ALONE, CTF_ALONE, COMPLETE].map(|flags| packed(flags, whole));
        let of_holed = [COMPLETE, 0, MMI_ALONE].map(|flags| packed(flags, holed));
        of_whole.into_iter().chain(of_holed).collect()
    },
    check: |input| {
        let (flags, mut rest) = input.split_first().map_or((0, &[][..]), |(flags, rest)| (*flags, rest));
        let dir = own_folder();
        let mut files = [&[][..]; FILES.len()];
        for file in &mut files {
            let (length, behind) = rest.split_at(rest.len().min(4));
            let length = length.iter().rev().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
            (*file, rest) = behind.split_at(length.min(behind.len()));
        }
        put_all(&dir, &files).map_err(|error| error.to_string())?;
        let record = RunRecord { complete: flags & COMPLETE != 0, ..original().record.clone() };
        let record = if flags & COUNTED == 0 { RunRecord { ledger: None, ..record } } else { record };
        let capture = match flags {
            flags if flags & MMI_ALONE != 0 => Capture::of_mmi(&dir.join("mmi.raw"), &machine(), DIAG_DEFAULT),
            flags if flags & CTF_ALONE != 0 => {
                Capture::of_ctf(&dir.join("trace")).map_err(|error| error.to_string())?
            }
            _ => Capture::of_run(&dir, record),
        };
        let text = |error: CaptureError| error.to_string();
        let integrity = match verify(&capture) {
            Ok(integrity) => integrity,
            Err(error) => return sober(&error.to_string()),
        };
        let found = all(&capture, &integrity)?;
        for event in found.iter().filter(|event| event.is_certain()) {
            let truth = original().truth.get(&(event.smi, event.index));
            // A hole may be told of where there is none: then the pair with the argument is another
            // event's.
            let same = |truth: &Event| match event.lacks_argument() {
                true => Event { argument: None, ..*truth } == *event,
                false => truth == event,
            };
            let is_true = truth.is_some_and(|truth| truth.iter().any(same));
            hold(is_true || altered_alike(&files, event), || format!("certain and wrong: {event:?}, not {truth:?}"))?;
        }
        // A copy without bytes is not there.
        let are_there = [0, 2, 4].iter().all(|file| !files[*file].is_empty());
        if input.len() % 4 == 0 && capture.has_mmi() && capture.has_streams() && are_there {
            let mut tail = Tail::new(&capture).map_err(text)?;
            let mut pairs = 0;
            while tail.read(64, |_| pairs += 1).map_err(text)? > 0 {}
            hold(pairs <= input.len() + 100, || format!("{pairs} parts of {} bytes", input.len()))?;
        }
        told(&found, 0, input.len())
    },
};

/// Whether both copies of a stream have the same other pair in place of one of an event's: whoever
/// writes to both can't be found out.
fn altered_alike(files: &[&[u8]; FILES.len()], event: &Event) -> bool {
    let pair = |files: &dyn Fn(usize) -> Vec<u8>, index: usize| {
        let ours = |words: &&[u8]| words[2] == event.smi;
        let of_mmi =
            files(0).chunks_exact(8).filter(ours).nth(index).map(|words| [words[0], words[1], words[4], words[5]]);
        let of_stream = files(2 * usize::from(event.smi)).chunks_exact(4).nth(index).map(<[u8]>::to_vec);
        of_stream.filter(|pair| of_mmi.is_some_and(|other| other == pair[..]))
    };
    (event.index as usize..).take(2).any(|index| {
        let now = pair(&|file| files[file].to_vec(), index);
        let was = original().copies.iter().map(|copy| pair(&|file| copy[file].clone(), index));
        now.is_some() && was.into_iter().all(|was| was != now)
    })
}

/// The events of a capture, of which there are no more than its files can hold, and what must be so of its account.
fn all(capture: &Capture, integrity: &Integrity) -> Result<Vec<Event>, String> {
    let found = events(capture, integrity).map_err(|error| error.to_string())?;
    let found: Vec<Event> = found.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    hold(found.len() <= crate::INPUT_BYTES, || format!("{} events", found.len()))?;
    let folder = own_folder();
    let inside = integrity.damage.iter().all(|damage| damage.path.starts_with(&folder));
    hold(inside, || format!("damage outside the folder: {:?}", integrity.damage))?;
    hold(integrity.damage.len() < 10_000, || format!("{} lines of an account", integrity.damage.len()))?;
    let proven = (integrity.proven.iter().sum::<u64>() as usize).saturating_mul(4);
    hold(proven <= 2 * crate::INPUT_BYTES, || format!("{:?} pairs are proven", integrity.proven))?;
    sound(&found, true).map(|()| found)
}

/// The folder of this thread.
fn own_folder() -> PathBuf {
    thread_local! {
        static OWN: TempDir = {
            let dir = scratch();
            fs::create_dir_all(dir.path().join("trace")).expect("a folder can be made");
            fs::write(dir.path().join("trace/metadata"), &original().metadata).expect("a file can be written");
            dir
        };
    }
    OWN.with(|dir| dir.path().to_path_buf())
}

/// Writes those files that are others than those of this thread's last input. Without bytes a file
/// is not there.
fn put_all(dir: &Path, files: &[&[u8]; FILES.len()]) -> std::io::Result<()> {
    thread_local! {
        static LAST: RefCell<[Vec<u8>; FILES.len()]> = RefCell::default();
    }
    LAST.with_borrow_mut(|last| {
        for ((name, file), last) in FILES.iter().zip(files).zip(last) {
            let path = dir.join(name);
            match file {
                file if file == last => continue,
                [] => fs::remove_file(path)?,
                file => fs::write(path, file)?,
            }
            last.clear();
            last.extend_from_slice(file);
        }
        Ok(())
    })
}

/// The words of an MMI alone.
pub const MMI: Target = Target {
    name: "mmi",
    what: "mmi.raw alone, without sums",
    words: &["\0\0\u{1}\0\0\0\u{1}\0", "\0\0\u{1}\0\u{2a}\0\u{1}\0", "\u{7f}\u{7f}\u{7f}\u{7f}"],
    seeds: || vec![original().copies[0][0].clone(), original().copies[0][0][..800].to_vec(), Vec::new()],
    check: |input| {
        thread_local! {
            static OWN: TempDir = scratch();
        }
        let path = OWN.with(|dir| dir.path().join("words"));
        fs::write(&path, input).map_err(|error| error.to_string())?;
        let capture = Capture::of_mmi(&path, &machine(), DIAG_DEFAULT);
        let integrity = verify(&capture).map_err(|error| error.to_string())?;
        let found = events(&capture, &integrity).map_err(|error| error.to_string())?;
        let found: Vec<Event> = found.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        hold(found.len() <= input.len() / 8 + 1, || format!("{} events of {} bytes", found.len(), input.len()))?;
        hold(integrity.damage.len() <= 1_100, || format!("{} lines of an account", integrity.damage.len()))?;
        sound(&found, false)?;
        told(&found, 0, input.len())
    },
};

/// Waves.
pub const WAVE: Target = Target {
    name: "wave",
    what: "VCD waves of an MMI",
    words: &[
        "$scope module mmi $end",
        "$upscope $end",
        "$var wire 1 ! clock $end",
        "$enddefinitions $end",
        "$dumpvars",
        "$end",
        "#0",
        "#18446744073709551615",
        "1!",
        "0!",
        "bx ",
        "b101 ",
        "z!",
        "r1.5 !",
        "s!",
        "~~~~",
        "\n",
    ],
    seeds: || vec![waves(3), waves(12)],
    check: |input| {
        thread_local! {
            static OWN: TempDir = scratch();
        }
        let path = OWN.with(|dir| dir.path().join("waves"));
        fs::write(&path, input).map_err(|error| error.to_string())?;
        let machine = Machine { processors: ["master", "earth"].map(String::from).into(), ..Machine::testbed6() };
        match wave(&path, &machine, DIAG_DEFAULT) {
            Ok((capture, integrity)) => {
                let found = events(&capture, &integrity).map_err(|error| error.to_string())?;
                let found: Vec<Event> = found.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
                hold(found.len() <= input.len(), || format!("{} events", found.len()))?;
                hold(integrity.damage.len() <= 1_100, || format!("{} lines of an account", integrity.damage.len()))?;
                sound(&found, true)?;
                told(&found, 0, input.len())
            }
            Err(error) => sober(&error.to_string()),
        }
    },
};

/// The waves of an MMI that takes so many pairs of one SMI.
fn waves(pairs: u16) -> Vec<u8> {
    let mut text = String::from("$timescale 1ps $end\n$scope module mmi $end\n");
    for (width, name, identifier) in [
        (1, "clock", '!'),
        (1, "bus_datum", '"'),
        (1, "trace_valid", '#'),
        (20, "trace_word", '$'),
        (1, "bus_take$1", 'a'),
        (16, "bus_data$1", 'k'),
    ] {
        text += &format!("$var wire {width} {identifier} {name} $end\n");
    }
    text += "$upscope $end\n$enddefinitions $end\n#0\n0!\n0\"\n0#\nb0 $\n0a\nb0 k\n";
    let mut time = 0;
    let mut cycle = |changes: &str| {
        text += &format!("#{}\n1!\n{changes}#{}\n0!\n", time + 10, time + 20);
        time += 20;
    };
    (0..4).for_each(|_| cycle(""));
    for number in 0..pairs {
        let (stamp, datum) = (100 * number + 1, 0x4000 | number);
        let word = |value: u16| 1u32 << 16 | u32::from(value);
        cycle(&format!("b{stamp:b} k\n"));
        cycle(&format!("1a\n1\"\nb{datum:b} k\n1#\nb{:b} $\n", word(stamp)));
        cycle(&format!("0a\n0\"\nb0 k\nb{:b} $\n", word(datum)));
        cycle("0#\nb0 $\n");
    }
    text.into_bytes()
}
