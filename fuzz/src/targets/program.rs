//! ELF files: programs for the bare machine, for the filestore, and as the kernel itself reads them.

use testbed_definitions::map::{RAM_BASE, RAM_BYTES_MAX};
use testbed_definitions::page::PAGE_BYTES;
use testbed_host_tools::load::{check_program, stored, File};
use testbed_kernel_core::elf::Elf;
use testbed_sim::image::Program;

use super::{hold, Target};

/// ELF files.
pub const ELF: Target = Target {
    name: "elf",
    what: "ELF files of `run`, `exec`, `--file` and the kernel",
    words: &["\u{7f}ELF", "\u{7f}ELF\u{1}\u{1}\u{1}", "tohost\0", "\0\0\0\u{2}", "\u{3}\0\0\0"],
    seeds: || vec![program(RAM_BASE, 0), program(0x400, 0x8_0000), Vec::new()],
    check: |input| {
        let ram = u64::from(RAM_BASE)..u64::from(RAM_BASE) + u64::from(RAM_BYTES_MAX);
        match Program::parse(input, RAM_BYTES_MAX) {
            Ok(program) => {
                let mut bytes = 0;
                for (start, data) in &program.image.segments {
                    let end = u64::from(*start) + data.len() as u64;
                    hold(ram.contains(&u64::from(*start)) && end <= ram.end, || format!("{start:#x} to {end:#x}"))?;
                    bytes += data.len();
                }
                hold(bytes <= RAM_BYTES_MAX as usize, || format!("{bytes} bytes of segments"))?;
                hold(ram.contains(&u64::from(program.image.entry)), || format!("entry {:#x}", program.image.entry))?;
                let _ = (program.tohost(), program.symbols().count());
            }
            Err(error) => hold(error.to_string().len() <= 4096, || "a long message".into())?,
        }
        let kept = stored(&File::program("file", input));
        if let Ok(kept) = &kept {
            hold(kept.len() <= input.len(), || "what is stored has grown".into())?;
            let again = stored(&File::program("file", kept));
            hold(again.as_ref() == Ok(kept), || "what is stored is not stored the same again".into())?;
        }
        let checked = check_program("file", input);
        let sound = kept.as_ref().is_ok_and(|kept| {
            let head = &kept[..kept.len().min(PAGE_BYTES as usize)];
            Elf::parse(head, kept.len() as u32).is_some_and(|elf| elf.segments().all(|segment| segment.is_ok()))
        });
        match checked {
            Ok(()) => hold(sound, || "checked, but the kernel refuses it".into()),
            Err(error) => {
                let error = error.to_string();
                hold(error.starts_with("file") && error.contains("\n  help: "), || format!("no remedy: {error}"))
            }
        }
    },
};

/// A program of two segments, one of them longer in memory than in the file, with a symbol. `code` and `data` are where it lies.
fn program(code: u32, data: u32) -> Vec<u8> {
    const HEADERS: u32 = 52;
    const SECTIONS: u32 = HEADERS + 3 * 32;
    let data = if data == 0 { code + 0x1000 } else { data };
    let content = SECTIONS + 4 * 40;
    let (symbols, names) = (content + 16, content + 16 + 32);
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 1, 1];
    bytes.resize(16, 0);
    let halves = |bytes: &mut Vec<u8>, halves: &[u16]| halves.iter().for_each(|half| bytes.extend(half.to_le_bytes()));
    let words = |bytes: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    halves(&mut bytes, &[2, 243]);
    words(&mut bytes, &[1, code, HEADERS, SECTIONS, 0]);
    halves(&mut bytes, &[52, 32, 3, 40, 4, 3]);
    // Segments: type, offset, virtual and physical address, bytes in the file and in memory, flags, alignment.
    words(&mut bytes, &[1, content, code, code, 8, 8, 5, 4]);
    words(&mut bytes, &[1, content + 8, data, data, 8, 64, 6, 4]);
    words(&mut bytes, &[0x7000_0003, 0, 0, 0, 0, 0, 4, 1]);
    // Sections: none, the code, symbols, and their names.
    words(&mut bytes, &[0; 10]);
    words(&mut bytes, &[0, 1, 6, code, content, 8, 0, 0, 4, 0]);
    words(&mut bytes, &[0, 2, 0, 0, symbols, 32, 3, 1, 4, 16]);
    words(&mut bytes, &[0, 3, 0, 0, names, 8, 0, 0, 1, 0]);
    words(&mut bytes, &[0x0000_0013, 0x0000_0013, 1, 2]);
    words(&mut bytes, &[0; 4]);
    words(&mut bytes, &[1, data, 4]);
    bytes.extend([0x11, 0]);
    halves(&mut bytes, &[1]);
    bytes.extend(b"\0tohost\0");
    bytes
}
