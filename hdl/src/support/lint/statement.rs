//! Statements of one module.

use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression as E, VerilogLoop,
    VerilogMatch, VerilogStatement as S,
};
use rust_hdl::core::verilog_visitor::VerilogVisitor;
use rust_hdl::prelude::*;

use super::expression::Checker;
use super::render;
use super::symbols::{canonical, Module};
use super::{Finding, Rule};

/// Whether the loop's range is empty.
pub fn never(looping: &VerilogLoop) -> bool {
    looping.from.as_usize() >= looping.to.as_usize()
}

/// Lints the code of `module`; text that is Verilog already is taken as it is.
pub fn lint(module: &Module) -> Vec<Finding> {
    let Verilog::Combinatorial(code) = &module.code else { return vec![] };
    let mut linter = Linter { module, loops: vec![], findings: vec![] };
    linter.block(code);
    linter.constant_block(code);
    linter.findings
}

struct Linter<'a> {
    module: &'a Module,
    loops: Vec<String>,
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn checker(&mut self, statement: String) -> Checker<'_> {
        Checker { module: self.module, loops: &self.loops, statement, findings: &mut self.findings }
    }

    fn block(&mut self, block: &VerilogBlock) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &S) {
        match statement {
            S::Assignment(target, value) => self.assignment(target, value),
            S::SliceAssignment { base, width, offset, replacement } => {
                let text = format!("{} = {}", render::expression(base), render::expression(replacement));
                let mut checker = self.checker(text);
                let context = checker.shape(replacement).verilog.max(*width);
                checker.clean(base, *width);
                checker.require_alone(offset, Rule::WideIndex);
                checker.clean(replacement, context);
            }
            S::If(conditional) => self.conditional(conditional),
            S::Match(matching) => self.matching(matching),
            // Of a loop that never runs nothing is generated.
            S::Loop(looping) if never(looping) => {}
            S::Loop(looping) => {
                self.loops.push(looping.index.clone());
                self.block(&looping.block);
                self.loops.pop();
            }
            S::Macro(block) => self.block(block),
            S::Comment(_) | S::Link(_) => {}
        }
    }

    fn assignment(&mut self, target: &E, value: &E) {
        let text = format!("{} = {}", render::expression(target), render::expression(value));
        let module = self.module;
        let mut checker = self.checker(text);
        let (to, from) = (checker.shape(target), checker.shape(value));
        checker.clean(target, to.verilog);
        let clean = checker.clean(value, to.verilog.max(from.verilog));
        let widens = from.native.is_some_and(|from| to.native.is_some_and(|to| from < to));
        if widens && !clean {
            checker.report(Rule::WideCast, render::expression(value));
        }
        let symbol = |e: &E| match e {
            E::Signal(name) => module.symbols.get(&canonical(name)).copied(),
            _ => None,
        };
        if symbol(target).is_some_and(|symbol| symbol.clock) {
            let own_clock = symbol(value).is_some_and(|symbol| symbol.clock && symbol.kind == AtomKind::InputParameter);
            if !own_clock {
                checker.report(Rule::Clock, render::expression(value));
            }
        }
    }

    fn conditional(&mut self, conditional: &VerilogConditional) {
        let text = format!("if ({})", render::expression(&conditional.test));
        self.checker(text).require_alone(&conditional.test, Rule::WideComparison);
        self.block(&conditional.then);
        match &conditional.otherwise {
            VerilogBlockOrConditional::Block(block) => self.block(block),
            VerilogBlockOrConditional::Conditional(statement) => self.statement(statement),
            VerilogBlockOrConditional::None => {}
        }
    }

    fn matching(&mut self, matching: &VerilogMatch) {
        let text = format!("case ({})", render::expression(&matching.test));
        let mut checker = self.checker(text.clone());
        // The cases are 32 bits wide in Verilog.
        let context = checker.shape(&matching.test).verilog.max(32);
        checker.require(&matching.test, context, Rule::WideComparison);
        for case in &matching.cases {
            self.case(case, &text);
            self.block(&case.block);
        }
    }

    fn case(&mut self, case: &VerilogCase, text: &str) {
        let condition = case.condition.as_str();
        let mut checker = self.checker(text.into());
        if condition.starts_with(|first: char| first.is_ascii_digit()) {
            if !condition.chars().all(|c| c.is_ascii_digit() || c == '_') {
                checker.report(Rule::MatchLiteral, condition.into());
            }
        } else if condition != "default" {
            checker.check_name(condition);
        }
    }

    /// `always @(*)` wakes up when an input or a child's output changes.
    fn constant_block(&mut self, code: &VerilogBlock) {
        let reads = reads(code);
        let wakes = reads.names.iter().any(|name| {
            self.module.symbols.get(name).is_some_and(|symbol| {
                matches!(symbol.kind, AtomKind::InputParameter | AtomKind::InOutParameter | AtomKind::StubOutputSignal)
            })
        });
        if reads.assignments > 0 && !wakes {
            let path = self.module.path.clone();
            self.checker(String::new()).report(Rule::ConstantBlock, path);
        }
    }
}

/// What a block reads: canonical names, and how many assignments it has.
#[derive(Default)]
pub struct Reads {
    pub names: std::collections::HashSet<String>,
    pub assignments: usize,
}

pub fn reads(code: &VerilogBlock) -> Reads {
    let mut reads = Reads::default();
    reads.visit_block(code);
    reads
}

impl VerilogVisitor for Reads {
    fn visit_signal(&mut self, name: &str) {
        self.names.insert(canonical(name));
    }

    fn visit_assignment(&mut self, _: &E, value: &E) {
        self.assignments += 1;
        self.visit_expression(value);
    }

    fn visit_slice_assignment(&mut self, _: &E, _: &usize, offset: &E, replacement: &E) {
        self.assignments += 1;
        self.visit_expression(offset);
        self.visit_expression(replacement);
    }
}
