//! Installing Debian packages, where that is allowed.

use std::path::Path;
use std::process::{Command, Stdio};

/// Installs `packages`, and says so; `false` if that is not allowed or fails.
pub fn install(packages: &[&str]) -> bool {
    tell!("installing {}", packages.join(", "));
    apt(&["update"]) && apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}

/// `apt-get` as root, or through sudo where that asks for no password.
fn apt(arguments: &[&str]) -> bool {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let mut command = match is_root {
        true => Command::new("apt-get"),
        false if Path::new("/usr/bin/sudo").exists() => {
            let mut command = Command::new("sudo");
            command.args(["-n", "apt-get"]);
            command
        }
        false => return false,
    };
    command.args(arguments).arg("-qq").env("DEBIAN_FRONTEND", "noninteractive");
    command.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}
