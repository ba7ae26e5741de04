//! ELF files without what only debuggers read.

use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};
use testbed_definitions::{boot, names};
use testbed_kernel_core::layout;
use testbed_sim::load::{self, File, LoadError};

/// Symbols by which an image is made, and by which the kernel's tables are found in RAM.
const KEPT: [&str; 3] = [boot::SYMBOL, names::SYMBOL, layout::KERNEL];
/// Sizes in a 32-bit ELF file: of a symbol, and of a section's header.
const SYMBOL_BYTES: usize = 16;
const HEADER_BYTES: usize = 40;
/// Fields of the file's header.
const SECTIONS_AT: usize = 32;
const SECTION_BYTES_AT: usize = 46;

/// The file with what is loaded, the symbols by which an image is made, and the section that says
/// where a kernel's tables are, and nothing else: the image is the same.
///
/// # Errors
/// It is no ELF file for this machine.
pub fn lean(name: &str, bytes: &[u8]) -> Result<Vec<u8>, LoadError> {
    let mut file = load::stored(&File::program(name, bytes))?.into_owned();
    let (symbols, layout) = kept(bytes);
    if symbols.is_empty() {
        return Ok(file);
    }
    let (mut table, mut names) = (vec![0; SYMBOL_BYTES], vec![0]);
    for (name, address, size) in &symbols {
        let words = [names.len() as u32, *address, *size];
        table.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        // Global, of no type, absolute: in no section, and not undefined.
        table.extend([0x10, 0, 0xf1, 0xff]);
        names.extend(name.bytes().chain([0]));
    }
    file.resize(file.len().next_multiple_of(4), 0);
    let symbols_at = file.len() as u32;
    let layout_name = names.len() as u32;
    names.extend(layout::SECTION.bytes().chain([0]));
    let (symbol_bytes, name_bytes, layout_bytes) = (table.len() as u32, names.len() as u32, layout.len() as u32);
    file.extend(table);
    file.extend(names);
    file.extend(layout);
    file.resize(file.len().next_multiple_of(4), 0);
    let headers_at = file.len() as u32;
    // Name, kind, flags, address, offset, bytes, link, info, alignment, bytes of an entry.
    let names_at = symbols_at + symbol_bytes;
    let headers: [[u32; HEADER_BYTES / 4]; 4] = [
        [0; HEADER_BYTES / 4],
        [0, 2, 0, 0, symbols_at, symbol_bytes, 2, 1, 4, SYMBOL_BYTES as u32],
        [0, 3, 0, 0, names_at, name_bytes, 0, 0, 1, 0],
        [layout_name, 1, 0, 0, names_at + name_bytes, layout_bytes, 0, 0, 1, 0],
    ];
    file.extend(headers.iter().flatten().flat_map(|word| word.to_le_bytes()));
    file[SECTIONS_AT..][..4].copy_from_slice(&headers_at.to_le_bytes());
    let counts = [HEADER_BYTES as u16, headers.len() as u16, 2];
    for (place, count) in counts.iter().enumerate() {
        file[SECTION_BYTES_AT + 2 * place..][..2].copy_from_slice(&count.to_le_bytes());
    }
    Ok(file)
}

/// Name, address and size of the symbols that are kept, and the bytes of the section.
fn kept(bytes: &[u8]) -> (Vec<(String, u32, u32)>, Vec<u8>) {
    let Ok(elf) = ElfFile32::<LittleEndian>::parse(bytes) else { return Default::default() };
    let known = elf.symbols().filter_map(|symbol| {
        let name = symbol.name().ok().filter(|name| KEPT.contains(name) && !symbol.is_undefined())?;
        Some((name.to_string(), symbol.address() as u32, symbol.size() as u32))
    });
    let layout = elf.section_by_name(layout::SECTION).and_then(|section| section.data().ok());
    (known.collect(), layout.unwrap_or_default().to_vec())
}
