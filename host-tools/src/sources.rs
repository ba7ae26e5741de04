//! The sources of the firmware, which the program carries to where no checkout is.
//!
//! Only what is built from them is here, folder by folder: a folder as a whole could have a `target`
//! in it.

use std::path::Path;

use include_dir::{include_dir, Dir};
use testbed_runner::firmware::{self, Carried};

/// Folders, with their paths in the checkout.
static FOLDERS: &[(&str, Dir<'_>)] = &[
    ("definitions/src", include_dir!("$CARGO_MANIFEST_DIR/../definitions/src")),
    ("firmware/.cargo", include_dir!("$CARGO_MANIFEST_DIR/../firmware/.cargo")),
    ("firmware/balance/src", include_dir!("$CARGO_MANIFEST_DIR/../firmware/balance/src")),
    ("firmware/core/src", include_dir!("$CARGO_MANIFEST_DIR/../firmware/core/src")),
    ("firmware/corebench", include_dir!("$CARGO_MANIFEST_DIR/../firmware/corebench")),
    ("firmware/demo", include_dir!("$CARGO_MANIFEST_DIR/../firmware/demo")),
    ("firmware/kernel", include_dir!("$CARGO_MANIFEST_DIR/../firmware/kernel")),
    ("firmware/libbsp", include_dir!("$CARGO_MANIFEST_DIR/../firmware/libbsp")),
    ("firmware/libtos", include_dir!("$CARGO_MANIFEST_DIR/../firmware/libtos")),
    ("firmware/libtos-c", include_dir!("$CARGO_MANIFEST_DIR/../firmware/libtos-c")),
    ("firmware/programs", include_dir!("$CARGO_MANIFEST_DIR/../firmware/programs")),
    ("firmware/shell/src", include_dir!("$CARGO_MANIFEST_DIR/../firmware/shell/src")),
    ("firmware/shell-programs", include_dir!("$CARGO_MANIFEST_DIR/../firmware/shell-programs")),
    ("firmware/protocol/src", include_dir!("$CARGO_MANIFEST_DIR/../firmware/protocol/src")),
];

macro_rules! file {
    ($path:literal) => {
        ($path, include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $path)))
    };
}

/// Files beside them.
static FILES: &[(&str, &[u8])] = &[
    // The firmware's crates take their version from it.
    file!("Cargo.toml"),
    file!("definitions/Cargo.toml"),
    file!("firmware/Cargo.lock"),
    file!("firmware/Cargo.toml"),
    file!("firmware/balance/Cargo.toml"),
    file!("firmware/core/Cargo.toml"),
    file!("firmware/protocol/Cargo.toml"),
    file!("firmware/shell/Cargo.toml"),
];

/// Adds the files in `folder` and below to `files`.
fn add(base: &Path, folder: &'static Dir<'_>, files: &mut Vec<Carried>) {
    files.extend(folder.files().map(|file| (base.join(file.path()), file.contents())));
    folder.dirs().for_each(|inner| add(base, inner, files));
}

/// Tells the library which sources this program carries.
pub fn carry() {
    let mut files: Vec<Carried> = FILES.iter().map(|(path, bytes)| (path.into(), *bytes)).collect();
    FOLDERS.iter().for_each(|(path, folder)| add(Path::new(path), folder, &mut files));
    firmware::carry(files);
}
