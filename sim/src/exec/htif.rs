//! The host's side of HTIF, as the public RISC-V test programs use it: the word `tohost` carries
//! requests, `fromhost` the answers.
//!
//! | `tohost` | means |
//! |---|---|
//! | odd | the program is over; the upper bits are the exit code |
//! | even, device 0 | address of a block of eight 64-bit words: a system call (Linux's number) and its arguments; the result goes into the first word, and 1 into `fromhost` |
//! | device 1, command 1 | the low byte goes to the console |
//!
//! The device is in bits 63:56 and the command in bits 55:48. Of system calls there are `write` to
//! files 1 and 2, which is the console, and `exit`; others get the error `ENOSYS`. Other requests are
//! taken and not answered.

use testbed_definitions::map::RAM_BASE;

use crate::engine::{ConsoleByte, Engine, EngineError};
use crate::image::{Program, Symbol};

/// A request may be stored word by word. When one is seen, the machine runs on for this many cycles,
/// and what is there then counts.
const SETTLE_CYCLES: u64 = 32;

const CONSOLE: u32 = 1;
const PUT: u32 = 1;
/// Linux's numbers of system calls, and of errors.
const WRITE: u32 = 64;
const EXIT: u32 = 93;
const EBADF: i64 = -9;
const EFAULT: i64 = -14;
const ENOSYS: i64 = -38;

/// Where a program's words for the host are.
pub(super) struct Htif {
    tohost: u32,
    /// `tohost` has 64 bits and not only 32.
    wide: bool,
    fromhost: Option<u32>,
    ram_bytes: u32,
}

impl Htif {
    /// `None` if the program has no `tohost` in RAM.
    pub fn new(program: &Program, ram_bytes: u32) -> Option<Self> {
        let inside = |symbol: &Symbol, bytes| within(symbol.address, bytes, ram_bytes);
        let fromhost = program.find("fromhost").filter(|symbol| inside(symbol, 8));
        let tohost = program.find("tohost").filter(|symbol| inside(symbol, 4))?;
        // A label has no size; whoever has the pair of words has them as 64 bits each.
        let wide = inside(&tohost, 8) && (tohost.bytes >= 8 || tohost.bytes == 0 && fromhost.is_some());
        Some(Htif { tohost: tohost.address, wide, fromhost: fromhost.map(|symbol| symbol.address), ram_bytes })
    }

    /// Serves what the program asks for; its exit code if it is over.
    pub fn poll(&self, engine: &mut dyn Engine, console: &mut Vec<ConsoleByte>) -> Result<Option<u32>, EngineError> {
        if self.request(engine) == (0, 0) {
            return Ok(None);
        }
        engine.run_until(engine.cycle() + SETTLE_CYCLES)?;
        console.append(&mut engine.take_console());
        let (low, high) = self.request(engine);
        let answer = match (high >> 24, high >> 16 & 0xff) {
            (0, 0) if low & 1 == 1 => return Ok(Some(low >> 1)),
            (0, 0) => match self.call(engine, low, console) {
                Some(Call::Exit(code)) => return Ok(Some(code)),
                Some(Call::Done) => Some((1, 0)),
                None => None,
            },
            (CONSOLE, PUT) => {
                console.push(ConsoleByte { cycle: engine.cycle(), processor: 0, byte: low as u8 });
                Some((0x100 | low & 0xff, high & 0xffff_0000))
            }
            _ => None,
        };
        engine.write_ram(0, self.tohost, &[0; 8][..if self.wide { 8 } else { 4 }]);
        if let Some(((low, high), fromhost)) = answer.zip(self.fromhost) {
            engine.write_ram(0, fromhost, &(u64::from(high) << 32 | u64::from(low)).to_le_bytes());
        }
        Ok(None)
    }

    /// Low and high word of `tohost`.
    fn request(&self, engine: &dyn Engine) -> (u32, u32) {
        let mut bytes = [0; 8];
        engine.read_ram(0, self.tohost, &mut bytes[..if self.wide { 8 } else { 4 }]);
        let value = u64::from_le_bytes(bytes);
        (value as u32, (value >> 32) as u32)
    }

    /// The system call in the block at `address`; `None` if no block can be there.
    fn call(&self, engine: &mut dyn Engine, address: u32, console: &mut Vec<ConsoleByte>) -> Option<Call> {
        let mut block = [0; 64];
        if !address.is_multiple_of(8) || !within(address, block.len() as u32, self.ram_bytes) {
            return None;
        }
        engine.read_ram(0, address, &mut block);
        // Of 64 bits the upper ones are the sign, or nothing.
        let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| block[8 * index + byte]));
        let result = match word(0) {
            EXIT => return Some(Call::Exit(word(1))),
            WRITE if !(1..=2).contains(&word(1)) => EBADF,
            WRITE if !within(word(2), word(3), self.ram_bytes) => EFAULT,
            WRITE => {
                let mut bytes = vec![0; word(3) as usize];
                engine.read_ram(0, word(2), &mut bytes);
                let cycle = engine.cycle();
                console.extend(bytes.into_iter().map(|byte| ConsoleByte { cycle, processor: 0, byte }));
                i64::from(word(3))
            }
            _ => ENOSYS,
        };
        engine.write_ram(0, address, &result.to_le_bytes());
        Some(Call::Done)
    }
}

enum Call {
    Exit(u32),
    Done,
}

/// Whether so many bytes at an address are in RAM.
fn within(address: u32, bytes: u32, ram_bytes: u32) -> bool {
    let start = u64::from(address);
    let base = u64::from(RAM_BASE);
    start >= base && start + u64::from(bytes) <= base + u64::from(ram_bytes)
}
