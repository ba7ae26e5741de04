//! Samples, part by part, in which each message has four bytes.

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::Part;

/// What a sample says of its slave.
pub struct Load {
    pub ready: u8,
    /// Since the sample before.
    pub cycles: u32,
    /// Ready threads on average, in 256ths.
    pub average: u16,
    /// Share of the time in which threads ran, in 65,536ths.
    pub share: u16,
}

/// A thread of a sample: its number, its share of the time, and its partners with their messages.
pub type Did<'a> = (ThreadNumber, u16, &'a [(u8, u32)]);

/// Has a slave's sample taken, with its links and their messages. Returns whether that is a
/// whole one.
pub fn tell(
    mut take: impl FnMut(Part) -> bool,
    sequence: u8,
    load: &Load,
    links: impl IntoIterator<Item = (u8, u32)>,
    threads: &[Did<'_>],
) -> bool {
    let mut parts = vec![
        Part::Begin { sequence, ready: load.ready },
        Part::Period { cycles: load.cycles },
        Part::Queue { average: load.average },
        Part::User { share: load.share },
    ];
    parts.extend(links.into_iter().map(|(processor, sends)| Part::Link { processor, sends }));
    for &(thread, share, partners) in threads {
        parts.push(Part::Thread { thread: thread.bits(), movable: true });
        parts.push(Part::Share { share });
        parts.extend(partners.iter().map(|&(id, count)| Part::Partner { id, count }));
    }
    parts.push(Part::End { sequence: sequence & 0x3f, parts: parts.len() as u16 });
    parts.into_iter().fold(false, |_, part| take(part))
}
