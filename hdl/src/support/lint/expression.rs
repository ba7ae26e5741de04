//! Widths: at how many bits Verilog evaluates an expression, and whether that shows.
//!
//! Natively an expression has one width, that of its signals. In Verilog the operands of `+ - * & | ^ ~ <<` are
//! extended to the width of their *context*: the widest of the operands around them, literals counting 32, and the
//! target of the assignment. The low bits come out the same. The bits above the native width come out zero, as a native
//! value extended later would have them, only if the expression is *clean*: a signal is, `a + b` or `!a` is not unless
//! the context has exactly its native width. Where something depends on those bits, a clean expression is required.

use rust_hdl::core::ast::{VerilogExpression as E, VerilogOp, VerilogOpUnary};

use super::render;
use super::symbols::{canonical, Module};
use super::{Finding, Rule};

/// What the operands of an expression determine.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Native width; none for constants, which take that of their neighbour.
    pub native: Option<usize>,
    /// Width in Verilog, context apart.
    pub verilog: usize,
    /// None for literals, which count as unsigned in Verilog.
    pub signed: Option<bool>,
}

impl Shape {
    const fn constant(bits: usize) -> Self {
        Shape { native: None, verilog: bits, signed: None }
    }
    const fn bits(width: usize) -> Self {
        Shape { native: Some(width), verilog: width, signed: Some(false) }
    }
}

/// Checks the expressions of one statement.
pub struct Checker<'a> {
    pub module: &'a Module,
    /// Loop variables in scope.
    pub loops: &'a [String],
    pub statement: String,
    pub findings: &'a mut Vec<Finding>,
}

impl Checker<'_> {
    pub fn report(&mut self, rule: Rule, culprit: String) {
        let finding = Finding { module: self.module.path.clone(), rule, culprit, statement: self.statement.clone() };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// What `e` is, apart from its context.
    pub fn shape(&self, e: &E) -> Shape {
        match e {
            E::Signal(name) => self.named(name),
            E::Literal(value) => Shape::constant(literal_bits(&value.to_string())),
            E::Cast(e, bits) => Shape { verilog: self.shape(e).verilog.max(*bits), ..Shape::bits(*bits) },
            E::Signed(e) => Shape { signed: Some(true), ..self.shape(e) },
            E::Unsigned(e) => Shape { signed: Some(false), ..self.shape(e) },
            E::Paren(e) => self.shape(e),
            E::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, e) => self.shape(e),
            E::Unary(..) | E::Index(..) => Shape::bits(1),
            E::Slice(_, width, _) => Shape::bits(*width),
            E::IndexReplace(e, _, value) => {
                let shape = self.shape(e);
                let verilog = shape.verilog.max(32).max(self.shape(value).verilog);
                Shape { verilog, ..shape }
            }
            E::Binary(l, op, r) => match kind(op) {
                Kind::Comparison | Kind::Logical => Shape::bits(1),
                Kind::Shift => self.shape(l),
                Kind::Arithmetic => {
                    let (l, r) = (self.shape(l), self.shape(r));
                    Shape {
                        native: l.native.or(r.native),
                        verilog: l.verilog.max(r.verilog),
                        signed: l.signed.or(r.signed),
                    }
                }
            },
        }
    }

    fn named(&self, name: &str) -> Shape {
        match self.module.symbols.get(&canonical(name)) {
            Some(symbol) => {
                Shape { native: Some(symbol.width), verilog: symbol.verilog_width, signed: Some(symbol.signed) }
            }
            None => Shape::constant(32),
        }
    }

    /// Requires that `e` is clean where only its own operands decide its width.
    pub fn require_alone(&mut self, e: &E, rule: Rule) {
        let context = self.shape(e).verilog;
        self.require(e, context, rule);
    }

    /// Requires that `e` is clean when evaluated at `context` bits.
    pub fn require(&mut self, e: &E, context: usize, rule: Rule) {
        if !self.clean(e, context) {
            self.report(rule, render::expression(e));
        }
    }

    /// Whether `e`, evaluated at `context` bits, is its native value with zeros above. Reports what is wrong within.
    pub fn clean(&mut self, e: &E, context: usize) -> bool {
        let shape = self.shape(e);
        let exact = shape.native.is_none_or(|native| native == context);
        match e {
            E::Signal(name) => {
                self.check_name(name);
                true
            }
            E::Literal(_) => true,
            E::Paren(e) => self.clean(e, context),
            E::Cast(e, bits) => {
                let inner = self.shape(e);
                let clean = self.clean(e, context.max(*bits).max(inner.verilog));
                let widens = inner.native.is_some_and(|native| native < *bits);
                if widens && (!clean || inner.signed == Some(true)) {
                    self.report(Rule::WideCast, render::expression(e));
                }
                true
            }
            E::Signed(e) | E::Unsigned(e) => {
                let inner = self.shape(e);
                self.clean(e, inner.verilog);
                if inner.native.is_some_and(|native| native != inner.verilog) {
                    self.report(Rule::WideCast, render::expression(e));
                }
                true
            }
            E::Unary(VerilogOpUnary::Not | VerilogOpUnary::Neg, e) => {
                self.clean(e, context);
                exact
            }
            E::Unary(_, e) => {
                self.require_alone(e, Rule::WideComparison);
                true
            }
            E::Index(e, index) | E::Slice(e, _, index) => {
                if !matches!(**e, E::Signal(_)) {
                    self.report(Rule::SliceOfExpression, render::expression(e));
                }
                self.require_alone(e, Rule::WideComparison);
                self.require_alone(index, Rule::WideIndex);
                true
            }
            E::IndexReplace(e, index, value) => {
                // `e & ~(1 << index) | value << index`
                self.require(value, context.max(shape.verilog), Rule::WideIndex);
                self.require_alone(index, Rule::WideIndex);
                self.clean(e, context.max(shape.verilog))
            }
            E::Binary(l, op, r) => self.clean_binary(e, l, op, r, context) || exact,
        }
    }

    fn clean_binary(&mut self, whole: &E, l: &E, op: &VerilogOp, r: &E, context: usize) -> bool {
        if binds_looser(l, op, false) || binds_looser(r, op, true) {
            self.report(Rule::Precedence, render::expression(whole));
        }
        let (left, right) = (self.shape(l), self.shape(r));
        let signed = left.signed == Some(true) || right.signed == Some(true);
        match kind(op) {
            Kind::Comparison => {
                self.check_signs(whole, left, right);
                let width = left.verilog.max(right.verilog);
                self.require(l, width, Rule::WideComparison);
                self.require(r, width, Rule::WideComparison);
                true
            }
            Kind::Logical => {
                self.require_alone(l, Rule::WideComparison);
                self.require_alone(r, Rule::WideComparison);
                true
            }
            Kind::Shift => {
                self.require_alone(r, Rule::WideIndex);
                let clean = self.clean(l, context);
                if !matches!(op, VerilogOp::Shr) {
                    return false;
                }
                if left.signed == Some(true) {
                    self.report(Rule::SignedShift, render::expression(whole));
                }
                if !clean {
                    self.report(Rule::WideShift, render::expression(l));
                }
                true
            }
            Kind::Arithmetic => {
                self.check_signs(whole, left, right);
                let (l, r) = (self.clean(l, context), self.clean(r, context));
                match op {
                    VerilogOp::BitAnd => (l || r) && !signed,
                    VerilogOp::BitOr | VerilogOp::BitXor => l && r,
                    _ => false,
                }
            }
        }
    }

    fn check_signs(&mut self, whole: &E, left: Shape, right: Shape) {
        if (left.signed == Some(true)) != (right.signed == Some(true)) {
            self.report(Rule::MixedSigns, render::expression(whole));
        }
    }

    /// A name must be declared in the generated module and have one index at most.
    pub fn check_name(&mut self, name: &str) {
        if name.matches('[').count() > 1 {
            self.report(Rule::TwoIndices, name.into());
        } else if !self.loops.iter().any(|variable| variable == name)
            && !self.module.symbols.contains_key(&canonical(name))
        {
            self.report(Rule::Undeclared, name.into());
        }
    }
}

enum Kind {
    Arithmetic,
    Shift,
    Comparison,
    Logical,
}

fn kind(op: &VerilogOp) -> Kind {
    use VerilogOp::*;
    match op {
        Add | Sub | Mul | BitAnd | BitOr | BitXor => Kind::Arithmetic,
        Shl | Shr => Kind::Shift,
        Eq | Ne | Lt | Le | Gt | Ge => Kind::Comparison,
        LogicalAnd | LogicalOr => Kind::Logical,
    }
}

/// How tightly Verilog binds; a higher number binds first.
fn precedence(op: &VerilogOp) -> u8 {
    use VerilogOp::*;
    match op {
        Mul => 9,
        Add | Sub => 8,
        Shl | Shr => 7,
        Lt | Le | Gt | Ge => 6,
        Eq | Ne => 5,
        BitAnd => 4,
        BitXor => 3,
        BitOr => 2,
        LogicalAnd => 1,
        LogicalOr => 0,
    }
}

/// Whether `child`, an operand of `parent` without parentheses, would be torn apart by Verilog.
fn binds_looser(child: &E, parent: &VerilogOp, on_the_right: bool) -> bool {
    match child {
        E::Binary(_, op, _) => {
            let (child, parent) = (precedence(op), precedence(parent));
            child < parent || on_the_right && child == parent
        }
        _ => false,
    }
}

/// Bits of a sized Verilog literal, `32'h1f`.
fn literal_bits(text: &str) -> usize {
    text.split('\'').next().and_then(|bits| bits.parse().ok()).unwrap_or(32)
}
