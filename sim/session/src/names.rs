//! Names of processors for programs that want to know them; see [`testbed_definitions::names`].

use object::read::elf::{ElfFile32, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol};
use testbed_definitions::names::{Table, NAME_BYTES, SYMBOL};
use testbed_machine::Machine;

/// Writes the names of `machine`'s processors into the bytes of a file, if that is a program with a
/// place for them.
pub fn insert(bytes: &mut [u8], machine: &Machine) {
    let Some(place) = place(bytes) else { return };
    let Some(table) = bytes.get_mut(place..place + size_of::<Table>()) else { return };
    table.fill(0);
    for (entry, name) in table.chunks_exact_mut(NAME_BYTES).zip(&machine.processors) {
        // The description bounds them.
        entry[..name.len()].copy_from_slice(name.as_bytes());
    }
}

/// Offset of the table in an ELF file.
fn place(bytes: &[u8]) -> Option<usize> {
    let elf: ElfFile32<LittleEndian> = ElfFile32::parse(bytes).ok()?;
    let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(SYMBOL))?;
    if symbol.size() != size_of::<Table>() as u64 {
        return None;
    }
    elf.elf_program_headers().iter().find_map(|header| {
        let within = symbol.address().checked_sub(header.p_vaddr(LittleEndian).into())?;
        let fits = within + symbol.size() <= u64::from(header.p_filesz(LittleEndian));
        fits.then_some(header.p_offset(LittleEndian) as usize + within as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_stays_as_it_is() {
        for bytes in [&b"no ELF file"[..], b"\x7fELF\x01\x01", b""] {
            let mut file = bytes.to_vec();
            insert(&mut file, &Machine::testbed6());
            assert_eq!(file, bytes);
        }
    }
}
