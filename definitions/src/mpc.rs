//! Message protocol components (MPCs) and the kernel's own messages: packet types and payload layouts.
//!
//! Packets between kernels carry one of the types below in [`crate::packet::Header::kind`]. Payloads are 32-bit words.
//!
//! | type | words of payload |
//! |---|---|
//! | [`FOCUS`], [`ADVERT`] | address, bytes the sender offers |
//! | [`RTR`] | address, bytes the receiver takes |
//! | [`REFUSE`] | address, 0 |
//! | [`MSG`] | address, bytes of the whole message, offset of this fragment, then its bytes |
//! | [`CREATE`] | child's number, parent's number and pages, entry, stack (see [`create`]) |
//! | [`CREATED`] | parent's number, child's number or negated error |
//! | [`EXITED`] | parent's number, child's number, exit code |

/// The sender is waiting; sent to the processor on which the receiver is known to be.
pub const FOCUS: u8 = 1;
/// Ready to receive: the answer to a focus token once the receiver waits.
pub const RTR: u8 = 2;
/// A fragment of the occam channel message itself.
pub const MSG: u8 = 3;
/// A focus token to all processors, when the sender does not know yet where the receiver is.
pub const ADVERT: u8 = 4;
/// The channel's end belongs to another thread: the request on the destination ends with an error.
pub const REFUSE: u8 = 5;
/// Create a child thread.
pub const CREATE: u8 = 8;
/// The answer to [`CREATE`].
pub const CREATED: u8 = 9;
/// A child with a parent on another processor has ended.
pub const EXITED: u8 = 10;

/// Payload bytes of every MPC but [`MSG`].
pub const TOKEN_BYTES: usize = 8;
/// Payload bytes of a [`MSG`] ahead of its data.
pub const MSG_HEADER_BYTES: usize = 12;
/// Message bytes that one [`MSG`] carries at most; longer messages go in fragments, in order.
pub const FRAGMENT_BYTES: usize = crate::packet::PAYLOAD_BYTES_MAX - MSG_HEADER_BYTES;

/// Word indices in an MPC's payload.
pub mod word {
    pub const ADDRESS: usize = 0;
    pub const LENGTH: usize = 1;
    pub const OFFSET: usize = 2;
    pub const DATA: usize = 3;
}

/// Word 0 of an MPC: channel in bits 7:0, process in bits 11:8.
pub const fn address(process: u8, channel: u8) -> u32 {
    channel as u32 | ((process & 0xf) as u32) << 8
}
/// Process and channel of [`address`].
pub const fn process_channel(address: u32) -> (u8, u8) {
    ((address >> 8) as u8 & 0xf, address as u8)
}

/// Words of a [`CREATE`].
pub mod create {
    /// The child's thread number.
    pub const CHILD: usize = 0;
    /// The parent's thread number in bits 15:0, pages of stack in bits 31:16.
    pub const PARENT_PAGES: usize = 1;
    pub const ENTRY: usize = 2;
    pub const STACK: usize = 3;
    pub const BYTES: usize = 16;
}
/// Words of a [`CREATED`].
pub mod created {
    pub const PARENT: usize = 0;
    pub const RESULT: usize = 1;
    pub const BYTES: usize = 8;
}
/// Words of an [`EXITED`].
pub mod exited {
    pub const PARENT: usize = 0;
    pub const CHILD: usize = 1;
    pub const CODE: usize = 2;
    pub const BYTES: usize = 12;
}

/// Name of a packet type, for traces.
pub const fn name(kind: u8) -> Option<&'static str> {
    Some(match kind {
        FOCUS => "focus",
        RTR => "rtr",
        MSG => "msg",
        ADVERT => "advert",
        REFUSE => "refuse",
        CREATE => "create",
        CREATED => "created",
        EXITED => "exited",
        _ => return None,
    })
}
