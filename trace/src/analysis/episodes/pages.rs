//! Pages on their way to a thread that needs them.

use testbed_definitions::{event, mpc};

use super::{flight_stage, stage, Episodes, Paging, Seen};
use crate::analysis::fact::Waited;
use crate::analysis::protocol::{Phase, Protocol};

impl Episodes {
    /// Messages about pages.
    pub(super) fn pages(&mut self, seen: &Seen) {
        if !matches!(seen.code, Some(event::TX_MPC | event::RX_MPC)) {
            return;
        }
        let (_, kind, low) = seen.message();
        if kind != mpc::PAGE {
            return;
        }
        for paging in self.paging.values_mut().filter(|paging| paging.page as u8 == low) {
            match seen.code {
                Some(event::TX_MPC) if paging.fault.processor == seen.me() => {
                    paging.asks += 1;
                    paging.asked.get_or_insert((seen.mark, seen.number));
                }
                _ if seen.flight.is_some_and(|flight| paging.asked.is_some_and(|asked| asked.1 == flight.number)) => {
                    paging.request = seen.flight;
                }
                _ => {}
            }
        }
    }

    pub(super) fn page_comes(&mut self, seen: &Seen, thread: u16) {
        let (mark, cycle) = (seen.mark, seen.mark.cycle);
        let Some(Paging { fault, blocked: Some(blocked), asked, asks, request, .. }) = self.paging.remove(&thread)
        else {
            return self.left_out(Protocol::Page, cycle, "its beginning was lost");
        };
        self.ready.insert(thread, (Waited::Page, fault, Some(mark)));
        let serving = self.serving[seen.me() as usize].filter(|serving| {
            matches!(serving.kind, mpc::PAGE | mpc::PAGE_DATA) && serving.since.cycle >= blocked.cycle
        });
        let mut stages = vec![stage(Phase::FaultService, fault, blocked)];
        let until = serving.map_or(mark, |serving| serving.since);
        match (asked, request, serving) {
            // One message only was about it, so that was the request.
            (Some((sent, _)), Some(request), Some(_)) if asks == 1 => stages.extend([
                stage(Phase::RequestQueue, blocked, sent),
                flight_stage(Phase::RequestFlight, &request),
                stage(Phase::PageFlight, request.served, until),
            ]),
            _ if until.cycle > blocked.cycle => stages.push(stage(Phase::PageAway, blocked, until)),
            _ => {}
        }
        if serving.is_some() {
            stages.push(stage(Phase::PageArrival, until, mark));
        }
        self.episode(Protocol::Page, thread, stages.into_iter().collect(), cycle);
    }
}
