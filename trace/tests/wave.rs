//! Traces from waveforms, whole and damaged at random, against the truth.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::cases::cases;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;
use testbed_trace::capture::{wave, CaptureError};
use testbed_trace::order::{events, Epoch, Event, What};
use testbed_trace::synthetic::{Mix, Mmi, Random, Smi};

const SMIS: usize = 5;

/// Signals of the MMI in one cycle.
#[derive(Clone, Default, PartialEq)]
struct Cycle {
    datum: bool,
    taker: Option<u8>,
    data: [u16; SMIS + 1],
    word: Option<u32>,
}

/// The cycles in which an MMI delivers these pairs, with idle ones between.
fn cycles(random: &mut Random, pairs: &[(u8, u32)]) -> Vec<Cycle> {
    let mut cycles = vec![Cycle::default(); 10];
    for &(smi, pair) in pairs {
        let Pair { time, datum } = Pair::unpack(pair);
        let word = |value| Some(MmiWord { smi, value }.pack());
        let mut data = [0; SMIS + 1];
        data[smi as usize] = time;
        // The datum's word of the pair before may be at the trace port still.
        if random.once_in(2) || cycles.len() < 11 {
            let idle = 1 + random.below(4) as usize;
            cycles.extend(vec![Cycle::default(); idle]);
        }
        let last = cycles.len() - 1;
        cycles[last] = Cycle { data, ..cycles[last].clone() };
        data[smi as usize] = datum;
        cycles.push(Cycle { datum: true, taker: Some(smi), data, word: word(time) });
        cycles.push(Cycle { word: word(datum), ..Cycle::default() });
    }
    cycles
}

/// Picoseconds at which half cycle `half` of a clock of 33 MHz begins, whose period is no whole number.
fn edge(half: usize) -> usize {
    half * 1_000_000 / 66
}

/// The waves of these cycles, as Verilator writes them.
fn vcd(cycles: &[Cycle]) -> Vec<u8> {
    let mut text =
        String::from("$version test $end\n$timescale 1ps $end\n $scope module TOP $end\n  $scope module mmi $end\n");
    text += "   $var wire 1 ! clock $end\n   $var wire 1 \" bus_datum $end\n   $var wire 1 # trace_valid $end\n   $var wire 20 $ trace_word [19:0] $end\n";
    for smi in 0..=SMIS {
        let (take, data) = ((b'a' + smi as u8) as char, (b'k' + smi as u8) as char);
        writeln!(text, "   $var wire 1 {take} bus_take${smi} $end\n   $var wire 16 {data} bus_data${smi} [15:0] $end")
            .unwrap();
    }
    text += "  $upscope $end\n $upscope $end\n$enddefinitions $end\n\n\n#0\n0!\n0\"\n0#\nb00000000000000000000 $\n";
    (0..=SMIS).for_each(|smi| {
        let (take, data) = ((b'a' + smi as u8) as char, (b'k' + smi as u8) as char);
        write!(text, "0{take}\nb0000000000000000 {data}\n").unwrap();
    });
    let mut before = Cycle::default();
    for (number, cycle) in cycles.iter().chain([&Cycle::default()]).enumerate() {
        write!(text, "#{}\n1!\n", edge(2 * number + 1)).unwrap();
        if cycle.datum != before.datum {
            writeln!(text, "{}\"", u8::from(cycle.datum)).unwrap();
        }
        if cycle.word != before.word {
            writeln!(text, "{}#", u8::from(cycle.word.is_some())).unwrap();
            cycle.word.iter().for_each(|word| writeln!(text, "b{word:020b} $").unwrap());
        }
        for smi in 0..=SMIS {
            let (take, data) = ((b'a' + smi as u8) as char, (b'k' + smi as u8) as char);
            let is = |cycle: &Cycle| cycle.taker == Some(smi as u8);
            if is(cycle) != is(&before) {
                writeln!(text, "{}{take}", u8::from(is(cycle))).unwrap();
            }
            if cycle.data[smi] != before.data[smi] {
                writeln!(text, "b{:016b} {data}", cycle.data[smi]).unwrap();
            }
        }
        write!(text, "#{}\n0!\n", edge(2 * number + 2)).unwrap();
        before = cycle.clone();
    }
    text.into_bytes()
}

struct Original {
    waves: Vec<u8>,
    truth: Vec<Event>,
}

impl Original {
    fn new(seed: u64, events: u64) -> Self {
        let mix = Mix { ticks: 9_000, silence_every: 60, silence_wraps: 3, loss_every: 40, long_every: 4 };
        let models: Vec<_> = (1..=SMIS).map(|smi| Smi::new(smi as u8, mix, seed, events)).collect();
        let delivered: Vec<_> = Mmi::new(models).collect();
        let pairs: Vec<_> = delivered.iter().map(|(smi, pair)| (*smi, pair.pair)).collect();
        let waves = vcd(&cycles(&mut Random::new(seed), &pairs));
        Original { waves, truth: delivered.iter().filter_map(|(_, pair)| pair.event).collect() }
    }
}

fn read(path: &Path) -> Result<(Vec<Event>, usize), CaptureError> {
    let (capture, integrity) = wave(path, &Machine::testbed6(), DIAG_DEFAULT)?;
    Ok((events(&capture, &integrity)?.collect::<Result<_, _>>()?, integrity.damage.len()))
}

#[test]
fn waves_alone_give_the_whole_trace() {
    let original = Original::new(1, 2_000);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mmi.vcd");
    fs::write(&path, &original.waves).unwrap();
    let (events, damage) = read(&path).unwrap();
    assert_eq!(damage, 0);
    let certain: Vec<_> = events.iter().filter(|event| event.is_certain()).collect();
    assert!(certain.len() > original.truth.len() * 9 / 10, "{} of {}", certain.len(), original.truth.len());
    let mut rest = original.truth.iter();
    assert!(certain.iter().all(|event| rest.any(|truth| truth == *event)));
}

#[test]
fn waves_of_something_else_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.vcd");
    for (text, what) in [
        ("no waves\n", "no `$enddefinitions`"),
        ("$scope module mmi $end\n$var wire 1 ! clock $end\n$enddefinitions $end\n", "`bus_datum`"),
    ] {
        fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("help:"), "{error}");
    }
}

/// Changes some of the text.
fn hurt(random: &mut Random, bytes: &mut Vec<u8>) {
    let from = random.below(bytes.len() as u32) as usize;
    let most = if random.once_in(3) { 4_000 } else { 30 };
    let to = (from + 1 + random.below(most) as usize).min(bytes.len());
    match random.below(7) {
        0..=2 => bytes[from] ^= 1 << random.below(8),
        3 => drop(bytes.drain(from..to)),
        4 => bytes[from..to].iter_mut().for_each(|byte| *byte = b"01#b!$ \n"[random.below(8) as usize]),
        5 => {
            let twice = bytes[from..to].to_vec();
            bytes.splice(from..from, twice);
        }
        _ if random.once_in(4) => bytes.truncate(from),
        // A whole line.
        _ => {
            let start = bytes[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
            let end =
                bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |place| from + place + 1);
            bytes.drain(start..end);
        }
    }
    if bytes.is_empty() {
        bytes.push(b'\n');
    }
}

/// Stream, epoch and time.
type Place = (u8, Epoch, u16);

fn place(event: &Event) -> Place {
    (event.smi, event.epoch, event.time)
}

fn by_place(truth: &[Event]) -> HashMap<Place, Vec<&Event>> {
    let mut places: HashMap<_, Vec<_>> = HashMap::new();
    truth.iter().for_each(|event| places.entry(place(event)).or_default().push(event));
    places
}

/// A thousand cases as a rule; hundreds of thousands with `TESTBED_LONG=1`, `TESTBED_CASES` if given.
#[test]
fn damaged_waves() {
    // The same whatever the case, so that a case can be repeated alone.
    let originals: Vec<_> = [6, 40, 150].map(|events| Original::new(1, events)).into();
    let truths: Vec<_> = originals.iter().map(|original| by_place(&original.truth)).collect();
    let shared = Path::new("/dev/shm");
    let dir = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap();
    let path = dir.path().join("mmi.vcd");
    let (mut certain, mut all) = (0, 0);
    for case in cases(1_000, 200_000) {
        let mut random = Random::new(case);
        let number = random.below(3) as usize;
        let mut bytes = originals[number].waves.clone();
        (0..1 + random.below(3)).for_each(|_| hurt(&mut random, &mut bytes));
        fs::write(&path, &bytes).unwrap();
        let Ok((events, _)) = read(&path) else { continue };
        all += originals[number].truth.len();
        for event in events.iter().filter(|event| event.is_certain()) {
            certain += 1;
            let there = truths[number].get(&place(event)).map_or(&[][..], |events| &events[..]);
            let is_right = there.iter().any(|truth| {
                let what = event.what == truth.what || (event.what, truth.what.name()) == (What::Gap(None), "GAP");
                what && (event.argument.is_none() || event.argument == truth.argument)
            });
            if !is_right {
                panic!("TESTBED_SEED={case}: {event:?} is certain");
            }
        }
    }
    assert!(certain > all / 4, "{certain} of {all} events are certain: the damage is not that great");
}
