//! Who is released by whose communication.

use testbed_definitions::mpc;

use super::{process_of, Checker, Service};
use crate::conform::thread::{Happening, Request, State};
use crate::order::Event;

impl Checker {
    /// The event is one of a ready thread. If it was blocked, it has been released by a partner's
    /// TRAP72 that could not be told from others', or by its time.
    pub(super) fn released_untold(&mut self, event: &Event, number: u16) {
        let thread = self.threads.get(&number).copied().unwrap_or_default();
        if thread.state != State::Blocked || thread.at != event.smi {
            return;
        }
        let timeout = thread.request.is_none_or(|request| request.alternative);
        let named = self.here(event).unnamed.get(&process_of(number)).is_none_or(|(_, most)| *most == 0);
        if named && !timeout {
            return;
        }
        if named && thread.request.is_none() {
            self.note("threads ready without release: alternatives whose time was over (class detail tells)");
        }
        // If its time may have been over, another may be the one that was released.
        self.was_unnamed(event, number, !timeout);
        self.happens(event, number, Happening::Released);
    }

    /// A blocked thread is blocked no more. It may be one that a TRAP72 has released without a
    /// name; if `surely`, it is.
    pub(super) fn was_unnamed(&mut self, event: &Event, number: u16, surely: bool) {
        if let Some((least, most)) = self.here(event).unnamed.get_mut(&process_of(number)) {
            *least = least.saturating_sub(1);
            *most = most.saturating_sub(surely.into());
        }
    }

    /// TRAP72: the running thread and one that waits here have communicated.
    pub(super) fn copied(&mut self, event: &Event, ran: Option<u16>) {
        self.running(event, ran, Happening::Copies);
        let Some(number) = ran else { return };
        let process = process_of(number);
        let request = self.threads.get(&number).and_then(|thread| thread.request);
        let mut partners: Vec<_> = self
            .threads
            .iter()
            .filter(|(other, thread)| {
                let fits = match (request, thread.request) {
                    (Some(mine), Some(theirs)) => {
                        let any = mine.alternative || theirs.alternative;
                        mine.receive != theirs.receive && (any || mine.channel == theirs.channel)
                    }
                    _ => true,
                };
                process_of(**other) == process && thread.at == event.smi && thread.state == State::Blocked && fits
            })
            .map(|(other, thread)| (*other, thread.request))
            .collect();
        partners.sort_unstable_by_key(|(other, _)| *other);
        let (least, most) = self.here(event).unnamed.get(&process).copied().unwrap_or_default();
        let exact = |partner: &&(u16, Option<Request>)| partner.1.is_some_and(|theirs| !theirs.alternative);
        let chosen = match (request, partners.as_slice()) {
            // The sender of a receiving thread's channel, or the other way round: there is one at most.
            (Some(mine), all) if !mine.alternative => {
                all.iter().find(exact).or_else(|| all.first().filter(|_| all.len() == 1))
            }
            (_, [only]) if most == 0 => Some(only),
            _ => None,
        };
        match chosen.copied() {
            Some((partner, theirs)) => {
                self.happens(event, partner, Happening::Released);
                let channel = [request, theirs].into_iter().flatten().find(|request| !request.alternative);
                if let Some(Request { channel, .. }) = channel {
                    self.count(event, (process, channel), (1, 1));
                }
            }
            None if partners.len() as u64 > least => {
                if self.detail {
                    self.note("local communications of alternatives whose channel is not told");
                }
                let (least, most) = self.here(event).unnamed.entry(process).or_default();
                (*least, *most) = (*least + 1, *most + 1);
            }
            None if self.processors[event.smi as usize].dark => {}
            None => self.deviation(event, "TRAP72 with no partner waiting", "TRAP70 of the partner first"),
        }
    }

    fn count(&mut self, event: &Event, (process, channel): (u16, u8), (sends, receives): (u64, u64)) {
        let home = (process >> 4) as u8;
        let hidden = self.hidden_threads || self.hidden_channels.contains(&channel);
        if !self.detail || self.any_loss() || hidden || self.is_dark(home) {
            return;
        }
        if let Err((sent, received)) = self.channels.count(process, channel, sends, receives) {
            let what = format!("channel {channel}: {sent} communications sent, {received} received");
            self.deviation(event, what, "both ends to have communicated equally often, or the sender once more");
        }
    }

    pub(super) fn sender_released(&mut self, event: &Event, number: u16, service: Service) {
        if !self.channels.release_sender(event.smi) && !self.processors[event.smi as usize].dark {
            self.deviation(event, format!("COMMS of thread {}", self.thread(number)), "an rtr for it first");
        }
        self.happens(event, number, Happening::Released);
        let request = self.threads.get(&number).and_then(|thread| thread.request);
        match request {
            Some(request) if request.receive => self.deviation(event, "COMMS of a thread that receives", "COMMR"),
            Some(request) if !matches!(service, Service::Message { kind: mpc::REFUSE, .. }) => {
                self.count_remote(event, number, request.channel, (1, 0));
            }
            _ => {}
        }
    }

    pub(super) fn receiver_released(&mut self, event: &Event, number: u16, service: Service) {
        self.happens(event, number, Happening::Released);
        let request = self.threads.get(&number).and_then(|thread| thread.request);
        if request.is_some_and(|request| !request.receive) {
            self.deviation(event, "COMMR of a thread that sends", "COMMS");
        }
        if let Service::Message { kind: mpc::MSG, channel } = service {
            let right = request.is_none_or(|request| request.alternative || request.channel == channel);
            if !right {
                let what = format!("COMMR by a message on channel {channel}");
                return self.deviation(event, what, "a message on the channel that the thread waits for");
            }
            if request.is_some() {
                self.count_remote(event, number, channel, (0, 1));
            }
        }
    }

    /// Partners on the master are not seen.
    fn count_remote(&mut self, event: &Event, number: u16, channel: u8, counts: (u64, u64)) {
        self.count(event, (process_of(number), channel), counts);
    }
}
