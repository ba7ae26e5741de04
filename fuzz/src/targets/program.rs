//! ELF files: programs for the bare machine, for the filestore, and as the kernel itself reads
//! them; and files of any kind that `--file` puts beside them.

use std::sync::OnceLock;

use testbed_definitions::map::{RAM_BASE, RAM_BYTES_MAX};
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::{boot, file};
use testbed_kernel_core::elf::Elf;
use testbed_machine::Machine;
use testbed_runner::files::Wanted;
use testbed_sim::image::Program;
use testbed_sim::load::{check_program, image, stored, Boot, File};

use super::target::{hold, sober, Target};

/// Programs as a compiler and a linker left them: one without data and one with, both stripped, and
/// a bare-metal one with its symbols.
const LINKED: [&[u8]; 3] = [
    include_bytes!("../../seeds/elf/hello"),
    include_bytes!("../../seeds/elf/sieve"),
    include_bytes!("../../seeds/elf/demo"),
];

/// ELF files.
pub const ELF: Target = Target {
    name: "elf",
    what: "ELF files of `run`, `exec`, `--file` and the kernel",
    words: &["\u{7f}ELF", "\u{7f}ELF\u{1}\u{1}\u{1}", "tohost\0", "\0\0\0\u{2}", "\u{3}\0\0\0"],
    seeds: || {
        let small = [program(RAM_BASE, 0, "tohost", 8), program(0x400, 0x8_0000, "tohost", 8)];
        small.into_iter().chain(LINKED.map(Vec::from)).collect()
    },
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

/// What `--file` names, in the first line, and the file's bytes behind it. The first byte says
/// whether it can be executed.
pub const FILE: Target = Target {
    name: "file",
    what: "names of `--file`, and files that lie in the filestore",
    words: &[
        "=",
        "/",
        "//",
        "hello",
        "hello=",
        "\n",
        "\n\u{7f}ELF",
        " ",
        "..",
        "\0",
        "\u{e9}",
        "\u{1b}[2J",
        "aaaaaaaaaaaaaaaa",
    ],
    seeds: || {
        let [hello, sieve, _] = LINKED;
        [&b"\0a=b/c.txt=d\nsome text\n"[..], b"\0hello\n", b"\0./hello=greet\n\0\x01\xff"]
            .map(Vec::from)
            .into_iter()
            .chain([[b"\x01x=hello\n", hello].concat(), [b"\x01sieve\n", sieve].concat()])
            .collect()
    },
    check: |input| {
        static KERNEL: OnceLock<Vec<u8>> = OnceLock::new();
        let kernel = KERNEL.get_or_init(|| program(RAM_BASE, 0, boot::SYMBOL, 4 * boot::WORDS as u32 + 64));
        let (flags, rest) = input.split_first().map_or((0, &[][..]), |(flags, rest)| (*flags, rest));
        let newline = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let (text, bytes) = (String::from_utf8_lossy(&rest[..newline]), rest.get(newline + 1..).unwrap_or_default());
        let wanted = Wanted::new(&text, &["hello".into()]);
        hold(text.contains(&wanted.name), || format!("a name from nowhere: {wanted:?}"))?;
        let executed = if flags & 1 == 0 { 0 } else { file::EXECUTE };
        let file = File { name: &wanted.name, bytes, permissions: file::READ | executed };
        let machine = Machine::testbed6();
        match image(&machine, ("kernel", kernel), &[file], &Boot::default()) {
            Ok(image) => {
                hold(file::is_name(wanted.name.as_bytes()), || format!("a file called {:?}", wanted.name))?;
                let ram = u64::from(RAM_BASE)..=u64::from(RAM_BASE) + u64::from(machine.ram_bytes);
                let ends = |(start, data): &(u32, Vec<u8>)| [u64::from(*start), u64::from(*start) + data.len() as u64];
                let inside = image.segments.iter().flat_map(ends).all(|end| ram.contains(&end));
                hold(inside, || "segments outside RAM".into())?;
                let kept = stored(&file).map_err(|error| error.to_string())?;
                let store = image.segments.last().map_or(&[][..], |(_, store)| &store[PAGE_BYTES as usize..]);
                hold(store.starts_with(&kept), || "what is in RAM is not the file".into())
            }
            Err(error) => sober(&error.to_string()),
        }
    },
};

/// A program of two segments, the second of which has `data_bytes` and is longer in memory than in
/// the file. `code` and `data` are where it lies, `symbol` is at the start of its data.
fn program(code: u32, data: u32, symbol: &str, data_bytes: u32) -> Vec<u8> {
    const HEADERS: u32 = 52;
    const SECTIONS: u32 = HEADERS + 3 * 32;
    let data = if data == 0 { code + 0x1000 } else { data };
    let content = SECTIONS + 4 * 40;
    let (symbols, names) = (content + 8 + data_bytes, content + 8 + data_bytes + 32);
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 1, 1, 1];
    bytes.resize(16, 0);
    let halves = |bytes: &mut Vec<u8>, halves: &[u16]| halves.iter().for_each(|half| bytes.extend(half.to_le_bytes()));
    let words = |bytes: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    halves(&mut bytes, &[2, 243]);
    words(&mut bytes, &[1, code, HEADERS, SECTIONS, 0]);
    halves(&mut bytes, &[52, 32, 3, 40, 4, 3]);
    // Segments: type, offset, virtual and physical address, bytes in the file and in memory, flags, alignment.
    words(&mut bytes, &[1, content, code, code, 8, 8, 5, 4]);
    words(&mut bytes, &[1, content + 8, data, data, data_bytes, data_bytes + 56, 6, 4]);
    words(&mut bytes, &[0x7000_0003, 0, 0, 0, 0, 0, 4, 1]);
    // Sections: none, the code, symbols, and their names.
    words(&mut bytes, &[0; 10]);
    words(&mut bytes, &[0, 1, 6, code, content, 8, 0, 0, 4, 0]);
    words(&mut bytes, &[0, 2, 0, 0, symbols, 32, 3, 1, 4, 16]);
    words(&mut bytes, &[0, 3, 0, 0, names, 2 + symbol.len() as u32, 0, 0, 1, 0]);
    words(&mut bytes, &[0x0000_0013, 0x0000_0013]);
    (0..data_bytes / 4).for_each(|word| words(&mut bytes, &[word + 1]));
    words(&mut bytes, &[0; 4]);
    words(&mut bytes, &[1, data, 4]);
    bytes.extend([0x11, 0]);
    halves(&mut bytes, &[1]);
    bytes.extend([&b"\0"[..], symbol.as_bytes(), b"\0"].concat());
    bytes
}
