//! Expressions as they come out in Verilog, for messages.

use rust_hdl::core::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};

/// The text rust-hdl generates, but for loop variables and indices, which stay as written.
pub fn expression(e: &VerilogExpression) -> String {
    use VerilogExpression as E;
    match e {
        E::Signal(name) => name.trim_end_matches("$next").to_string(),
        E::Literal(value) => value.to_string(),
        E::Cast(e, bits) => format!("cast<{bits}>({})", expression(e)),
        E::Signed(e) => format!("$signed({})", expression(e)),
        E::Unsigned(e) => format!("$unsigned({})", expression(e)),
        E::Paren(e) => format!("({})", expression(e)),
        E::Binary(l, op, r) => format!("{} {} {}", expression(l), binary(op), expression(r)),
        E::Unary(op, e) => format!("{}{}", unary(op), expression(e)),
        E::Index(e, index) => format!("{}[{}]", expression(e), expression(index)),
        E::Slice(e, width, offset) => {
            format!("{}[({})+:({width})]", expression(e), expression(offset))
        }
        E::IndexReplace(e, index, value) => {
            format!("replace_bit({}, {}, {})", expression(e), expression(index), expression(value))
        }
    }
}

fn unary(op: &VerilogOpUnary) -> &'static str {
    match op {
        VerilogOpUnary::Not => "~",
        VerilogOpUnary::Neg => "-",
        VerilogOpUnary::All => "&",
        VerilogOpUnary::Any => "|",
        VerilogOpUnary::Xor => "^",
    }
}

fn binary(op: &VerilogOp) -> &'static str {
    match op {
        VerilogOp::Add => "+",
        VerilogOp::Sub => "-",
        VerilogOp::Mul => "*",
        VerilogOp::LogicalAnd => "&&",
        VerilogOp::LogicalOr => "||",
        VerilogOp::BitXor => "^",
        VerilogOp::BitAnd => "&",
        VerilogOp::BitOr => "|",
        VerilogOp::Shl => "<<",
        VerilogOp::Shr => ">>",
        VerilogOp::Eq => "==",
        VerilogOp::Lt => "<",
        VerilogOp::Le => "<=",
        VerilogOp::Ne => "!=",
        VerilogOp::Ge => ">=",
        VerilogOp::Gt => ">",
    }
}
