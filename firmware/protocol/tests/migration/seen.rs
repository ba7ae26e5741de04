//! Which paths through the protocol an exploration has taken.

use std::sync::atomic::{AtomicU64, Ordering};
use testbed_protocol::channel::{Ccb, Output, Receiver, Sender};
use testbed_protocol::ends::End;
use testbed_protocol::mpc::Mpc;
use testbed_protocol::Processor;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Both partners on one processor.
    LocalCopy,
    /// A focus token, or an advert, meets a receiver that waits.
    FocusAnswered,
    AdvertAnswered,
    /// A receiver finds a token that was kept.
    TokenKept,
    /// A token comes where the receiver was, and follows it; or comes where it will be, and stays.
    TokenForwarded,
    TokenStays,
    /// A receiver leaves with a token of a sender elsewhere; or its sender waits where it leaves, and a token is made.
    TokenCarried,
    TokenMade,
    /// A shared block is split; two become one.
    Split,
    Merge,
    /// As `Merge`, and the sender waits there.
    MergeWaiting,
    /// A receiver arrives where its token waits.
    TokenAwaits,
    /// An alternative is chosen by a sender or token that comes; at once.
    AlternativeChosen,
    AlternativeReady,
    Timeout,
    Fragments,
    Truncated,
    /// A component was out of date.
    Late,
    /// Two threads under way at the same time.
    TwoInFlight,
    CreatedAgain,
    /// Nothing is under way.
    Quiet,
    /// Only in misuse: a component is answered by `Refuse`.
    Refused,
}

pub const PATHS: usize = Path::Refused as usize + 1;

/// How often each path has been taken.
#[derive(Default)]
pub struct Seen(pub [AtomicU64; PATHS]);

impl Seen {
    pub fn path(&self, path: Path) {
        self.0[path as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub fn path_if(&self, condition: bool, path: Path) {
        if condition {
            self.path(path);
        }
    }

    /// An end has left the block, which was `before`.
    pub fn leave(&self, before: &Ccb, end: &End) {
        self.path_if(before.sender != Sender::Away && before.receiver != Receiver::Away, Path::Split);
        if let End::Receiver { token, .. } = end {
            let made = before.sender == Sender::Waiting;
            self.path_if(token.exists(), if made { Path::TokenMade } else { Path::TokenCarried });
        }
    }

    /// An end will join the block.
    pub fn join(&self, block: &Ccb, end: &End) {
        match end {
            End::Sender { .. } => self.path_if(block.receiver != Receiver::Away, Path::Merge),
            End::Receiver { token, .. } => {
                self.path_if(block.sender != Sender::Away, Path::Merge);
                self.path_if(block.sender == Sender::Waiting, Path::MergeWaiting);
                self.path_if(block.token.at != Processor::NOWHERE && token.at == Processor::NOWHERE, Path::TokenAwaits);
            }
        }
    }

    /// A component has arrived; the step's outputs.
    pub fn arrive(&self, mpc: &Mpc, outputs: &[Output]) {
        let transmitted = outputs.iter().find_map(|output| match output {
            Output::Transmit { mpc, .. } => Some(*mpc),
            _ => None,
        });
        match (mpc, transmitted) {
            (Mpc::Focus { .. }, Some(Mpc::Rtr { .. })) => self.path(Path::FocusAnswered),
            (Mpc::Advert { .. }, Some(Mpc::Rtr { .. })) => self.path(Path::AdvertAnswered),
            (Mpc::Focus { .. }, Some(Mpc::Focus { .. })) => self.path(Path::TokenForwarded),
            (Mpc::Focus { .. } | Mpc::Advert { .. }, None) if outputs.is_empty() => self.path(Path::TokenStays),
            (_, Some(Mpc::Refuse { .. })) => self.path(Path::Refused),
            _ => {}
        }
    }
}
