//! The compiler as Cargo calls it for the firmware.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// See there.
const SCRIPT: &str = include_str!("rustc.sh");

/// The script, in a folder that may not be there yet. It is written once: Cargo looks at its time.
pub fn script(folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join("rustc.sh");
    if fs::read_to_string(&path).is_ok_and(|text| text == SCRIPT) {
        return Ok(path);
    }
    fs::create_dir_all(folder)?;
    // Another process may be about to do the same: whoever comes last puts the same there.
    let draft = folder.join(format!("rustc.sh.{}", std::process::id()));
    fs::write(&draft, SCRIPT)?;
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755))?;
    fs::rename(&draft, &path)?;
    Ok(path)
}
