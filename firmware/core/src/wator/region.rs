//! A region: some whole rows of the ocean, which exchange messages with the regions above and
//! below. Each half of a step is, in this order and with both neighbours each time:
//!
//! 1. [`Region::border`] and [`Region::see`]: each shows its outermost row;
//! 2. [`Region::choose`], then [`Region::claims`] and [`Region::hear`]: who wants to come across;
//! 3. [`Region::resolve`], then [`Region::answers`] and [`Region::obey`]: who may;
//! 4. [`Region::settle`].

use super::{arrived, choice, initial, plan, winner, Cell, Direction, Kind, Now, SIDE};

/// Bytes of the longest message: a claim for every column, which is the column and the animal.
pub const MESSAGE_BYTES: usize = 2 * SIDE;
/// Bytes that a region needs for each of its rows.
pub const BYTES_A_ROW: usize = 2 * SIDE;

/// What an animal has chosen is its direction plus one; these are added, or stand alone.
const STAYS: u8 = 5;
const GETS_IT: u8 = 0x80;

/// A side at which a region has a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Edge {
    Above,
    Below,
}

impl Edge {
    pub const BOTH: [Edge; 2] = [Edge::Above, Edge::Below];

    const fn outward(self) -> Direction {
        match self {
            Edge::Above => Direction::North,
            Edge::Below => Direction::South,
        }
    }
}

/// The rows of region `index` of `regions`, as the first and how many.
pub const fn rows(index: usize, regions: usize) -> (usize, usize) {
    let first = index * SIDE / regions;
    (first, (index + 1) * SIDE / regions - first)
}

/// A region in memory of its owner's.
pub struct Region<'a> {
    first: usize,
    rows: usize,
    cells: &'a mut [u8],
    choices: &'a mut [u8],
    /// The neighbours' rows at the edges.
    beyond: [[u8; SIDE]; 2],
    /// Who wants to come from there, by column; water is nobody.
    visitors: [[u8; SIDE]; 2],
    /// Columns in which a visitor got the cell.
    accepted: [[bool; SIDE]; 2],
}

impl<'a> Region<'a> {
    /// The region of `rows` rows from `first` on as the ocean begins. `None` unless `memory` has
    /// [`BYTES_A_ROW`] for each.
    pub fn new(seed: u32, first: usize, rows: usize, memory: &'a mut [u8]) -> Option<Self> {
        let (cells, choices) = memory.split_at_mut_checked(rows * SIDE)?;
        let choices = choices.get_mut(..rows * SIDE)?;
        for (place, cell) in cells.iter_mut().enumerate() {
            *cell = initial(seed, first + place / SIDE, place % SIDE).0;
        }
        let none = [[0; SIDE]; 2];
        Some(Region { first, rows, cells, choices, beyond: none, visitors: none, accepted: [[false; SIDE]; 2] })
    }

    /// How many fish there are, and how many sharks.
    pub fn population(&self) -> (u32, u32) {
        let count = |kind| self.cells.iter().filter(|cell| Cell(**cell).kind() == Some(kind)).count() as u32;
        (count(Kind::Fish), count(Kind::Shark))
    }

    /// The cells, row by row.
    pub fn cells(&self) -> &[u8] {
        self.cells
    }

    /// Where the row at an edge begins.
    fn outermost(&self, edge: Edge) -> usize {
        match edge {
            Edge::Above => 0,
            Edge::Below => (self.rows - 1) * SIDE,
        }
    }

    /// What the neighbour at an edge is to see.
    pub fn border(&self, edge: Edge) -> &[u8] {
        let from = self.outermost(edge);
        &self.cells[from..from + SIDE]
    }

    /// Takes what a neighbour shows. `false` if that is no row.
    pub fn see(&mut self, edge: Edge, row: &[u8]) -> bool {
        let fits = row.len() == SIDE;
        if fits {
            self.beyond[edge as usize].copy_from_slice(row);
        }
        fits
    }

    /// The cell next to one, or the neighbour's.
    fn next_to(&self, place: usize, direction: Direction) -> Cell {
        let (row, column) = (place / SIDE, place % SIDE);
        Cell(match direction {
            Direction::North if row == 0 => self.beyond[Edge::Above as usize][column],
            Direction::North => self.cells[place - SIDE],
            Direction::South if row + 1 == self.rows => self.beyond[Edge::Below as usize][column],
            Direction::South => self.cells[place + SIDE],
            Direction::East => self.cells[row * SIDE + (column + 1) % SIDE],
            Direction::West => self.cells[row * SIDE + (column + SIDE - 1) % SIDE],
        })
    }

    /// Lets every animal of a kind choose where to go.
    pub fn choose(&mut self, now: Now, kind: Kind) {
        for place in 0..self.cells.len() {
            let cell = Cell(self.cells[place]);
            self.choices[place] = 0;
            if cell.kind() == Some(kind) {
                let around = Direction::ALL.map(|direction| self.next_to(place, direction));
                let chosen = choice(now, cell, self.first + place / SIDE, place % SIDE, around);
                self.choices[place] = chosen.map_or(STAYS, |direction| direction as u8 + 1);
            }
        }
        self.visitors = [[0; SIDE]; 2];
        self.accepted = [[false; SIDE]; 2];
    }

    /// Who wants to cross an edge, as columns and animals. The result is the message's bytes.
    pub fn claims(&self, now: Now, edge: Edge, message: &mut [u8; MESSAGE_BYTES]) -> usize {
        let (from, row) = (self.outermost(edge), self.first + self.outermost(edge) / SIDE);
        let mut bytes = 0;
        for column in 0..SIDE {
            if self.choices[from + column] == edge.outward() as u8 + 1 {
                message[bytes] = column as u8;
                message[bytes + 1] = plan(now, Cell(self.cells[from + column]), row).arrives.0;
                bytes += 2;
            }
        }
        bytes
    }

    /// Takes a neighbour's claims. `false` if they make no sense.
    pub fn hear(&mut self, edge: Edge, claims: &[u8]) -> bool {
        let visitors = &mut self.visitors[edge as usize];
        for claim in claims.chunks(2) {
            match (visitors.get_mut(usize::from(claim[0])), claim.get(1)) {
                (Some(place), Some(&animal)) if animal != 0 && *place == 0 => *place = animal,
                _ => return false,
            }
        }
        true
    }

    /// Who comes to a cell from a direction, as it arrives.
    fn claimant(&self, now: Now, place: usize, from: Direction) -> Option<Cell> {
        let (row, column) = (place / SIDE, place % SIDE);
        let other = match from {
            Direction::North if row == 0 => return visitor(self.visitors[Edge::Above as usize][column]),
            Direction::South if row + 1 == self.rows => return visitor(self.visitors[Edge::Below as usize][column]),
            Direction::North => place - SIDE,
            Direction::South => place + SIDE,
            Direction::East => row * SIDE + (column + 1) % SIDE,
            Direction::West => row * SIDE + (column + SIDE - 1) % SIDE,
        };
        let wants = self.choices[other] & !GETS_IT == from.opposite() as u8 + 1;
        wants.then(|| plan(now, Cell(self.cells[other]), self.first + other / SIDE).arrives)
    }

    /// Decides who gets each cell, and moves them in.
    pub fn resolve(&mut self, now: Now, kind: Kind) {
        for place in 0..self.cells.len() {
            // Whoever acts in this half is in a cell that is closed to its kind, and so is nobody's goal.
            let found = Cell(self.cells[place]);
            if self.choices[place] != 0 || !found.is_open_to(kind) {
                continue;
            }
            let (row, column) = (place / SIDE, place % SIDE);
            let claimants = Direction::ALL.map(|from| self.claimant(now, place, from));
            let claims = claimants.map(|claimant| claimant.is_some());
            let Some(from) = winner(now, self.first + row, column, claims) else { continue };
            if let Some(animal) = claimants[from as usize] {
                self.cells[place] = arrived(animal, found).0;
                self.accept(row, column, from);
            }
        }
    }

    /// Notes that whoever comes to a cell from a direction gets it.
    fn accept(&mut self, row: usize, column: usize, from: Direction) {
        let other = match from {
            Direction::North if row == 0 => return self.accepted[Edge::Above as usize][column] = true,
            Direction::South if row + 1 == self.rows => return self.accepted[Edge::Below as usize][column] = true,
            Direction::North => (row - 1) * SIDE + column,
            Direction::South => (row + 1) * SIDE + column,
            Direction::East => row * SIDE + (column + 1) % SIDE,
            Direction::West => row * SIDE + (column + SIDE - 1) % SIDE,
        };
        self.choices[other] |= GETS_IT;
    }

    /// The columns in which the neighbour's animals have come. The result is the message's bytes.
    pub fn answers(&self, edge: Edge, message: &mut [u8; MESSAGE_BYTES]) -> usize {
        let mut bytes = 0;
        for (column, _) in self.accepted[edge as usize].iter().enumerate().filter(|(_, accepted)| **accepted) {
            message[bytes] = column as u8;
            bytes += 1;
        }
        bytes
    }

    /// Takes a neighbour's answers. `false` if they answer what was not asked.
    pub fn obey(&mut self, edge: Edge, answers: &[u8]) -> bool {
        let from = self.outermost(edge);
        answers.iter().all(|&column| {
            let asked = usize::from(column) < SIDE
                && self.choices[from + usize::from(column)] == edge.outward() as u8 + 1;
            if asked {
                self.choices[from + usize::from(column)] |= GETS_IT;
            }
            asked
        })
    }

    /// Leaves in each cell what whoever acted has left, or itself.
    pub fn settle(&mut self, now: Now) {
        for place in 0..self.cells.len() {
            let choice = self.choices[place];
            if choice != 0 {
                let plan = plan(now, Cell(self.cells[place]), self.first + place / SIDE);
                self.cells[place] = if choice & GETS_IT != 0 { plan.leaves.0 } else { plan.stays.0 };
            }
        }
    }
}

fn visitor(animal: u8) -> Option<Cell> {
    (animal != 0).then_some(Cell(animal))
}
