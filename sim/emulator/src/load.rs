//! Kernel and program into the RAM image that every processor starts with.

use std::borrow::Cow;

use object::elf::{FileHeader32, EM_RISCV, PN_XNUM, PT_LOAD};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol};
use testbed_definitions::boot::{self, option, word};
use testbed_definitions::limits::FILE_BYTES;
use testbed_definitions::packet::Faults;
use testbed_definitions::{file, map, page};
use testbed_kernel_core::elf::{Elf, Segment};
use testbed_machine::{brief, units, Machine};

use crate::engine::Image;

/// Why there is no image. `file` in messages is the ELF file's name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("{file}: no RISC-V program: no 32-bit little-endian ELF file: {reason}\n  help: give a program that was built for riscv32im-unknown-none-elf")]
    NotElf { file: String, reason: String },
    #[error("{file}: built for another architecture (ELF machine {machine})\n  help: build it for riscv32im-unknown-none-elf")]
    Architecture { file: String, machine: u16 },
    #[error("{file}: no program that the kernel can start: {reason}\n  help: link it as docs/programs.md says, with the linker script of libtos")]
    NotProgram { file: String, reason: String },
    #[error("{file}: segment at {address:#x}, {bytes} bytes, lies outside RAM ({ram_start:#x}, {ram_bytes} bytes)\n  help: link it for RAM, or choose a machine with more RAM (`ram` in its description)")]
    Outside { file: String, address: u64, bytes: u64, ram_start: u32, ram_bytes: u32 },
    #[error("{file}: no symbol `{}`, or not inside initialised data\n  help: the kernel must define it as a static in .data", boot::SYMBOL)]
    NoBootBlock { file: String },
    #[error(
        "machine {machine} has too little RAM: kernel {kernel} bytes, its tables {tables} bytes and files of {files} bytes \
         do not fit into {ram}\n  help: choose a machine with at least \"{needed}\" (`ram` in its description), or smaller or fewer files"
    )]
    RamTooSmall { machine: String, kernel: u64, tables: u64, files: u64, ram: String, needed: String },
    #[error(
        "no file can be called `{name}`\n  help: give a name of 1 to {} printable characters without blanks and slashes",
        file::NAME_BYTES
    )]
    FileName { name: String },
    #[error("{name} has {bytes} bytes, {} is the limit\n  help: split it", FILE_BYTES)]
    FileTooLarge { name: String, bytes: usize },
    #[error("{count} files, {} is the limit\n  help: leave some out", testbed_definitions::limits::FILES)]
    TooManyFiles { count: usize },
    #[error(
        "the arguments, with those of the balancer if there is one, take {bytes} bytes, {} is the limit\n  help: give fewer or shorter arguments",
        boot::ARGUMENT_BYTES
    )]
    Arguments { bytes: usize },
}

/// What the boot block tells the kernel, besides what the machine description says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boot {
    /// Choices of policy, `boot::option`.
    pub options: u32,
    /// Event classes, `dgl`.
    pub dgl: u32,
    pub seed: u32,
    /// Processor on which the program's first thread starts.
    pub start_processor: u32,
    /// Stores to the MMI's COMMAND, registers of the monitors' filters.
    pub commands: Vec<u32>,
    pub arguments: Vec<String>,
    /// Arguments of the balancer, which is started on the master if there are any.
    pub balancer: Vec<String>,
    /// What stations lose and damage of what they send, and send again; `None`: nothing, and they do
    /// not ask.
    pub faults: Option<Faults>,
    /// How often what processes exchange at the ends of supersteps leaves as datagrams:
    /// `boot::word::COPIES`.
    pub copies: u32,
}

/// Reads an ELF header, checked for class, byte order and architecture.
fn elf<'a>(file: &str, bytes: &'a [u8]) -> Result<ElfFile32<'a, LittleEndian>, LoadError> {
    let reason = |error: object::Error| LoadError::NotElf { file: file.into(), reason: error.to_string() };
    let header = FileHeader32::<LittleEndian>::parse(bytes).map_err(reason)?;
    let endian = header.endian().map_err(reason)?;
    match header.e_machine(endian) {
        EM_RISCV => ElfFile32::parse(bytes).map_err(reason),
        machine => Err(LoadError::Architecture { file: file.into(), machine }),
    }
}

/// Physical addresses and bytes.
type Segments = Vec<(u32, Vec<u8>)>;

/// The kernel's segments, and the first byte of RAM behind everything it occupies.
fn segments(file: &str, elf: &ElfFile32<LittleEndian>, ram_bytes: u32) -> Result<(Segments, u64), LoadError> {
    let ram = u64::from(map::RAM_BASE)..u64::from(map::RAM_BASE) + u64::from(ram_bytes);
    let (mut segments, mut end) = (Vec::new(), ram.start);
    for header in elf.elf_program_headers() {
        let field = |value: u32| u64::from(value);
        let (address, bytes) = (field(header.p_paddr(LittleEndian)), field(header.p_memsz(LittleEndian)));
        if header.p_type(LittleEndian) != PT_LOAD || bytes == 0 {
            continue;
        }
        if !ram.contains(&address) || address + bytes > ram.end {
            let (ram_start, file) = (map::RAM_BASE, file.into());
            return Err(LoadError::Outside { file, address, bytes, ram_start, ram_bytes });
        }
        let data = header.data(LittleEndian, elf.data()).map_err(|()| LoadError::NotElf {
            file: file.into(),
            reason: "a segment lies beyond the end of the file".into(),
        })?;
        end = end.max(address + bytes);
        segments.push((address as u32, data.to_vec()));
    }
    Ok((segments, end))
}

/// A file that the start processor finds in its filestore.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Bits of `definitions::file`. What can be executed must be an ELF file for this machine.
    pub permissions: u32,
}

impl<'a> File<'a> {
    /// A program that anybody may run.
    pub fn program(name: &'a str, bytes: &'a [u8]) -> File<'a> {
        File { name, bytes, permissions: file::READ | file::EXECUTE }
    }
}

/// The image for `machine`: `kernel` (ELF) at its place with the boot block filled in, `files` at
/// the top of RAM. The first file is the program to start.
///
/// # Errors
/// Files that are no ELF files for this machine, RAM too small, arguments too long.
pub fn image(machine: &Machine, kernel: (&str, &[u8]), files: &[File], boot: &Boot) -> Result<Image, LoadError> {
    let (file, bytes) = kernel;
    let kernel = elf(file, bytes)?;
    let (mut segments, kernel_end) = segments(file, &kernel, machine.ram_bytes)?;
    let store = filestore(files)?;
    let symbol = kernel.symbols().find(|symbol| symbol.name() == Ok(boot::SYMBOL)).map(|symbol| symbol.address());
    let no_block = || LoadError::NoBootBlock { file: file.into() };
    let place = block_at(&mut segments, symbol.ok_or_else(no_block)?).ok_or_else(no_block)?;
    let address = place_files(machine, (kernel_end, table_bytes(machine.ram_bytes, place)), store.len())?;
    fill_boot_block(place, machine, boot, (address, files.len() as u32))?;
    segments.push((address, store_at(store, address, files.len())));
    Ok(Image { segments, entry: kernel.entry() as u32 })
}

/// The part of a program's ELF file that is loaded: without symbols and debugging information,
/// which would only take up RAM.
fn trimmed(file: &str, bytes: &[u8]) -> Result<Vec<u8>, LoadError> {
    /// Offsets of e_shoff, and of e_shnum with e_shstrndx behind it, in a 32-bit ELF header.
    const SECTIONS: [std::ops::Range<usize>; 2] = [32..36, 48..52];
    let elf = elf(file, bytes)?;
    if elf.elf_header().e_phnum.get(LittleEndian) == PN_XNUM {
        // How many there are a section says, and sections are left out.
        let reason = "it has more segments than its header can count".into();
        return Err(LoadError::NotElf { file: file.into(), reason });
    }
    let headers = elf.elf_program_headers();
    let table = elf.elf_header().e_phoff.get(LittleEndian) as usize + std::mem::size_of_val(headers);
    let ends = headers
        .iter()
        .filter(|header| header.p_type(LittleEndian) == PT_LOAD)
        .map(|header| u64::from(header.p_offset(LittleEndian)).saturating_add(header.p_filesz(LittleEndian).into()));
    // The header belongs to it, also where nothing follows.
    let header = std::mem::size_of::<FileHeader32<LittleEndian>>();
    let end = ends.max().unwrap_or(0).max(table.max(header) as u64);
    let Some(part) = usize::try_from(end).ok().and_then(|end| bytes.get(..end)) else {
        let reason = "a segment lies beyond the end of the file".into();
        return Err(LoadError::NotElf { file: file.into(), reason });
    };
    let mut part = part.to_vec();
    for field in SECTIONS {
        part[field].fill(0);
    }
    Ok(part)
}

/// Records of the files, and from the next page boundary on the files themselves. Addresses are
/// still relative.
fn filestore(files: &[File]) -> Result<Vec<u8>, LoadError> {
    use file::record;
    if files.len() > testbed_definitions::limits::FILES {
        return Err(LoadError::TooManyFiles { count: files.len() });
    }
    let page = page::PAGE_BYTES as usize;
    let mut store = vec![0; (files.len() * record::WORDS * 4).next_multiple_of(page)];
    for (index, file) in files.iter().enumerate() {
        if !file::is_name(file.name.as_bytes()) {
            return Err(LoadError::FileName { name: brief(file.name) });
        }
        let bytes = stored(file)?;
        let place = &mut store[index * record::WORDS * 4..][..record::WORDS * 4];
        place[record::BYTES * 4..][..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        place[record::PERMISSIONS * 4..][..4].copy_from_slice(&file.permissions.to_le_bytes());
        place[record::NAME * 4..][..file.name.len()].copy_from_slice(file.name.as_bytes());
        let start = store.len() as u32;
        store[(index * record::WORDS + record::ADDRESS) * 4..][..4].copy_from_slice(&start.to_le_bytes());
        store.extend_from_slice(&bytes);
        store.resize(store.len().next_multiple_of(page), 0);
    }
    Ok(store)
}

/// The bytes of a file as they are in RAM, without the rest of the last page.
///
/// # Errors
/// It is to be executed and no ELF file for this machine, or it is too large.
pub fn stored<'a>(file: &File<'a>) -> Result<Cow<'a, [u8]>, LoadError> {
    let bytes = match file.permissions & file::EXECUTE {
        0 => Cow::Borrowed(file.bytes),
        _ => Cow::Owned(trimmed(file.name, file.bytes)?),
    };
    match bytes.len() {
        ..=FILE_BYTES => Ok(bytes),
        bytes => Err(LoadError::FileTooLarge { name: file.name.into(), bytes }),
    }
}

/// The program in a stored file, as the kernel reads it: from its first page.
fn program(stored: &[u8]) -> Option<Elf<'_>> {
    let head = &stored[..stored.len().min(page::PAGE_BYTES as usize)];
    Elf::parse(head, stored.len() as u32)
}

/// Bytes of memory that a process of this program takes before it has done anything, with the stack
/// that its header asks for; 0 of what is no program.
///
/// # Errors
/// As [`stored`].
pub fn memory(file: &File) -> Result<usize, LoadError> {
    let stored = stored(file)?;
    let pages = |bytes: u32| (bytes as usize).next_multiple_of(page::PAGE_BYTES as usize);
    let Some(program) = program(&stored) else { return Ok(0) };
    let segments: usize = program.segments().flatten().map(|segment| pages(segment.bytes)).sum();
    Ok(segments + pages(program.stack_bytes()))
}

/// Checks that the kernel can start this ELF file as a program; it reads it with the same code.
///
/// # Errors
/// It is no ELF file for this machine, or too large, or none whose segments a process can have.
pub fn check_program(name: &str, bytes: &[u8]) -> Result<(), LoadError> {
    let stored = stored(&File::program(name, bytes))?;
    let wrong = |reason: String| Err(LoadError::NotProgram { file: name.into(), reason });
    let Some(program) = program(&stored) else {
        return wrong("it is no executable, or its headers are not in its first page".into());
    };
    let mut code = None;
    for (number, segment) in program.segments().enumerate() {
        let Ok(Segment { address, bytes, .. }) = segment else {
            return wrong(format!(
                "its segment {number} lies beyond the end of the file, or is longer there than in memory"
            ));
        };
        let (start, end) = (u64::from(address), u64::from(address) + u64::from(bytes));
        let half = if address < page::DATA_BASE { page::DATA_BASE } else { page::VIRTUAL_BYTES };
        if end > u64::from(half) {
            let (data, all) = (page::DATA_BASE, page::VIRTUAL_BYTES);
            return wrong(format!(
                "its segment {number}, {start:#x} to {end:#x}, is neither code, below {data:#x}, nor data, from there to {all:#x}"
            ));
        }
        code = code.or((start..end).contains(&u64::from(program.entry)).then_some(number));
    }
    match code {
        Some(_) => Ok(()),
        None => wrong(format!("its entry point {:#x} is in none of its segments", program.entry)),
    }
}

/// The files as they are in RAM from `address` on.
fn store_at(mut store: Vec<u8>, address: u32, files: usize) -> Vec<u8> {
    for index in 0..files {
        let place = &mut store[(index * file::record::WORDS + file::record::ADDRESS) * 4..][..4];
        let relative = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
        place.copy_from_slice(&(address + relative).to_le_bytes());
    }
    store
}

/// Bytes of the tables that the kernel makes behind itself on a processor with so much RAM, as its
/// own boot block says.
fn table_bytes(ram_bytes: u32, block: &[u8]) -> u64 {
    let index = if ram_bytes < boot::LARGE_RAM { word::TABLES } else { word::TABLES_LARGE };
    let bytes = block.get(4 * index..).and_then(|bytes| bytes.first_chunk());
    u64::from(bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))) * u64::from(page::PAGE_BYTES)
}

/// The last page boundary from which the files fit into RAM, above the kernel and its tables.
fn place_files(machine: &Machine, (kernel_end, tables): (u64, u64), bytes: usize) -> Result<u32, LoadError> {
    let top = u64::from(map::RAM_BASE) + u64::from(machine.ram_bytes);
    let whole = |bytes: u64| bytes.next_multiple_of(page::PAGE_BYTES.into());
    let pages = whole(bytes as u64);
    match top.checked_sub(pages) {
        Some(address) if address >= whole(kernel_end) + tables => Ok(address as u32),
        _ => {
            let kernel = kernel_end - u64::from(map::RAM_BASE);
            let needed = (whole(kernel) + tables + pages).next_power_of_two();
            Err(LoadError::RamTooSmall {
                machine: machine.name.clone(),
                kernel,
                tables,
                files: bytes as u64,
                ram: units::print(machine.ram_bytes.into(), units::BYTES),
                needed: units::print(needed.into(), units::BYTES),
            })
        }
    }
}

/// Fills the kernel's boot block, but for the words that are the kernel's own.
fn fill_boot_block(
    block: &mut [u8],
    machine: &Machine,
    boot: &Boot,
    (files_address, files): (u32, u32),
) -> Result<(), LoadError> {
    let with_ends = |words: &[String]| words.iter().flat_map(|word| word.bytes().chain([0])).collect::<Vec<u8>>();
    let mut arguments = with_ends(&boot.arguments);
    let (bytes, balancer) = (arguments.len(), with_ends(&boot.balancer));
    arguments.extend(&balancer);
    if arguments.len() > boot::ARGUMENT_BYTES {
        return Err(LoadError::Arguments { bytes: arguments.len() });
    }
    let mut words = [0u32; boot::WORDS];
    words[word::MAGIC] = boot::MAGIC;
    words[word::PROCESSORS] = machine.processors.len() as u32;
    words[word::RAM_BYTES] = machine.ram_bytes;
    words[word::CLOCK_HZ] = machine.clock_hz;
    words[word::DIAG] = boot.dgl;
    words[word::SEED] = boot.seed;
    words[word::START_PROCESSOR] = boot.start_processor;
    words[word::FILES_ADDRESS] = files_address;
    words[word::FILES] = files;
    words[word::OPTIONS] = boot.options;
    if !balancer.is_empty() {
        words[word::OPTIONS] |= option::BALANCER | (balancer.len() as u32) << option::BALANCER_ARGUMENTS_SHIFT;
    }
    assert!(boot.commands.len() <= boot::COMMANDS_MAX, "a filter has no more registers");
    words[word::COMMANDS] = boot.commands.len() as u32;
    words[word::COMMAND..][..boot.commands.len()].copy_from_slice(&boot.commands);
    words[word::ARGUMENT_BYTES] = bytes as u32;
    if let Some(Faults { drop, corrupt }) = boot.faults {
        (words[word::LOSS], words[word::DAMAGE]) = (boot::CONFIRM | drop, corrupt);
    }
    words[word::COPIES] = boot.copies;
    for (index, (place, word)) in block.chunks_exact_mut(4).zip(words).enumerate() {
        if !matches!(index, word::TABLES | word::TABLES_LARGE) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    block[word::ARGUMENTS * 4..][..arguments.len()].copy_from_slice(&arguments);
    Ok(())
}

/// The boot block at `address`, if one segment's file data hold it whole.
fn block_at(segments: &mut [(u32, Vec<u8>)], address: u64) -> Option<&mut [u8]> {
    segments.iter_mut().find_map(|(start, data)| {
        let offset = usize::try_from(address.checked_sub(u64::from(*start))?).ok()?;
        data.get_mut(offset..offset.checked_add(boot::WORDS * 4)?)
    })
}
