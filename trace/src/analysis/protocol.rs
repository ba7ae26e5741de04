//! The protocols that a trace shows, and their phases.

use serde::{Deserialize, Serialize};

/// A phase of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    FirstRequest,
    PartnerAwaited,
    SecondRequest,
    SenderAwaited,
    SenderRequest,
    FocusQueue,
    FocusFlight,
    FocusPassedOn,
    FocusService,
    ReceiverAwaited,
    ReceiverRequest,
    RtrQueue,
    RtrFlight,
    RtrService,
    MsgQueue,
    MsgFlight,
    MsgService,
    Packing,
    ThreadQueue,
    ThreadFlight,
    Unpacking,
    FaultService,
    RequestQueue,
    RequestFlight,
    PageFlight,
    PageAway,
    PageArrival,
}

impl Phase {
    /// The name in tables, and from which event to which it lasts.
    pub fn describe(self) -> (&'static str, &'static str) {
        use Phase::*;
        match self {
            FirstRequest => ("first partner's request", "TRAP7 to TRAP70"),
            PartnerAwaited => ("partner awaited", "TRAP70 to the partner's TRAP7"),
            SecondRequest => ("second partner's request", "TRAP7 to TRAP72; copies"),
            SenderAwaited => ("sender awaited", "receiver's TRAP7 to sender's"),
            SenderRequest => ("sender's request", "TRAP7 to TRAP70"),
            FocusQueue => ("focus queued", "TRAP70 to TX_MPC"),
            FocusFlight => ("focus flight", "TX_MPC to RX_MPC"),
            FocusPassedOn => ("focus passed on", "RX_MPC where the receiver was to RX_MPC where it is"),
            FocusService => ("focus service", "RX_MPC to RX_FOCUS"),
            ReceiverAwaited => ("receiver awaited", "RX_FOCUS to the receiver's TRAP7"),
            ReceiverRequest => ("receiver's request", "TRAP7 to TRAP70"),
            RtrQueue => ("rtr queued", "RX_FOCUS or TRAP70 to TX_MPC"),
            RtrFlight => ("rtr flight", "TX_MPC to RX_MPC"),
            RtrService => ("rtr service", "RX_MPC to COMMS or RX_END"),
            MsgQueue => ("msg queued", "to the last fragment's TX_MPC"),
            MsgFlight => ("msg flight", "TX_MPC to RX_MPC"),
            MsgService => ("msg service", "RX_MPC to COMMR"),
            Packing => ("packing", "PACK to PACKED"),
            ThreadQueue => ("thread queued", "PACKED to TX_MPC"),
            ThreadFlight => ("thread flight", "TX_MPC to RX_MPC"),
            Unpacking => ("unpacking", "RX_MPC to UNPACKED"),
            FaultService => ("process bus error", "PAGE_FAULT to PAGE_BLOCKED"),
            RequestQueue => ("request queued", "PAGE_BLOCKED to TX_MPC"),
            RequestFlight => ("request flight", "TX_MPC to RX_MPC"),
            PageFlight => ("page flight", "RX_MPC at the home to RX_MPC here"),
            PageAway => ("page away", "PAGE_BLOCKED to RX_MPC or PAGE_READY"),
            PageArrival => ("page arrival", "RX_MPC to PAGE_READY"),
        }
    }
}

impl Phase {
    /// Whether nothing passes in it but the time until a partner asks.
    pub fn awaits(self) -> bool {
        matches!(self, Phase::PartnerAwaited | Phase::SenderAwaited | Phase::ReceiverAwaited)
    }
}

/// What an [`Episode`](super::fact::Episode) is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    Local,
    Remote,
    Migration,
    Page,
}

impl Protocol {
    pub const ALL: [Protocol; 4] = [Protocol::Local, Protocol::Remote, Protocol::Migration, Protocol::Page];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        ["local communication", "remote communication", "thread migration", "remote page"][self as usize]
    }
}
