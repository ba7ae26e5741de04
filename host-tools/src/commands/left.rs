//! `run --files`: what a run has left in the filestores, as files of this computer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use testbed_machine::{printable, Machine};
use testbed_runner::files::Stored;
use testbed_runner::look::Tables;
use testbed_runner::names;
use testbed_runner::taking::{content, listed};
use testbed_sim::engine::Engine;
use testbed_sim::load;
use testbed_trace::capture::{FILES, FILES_INDEX};

use super::getting::write;
use super::{Exit, Failure};

/// Names that some systems keep for devices.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Writes every file that is in a filestore and that the host has not put there just so, to
/// `files/PROCESSOR/NAME` in the run's folder, and what each was called to `files/index.txt`.
/// `given`: what the host has put on the processor `start`.
///
/// # Errors
/// The disk; or RAM does not hold a file that is listed there.
pub fn keep(
    engine: &dyn Engine,
    kernel: &[u8],
    (start, given): (usize, &[Stored]),
    folder: &Path,
) -> Result<usize, Failure> {
    let Some(tables) = Tables::of(kernel) else { return Ok(0) };
    let (mut index, mut count) = (String::new(), 0);
    for (processor, place) in engine.machine().processors.iter().enumerate() {
        let mut files = BTreeMap::new();
        for file in listed(engine, &tables, processor as u8).unwrap_or_default() {
            let name = String::from_utf8_lossy(&file.name).into_owned();
            let bytes = content(engine, &tables, processor as u8, &file).ok_or_else(|| {
                let shown = printable(&name);
                let message = format!(
                    "--files: the RAM of {place} does not hold the file `{shown}`\n  help: run again, and report it"
                );
                Failure::new(Exit::Machine, message)
            })?;
            if processor != start || !is_given(&name, &bytes, given, engine.machine()) {
                files.insert(name, bytes);
            }
        }
        let names = encoded(files.keys().map(String::as_str));
        for ((name, bytes), path) in files.iter().zip(names) {
            let folder = folder.join(FILES).join(place);
            make(&folder)?;
            write(&folder.join(&path), bytes)?;
            let _ = writeln!(index, "{place}/{path} {} {}", bytes.len(), printable(name));
            count += 1;
        }
    }
    if count > 0 {
        write(&folder.join(FILES).join(FILES_INDEX), index.as_bytes())?;
    }
    Ok(count)
}

/// Whether the host has put a file there with just these bytes.
fn is_given(name: &str, bytes: &[u8], given: &[Stored], machine: &Machine) -> bool {
    let Some(mut file) = given.iter().find(|file| file.name == name).cloned() else { return false };
    // As the image has it.
    names::insert(&mut file.bytes, machine);
    load::stored(&file.as_file()).is_ok_and(|stored| *stored == *bytes)
}

fn make(folder: &Path) -> Result<(), Failure> {
    match fs::create_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            let message =
                format!("cannot make {}: {error}\n  help: check the path, and the space left there", folder.display());
            Err(Failure::new(Exit::Environment, message))
        }
        _ => Ok(()),
    }
}

/// Names for the files of one processor on any system, in the order of `names`: what could lead out
/// of a folder, or is more than a name somewhere, is written as `%` and two hexadecimal digits. So
/// are capital letters of names that are the same but for them, which many systems do not tell
/// apart.
fn encoded<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    names.clone().for_each(|name| *same.entry(name.to_ascii_lowercase()).or_default() += 1);
    names.map(|name| encode(name, same[&name.to_ascii_lowercase()] > 1)).collect()
}

fn encode(name: &str, capitals: bool) -> String {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = DEVICES.contains(&stem.as_str());
    let last = name.len().saturating_sub(1);
    let mut out = String::new();
    for (place, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_+-=,@~#^!()[]{}$&';`".contains(&byte);
        let is_good = match byte {
            _ if is_device && place == 0 => false,
            b'A'..=b'Z' => !capitals,
            b'.' => place != 0 && place != last,
            _ => is_plain,
        };
        if is_good {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        encoded(names.iter().copied())
    }

    #[test]
    fn names_stay_in_the_folder_and_apart() {
        assert_eq!(names(&["results", "Makefile", "a.c"]), ["results", "Makefile", "a.c"]);
        assert_eq!(names(&[".", "..", ".profile", "end."]), ["%2E", "%2E%2E", "%2Eprofile", "end%2E"]);
        assert_eq!(names(&["data", "Data", "DATA", "D"]), ["data", "%44ata", "%44%41%54%41", "D"]);
        assert_eq!(names(&["a:b", "a\\b", "50%", "x|y"]), ["a%3Ab", "a%5Cb", "50%25", "x%7Cy"]);
        assert_eq!(names(&["con", "NUL.txt", "console"]), ["%63on", "%4EUL.txt", "console"]);
    }

    #[test]
    fn no_two_names_become_one() {
        // All names of up to three letters of those that matter.
        let letters = ['a', 'A', 'b', 'B', '.', '%', '4', '1', '/', '\\'];
        let mut all = vec![String::new()];
        for _ in 0..3 {
            let longer =
                all.iter().flat_map(|name| letters.map(|letter| format!("{name}{letter}"))).collect::<Vec<_>>();
            all.extend(longer);
        }
        all.retain(|name| !name.is_empty());
        all.sort();
        all.dedup();
        let encoded = encoded(all.iter().map(String::as_str));
        let folded: std::collections::BTreeSet<_> = encoded.iter().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!(folded.len(), all.len());
        assert!(encoded.iter().all(|name| !name.contains(['/', '\\']) && name != "." && name != ".."));
    }
}
