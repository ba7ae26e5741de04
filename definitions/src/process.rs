//! Process ids.
//!
//! A process belongs to the processor on which it was invoked, its *home*, and has one of
//! [`crate::limits::PROCESSES`] places there. Its threads may be anywhere. A place is used again
//! for later processes; the generation tells them apart, so that packets of a process that has
//! ended are recognised. Generations go from 1 to 127 and round: id 0 means none.
//!
//! Only kernels make ids, and every request of a process names its own, so the right of an
//! [`OPERATOR`] is a part of the id: each kernel sees it without asking the process's home.

/// Process id: place in bits 3:0, home in bits 7:4, generation in bits 14:8. Bit 15 is [`OPERATOR`].
pub const fn id(home: u8, place: u8, generation: u8) -> u16 {
    (place & 0xf) as u16 | ((home & 0xf) as u16) << 4 | ((generation & LAST_GENERATION) as u16) << 8
}
/// Bit of an id: the process may control all processes and the monitors. The program that the host
/// starts has this right, and a process that has it can give it to those that it invokes.
pub const OPERATOR: u16 = 1 << 15;
/// The first and the last generation of each place.
pub const FIRST_GENERATION: u8 = 1;
pub const LAST_GENERATION: u8 = 127;
/// Where a processor's first process is: what the host wants started, on the start processor.
pub const FIRST_PLACE: u8 = 1;

pub const fn place(id: u16) -> u8 {
    (id & 0xf) as u8
}
pub const fn home(id: u16) -> u8 {
    (id >> 4 & 0xf) as u8
}
pub const fn generation(id: u16) -> u8 {
    (id >> 8) as u8 & LAST_GENERATION
}
/// Whether the process has the right of an [`OPERATOR`].
pub const fn is_operator(id: u16) -> bool {
    id & OPERATOR != 0
}
/// Home and place, bits 7:0: where a processor keeps what it has of a process.
pub const fn index(id: u16) -> usize {
    (id & 0xff) as usize
}
