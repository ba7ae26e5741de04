//! Makes states equal whose differences cannot matter.

use crate::program::{thread_of, Setup};
use crate::world::{Load, Run, World};
use testbed_protocol::channel::{Ccb, Receiver, Sender};
use testbed_protocol::ends::End;
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Processor, ThreadNumber};

/// Written where nothing should be read any more, so that it shows if something is.
const JUNK: u32 = 0x5eed_5eed;
const JUNK_PLACE: Processor = Processor::new(0xee);

pub fn scrub(world: &mut World, setup: &Setup, symmetry: bool) {
    world.ccbs.iter_mut().for_each(scrub_ccb);
    if symmetry {
        rename(world, setup);
    }
}

fn scrub_ccb(ccb: &mut Ccb) {
    match ccb.sender {
        Sender::Away | Sender::Idle => (ccb.length, ccb.offset, ccb.to) = (JUNK, JUNK, JUNK_PLACE),
        Sender::Waiting => (ccb.offset, ccb.to) = (JUNK, JUNK_PLACE),
        Sender::Transmitting => {}
    }
    match ccb.receiver {
        Receiver::Away | Receiver::Idle => {
            (ccb.capacity, ccb.collected, ccb.from) = (JUNK, JUNK, JUNK_PLACE);
        }
        Receiver::Waiting | Receiver::Alternative => (ccb.collected, ccb.from) = (JUNK, JUNK_PLACE),
        Receiver::Collecting => {}
    }
    // A thread's first use of an end starts where the block's count is: that must be 0 until somebody has it.
    if ccb.sender == Sender::Away && ccb.sender_thread != ThreadNumber::NOBODY {
        ccb.sent = JUNK;
    }
    if ccb.receiver == Receiver::Away && ccb.receiver_thread != ThreadNumber::NOBODY {
        ccb.received = JUNK;
    }
}

/// Numbers the processors in the order in which the threads name them.
fn rename(world: &mut World, setup: &Setup) {
    let mut names = [Processor::NOWHERE; 16];
    let mut next = 0;
    let mut name = |at: Processor, next: &mut u8| {
        if at.number() < setup.processors && names[at.index()] == Processor::NOWHERE {
            names[at.index()] = Processor::new(*next);
            *next += 1;
        }
    };
    for (index, task) in world.tasks.iter().enumerate() {
        name(task.at, &mut next);
        if task.at == Processor::NOWHERE {
            let thread = thread_of(index);
            let carries = |load: &Load| matches!(load, Load::Thread(t, _) | Load::Exited(t, _) if *t == thread);
            for packet in world.packets.iter().filter(|packet| carries(&packet.load)) {
                name(packet.to, &mut next);
                name(packet.from, &mut next);
            }
        }
    }
    for channel in setup.all_channels() {
        for thread_at in 0..world.tasks.len() {
            let at = world.tasks[thread_at].at;
            if at != Processor::NOWHERE {
                name(world.ccb(setup, at, channel).place, &mut next);
                name(world.ccb(setup, at, channel).token.at, &mut next);
            }
        }
    }
    setup.all_processors().for_each(|at| name(at, &mut next));
    if setup.all_processors().all(|at| names[at.index()] == at) {
        return;
    }
    let name = |at: &mut Processor| {
        if at.number() < setup.processors {
            *at = names[at.index()];
        }
    };
    let old = world.ccbs.clone();
    for (index, mut ccb) in old.into_iter().enumerate() {
        [&mut ccb.place, &mut ccb.to, &mut ccb.from, &mut ccb.token.at].into_iter().for_each(name);
        let at = names[index / setup.channels].index();
        world.ccbs[at * setup.channels + index % setup.channels] = ccb;
    }
    for task in &mut world.tasks {
        name(&mut task.at);
        if let Run::Leaving { to, .. } = &mut task.run {
            name(to);
        }
    }
    for packet in &mut world.packets {
        name(&mut packet.from);
        name(&mut packet.to);
        match &mut packet.load {
            Load::Mpc { mpc: Mpc::Focus { token, .. } | Mpc::Advert { token }, .. } => name(&mut token.at),
            Load::Mpc { .. } => {}
            Load::Ends(_, ends) | Load::Thread(_, ends) | Load::Exited(_, ends) => {
                for (_, end) in ends {
                    match end {
                        End::Sender { place, .. } => name(place),
                        End::Receiver { token, .. } => name(&mut token.at),
                    }
                }
            }
        }
    }
    // Stable: the order between two processors stays.
    world.packets.sort_by_key(|packet| (packet.from, packet.to));
}
