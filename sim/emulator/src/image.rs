//! ELF files: what goes into RAM, and where symbols are.

use crate::engine::Image;
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader, SectionHeader};
use object::{elf, LittleEndian, Object, ObjectSymbol};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
#[cfg(feature = "files")]
use std::path::{Path, PathBuf};
use testbed_definitions::map::RAM_BASE;

/// Why a file is not a program for this machine.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[cfg(feature = "files")]
    #[error("cannot read {path}: {source}; check the path", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("not an ELF file: it begins with {0:02x?}; give the ELF that the linker wrote, not a binary or text made from it")]
    NotElf(Vec<u8>),
    #[error("{0}, but the machine runs 32-bit little-endian RISC-V; compile for riscv32im-unknown-none-elf or with -march=rv32im_zicsr -mabi=ilp32")]
    WrongArchitecture(String),
    #[error("not an executable (ELF type {0}); link it at {RAM_BASE:#010x}")]
    NotExecutable(u16),
    #[error("malformed ELF file: {0}")]
    Malformed(String),
    #[error("nothing to load: the ELF file has no loadable segment")]
    Empty,
    #[error("segment {index} at {start:#010x} to {end:#010x} is not in RAM, {RAM_BASE:#010x} to {ram_end:#010x}; link for this machine's RAM, or choose a machine with more")]
    OutsideRam { index: usize, start: u64, end: u64, ram_end: u64 },
    #[error("segments {first} and {second} overlap at {address:#010x}")]
    Overlap { first: usize, second: usize, address: u64 },
    #[error("entry point {entry:#010x} is not in RAM, {RAM_BASE:#010x} to {ram_end:#010x}")]
    EntryOutside { entry: u32, ram_end: u64 },
    #[error("entry point {entry:#010x} is not a multiple of four")]
    EntryMisaligned { entry: u32 },
}

/// A program: its image and its symbols.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub image: Image,
    /// The file says that it holds compressed instructions (RVC), which the machine does not have.
    /// Some of its code may still run: programs that ask `misa` first are marked as well.
    pub compressed: bool,
    symbols: BTreeMap<String, Symbol>,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub address: u32,
    /// 0 if the file does not say, as of labels.
    pub bytes: u32,
}

/// An address, and the symbol at it or before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub address: u32,
    /// Name, and bytes from there.
    pub symbol: Option<(String, u32)>,
}

impl fmt::Display for Place {
    /// As `0x80000010 (main+0x8)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.address)?;
        match &self.symbol {
            Some((name, 0)) => write!(f, " ({name})"),
            Some((name, offset)) => write!(f, " ({name}+{offset:#x})"),
            None => Ok(()),
        }
    }
}

impl Program {
    /// Reads an ELF file for a machine with `ram_bytes` of RAM a processor.
    ///
    /// # Errors
    /// As [`Program::parse`], or the file cannot be read.
    #[cfg(feature = "files")]
    pub fn read(path: &Path, ram_bytes: u32) -> Result<Self, ImageError> {
        let bytes = std::fs::read(path).map_err(|source| ImageError::Read { path: path.into(), source })?;
        Program::parse(&bytes, ram_bytes)
    }

    /// Takes the bytes of an ELF file apart. Segments go to their physical addresses; what they
    /// leave to zero is part of the image, what they hold of the file's own headers is not.
    ///
    /// # Errors
    /// The file is no ELF file, is for another architecture, or does not fit into RAM.
    pub fn parse(bytes: &[u8], ram_bytes: u32) -> Result<Self, ImageError> {
        check_identity(bytes)?;
        let malformed = |error: object::Error| ImageError::Malformed(error.to_string());
        let file: ElfFile32<LittleEndian> = ElfFile32::parse(bytes).map_err(malformed)?;
        let header = file.elf_header();
        let kind = header.e_type(LittleEndian);
        if kind != elf::ET_EXEC && kind != elf::ET_DYN {
            return Err(ImageError::NotExecutable(kind));
        }
        let compressed = header.e_flags(LittleEndian) & elf::EF_RISCV_RVC != 0;
        let ram = Ram { bytes: ram_bytes };
        let mut image = Image { segments: Vec::new(), entry: header.e_entry(LittleEndian) };
        let mut spans: Vec<(u64, u64, usize)> = Vec::new();
        let mut contents: Vec<(u32, usize, &[u8])> = Vec::new();
        for (index, segment) in file.elf_program_headers().iter().enumerate() {
            let length = segment.p_memsz(LittleEndian);
            if segment.p_type(LittleEndian) != elf::PT_LOAD || length == 0 {
                continue;
            }
            let headers = if segment.p_offset(LittleEndian) == 0 { headers_end(&file).min(length) } else { 0 };
            let (start, length) = (segment.p_paddr(LittleEndian).wrapping_add(headers), length - headers);
            if length == 0 {
                continue;
            }
            ram.check_segment(index, start, length)?;
            let data = segment
                .data(LittleEndian, bytes)
                .map_err(|()| ImageError::Malformed(format!("segment {index} lies beyond the end of the file")))?;
            let data = data.get(headers as usize..).unwrap_or_default();
            if data.len() > length as usize {
                return Err(ImageError::Malformed(format!("segment {index} is longer in the file than in memory")));
            }
            spans.push((start.into(), u64::from(start) + u64::from(length), index));
            contents.push((start, length as usize, data));
        }
        if spans.is_empty() {
            return Err(ImageError::Empty);
        }
        // Before memory is taken for them: many headers may claim all of RAM each.
        check_overlap(spans)?;
        ram.check_entry(image.entry)?;
        image.segments.extend(contents.into_iter().map(|(start, length, data)| {
            let mut content = data.to_vec();
            content.resize(length, 0);
            (start, content)
        }));
        let named = |symbol: object::read::elf::ElfSymbol32<LittleEndian>| {
            let name = symbol.name().ok()?;
            // Labels of assembly programs have neither type nor size.
            let found = Symbol { address: symbol.address() as u32, bytes: symbol.size() as u32 };
            (!name.is_empty() && !symbol.is_undefined()).then(|| (name.to_owned(), found))
        };
        Ok(Program { image, compressed, symbols: file.symbols().filter_map(named).collect() })
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.find(name).map(|symbol| symbol.address)
    }

    /// What a symbol names.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// What an address is called: the last symbol of the same segment that begins at it or before
    /// it. Of several the one with a size is taken, then the first by name. Names that compilers
    /// and assemblers make for themselves do not count.
    pub fn place(&self, address: u32) -> Place {
        let mut spans = self.image.segments.iter().map(|(start, bytes)| (*start, *start as u64 + bytes.len() as u64));
        let segment = spans.rfind(|&(start, end)| start <= address && u64::from(address) < end);
        let candidates = self.symbols.iter().filter(|(name, symbol)| {
            let known = !name.starts_with('$') && !name.starts_with(".L");
            known && segment.is_some_and(|(start, _)| (start..=address).contains(&symbol.address))
        });
        let nearest = candidates.max_by_key(|(name, symbol)| (symbol.address, symbol.bytes > 0, Reverse(*name)));
        let symbol = nearest.map(|(name, symbol)| (rustc_demangle::demangle(name), address - symbol.address));
        Place { address, symbol: symbol.map(|(name, offset)| (format!("{name:#}"), offset)) }
    }

    /// All symbols with their addresses, in order of name.
    pub fn symbols(&self) -> impl Iterator<Item = (&str, u32)> {
        self.symbols.iter().map(|(name, symbol)| (name.as_str(), symbol.address))
    }

    /// Address of `tohost`, by which test programs ask the host for something, and tell that they
    /// are done.
    pub fn tohost(&self) -> Option<u32> {
        self.symbol("tohost")
    }
}

/// Looks at the first bytes: ELF, 32 bits, little endian, RISC-V.
fn check_identity(bytes: &[u8]) -> Result<(), ImageError> {
    if bytes.get(..4) != Some(b"\x7fELF") {
        return Err(ImageError::NotElf(bytes.iter().take(4).copied().collect()));
    }
    let wrong = |what: String| Err(ImageError::WrongArchitecture(what));
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let big = at(5) == elf::ELFDATA2MSB;
    let machine = if big { u16::from_be_bytes([at(18), at(19)]) } else { u16::from_le_bytes([at(18), at(19)]) };
    if machine != elf::EM_RISCV {
        return wrong(format!("this ELF file is for {}", architecture(machine)));
    }
    if big {
        return wrong("this ELF file is big-endian".into());
    }
    if at(4) != elf::ELFCLASS32 {
        return wrong("this ELF file is for 64-bit RISC-V".into());
    }
    Ok(())
}

/// Offset in the file of the first section that goes into memory. What linkers put before it are
/// the file's own headers, often in a page below the program and outside RAM; nobody needs them
/// there.
fn headers_end(file: &ElfFile32<LittleEndian>) -> u32 {
    let loaded = file.elf_section_table().iter().filter(|section| {
        section.sh_flags(LittleEndian) & elf::SHF_ALLOC != 0 && section.sh_type(LittleEndian) != elf::SHT_NOBITS
    });
    loaded.map(|section| section.sh_offset(LittleEndian)).min().unwrap_or(0)
}

/// A name for an ELF machine number.
fn architecture(machine: u16) -> String {
    let name = match machine {
        elf::EM_386 => "x86",
        elf::EM_X86_64 => "x86-64",
        elf::EM_ARM => "Arm",
        elf::EM_AARCH64 => "AArch64",
        elf::EM_68K => "68000",
        elf::EM_MIPS => "MIPS",
        elf::EM_PPC => "PowerPC",
        _ => return format!("ELF machine number {machine}"),
    };
    name.to_owned()
}

struct Ram {
    bytes: u32,
}

impl Ram {
    fn end(&self) -> u64 {
        u64::from(RAM_BASE) + u64::from(self.bytes)
    }

    fn check_segment(&self, index: usize, start: u32, length: u32) -> Result<(), ImageError> {
        let (start, ram_end) = (u64::from(start), self.end());
        let end = start + u64::from(length);
        if start < u64::from(RAM_BASE) || end > ram_end {
            return Err(ImageError::OutsideRam { index, start, end, ram_end });
        }
        Ok(())
    }

    fn check_entry(&self, entry: u32) -> Result<(), ImageError> {
        let ram_end = self.end();
        if u64::from(entry) >= ram_end || entry < RAM_BASE {
            return Err(ImageError::EntryOutside { entry, ram_end });
        }
        if entry & 3 != 0 {
            return Err(ImageError::EntryMisaligned { entry });
        }
        Ok(())
    }
}

/// `spans`: start, end and index of every segment.
fn check_overlap(mut spans: Vec<(u64, u64, usize)>) -> Result<(), ImageError> {
    spans.sort_unstable();
    for pair in spans.windows(2) {
        let ((_, end, first), (address, _, second)) = (pair[0], pair[1]);
        if address < end {
            return Err(ImageError::Overlap { first, second, address });
        }
    }
    Ok(())
}
