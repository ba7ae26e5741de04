//! Splits the one combinational process of each module into processes that are independent.
//!
//! rust-hdl writes a block's whole `update` as one `always @(*)`. A simulator that orders whole
//! processes then sees loops where there are none (a block drives a neighbour and reads its answer
//! in the same process) and evaluates until nothing changes. Split by the signals assigned, each
//! process is evaluated once a cycle, in order; Verilator's model of six processors becomes several
//! times faster.
//!
//! Statements that assign a signal stay together and in order, and an `if` or `case` stays whole.
//! What is read in an `update` is the settled value, never an intermediate one, so the meaning does
//! not change. Hand-written Verilog may use a variable several times over, and stays as it is.

use std::collections::HashMap;

const HEAD: &str = "always @(*) begin";
/// Stands above a process that was generated from an `update`; hand-written Verilog has another comment.
const GENERATED: &str = "// Update code";

/// `source` with its combinational processes split.
pub fn split_processes(source: &str) -> String {
    let mut text = String::with_capacity(source.len() + source.len() / 4);
    let mut lines = source.lines();
    let mut generated = false;
    while let Some(line) = lines.next() {
        let before = std::mem::replace(&mut generated, line.trim() == GENERATED);
        if !before || line.trim() != HEAD {
            text += line;
            text.push('\n');
            continue;
        }
        for process in group(statements(&mut lines)) {
            text += HEAD;
            text.push('\n');
            for line in process.iter().flatten() {
                text += line;
                text.push('\n');
            }
            text += "end\n";
        }
    }
    text
}

type Statement<'a> = Vec<&'a str>;

/// Takes the statements of a process, and the `end` that closes it, from `lines`.
fn statements<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<Statement<'a>> {
    let mut done = Vec::new();
    let mut current: Statement<'a> = Vec::new();
    let mut depth = 0;
    for line in lines {
        let text = line.trim();
        if depth == 0 && text == "end" {
            break;
        }
        if text.is_empty() || text.starts_with("//") {
            continue;
        }
        if depth == 0 && !text.starts_with("else") && !current.is_empty() {
            done.push(std::mem::take(&mut current));
        }
        current.push(line);
        depth += i32::from(text.ends_with("begin")) + i32::from(text.starts_with("case ("));
        depth -= i32::from(text == "end" || text == "endcase");
    }
    done.extend((!current.is_empty()).then_some(current));
    done
}

/// Statements by process, in the order of their first statements.
fn group(statements: Vec<Statement<'_>>) -> Vec<Vec<Statement<'_>>> {
    // Each signal's process; processes that turn out to be one are linked to their older part.
    let mut process_of: HashMap<&str, usize> = HashMap::new();
    let mut linked: Vec<usize> = Vec::new();
    let root = |linked: &[usize], mut process: usize| {
        while linked[process] != process {
            process = linked[process];
        }
        process
    };
    let mut owner = Vec::with_capacity(statements.len());
    for statement in &statements {
        let targets: Vec<&str> = statement.iter().filter_map(|line| target(line)).collect();
        let known = targets.iter().filter_map(|target| process_of.get(target)).map(|&process| root(&linked, process));
        let process = known.clone().min().unwrap_or(linked.len());
        let others: Vec<usize> = known.collect();
        if process == linked.len() {
            linked.push(process);
        }
        others.into_iter().for_each(|other| linked[other] = process);
        targets.into_iter().for_each(|target| {
            process_of.insert(target, process);
        });
        owner.push(process);
    }
    let mut groups: Vec<Vec<Statement<'_>>> = linked.iter().map(|_| Vec::new()).collect();
    for (statement, process) in statements.into_iter().zip(owner) {
        groups[root(&linked, process)].push(statement);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The signal that a line assigns.
fn target(line: &str) -> Option<&str> {
    let (left, _) = line.trim().split_once(" = ")?;
    let end = left.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(left.len());
    let is_name = left.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && (end == left.len() || left[end..].starts_with('['))).then(|| &left[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stay_with_the_signals_they_assign() {
        let source = "\
module m(a);
    // Update code (custom)
    always @(*) begin
        x = a;
        y = x;
        x = y;
    end
    // Update code
    always @(*) begin
        a = b;
        c = 32'h0;
        if (a == 1) begin
            c = 32'h1;
        end
        else if (b) begin
            e = c;
        end
        e[(0)+:(1)] = 1;
        case (b)
            X:
                begin
                    f = 1;
                end
        endcase
        g = f;
    end
endmodule
";
        let split = split_processes(source);
        let processes: Vec<Vec<&str>> =
            split.split(HEAD).skip(2).map(|process| process.lines().map(str::trim).collect()).collect();
        assert!(split.contains("        x = a;\n        y = x;\n        x = y;\n    end\n"), "{split}");
        assert_eq!(processes.len(), 4, "{split}");
        assert_eq!(processes[0], ["", "a = b;", "end"]);
        assert_eq!(processes[1].first_chunk(), Some(&["", "c = 32'h0;", "if (a == 1) begin", "c = 32'h1;"]));
        assert_eq!(processes[1][4..], ["end", "else if (b) begin", "e = c;", "end", "e[(0)+:(1)] = 1;", "end"]);
        assert_eq!(processes[2][1..3], ["case (b)", "X:"]);
        assert_eq!(processes[3], ["", "g = f;", "end", "endmodule"]);
    }
}
