//! Builds the module with which a machine runs in a browser's page (`sim/page`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::firmware::{add_target, output, FirmwareError, BUILT, WAY};

/// Why there is no module.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    #[error(
        "this program is not in a checkout of the Testbed, from which the module for browsers is built\n  \
         help: run `cargo testbed web` inside a checkout"
    )]
    NoSources,
    #[error(
        "the target {TARGET} is missing, and rustup would not add it ({rustup})\n  help: `rustup target add {TARGET}`"
    )]
    NoTarget { rustup: String },
    #[error("the module for browsers does not build:\n{0}")]
    Build(String),
    #[error(transparent)]
    Tool(#[from] FirmwareError),
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

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
pub fn build(root: &Path) -> Result<Vec<u8>, ModuleError> {
    if !root.join("sim/page/Cargo.toml").is_file() {
        return Err(ModuleError::NoSources);
    }
    let (target_dir, path) = places(root);
    let is_built = std::env::var_os(WAY).is_some_and(|way| way == BUILT) && path.is_file();
    if !is_built {
        compile(root, &target_dir)?;
    }
    fs::read(&path).map_err(|source| ModuleError::Io { path, source })
}

/// Builds the module anew if there is one that may be old, so that `TESTBED_FIRMWARE=built` finds no
/// other than today's.
///
/// # Errors
/// As for [`build`].
pub fn renew(root: &Path) -> Result<(), ModuleError> {
    let (target_dir, path) = places(root);
    if path.is_file() {
        compile(root, &target_dir)?;
    }
    Ok(())
}

/// Where the module is built, and the module.
fn places(root: &Path) -> (PathBuf, PathBuf) {
    let target_dir = root.join("target/page");
    let path = target_dir.join(TARGET).join(PROFILE).join("testbed_page.wasm");
    (target_dir, path)
}

fn compile(root: &Path, target_dir: &Path) -> Result<(), ModuleError> {
    add_target(TARGET).map_err(|rustup| ModuleError::NoTarget { rustup })?;
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--locked", "--lib", "--package", PACKAGE]);
    command.args(["--profile", PROFILE, "--target", TARGET, "--target-dir"]).arg(target_dir);
    let output = output(command.current_dir(root))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(ModuleError::Build(String::from_utf8_lossy(&output.stderr).trim_end().into())),
    }
}
