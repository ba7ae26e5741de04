//! What the processors printed, and when: a line for each piece, with its cycle, its processor and
//! its bytes, those that are not printable escaped. From it a console can be shown again as it was.

use std::path::Path;

use super::error::{CaptureError, Context};
use super::files::Files;
use super::input::unescape;

/// Bytes of a file of pieces, at most.
const PRINTED_BYTES: u64 = 1 << 32;
/// Bytes that a processor prints within so many cycles are one piece: a third of a millisecond at
/// 25 MHz, which nobody sees.
const PIECE_CYCLES: u64 = 8_192;

/// Bytes that one processor has printed, the first of them in this cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    pub cycle: u64,
    pub processor: u8,
    pub bytes: Vec<u8>,
}

impl Printed {
    /// Joins bytes, each with its cycle and processor and in the order of their cycles, to pieces.
    fn pieces(bytes: &[(u64, u8, u8)]) -> Vec<Printed> {
        let mut pieces: Vec<Printed> = Vec::new();
        for &(cycle, processor, byte) in bytes {
            let span = cycle / PIECE_CYCLES;
            let mut recent = pieces.iter_mut().rev().take_while(|piece| piece.cycle / PIECE_CYCLES == span);
            match recent.find(|piece| piece.processor == processor) {
                Some(piece) => piece.bytes.push(byte),
                None => pieces.push(Printed { cycle, processor, bytes: vec![byte] }),
            }
        }
        pieces
    }

    /// Its line in the file, with the newline.
    pub fn line(&self) -> String {
        format!("{} {} {}\n", self.cycle, self.processor, self.bytes.escape_ascii())
    }

    /// The piece of a line, without its newline; `None` if it is not of that form.
    pub fn parse(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, ' ');
        let (cycle, processor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Printed { cycle, processor, bytes: unescape(parts.next()?)? })
    }

    /// Reads a file of pieces of a machine with so many processors, in the order of their cycles. A
    /// last line without a newline is left out: the run that wrote it was killed, or goes on.
    ///
    /// # Errors
    /// The file can't be read; a line is not of the form, or has a cycle before that of the line
    /// before, or a processor that the machine lacks.
    pub fn read(path: &Path, processors: usize) -> Result<Vec<Self>, CaptureError> {
        let text = Files::default().text(path, PRINTED_BYTES).at("read", path)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut all: Vec<Printed> = Vec::new();
        for (number, line) in whole.lines().enumerate() {
            let wrong =
                |message: &str| CaptureError::Printed { path: path.into(), line: number + 1, message: message.into() };
            let piece = Printed::parse(line)
                .ok_or_else(|| wrong("no cycle, number of a processor and escaped bytes, as in `65536 1 hello\\n`"))?;
            if usize::from(piece.processor) >= processors {
                return Err(wrong("the machine has no processor of this number"));
            }
            if all.last().is_some_and(|last| last.cycle > piece.cycle) {
                return Err(wrong("its cycle is before that of the line before"));
            }
            all.push(piece);
        }
        Ok(all)
    }
}

/// Joins bytes to pieces as they come. Which these are depends on the bytes' cycles alone, and not
/// on how far a driver ran at a time: a piece that may go on is held until it can't.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Bytes of the span of cycles that has not ended.
    open: Vec<(u64, u8, u8)>,
}

impl Pieces {
    /// The pieces that have ended once every byte of a cycle before `until` is there. `bytes`, each
    /// with its cycle and processor, come in the order of their cycles.
    pub fn push(&mut self, bytes: &[(u64, u8, u8)], until: u64) -> Vec<Printed> {
        self.open.extend_from_slice(bytes);
        let ended = self.open.partition_point(|(cycle, ..)| cycle / PIECE_CYCLES < until / PIECE_CYCLES);
        let pieces = Printed::pieces(&self.open[..ended]);
        self.open.drain(..ended);
        pieces
    }

    /// The rest: nothing comes any more.
    pub fn finish(&mut self) -> Vec<Printed> {
        Printed::pieces(&std::mem::take(&mut self.open))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_join_by_processor_and_time() {
        let bytes = [(5, 1, b'a'), (6, 2, b'x'), (9, 1, b'b'), (PIECE_CYCLES, 1, b'c'), (PIECE_CYCLES + 1, 1, b'\n')];
        let pieces = Printed::pieces(&bytes);
        let lines: Vec<_> = pieces.iter().map(Printed::line).collect();
        assert_eq!(lines, ["5 1 ab\n", "6 2 x\n", "8192 1 c\\n\n"]);
    }

    proptest! {
        /// However far a driver runs at a time, the pieces are the same, and each is there as soon as
        /// it has ended.
        #[test]
        fn pieces_do_not_depend_on_how_far_a_driver_runs(
            mut bytes in prop::collection::vec((0..5 * PIECE_CYCLES, 0..3u8, any::<u8>()), 0..60),
            mut stops in prop::collection::vec(0..5 * PIECE_CYCLES, 0..8),
        ) {
            bytes.sort_by_key(|(cycle, ..)| *cycle);
            stops.sort_unstable();
            let (mut joined, mut pieces, mut from) = (Pieces::default(), Vec::new(), 0);
            for until in stops {
                let to = bytes.partition_point(|(cycle, ..)| *cycle < until);
                pieces.extend(joined.push(&bytes[from..to], until));
                let ended = bytes.partition_point(|(cycle, ..)| *cycle < until / PIECE_CYCLES * PIECE_CYCLES);
                prop_assert_eq!(&pieces, &Printed::pieces(&bytes[..ended]));
                from = to;
            }
            pieces.extend(joined.push(&bytes[from..], 5 * PIECE_CYCLES - 1));
            pieces.extend(joined.finish());
            prop_assert_eq!(pieces, Printed::pieces(&bytes));
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("console.log");
        let all = Printed { cycle: 7, processor: 3, bytes: (0..=255).collect() };
        let next = Printed { cycle: 7, processor: 0, bytes: b" ".to_vec() };
        fs::write(&path, all.line() + &next.line() + "9 1 cut").unwrap();
        assert_eq!(Printed::read(&path, 4).unwrap(), [all, next]);
        for (text, part) in [
            ("0 1 a\nb\n", ":2:"),
            ("0 1\n", "as in"),
            ("0 4 a\n", "no processor of this number"),
            ("9 1 a\n8 1 b\n", "before that of the line before"),
            ("0 1 \\q\n", ":1:"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Printed::read(&path, 4).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("help: "), "{text:?}: {error}");
        }
    }
}
