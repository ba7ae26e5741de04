//! Ranks that come from a process's memory, or in packets: one that no member has is refused, at
//! whatever time.

use testbed_protocol::superstep::{Arrival, Begin, Refusal};
use testbed_protocol::Processor;

use crate::members::{process, Known};

const MEMBERS: usize = 2;

/// The group refuses every rank from the first on that no member has.
fn refuses_strangers(known: &mut Known) {
    let mut group = known.group();
    for stranger in [MEMBERS, MEMBERS + 1, 64, 255, usize::from(u16::MAX), usize::MAX] {
        let who = (stranger, process(0));
        let here = Processor::new(0);
        assert_eq!(group.arrive(who, here, (0, 0), None::<std::vec::IntoIter<u32>>), Err(Refusal::Stranger));
        assert_eq!(group.enlarge(who, here, 0), Err(Refusal::Stranger));
        assert_eq!(group.destination(stranger), Err(Refusal::Stranger));
        for ranks in [(stranger, 0), (0, stranger), (stranger, stranger)] {
            assert_eq!(group.place(ranks, 0), Err(Refusal::Stranger));
            assert_eq!(group.take(ranks, (0, 1)), Err(Refusal::Stranger));
        }
    }
}

#[test]
fn ranks_that_no_member_has_are_refused() {
    let mut known = Known::new(MEMBERS);
    refuses_strangers(&mut known);
    let [first, second] = [0, 1].map(Processor::new);
    let has_arrived = known.group().arrive((0, process(0)), first, (8, 0), Some([0, 4].into_iter()));
    assert_eq!(has_arrived, Ok(Arrival::Waits));
    refuses_strangers(&mut known);
    let has_arrived = known.group().arrive((1, process(1)), second, (0, 0), Some([8, 0].into_iter()));
    assert_eq!(has_arrived, Ok(Arrival::Opens));
    assert_eq!(known.group().begin(0), Begin::Exchange { bytes: 8 });
    refuses_strangers(&mut known);
    // What was refused has changed nothing, and whoever lacks room is no stranger.
    assert_eq!(known.group().destination(0), Ok(first));
    assert_eq!(known.group().destination(1), Err(Refusal::Phase));
    assert_eq!(known.group().enlarge((1, process(1)), second, 4), Ok(true));
    assert_eq!(known.group().destination(1), Ok(second));
}
