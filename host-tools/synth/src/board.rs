//! Boards: what `constraints/NAME/board.toml` says of them.

use itertools::Itertools;
use serde::Deserialize;
use testbed_hdl::board::Options;
use testbed_hdl::support::synthesis::Family;
use testbed_machine::{suggest, units, Machine};

use super::floorplan::RamTiles;
use super::SynthError;

/// A board that the machine can be put on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// As the folder in `constraints/`.
    pub name: String,
    #[serde(deserialize_with = "family")]
    pub family: Family,
    /// As nextpnr's option calls it, such as `85k` or `hx8k`.
    pub device: String,
    /// As nextpnr calls it.
    pub package: String,
    /// Block RAM that the device has.
    pub block_rams: u64,
    /// Hertz of the oscillator on the board.
    #[serde(rename = "oscillator", deserialize_with = "hertz")]
    pub oscillator_hz: u32,
    /// Name of the machine that is made for it.
    pub machine: String,
    /// What is in RAM unless something else is wanted: a program by name, with its arguments.
    pub program: String,
    /// What loads a bitstream, before its name.
    pub loader: String,
    /// File of pins beside the description.
    pub pins: String,
    /// What is in it.
    #[serde(skip)]
    pub pins_text: String,
    /// LEDs that show the lowest lines of the machine's eight.
    pub leds: u32,
    /// There is a line, low, that tells the host that the console takes characters.
    #[serde(default)]
    pub cts: bool,
    /// Where its block RAM is, if machines are to be laid out by it.
    #[serde(default)]
    pub ram_tiles: RamTiles,
    /// Block RAM is all for processors and SMIs; see [`Options::queues_in_luts`].
    #[serde(default)]
    pub queues_in_luts: bool,
}

/// The least that a board's bitstream has to reach; `constraints/NAME/limits.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// LUT4 after mapping, at most, as [`testbed_hdl::support::synthesis::Cells`] counts.
    pub luts: usize,
    /// Flip-flops after mapping, at most.
    pub flip_flops: usize,
    /// Block RAM primitives, exactly: one more or less is a memory that was mapped otherwise than meant.
    pub block_rams: usize,
    /// MHz that the machine's clock reaches after routing, at least.
    pub fmax: f64,
}

macro_rules! folders {
    ($($name:literal $pins:literal),* $(,)?) => {
        &[$(Folder {
            name: $name,
            board: include_str!(concat!("../../../constraints/", $name, "/board.toml")),
            pins: include_str!(concat!("../../../constraints/", $name, "/", $pins)),
            limits: include_str!(concat!("../../../constraints/", $name, "/limits.toml")),
        }),*]
    };
}

struct Folder {
    name: &'static str,
    board: &'static str,
    pins: &'static str,
    limits: &'static str,
}

const FOLDERS: &[Folder] = folders!["ulx3s-85f" "pins.lpf", "hx8k-evn" "pins.pcf"];

fn hertz<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let text = String::deserialize(from)?;
    let hertz = units::parse(&text, units::HERTZ).map_err(serde::de::Error::custom)?;
    u32::try_from(hertz).map_err(serde::de::Error::custom)
}

fn family<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Family, D::Error> {
    match String::deserialize(from)?.as_str() {
        "ecp5" => Ok(Family::Ecp5),
        "ice40" => Ok(Family::Ice40),
        other => Err(serde::de::Error::custom(format!("no family is called `{other}`; there are ecp5 and ice40"))),
    }
}

impl Board {
    /// Names of all boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FOLDERS.iter().map(|folder| folder.name)
    }

    fn folder(name: &str) -> Result<&'static Folder, SynthError> {
        let unknown = || SynthError::Board {
            name: name.into(),
            meant: suggest::question(name, Self::names()),
            known: Self::names().join(", "),
        };
        FOLDERS.iter().find(|folder| folder.name == name).ok_or_else(unknown)
    }

    /// The board of this name.
    ///
    /// # Errors
    /// There is none; the message lists those that are.
    pub fn named(name: &str) -> Result<Self, SynthError> {
        let folder = Self::folder(name)?;
        let board: Board = toml::from_str(folder.board).expect("the descriptions in constraints/ are tested");
        Ok(Board { pins_text: folder.pins.into(), ..board })
    }

    /// What suits the board that `machine` is meant for, if it is for one, with RAM all zero.
    ///
    /// # Errors
    /// There is no such board.
    pub fn options(machine: &Machine) -> Result<Options, SynthError> {
        let Some(name) = &machine.board else { return Ok(Options::default()) };
        Ok(Options { queues_in_luts: Self::named(name)?.queues_in_luts, ..Options::default() })
    }

    /// What its bitstream has to keep.
    pub fn limits(&self) -> Limits {
        let text = Self::folder(&self.name).map_or("", |folder| folder.limits);
        toml::from_str(text).expect("the limits in constraints/ are tested")
    }

    /// The machine for this board: `wanted`, or the one that the description names.
    ///
    /// # Errors
    /// There is none, its description is wrong, or it says that it is for another board.
    pub fn load_machine(&self, wanted: Option<&str>) -> Result<Machine, SynthError> {
        let machine = Machine::load(wanted.unwrap_or(&self.machine))?;
        match &machine.board {
            Some(board) if *board != self.name => Err(SynthError::OtherBoard {
                machine: machine.name.clone(),
                board: board.clone(),
                wanted: self.name.clone(),
                meant: self.machine.clone(),
            }),
            // One that is for no board in particular is taken for this one.
            _ => Ok(Machine { board: Some(self.name.clone()), ..machine }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_is_described_and_lies_in_the_folder_of_its_name() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            assert_eq!(board.name, name);
            assert!((1..=8).contains(&board.leds), "{name}");
            assert!(board.limits().fmax > 0.0, "{name}");
        }
    }

    #[test]
    fn every_folder_of_a_board_is_known() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../constraints");
        let found = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<_> = found
            .filter(|path| path.join("board.toml").is_file())
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        let mut known: Vec<_> = Board::names().collect();
        known.sort_unstable();
        assert_eq!(found, known);
    }

    #[test]
    fn every_boards_machine_is_for_it_and_fits_its_family() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            let machine = board.load_machine(None).unwrap();
            assert_eq!(machine.board.as_deref(), Some(name), "machine {}", machine.name);
        }
    }

    #[test]
    fn a_machine_for_another_board_is_refused_with_the_one_to_take() {
        let board = Board::named("hx8k-evn").unwrap();
        let error = board.load_machine(Some("ulx3s-85f")).unwrap_err().to_string();
        assert!(error.contains("is for the board ulx3s-85f") && error.contains("--machine hx8k-evn"), "{error}");
    }

    #[test]
    fn the_queues_of_a_machine_lie_where_its_board_says() {
        let in_luts = |name| Board::options(&Machine::named(name).unwrap()).unwrap().queues_in_luts;
        assert!(in_luts("ulx3s-85f") && !in_luts("hx8k-evn") && !in_luts("testbed6"));
        let error = Board::options(&Machine { board: Some("arty".into()), ..Machine::testbed6() }).unwrap_err();
        assert!(error.to_string().contains("`arty`"), "{error}");
    }

    #[test]
    fn an_unknown_board_gets_the_list() {
        let error = Board::named("arty").unwrap_err().to_string();
        assert!(error.contains("`arty`") && error.contains("ulx3s-85f, hx8k-evn"), "{error}");
    }
}
