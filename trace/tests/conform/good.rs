//! Good traces: what the report's figures show, step by step.

use crate::common::steps::{plain, request, runs, rx, tx, Step, AIR, EARTH, FIRST, SECOND};
use testbed_definitions::event;
use testbed_definitions::mpc;

/// The report's Figure 5: the second thread receives, then the first sends.
pub fn local(at: u8, channel: u8) -> Vec<Step> {
    let mut steps = vec![runs(at, SECOND)];
    steps.extend(request(at, true, channel));
    steps.extend([plain(at, event::TRAP70), runs(at, FIRST)]);
    steps.extend(request(at, false, channel));
    steps.extend([plain(at, event::TRAP72), runs(at, SECOND), runs(at, FIRST)]);
    steps
}

/// Figure 6: the first thread sends from one processor to the second thread on another, in so many fragments.
pub fn remote(from: u8, to: u8, channel: u8, fragments: usize, receiver_first: bool) -> Vec<Step> {
    let mut steps = vec![runs(from, FIRST)];
    steps.extend(request(from, false, channel));
    let focus = [tx(from, to, mpc::FOCUS, channel), rx(to, from, mpc::FOCUS, channel), plain(to, event::RX_FOCUS)];
    let mut asks = vec![runs(to, SECOND)];
    asks.extend(request(to, true, channel));
    asks.push(plain(to, event::TRAP70));
    steps.push(plain(from, event::TRAP70));
    if receiver_first {
        steps.extend(asks);
        steps.extend(focus);
    } else {
        steps.extend(focus);
        steps.extend(asks);
    }
    steps.extend([tx(to, from, mpc::RTR, channel), rx(from, to, mpc::RTR, channel), (from, event::COMMS, FIRST)]);
    for fragment in 0..fragments {
        steps.extend([tx(from, to, mpc::MSG, channel), rx(to, from, mpc::MSG, channel)]);
        steps.push(if fragment + 1 == fragments { (to, event::COMMR, SECOND) } else { plain(to, event::RX_END) });
    }
    steps.extend([runs(from, FIRST), runs(to, SECOND)]);
    steps
}

/// Figure 7.
pub fn migration(thread: u16, from: u8, to: u8) -> Vec<Step> {
    vec![
        runs(from, thread),
        (from, event::PACK, thread),
        plain(from, event::PACKED),
        tx(from, to, mpc::THREAD, 0),
        rx(to, from, mpc::THREAD, 0),
        (to, event::UNPACKED, thread),
        runs(to, thread),
    ]
}

/// Figure 8: the page is at its home.
pub fn page(thread: u16, at: u8, home: u8) -> Vec<Step> {
    vec![
        runs(at, thread),
        (at, event::PAGE_FAULT, 0x201),
        plain(at, event::PAGE_BLOCKED),
        tx(at, home, mpc::PAGE, 1),
        rx(home, at, mpc::PAGE, 1),
        plain(home, event::PAGE_END),
        tx(home, at, mpc::PAGE, 1),
        tx(home, at, mpc::PAGE_DATA, 9),
        rx(at, home, mpc::PAGE, 1),
        plain(at, event::PAGE_END),
        rx(at, home, mpc::PAGE_DATA, 9),
        (at, event::PAGE_READY, thread),
        plain(at, event::PAGE_END),
        runs(at, thread),
    ]
}

/// Everything once: the second thread begins on air, comes to earth, and goes back.
pub fn everything() -> Vec<Step> {
    [
        remote(EARTH, AIR, 1, 1, true),
        remote(EARTH, AIR, 1, 3, false),
        page(SECOND, AIR, EARTH),
        migration(SECOND, AIR, EARTH),
        local(EARTH, 1),
        local(EARTH, 2),
        migration(SECOND, EARTH, AIR),
        remote(EARTH, AIR, 1, 2, true),
    ]
    .concat()
}
