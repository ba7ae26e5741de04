//! The kernel's events: 16-bit data words in classes that `dgl` switches.
//!
//! Convention of the profiling class (report, section 2.2.3): `0xAAnn` and `0xABnn` belong to the monitor; any other
//! word with bit 14 set schedules the thread in bits 13:0; otherwise bit 15 says that another word of the same event
//! follows. The ready-queue class instead uses bit 14 for "joins" and bits 13:0 for the thread, so the two are never
//! enabled together. The word after one with bit 15 set is an argument and is taken as it is.
//! `docs/changing.md` says which other files a new event, or a new class, touches.

use crate::monitor::is_reserved;
use crate::{process, syscall};

/// Classes, bits of `dgl`.
pub const DIAG_PROFILE: u32 = 1 << 0;
/// Ready-queue changes; excludes [`DIAG_PROFILE`].
pub const DIAG_READY: u32 = 1 << 1;
/// Timer interrupts, so that their cost can be subtracted. Same convention as the profiling class.
pub const DIAG_TIMER: u32 = 1 << 2;
/// Data words that programs emit themselves.
pub const DIAG_USER: u32 = 1 << 3;
/// What the profiling class leaves out but a check of the protocols needs ([`REQUEST`]).
pub const DIAG_DETAIL: u32 = 1 << 4;
/// What each slave tells of its load, at every sample period: [`crate::load`].
pub const DIAG_LOAD: u32 = 1 << 5;
/// What `run` enables unless told otherwise.
pub const DIAG_DEFAULT: u32 = DIAG_PROFILE | DIAG_TIMER | DIAG_USER;

/// Every class.
pub const DIAG_ALL: u32 = DIAG_PROFILE | DIAG_READY | DIAG_TIMER | DIAG_USER | DIAG_DETAIL | DIAG_LOAD;

/// Added to a thread's number: the thread is being scheduled.
pub const SCHEDULE: u16 = 0x4000;
/// Added to a code when another word of the same event follows.
pub const MORE: u16 = 0x8000;
/// Bits of a thread's number.
pub const THREAD_MASK: u16 = 0x3fff;

/// One kind of event: its first word (without [`MORE`]), its name in traces, and what the second word, if any, means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    pub code: u16,
    pub name: &'static str,
    pub class: u32,
    /// Name of the second word's field; `None` for a single-word event.
    pub argument: Option<&'static str>,
    pub meaning: &'static str,
}

macro_rules! kinds {
    ($($constant:ident = $code:literal, $name:literal, $class:ident, $argument:expr, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: u16 = $code;)*
        /// Every kind of event of the profiling convention, in order of code.
        pub const KINDS: &[Kind] = &[$(Kind {
            code: $code, name: $name, class: $class, argument: $argument, meaning: $meaning,
        }),*];
    };
}

kinds! {
    CREATE = 0x0001, "CREATE", DIAG_PROFILE, Some("thread"), "a child thread is created";
    EXIT = 0x0002, "EXIT", DIAG_PROFILE, Some("thread"), "a thread ends";
    WAIT = 0x0003, "WAIT", DIAG_PROFILE, None, "the running thread waits for its children";
    INVOKE = 0x0004, "INVOKE", DIAG_PROFILE, Some("process"), "a process begins here";
    PROCESS_END = 0x0005, "PROCESS_END", DIAG_PROFILE, Some("process"), "a process that was invoked here has ended";
    TRAP7 = 0x0007, "TRAP7", DIAG_PROFILE, None, "the running thread requests to communicate";
    REQUEST = 0x0008, "REQUEST", DIAG_DETAIL, Some("request"), "what the request is: see request_argument";
    BLOCKED = 0x0009, "BLOCKED", DIAG_PROFILE, Some("call"), "the running thread waits in a system call that has no event of its own";
    TIMER = 0x0020, "TIMER", DIAG_TIMER, None, "a timer interrupt is being served";
    TIMER_END = 0x0021, "TIMER_END", DIAG_TIMER, None, "the timer interrupt has been served";
    TRAP70 = 0x0070, "TRAP70", DIAG_PROFILE, None, "the running thread is blocked after its request has been serviced";
    TRAP72 = 0x0072, "TRAP72", DIAG_PROFILE, None, "data copied, both partners are ready";
    RX_MPC = 0x0100, "RX_MPC", DIAG_PROFILE, Some("message"), "begin servicing a message protocol component";
    RX_FOCUS = 0x0101, "RX_FOCUS", DIAG_PROFILE, None, "the component received was a focus token";
    RX_END = 0x0102, "RX_END", DIAG_PROFILE, None, "the component has been serviced and released nobody";
    TX_MPC = 0x0103, "TX_MPC", DIAG_PROFILE, Some("message"), "a component is handed to Centrenet";
    COMMS = 0x0110, "COMMS", DIAG_PROFILE, Some("thread"), "the sender is returned to the ready queue";
    COMMR = 0x0111, "COMMR", DIAG_PROFILE, Some("thread"), "the receiver is returned to the ready queue";
    PACK = 0x0120, "PACK", DIAG_PROFILE, Some("thread"), "begin packing a thread that migrates";
    PACKED = 0x0121, "PACKED", DIAG_PROFILE, None, "the thread has left the ready queue and waits to be transmitted";
    UNPACKED = 0x0122, "UNPACKED", DIAG_PROFILE, Some("thread"), "a thread that has arrived is ready";
    PAGE_FAULT = 0x0130, "PAGE_FAULT", DIAG_PROFILE, Some("page"), "the running thread needs a page that is not here";
    PAGE_BLOCKED = 0x0131, "PAGE_BLOCKED", DIAG_PROFILE, None, "the page has been asked for, its thread is blocked";
    PAGE_READY = 0x0132, "PAGE_READY", DIAG_PROFILE, Some("thread"), "a thread blocked on a page is ready";
    PAGE_END = 0x0133, "PAGE_END", DIAG_PROFILE, None, "a message of the page protocol has been serviced";
    CLASSES = 0x0140, "CLASSES", DIAG_PROFILE, Some("classes"), "the event classes are these from here on; emitted whatever they are";
    FILTER = 0x0141, "FILTER", DIAG_PROFILE, Some("setting"), "a setting of the monitors' filters has changed: see setting_argument";
    SYNC = 0x0150, "SYNC", DIAG_PROFILE, Some("member"), "the running thread has come to the end of its superstep: see member_argument";
    SENT = 0x0151, "SENT", DIAG_PROFILE, Some("words"), "words that it has for others: see words_argument";
    THROUGH = 0x0152, "THROUGH", DIAG_PROFILE, Some("thread"), "all members have come to the end of their supersteps, and the thread has what they have for it";
    RECEIVED = 0x0153, "RECEIVED", DIAG_PROFILE, Some("words"), "words that the thread has got: see words_argument";
    ROUND = 0x0154, "ROUND", DIAG_PROFILE, Some("thread"), "a round of the thread's packets has left, which may be lost; PACKETS follows";
    PACKETS = 0x0155, "PACKETS", DIAG_PROFILE, Some("packets"), "packets of the round, without their copies; ROUND_TIME follows";
    ROUND_TIME = 0x0156, "ROUND_TIME", DIAG_PROFILE, Some("time"), "how long the round is given, in units of ROUND_UNIT cycles";
    USER = 0x0200, "USER", DIAG_USER, Some("datum"), "a program's own event";
    LOAD = 0x0300, "LOAD", DIAG_LOAD, Some("sample"), "a sample of the load begins: its number, and the threads that are ready";
    LOAD_PERIOD = 0x0301, "LOAD_PERIOD", DIAG_LOAD, Some("cycles"), "the sample is of so many cycles";
    LOAD_READY = 0x0302, "LOAD_READY", DIAG_LOAD, Some("average"), "threads that were ready on average";
    LOAD_USER = 0x0303, "LOAD_USER", DIAG_LOAD, Some("share"), "the share of the time in which threads ran";
    LOAD_LINK = 0x0304, "LOAD_LINK", DIAG_LOAD, Some("link"), "messages sent to another processor";
    LOAD_BYTES = 0x0305, "LOAD_BYTES", DIAG_LOAD, Some("bytes"), "bytes of the messages of the link or partner before";
    LOAD_THREAD = 0x0306, "LOAD_THREAD", DIAG_LOAD, Some("thread"), "a thread that did something; bit 15: it may move";
    LOAD_SHARE = 0x0307, "LOAD_SHARE", DIAG_LOAD, Some("share"), "the share of the time for which the thread ran";
    LOAD_PARTNER = 0x0308, "LOAD_PARTNER", DIAG_LOAD, Some("partner"), "messages exchanged with another thread of its process";
    LOAD_END = 0x0309, "LOAD_END", DIAG_LOAD, Some("parts"), "the sample is over: its number, and how many events it had";
}

/// Second word of [`RX_MPC`] and [`TX_MPC`]: other processor in bits 15:12, message type in 11:8, channel in 7:0.
pub const fn message_argument(processor: u8, kind: u8, channel: u8) -> u16 {
    ((processor & 0xf) as u16) << 12 | ((kind & 0xf) as u16) << 8 | channel as u16
}

/// Other processor, message type and channel of [`message_argument`].
pub const fn message_fields(argument: u16) -> (u8, u8, u8) {
    ((argument >> 12) as u8, (argument >> 8) as u8 & 0xf, argument as u8)
}

/// Second word of [`REQUEST`]: bit 15 receive, bit 14 alternative, bit 13 not the first try (a page
/// had to be fetched), channel in 7:0 (of an alternative the first one).
pub const fn request_argument(receive: bool, alternative: bool, again: bool, channel: u8) -> u16 {
    (receive as u16) << 15 | (alternative as u16) << 14 | (again as u16) << 13 | channel as u16
}

/// Second word of [`SYNC`]: home and place of the process that the group belongs to in bits 13:6, as
/// in a thread's number ([`thread_number`]), and the member's rank in 5:0. So it never is a value
/// that the monitor keeps for its markers.
pub const fn member_argument(process: u16, rank: u8) -> u16 {
    thread_number(process::home(process), process::place(process), rank)
}

/// Home and place of the process that a group belongs to (bits 7:0 of its id), and the rank of
/// [`member_argument`].
pub const fn member_fields(argument: u16) -> (u8, u8) {
    ((argument >> 6) as u8, (argument & 0x3f) as u8)
}

/// Cycles of the unit in which [`ROUND_TIME`] tells a time.
pub const ROUND_UNIT: u32 = 64;

/// Second word of [`SENT`] and [`RECEIVED`] where their number of words has no room in it, or is a
/// value that the monitor keeps for its markers.
pub const WORDS_UNTOLD: u16 = u16::MAX;

/// Second word of [`SENT`] and [`RECEIVED`]: so many words, or [`WORDS_UNTOLD`].
pub const fn words_argument(words: u32) -> u16 {
    if words >= WORDS_UNTOLD as u32 || is_reserved(words as u16) {
        WORDS_UNTOLD
    } else {
        words as u16
    }
}

/// Second word of [`FILTER`]: register of [`crate::filter::register`] in bits 15:12, SMI in 11:8
/// (0: all), bits 7:0 of the value.
pub const fn setting_argument(command: crate::filter::Command) -> u16 {
    ((command.register & 0xf) as u16) << 12 | ((command.smi & 0xf) as u16) << 8 | command.value & 0xff
}

/// What a thread waits for after [`BLOCKED`]; the argument is the number of its system call.
pub const fn awaited(call: u16) -> &'static str {
    match call as u32 {
        syscall::READ_LINE => "console input",
        syscall::DELAY => "a time",
        syscall::EXIT => "the end of its children",
        syscall::CREATE => "the birth of a child",
        syscall::INVOKE => "the start of a program",
        syscall::AWAIT => "the end of a process",
        syscall::EXCHANGE => "the other members of its group",
        syscall::MIGRATE | syscall::REQUEST => "another thread's move",
        _ => "another processor's answer",
    }
}

/// The kind that `code` (first word without [`MORE`]) names.
pub fn kind(code: u16) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.code == code)
}

/// The kind with this name.
pub fn kind_named(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// A thread's number as events carry it, unique in the machine: home of its process in bits 13:10,
/// place of the process there in 9:6 ([`crate::process`]), the thread's id in its process in 5:0.
/// It keeps it wherever it goes.
pub const fn thread_number(home: u8, place: u8, id: u8) -> u16 {
    ((home & 0xf) as u16) << 10 | ((place & 0xf) as u16) << 6 | (id & 0x3f) as u16
}
