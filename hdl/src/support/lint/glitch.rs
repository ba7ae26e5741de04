//! Ports that change twice in one evaluation, in both directions between two blocks.
//!
//! `always @(*)` of the parent writes a default to a child's input, then overrides it: two changes. They wake the
//! child, which does the same to an output that the parent reads, which wakes the parent. Natively this settles, as it
//! does in synthesis; Icarus never leaves that instant.

use std::collections::HashMap;

use rust_hdl::core::ast::{VerilogBlock, VerilogBlockOrConditional, VerilogExpression as E, VerilogStatement as S};
use rust_hdl::prelude::*;

use super::statement::{never, reads, Reads};
use super::symbols::{canonical, Design, Module};
use super::{Finding, Rule};

pub fn lint(design: &Design) -> Vec<Finding> {
    let mut findings = vec![];
    for parent in &design.modules {
        let Some(outer) = Code::of(parent) else { continue };
        for name in &parent.children {
            let Some(child) = design.child(parent, name) else { continue };
            let Some(inner) = Code::of(child) else { continue };
            if let Some((down, up)) = both_ways(name, &outer, &inner) {
                findings.push(Finding {
                    module: parent.path.clone(),
                    rule: Rule::GlitchLoop,
                    culprit: format!("{name}.{down} and {name}.{up}"),
                    statement: String::new(),
                });
            }
        }
    }
    findings
}

/// An input of the child that the parent overrides, and an output that the child overrides.
fn both_ways<'a>(name: &str, outer: &'a Code, inner: &'a Code) -> Option<(&'a str, &'a str)> {
    let prefix = format!("{name}$");
    let down = outer
        .overridden()
        .filter_map(|signal| signal.strip_prefix(&prefix))
        .filter(|port| inner.reads.names.contains(*port))
        .min()?;
    let up = inner.overridden().filter(|port| outer.reads.names.contains(&format!("{prefix}{port}"))).min()?;
    Some((down, up))
}

struct Code {
    writes: HashMap<String, usize>,
    reads: Reads,
}

impl Code {
    fn of(module: &Module) -> Option<Self> {
        match &module.code {
            Verilog::Combinatorial(code) => Some(Code { writes: writes(code), reads: reads(code) }),
            _ => None,
        }
    }

    fn overridden(&self) -> impl Iterator<Item = &str> {
        self.writes.iter().filter(|(_, &count)| count > 1).map(|(name, _)| name.as_str())
    }
}

/// The most assignments to each signal on any path through `block`.
fn writes(block: &VerilogBlock) -> HashMap<String, usize> {
    let mut total = HashMap::new();
    for statement in block {
        for (name, count) in statement_writes(statement) {
            *total.entry(name).or_default() += count;
        }
    }
    total
}

fn statement_writes(statement: &S) -> HashMap<String, usize> {
    match statement {
        S::Assignment(E::Signal(name), _) | S::SliceAssignment { base: E::Signal(name), .. } => {
            HashMap::from([(canonical(name), 1)])
        }
        S::If(conditional) => {
            let otherwise = match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => writes(block),
                VerilogBlockOrConditional::Conditional(statement) => statement_writes(statement),
                VerilogBlockOrConditional::None => HashMap::new(),
            };
            most([writes(&conditional.then), otherwise])
        }
        S::Match(matching) => most(matching.cases.iter().map(|case| writes(&case.block))),
        S::Loop(looping) if never(looping) => HashMap::new(),
        S::Loop(looping) => writes(&looping.block),
        S::Macro(block) => writes(block),
        S::Assignment(..) | S::SliceAssignment { .. } | S::Comment(_) | S::Link(_) => HashMap::new(),
    }
}

fn most(branches: impl IntoIterator<Item = HashMap<String, usize>>) -> HashMap<String, usize> {
    let mut most: HashMap<String, usize> = HashMap::new();
    for branch in branches {
        for (name, count) in branch {
            let entry = most.entry(name).or_default();
            *entry = count.max(*entry);
        }
    }
    most
}
