//! The choice of policy that the boot block leaves. `docs/changing.md` says which other files a new
//! policy touches, and what must hold of it.

use core::sync::atomic::{AtomicBool, Ordering};
use testbed_definitions::boot::{option, word};

use crate::state::boot;
use crate::variant;

static TOS94: AtomicBool = AtomicBool::new(false);

/// Looks into the boot block.
pub fn start() {
    TOS94.store(boot::get(word::OPTIONS) & option::TOS94 != 0, Ordering::Relaxed);
}

/// Whether the kernel behaves as the report's: packets wait for the main loop. Otherwise they
/// interrupt, and what is queued leaves at once.
#[inline(always)]
pub fn tos94() -> bool {
    // The small kernel has one policy.
    if !variant::HAS_POLICIES {
        return false;
    }
    TOS94.load(Ordering::Relaxed)
}
