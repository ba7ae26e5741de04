//! Says in the kernel's ELF file, not in its image, where the kernel's tables are
//! ([`testbed_kernel_core::layout`]), so that the host can tell from a processor's RAM what every
//! thread waits for.

use core::mem::offset_of;
use testbed_kernel_core::layout::{words, Item, WORDS};
use testbed_protocol::channel::{Ccb, Receiver, Sender, Token};

use crate::state::extended;
use crate::state::kernel::Kernel;
use crate::state::place::Place;
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

#[used]
#[link_section = ".layout"]
static LAYOUT: [u32; WORDS] = words(&[
    Kernel::LAYOUT,
    Tcb::LAYOUT,
    State::CODES,
    Process::LAYOUT,
    CHANNELS,
    Place::LAYOUT,
    extended::layout::TABLES,
]);

/// Control blocks of channels, which are the protocol's.
const CHANNELS: &[(Item, usize)] = &[
    (Item::ChannelBytes, size_of::<Ccb>()),
    (Item::ChannelSender, offset_of!(Ccb, sender)),
    (Item::ChannelReceiver, offset_of!(Ccb, receiver)),
    (Item::ChannelSenderThread, offset_of!(Ccb, sender_thread)),
    (Item::ChannelReceiverThread, offset_of!(Ccb, receiver_thread)),
    (Item::ChannelSent, offset_of!(Ccb, sent)),
    (Item::ChannelReceived, offset_of!(Ccb, received)),
    (Item::ChannelTokenAt, offset_of!(Ccb, token) + offset_of!(Token, at)),
    (Item::ChannelTokenSender, offset_of!(Ccb, token) + offset_of!(Token, sender)),
    (Item::ChannelTokenSequence, offset_of!(Ccb, token) + offset_of!(Token, sequence)),
    (Item::SenderAway, Sender::Away as usize),
    (Item::SenderIdle, Sender::Idle as usize),
    (Item::SenderWaiting, Sender::Waiting as usize),
    (Item::SenderTransmitting, Sender::Transmitting as usize),
    (Item::ReceiverAway, Receiver::Away as usize),
    (Item::ReceiverIdle, Receiver::Idle as usize),
    (Item::ReceiverWaiting, Receiver::Waiting as usize),
    (Item::ReceiverAlternative, Receiver::Alternative as usize),
    (Item::ReceiverCollecting, Receiver::Collecting as usize),
];
