//! Reads an output folder, also one that was cut short.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use testbed_definitions::monitor::{MmiWord, Pair};

use super::error::{CaptureError, Context};
use super::{RunRecord, CONSOLE, LOCK, MMI_RAW, RUN_JSON, TRACE};

/// An output folder that has a readable `run.json`.
#[derive(Clone, Debug)]
pub struct Capture {
    pub dir: PathBuf,
    pub record: RunRecord,
}

/// Bytes at the end of a file that are no whole record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    pub path: PathBuf,
    /// Where the incomplete record starts.
    pub offset: u64,
    pub bytes: usize,
}

impl std::fmt::Display for Torn {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "{}: the last {} byte(s), from byte {}, are no whole record",
            self.path.display(),
            self.bytes,
            self.offset
        )
    }
}

impl Capture {
    /// Opens the folder that a run made.
    ///
    /// # Errors
    /// It has no `run.json`, or an unreadable one.
    pub fn open(dir: &Path) -> Result<Self, CaptureError> {
        Ok(Capture { dir: dir.into(), record: RunRecord::read(dir)? })
    }

    /// Path of SMI `smi`'s stream file.
    pub fn stream_path(&self, smi: usize) -> PathBuf {
        self.dir.join(TRACE).join(&self.record.machine.processors[smi])
    }

    /// Pairs of SMI `smi` (1 to the number of slaves).
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn pairs(&self, smi: usize) -> Result<PairReader, CaptureError> {
        Records::open(self.stream_path(smi)).map(PairReader)
    }

    /// Words of `mmi.raw`.
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn mmi(&self) -> Result<MmiReader, CaptureError> {
        Records::open(self.dir.join(MMI_RAW)).map(|records| MmiReader { records, half: None })
    }

    /// Whether `path` is one of the folder's own files, under whatever name, or would become one of `trace/`.
    pub fn owns(&self, path: &Path) -> bool {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let target = fs::canonicalize(path)
            .or_else(|_| fs::canonicalize(folder).map(|folder| folder.join(path.file_name().unwrap_or_default())));
        let Ok(target) = target else { return false };
        let own = |name: &str| fs::canonicalize(self.dir.join(name)).ok();
        let is_own = |name: &str| own(name).is_some_and(|own| own == target);
        [MMI_RAW, CONSOLE, RUN_JSON, LOCK].into_iter().any(is_own)
            || own(TRACE).is_some_and(|trace| target.starts_with(trace))
    }

    /// SMI numbers of the machine.
    pub fn smis(&self) -> std::ops::Range<usize> {
        1..self.record.machine.processors.len()
    }
}

/// Four-byte records of a file.
struct Records {
    path: PathBuf,
    file: BufReader<File>,
    offset: u64,
    torn: Option<Torn>,
}

impl Records {
    fn open(path: PathBuf) -> Result<Self, CaptureError> {
        let file = File::open(&path).at("open", &path)?;
        Ok(Records { path, file: BufReader::with_capacity(1 << 16, file), offset: 0, torn: None })
    }

    fn next(&mut self) -> Option<Result<u32, CaptureError>> {
        let mut bytes = [0; 4];
        let mut filled = 0;
        while filled < 4 {
            match self.file.read(&mut bytes[filled..]) {
                Ok(0) if filled == 0 => return None,
                Ok(0) => {
                    self.torn = Some(Torn { path: self.path.clone(), offset: self.offset, bytes: filled });
                    return None;
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Some(Err(source).at("read", &self.path)),
            }
        }
        self.offset += 4;
        Some(Ok(u32::from_le_bytes(bytes)))
    }
}

/// Pairs of one SMI, in order.
pub struct PairReader(Records);

impl PairReader {
    /// Byte offset of the next pair.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }
    /// An incomplete record at the end, once the end has been reached.
    pub fn torn(&self) -> Option<&Torn> {
        self.0.torn.as_ref()
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
    records: Records,
    half: Option<u32>,
}

impl MmiReader {
    /// Byte offset of the next word.
    pub fn offset(&self) -> u64 {
        self.records.offset
    }
    /// An incomplete record at the end, once the end has been reached.
    pub fn torn(&self) -> Option<&Torn> {
        self.records.torn.as_ref()
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
        self.records.next()
    }
}
