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
    fn next_to(&self, row: usize, column: usize, direction: Direction) -> Cell {
        Cell(match self.other(row, column, direction) {
            Ok(place) => self.cells[place],
            Err(edge) => self.beyond[edge as usize][column],
        })
    }

    /// The cell next to one, or the edge beyond which it lies in the same column.
    #[inline]
    fn other(&self, row: usize, column: usize, direction: Direction) -> Result<usize, Edge> {
        let place = row * SIDE + column;
        match direction {
            Direction::North if row == 0 => Err(Edge::Above),
            Direction::South if row + 1 == self.rows => Err(Edge::Below),
            Direction::North => Ok(place - SIDE),
            Direction::South => Ok(place + SIDE),
            Direction::East => Ok(if column + 1 == SIDE { place + 1 - SIDE } else { place + 1 }),
            Direction::West => Ok(if column == 0 { place + SIDE - 1 } else { place - 1 }),
        }
    }

    /// Lets every animal of a kind choose where to go.
    pub fn choose(&mut self, now: Now, kind: Kind) {
        for row in 0..self.rows {
            for column in 0..SIDE {
                let place = row * SIDE + column;
                let cell = Cell(self.cells[place]);
                self.choices[place] = 0;
                if cell.kind() == Some(kind) {
                    let around = Direction::ALL.map(|direction| self.next_to(row, column, direction));
                    let chosen = choice(now, cell, self.first + row, column, around);
                    self.choices[place] = chosen.map_or(STAYS, |direction| direction as u8 + 1);
                }
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

    /// Whether somebody comes to a cell from a direction.
    fn is_claimed(&self, row: usize, column: usize, from: Direction) -> bool {
        match self.other(row, column, from) {
            Ok(place) => self.choices[place] & !GETS_IT == from.opposite() as u8 + 1,
            Err(edge) => self.visitors[edge as usize][column] != 0,
        }
    }

    /// Decides who gets each cell, and moves them in.
    pub fn resolve(&mut self, now: Now, kind: Kind) {
        for row in 0..self.rows {
            for column in 0..SIDE {
                let place = row * SIDE + column;
                // Whoever acts in this half is in a cell that is closed to its kind, and so is nobody's goal.
                if self.choices[place] != 0 || !Cell(self.cells[place]).is_open_to(kind) {
                    continue;
                }
                let claims = Direction::ALL.map(|from| self.is_claimed(row, column, from));
                if claims.contains(&true) {
                    if let Some(from) = winner(now, self.first + row, column, claims) {
                        self.move_in(now, row, column, from);
                    }
                }
            }
        }
    }

    /// Moves whoever comes to a cell from a direction into it, and notes that it has left.
    fn move_in(&mut self, now: Now, row: usize, column: usize, from: Direction) {
        let place = row * SIDE + column;
        let animal = match self.other(row, column, from) {
            Ok(other) => {
                self.choices[other] |= GETS_IT;
                let other_row = match from {
                    Direction::North => row - 1,
                    Direction::South => row + 1,
                    _ => row,
                };
                plan(now, Cell(self.cells[other]), self.first + other_row).arrives
            }
            Err(edge) => {
                self.accepted[edge as usize][column] = true;
                Cell(self.visitors[edge as usize][column])
            }
        };
        self.cells[place] = arrived(animal, Cell(self.cells[place])).0;
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
            let asked =
                usize::from(column) < SIDE && self.choices[from + usize::from(column)] == edge.outward() as u8 + 1;
            if asked {
                self.choices[from + usize::from(column)] |= GETS_IT;
            }
            asked
        })
    }

    /// Leaves in each cell what whoever acted has left, or itself.
    pub fn settle(&mut self, now: Now) {
        let rows = self.cells.chunks_exact_mut(SIDE).zip(self.choices.chunks_exact(SIDE));
        for (row, (cells, choices)) in (self.first..).zip(rows) {
            for (cell, &choice) in cells.iter_mut().zip(choices).filter(|(_, choice)| **choice != 0) {
                let plan = plan(now, Cell(*cell), row);
                *cell = if choice & GETS_IT != 0 { plan.leaves.0 } else { plan.stays.0 };
            }
        }
    }
}
