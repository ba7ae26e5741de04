//! The page in which a machine runs: the same bytes as here, errors that are said, one file without
//! a network, and how it does in a browser.

mod browser;
#[allow(dead_code)]
#[path = "../../../trace/tests/common/devtools.rs"]
mod devtools;
mod files;
#[path = "../../../trace/tests/common/look.rs"]
mod look;
mod machine;
mod perfetto;
mod served;
mod speed;
mod structure;
mod typing;
mod waiting;

use std::sync::LazyLock;

use testbed_host_tools::web::contents::Contents;

use crate::common::root;

/// What a page holds, built once.
static CONTENTS: LazyLock<Contents> =
    LazyLock::new(|| Contents::build(&root()).unwrap_or_else(|error| panic!("{error}")));
