//! The modules of a design, and what each name in them means.

use std::collections::{HashMap, HashSet};

use rust_hdl::prelude::*;

use super::{Finding, Rule};

/// What a name stands for in one module.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub kind: AtomKind,
    /// In bits, natively.
    pub width: usize,
    /// Width in Verilog: enumerators are 32-bit parameters there.
    pub verilog_width: usize,
    pub signed: bool,
    pub clock: bool,
}

/// One generated module.
pub struct Module {
    /// `top`, `top$field`, …
    pub path: String,
    pub code: Verilog,
    /// Own ports, locals and constants; ports of children as `child$port`; enumerators as `Type$Variant`.
    pub symbols: HashMap<String, Symbol>,
    /// Field names of the children, array elements as `field$0`.
    pub children: Vec<String>,
}

/// All modules of a block.
#[derive(Default)]
pub struct Design {
    pub modules: Vec<Module>,
    /// Indices into `modules` of the scopes being visited.
    scopes: Vec<usize>,
    namespace: Vec<String>,
    findings: Vec<Finding>,
}

impl Design {
    pub fn of(block: &dyn Block) -> Self {
        let mut design = Design::default();
        block.accept("top", &mut design);
        design
    }

    /// Findings about modules and names.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.findings.clone();
        let mut cores = HashSet::new();
        for module in &self.modules {
            let text = match &module.code {
                Verilog::Empty => {
                    findings.push(finding(&module.path, Rule::EmptyModule, &module.path));
                    continue;
                }
                Verilog::Wrapper(wrapper) => wrapper.cores.trim(),
                Verilog::Blackbox(blackbox) => blackbox.code.trim(),
                Verilog::Combinatorial(_) | Verilog::Custom(_) => continue,
            };
            if !text.is_empty() && !cores.insert(text) {
                findings.push(finding(&module.path, Rule::DuplicateCore, &module.path));
            }
        }
        findings
    }

    /// The module of `parent`'s field `child`.
    pub fn child(&self, parent: &Module, child: &str) -> Option<&Module> {
        let path = format!("{}${child}", parent.path);
        self.modules.iter().find(|module| module.path == path)
    }

    fn check_name(&mut self, module: usize, name: &str) {
        if KEYWORDS.contains(&name) {
            self.findings.push(finding(&self.modules[module].path, Rule::Keyword, name));
        }
    }

    fn add_enumerators(&mut self, module: usize, descriptor: &TypeDescriptor) {
        match &descriptor.kind {
            TypeKind::Enum(variants) => {
                let symbol = Symbol {
                    kind: AtomKind::Constant,
                    width: clog2(variants.len()),
                    verilog_width: 32,
                    signed: false,
                    clock: false,
                };
                for variant in variants {
                    self.modules[module].symbols.insert(variant.replace("::", "$"), symbol);
                }
            }
            TypeKind::Composite(fields) => {
                for field in fields {
                    self.add_enumerators(module, &field.kind);
                }
            }
            TypeKind::Bits(_) | TypeKind::Signed(_) => {}
        }
    }
}

impl Probe for Design {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.namespace.clear();
        let path = match self.scopes.last() {
            Some(&parent) => {
                self.check_name(parent, name);
                self.modules[parent].children.push(name.into());
                format!("{}${name}", self.modules[parent].path)
            }
            None => name.into(),
        };
        self.scopes.push(self.modules.len());
        self.modules.push(Module { path, code: node.hdl(), symbols: HashMap::new(), children: vec![] });
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.scopes.pop();
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let Some(&module) = self.scopes.last() else { return };
        let mut name = name.to_string();
        if !self.namespace.is_empty() {
            name = format!("{}${name}", self.namespace.join("$"));
        }
        self.check_name(module, &name);
        let descriptor = signal.descriptor();
        let symbol = Symbol {
            kind: signal.kind(),
            width: signal.bits(),
            verilog_width: signal.bits(),
            signed: matches!(descriptor.kind, TypeKind::Signed(_)),
            clock: descriptor.name == "clock",
        };
        // A clock that leaves a module, or is kept in it, is not handed down.
        if symbol.clock && symbol.kind != AtomKind::InputParameter {
            self.findings.push(finding(&self.modules[module].path, Rule::Clock, &name));
        }
        self.add_enumerators(module, &descriptor);
        if let (Some(&parent), true) = (self.scopes.iter().nth_back(1), symbol.kind.is_parameter()) {
            let kind = match symbol.kind {
                AtomKind::InputParameter => AtomKind::StubInputSignal,
                _ => AtomKind::StubOutputSignal,
            };
            let last = self.modules[parent].children.last().expect("its child is being visited");
            let stub = format!("{last}${name}");
            self.modules[parent].symbols.insert(stub, Symbol { kind, ..symbol });
            self.add_enumerators(parent, &descriptor);
        }
        self.modules[module].symbols.insert(name, symbol);
    }
}

fn finding(module: &str, rule: Rule, culprit: &str) -> Finding {
    Finding { module: module.into(), rule, culprit: culprit.into(), statement: String::new() }
}

/// A name as the macro wrote it, as it is in [`Module::symbols`]: every array element like the first.
pub fn canonical(name: &str) -> String {
    let name = name.trim_start_matches('.').replace("::", "$").replace('.', "$");
    let name = name.strip_suffix("$next").unwrap_or(&name);
    let (Some(open), Some(close)) = (name.find('['), name.find(']')) else { return name.into() };
    format!("{}$0{}", &name[..open], &name[close + 1..])
}

/// Reserved by Verilog-2005, or by SystemVerilog, as which Verilator and newer tools read the same text.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "accept_on", "alias", "always", "always_comb", "always_ff", "always_latch", "and", "assert", "assign", "assume",
    "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "break", "buf", "bufif0", "bufif1", "byte", "case",
    "casex", "casez", "cell", "chandle", "checker", "class", "clocking", "cmos", "config", "const", "constraint",
    "context", "continue", "cover", "covergroup", "coverpoint", "cross", "deassign", "default", "defparam", "design",
    "disable", "dist", "do", "edge", "else", "end", "endcase", "endchecker", "endclass", "endclocking", "endconfig",
    "endfunction", "endgenerate", "endgroup", "endinterface", "endmodule", "endpackage", "endprimitive", "endprogram",
    "endproperty", "endsequence", "endspecify", "endtable", "endtask", "enum", "event", "eventually", "expect", "export",
    "extends", "extern", "final", "first_match", "for", "force", "foreach", "forever", "fork", "forkjoin", "function",
    "generate", "genvar", "global", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins", "illegal_bins",
    "implements", "implies", "import", "incdir", "include", "initial", "inout", "input", "inside", "instance", "int",
    "integer", "interconnect", "interface", "intersect", "join", "join_any", "join_none", "large", "let", "liblist",
    "library", "local", "localparam", "logic", "longint", "macromodule", "matches", "medium", "modport", "module", "nand",
    "negedge", "nettype", "new", "nexttime", "nmos", "nor", "noshowcancelled", "not", "notif0", "notif1", "null", "or",
    "output", "package", "packed", "parameter", "pmos", "posedge", "primitive", "priority", "program", "property",
    "protected", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect", "pulsestyle_onevent", "pure", "rand",
    "randc", "randcase", "randsequence", "rcmos", "real", "realtime", "ref", "reg", "reject_on", "release", "repeat",
    "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0", "rtranif1", "s_always", "s_eventually", "s_nexttime",
    "s_until", "s_until_with", "scalared", "sequence", "shortint", "shortreal", "showcancelled", "signed", "small",
    "soft", "solve", "specify", "specparam", "static", "string", "strong", "strong0", "strong1", "struct", "super",
    "supply0", "supply1", "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "this", "throughout", "time",
    "timeprecision", "timeunit", "tran", "tranif0", "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "type",
    "typedef", "union", "unique", "unique0", "unsigned", "until", "until_with", "untyped", "use", "uwire", "var",
    "vectored", "virtual", "void", "wait", "wait_order", "wand", "weak", "weak0", "weak1", "while", "wildcard", "wire",
    "with", "within", "wor", "xnor", "xor",
];
