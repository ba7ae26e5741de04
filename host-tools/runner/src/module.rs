//! Builds the module with which a machine runs in a browser's page (`sim/page`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::firmware::{add_target, output, FirmwareError, BUILT, WAY};

/// The target of browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The package, and the profile of the workspace that it is built with.
const PACKAGE: &str = "testbed-page";
const PROFILE: &str = "page";

/// The module's bytes; quick if nothing has changed.
///
/// # Errors
/// There is no checkout with its sources, no target and no way to get it, or the sources do not build
/// (with the compiler's messages).
pub fn build(root: &Path) -> Result<Vec<u8>, FirmwareError> {
    if !root.join("sim/page/Cargo.toml").is_file() {
        return Err(FirmwareError::NoModule);
    }
    let target_dir = root.join("target/page");
    let path = target_dir.join(TARGET).join(PROFILE).join("testbed_page.wasm");
    let is_built = std::env::var_os(WAY).is_some_and(|way| way == BUILT) && path.is_file();
    if !is_built {
        compile(root, &target_dir)?;
    }
    fs::read(&path).map_err(|source| FirmwareError::Io { path: PathBuf::from(&path), source })
}

fn compile(root: &Path, target_dir: &Path) -> Result<(), FirmwareError> {
    add_target(TARGET).map_err(|rustup| FirmwareError::NoBrowserTarget { rustup })?;
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--locked", "--lib", "--package", PACKAGE]);
    command.args(["--profile", PROFILE, "--target", TARGET, "--target-dir"]).arg(target_dir);
    let output = output(command.current_dir(root))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(FirmwareError::Module(String::from_utf8_lossy(&output.stderr).trim_end().into())),
    }
}
