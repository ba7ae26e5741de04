//! The end of `console.txt`.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use testbed_machine::input::regular;

/// Bytes of the end that are read.
const TAIL: u64 = 16 * 1024;

/// The last lines of a file that may grow; nothing if it is not there yet. What a terminal would
/// take for a command is made harmless.
pub fn tail(path: &Path) -> Vec<String> {
    let read = || -> io::Result<(bool, Vec<u8>)> {
        let mut file = regular(path)?;
        let from = file.metadata()?.len().saturating_sub(TAIL);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok((from > 0, bytes))
    };
    let Ok((cut, bytes)) = read() else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    let harmless = |line: &str| line.chars().map(|c| if c.is_control() { '\u{b7}' } else { c }).collect();
    // The first line may begin before what was read.
    text.lines().skip(usize::from(cut)).map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_console() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("console.txt");
        assert_eq!(tail(&path), Vec::<String>::new());
        std::fs::write(&path, "earth: one\nair: \x1b[2Jtwo\n").unwrap();
        assert_eq!(tail(&path), ["earth: one", "air: \u{b7}[2Jtwo"]);
        let long: String = (0..10_000).map(|number| format!("line {number}\n")).collect();
        std::fs::write(&path, long).unwrap();
        let lines = tail(&path);
        assert!(lines.len() < 2_000 && lines[0].starts_with("line "), "{}", lines[0]);
        assert_eq!(lines.last().unwrap(), "line 9999");
    }
}
