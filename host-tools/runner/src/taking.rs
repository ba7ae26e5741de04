//! Files of a processor's filestore, taken out of its RAM: what a program has left there.

use testbed_definitions::limits::FILE_BYTES;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::filestore::padded;
use testbed_kernel_core::layout::Item;
use testbed_sim::engine::Engine;

use crate::look::{layout, Ram};

/// The bytes of the file `name` in a processor's filestore, on a machine that stands still and
/// whose kernel is the ELF file `kernel`. `None`: there is no such file, the kernel has no
/// filestore, or RAM does not hold one.
pub fn taken(engine: &dyn Engine, kernel: &[u8], processor: u8, name: &str) -> Option<Vec<u8>> {
    let (layout, address) = layout(kernel)?;
    let ram = Ram { engine, processor, layout: &layout };
    let name = padded(name.as_bytes()).ok()?;
    let files = ram.entries(ram.at(address, Item::Files)?, Item::FileRecordBytes, layout.get(Item::FileCount)?)?;
    for file in files {
        let list = ram.word(ram.at(file, Item::FileList)?)?;
        if list != 0 && ram.bytes(ram.at(file, Item::FileName)?)? == name {
            return bytes(&ram, list, ram.word(ram.at(file, Item::FileSize)?)?);
        }
    }
    None
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
