//! gzip of the host reads what `compress` makes, and `uncompress` what was made by it.

use std::io::Write;
use std::process::{Command, Stdio};

use testbed_shell::tools;

use crate::pieces::Draw;

fn gzip(packed: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, packed) = (child.stdin.take().unwrap(), packed.to_vec());
    let writer = std::thread::spawn(move || input.write_all(&packed));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    output.stdout
}

#[test]
fn gzip_reads_what_compress_makes() {
    let mut draw = Draw::new(6);
    for length in [0, 1, 2, 255, 256, 257, 5_000, 100_000, 512 * 1024] {
        for spread in [1, 2, 30, 256] {
            let text: Vec<u8> = (0..length).map(|_| draw.below(spread) as u8).collect();
            // Without a single code there is nothing that gzip would call packed.
            if length > 0 {
                assert!(gzip(&tools::pack(&text)) == text, "{length} bytes of {spread}");
            }
        }
    }
}
