//! Makes generated Verilog smaller: modules that differ only in their names become one.
//!
//! rust-hdl writes a module for every instance, so that a machine of six processors has six copies of each block and a copy
//! of a flip-flop for every register. Verilator compiles one copy of equal modules much sooner, and the result
//! needs less of the instruction cache.

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

/// Modules by name that are left after merging, with the names of the instances' modules resolved: for the module of an instance path.
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
}
