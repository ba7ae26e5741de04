//! Process ids.
//!
//! A process belongs to the processor on which it was invoked, its *home*, and has one of [`crate::limits::PROCESSES`] places
//! there. Its threads may be anywhere. A place is used again for later processes; the generation tells them apart,
//! so that packets of a process that has ended are recognised. Generations go from 1 to 255 and round: id 0 means none.

/// Process id: place in bits 3:0, home in bits 7:4, generation in bits 15:8.
pub const fn id(home: u8, place: u8, generation: u8) -> u16 {
    (place & 0xf) as u16 | ((home & 0xf) as u16) << 4 | (generation as u16) << 8
}
/// The first generation of each place.
pub const FIRST_GENERATION: u8 = 1;
/// Where a processor's first process is: what the host wants started, on the start processor.
pub const FIRST_PLACE: u8 = 1;

pub const fn place(id: u16) -> u8 {
    (id & 0xf) as u8
}
pub const fn home(id: u16) -> u8 {
    (id >> 4 & 0xf) as u8
}
pub const fn generation(id: u16) -> u8 {
    (id >> 8) as u8
}
/// Home and place, bits 7:0: where a processor keeps what it has of a process.
pub const fn index(id: u16) -> usize {
    (id & 0xff) as usize
}
