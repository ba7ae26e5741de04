//! Where each processor's RAM lies on the device.
//!
//! A machine that fills a device's block RAM leaves the placer no choice among them but many among
//! which block is whose, and it scatters them: a core's words come from everywhere. So each processor gets a
//! block of neighbouring columns in two neighbouring rows, and the placer puts its core among them.

use std::fmt::Write;

use itertools::Itertools;
use serde::Deserialize;
use testbed_hdl::ram::BANKS;

/// Tiles of a device that have block RAM, as nextpnr counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RamTiles {
    pub columns: Vec<u32>,
    pub rows: Vec<u32>,
}

/// Rows of tiles that a processor has a part of.
const ROWS: usize = 2;

/// A block RAM of a machine: processor, bank, and place in the bank's words, the lowest bits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub processor: usize,
    pub bank: usize,
    pub slice: usize,
}

/// A tile: the indices of its column and row in [`RamTiles`].
pub type Tile = (usize, usize);

impl RamTiles {
    /// A tile for each of the `blocks` block RAM that each of the `processors` has. `None` if there are too few
    /// beside each other, or the number is no multiple of four.
    pub fn assign(&self, processors: usize, blocks: usize) -> Option<Vec<(Block, Tile)>> {
        let bands = self.rows.len() / ROWS;
        if bands == 0 || processors == 0 || blocks == 0 || blocks % (BANKS.len() * ROWS) != 0 {
            return None;
        }
        let groups = processors.div_ceil(bands);
        let (width, wanted) = (self.columns.len() / groups, blocks / ROWS);
        if wanted > width {
            return None;
        }
        // The master, whose monitor all others talk to, is in the middle.
        let middle_first = (0..groups).sorted_by_key(|&group| (2 * group + 1).abs_diff(groups));
        let places = middle_first.map(|group| (0, group)).chain((1..bands).cartesian_product(0..groups));
        let slices = blocks / BANKS.len();
        let place = |(processor, (band, group)): (usize, (usize, usize))| {
            let first = group * (self.columns.len() - width) / (groups - 1).max(1) + (width - wanted) / 2;
            (0..slices).cartesian_product(0..BANKS.len()).map(move |(slice, bank)| {
                let (row, column) = (slice / (slices / ROWS), slice % (slices / ROWS));
                (Block { processor, bank, slice }, (first + column * BANKS.len() + bank, band * ROWS + row))
            })
        };
        Some(places.take(processors).enumerate().flat_map(place).collect())
    }

    /// yosys' commands that say so to nextpnr, of the mapped module `top`; it fails if it calls a block RAM otherwise.
    pub fn commands(&self, top: &str, processors: usize, blocks: usize) -> Option<String> {
        let assigned = self.assign(processors, blocks)?;
        let all = assigned.len();
        let mut text = String::new();
        for (Block { processor, bank, slice }, (column, row)) in assigned {
            // As yosys calls a memory's parts: row, and column of bits.
            let cell = format!("{top}/board.machine.processors${processor}.ram.{}.0.{slice}", BANKS[bank]);
            let (x, y, number) = (self.columns[column], self.rows[row], column % TILES_OF_FOUR);
            writeln!(text, "setattr -set BEL \"X{x}/Y{y}/EBR{number}\" {cell}").expect("memory");
        }
        writeln!(text, "select -assert-count {all} {top}/a:BEL").expect("memory");
        Some(text)
    }
}

/// Neighbouring columns are numbered by turns, over and over.
const TILES_OF_FOUR: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn ecp5_85() -> RamTiles {
        crate::board::Board::named("ulx3s-85f").unwrap().ram_tiles
    }

    #[test]
    fn each_block_has_a_tile_of_its_own_and_a_processor_neighbours() {
        let tiles = ecp5_85();
        assert_eq!(tiles.columns.len() * tiles.rows.len(), 208);
        for (processors, blocks) in [(6, 32), (6, 16), (2, 32), (1, 64), (8, 24)] {
            let assigned = tiles.assign(processors, blocks).unwrap();
            assert_eq!(assigned.len(), processors * blocks);
            assert!(assigned.iter().map(|(_, tile)| tile).all_unique());
            assert!(assigned.iter().map(|(block, _)| block).all_unique());
            for processor in 0..processors {
                let mine = assigned.iter().filter(|(block, _)| block.processor == processor);
                let (columns, rows): (Vec<_>, Vec<_>) = mine.map(|(_, tile)| *tile).unzip();
                let (least, most) = columns.iter().minmax().into_option().unwrap();
                assert_eq!(most - least + 1, blocks / ROWS, "{processors} with {blocks}");
                assert_eq!(rows.iter().unique().count(), ROWS);
                assert!(rows.iter().all(|row| row / ROWS == rows[0] / ROWS));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_left_to_the_placer() {
        let tiles = ecp5_85();
        assert_eq!(tiles.assign(6, 36), None);
        assert_eq!(tiles.assign(6, 2), None);
        assert_eq!(RamTiles::default().assign(1, 4), None);
    }

    #[test]
    fn the_commands_name_cells_and_tiles() {
        let text = ecp5_85().commands("fpga", 6, 32).unwrap();
        assert_eq!(text.lines().count(), 193);
        let first = r#"setattr -set BEL "X42/Y22/EBR1" fpga/board.machine.processors$0.ram.mem_0.0.0"#;
        assert_eq!(text.lines().next(), Some(first));
        assert_eq!(text.lines().last(), Some("select -assert-count 192 fpga/a:BEL"));
    }
}
