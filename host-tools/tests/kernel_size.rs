//! How much of a small processor's RAM the kernel takes.

use object::{Object, ObjectSection, SectionKind};
use testbed_host_tools::firmware;

/// Code, constants and data with initial values, for processors with 64 KiB.
const SMALL_BYTES: u64 = 28 * 1024;

#[test]
fn the_small_kernel_is_small() {
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    let (_, bytes) = built.kernel(64 * 1024).unwrap();
    let elf = object::File::parse(&*bytes).unwrap();
    let size = |kinds: &[SectionKind]| -> u64 {
        elf.sections().filter(|section| kinds.contains(&section.kind())).map(|section| section.size()).sum()
    };
    let code = size(&[SectionKind::Text]);
    let constants = size(&[SectionKind::ReadOnlyData, SectionKind::ReadOnlyString]);
    let data = size(&[SectionKind::Data]);
    println!("code {code}, constants {constants}, data {data}");
    assert!(code > 0 && data > 0, "no sections found");
    let all = code + constants + data;
    assert!(all <= SMALL_BYTES, "{all} bytes, {SMALL_BYTES} is the limit");
}
