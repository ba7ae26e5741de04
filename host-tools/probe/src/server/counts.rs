//! What a server was sent, and why it did not answer.

use serde::Serialize;

/// Why a datagram has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It has not the form of one.
    Foreign,
    /// Its authentication code is wrong: another token, or damage.
    Mac,
    /// A kind that only servers send, or a form that no client sends.
    Form,
    /// Its cookie is old, or was made for another address.
    Cookie,
    /// It belongs to no session of this address.
    Session,
    /// It had come before.
    Repeated,
    /// It is more than a client may send, or comes too often or too late.
    Limit,
}

/// Datagrams, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub received: u64,
    pub sent: u64,
    pub received_bytes: u64,
    pub sent_bytes: u64,
    /// Sessions that were opened.
    pub sessions: u64,
    pub foreign: u64,
    pub wrong_mac: u64,
    pub wrong_form: u64,
    pub wrong_cookie: u64,
    pub no_session: u64,
    pub repeated: u64,
    pub over_limits: u64,
}

impl Counts {
    pub fn ignore(&mut self, why: Ignored) {
        *match why {
            Ignored::Foreign => &mut self.foreign,
            Ignored::Mac => &mut self.wrong_mac,
            Ignored::Form => &mut self.wrong_form,
            Ignored::Cookie => &mut self.wrong_cookie,
            Ignored::Session => &mut self.no_session,
            Ignored::Repeated => &mut self.repeated,
            Ignored::Limit => &mut self.over_limits,
        } += 1;
    }

    /// Datagrams without an answer that no client of ours would have sent.
    pub fn hostile(&self) -> u64 {
        self.foreign + self.wrong_mac + self.wrong_form + self.wrong_cookie + self.no_session
    }
}
