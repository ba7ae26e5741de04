//! Makes generated Verilog smaller: modules that differ only in their names become one.
//!
//! rust-hdl writes a module for every instance, so that a machine of six processors has six copies
//! of each block and a copy of a flip-flop for every register. Verilator compiles one copy of equal
//! modules much sooner, and the result needs less of the instruction cache.

use std::collections::HashMap;

/// One `module … endmodule`.
struct Module<'a> {
    name: &'a str,
    /// Lines after the name, up to the end.
    body: Vec<&'a str>,
}

/// Merges equal modules of `source`, the output of rust-hdl's generator. The top module keeps its name.
pub fn merge_equal_modules(source: &str) -> String {
    let modules = split(source);
    let by_name: HashMap<&str, usize> = modules.iter().enumerate().map(|(i, module)| (module.name, i)).collect();
    // Names of a module's instances extend its own name by `$`, so longest names first visits children before parents.
    let mut order: Vec<usize> = (0..modules.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(modules[i].name.matches('$').count()), i));

    let mut canonical: HashMap<&str, &str> = HashMap::new();
    let mut first_with: HashMap<String, &str> = HashMap::new();
    let mut texts: Vec<(usize, String)> = Vec::new();
    for i in order {
        let module = &modules[i];
        let text: String = module.body.iter().map(|line| rename_instance(line, &by_name, &canonical) + "\n").collect();
        match first_with.get(&text) {
            Some(name) => {
                canonical.insert(module.name, name);
            }
            None => {
                canonical.insert(module.name, module.name);
                first_with.insert(text.clone(), module.name);
                texts.push((i, text));
            }
        }
    }
    texts.sort_by_key(|&(i, _)| i);
    texts.into_iter().map(|(i, text)| format!("module {}{text}endmodule\n\n", modules[i].name)).collect()
}

/// Names of the modules in `source`, in order.
pub fn module_names(source: &str) -> Vec<String> {
    split(source).iter().map(|module| module.name.to_owned()).collect()
}

fn split(source: &str) -> Vec<Module<'_>> {
    let mut modules = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("module ") else { continue };
        let end = rest.find(|c: char| c == '(' || c == ';' || c.is_whitespace()).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(end);
        let mut body = vec![tail];
        body.extend(lines.by_ref().take_while(|line| !line.starts_with("endmodule")));
        modules.push(Module { name, body });
    }
    modules
}

/// Replaces the module's name in a line that begins an instance (`KIND NAME(`).
fn rename_instance(line: &str, by_name: &HashMap<&str, usize>, canonical: &HashMap<&str, &str>) -> String {
    let trimmed = line.trim_start();
    let kind = trimmed.split_whitespace().next().unwrap_or("");
    if !by_name.contains_key(kind) {
        return line.to_owned();
    }
    let name = canonical.get(kind).copied().unwrap_or(kind);
    format!("{}{name}{}", &line[..line.len() - trimmed.len()], &trimmed[kind.len()..])
}

/// How the C side may use a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Public {
    Read,
    ReadWrite,
}

impl Public {
    fn comment(self) -> &'static str {
        match self {
            Public::Read => " /*verilator public_flat_rd*/",
            Public::ReadWrite => " /*verilator public_flat_rw*/",
        }
    }
}

/// Marks declarations as public: those for which `choose` (given the module's name and the signal's) says so.
///
/// What is public keeps its storage and its name, and cannot be optimised away.
pub fn publish(source: &str, choose: impl Fn(&str, &str) -> Option<Public>) -> String {
    let mut text = String::with_capacity(source.len() + 4096);
    for module in split(source) {
        text += &format!("module {}", module.name);
        for line in &module.body {
            match declared(line).and_then(|name| Some((name, choose(module.name, name)?))) {
                Some((name, public)) => {
                    let end = line.rfind(name).map_or(line.len(), |start| start + name.len());
                    let (head, tail) = line.split_at(end);
                    // The comment belongs after the dimensions of a memory.
                    let (dimensions, rest) = tail.split_at(tail.find(';').unwrap_or(tail.len()));
                    text += &format!("{head}{dimensions}{}{rest}\n", public.comment());
                }
                None => text += &format!("{line}\n"),
            }
        }
        text += "endmodule\n\n";
    }
    text
}

/// Tells Verilator not to inline module `name` into its instances, and to keep its inputs (but the clock) as they are.
///
/// Then constants and names from outside do not get into the code of an instance, so that all instances have the same
/// code, which the C++ compiler keeps once. One copy stays in the instruction cache, six do not.
pub fn keep_module(source: &str, name: &str) -> String {
    let head = format!("module {name}(");
    let mut text = String::with_capacity(source.len() + 1024);
    let mut inside = false;
    for line in source.lines() {
        let input = line.trim().strip_prefix("input ").and_then(declared);
        if line.starts_with(&head) {
            inside = true;
            text += line;
            text += " /*verilator no_inline_module*/";
        } else if inside && input.is_some_and(|input| input != "clock") {
            text += &line.replacen(';', &format!("{};", Public::Read.comment()), 1);
        } else {
            text += line;
        }
        inside &= !line.starts_with("endmodule");
        text.push('\n');
    }
    text
}

/// The name that a line declares, if it is `reg …;` or `wire …;`.
fn declared(line: &str) -> Option<&str> {
    let text = line.trim().strip_suffix(';')?;
    let text = text.strip_prefix("reg ").or_else(|| text.strip_prefix("wire "))?;
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    text.split_whitespace().find(|word| is_name(word) && *word != "signed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_modules_merge_bottom_up_and_different_ones_stay() {
        let leaf =
            |name: &str, value: u32| format!("module {name}(q);\n    initial q = {value};\nendmodule // {name}\n");
        let middle =
            |name: &str| format!("module {name}(q);\n    {name}$r r(\n\n        .q(r$q));\nendmodule // {name}\n");
        let source = [
            "module top(q);\n    top$a a(\n\n    .q(a$q));\n    top$b b(\n\n    .q(b$q));\n    top$c c(\n\n    .q(c$q));\nendmodule // top\n".into(),
            middle("top$a"),
            leaf("top$a$r", 0),
            middle("top$b"),
            leaf("top$b$r", 0),
            middle("top$c"),
            leaf("top$c$r", 1),
        ]
        .concat();
        let merged = merge_equal_modules(&source);
        assert_eq!(module_names(&merged), ["top", "top$a", "top$a$r", "top$c", "top$c$r"]);
        assert!(merged.contains("top$a b("), "{merged}");
        assert!(merged.contains("top$c c("), "{merged}");
    }

    #[test]
    fn declarations_become_public_where_chosen() {
        let source = "module m(q);\n    output reg q;\n    wire  [3:0] a$q;\n    reg  [7:0] mem [0:15];\n    reg  b;\nendmodule\n";
        let public = publish(source, |module, name| {
            assert_eq!(module, "m");
            match name {
                "a$q" => Some(Public::Read),
                "mem" => Some(Public::ReadWrite),
                _ => None,
            }
        });
        assert!(public.contains("wire  [3:0] a$q /*verilator public_flat_rd*/;"), "{public}");
        assert!(public.contains("reg  [7:0] mem [0:15] /*verilator public_flat_rw*/;"), "{public}");
        assert!(public.contains("    reg  b;\n"), "{public}");
    }

    #[test]
    fn a_kept_module_keeps_its_inputs() {
        let module = |name: &str| {
            format!("module {name}(clock,a,q);\n    input wire  clock;\n    input wire  [3:0] a;\n    output reg  q;\nendmodule\n")
        };
        let kept = keep_module(&(module("m") + &module("n")), "m");
        let marked = "module m(clock,a,q); /*verilator no_inline_module*/\n    input wire  clock;\n    \
                      input wire  [3:0] a /*verilator public_flat_rd*/;\n    output reg  q;\nendmodule\n";
        assert_eq!(kept, marked.to_owned() + &module("n"));
    }
}
