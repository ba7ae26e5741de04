//! Files of a processor's filestore, taken out of its RAM: what a program has left there.

use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::limits::FILE_BYTES;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_emulator::engine::Engine;
use testbed_kernel_core::layout::Item;
use testbed_trace::capture::BALANCE;

use crate::look::{Ram, Tables};

/// The processor on which the balancer runs.
const MASTER: u8 = 0;

/// A file of a filestore: its name, which is whatever bytes the kernel has, and where it is.
pub struct Found {
    pub name: Vec<u8>,
    pub size: u32,
    list: u32,
}

/// The files of a processor, in the order of their places, on a machine that stands still. `None`:
/// the kernel has no filestore, or RAM does not hold one.
pub fn listed(engine: &dyn Engine, tables: &Tables, processor: u8) -> Option<Vec<Found>> {
    let Tables { layout, address } = tables;
    let ram = Ram { engine, processor, layout };
    let files = ram.entries(ram.at(*address, Item::Files)?, Item::FileRecordBytes, layout.get(Item::FileCount)?)?;
    let mut all = Vec::new();
    for file in files {
        let list = ram.word(ram.at(file, Item::FileList)?)?;
        if list != 0 {
            let name = ram.bytes::<NAME_BYTES>(ram.at(file, Item::FileName)?)?;
            let name = name.iter().copied().take_while(|&byte| byte != 0).collect();
            all.push(Found { name, size: ram.word(ram.at(file, Item::FileSize)?)?, list });
        }
    }
    Some(all)
}

/// The bytes of a file that was found on this processor. `None`: RAM does not hold it.
pub fn content(engine: &dyn Engine, tables: &Tables, processor: u8, file: &Found) -> Option<Vec<u8>> {
    bytes(&Ram { engine, processor, layout: &tables.layout }, file.list, file.size)
}

/// The bytes of the file `name` in a processor's filestore, on a machine that stands still and
/// whose kernel is the ELF file `kernel`. `None`: there is no such file, the kernel has no
/// filestore, or RAM does not hold one.
pub fn taken(engine: &dyn Engine, kernel: &[u8], processor: u8, name: &str) -> Option<Vec<u8>> {
    let tables = Tables::of(kernel)?;
    let files = listed(engine, &tables, processor)?;
    content(engine, &tables, processor, files.iter().find(|file| file.name == name.as_bytes())?)
}

/// The balancer's log, from the master of a machine as in [`taken`], without the line that the
/// balancer was writing when the machine stopped. `None`: the balancer had not begun to write.
pub fn balance_log(engine: &dyn Engine, kernel: &[u8]) -> Option<Vec<u8>> {
    let mut log = taken(engine, kernel, MASTER, BALANCE)?;
    log.truncate(log.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
    Some(log)
}

/// The bytes of the file whose pages this page lists.
fn bytes(ram: &Ram, list: u32, size: u32) -> Option<Vec<u8>> {
    if size as usize > FILE_BYTES {
        return None;
    }
    let address = |page: u32| RAM_BASE.checked_add(page.checked_mul(PAGE_BYTES)?);
    let mut all = Vec::with_capacity(size as usize);
    for index in 0..size.div_ceil(PAGE_BYTES) {
        let page = ram.half(address(list)? + 2 * index)?;
        all.extend(ram.bytes::<{ PAGE_BYTES as usize }>(address(page.into())?)?);
    }
    all.truncate(size as usize);
    Some(all)
}
