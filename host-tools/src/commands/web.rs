//! `testbed web`: a page in which a machine runs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use testbed_host_tools::web::contents::Contents;
use testbed_host_tools::web::page::page;
use testbed_runner::firmware;

use super::progress::spinner;
use super::{grouped, Exit, Failure};

/// The page's name in its folder.
const INDEX: &str = "index.html";

/// Writes a page in which the machine runs, with its kernel and all programs, in one file.
///
/// The page is opened from the file, in any browser of these years, and asks nothing of a network
/// or a server. It can be sent, kept, put on any server. It is built in a checkout; rustup adds the
/// target of browsers where it is missing.
#[derive(Args, Debug)]
pub struct Web {
    /// The folder that gets `index.html`
    #[arg(default_value = "out/web")]
    dir: PathBuf,
}

impl Web {
    pub fn run(&self) -> Result<Exit, Failure> {
        let root = firmware::root()?;
        let spinner = spinner("building the firmware and the module");
        let html = page(&Contents::build(&root)?);
        spinner.finish_and_clear();
        let path = self.dir.join(INDEX);
        write(&path, &html).map_err(|error| {
            let message =
                format!("cannot write {}: {error}\n  help: name a folder that can be written", path.display());
            Failure::new(Exit::Environment, message)
        })?;
        writeln!(io::stdout(), "{}: {} bytes; open it in a browser", path.display(), grouped(html.len() as u64))?;
        Ok(Exit::Success)
    }
}

fn write(path: &Path, html: &str) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, html)
}
