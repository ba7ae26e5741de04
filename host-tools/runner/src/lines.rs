//! Lines of a program's source, from the debugging information of its ELF file. That stays on the
//! host: what is loaded has none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::Context;
use gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection};
use testbed_session::look;
use testbed_trace::waits::Place;

/// The library that programs link against: who calls it is of interest, not where it makes the system call.
const LIBRARY: &str = "firmware/libtos";

/// The lines of one ELF file.
pub struct Lines {
    context: Context<EndianArcSlice<LittleEndian>>,
    root: PathBuf,
}

impl Lines {
    /// Reads an ELF file; `None` if it has no debugging information that can be read. Paths below
    /// `root` are shown relative to it.
    pub fn read(elf: &[u8], root: &Path) -> Option<Self> {
        let file = object::File::parse(elf).ok()?;
        file.section_by_name(SectionId::DebugLine.name())?;
        let section = |id: SectionId| -> Result<_, gimli::Error> {
            let bytes = file.section_by_name(id.name()).and_then(|section| section.data().ok()).unwrap_or_default();
            Ok(EndianArcSlice::new(Arc::from(bytes), LittleEndian))
        };
        let context = Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
        Some(Lines { context, root: root.into() })
    }

    /// The line of an address, and those at which the functions around it are inlined.
    fn frames(&self, address: u32) -> Vec<Place> {
        let Ok(mut frames) = self.context.find_frames(u64::from(address)).skip_all_loads() else { return Vec::new() };
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let Some((file, line)) = frame.location.and_then(|location| Some((location.file?, location.line?))) else {
                continue;
            };
            let file = Path::new(file);
            let function = frame.function.and_then(|function| Some(function.demangle().ok()?.into_owned()));
            places.push(Place {
                file: file.strip_prefix(&self.root).unwrap_or(file).display().to_string(),
                line,
                function: function.map(without_hash),
            });
        }
        places
    }
}

impl look::Lines for Lines {
    /// Where a thread stands that is at `pc`: in the innermost function that is the program's own,
    /// and in those that it is inlined into. If the library's function at `pc` was called, `caller`
    /// is the address behind that call.
    fn of_call(&self, pc: u32, caller: u32) -> Vec<Place> {
        let own = |frames: &[Place]| {
            let first = frames.iter().position(|place| !is_library(place))?;
            Some(frames[first..].to_vec())
        };
        let here = self.frames(pc);
        own(&here).or_else(|| own(&self.frames(caller.wrapping_sub(4)))).unwrap_or(here)
    }
}

fn is_library(place: &Place) -> bool {
    place.file.contains(LIBRARY) || place.file.starts_with("/rustc/")
}

/// `stuck::two::h0123456789abcdef` as `stuck::two`.
fn without_hash(name: String) -> String {
    match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => path.into(),
        _ => name,
    }
}
