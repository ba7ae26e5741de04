//! Message protocol components (MPCs) and the kernel's own messages: packet types and payload layouts.
//!
//! Packets between kernels carry one of the types below in [`crate::packet::Header::kind`].
//! Payloads are 32-bit words; word 0 is an *address* ([`address`]): channel or low byte of a page's
//! number, process, operation.
//!
//! | type | words of payload |
//! |---|---|
//! | [`FOCUS`], [`ADVERT`] | address, bytes the sender offers, sequence, epoch, sender and its processor (see [`token`]) |
//! | [`RTR`] | address, bytes the receiver takes, sequence, receiver's epoch, receiver |
//! | [`REFUSE`] | address, 0, sequence, whose the receiving end is for certain (0: not known, or the sending end is meant), the thread whose request is refused |
//! | [`MSG`] | address, bytes of the whole message, offset of this fragment, then its bytes |
//! | [`THREAD`] | see [`thread`]: a thread that moves to the destination |
//! | [`ENDS`] | see [`ends`]: ends of channels of a thread that comes later, or has ended |
//! | [`CREATE`] | see [`create`]; to the process's home, which passes it on to where the child will be |
//! | [`CREATED`] | see [`created`]; back over the home |
//! | [`EXITED`] | see [`exited`]; to the home, which passes it on to the parent |
//! | [`MIGRATE`] | see [`migrate`] |
//! | [`PAGE`], [`PAGE_DATA`] | the page protocol (see [`page`]); data is a page and nothing else |
//! | [`PROCESS`] | the ends of processes, and what else concerns a whole process |
//! | [`FILE`] | a file's way to a processor that lacks it |
//! | [`SUPERSTEP`] | groups of processes that exchange at the ends of supersteps (see [`superstep`]) |

use crate::ids::{Channel, ProcessId};

/// The end of a superstep, and what is exchanged there.
pub const SUPERSTEP: u8 = 0;
/// The sender is waiting; sent to the processor on which the receiver is believed to be, and from there after it.
pub const FOCUS: u8 = 1;
/// Ready to receive: the answer to a focus token once the receiver waits.
pub const RTR: u8 = 2;
/// A fragment of the occam channel message itself.
pub const MSG: u8 = 3;
/// A focus token to all processors, when the sender does not know yet where the receiver is.
pub const ADVERT: u8 = 4;
/// The channel's end belongs to another thread: the request on the destination ends with an error.
pub const REFUSE: u8 = 5;
/// A migrating thread.
pub const THREAD: u8 = 6;
/// Ends of channels, of a migrating thread that follows or of one that has ended.
pub const ENDS: u8 = 7;
/// Create a child thread.
pub const CREATE: u8 = 8;
/// The answer to [`CREATE`].
pub const CREATED: u8 = 9;
/// A thread has ended.
pub const EXITED: u8 = 10;
/// Please migrate a thread of yours.
pub const MIGRATE: u8 = 11;
/// Control messages of the page protocol.
pub const PAGE: u8 = 12;
/// A page's bytes; what it is, the [`PAGE`] before it from the same processor says.
pub const PAGE_DATA: u8 = 13;
/// Concerns a process as a whole.
pub const PROCESS: u8 = 14;
/// A piece of a file, or the wish for one.
pub const FILE: u8 = 15;

/// Words of payload, at most, of every message that needs no data buffer.
pub const TOKEN_WORDS: usize = 6;
/// Payload bytes of focus, advert, rtr and refuse.
pub const TOKEN_BYTES: usize = 4 * token::WORDS;
/// Payload bytes of a [`MSG`] ahead of its data.
pub const MSG_HEADER_BYTES: usize = 12;
/// Message bytes that one [`MSG`] carries at most; longer messages go in fragments, in order.
pub const FRAGMENT_BYTES: usize = crate::packet::PAYLOAD_BYTES_MAX - MSG_HEADER_BYTES;

/// Word 0 of every message but [`PAGE_DATA`]: channel (or low byte of a page's number) in bits 7:0,
/// process id in 23:8, operation in 31:24 for the types that have several.
pub const fn address(process: ProcessId, channel: Channel) -> u32 {
    channel.number() as u32 | process_address(process)
}
/// Word 0 of a message that is about no channel.
pub const fn process_address(process: ProcessId) -> u32 {
    (process.bits() as u32) << 8
}
/// Process and channel of [`address`].
pub const fn process_channel(address: u32) -> (ProcessId, Channel) {
    (ProcessId::from_bits((address >> 8) as u16), Channel::new(address as u8))
}
/// Word 0 of a message of a type that has several operations.
pub const fn operation_address(operation: u8, process: ProcessId) -> u32 {
    (operation as u32) << 24 | process_address(process)
}
/// Operation of word 0.
pub const fn operation(address: u32) -> u8 {
    (address >> 24) as u8
}

/// Words of a focus, an advert, an rtr and a refuse.
pub mod token {
    pub const ADDRESS: usize = 0;
    pub const LENGTH: usize = 1;
    /// Number of the communication on its channel, from 0.
    pub const SEQUENCE: usize = 2;
    /// How often the receiver had moved: when the sender learned of its place (focus), now (rtr).
    pub const EPOCH: usize = 3;
    /// A thread's number in bits 15:0; in a focus and advert the sender's processor in bits 23:16.
    pub const THREAD: usize = 4;
    pub const WORDS: usize = 5;
}

/// Words of a [`MSG`].
pub mod msg {
    pub const ADDRESS: usize = 0;
    pub const TOTAL: usize = 1;
    pub const OFFSET: usize = 2;
    pub const DATA: usize = 3;
}

/// Words of a [`CREATE`].
pub mod create {
    pub const ADDRESS: usize = 0;
    /// The child's number in bits 15:0, the parent's in bits 31:16.
    pub const CHILD_PARENT: usize = 1;
    pub const ENTRY: usize = 2;
    /// Address above its stack.
    pub const STACK: usize = 3;
    /// Pages of stack in bits 15:0, the parent's processor in bits 23:16, where to create it in bits 31:24.
    pub const PAGES_PLACES: usize = 4;
    pub const BYTES: usize = 20;
}
/// Words of a [`CREATED`].
pub mod created {
    pub const ADDRESS: usize = 0;
    /// As in [`super::create`].
    pub const CHILD_PARENT: usize = 1;
    /// The child's number or a negated error.
    pub const RESULT: usize = 2;
    /// The parent's processor.
    pub const PARENT_PROCESSOR: usize = 3;
    /// To the home: the stack, as in [`super::create`], and its pages.
    pub const STACK: usize = 4;
    pub const PAGES: usize = 5;
    pub const BYTES: usize = 24;
}
/// Words of an [`EXITED`].
pub mod exited {
    pub const ADDRESS: usize = 0;
    /// As in [`super::create`].
    pub const CHILD_PARENT: usize = 1;
    pub const CODE: usize = 2;
    /// The stack that nobody needs any more.
    pub const STACK: usize = 3;
    /// Pages of stack in bits 15:0, the parent's processor in bits 23:16.
    pub const PAGES_PLACES: usize = 4;
    pub const BYTES: usize = 20;
}
/// Words of a [`MIGRATE`]. The answer is a [`process::REPLY`].
pub mod migrate {
    pub const ADDRESS: usize = 0;
    /// The thread's number.
    pub const THREAD: usize = 1;
    /// [`ANY`]: the processor on which the thread is chooses.
    pub const DESTINATION: usize = 2;
    /// Who asks: a thread's number in bits 15:0 and its processor in 23:16; its process is the address's.
    pub const WHO: usize = 3;
    pub const BYTES: usize = 16;
    pub const ANY: u32 = 0xff;
}
/// Words of an [`ENDS`]: as many as its bytes say.
pub mod ends {
    pub const ADDRESS: usize = 0;
    /// The number of the thread whose ends they are in bits 15:0.
    pub const THREAD: usize = 1;
    /// Ends of channels, one after the other; see [`super::end`].
    pub const ENDS: usize = 2;
}
/// Words of a [`THREAD`]: first as an [`ENDS`], with the parent's number (0: none) in bits 31:16 of
/// the second word. Then, as its last words, the following.
pub mod thread {
    /// The parent's processor in bits 7:0; in 31:16 children that ended with a code other than 0 since the last wait.
    pub const PARENT_PROCESSOR_FAILED: usize = 0;
    /// Address above its stack, and its pages.
    pub const STACK: usize = 1;
    pub const STACK_PAGES: usize = 2;
    /// pc, x1 to x31.
    pub const CONTEXT: usize = 3;
    pub const CONTEXT_WORDS: usize = 32;
    pub const WORDS: usize = CONTEXT + CONTEXT_WORDS;
}
/// Words of an end of a channel in a [`THREAD`] or [`ENDS`].
pub mod end {
    /// Channel in bits 6:0; bit 7 for the receiver; in 15:8 a processor: where the sender believes the receiver to be,
    /// or where the sender of the receiver's token waits, 0xff for none; in 31:16 the partner, 0 for unknown.
    pub const FIRST: usize = 0;
    pub const RECEIVER: u32 = 1 << 7;
    /// Communications until now.
    pub const COUNT: usize = 1;
    pub const EPOCH: usize = 2;
    /// Words of an end without a token.
    pub const WORDS: usize = 3;
    /// A receiver's token, if there is one: bytes offered, number of the communication, who sends.
    pub const LENGTH: usize = 3;
    pub const SEQUENCE: usize = 4;
    pub const SENDER: usize = 5;
    /// Words of an end with a token.
    pub const WORDS_MAX: usize = 6;
}

/// Operations and words of a [`PROCESS`]. Requests name who waits for the answer, a thread's number
/// in bits 15:0 and its processor in 23:16; 0 in 15:0: nobody.
pub mod process {
    /// From the home to all others: the process has ended. Words: address.
    pub const END: u8 = 1;
    /// Nothing is left of it at the source. Words: address.
    pub const ENDED: u8 = 2;
    /// To the home: end the process with this exit code. Words: address, code, who waits, the waiting thread's process.
    pub const KILL: u8 = 3;
    /// To the home: one of `syscall::control`. Words as [`KILL`].
    pub const CONTROL: u8 = 4;
    /// From the home to all others: 1, the threads of the process must not run, or 0, they may. Words: address, which.
    pub const SUSPEND: u8 = 5;
    /// To the home: say when the process has ended. Words: address, `syscall::KEYS` or 0 and from bit
    /// [`SEATS_SHIFT`] on the seats of who waits, who waits, the waiting thread's process.
    pub const AWAIT: u8 = 6;
    /// To the processor on which a program is to be started; see [`INVOKE_NAME`].
    pub const INVOKE: u8 = 7;
    /// The answer to a request. Words: address of the waiting thread's process, who waits, results.
    pub const REPLY: u8 = 8;

    /// To the master: console input is wanted here. Words: operation, bytes at most, or what
    /// `testbed_kernel_core::input::KEYS` and the constants below it mean, and from bit
    /// [`SEATS_SHIFT`] on for which seats.
    pub const WANT_INPUT: u8 = 9;
    /// From the master: up to [`INPUT_BYTES`] bytes of console input. Words: operation, bytes in
    /// bits 7:0, [`INPUT_LAST`] and from bit [`SEATS_SHIFT`] on the seat, bytes.
    pub const INPUT: u8 = 10;
    /// To all others: the event classes are these. Words: operation, classes.
    pub const CLASSES: u8 = 11;
    /// To the master: a command for the monitors' filters. Words as [`KILL`].
    pub const COMMAND: u8 = 12;
    /// From the master to all others: such a command has taken effect. Words: operation, command.
    pub const COMMANDED: u8 = 13;
    /// To the master, words as [`KILL`], and from it to all others: samples of the load are so many
    /// microseconds apart. Words: operation, period.
    pub const SAMPLE_PERIOD: u8 = 14;
    /// To a slave: move a thread. Words: address of the waiting thread's process,
    /// [`crate::request::Wanted`], who waits, where to.
    pub const MOVE: u8 = 15;
    /// Behind a thread that a [`MOVE`] has sent here: say so. Words: address of the waiting thread's
    /// process, the thread's number, who waits.
    pub const MOVED: u8 = 16;

    /// Where words have seats of the console, a bit for each processor's.
    pub const SEATS_SHIFT: u32 = 16;
    pub const WANT_INPUT_BYTES: usize = 8;
    pub const INPUT_DATA: usize = 2;
    pub const INPUT_BYTES: usize = 16;
    /// No more come before more are wanted.
    pub const INPUT_LAST: u32 = 1 << 8;
    /// Nobody gets any more, ever.
    pub const INPUT_END: u32 = 1 << 9;
    /// No bytes, but a key, in bits 7:0.
    pub const INPUT_KEY: u32 = 1 << 10;
    pub const INPUT_PACKET_BYTES: usize = 4 * INPUT_DATA + INPUT_BYTES;
    pub const CLASSES_BYTES: usize = 8;
    /// [`MOVE`] says where to; [`MOVED`] has these bytes.
    pub const MOVE_TO: usize = 3;
    pub const MOVED_BYTES: usize = 12;

    pub const ADDRESS: usize = 0;
    pub const VALUE: usize = 1;
    pub const WHO: usize = 2;
    pub const WHOSE: usize = 3;
    pub const REQUEST_BYTES: usize = 16;

    /// Bytes of [`END`], [`ENDED`] and [`SUSPEND`].
    pub const END_BYTES: usize = 4;
    pub const SUSPEND_BYTES: usize = 8;

    /// Words of [`REPLY`].
    pub const REPLY_WHO: usize = 1;
    pub const RESULT: usize = 2;
    pub const RESULT_2: usize = 3;
    pub const REPLY_BYTES: usize = 16;

    /// Words of [`INVOKE`]: address of the waiting thread's process; flags of `syscall::invoke`, in
    /// bits 7:0 the processor that has the file, and from bit [`SEATS_SHIFT`] on the seats of who
    /// invokes; who waits; bytes of arguments; the file's name; the arguments.
    pub const INVOKE_FLAGS: usize = 1;
    pub const INVOKE_BYTES: usize = 3;
    pub const INVOKE_NAME: usize = 4;
    pub const INVOKE_ARGUMENTS: usize = INVOKE_NAME + crate::file::NAME_BYTES / 4;
}

/// Operations and words of a [`FILE`].
pub mod file {
    /// Asks for a file's first piece. Words: operation, 0, name.
    pub const WANT: u8 = 1;
    /// A piece. Words: operation, offset, bytes of the file or a negated error, permissions, file's
    /// index, then up to [`PIECE_BYTES`] bytes.
    pub const PIECE: u8 = 2;

    pub const ADDRESS: usize = 0;
    pub const OFFSET: usize = 1;
    pub const NAME: usize = 2;
    pub const WANT_BYTES: usize = 4 * NAME + crate::file::NAME_BYTES;
    pub const SIZE: usize = 2;
    pub const PERMISSIONS: usize = 3;
    /// The file's index at the source.
    pub const FILE: usize = 4;
    pub const DATA: usize = 5;
    /// Asks for another piece; offset 2^32 - 1: for none. Words: operation, offset, file's index at the source.
    pub const NEXT: u8 = 3;
    pub const NEXT_BYTES: usize = 20;
    pub const PIECE_BYTES: usize = crate::page::PAGE_BYTES as usize;
}

/// Operations and words of a [`PAGE`].
pub mod page {
    /// To the home: the source wants to read the page, or to write it. Words: address, page.
    pub const READ: u8 = 1;
    pub const WRITE: u8 = 2;
    /// From the home to the owner: send a copy, or the page itself, to a processor. Words: address, page, processor.
    pub const COPY_TO: u8 = 3;
    pub const MOVE_TO: u8 = 4;
    /// From the owner: the next [`super::PAGE_DATA`] from the same processor is a copy, or the page
    /// itself. Words: address, page.
    pub const COPY: u8 = 5;
    pub const MOVE: u8 = 6;
    /// From the home: the page is yours to write as you have it.
    pub const GRANT: u8 = 7;
    /// From the home: forget your copy; answered by [`INVALIDATED`].
    pub const INVALIDATE: u8 = 8;
    pub const INVALIDATED: u8 = 9;
    /// To the home: what was asked for has arrived.
    pub const DONE: u8 = 10;
    /// From the home: there is no such page.
    pub const NO_PAGE: u8 = 11;
    /// To the home: the owner does not have it (its thread has ended meanwhile).
    pub const GONE: u8 = 12;

    pub const ADDRESS: usize = 0;
    /// Virtual page, 0 to 1,023.
    pub const PAGE: usize = 1;
    pub const PROCESSOR: usize = 2;
    pub const BYTES: usize = 12;
}

pub mod superstep;

/// Name of a packet type, for traces.
pub const fn name(kind: u8) -> Option<&'static str> {
    Some(match kind {
        SUPERSTEP => "superstep",
        FOCUS => "focus",
        RTR => "rtr",
        MSG => "msg",
        ADVERT => "advert",
        REFUSE => "refuse",
        THREAD => "thread",
        ENDS => "ends",
        CREATE => "create",
        CREATED => "created",
        EXITED => "exited",
        MIGRATE => "migrate",
        PAGE => "page",
        PAGE_DATA => "page data",
        PROCESS => "process",
        FILE => "file",
        _ => return None,
    })
}
