//! The whole ocean, sequentially: all cells in one loop, without regions or messages. It is what
//! divided oceans are compared with.

use super::{arrived, choice, initial, plan, winner, Cell, Direction, Kind, Now, SIDE};

const CELLS: usize = SIDE * SIDE;

/// All cells, row by row.
pub struct Ocean {
    cells: [Cell; CELLS],
}

impl Ocean {
    /// As it begins.
    pub fn new(seed: u32) -> Self {
        Ocean { cells: core::array::from_fn(|place| initial(seed, place / SIDE, place % SIDE)) }
    }

    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Lets all fish act, then all sharks.
    pub fn step(&mut self, now: Now) {
        for kind in Kind::HALVES {
            self.half(now, kind);
        }
    }

    fn half(&mut self, now: Now, kind: Kind) {
        let before = self.cells;
        // By cell: who wants to come, from each direction.
        let mut claims: [[Option<u16>; 4]; CELLS] = [[None; 4]; CELLS];
        for place in (0..CELLS).filter(|&place| before[place].kind() == Some(kind)) {
            let around = Direction::ALL.map(|direction| before[neighbour(place, direction)]);
            if let Some(to) = choice(now, before[place], place / SIDE, place % SIDE, around) {
                claims[neighbour(place, to)][to.opposite() as usize] = Some(place as u16);
            }
            self.cells[place] = plan(now, before[place], place / SIDE).stays;
        }
        for (place, claims) in claims.iter().enumerate() {
            let who = winner(now, place / SIDE, place % SIDE, claims.map(|claim| claim.is_some()));
            if let Some(from) = who.and_then(|who| claims[who as usize]) {
                let from = usize::from(from);
                let plan = plan(now, before[from], from / SIDE);
                self.cells[place] = arrived(plan.arrives, before[place]);
                self.cells[from] = plan.leaves;
            }
        }
    }

    /// How many fish there are, and how many sharks.
    pub fn population(&self) -> (u32, u32) {
        let count = |kind| self.cells.iter().filter(|cell| cell.kind() == Some(kind)).count() as u32;
        (count(Kind::Fish), count(Kind::Shark))
    }
}

fn neighbour(place: usize, direction: Direction) -> usize {
    let (row, column) = (place / SIDE, place % SIDE);
    match direction {
        Direction::North => (row + SIDE - 1) % SIDE * SIDE + column,
        Direction::South => (row + 1) % SIDE * SIDE + column,
        Direction::East => row * SIDE + (column + 1) % SIDE,
        Direction::West => row * SIDE + (column + SIDE - 1) % SIDE,
    }
}
