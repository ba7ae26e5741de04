//! Where the sources of the firmware are: in a checkout, or carried by the program itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3;

use super::FirmwareError;

/// A file that a program carries: its path from the root, and its bytes.
pub type Carried = (PathBuf, &'static [u8]);

static CARRIED: OnceLock<Vec<Carried>> = OnceLock::new();

/// Says which sources this program carries; those of the first call count.
pub fn carry(files: Vec<Carried>) {
    CARRIED.get_or_init(|| files);
}

/// Root of the checkout whose firmware is built: that in which this program was built, else that of
/// the current folder. A program that was installed, and is used outside of any checkout, unpacks
/// the sources that it carries into the user's cache.
///
/// # Errors
/// There is no checkout, and no sources are carried or they can't be unpacked.
pub fn root() -> Result<PathBuf, FirmwareError> {
    let places = [std::env::current_exe().ok(), std::env::current_dir().ok()];
    if let Some(root) = checkout(places.iter().flatten()) {
        return Ok(root);
    }
    let carried = CARRIED.get().filter(|files| !files.is_empty()).ok_or(FirmwareError::NoSources)?;
    unpack(carried, &testbed_sim::verilator::compile::cache_folder())
}

/// The innermost checkout that the first of `places` to be in one is in.
fn checkout<'a>(mut places: impl Iterator<Item = &'a PathBuf>) -> Option<PathBuf> {
    let parts = ["firmware/Cargo.toml", "definitions/Cargo.toml", "host-tools/Cargo.toml"];
    let is_checkout = |folder: &&Path| parts.iter().all(|part| folder.join(part).is_file());
    places.find_map(|place| place.ancestors().find(is_checkout).map(Path::to_path_buf))
}

/// The folder below `cache` that holds `files` and nothing else, written now or before.
fn unpack(files: &[Carried], cache: &Path) -> Result<PathBuf, FirmwareError> {
    let mut digest = Xxh3::new();
    for (path, bytes) in files {
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    }
    let folder = cache.join(format!("sources-{:032x}", digest.digest128()));
    let write = || -> io::Result<()> {
        fs::create_dir_all(cache)?;
        // It gets its name when it is complete: no other process sees a part of it.
        let part = tempfile::tempdir_in(cache)?;
        for (path, bytes) in files {
            let path = part.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(cache))?;
            fs::write(path, bytes)?;
        }
        match fs::rename(part.path(), &folder) {
            Err(error) if !folder.is_dir() => Err(error),
            _ => Ok(()),
        }
    };
    if !folder.is_dir() {
        write().map_err(|source| FirmwareError::Unpack { path: folder.clone(), source })?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_empty(folder: &Path) -> bool {
        fs::read_dir(folder).unwrap().next().is_none()
    }

    #[test]
    fn a_program_belongs_to_the_checkout_that_it_lies_in_and_else_to_the_current_folders() {
        let folder = tempfile::tempdir().unwrap();
        let [original, copy] = ["original", "copy"].map(|name| folder.path().join(name));
        for root in [&original, &copy] {
            for part in ["firmware", "definitions", "host-tools", "target/release/deps"] {
                fs::create_dir_all(root.join(part)).unwrap();
                fs::write(root.join(part).join("Cargo.toml"), "").unwrap();
            }
        }
        let found = |places: [PathBuf; 2]| checkout(places.iter());
        let installed = folder.path().join("bin/testbed");
        assert_eq!(found([copy.join("target/release/testbed"), original.clone()]), Some(copy.clone()));
        assert_eq!(found([copy.join("target/release/deps/all-0"), folder.path().into()]), Some(copy));
        assert_eq!(found([installed.clone(), original.join("firmware")]), Some(original.clone()));
        assert_eq!(found([installed.clone(), folder.path().into()]), None);
        fs::remove_file(original.join("definitions/Cargo.toml")).unwrap();
        assert_eq!(found([installed, original.clone()]), None, "a part of one is none");
    }

    #[test]
    fn carried_sources_are_unpacked_once_and_others_beside_them() {
        let cache = tempfile::tempdir().unwrap();
        assert!(is_empty(cache.path()));
        let files: Vec<Carried> = vec![("a/b.rs".into(), b"fn"), ("Cargo.toml".into(), b"")];
        let first = unpack(&files, cache.path()).unwrap();
        assert_eq!(fs::read(first.join("a/b.rs")).unwrap(), b"fn");
        fs::write(first.join("target"), "").unwrap();
        assert_eq!(unpack(&files, cache.path()).unwrap(), first);
        assert!(first.join("target").exists(), "what was built there is kept");
        let other = unpack(&files[..1], cache.path()).unwrap();
        assert!(other != first && !other.join("Cargo.toml").exists());
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 2);
        let blocked = unpack(&files, &first.join("Cargo.toml")).unwrap_err().to_string();
        assert!(blocked.contains("TESTBED_CACHE"), "{blocked}");
    }
}
