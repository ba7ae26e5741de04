//! Compiles Verilog and the C++ shim into a shared object, once: results stay in a cache folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::engine::EngineError;

const SHIM: &str = include_str!("shim.cpp");

/// What a build can write waves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaveFormat {
    Vcd,
    Fst,
}

/// Everything that decides what is built.
pub struct Source<'a> {
    /// The design; its top module is `top`. Signals that the shim looks for are marked as public.
    pub verilog: &'a str,
    /// Tracing slows the model down, so a build has it only when wanted.
    pub waves: Option<WaveFormat>,
}

impl Source<'_> {
    fn options(&self) -> &'static [&'static str] {
        if self.waves.is_some() {
            WITH_WAVES
        } else {
            FAST
        }
    }
}

/// Where builds are kept: `$TESTBED_CACHE`, else `testbed` in `$XDG_CACHE_HOME` or `~/.cache`, else
/// in the temporary folder.
pub fn cache_folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("TESTBED_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("testbed")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache").join("testbed")))
        .unwrap_or_else(|| std::env::temp_dir().join("testbed-cache"))
}

/// The shared object of `source`, from the cache or built now. `progress` is told what takes long.
///
/// Any number of processes may ask at once: one builds, the others wait for it.
///
/// # Errors
/// Verilator, make or the C++ compiler is missing or fails (with the last lines it wrote), or the
/// cache cannot be written.
pub fn shared_object(source: &Source<'_>, progress: &mut dyn FnMut(&str)) -> Result<PathBuf, EngineError> {
    let version = verilator_version()?;
    let waves = format!("{:?}", source.waves);
    let options = [OPTIONS, source.options()].concat().join(" ");
    let key = fnv128(&[&version, SHIM, source.verilog, &waves, &options]);
    let cache = cache_folder();
    fs::create_dir_all(&cache).map_err(|error| at(&cache, error))?;
    let finished = cache.join(format!("{key:032x}.so"));
    if finished.exists() {
        return Ok(finished);
    }
    let _lock = Lock::take(&cache.join(format!("{key:032x}.lock")))?;
    if finished.exists() {
        return Ok(finished);
    }
    let folder = cache.join(format!("{key:032x}.build"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| at(&folder, error))?;
    progress("compiling the machine with Verilator (once; the result is kept)");
    build(source, &folder)?;
    fs::rename(folder.join("obj").join("testbed.so"), &finished).map_err(|error| at(&finished, error))?;
    let _ = fs::remove_dir_all(&folder);
    Ok(finished)
}

/// Verilator's options for every build.
const OPTIONS: &[&str] = &[
    "--cc",
    "--exe",
    "--build",
    "-j",
    "2",
    "--top-module",
    "top",
    "--prefix",
    "Vtop",
    "-O3",
    "--default-language",
    "1364-2005",
    "--x-assign",
    "fast",
    "--x-initial",
    "0",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-Wno-UNOPTFLAT",
    "-LDFLAGS",
    "-shared -Wl,-Bsymbolic",
    "-o",
    "testbed.so",
    "--Mdir",
    "obj",
];

/// Options of builds without waves, to run fast: one C++ file, so that the compiler sees that
/// instances of a module have the same code and keeps one copy of it. What runs once, at the start,
/// and Verilator's own library, which has next to nothing of a cycle, are compiled soon: together
/// they are half of the C++.
const FAST: &[&str] = &["--output-split", "0", "-MAKEFLAGS", "OPT_FAST=-O3 OPT_SLOW=-O0 OPT_GLOBAL=-O1"];

/// Options of builds with waves, to be compiled soon: they spend their time on the file.
const WITH_WAVES: &[&str] = &["-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O2"];

fn build(source: &Source<'_>, folder: &Path) -> Result<(), EngineError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| at(&path, error))
    };
    write("top.v", source.verilog)?;
    write("shim.cpp", SHIM)?;
    let (flag, number) = match source.waves {
        None => (None, 0),
        Some(WaveFormat::Vcd) => (Some("--trace"), 1),
        Some(WaveFormat::Fst) => (Some("--trace-fst"), 2),
    };
    let mut command = Command::new("verilator");
    command.current_dir(folder).args(OPTIONS).args(source.options()).args(flag);
    command.args(["-CFLAGS", &format!("-fPIC -fvisibility=hidden -fno-gnu-unique -DTB_WAVES={number}")]);
    command.args(["top.v", "shim.cpp"]);
    let output = command.output().map_err(missing)?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().filter(|line| line.to_ascii_lowercase().contains("error")).take(20).collect();
    // The shell and make end with 127 what they cannot find; make says so of the compiler.
    let not_found = ["make: not found", "g++: not found", "g++: No such file", "Error 127"];
    let advice = if not_found.iter().any(|sign| text.contains(sign)) {
        "\nInstall a C++ compiler and make: apt install g++ make"
    } else if text.contains("zlib.h") {
        "\nInstall zlib's headers: apt install zlib1g-dev"
    } else {
        ""
    };
    Err(EngineError::Failed(format!(
        "Verilator could not compile the machine (files in {}):\n{}{advice}",
        folder.display(),
        lines.join("\n")
    )))
}

/// What `verilator --version` says.
fn verilator_version() -> Result<String, EngineError> {
    let output = Command::new("verilator").arg("--version").output().map_err(missing)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn missing(error: io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound => EngineError::Failed(
            "verilator is not installed; install version 5.006 or newer and a C++ compiler: apt install verilator g++ make zlib1g-dev"
                .into(),
        ),
        _ => EngineError::Failed(format!("verilator cannot be run: {error}")),
    }
}

fn at(path: &Path, error: io::Error) -> EngineError {
    EngineError::Io(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Keeps other processes and threads from building the same object; freed by the system if this process dies.
struct Lock(#[allow(dead_code, reason = "the lock lives as long as the open file")] File);

impl Lock {
    fn take(path: &Path) -> Result<Self, EngineError> {
        let file =
            File::options().create(true).truncate(false).write(true).open(path).map_err(|error| at(path, error))?;
        fs4::fs_std::FileExt::lock_exclusive(&file).map_err(|error| at(path, error))?;
        Ok(Lock(file))
    }
}

/// FNV-1a over the parts, each closed by a byte that text does not contain. Names a cache entry, guards nothing.
fn fnv128(parts: &[&str]) -> u128 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_every_part_and_on_where_it_ends() {
        assert_ne!(fnv128(&["ab", "c"]), fnv128(&["a", "bc"]));
        assert_ne!(fnv128(&["ab"]), fnv128(&["ab", ""]));
        // The published test vector of FNV-1a 128 for "a", continued by the separator.
        let a = (0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128 ^ 0x61)
            .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        assert_eq!(a, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
