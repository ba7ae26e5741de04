//! The figures of each case. All are in cycles.

use testbed_definitions::{event, mpc};

use super::spans::{code, elapsed, events_between, flights, next, only_flight, previous, service, typical, user};
use super::{datum, BenchError, Case, Probe};
use testbed_trace::order::{Event, What};

/// Case `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// A call that the kernel answers in passing, in and out.
    pub call: i64,
    /// From one event of a program to the next, by a call each, and by a store each.
    pub event_call: i64,
    pub event_store: i64,
    /// From one thread's `yield` to where the other goes on.
    pub switch: i64,
    /// Cycles of the first and of the last of these events: between them the processor is never idle.
    pub span: (u64, u64),
}

/// Case `local`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Service of the request of the partner that waits, and of the one that copies.
    pub first: i64,
    pub second: i64,
    /// Both calls from and to user mode, with the switches between the threads.
    pub rendezvous: i64,
}

/// Case `remote`, receiver waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    pub send_request: i64,
    pub receive_request: i64,
    pub focus: i64,
    pub rtr: i64,
    pub msg: i64,
    pub focus_flight: i64,
    pub rtr_flight: i64,
    pub msg_flight: i64,
    /// From the sender's call to the receiver's return.
    pub delay: i64,
    /// The same without the time in which messages were under way and no processor worked.
    pub without_flight: i64,
}

/// Case `migrate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    pub pack: i64,
    pub unpack: i64,
    pub flight: i64,
    /// From the call to where the thread goes on, with the pages that it needs there.
    pub delay: i64,
    /// Packing until the thread is handed to Centrenet, and unpacking.
    pub without_flight: i64,
}

/// Case `page`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub fault: i64,
    pub request_flight: i64,
    /// From the request's arrival at the home to the page's, at the processor that wants it.
    pub page_flight: i64,
    /// Taking the page in, until its thread is ready.
    pub arrival: i64,
    /// A read of a page that another processor owns.
    pub read: i64,
    pub without_flight: i64,
    /// A write to a page of which this processor has a copy.
    pub write: i64,
}

/// Places of `datum` in the trace.
fn places(events: &[Event], datum: u16) -> impl Iterator<Item = usize> + '_ {
    events.iter().enumerate().filter(move |(_, event)| user(event) == Some(datum)).map(|(at, _)| at)
}

/// Every place of `from` with the next user event, if that is `to`; on any processor.
fn brackets(events: &[Event], from: u16, to: u16) -> impl Iterator<Item = (usize, usize)> + '_ {
    places(events, from).filter_map(move |start| {
        let end = next(events, start + 1, |event| user(event).is_some())?;
        (user(&events[end]) == Some(to)).then_some((start, end))
    })
}

/// Cycles of the empty event call between two user events, all included.
fn empty(case: &Case) -> Result<i64, BenchError> {
    let calls = brackets(&case.events, datum::EMPTY, datum::EMPTY_END)
        .map(|(from, to)| elapsed(&case.events[from], &case.events[to]));
    typical(calls).ok_or_else(|| case.wrong("no empty pairs of events"))
}

/// What lies between two user events besides an empty event call and the kernel's own events.
fn between(case: &Case, empty: i64, from: usize, to: usize) -> i64 {
    let events = &case.events;
    elapsed(&events[from], &events[to]) - empty - events_between(events, from, to, &case.probe)
}

/// # Errors
/// The trace is not one of `kernel-bench switch`.
pub fn switch(case: &Case) -> Result<Switch, BenchError> {
    let (events, Probe { test, store }) = (&case.events, case.probe);
    let empty = empty(case)?;
    let spans: Vec<_> = brackets(events, datum::LEAVE, datum::ENTER).collect();
    let switch = typical(spans.iter().map(|&(from, to)| between(case, empty, from, to)));
    let stores = brackets(events, datum::STORE, datum::STORE_END);
    let event_store = typical(stores.map(|(from, to)| elapsed(&events[from], &events[to])))
        .ok_or_else(|| case.wrong("no events by stores"))?;
    match (switch, spans.first(), spans.last()) {
        (Some(switch), Some(first), Some(last)) => {
            let span = (events[first.0].ticks(), events[last.1].ticks());
            Ok(Switch { call: empty - test - 2 * store, event_call: empty, event_store, switch, span })
        }
        _ => Err(case.wrong("no switches")),
    }
}

/// A communication's two calls: user event before it, TRAP7, end of the service.
struct Call {
    start: usize,
    trap: usize,
    end: usize,
}

fn call_that_ends(events: &[Event], end: usize) -> Option<Call> {
    let smi = events[end].smi;
    let trap = previous(events, end, |event| event.smi == smi && code(event) == Some(event::TRAP7))?;
    let start = previous(events, trap, |event| event.smi == smi && user(event).is_some())?;
    let is_request = matches!(user(&events[start]), Some(datum::SEND | datum::RECEIVE));
    is_request.then_some(Call { start, trap, end })
}

fn is_schedule(event: &Event) -> bool {
    matches!(event.what, What::Schedule(_))
}

/// # Errors
/// The trace is not one of `kernel-bench local`.
pub fn local(case: &Case) -> Result<Local, BenchError> {
    let events = &case.events;
    let empty = empty(case)?;
    let (mut first, mut second, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for end in (0..events.len()).filter(|&at| code(&events[at]) == Some(event::TRAP72)) {
        let Some(copies) = call_that_ends(events, end) else { continue };
        let blocked = previous(events, copies.start, |event| code(event) == Some(event::TRAP70));
        let Some(waits) = blocked.and_then(|end| call_that_ends(events, end)) else { continue };
        // The partner goes on; before its request it has been scheduled once more.
        let parts = next(events, waits.end, is_schedule).zip(previous(events, copies.start, is_schedule)).zip(next(
            events,
            copies.end,
            |event| user(event).is_some(),
        ));
        let Some(((away, back), done)) = parts else { continue };
        first.push(service(events, waits.trap, waits.end, &case.probe));
        second.push(service(events, copies.trap, copies.end, &case.probe));
        let leaves =
            elapsed(&events[waits.start], &events[away]) - events_between(events, waits.start, away, &case.probe);
        let goes_on = elapsed(&events[back], &events[copies.start]) - case.probe.cost(&events[back]);
        both.push(leaves + goes_on - empty + between(case, empty, copies.start, done));
    }
    let medians = typical(first.into_iter()).zip(typical(second.into_iter())).zip(typical(both.into_iter()));
    let ((first, second), rendezvous) = medians.ok_or_else(|| case.wrong("no rendezvous"))?;
    Ok(Local { first, second, rendezvous })
}

/// Places of the events that end the service of a message.
fn ends_service(event: &Event) -> bool {
    matches!(
        code(event),
        Some(event::RX_FOCUS | event::RX_END | event::COMMS | event::COMMR | event::PAGE_END | event::UNPACKED)
    )
}

/// # Errors
/// The trace is not one of `kernel-bench remote`.
pub fn remote(case: &Case) -> Result<Remote, BenchError> {
    let events = &case.events;
    let empty = empty(case)?;
    let begin = places(events, datum::RECEIVER_WAITS).next().ok_or_else(|| case.wrong("the receiver never waits"))?;
    // The nth message sent is the nth received, whoever was first.
    let rounds = places(events, datum::SEND).zip(places(events, datum::RECEIVE)).zip(places(events, datum::RECEIVED));
    let rounds = rounds.filter(|((send, _), _)| *send > begin);
    let samples: Vec<_> =
        rounds.filter_map(|((send, receive), received)| one_remote(case, empty, (send, receive, received))).collect();
    let middle = |field: fn(&Remote) -> i64| {
        typical(samples.iter().map(field)).ok_or_else(|| case.wrong("no remote communication"))
    };
    Ok(Remote {
        send_request: middle(|one| one.send_request)?,
        receive_request: middle(|one| one.receive_request)?,
        focus: middle(|one| one.focus)?,
        rtr: middle(|one| one.rtr)?,
        msg: middle(|one| one.msg)?,
        focus_flight: middle(|one| one.focus_flight)?,
        rtr_flight: middle(|one| one.rtr_flight)?,
        msg_flight: middle(|one| one.msg_flight)?,
        delay: middle(|one| one.delay)?,
        without_flight: middle(|one| one.without_flight)?,
    })
}

/// A communication between these user events. Kernels that transmit late mix it with the rounds
/// before and after, so the work is added up from its parts: the sender's call, five services,
/// handing messages to Centrenet, the receiver's return.
fn one_remote(case: &Case, empty: i64, (send, receive, received): (usize, usize, usize)) -> Option<Remote> {
    let events = &case.events;
    let (sender, receiver) = (events[send].smi, events[received].smi);
    let on = |smi: u8, wanted: u16| move |event: &Event| event.smi == smi && code(event) == Some(wanted);
    let request = |start: usize, smi: u8| {
        let trap = next(events, start, on(smi, event::TRAP7))?;
        let blocked = next(events, trap, on(smi, event::TRAP70))?;
        Some((trap, service(events, trap, blocked, &case.probe)))
    };
    let (called, send_request) = request(send, sender)?;
    let (_, receive_request) = request(receive, receiver)?;
    let focus = message(case, (called, received), mpc::FOCUS)?;
    let rtr = message(case, (called, received), mpc::RTR)?;
    let msg = message(case, (rtr.served, received), mpc::MSG)?;
    let scheduled = previous(events, received, |event| event.smi == receiver && is_schedule(event))?;
    let calls = elapsed(&events[send], &events[called]) - case.probe.test;
    let returns = service(events, msg.end, received, &case.probe) - case.probe.cost(&events[scheduled]);
    let work = send_request + receive_request + focus.service + rtr.service + msg.service;
    let handed: i64 = [&focus, &rtr, &msg].map(|message| hand_over(case, message.sent)).iter().sum();
    Some(Remote {
        send_request,
        receive_request,
        focus: focus.service,
        rtr: rtr.service,
        msg: msg.service,
        focus_flight: focus.flight,
        rtr_flight: rtr.flight,
        msg_flight: msg.flight,
        delay: between(case, empty, send, received),
        without_flight: calls + work + handed + returns - empty,
    })
}

/// A message under way, and its service.
struct Message {
    sent: usize,
    served: usize,
    end: usize,
    service: i64,
    flight: i64,
}

/// The first message of type `kind` that is both sent and served between two places.
fn message(case: &Case, span: (usize, usize), kind: u8) -> Option<Message> {
    let events = &case.events;
    let (sent, served, _) = flights(events, span.0, span.1).into_iter().find(|flight| flight.2 == kind)?;
    let smi = events[served].smi;
    let end = next(events, served, |event| event.smi == smi && ends_service(event))?;
    let (service, flight) = (service(events, served, end, &case.probe), elapsed(&events[sent], &events[served]));
    Some(Message { sent, served, end, service, flight })
}

/// Cycles from the end of a service to where its message is handed to Centrenet; 0 if that is within the service.
fn hand_over(case: &Case, sent: usize) -> i64 {
    let events = &case.events;
    let before = previous(events, sent, |event| event.smi == events[sent].smi);
    let is_end = |event: &Event| ends_service(event) || matches!(code(event), Some(event::TRAP70 | event::TX_MPC));
    before.filter(|&at| is_end(&events[at])).map_or(0, |at| service(events, at, sent, &case.probe))
}

/// # Errors
/// The trace is not one of `kernel-bench migrate`.
pub fn migration(case: &Case) -> Result<Migration, BenchError> {
    let events = &case.events;
    let empty = empty(case)?;
    let one = |(start, end): (usize, usize)| {
        let pack = next(&events[..end], start, |event| code(event) == Some(event::PACK))?;
        let packed = next(&events[..end], pack, |event| code(event) == Some(event::PACKED))?;
        let (sent, served, _) = flights(events, pack, end).into_iter().find(|flight| flight.2 == mpc::THREAD)?;
        let ready = next(&events[..end], served, |event| code(event) == Some(event::UNPACKED))?;
        let unpack = service(events, served, ready, &case.probe);
        Some(Migration {
            pack: service(events, pack, packed, &case.probe),
            unpack,
            flight: elapsed(&events[sent], &events[served]),
            delay: between(case, empty, start, end),
            without_flight: service(events, pack, sent, &case.probe) + unpack,
        })
    };
    let samples: Vec<_> = brackets(events, datum::LEAVE, datum::ENTER).filter_map(one).collect();
    let middle =
        |field: fn(&Migration) -> i64| typical(samples.iter().map(field)).ok_or_else(|| case.wrong("no migration"));
    Ok(Migration {
        pack: middle(|one| one.pack)?,
        unpack: middle(|one| one.unpack)?,
        flight: middle(|one| one.flight)?,
        delay: middle(|one| one.delay)?,
        without_flight: middle(|one| one.without_flight)?,
    })
}

/// # Errors
/// The trace is not one of `kernel-bench page`.
pub fn page(case: &Case) -> Result<Page, BenchError> {
    let events = &case.events;
    let empty = empty(case)?;
    let one = |(start, end): (usize, usize)| {
        let fault = next(&events[..end], start, |event| code(event) == Some(event::PAGE_FAULT))?;
        let blocked = next(&events[..end], fault, |event| code(event) == Some(event::PAGE_BLOCKED))?;
        let moved = flights(events, fault, end);
        let request = moved.iter().find(|flight| flight.2 == mpc::PAGE)?;
        let data = moved.iter().find(|flight| flight.2 == mpc::PAGE_DATA)?;
        let ready = next(&events[..end], data.1, |event| code(event) == Some(event::PAGE_READY))?;
        let read = between(case, empty, start, end);
        Some(Page {
            fault: service(events, fault, blocked, &case.probe),
            request_flight: elapsed(&events[request.0], &events[request.1]),
            page_flight: elapsed(&events[request.1], &events[data.1]),
            arrival: service(events, data.1, ready, &case.probe),
            read,
            without_flight: read - only_flight(events, start, end),
            write: 0,
        })
    };
    let samples: Vec<_> = brackets(events, datum::READ, datum::READ_END).filter_map(one).collect();
    let middle = |field: fn(&Page) -> i64| typical(samples.iter().map(field)).ok_or_else(|| case.wrong("no page came"));
    let writes = brackets(events, datum::WRITE, datum::WRITE_END).map(|(from, to)| between(case, empty, from, to));
    Ok(Page {
        fault: middle(|one| one.fault)?,
        request_flight: middle(|one| one.request_flight)?,
        page_flight: middle(|one| one.page_flight)?,
        arrival: middle(|one| one.arrival)?,
        read: middle(|one| one.read)?,
        without_flight: middle(|one| one.without_flight)?,
        write: typical(writes).ok_or_else(|| case.wrong("no page was written"))?,
    })
}
