//! Says in the kernel's ELF file, not in its image, where the kernel's tables are
//! ([`testbed_kernel_core::layout`]), so that the host can tell from a processor's RAM what every
//! thread waits for.

use core::mem::offset_of;
use testbed_kernel_core::layout::{words, Item, WORDS};
use testbed_kernel_core::timers::Alarm;
use testbed_protocol::channel::{Ccb, Receiver, Sender, Token};

use crate::state::extended;
use crate::state::kernel::Kernel;
use crate::state::place::{Place, Who, PLACES};
use crate::state::process::{Processes, Record, CHANNELS, PROCESSES_KNOWN};
use crate::state::thread::{State, Tcb};

/// A slice is an address and a number of entries, in this order.
const TCBS: usize = offset_of!(Kernel, tcbs);

#[used]
#[link_section = ".layout"]
static LAYOUT: [u32; WORDS] = words(&[TABLES, State::CODES, extended::layout::TABLES]);

const TABLES: &[(Item, usize)] = &[
    (Item::Tcbs, TCBS),
    (Item::TcbCount, TCBS + size_of::<usize>()),
    (Item::TcbBytes, size_of::<Tcb>()),
    (Item::TcbContext, offset_of!(Tcb, context)),
    (Item::TcbState, offset_of!(Tcb, state)),
    (Item::TcbDeadline, offset_of!(Tcb, alarm) + Alarm::DEADLINE),
    (Item::TcbProcess, offset_of!(Tcb, process)),
    (Item::TcbNumber, offset_of!(Tcb, number)),
    (Item::TcbParent, offset_of!(Tcb, parent)),
    (Item::TcbChannel, offset_of!(Tcb, channel)),
    (Item::TcbChildren, offset_of!(Tcb, children)),
    (Item::TcbPage, offset_of!(Tcb, page)),
    (Item::Records, offset_of!(Kernel, processes) + offset_of!(Processes, records)),
    (Item::RecordCount, PROCESSES_KNOWN),
    (Item::RecordId, offset_of!(Record, id)),
    (Item::RecordSuspended, offset_of!(Record, suspended)),
    (Item::RecordIds, offset_of!(Record, ids)),
    (Item::RecordChannels, offset_of!(Record, ccbs)),
    (Item::ChannelCount, CHANNELS),
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
    (Item::Places, offset_of!(Kernel, places)),
    (Item::PlaceCount, PLACES),
    (Item::PlaceBytes, size_of::<Place>()),
    (Item::PlaceId, offset_of!(Place, id)),
    (Item::PlaceWaiterProcess, offset_of!(Place, waiter) + offset_of!(Who, process)),
    (Item::PlaceWaiterThread, offset_of!(Place, waiter) + offset_of!(Who, thread)),
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
