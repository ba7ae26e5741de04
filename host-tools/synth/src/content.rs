//! What is in block RAM, and putting something else there without placing and routing anew.
//!
//! A machine is synthesised with random words in its RAM. Where they are found in the placed
//! design, there the RAM is: each block RAM has some bits of consecutive words. icebram of the open
//! tools does that for iCE40; for ECP5 this does.

use std::collections::HashMap;

use itertools::Itertools;
use testbed_hdl::ram::image_files;
use testbed_machine::{units, Machine};
use testbed_sim::engine::Image;

use super::SynthError;
use testbed_definitions::map::RAM_BASE;

/// Words of a processor's RAM.
pub type Words = Vec<u32>;

/// Words by which the RAM is found: the same for the same number.
pub fn random(count: usize) -> Words {
    // xorshift64*, from a constant that means nothing.
    let mut state = 0x1994_0703_c0de_5eed_u64;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// An image as words, zero where it has nothing.
///
/// # Errors
/// It does not fit into the machine's RAM, or does not start where processors do.
pub fn of_image(image: &Image, machine: &Machine) -> Result<Words, SynthError> {
    if image.entry != RAM_BASE {
        return Err(SynthError::Entry { entry: image.entry, start: RAM_BASE });
    }
    let end = |(start, data): &(u32, Vec<u8>)| u64::from(start.wrapping_sub(RAM_BASE)) + data.len() as u64;
    let bytes = image.segments.iter().map(end).max().unwrap_or(0);
    if bytes > u64::from(machine.ram_bytes) {
        let ram = units::print(machine.ram_bytes.into(), units::BYTES);
        return Err(SynthError::Program { bytes, machine: machine.name.clone(), ram });
    }
    let mut ram = vec![0; machine.ram_bytes as usize];
    for (start, data) in &image.segments {
        let offset = (start - RAM_BASE) as usize;
        ram[offset..offset + data.len()].copy_from_slice(data);
    }
    Ok(ram.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// Words in the order of RAM's banks: the even ones, then the odd ones. Blocks of consecutive words
/// of a bank are blocks of consecutive words of this.
pub fn in_banks(words: &[u32]) -> Words {
    banks(words).concat()
}

/// The words of each bank.
fn banks(words: &[u32]) -> [Words; 2] {
    [0, 1].map(|bank| words.iter().copied().skip(bank).step_by(2).collect())
}

/// The files from which the RAM of a design with the image `path` reads `words`, and their texts.
pub fn image(path: &str, words: &[u32]) -> impl Iterator<Item = (String, String)> {
    image_files(path).into_iter().zip(banks(words).map(|bank| hex(&bank)))
}

/// As `$readmemh` and icebram read it: a word a line.
pub fn hex(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}\n")).collect()
}

/// Bits of an ECP5 block RAM that hold data, without those that only the wide shapes have.
const BITS: usize = 16 * 1024;
/// Shapes: bits a word. The bits of a word lie in bytes of 9, of which the narrow shapes use 8.
const WIDTHS: [usize; 5] = [1, 2, 4, 9, 18];
/// Bytes of 9 bits.
const BYTES: usize = 2048;

/// Place of bit `bit` of word `word` in a block RAM `width` wide: byte and bit in it.
fn place(width: usize, word: usize, bit: usize) -> (usize, usize) {
    match width {
        9 | 18 => (word * (width / 9) + bit / 9, bit % 9),
        _ => (word * width / 8, word * width % 8 + bit),
    }
}

fn depth(width: usize) -> usize {
    match width {
        9 | 18 => BYTES * 9 / width,
        _ => BITS / width,
    }
}

/// One bit of consecutive words, packed.
fn column(count: usize, bit: impl Fn(usize) -> bool) -> Vec<u8> {
    (0..count.div_ceil(8)).map(|byte| (0..8).fold(0, |sum, n| sum | u8::from(bit(8 * byte + n)) << n)).collect()
}

/// Replaces `from` by `to`, both [in banks](in_banks), in the block RAM of a placed ECP5 design,
/// nextpnr's textual configuration. Gives it, and how many block RAM were changed.
pub fn replace_ecp5(configuration: &str, from: &[u32], to: &[u32]) -> Result<(String, usize), String> {
    assert_eq!(from.len(), to.len(), "words of one RAM");
    let columns = columns(from);
    let (mut out, mut found) = (String::with_capacity(configuration.len()), 0);
    let mut lines = configuration.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out += line;
        if !line.starts_with(".bram_init ") {
            continue;
        }
        let rows: Vec<&str> = lines.by_ref().take(BYTES / 8).collect();
        let mut bytes = Vec::with_capacity(BYTES);
        for text in rows.iter().flat_map(|row| row.split_whitespace()) {
            bytes.push(u16::from_str_radix(text, 16).map_err(|_| format!("{}: `{text}` is no number", line.trim()))?);
        }
        if bytes.len() != BYTES {
            return Err(format!("{}: {} values, not {BYTES}", line.trim(), bytes.len()));
        }
        found += usize::from(replace_block(&mut bytes, &columns, to));
        for row in bytes.chunks(8) {
            out += &row.iter().map(|byte| format!("{byte:03x}")).join(" ");
            out.push('\n');
        }
    }
    Ok((out, found))
}

/// Where each column of the shapes' depths stands in `words`: first word and bit.
fn columns(words: &[u32]) -> HashMap<Vec<u8>, (usize, usize)> {
    let mut columns = HashMap::new();
    for depth in WIDTHS.map(depth) {
        for first in (0..words.len() / depth).map(|block| block * depth) {
            for bit in 0..32 {
                columns.insert(column(depth, |word| words[first + word] >> bit & 1 == 1), (first, bit));
            }
        }
    }
    columns
}

/// Replaces the content of one block RAM if it has some of the words; else leaves it.
fn replace_block(bytes: &mut [u16], columns: &HashMap<Vec<u8>, (usize, usize)>, to: &[u32]) -> bool {
    for width in WIDTHS {
        let depth = depth(width);
        let held = (0..width).map(|bit| {
            let read = column(depth, |word| {
                let (byte, at) = place(width, word, bit);
                bytes[byte] >> at & 1 == 1
            });
            columns.get(&read).copied()
        });
        let held: Vec<_> = held.collect();
        if held.iter().all(Option::is_none) {
            continue;
        }
        for (bit, held) in held.into_iter().enumerate() {
            let Some((first, column)) = held else { continue };
            for word in 0..depth {
                let (byte, at) = place(width, word, bit);
                bytes[byte] = bytes[byte] & !(1 << at) | ((to[first + word] >> column & 1) as u16) << at;
            }
        }
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration of a design with block RAM of one shape that hold `words`, and one that holds something else.
    fn configuration(words: &[u32], width: usize) -> String {
        let depth = depth(width);
        let per_word = 32usize.div_ceil(width);
        let mut out = ".device LFE5U-85F\n\n".to_string();
        for block in 0..words.len() / depth * per_word {
            let (first, low) = (block / per_word * depth, block % per_word * width);
            let mut bytes = vec![0u16; BYTES];
            for word in 0..depth {
                for bit in 0..width.min(32 - low) {
                    let (byte, at) = place(width, word, bit);
                    bytes[byte] |= ((words[first + word] >> (low + bit) & 1) as u16) << at;
                }
            }
            out += &init(block, &bytes);
        }
        out + &init(999, &vec![0x155; BYTES]) + ".tile END\nenum: A B\n"
    }

    fn init(number: usize, bytes: &[u16]) -> String {
        let row = |row: &[u16]| row.iter().map(|byte| format!("{byte:03x}")).join(" ");
        format!(".bram_init {number}\n{}\n\n", bytes.chunks(8).map(row).join("\n"))
    }

    #[test]
    fn every_shape_is_found_and_replaced_and_nothing_else() {
        let (from, mut to) = (random(16 * 1024), random(16 * 1024));
        to.reverse();
        for width in WIDTHS {
            let blocks = from.len() / depth(width) * 32usize.div_ceil(width);
            let replaced = replace_ecp5(&configuration(&from, width), &from, &to).unwrap();
            assert_eq!(replaced, (configuration(&to, width), blocks), "{width} bits wide");
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let (from, to) = (random(16 * 1024), vec![0; 16 * 1024]);
        let other = configuration(&to, 9);
        assert_eq!(replace_ecp5(&other, &from, &to).unwrap(), (other, 0));
    }

    #[test]
    fn a_torn_configuration_is_an_error() {
        let words = random(16 * 1024);
        let error = replace_ecp5(".bram_init 3\n000 001\n", &words, &words).unwrap_err();
        assert!(error.contains("bram_init 3") && error.contains("2 values"), "{error}");
    }

    #[test]
    fn an_image_that_is_too_large_or_starts_elsewhere_is_refused() {
        let machine = Machine::single(1 << 14);
        let image = Image { segments: vec![], entry: RAM_BASE + 4 };
        let error = of_image(&image, &machine).unwrap_err().to_string();
        assert!(error.contains("0x80000004"), "{error}");
        let image = Image { segments: vec![(RAM_BASE + (1 << 14) - 4, vec![1; 8])], entry: RAM_BASE };
        let error = of_image(&image, &machine).unwrap_err().to_string();
        assert!(error.contains("16388 bytes") && error.contains("16 KiB"), "{error}");
        let image = Image { segments: vec![(RAM_BASE + 4, vec![1, 2, 3, 4, 5])], entry: RAM_BASE };
        let words = of_image(&image, &machine).unwrap();
        assert_eq!((words.len(), &words[..4]), (1 << 12, &[0, 0x0403_0201, 5, 0][..]));
    }

    #[test]
    fn readmemh_gets_a_word_a_line() {
        assert_eq!(hex(&[0x1234_5678, 0xff]), "12345678\n000000ff\n");
        assert_eq!(in_banks(&[1, 2, 3, 4]), [1, 3, 2, 4]);
    }
}
