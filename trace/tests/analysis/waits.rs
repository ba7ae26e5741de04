//! Who can still go on, found from snapshots in which one thing at a time is otherwise: nobody may
//! be said to be stuck who is not.

use testbed_trace::waits::{
    Channel, Fate, Graph, Partner, Passing, Process, Receiver, Sender, Snapshot, State, Thread, Token, Wait,
};

/// A process at home on processor 1, in its first place and generation.
const PROCESS: u16 = 0x111;
/// Number of its thread 1; the others follow.
const FIRST: u16 = 0x441;
const OTHER: u16 = 0x112;

fn thread(number: u16, processor: u8, state: State, channels: &[u8]) -> Thread {
    Thread {
        number,
        process: PROCESS,
        processor,
        state,
        channels: channels.to_vec(),
        deadline: None,
        page: None,
        parent: 0,
        children: 0,
        pc: 0x500,
        places: Vec::new(),
    }
}

fn view(channel: u8, processor: u8) -> Channel {
    Channel { process: PROCESS, channel, processor, ..Channel::default() }
}

fn process(id: u16, ids: u64) -> Process {
    Process { id, name: None, suspended: false, ids, waiter: None }
}

/// Threads 1 on earth and 2 on air: 1 receives on channel 1, 2 on channel 0, each from the other,
/// and nothing is under way.
fn two() -> Snapshot {
    let end = |channel, processor, (sends, receives): (u16, u16)| Channel {
        sender: if sends != 0 { Sender::Idle } else { Sender::Away },
        receiver: if receives != 0 { Receiver::Waiting } else { Receiver::Away },
        sender_thread: FIRST + u16::from(channel),
        receiver_thread: FIRST + 1 - u16::from(channel),
        sent: u32::from(sends != 0),
        received: u32::from(receives != 0),
        ..view(channel, processor)
    };
    Snapshot {
        cycle: 1_000_000,
        processes: vec![process(PROCESS, 0b110)],
        threads: vec![thread(FIRST, 1, State::Communicating, &[1]), thread(FIRST + 1, 2, State::Communicating, &[0])],
        channels: vec![end(0, 1, (1, 0)), end(0, 2, (0, 1)), end(1, 1, (0, 1)), end(1, 2, (1, 0))],
        ..Snapshot::default()
    }
}

#[track_caller]
fn fates(snapshot: &Snapshot, expected: &[Fate]) {
    let graph = Graph::new(snapshot);
    assert_eq!(graph.fates, expected, "{:?}", graph.waits);
}

#[test]
fn two_that_wait_for_each_other() {
    let snapshot = two();
    fates(&snapshot, &[Fate::Held, Fate::Held]);
    let graph = Graph::new(&snapshot);
    assert_eq!(graph.circles(), [[0, 1]]);
    assert_eq!(graph.waits[0], Wait::Partner { sends: false, channels: vec![(1, Partner::Is(FIRST + 1))] });
}

#[test]
fn whoever_may_still_act_holds_nobody() {
    use Fate::GoesOn;
    for state in [
        State::Ready,
        State::Transmitting,
        State::Moving,
        State::Creating,
        State::Asking,
        State::Paging,
        State::Delayed,
        State::Reading,
        State::Unknown,
    ] {
        let mut snapshot = two();
        snapshot.threads[1].state = state;
        fates(&snapshot, &[GoesOn, GoesOn]);
    }
    let mut timed = two();
    timed.threads[1] = Thread { deadline: Some(2_000_000), ..thread(FIRST + 1, 2, State::Alternative, &[0]) };
    timed.channels[1].receiver = Receiver::Alternative;
    fates(&timed, &[GoesOn, GoesOn]);
    timed.threads[1].deadline = None;
    fates(&timed, &[Fate::Held, Fate::Held]);
}

#[test]
fn a_message_that_is_under_way_sets_its_receiver_free() {
    let mut sent = two();
    // Thread 2 has sent once more on channel 1 than thread 1 has received.
    sent.channels[3].sent += 1;
    fates(&sent, &[Fate::GoesOn, Fate::GoesOn]);
    let mut collecting = two();
    collecting.channels[2].receiver = Receiver::Collecting;
    fates(&collecting, &[Fate::GoesOn, Fate::GoesOn]);
    let mut moving = two();
    // The sending end of channel 1 is on its way, and so is its thread.
    moving.channels.remove(3);
    fates(&moving, &[Fate::GoesOn, Fate::GoesOn]);
}

/// Thread 1 sends on channel 1 to thread 2, which receives on channel 0 from it.
fn sends(token: Option<Token>) -> Snapshot {
    let mut snapshot = two();
    snapshot.channels[2] =
        Channel { sender: Sender::Waiting, sender_thread: FIRST, receiver_thread: FIRST + 1, sent: 4, ..view(1, 1) };
    snapshot.channels[3] = Channel {
        receiver: Receiver::Idle,
        sender_thread: FIRST,
        receiver_thread: FIRST + 1,
        received: 4,
        token,
        ..view(1, 2)
    };
    snapshot
}

#[test]
fn a_sender_waits_in_vain_only_when_its_token_has_arrived() {
    let token = Token { at: 1, sender: FIRST, sequence: 4 };
    fates(&sends(Some(token)), &[Fate::Held, Fate::Held]);
    fates(&sends(None), &[Fate::GoesOn, Fate::GoesOn]);
    fates(&sends(Some(Token { sequence: 3, ..token })), &[Fate::GoesOn, Fate::GoesOn]);
    let mut met = sends(Some(token));
    met.threads[1].channels = vec![1];
    met.channels[3].receiver = Receiver::Waiting;
    fates(&met, &[Fate::GoesOn, Fate::GoesOn]);
    let wait = Wait::Nothing(Passing::Transfer { channel: 1, partner: FIRST + 1 });
    assert_eq!(Graph::new(&met).waits[0], wait);
}

#[test]
fn a_partner_that_has_ended_can_come_again_as_long_as_somebody_runs() {
    let mut leak = two();
    leak.processes[0].ids = 0b1010;
    leak.threads[1] = thread(FIRST + 2, 2, State::Delayed, &[]);
    fates(&leak, &[Fate::Abandoned, Fate::GoesOn]);
    // Its id is in use: it is on its way.
    leak.processes[0].ids = 0b1110;
    fates(&leak, &[Fate::GoesOn, Fate::GoesOn]);
    let mut alone = two();
    alone.processes[0].ids = 0b10;
    alone.threads.pop();
    fates(&alone, &[Fate::Held]);
}

#[test]
fn an_end_that_nobody_has_used_is_open_to_all() {
    let mut open = two();
    open.channels = vec![Channel { receiver: Receiver::Waiting, receiver_thread: FIRST, ..view(1, 1) }];
    open.threads[1].state = State::Ready;
    fates(&open, &[Fate::GoesOn, Fate::GoesOn]);
    // Of another process that runs nobody can use it.
    open.threads[1].process = OTHER;
    open.processes = vec![process(PROCESS, 0b10), process(OTHER, 0b100)];
    fates(&open, &[Fate::Held, Fate::GoesOn]);
    // Somebody is on the way.
    open.processes[0].ids = 0b110;
    fates(&open, &[Fate::GoesOn, Fate::GoesOn]);
    // Nobody knows the ids, for the home can't be read.
    open.processes.remove(0);
    fates(&open, &[Fate::GoesOn, Fate::GoesOn]);
}

#[test]
fn a_parent_needs_all_its_children_and_an_alternative_one_partner() {
    let mut family = two();
    let mut parent = thread(FIRST + 2, 1, State::Waiting, &[]);
    parent.children = 2;
    family.threads.push(parent);
    family.threads.push(thread(FIRST + 3, 1, State::Ready, &[]));
    family.processes[0].ids = 0b11110;
    for child in [0, 3] {
        family.threads[child].parent = FIRST + 2;
    }
    fates(&family, &[Fate::Held, Fate::Held, Fate::Held, Fate::GoesOn]);
    // A child whose end is on its way.
    family.threads[2].children = 3;
    fates(&family, &[Fate::Held, Fate::Held, Fate::GoesOn, Fate::GoesOn]);

    let mut either = two();
    either.threads[0] = thread(FIRST, 1, State::Alternative, &[1, 2]);
    either.channels[2].receiver = Receiver::Alternative;
    either.channels.push(Channel {
        receiver: Receiver::Alternative,
        receiver_thread: FIRST,
        sender_thread: FIRST + 2,
        sender: Sender::Idle,
        ..view(2, 1)
    });
    either.threads.push(thread(FIRST + 2, 1, State::Ready, &[]));
    either.processes[0].ids = 0b1110;
    fates(&either, &[Fate::GoesOn, Fate::GoesOn, Fate::GoesOn]);
    either.threads[2] = Thread { process: OTHER, ..thread(FIRST + 2, 1, State::Ready, &[]) };
    either.processes[0].ids = 0b0110;
    fates(&either, &[Fate::Held, Fate::Held, Fate::GoesOn]);
}

#[test]
fn who_awaits_a_process_or_its_resumption_waits_for_others() {
    let mut invoked = two();
    invoked.threads.push(Thread { process: OTHER, ..thread(0x481, 1, State::Asking, &[]) });
    invoked.processes[0].waiter = Some((OTHER, 0x481));
    invoked.processes.push(process(OTHER, 0b10));
    fates(&invoked, &[Fate::Held, Fate::Held, Fate::Held]);
    assert_eq!(Graph::new(&invoked).waits[2], Wait::Process(PROCESS));
    invoked.threads[1].state = State::Ready;
    fates(&invoked, &[Fate::GoesOn, Fate::GoesOn, Fate::GoesOn]);
    invoked.threads[1].state = State::Held;
    fates(&invoked, &[Fate::Held, Fate::Held, Fate::Held]);
    invoked.threads[2].state = State::Reading;
    fates(&invoked, &[Fate::GoesOn, Fate::GoesOn, Fate::GoesOn]);
}
