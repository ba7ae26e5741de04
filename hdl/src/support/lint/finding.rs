//! What the lint finds.

use std::fmt;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Verilog's precedence makes another tree of the expression.
    Precedence,
    /// Bits above the native width reach a comparison, a condition, a `match` or a reduction.
    WideComparison,
    /// Bits above the native width come in from the left.
    WideShift,
    /// A cast, or an assignment to a wider signal, keeps bits above the native width.
    WideCast,
    /// Bits above the native width reach an index, a shift amount, or the value of `replace_bit`.
    WideIndex,
    /// Signed and unsigned operands in one operation, which Verilog makes unsigned.
    MixedSigns,
    /// `>>` of a signed value is logical in Verilog.
    SignedShift,
    /// `get_bit` or `get_bits` of something that is not a signal: a syntax error in Verilog.
    SliceOfExpression,
    /// A name that is no signal, constant, enumerator or loop variable: undeclared in Verilog.
    Undeclared,
    /// A `match` literal that is not decimal: a syntax error in Verilog.
    MatchLiteral,
    /// Two index levels in one path: rust-hdl generates broken Verilog.
    TwoIndices,
    /// A module without code: `#[hdl_gen]` is missing.
    EmptyModule,
    /// A block that reads nothing that changes: `always @(*)` never fires and the outputs stay unknown.
    ConstantBlock,
    /// A keyword of Verilog or SystemVerilog as a name.
    Keyword,
    /// A clock that is not handed down unchanged from this module's own clock input.
    Clock,
    /// A port overridden after a default, in both directions between two blocks: Icarus loops at one instant.
    GlitchLoop,
    /// Verilog text that rust-hdl repeats for every instance, so that a module is defined twice.
    DuplicateCore,
}

impl Rule {
    /// What to write instead.
    pub const fn remedy(self) -> &'static str {
        match self {
            Rule::Precedence => "parenthesise the inner operation",
            Rule::WideComparison | Rule::WideShift | Rule::WideCast | Rule::WideIndex => {
                "assign the operand to a Local of its own width first and use that"
            }
            Rule::MixedSigns => "make both operands Signed signals of the same width",
            Rule::SignedShift => "shift as Bits and fill the sign with `| !(ones >> shift)`",
            Rule::SliceOfExpression => "assign the expression to a Local and slice that",
            Rule::Undeclared => "use a Constant field for a value (a name that begins with `_` is skipped by rust-hdl)",
            Rule::MatchLiteral => "write it in decimal, or as a const beside a Constant field of the same name",
            Rule::TwoIndices => "use one index level and named ports below it",
            Rule::EmptyModule => "put #[hdl_gen] on `update`, or implement `hdl`",
            Rule::ConstantBlock => "read a signal, or give the values to Constant fields of the user",
            Rule::Keyword => "choose another name",
            Rule::Clock => "assign this module's own clock input to every child, and nothing else",
            Rule::GlitchLoop => "compute in Locals and assign each port of a child, and each output, once, at the end",
            Rule::DuplicateCore => "use Verilog::Custom, which belongs to the instance's own module",
        }
    }
}

/// Something to change before the block can be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Generated module, `top` or `top$field…`.
    pub module: String,
    pub rule: Rule,
    /// The name or expression at fault.
    pub culprit: String,
    /// The statement around it as it comes out in Verilog; empty if it is not about a statement.
    pub statement: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { module, rule, culprit, statement } = self;
        write!(f, "{module}: {rule:?} at `{culprit}`")?;
        if !statement.is_empty() && statement != culprit {
            write!(f, " in `{statement}`")?;
        }
        write!(f, "; {}", rule.remedy())
    }
}
