//! Writes the output folder while a machine runs.

use std::io::Write;
use std::path::{Path, PathBuf};

use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;

use super::console::Lines;
use super::error::{CaptureError, Context};
use super::files::{Files, Source};
use super::holes::Sealer;
use super::printed::Pieces;
use super::sums::{sums_path, Of, Summer};
use super::{ctf, Gift, Printed, RunRecord, CONSOLE, CONSOLE_LOG, HOLES, INPUT, METADATA, MMI_RAW, RUN_JSON, TRACE};
#[cfg(feature = "files")]
use super::{Claim, BALANCE, FILES, FILES_INDEX, REPORT, THREADS};

/// Bytes of the index of files, at most: one of as many files as all processors together have.
#[cfg(feature = "files")]
const INDEX_BYTES: u64 = 1 << 20;

/// A file that knows its path, written in whole chunks.
struct Output {
    path: PathBuf,
    file: Source,
    buffer: Vec<u8>,
    sums: Option<Box<Sums>>,
}

/// The sums of a file, written behind it.
struct Sums {
    summer: Summer,
    output: Output,
    /// Byte behind the records of full blocks.
    full: u64,
}

impl Sums {
    /// Takes bytes as they are written. The block that is not full yet has a record too, which the
    /// next one replaces: a run that is killed has sums of nearly all.
    fn add(&mut self, bytes: &[u8]) -> Result<(), CaptureError> {
        let Sums { summer, output, full } = self;
        summer.push(bytes, &mut output.buffer);
        let records = output.buffer.len() as u64;
        output.buffer.extend(summer.unfinished());
        output.file.write_all_at(&output.buffer, *full).at("write", &output.path)?;
        output.buffer.clear();
        *full += records;
        Ok(())
    }
}

impl Output {
    fn create(files: &Files, path: PathBuf) -> Result<Self, CaptureError> {
        let file = files.create(&path).at("create", &path)?;
        Ok(Output { path, file, buffer: Vec::new(), sums: None })
    }

    /// A file with sums.
    fn summed(files: &Files, path: PathBuf, of: Of) -> Result<Self, CaptureError> {
        let sums = Sums { summer: Summer::new(of), output: Output::create(files, sums_path(&path))?, full: 0 };
        Ok(Output { sums: Some(Box::new(sums)), ..Output::create(files, path)? })
    }

    fn flush(&mut self) -> Result<(), CaptureError> {
        self.file.write_all(&self.buffer).at("write", &self.path)?;
        if let (Some(sums), false) = (&mut self.sums, self.buffer.is_empty()) {
            sums.add(&self.buffer)?;
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Where a folder is written.
enum Place {
    /// On a disk, where it is this writer's alone.
    #[cfg(feature = "files")]
    Claimed(Claim),
    /// Among files in memory, by this path.
    Memory(Files, PathBuf),
}

impl Place {
    fn dir(&self) -> &Path {
        match self {
            #[cfg(feature = "files")]
            Place::Claimed(claim) => &claim.dir,
            Place::Memory(_, dir) => dir,
        }
    }

    fn files(&self) -> Files {
        match self {
            #[cfg(feature = "files")]
            Place::Claimed(_) => Files::disk(),
            Place::Memory(files, _) => files.clone(),
        }
    }

    /// Writes `run.json`: a reader sees the old or the new one, never a part.
    fn record(&self, record: &RunRecord) -> Result<(), CaptureError> {
        match self {
            #[cfg(feature = "files")]
            Place::Claimed(claim) => record.write(&claim.dir),
            Place::Memory(files, dir) => {
                let mut output = Output::create(files, dir.join(RUN_JSON))?;
                output.buffer = record.text().into_bytes();
                output.flush()
            }
        }
    }
}

/// Writer of an output folder. What was handed over is on its way to the disk when a call returns.
pub struct CaptureWriter {
    place: Place,
    mmi: Output,
    /// By SMI, that is by processor; the master has none.
    streams: Vec<Option<Output>>,
    console: Output,
    lines: Lines,
    /// What was printed, and when; no file if nothing was.
    printed: Option<Output>,
    /// Pieces of it that may go on.
    pieces: Pieces,
    /// What was given to the console; no file if nothing was.
    input: Option<Output>,
    /// A time-stamp whose datum has not come yet.
    stamp: Option<MmiWord>,
    /// Pairs written, by SMI from 1 on.
    pairs: Vec<u64>,
    /// Where pairs are missing; no file if none are.
    holes: Option<Output>,
    sealer: Sealer,
}

impl CaptureWriter {
    /// Makes `dir`, or clears what an earlier run left there, and writes `record` (not complete)
    /// and the metadata.
    ///
    /// # Errors
    /// Another run has the folder, it holds files of others, can't be written to, or the disk is full.
    #[cfg(feature = "files")]
    pub fn create(dir: &Path, machine: &Machine, record: &RunRecord) -> Result<Self, CaptureError> {
        Claim::new(dir)?.writer(machine, record)
    }

    /// Starts the folder `dir` among `files` in memory; what was in the folder is gone.
    ///
    /// # Errors
    /// None now: memory takes everything.
    pub fn in_memory(files: &Files, dir: &Path, machine: &Machine, record: &RunRecord) -> Result<Self, CaptureError> {
        files.clear(dir);
        let place = Place::Memory(files.clone(), dir.into());
        place.record(&RunRecord { complete: false, ..record.clone() })?;
        CaptureWriter::begin(place, machine, record)
    }

    #[cfg(feature = "files")]
    fn start(claim: Claim, machine: &Machine, record: &RunRecord) -> Result<Self, CaptureError> {
        let dir = claim.dir.as_path();
        // First of all, so that nothing old is taken for complete.
        RunRecord { complete: false, ..record.clone() }.write(dir)?;
        let trace = dir.join(TRACE);
        // Nothing but what runs make is removed.
        let others = [REPORT, INPUT, HOLES, THREADS, BALANCE, CONSOLE_LOG].map(|name| dir.join(name));
        for old in claim.streams.iter().chain(&others) {
            match std::fs::remove_file(old) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", old)?,
                _ => {}
            }
        }
        remove_files(dir)?;
        std::fs::create_dir_all(&trace).at("create the folder", &trace)?;
        CaptureWriter::begin(Place::Claimed(claim), machine, record)
    }

    /// Makes the files that every run has.
    fn begin(place: Place, machine: &Machine, record: &RunRecord) -> Result<Self, CaptureError> {
        let (files, dir) = (&place.files(), place.dir());
        let trace = dir.join(TRACE);
        let mut metadata = Output::create(files, trace.join(METADATA))?;
        metadata.buffer = ctf::metadata(machine, record.dgl).into_bytes();
        metadata.flush()?;
        let stream = |(smi, name): (usize, &String)| match smi {
            0 => Ok(None),
            _ => Output::summed(files, trace.join(name), Of::Stream(smi)).map(Some),
        };
        Ok(CaptureWriter {
            mmi: Output::summed(files, dir.join(MMI_RAW), Of::Mmi(machine.slaves()))?,
            streams: machine.processors.iter().enumerate().map(stream).collect::<Result<_, _>>()?,
            console: Output::create(files, dir.join(CONSOLE))?,
            lines: Lines::new(&machine.processors),
            printed: None,
            pieces: Pieces::default(),
            input: None,
            stamp: None,
            pairs: vec![0; machine.slaves()],
            holes: None,
            sealer: Sealer::default(),
            place,
        })
    }

    /// Appends words of the trace port, each with its cycle, in order.
    ///
    /// # Errors
    /// The disk; or words that are no pairs of one SMI, which no sound machine delivers.
    pub fn words(&mut self, words: impl IntoIterator<Item = (u64, u32)>) -> Result<(), CaptureError> {
        for (cycle, word) in words {
            self.mmi.buffer.extend_from_slice(&word.to_le_bytes());
            let half = MmiWord::unpack(word);
            let fault = |what: String| Err(CaptureError::Protocol { what, cycle });
            if word >> 20 != 0 {
                return fault(format!("the word {word:#x}, which has more than 20 bits,"));
            }
            match self.stamp.take() {
                None => self.stamp = Some(half),
                Some(stamp) if stamp.smi != half.smi => {
                    return fault(format!("a time-stamp of SMI {} and then a datum of SMI {}", stamp.smi, half.smi));
                }
                Some(stamp) => match self.streams.get_mut(half.smi as usize) {
                    Some(Some(stream)) => {
                        let pair = Pair { time: stamp.value, datum: half.value };
                        stream.buffer.extend_from_slice(&pair.pack().to_le_bytes());
                        self.pairs[usize::from(half.smi) - 1] += 1;
                    }
                    _ => return fault(format!("a pair of SMI {}, which the machine lacks,", half.smi)),
                },
            }
        }
        // mmi.raw first: after a kill, the streams are then a prefix of it.
        self.mmi.flush()?;
        self.streams.iter_mut().flatten().try_for_each(Output::flush)
    }

    /// Notes that `missing` pairs, of whatever SMIs, were lost before the next one.
    ///
    /// # Errors
    /// The disk.
    pub fn hole(&mut self, missing: u64) -> Result<(), CaptureError> {
        let line = Sealer::line(missing, &self.pairs);
        let output = match &mut self.holes {
            Some(output) => output,
            none => none.insert(Output::create(&self.place.files(), self.place.dir().join(HOLES))?),
        };
        output.buffer.extend_from_slice(line.as_bytes());
        output.flush()?;
        let seal = self.sealer.seal(&line);
        for output in std::iter::once(&mut self.mmi).chain(self.streams.iter_mut().flatten()) {
            if let Some(sums) = &mut output.sums {
                sums.summer.seal(seal);
            }
        }
        Ok(())
    }

    /// Appends console bytes, each with its cycle and its processor, in order: to the lines, and to
    /// what was printed when. All bytes of cycles before `until` have been handed over then.
    ///
    /// # Errors
    /// The disk.
    pub fn printed(&mut self, bytes: &[(u64, u8, u8)], until: u64) -> Result<(), CaptureError> {
        self.console(bytes.iter().map(|&(_, processor, byte)| (processor, byte)))?;
        let ended = self.pieces.push(bytes, until);
        self.log(&ended)
    }

    /// Appends pieces to what was printed when.
    fn log(&mut self, pieces: &[Printed]) -> Result<(), CaptureError> {
        if pieces.is_empty() {
            return Ok(());
        }
        let output = match &mut self.printed {
            Some(output) => output,
            none => none.insert(Output::create(&self.place.files(), self.place.dir().join(CONSOLE_LOG))?),
        };
        for piece in pieces {
            output.buffer.extend_from_slice(piece.line().as_bytes());
        }
        output.flush()
    }

    /// Appends console bytes, each with its processor, in order; when they were printed is not known.
    ///
    /// # Errors
    /// The disk.
    pub fn console(&mut self, bytes: impl IntoIterator<Item = (u8, u8)>) -> Result<(), CaptureError> {
        self.lines.push(bytes, &mut self.console.buffer);
        self.console.flush()
    }

    /// Notes what has been given to the machine's console.
    ///
    /// # Errors
    /// The disk.
    pub fn input(&mut self, gift: &Gift) -> Result<(), CaptureError> {
        let output = match &mut self.input {
            Some(output) => output,
            none => none.insert(Output::create(&self.place.files(), self.place.dir().join(INPUT))?),
        };
        output.buffer.extend_from_slice(gift.line().as_bytes());
        output.flush()
    }

    /// Ends the capture: unfinished console lines, then `record`, which says that the run is
    /// complete.
    ///
    /// # Errors
    /// The disk.
    pub fn finish(mut self, record: &RunRecord) -> Result<(), CaptureError> {
        self.lines.finish(&mut self.console.buffer);
        self.console.flush()?;
        let rest = self.pieces.finish();
        self.log(&rest)?;
        self.mmi.flush()?;
        self.streams.iter_mut().flatten().try_for_each(Output::flush)?;
        self.place.record(record)
    }
}

/// Removes the files that an earlier run took out of filestores: those that its index names, and
/// folders that are empty then. Whatever else is there stays.
#[cfg(feature = "files")]
fn remove_files(dir: &Path) -> Result<(), CaptureError> {
    let folder = dir.join(FILES);
    let index = folder.join(FILES_INDEX);
    let Ok(text) = testbed_machine::input::text(&index, INDEX_BYTES) else { return Ok(()) };
    let is_folder = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if !is_folder(&folder) {
        return Ok(());
    }
    for path in text.lines().filter_map(|line| line.split(' ').next()) {
        // A path of any other form was not written by a run.
        let Some((place, name)) = path.split_once('/') else { continue };
        let is_plain = |part: &str| !part.is_empty() && !part.contains('/') && part != "." && part != "..";
        let is_good = is_plain(name) && is_plain(place);
        let place = folder.join(place);
        if !is_good || !is_folder(&place) {
            continue;
        }
        match std::fs::remove_file(place.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).at("remove", &place.join(name))?,
            _ => {}
        }
        // It stays if it holds others' files, or another file of the index.
        let _ = std::fs::remove_dir(&place);
    }
    std::fs::remove_file(&index).at("remove", &index)?;
    let _ = std::fs::remove_dir(&folder);
    Ok(())
}

/// How a capture starts in a folder that is claimed.
#[cfg(feature = "files")]
impl Claim {
    /// Moves what an earlier run has left in the folder to one beside it, called as this one with a
    /// number behind it that is higher than any other, and starts a capture in its place: there is
    /// no moment without a folder of this name. Returns the new claim, which is for as long as the
    /// first, the writer, and where the earlier run is now, if there was one.
    ///
    /// # Errors
    /// As [`CaptureWriter::create`], or the folder can't be moved.
    pub fn writer_keeping(
        self,
        machine: &Machine,
        record: &RunRecord,
    ) -> Result<(Claim, CaptureWriter, Option<PathBuf>), CaptureError> {
        let (claim, beside) = self.keep_earlier(record)?;
        let writer = claim.writer(machine, record)?;
        Ok((claim, writer, beside))
    }

    /// Clears what an earlier run left and starts a capture; see [`CaptureWriter::create`].
    ///
    /// # Errors
    /// As [`CaptureWriter::create`].
    pub fn writer(&self, machine: &Machine, record: &RunRecord) -> Result<CaptureWriter, CaptureError> {
        CaptureWriter::start(self.clone(), machine, record)
    }
}
