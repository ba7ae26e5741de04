//! Packages of PyPI, in the project's own virtual environment, `target/python`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::apt;

/// A package of PyPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name for pip, with the version if it matters.
    pub name: &'static str,
    /// A module of it; that it can be imported says that the package is there.
    pub module: &'static str,
}

/// Packages that are not there, and can't be had.
#[derive(Debug, thiserror::Error)]
#[error("Python has no {packages}, and installing it failed\n  help: python3 -m venv {folder} && {folder}/bin/python3 -m pip install {packages}")]
pub struct PythonError {
    packages: String,
    folder: String,
}

/// The environment's folder; it need not be there yet.
pub fn folder(root: &Path) -> PathBuf {
    root.join("target/python")
}

/// Installs `packages` of which one is missing into the environment of the workspace at `root`,
/// which is made if need be. Says on standard error what it installs.
///
/// # Errors
/// That is not allowed here, or fails.
pub fn install(root: &Path, packages: &[Package]) -> Result<PathBuf, PythonError> {
    let folder = folder(root);
    let python = folder.join("bin/python3");
    let names: Vec<_> = packages.iter().map(|package| package.name).collect();
    let modules: Vec<_> = packages.iter().map(|package| package.module).collect();
    let are_there = || runs(&python, &["-c", &format!("import {}", modules.join(", "))]);
    if packages.is_empty() || are_there() {
        return Ok(folder);
    }
    tell!("installing {} for Python in {}", names.join(", "), folder.display());
    let name = folder.to_string_lossy().into_owned();
    let make = || python.exists() || runs(Path::new("python3"), &["-m", "venv", &name]);
    // Debian's Python has no venv of its own.
    let made = make() || (apt::install(&["python3-venv"]) && make());
    let install = [&["-m", "pip", "install", "--quiet"], names.as_slice()].concat();
    if made && runs(&python, &install) && are_there() {
        return Ok(folder);
    }
    Err(PythonError { packages: names.join(" "), folder: name })
}

/// The folder of a module's files in the environment; `None` if it is not there.
pub fn module(root: &Path, module: &str) -> Option<PathBuf> {
    let libraries = folder(root).join("lib");
    let mut versions: Vec<_> = std::fs::read_dir(libraries).ok()?.flatten().map(|entry| entry.path()).collect();
    versions.sort();
    versions.into_iter().map(|version| version.join("site-packages").join(module)).find(|folder| folder.is_dir())
}

fn runs(program: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_pypi_is_an_error_that_says_what_to_type() {
        let root = tempfile::tempdir().unwrap();
        // No Python can be made where the folder's name is a file's.
        std::fs::create_dir(root.path().join("target")).unwrap();
        std::fs::write(folder(root.path()), "").unwrap();
        let package = Package { name: "one-that-is-not-there", module: "one_that_is_not_there" };
        let error = install(root.path(), &[package]).unwrap_err().to_string();
        assert!(error.contains("pip install one-that-is-not-there"), "{error}");
        assert_eq!(module(root.path(), "one_that_is_not_there"), None);
    }

    #[test]
    fn nothing_needs_nothing() {
        let root = tempfile::tempdir().unwrap();
        install(root.path(), &[]).unwrap();
        assert!(!folder(root.path()).exists());
    }
}
