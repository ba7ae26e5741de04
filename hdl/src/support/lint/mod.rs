//! Rejects what rust-hdl simulates one way and generates another.
//!
//! rust-hdl writes expressions to Verilog without parentheses and with 32-bit literals, and Verilog evaluates an
//! expression at the width of its widest operand. So `a + 1 == b` on bytes wraps natively and does not in Verilog. The
//! lint computes, for every expression of every module, the width at which Verilog will evaluate it, and whether the
//! bits above the native width matter there (`expression`); and it checks the statements and names around them
//! (`statement`, `glitch`). What it accepts can still be wrong in both worlds, or differ for reasons that it does
//! not know: the differential test ([`super::differential`]) stays necessary.
//!
//! ```no_run
//! # use testbed_hdl::clint::Clint;
//! testbed_hdl::support::lint::assert_clean(Clint::default());
//! ```

mod expression;
mod finding;
mod glitch;
mod render;
mod statement;
mod symbols;
#[cfg(test)]
mod tests;

pub use finding::{Finding, Rule};

use rust_hdl::prelude::*;

/// Lints `block`, connected or not, and all blocks in it.
pub fn lint(block: &dyn Block) -> Vec<Finding> {
    let design = symbols::Design::of(block);
    let mut findings = design.findings();
    for module in &design.modules {
        findings.extend(statement::lint(module));
    }
    findings.extend(glitch::lint(&design));
    findings
}

/// For tests.
///
/// # Panics
/// With all findings, if there are any.
pub fn assert_clean<B: Block>(block: B) {
    let findings = lint(&block);
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
}
