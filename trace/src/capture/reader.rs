//! Reads an output folder, also one that was cut short.

#[cfg(feature = "files")]
use std::fs;
use std::path::{Path, PathBuf};
#[cfg(feature = "files")]
use std::sync::Arc;

#[cfg(feature = "files")]
use tempfile::TempPath;
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;

use super::error::{CaptureError, Context};
use super::files::{Files, Source};
use super::words::{Torn, Words};
use super::{ctf, RunRecord, HOLES, METADATA, MMI_RAW, TRACE};
#[cfg(feature = "files")]
use super::{sums_path, CONSOLE, LOCK, RUN_JSON};

/// An output folder that has a readable `run.json`, or one of the copies that such a folder holds.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The folder, or the file.
    pub dir: PathBuf,
    /// Of a copy alone: the machine and the event classes; otherwise as of a run that did not come to its end.
    pub record: RunRecord,
    pub(super) parts: Parts,
    /// Where `dir` is.
    pub(super) files: Files,
    /// A temporary file that `dir` names.
    #[cfg(feature = "files")]
    pub(super) spool: Option<Arc<TempPath>>,
}

/// What there is of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Folder,
    /// The MMI's words alone.
    Mmi,
    /// The CTF trace alone.
    Ctf,
}

impl Capture {
    /// Opens the folder that a run made.
    ///
    /// # Errors
    /// It has no `run.json`, or an unreadable one.
    pub fn open(dir: &Path) -> Result<Self, CaptureError> {
        Capture::open_in(&Files::default(), dir)
    }

    /// Opens the folder that a run made, among `files`.
    ///
    /// # Errors
    /// As [`Capture::open`].
    pub fn open_in(files: &Files, dir: &Path) -> Result<Self, CaptureError> {
        Ok(Capture::of_run(dir, RunRecord::read_in(files, dir)?).within(files.clone()))
    }

    /// Where its files are.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// The same, with its files among these.
    pub fn within(self, files: Files) -> Self {
        Capture { files, ..self }
    }

    fn new(dir: &Path, record: RunRecord, parts: Parts) -> Self {
        Capture {
            dir: dir.into(),
            record,
            parts,
            files: Files::default(),
            #[cfg(feature = "files")]
            spool: None,
        }
    }

    /// The folder that a run made of which this is the record.
    pub fn of_run(dir: &Path, record: RunRecord) -> Self {
        Capture::new(dir, record, Parts::Folder)
    }

    /// Takes the MMI's words alone, a file like `mmi.raw`. `dgl` are the event classes that were enabled.
    pub fn of_mmi(path: &Path, machine: &Machine, dgl: u32) -> Self {
        let record = RunRecord { dgl, ..RunRecord::new(machine, "") };
        Capture::new(path, record, Parts::Mmi)
    }

    /// Opens a CTF trace alone, a folder like `trace/`.
    ///
    /// # Errors
    /// Its metadata can't be read, or are not such as a run writes.
    pub fn of_ctf(dir: &Path) -> Result<Self, CaptureError> {
        let path = dir.join(METADATA);
        let text = Files::default().bytes(&path, ctf::METADATA_BYTES).at("read", &path)?;
        Capture::of_metadata(dir, &String::from_utf8_lossy(&text))
    }

    /// Takes the CTF trace in the folder `dir` of which this is the metadata.
    ///
    /// # Errors
    /// They are not such as a run writes.
    pub fn of_metadata(dir: &Path, metadata: &str) -> Result<Self, CaptureError> {
        let (machine, dgl) =
            ctf::described(metadata).map_err(|message| CaptureError::Metadata { path: dir.join(METADATA), message })?;
        let record = RunRecord { dgl, machine, ..RunRecord::new(&Machine::testbed6(), "") };
        Ok(Capture::new(dir, record, Parts::Ctf))
    }

    /// Whether there are stream files.
    pub fn has_streams(&self) -> bool {
        self.parts != Parts::Mmi
    }

    /// Whether there are the MMI's words.
    pub fn has_mmi(&self) -> bool {
        self.parts != Parts::Ctf
    }

    /// Path of the MMI's words.
    pub fn mmi_path(&self) -> PathBuf {
        match self.parts {
            Parts::Mmi => self.dir.clone(),
            _ => self.dir.join(MMI_RAW),
        }
    }

    /// The folder with the CTF trace.
    pub fn trace_path(&self) -> PathBuf {
        match self.parts {
            Parts::Ctf => self.dir.clone(),
            _ => self.dir.join(TRACE),
        }
    }

    /// Where it says which pairs were lost on a link: in the folder, also of a copy that is read alone.
    pub(super) fn holes_path(&self) -> PathBuf {
        match self.parts {
            Parts::Folder => self.dir.join(HOLES),
            Parts::Mmi | Parts::Ctf => beside(&self.files, &self.dir),
        }
    }

    /// Path of SMI `smi`'s stream file.
    pub fn stream_path(&self, smi: usize) -> PathBuf {
        self.trace_path().join(&self.record.machine.processors[smi])
    }

    /// Pairs of SMI `smi` that the hardware counted, modulo 2^32.
    pub(crate) fn delivered(&self, smi: usize) -> Option<u32> {
        let ledger = self.record.ledger.as_ref()?;
        Some(ledger.smis.get(smi.checked_sub(1)?)?.delivered)
    }

    /// Pairs of SMI `smi` (1 to the number of slaves).
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn pairs(&self, smi: usize) -> Result<PairReader, CaptureError> {
        self.words(smi).map(PairReader)
    }

    /// Packed pairs of SMI `smi` (1 to the number of slaves), a block at a time.
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn words(&self, smi: usize) -> Result<Words<Source>, CaptureError> {
        self.open_words(&self.stream_path(smi))
    }

    /// Words of `mmi.raw`.
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn mmi(&self) -> Result<MmiReader, CaptureError> {
        self.open_words(&self.mmi_path()).map(|words| MmiReader { words, half: None })
    }

    fn open_words(&self, path: &Path) -> Result<Words<Source>, CaptureError> {
        Ok(Words::new(self.files.open(path).at("open", path)?, path, 0))
    }

    /// Whether `path` is one of the folder's own files, under whatever name, or would become one of `trace/`.
    #[cfg(feature = "files")]
    pub fn owns(&self, path: &Path) -> bool {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let target = fs::canonicalize(path)
            .or_else(|_| fs::canonicalize(folder).map(|folder| folder.join(path.file_name().unwrap_or_default())));
        let Ok(target) = target else { return false };
        if self.parts == Parts::Mmi {
            return fs::canonicalize(&self.dir).is_ok_and(|own| own == target);
        }
        if self.parts == Parts::Ctf {
            return fs::canonicalize(&self.dir).is_ok_and(|own| target.starts_with(own));
        }
        let own = |name: &str| fs::canonicalize(self.dir.join(name)).ok();
        let is_own = |name: &str| own(name).is_some_and(|own| own == target);
        let sums = sums_path(Path::new(MMI_RAW));
        [MMI_RAW, CONSOLE, HOLES, RUN_JSON, LOCK, &sums.to_string_lossy()].into_iter().any(is_own)
            || own(TRACE).is_some_and(|trace| target.starts_with(trace))
    }

    /// SMI numbers of the machine.
    pub fn smis(&self) -> std::ops::Range<usize> {
        1..self.record.machine.processors.len()
    }
}

/// Pairs of one SMI, in order.
pub struct PairReader(Words<Source>);

impl PairReader {
    /// Byte offset of the next pair.
    pub fn offset(&self) -> u64 {
        self.0.offset()
    }
    /// An incomplete record at the end, once the end has been reached.
    pub fn torn(&self) -> Option<&Torn> {
        self.0.torn()
    }

    /// Passes the next pair if it is this one.
    pub(super) fn pass(&mut self, pair: u32) -> Result<bool, CaptureError> {
        let is_next = self.0.peek()?.first() == Some(&pair);
        self.0.consume(usize::from(is_next));
        Ok(is_next)
    }
}

impl Iterator for PairReader {
    type Item = Result<Pair, CaptureError>;
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(Pair::unpack))
    }
}

/// Words of the MMI, in order of delivery; also those that have more than 20 bits, unmasked.
pub struct MmiReader {
    words: Words<Source>,
    half: Option<u32>,
}

impl MmiReader {
    /// Byte offset of the next word.
    pub fn offset(&self) -> u64 {
        self.words.offset()
    }
    /// An incomplete record at the end, once the end has been reached.
    pub fn torn(&self) -> Option<&Torn> {
        self.words.torn()
    }
    /// The words that come next, none at the end; see [`Words::peek`].
    pub(super) fn peek(&mut self) -> Result<&[u32], CaptureError> {
        self.words.peek()
    }

    /// Passes `count` of them.
    pub(super) fn consume(&mut self, count: usize) {
        self.words.consume(count);
    }

    /// A time-stamp at the end whose datum did not come any more.
    pub fn half(&self) -> Option<MmiWord> {
        self.half.map(MmiWord::unpack)
    }
    /// The next two words as a pair of one SMI; `Err` in the inner result says why they are none.
    #[allow(clippy::type_complexity)]
    pub fn next_pair(&mut self) -> Option<Result<Result<(usize, Pair), String>, CaptureError>> {
        let stamp = match self.next()? {
            Ok(word) => word,
            Err(error) => return Some(Err(error)),
        };
        self.half = Some(stamp);
        let datum = match self.next()? {
            Ok(word) => word,
            Err(error) => return Some(Err(error)),
        };
        self.half = None;
        if (stamp | datum) >> 20 != 0 {
            return Some(Ok(Err(format!("{:#x} has more than 20 bits", if stamp >> 20 != 0 { stamp } else { datum }))));
        }
        let (stamp, datum) = (MmiWord::unpack(stamp), MmiWord::unpack(datum));
        if stamp.smi != datum.smi {
            return Some(Ok(Err(format!("time-stamp of SMI {}, datum of SMI {}", stamp.smi, datum.smi))));
        }
        Some(Ok(Ok((stamp.smi as usize, Pair { time: stamp.value, datum: datum.value }))))
    }
}

impl Iterator for MmiReader {
    type Item = Result<u32, CaptureError>;
    fn next(&mut self) -> Option<Self::Item> {
        self.words.next()
    }
}

/// Where the holes of a capture are whose MMI words are at `mmi`, or whose CTF trace is the folder `trace`.
fn beside(files: &Files, path: &Path) -> PathBuf {
    // Through links: what stands beside the file itself is meant.
    files.real(path).with_file_name(HOLES)
}
