//! Files that go to and fro between a page and its machine while that runs: the shell's `put` and
//! `get`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use testbed_definitions::file::is_name;
use testbed_emulator::engine::Engine;
use testbed_machine::{printable, Machine};
use testbed_session::asked::Host;
use testbed_session::asking;
use testbed_session::store::Stored;
use testbed_session::taking::taken;
use testbed_trace::capture::is_own;

/// Files that a run hands over, at most: a page has only so much memory.
const KEPT_MAX: usize = 256;

/// Something that a page and its run both have.
#[derive(Debug, Default)]
pub struct Common<T>(Arc<Mutex<T>>);

impl<T> Common<T> {
    /// It, for as long as nobody else looks.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Common<T> {
    /// The same, not another.
    fn clone(&self) -> Self {
        Common(self.0.clone())
    }
}

/// Files that were given to the page, in the order in which they came.
pub type Given = Common<Vec<Stored>>;
/// Files that the machine has handed over, by their names.
pub type Kept = Common<BTreeMap<String, Vec<u8>>>;

/// The page as a host: its files are those that were given to it, and what it keeps it shows in a
/// list.
pub struct PageHost {
    pub machine: Machine,
    /// The kernel's ELF file.
    pub kernel: Vec<u8>,
    pub given: Given,
    pub kept: Kept,
}

impl Host for PageHost {
    fn put(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let found = self.given.lock().iter().find(|file| file.name == path).cloned();
        let file = found.ok_or_else(|| {
            let path = printable(path);
            format!("this page has no file {path}; choose it under Experiment or drop it here, and say put again")
        })?;
        asking::stored(&self.machine, file)
    }

    fn get(
        &mut self,
        engine: &dyn Engine,
        processor: u8,
        name: &str,
        path: Option<&str>,
    ) -> Result<(usize, String), String> {
        let to = path.unwrap_or(name);
        if !is_name(to.as_bytes()) {
            return Err(format!("a page has no folders: {} can't be a file's name", printable(to)));
        }
        if is_own(to) {
            return Err(format!("{to} is one of the run's own files; give another name"));
        }
        let place = self.machine.processors.get(usize::from(processor)).ok_or("there is no such processor")?;
        let bytes = taken(engine, &self.kernel, processor, name)
            .ok_or_else(|| format!("there is no file {} on {place}", printable(name)))?;
        let mut kept = self.kept.lock();
        if kept.len() >= KEPT_MAX && !kept.contains_key(to) {
            return Err(format!("the page has {KEPT_MAX} files of this run already; take the name of one of them"));
        }
        let length = bytes.len();
        kept.insert(to.into(), bytes);
        Ok((length, format!("{to}, under The trace")))
    }

    fn size(&mut self) -> Result<(u16, u16), String> {
        Err("a page's console has no rows and columns".into())
    }
}
