//! Whether a capture is whole: both copies of every pair agree, and their number is what the hardware counted.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::error::Context;
use super::{ctf, Capture, CaptureError, PairReader, Torn, METADATA, MMI_RAW, TRACE};

/// A place where the files disagree with each other or with the hardware's counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub path: PathBuf,
    pub offset: u64,
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: byte {}: {}", self.path.display(), self.offset, self.what)
    }
}

/// What is known of a capture's wholeness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integrity {
    /// By SMI: pairs from the start that are the same in `mmi.raw` and in the stream file, hence without a hole.
    pub proven: Vec<u64>,
    pub torn: Vec<Torn>,
    pub damage: Vec<Damage>,
}

impl Integrity {
    pub fn is_whole(&self) -> bool {
        self.torn.is_empty() && self.damage.is_empty()
    }
}

/// Compares `mmi.raw` with the stream files, and both with the counters in `run.json`; looks at the metadata. Streams; holds no trace in memory.
///
/// # Errors
/// A file is missing or can't be read. Damage is no error: it is what is asked for.
pub fn verify(capture: &Capture) -> Result<Integrity, CaptureError> {
    let mut readers = vec![None];
    for smi in capture.smis() {
        readers.push(Some(capture.pairs(smi)?));
    }
    let mut integrity = Integrity { proven: vec![0; readers.len()], ..Integrity::default() };
    integrity.damage.extend(metadata(capture)?);
    let half = demultiplex(capture, &mut readers, &mut integrity)?;
    for smi in capture.smis() {
        if let Some(reader) = readers[smi].take() {
            finish(capture, smi, reader, half == Some(smi), &mut integrity)?;
        }
    }
    Ok(integrity)
}

/// Without its metadata the trace can't be read by other tools.
fn metadata(capture: &Capture) -> Result<Option<Damage>, CaptureError> {
    let path = capture.dir.join(TRACE).join(METADATA);
    let what = match fs::read(&path) {
        Ok(text) if text == ctf::metadata(&(&capture.record.machine).into()).into_bytes() => return Ok(None),
        Ok(_) => "not what the run wrote",
        Err(error) if error.kind() == ErrorKind::NotFound => "the file is missing, so other tools can't read the trace",
        Err(error) => return Err(error).at("read", &path),
    };
    Ok(Some(Damage { path, offset: 0, what: what.into() }))
}

/// Walks through `mmi.raw`; a stream that disagrees is dropped from `readers`. Returns the SMI of which only a time-stamp came at
/// the end: a machine may be stopped between the two words of a pair.
fn demultiplex(
    capture: &Capture,
    readers: &mut [Option<PairReader>],
    integrity: &mut Integrity,
) -> Result<Option<usize>, CaptureError> {
    let mut mmi = capture.mmi()?;
    loop {
        let offset = mmi.offset();
        let Some(next) = mmi.next_pair() else { break };
        let (smi, pair) = match next? {
            Ok((smi, pair)) if capture.smis().contains(&smi) => (smi, pair),
            other => {
                let what = other.map_or_else(|what| what, |(smi, _)| format!("SMI {smi} is none of the machine"));
                integrity.damage.push(Damage { path: capture.dir.join(MMI_RAW), offset, what });
                // Nothing after this place can be trusted to be in step.
                readers.fill_with(|| None);
                break;
            }
        };
        let Some(reader) = &mut readers[smi] else { continue };
        let at = reader.offset();
        match reader.next().transpose()? {
            Some(own) if own == pair => integrity.proven[smi] += 1,
            // The streams are written after mmi.raw: a run that was killed may lack some.
            None if !capture.record.complete => {}
            other => {
                let have = other.map_or("the file ends".into(), |pair| format!("the pair {:#010x}", pair.pack()));
                let what = format!("{have}, where mmi.raw has {:#010x} at byte {offset}", pair.pack());
                integrity.damage.push(Damage { path: capture.stream_path(smi), offset: at, what });
                readers[smi] = None;
            }
        }
    }
    if let Some(torn) = mmi.torn() {
        integrity.torn.push(torn.clone());
    }
    Ok(mmi.half().map(|stamp| stamp.smi as usize))
}

/// The end of a stream that agreed so far: nothing may follow, and the hardware's count must be met.
fn finish(
    capture: &Capture,
    smi: usize,
    mut reader: PairReader,
    half: bool,
    integrity: &mut Integrity,
) -> Result<(), CaptureError> {
    let offset = reader.offset();
    let mut damage = |what| integrity.damage.push(Damage { path: capture.stream_path(smi), offset, what });
    if reader.next().transpose()?.is_some() {
        damage("there are more pairs than in mmi.raw".into());
    }
    if let Some(ledger) = &capture.record.ledger {
        let delivered = ledger.smis.get(smi - 1).map_or(0, |line| line.delivered);
        let proven = integrity.proven[smi];
        // The hardware counts a pair when its time-stamp leaves.
        if proven as u32 != delivered && !(half && proven as u32 + 1 == delivered) {
            let what = format!("the file ends after {proven} pairs, the hardware delivered {delivered}");
            integrity.damage.push(Damage { path: capture.stream_path(smi), offset, what });
        }
    }
    if let Some(torn) = reader.torn() {
        integrity.torn.push(torn.clone());
    }
    Ok(())
}
