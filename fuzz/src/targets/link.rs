//! What comes from a board: frames on its link, bytes of its console.

use testbed_definitions::link::{crc, BYTE_BITS, CRC_BITS, FRAME_BYTES, MARK};
use testbed_definitions::monitor::Pair;
use testbed_machine::Machine;
use testbed_trace::capture::{Lines, LinkFigures, Received, Receiver, Transmitter};

use super::target::{hold, Target};

/// SMIs of the machine that listens.
const SMIS: usize = 3;

/// Frames: how they are treated in the first byte, then the line's bytes.
pub const FRAMES: Target = Target {
    name: "frames",
    what: "frames of `attach`",
    words: &[],
    seeds: || {
        let line = |count: u32, idle_every: u32, smis: u8| {
            let (mut line, mut transmitter) = (vec![0], Transmitter::new());
            for number in 0..count {
                let pair = Pair { time: number as u16, datum: number.wrapping_mul(77) as u16 };
                transmitter.pair((number % u32::from(smis)) as u8 + 1, pair, &mut line);
                if number % idle_every == 0 {
                    transmitter.idle(&mut line);
                }
            }
            transmitter.idle(&mut line);
            line
        };
        let sealed = |mut line: Vec<u8>| {
            line[0] = 1;
            line
        };
        vec![line(10, 4, 3), line(90, 1_000, 3), line(100, 7, 5), sealed(line(40, 5, 3)), sealed(line(70, 64, 3))]
    },
    check: |input| {
        let (flags, bytes) = input.split_first().map_or((0, &[][..]), |(flags, bytes)| (*flags, bytes));
        let bytes = if flags & 1 == 0 { bytes.to_vec() } else { sealed(bytes) };
        let (given, figures) = received(&bytes, bytes.len().max(1));
        let (again, same) = received(&bytes, usize::from(flags >> 1) + 1);
        hold(given == again && figures == same, || "other pairs from other parts of the same bytes".into())?;
        consistent(&given, &figures, bytes.len() as u64)
    },
};

/// The same frames with the CRCs that belong to them, wherever eight bytes could be a frame: damage
/// that the CRC does not see.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = bytes.to_vec();
    let mut at = 0;
    while at + FRAME_BYTES <= sealed.len() {
        let frame = &mut sealed[at..at + FRAME_BYTES];
        if frame[0] & MARK == 0 || frame[1..].iter().any(|byte| byte & MARK != 0) {
            at += 1;
            continue;
        }
        let payload = frame.iter().fold(0u64, |sum, byte| sum << BYTE_BITS | u64::from(byte & !MARK));
        let payload = payload >> CRC_BITS << CRC_BITS | u64::from(crc(payload >> CRC_BITS));
        for (place, byte) in frame.iter_mut().enumerate() {
            let shift = BYTE_BITS * (FRAME_BYTES - 1 - place) as u32;
            *byte = (payload >> shift) as u8 & !MARK | *byte & MARK;
        }
        at += FRAME_BYTES;
    }
    sealed
}

/// What a receiver makes of the bytes when they come in parts.
fn received(bytes: &[u8], part: usize) -> (Vec<Received>, LinkFigures) {
    let (mut receiver, mut given) = (Receiver::new(SMIS), Vec::new());
    bytes.chunks(part).for_each(|part| receiver.push(part, &mut |received| given.push(received)));
    (given, receiver.figures())
}

fn consistent(given: &[Received], figures: &LinkFigures, bytes: u64) -> Result<(), String> {
    let mut pairs = [0u64; SMIS + 1];
    let (mut holes, mut lost) = (0, 0u64);
    for (place, received) in given.iter().enumerate() {
        match *received {
            Received::Pair { smi, .. } => {
                hold((1..=SMIS).contains(&usize::from(smi)), || format!("a pair of SMI {smi}"))?;
                pairs[usize::from(smi)] += 1;
            }
            Received::Hole(missing) => {
                hold(missing > 0, || "a hole of nothing".into())?;
                (holes, lost) = (holes + 1, lost + missing);
            }
            Received::Restart => hold(place + 1 == given.len(), || "something behind a restart".into())?,
        }
    }
    let all: u64 = pairs.iter().sum();
    hold(pairs[..] == figures.pairs[..] && holes == figures.holes && lost == figures.lost, || {
        format!("{pairs:?} pairs, {holes} holes, {lost} lost, but {figures:?}")
    })?;
    hold(figures.bytes == bytes && figures.frames * FRAME_BYTES as u64 <= bytes, || format!("{figures:?}"))?;
    hold(all + figures.unconfirmed + figures.counts <= figures.frames, || format!("more than came: {figures:?}"))
}

/// Bytes of several processors' consoles: the processor in the first of two bytes.
pub const CONSOLE: Target = Target {
    name: "console",
    what: "bytes of a board's console, as lines",
    words: &["\u{1}\n", "\0\n", "\u{1}\r", "\u{1}\u{1b}\u{1}[\u{1}2\u{1}J", "\u{9}x"],
    seeds: || {
        let says = |processor: u8, text: &str| text.bytes().flat_map(|byte| [processor, byte]).collect::<Vec<u8>>();
        vec![
            [says(1, "hello\n"), says(2, "world\r\n"), says(1, "$ ")].concat(),
            says(0, &"long ".repeat(850)),
            "one\ntwo\n".bytes().zip("ONE\nTWO\n".bytes()).flat_map(|(a, b)| [1, a, 2, b]).collect(),
        ]
    },
    check: |input| {
        let names = Machine::testbed6().processors;
        let bytes: Vec<(u8, u8)> = input.chunks_exact(2).map(|two| (two[0], two[1])).collect();
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        let mut lines = Lines::new(&names);
        lines.push(bytes.iter().copied(), &mut whole);
        lines.finish(&mut whole);
        let mut lines = Lines::new(&names);
        bytes.chunks(7).for_each(|part| lines.push(part.iter().copied(), &mut parts));
        lines.finish(&mut parts);
        hold(whole == parts, || "other lines from other parts of the same bytes".into())?;
        for (number, name) in names.iter().enumerate() {
            let said = bytes.iter().filter(|(processor, _)| usize::from(*processor) == number).map(|(_, byte)| *byte);
            let said: Vec<u8> = said.filter(|byte| !b"\r\n".contains(byte)).collect();
            let start = format!("{name}: ").into_bytes();
            let shown = whole.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(&start[..]));
            hold(shown.collect::<Vec<_>>().concat() == said, || format!("{name} said something else"))?;
        }
        Ok(())
    },
};
