//! Output folders of runs that are written by hand.

use std::path::Path;

use testbed_definitions::event::{self, MORE, SCHEDULE};
use testbed_definitions::monitor::MmiWord;
use testbed_machine::Machine;
use testbed_trace::capture::{Capture, CaptureWriter, RunRecord, Stop};
use testbed_trace::ledger::{Ledger, SmiLine, StationLine};

use crate::analysis::scripts::{self, Step, GAP};
use crate::common::{smi_stream, PairKind, Step as Stream};

/// Cycles between the beginnings of two scripts that follow each other; longer than each.
pub const PERIOD: u64 = 2_000;

/// All scripts in turn, `rounds` times: messages in both orders, a migration back and forth, a page.
pub fn busy(rounds: u64) -> Vec<Step> {
    let scripts = [
        scripts::remote_receiver_first(),
        scripts::remote_receiver_late(),
        scripts::local(scripts::FIRE),
        scripts::page(),
    ];
    let scripts = (0..rounds).flat_map(|round| {
        let script = scripts[round as usize % scripts.len()].clone();
        script.into_iter().map(move |(cycle, smi, code, argument)| (cycle + round * PERIOD, smi, code, argument))
    });
    scripts.collect()
}

/// The words of one processor's events.
fn stream(steps: &[Step], processor: u8, last: u64) -> Vec<Stream> {
    let (mut words, mut now) = (Vec::new(), 0);
    for (cycle, _, code, argument) in steps.iter().filter(|step| step.1 == processor) {
        words.push(Stream::Wait((cycle - now) as u32));
        now = *cycle;
        match *code {
            GAP => words.push(Stream::Lose(u32::from(*argument))),
            SCHEDULE => words.push(Stream::Emit(SCHEDULE | argument)),
            code if event::kind(code).is_some_and(|kind| kind.argument.is_some()) => {
                words.extend([Stream::Emit(MORE | code), Stream::Emit(*argument)]);
            }
            code => words.push(Stream::Emit(code)),
        }
    }
    words.push(Stream::Wait((last - now) as u32));
    words
}

/// Writes a whole run of these events and this program to `dir`; it ends at `end`.
pub fn write(dir: &Path, program: &str, arguments: &[&str], dgl: u32, steps: &[Step], end: u64) -> Capture {
    let machine = Machine::named("bench").unwrap();
    let arguments = arguments.iter().map(ToString::to_string).collect();
    let mut record = RunRecord { dgl, arguments, engine: "script".into(), ..RunRecord::new(&machine, program) };
    let mut writer = CaptureWriter::create(dir, &machine, &record).unwrap();
    let mut ledger = Ledger::default();
    for (number, name) in machine.processors.iter().enumerate() {
        ledger.stations.push(StationLine { processor: name.clone(), ..StationLine::default() });
        if number == 0 {
            continue;
        }
        let smi = number as u8;
        let pairs = smi_stream(&stream(steps, smi, end));
        let word = |value| MmiWord { smi, value }.pack();
        let words = pairs.iter().flat_map(|truth| [word(truth.pair.time), word(truth.pair.datum)]);
        writer.words(words.map(|word| (end, word))).unwrap();
        let delivered = pairs.len() as u32;
        let emitted = pairs.iter().filter(|truth| truth.kind == PairKind::Word).count() as u32;
        let line = SmiLine { processor: name.clone(), emitted, delivered, ..SmiLine::default() };
        ledger.smis.push(SmiLine { markers: delivered - emitted, ..line });
    }
    writer.console("<b>printed</b>\n".bytes().map(|byte| (1, byte))).unwrap();
    (record.complete, record.cycles, record.ledger) = (true, end, Some(ledger));
    record.stopped = Some(Stop::Exit);
    writer.finish(&record).unwrap();
    Capture::open(dir).unwrap()
}
