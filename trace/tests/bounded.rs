//! What reading a folder costs is bounded by its size, whatever is in it.

use std::fs;
use std::time::{Duration, Instant};

use testbed_machine::Machine;
use testbed_trace::capture::{verify, Capture};
use testbed_trace::synthetic::{capture, Mix};

#[test]
fn a_stream_in_which_every_word_is_altered_has_a_short_account_soon() {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine { processors: ["master", "earth"].map(String::from).into(), ..Machine::testbed6() };
    capture(dir.path(), &machine, Mix::default(), 1, 400_000).unwrap();
    let path = dir.path().join("trace/earth");
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 1_200_000);
    bytes[..1_000_000].chunks_exact_mut(4).for_each(|word| word[2] ^= 1);
    fs::write(&path, bytes).unwrap();
    let started = Instant::now();
    let integrity = verify(&Capture::open(dir.path()).unwrap()).unwrap();
    assert!(started.elapsed() < Duration::from_secs(10), "it takes {} s", started.elapsed().as_secs());
    assert!(!integrity.is_whole() && integrity.damage.len() < 1_100, "{} lines", integrity.damage.len());
    let more = integrity.damage.iter().find(|damage| damage.what.contains("more words that differ"));
    let shown = integrity.damage.iter().filter(|damage| damage.what.contains("was written")).count();
    assert!(more.is_some_and(|more| more.what.contains("249000 more")) && shown == 1_000, "{more:?}, {shown}");
}
