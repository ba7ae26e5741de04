//! Builds the firmware: kernel and programs, for the processors of the Testbed.
//!
//! With rustup the target is added where it is missing. Where that is refused, Debian's
//! `rustc-web`, `cargo-web`, `rust-web-src` and `lld` build the same sources together with `core`;
//! the environment variable `TESTBED_FIRMWARE=debian` chooses that way.
//!
//! With `TESTBED_FIRMWARE=built` nothing is built that is there: `testbed test` sets it for the tests,
//! of which hundreds run programs, when it has built all firmware.

mod root;
mod wrapper;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testbed_definitions::boot::{is_small, SMALL_BELOW};
use testbed_machine::suggest;

pub use self::root::{carry, root, Carried};

/// The processors' target.
pub const TARGET: &str = "riscv32im-unknown-none-elf";
/// What the second way of building needs, as Debian packages.
pub const DEBIAN_PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "lld"];

/// Why there is no firmware.
#[derive(Debug, thiserror::Error)]
pub enum FirmwareError {
    #[error(
        "neither this program nor the current folder is in a checkout of the Testbed\n  help: run `testbed` as `cargo testbed` \
         inside its checkout, or install it with `cargo install --path host-tools`"
    )]
    NoSources,
    #[error("cannot unpack the firmware's sources to {}: {source}\n  help: name a folder that can be written in TESTBED_CACHE", path.display())]
    Unpack { path: PathBuf, source: std::io::Error },
    #[error("no program is called `{name}`\n  help: {meant}the programs are {known}")]
    UnknownProgram { name: String, meant: String, known: String },
    #[error("cannot start {tool}: {source}\n  help: install Rust with rustup (https://rustup.rs)")]
    Tool { tool: String, source: std::io::Error },
    #[error("the firmware does not build:\n{0}")]
    Build(String),
    #[error(
        "the target {TARGET} is missing, and rustup would not add it ({rustup})\n  help: `rustup target add {TARGET}`, or \
         `apt-get install {}`",
        DEBIAN_PACKAGES.join(" ")
    )]
    NoTarget { rustup: String },
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

/// Built firmware: the programs and a kernel. The small kernel is built when it is first wanted,
/// since few machines have use for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// Folder of the ELF files.
    pub folder: PathBuf,
    root: PathBuf,
    /// Folder of the kernel for processors with enough RAM.
    kernel: PathBuf,
}

impl Firmware {
    /// Path and bytes of the kernel or a program.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(&self, name: &str) -> Result<(PathBuf, Vec<u8>), FirmwareError> {
        read(self.folder.join(name))
    }

    /// Path and bytes of the kernel for processors with so much RAM, in bytes.
    ///
    /// # Errors
    /// It is the small kernel, and that can't be built, as for [`build`]; the file can't be read.
    pub fn kernel(&self, ram_bytes: u32) -> Result<(PathBuf, Vec<u8>), FirmwareError> {
        if !is_small(ram_bytes) {
            return read(self.kernel.join("kernel"));
        }
        let folder = build_profile(&self.root, "small", &["-p", "kernel", "--features", "small"])?;
        read(folder.join("kernel"))
    }

    /// The same firmware with a kernel that emits no events and tests for none, built when it is
    /// first wanted: it shows what instrumentation costs. The small kernel stays as it is.
    ///
    /// # Errors
    /// It can't be built, as for [`build`].
    pub fn unmonitored(&self) -> Result<Firmware, FirmwareError> {
        let kernel = build_profile(&self.root, "unmonitored", &["-p", "kernel", "--features", "unmonitored"])?;
        Ok(Firmware { kernel, ..self.clone() })
    }

    /// Root of the checkout whose sources it was built from.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

fn read(path: PathBuf) -> Result<(PathBuf, Vec<u8>), FirmwareError> {
    match fs::read(&path) {
        Ok(bytes) => Ok((path, bytes)),
        Err(source) => Err(FirmwareError::Io { path, source }),
    }
}

/// Programs of the firmware that need no kernel.
pub const BARE: &[&str] = &["corebench", "demo"];

/// Names of the programs in `firmware/programs` and `firmware/shell-programs`, sorted.
/// The one with the shell's utilities is none: nobody starts it but the shell.
///
/// # Errors
/// The folder can't be read.
pub fn programs(root: &Path) -> Result<Vec<String>, FirmwareError> {
    let mut names = Vec::new();
    for folder in ["firmware/programs/src/bin", "firmware/shell-programs/src/bin"] {
        names.extend(programs_in(&root.join(folder))?);
    }
    names.sort();
    Ok(names)
}

fn programs_in(path: &Path) -> Result<Vec<String>, FirmwareError> {
    let entries = fs::read_dir(path).map_err(|source| FirmwareError::Io { path: path.into(), source })?;
    let name = |path: PathBuf| {
        let is_program = path.extension() == Some(OsStr::new("rs")) || path.join("main.rs").is_file();
        is_program.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
    };
    Ok(entries.flatten().filter_map(|entry| name(entry.path())).collect())
}

/// Checks that `program` exists before anything is built.
///
/// # Errors
/// It doesn't; the message lists those that do.
pub fn check_program(root: &Path, program: &str) -> Result<(), FirmwareError> {
    let known = programs(root)?;
    if known.iter().any(|name| name == program) {
        return Ok(());
    }
    let meant = suggest::question(program, known.iter().map(String::as_str));
    Err(FirmwareError::UnknownProgram { name: program.into(), meant, known: known.join(", ") })
}

/// Builds the kernel and the programs; quick if nothing has changed.
///
/// # Errors
/// No target and no way to get it, or the sources don't build (with the compiler's messages).
pub fn build(root: &Path) -> Result<Firmware, FirmwareError> {
    let folder = build_profile(root, "release", &[])?;
    Ok(Firmware { kernel: folder.clone(), folder, root: root.into() })
}

/// Builds the programs and every kernel, so that `TESTBED_FIRMWARE=built` finds all.
///
/// # Errors
/// As for [`build`].
pub fn build_all(root: &Path) -> Result<Firmware, FirmwareError> {
    let built = build(root)?;
    built.kernel(SMALL_BELOW - 1)?;
    built.unmonitored()?;
    Ok(built)
}

/// Builds what `arguments` choose of the firmware, by default all, with a profile of
/// `firmware/Cargo.toml`. Gives the folder of the ELF files.
fn build_profile(root: &Path, profile: &str, arguments: &[&str]) -> Result<PathBuf, FirmwareError> {
    let target_dir = root.join("target/firmware");
    let folder = target_dir.join(TARGET).join(profile);
    if way().is_some_and(|way| way == BUILT) && folder.join("kernel").is_file() {
        return Ok(folder);
    }
    let mut command = cargo()?;
    command.args(["build", "--quiet", "--profile", profile, "--target", TARGET, "--target-dir"]).arg(&target_dir);
    let wrapper = wrapper::script(&target_dir);
    let wrapper = wrapper.map_err(|source| FirmwareError::Io { path: target_dir.clone(), source })?;
    command.env("RUSTC_WRAPPER", wrapper);
    let output = output(command.args(arguments).current_dir(root.join("firmware")))?;
    if !output.status.success() {
        return Err(FirmwareError::Build(String::from_utf8_lossy(&output.stderr).trim_end().into()));
    }
    Ok(folder)
}

/// The environment variable that chooses how the firmware is built, and its value when it is.
pub const WAY: &str = "TESTBED_FIRMWARE";
pub const BUILT: &str = "built";

fn way() -> Option<OsString> {
    std::env::var_os(WAY)
}

/// The cargo that can build for the target.
fn cargo() -> Result<Command, FirmwareError> {
    match debian_wanted().and_then(|()| add_target(TARGET)) {
        Ok(()) => Ok(Command::new("cargo")),
        Err(rustup) => debian_cargo()
            .or_else(|| crate::apt::install(DEBIAN_PACKAGES).then(debian_cargo)?)
            .ok_or(FirmwareError::NoTarget { rustup }),
    }
}

/// What a command prints.
pub(crate) fn output(command: &mut Command) -> Result<std::process::Output, FirmwareError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    // Flags for the host's code must not reach the firmware.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").stdin(Stdio::null());
    command.output().map_err(|source| FirmwareError::Tool { tool, source })
}

/// An error if the second way of building was chosen.
fn debian_wanted() -> Result<(), String> {
    match way().is_some_and(|way| way == "debian") {
        true => Err("TESTBED_FIRMWARE=debian".into()),
        false => Ok(()),
    }
}

/// Makes sure that the toolchain has a target; the error is why it can't be had.
pub(crate) fn add_target(target: &str) -> Result<(), String> {
    if has_target(target) {
        return Ok(());
    }
    let add = Command::new("rustup").args(["target", "add", target]).stdin(Stdio::null()).output();
    match add {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            Err(message.lines().next_back().unwrap_or("no message").into())
        }
        Err(error) => Err(format!("rustup: {error}")),
    }
}

/// Whether the toolchain in use has a `core` for the target.
fn has_target(target: &str) -> bool {
    let print = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder = print.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let folder = folder.map(|path| PathBuf::from(String::from_utf8_lossy(&path).trim()));
    folder.and_then(|folder| fs::read_dir(folder).ok()).is_some_and(|mut entries| entries.next().is_some())
}

/// Debian's cargo, set up to build `core` along; `None` if a part of it is missing.
fn debian_cargo() -> Option<Command> {
    let is_there = |path: &str| Path::new(path).exists();
    let parts = ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/ld.lld"];
    if !parts.into_iter().all(is_there) {
        return None;
    }
    let sysroot = Command::new("/usr/bin/rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    if !sysroot.join("lib/rustlib/src/rust/library/core/Cargo.toml").is_file() {
        return None;
    }
    let mut command = Command::new("/usr/bin/cargo");
    command.args(["-Zbuild-std=core,alloc"]);
    command.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN");
    command.env("CARGO_TARGET_RISCV32IM_UNKNOWN_NONE_ELF_LINKER", "/usr/bin/ld.lld");
    Some(command)
}
