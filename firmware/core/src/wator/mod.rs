//! Wa-Tor (Dewdney, Scientific American 1984; Fox *et al*, *Solving Problems on Concurrent
//! Processors*, section 17): the rules by which fish and sharks live on a ring-shaped ocean of
//! [`SIDE`] by [`SIDE`] cells, with the report's seasons.
//!
//! A step has two halves: first every fish acts, then every shark. In a half all animals look at
//! the ocean as it was when the half began, and each *claims* one neighbouring cell that is open to
//! it; of several that claim a cell, one gets it. Who claims what and who gets it follows from the
//! seed, the step and the cell, never from an order in which cells are looked at. So the ocean is
//! the same however it is divided: [`region`] is a part of it, [`ocean`] the whole, sequentially.

pub mod ocean;
pub mod region;

use crate::work::mixed;

/// Rows, and columns.
pub const SIDE: usize = 100;
/// How many of 1000 cells have a fish, and how many a shark, when the ocean begins.
const FISH_OF_1000: u32 = 250;
const SHARKS_OF_1000: u32 = 50;
/// Steps after which a shark breeds, and steps without prey after which it is dead.
const SHARK_BREEDS: u8 = 9;
const STARVES: u8 = 4;
/// Steps after which a fish breeds, by temperature from cold to warm.
const FISH_BREEDS: [u8; 4] = [12, 7, 4, 3];
/// Steps of a year, in which the warm water goes round the ocean once.
const YEAR: u32 = 60;
/// The most that a clock counts to.
const CLOCK_MOST: u8 = 15;

/// Who acts in a half of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Fish,
    Shark,
}

impl Kind {
    /// Both halves of a step, in order.
    pub const HALVES: [Kind; 2] = [Kind::Fish, Kind::Shark];
}

/// What is in a cell: 0 is water, a fish is 1 and its clock, a shark bit 7, its hunger in bits 6:4
/// and its clock in bits 3:0. A clock counts the steps since the animal was born or bred last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Cell(pub u8);

impl Cell {
    pub const WATER: Cell = Cell(0);
    const SHARK: u8 = 0x80;

    const fn fish(clock: u8) -> Cell {
        Cell(1 + if clock > CLOCK_MOST { CLOCK_MOST } else { clock })
    }

    const fn shark(hunger: u8, clock: u8) -> Cell {
        Cell(Self::SHARK | hunger << 4 | if clock > CLOCK_MOST { CLOCK_MOST } else { clock })
    }

    /// The kind of its animal.
    pub const fn kind(self) -> Option<Kind> {
        match self.0 {
            0 => None,
            Self::SHARK.. => Some(Kind::Shark),
            _ => Some(Kind::Fish),
        }
    }

    const fn clock(self) -> u8 {
        if self.0 >= Self::SHARK {
            self.0 & 0xf
        } else {
            self.0.saturating_sub(1)
        }
    }

    const fn hunger(self) -> u8 {
        self.0 >> 4 & 7
    }

    /// Whether an animal of this kind may go there at all: fish into water, sharks where no shark is.
    pub fn is_open_to(self, kind: Kind) -> bool {
        match kind {
            Kind::Fish => self == Cell::WATER,
            Kind::Shark => self.kind() != Some(Kind::Shark),
        }
    }
}

/// The four neighbours of a cell. Rows go south, columns east.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Direction {
    North,
    East,
    South,
    West,
}

impl Direction {
    pub const ALL: [Direction; 4] = [Direction::North, Direction::East, Direction::South, Direction::West];

    pub const fn opposite(self) -> Direction {
        Self::ALL[(self as usize + 2) % 4]
    }
}

/// What decides: one ocean and one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    pub seed: u32,
    pub step: u32,
    /// Rounds of computing that an animal thinks about where to go; its choice depends on all of them.
    pub thought: u32,
}

/// A cell of the ocean when it begins.
pub fn initial(seed: u32, row: usize, column: usize) -> Cell {
    let number = mixed(seed, (row * SIDE + column) as u32, 0x0cea);
    let clock = (number >> 12) as u8;
    match number % 1000 {
        chance if chance < FISH_OF_1000 => Cell::fish(clock % FISH_BREEDS[0]),
        chance if chance < FISH_OF_1000 + SHARKS_OF_1000 => Cell::shark(clock >> 4 & 1, clock % SHARK_BREEDS),
        _ => Cell::WATER,
    }
}

/// The temperature of a row, 0 (cold) to 3: a warm band that goes south once a year.
pub fn temperature(row: usize, step: u32) -> usize {
    let warmest = step % YEAR * SIDE as u32 / YEAR;
    let away = (row as u32 + SIDE as u32 - warmest) % SIDE as u32;
    let away = away.min(SIDE as u32 - away);
    3 - (away * 4 / (SIDE as u32 / 2 + 1)) as usize
}

/// What an animal does that claims a cell, or has nowhere to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// It, as it arrives where it wants to be; what it finds there comes on top ([`arrived`]).
    pub arrives: Cell,
    /// What it leaves behind then: its young, or water.
    pub leaves: Cell,
    /// What is in its cell if it stays.
    pub stays: Cell,
}

/// Marsaglia's xorshift: `thought` rounds of it.
fn think(number: u32, thought: u32) -> u32 {
    let mut number = number | 1;
    for _ in 0..thought {
        number ^= number << 13;
        number ^= number >> 17;
        number ^= number << 5;
    }
    number
}

/// Where the animal in a cell wants to go; `around` has its neighbours in order of
/// [`Direction::ALL`]. A shark goes where prey is if it can.
pub fn choice(now: Now, cell: Cell, row: usize, column: usize, around: [Cell; 4]) -> Option<Direction> {
    let kind = cell.kind()?;
    let drawn = think(mixed(now.seed, (row * SIDE + column) as u32, now.step << 1 | 1), now.thought);
    let has_prey = kind == Kind::Shark && around.iter().any(|cell| cell.kind() == Some(Kind::Fish));
    let suits = |cell: &Cell| match has_prey {
        true => cell.kind() == Some(Kind::Fish),
        false => cell.is_open_to(kind),
    };
    let count = around.iter().filter(|cell| suits(cell)).count() as u32;
    // The high bits are the better ones.
    let wanted = (drawn >> 8) % count.max(1);
    let mut suitable = Direction::ALL.into_iter().zip(&around).filter(|(_, cell)| suits(cell));
    suitable.nth(wanted as usize).map(|(direction, _)| direction)
}

/// What comes of an animal whether or not it gets the cell it wants.
pub fn plan(now: Now, cell: Cell, row: usize) -> Plan {
    let clock = cell.clock() + 1;
    if cell.kind() == Some(Kind::Fish) {
        let breeds = clock >= FISH_BREEDS[temperature(row, now.step)];
        let arrives = Cell::fish(if breeds { 0 } else { clock });
        return Plan { arrives, leaves: if breeds { Cell::fish(0) } else { Cell::WATER }, stays: Cell::fish(clock) };
    }
    let breeds = clock >= SHARK_BREEDS;
    let leaves = if breeds { Cell::shark(0, 0) } else { Cell::WATER };
    let hunger = cell.hunger();
    let stays = if hunger + 1 >= STARVES { Cell::WATER } else { Cell::shark(hunger + 1, clock) };
    Plan { arrives: Cell::shark(hunger, if breeds { 0 } else { clock }), leaves, stays }
}

/// What is in a cell once an animal has come ([`Plan::arrives`]) into what was there.
pub fn arrived(animal: Cell, found: Cell) -> Cell {
    match (animal.kind(), found.kind()) {
        (Some(Kind::Shark), Some(_)) => Cell::shark(0, animal.clock()),
        (Some(Kind::Shark), None) if animal.hunger() + 1 >= STARVES => Cell::WATER,
        (Some(Kind::Shark), None) => Cell::shark(animal.hunger() + 1, animal.clock()),
        _ => animal,
    }
}

/// Which of those that claim a cell gets it: `claims` says from where somebody comes, in order of
/// [`Direction::ALL`].
pub fn winner(now: Now, row: usize, column: usize, claims: [bool; 4]) -> Option<Direction> {
    let first = mixed(now.seed, (row * SIDE + column) as u32, now.step << 1) as usize;
    let place = (0..4).map(|turn| (first + turn) % 4).find(|&place| claims[place])?;
    Some(Direction::ALL[place])
}

#[cfg(test)]
mod tests;
