//! The kernel is in layers: dispatch, services, state, drivers, arch. A file uses what is in its own
//! layer and in those below it, by what it imports and by which of the kernel's methods it calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the lowest to the highest; whoever is in none of them is `main.rs`, which may use all.
const LAYERS: [&str; 6] = ["variant", "arch", "drivers", "state", "services", "dispatch"];
/// Mentions of the feature `small` in the kernel, its build script included.
const MENTIONS_OF_SMALL: usize = 20;
/// Files whose methods call each other in a circle, for each circle. The one there is: where the
/// home of a page is here, its answer comes at once, and a thread that goes on with a message that
/// is kept for it may want the next page.
const CALL_CIRCLES: [usize; 1] = [3];

/// Files by their paths in the kernel's sources, without comments.
type Sources = BTreeMap<String, String>;
/// Which file uses which others.
type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn kernel() -> Sources {
    fn read(root: &Path, folder: &Path, sources: &mut Sources) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(root, &path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
                sources.insert(name, without_comments(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/src");
    let mut sources = Sources::new();
    read(&root, &root, &mut sources);
    assert!(sources.len() > 40, "only {} files", sources.len());
    sources
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// A file's or a module's layer; `None`: above all of them.
fn layer(path: &str) -> Option<usize> {
    let first = path.split(['/', ':', '.']).next().unwrap_or("").trim_end_matches("_small");
    LAYERS.iter().position(|&name| name == first)
}

/// Whether code in file `from` may not use what is in `to`.
fn is_upward(from: &str, to: &str) -> bool {
    match (layer(from), layer(to)) {
        (Some(from), Some(to)) => to > from,
        (from, to) => from.is_some() && to.is_none(),
    }
}

fn identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    &text[..end]
}

/// The paths behind `crate::` in a file, those in braces one by one.
fn paths(text: &str) -> Vec<String> {
    fn expand(text: &str, before: &str, found: &mut Vec<String>) {
        let name = identifier(text);
        let path = format!("{before}{name}");
        match text[name.len()..].strip_prefix("::") {
            Some(rest) if rest.starts_with('{') => list(&rest[1..], &format!("{path}::"), found),
            Some(rest) => expand(rest, &format!("{path}::"), found),
            None => found.push(path),
        }
    }
    fn list(text: &str, before: &str, found: &mut Vec<String>) {
        let (mut depth, mut start) = (0, 0);
        for (place, letter) in text.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    let item = text[start..place].trim();
                    if !item.is_empty() {
                        expand(item, before, found);
                    }
                    start = place + 1;
                    if letter == '}' {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for (place, start) in text.match_indices("crate::") {
        match &text[place + start.len()..] {
            rest if rest.starts_with('{') => list(&rest[1..], "", &mut found),
            rest => expand(rest, "", &mut found),
        }
    }
    found
}

/// The file that a path behind `crate::` leads into.
fn file<'a>(sources: &'a Sources, path: &str) -> Option<&'a str> {
    let parts: Vec<_> = path.split("::").collect();
    (1..=parts.len()).rev().find_map(|count| {
        let stem = parts[..count].join("/");
        let names = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
        names.iter().find_map(|name| sources.get_key_value(name)).map(|(name, _)| name.as_str())
    })
}

fn imports(sources: &Sources) -> Graph<'_> {
    let of = |(name, text): (&'_ String, &String)| {
        paths(text).iter().filter_map(|path| file(sources, path)).filter(|other| other != name).collect()
    };
    sources.iter().map(|(name, text)| (name.as_str(), of((name, text)))).collect()
}

/// The lines of a file, each with whether it is in the kernel's own methods.
fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut indentation = None;
    text.lines().map(move |line| {
        let depth = line.len() - line.trim_start().len();
        match indentation {
            None if line.trim() == "impl Kernel {" => indentation = Some(depth),
            Some(outer) if line.trim() == "}" && depth == outer => indentation = None,
            _ => {}
        }
        (line, indentation.is_some())
    })
}

/// Every method of the kernel's, with the files that have one of that name.
fn methods(sources: &Sources) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (name, text) in sources {
        for (_, rest) in lines(text).filter(|&(_, own)| own).filter_map(|(line, _)| line.split_once("fn ")) {
            found.entry(identifier(rest)).or_default().insert(name.as_str());
        }
    }
    found
}

/// Which file calls methods of the kernel's that are in which others: on `kernel`, and in its own
/// methods on `self`.
fn calls(sources: &Sources) -> Graph<'_> {
    let methods = methods(sources);
    let mut graph = Graph::new();
    for (name, text) in sources {
        let called = graph.entry(name.as_str()).or_default();
        for (line, own) in lines(text) {
            let starts = ["kernel.", "self."].into_iter().take(1 + own as usize);
            for (place, start) in starts.flat_map(|start| line.match_indices(start)) {
                let rest = &line[place + start.len()..];
                let method = identifier(rest);
                let is_call = rest[method.len()..].starts_with(['(', ':']);
                let files = methods.get(method).filter(|_| is_call).into_iter().flatten();
                called.extend(files.filter(|&other| other != name && is_built_with(name, other)));
            }
        }
    }
    graph
}

/// Whether a kernel has both files.
fn is_built_with(one: &str, other: &str) -> bool {
    let has = |folder: &str| one.contains(folder) || other.contains(folder);
    !(has("/absent/") && has("/extended/"))
}

fn upward(graph: &Graph) -> Vec<String> {
    let uses = graph.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    uses.filter(|(from, to)| is_upward(from, to)).map(|(from, to)| format!("{from} uses {to}")).collect()
}

/// The files of `graph` that lead back to themselves, those of a circle together.
fn circles<'a>(graph: &Graph<'a>) -> Vec<BTreeSet<&'a str>> {
    let reached = |from: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from.to_string()]);
        while let Some(file) = left.pop() {
            for &next in graph.get(file.as_str()).into_iter().flatten() {
                if seen.insert(next) {
                    left.push(next.to_string());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = graph.keys().map(|&file| (file, reached(file))).collect();
    let with = |file: &str| -> BTreeSet<_> {
        reached[file]
            .iter()
            .copied()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(file)))
            .collect()
    };
    let all: BTreeSet<_> = graph.keys().map(|&file| with(file)).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

#[test]
fn nothing_is_imported_from_above() {
    let sources = kernel();
    assert_eq!(upward(&imports(&sources)), [""; 0]);
    // Also where the path leads to no file.
    for (name, text) in &sources {
        let above: Vec<_> = paths(text).into_iter().filter(|path| is_upward(name, path)).collect();
        assert_eq!(above, [""; 0], "in {name}");
    }
}

#[test]
fn nothing_is_called_from_above() {
    assert_eq!(upward(&calls(&kernel())), [""; 0]);
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let sources = kernel();
    assert_eq!(circles(&imports(&sources)), [], "circles of imports");
}

#[test]
fn circles_of_calls_do_not_grow() {
    let mut sources = kernel();
    // What the small kernel has instead calls less.
    sources.retain(|name, _| !name.contains("/absent/"));
    let circles = circles(&calls(&sources));
    circles.iter().for_each(|circle| println!("{} files call each other: {circle:?}", circle.len()));
    let mut sizes: Vec<_> = circles.iter().map(BTreeSet::len).collect();
    sizes.sort_by(|a, b| b.cmp(a));
    let grown = sizes.iter().enumerate().any(|(place, &size)| size > CALL_CIRCLES.get(place).copied().unwrap_or(0));
    assert!(!grown, "circles of {sizes:?} files, {CALL_CIRCLES:?} before");
}

#[test]
fn what_the_small_kernel_lacks_is_left_out_in_few_places() {
    let sources = kernel();
    let build = include_str!("../../kernel/build.rs");
    let mentions: usize = sources.values().map(|text| count(text)).sum::<usize>() + count(build);
    println!("{mentions} mentions");
    assert!(mentions > 0 && mentions <= MENTIONS_OF_SMALL, "{mentions}");
    fn count(text: &str) -> usize {
        text.matches("feature = \"small\"").count()
    }
}

/// A kernel of four files, with a fault in it or without.
fn invented(fault: &str) -> Sources {
    let text = |name: &str, text: &str| (name.to_string(), without_comments(&format!("{text}\n{fault}")));
    [
        ("main.rs".to_string(), "use crate::dispatch::run;".to_string()),
        (
            "state/kernel.rs".to_string(),
            "use crate::arch::hw;\nimpl Kernel {\n    pub fn find(&self) {}\n}".to_string(),
        ),
        ("services/home.rs".to_string(), "impl Kernel {\n    pub fn end(&mut self) {\n    }\n}".to_string()),
        text("arch/hw.rs", "pub fn now() {}"),
    ]
    .into()
}

#[test]
fn faults_are_found() {
    let found = |fault: &str| {
        let sources = invented(fault);
        (upward(&imports(&sources)), upward(&calls(&sources)), circles(&imports(&sources)).len())
    };
    let nothing = (vec![], vec![], 0);
    assert_eq!(found(""), nothing);
    assert_eq!(found("// use crate::state::kernel::Kernel;"), nothing);
    let upward_import = vec!["arch/hw.rs uses state/kernel.rs".to_string()];
    assert_eq!(found("use crate::{variant, state::{kernel::{Index, Kernel}}};"), (upward_import.clone(), vec![], 1));
    assert_eq!(found("fn f(kernel: &crate::state::kernel::Kernel) {}"), (upward_import.clone(), vec![], 1));
    let upward_call = vec!["arch/hw.rs uses services/home.rs".to_string()];
    assert_eq!(found("fn f() { kernel.end(1) }"), (vec![], upward_call, 0));
    assert_eq!(found("fn f() { kernel.find(1) }"), (vec![], upward_import.clone(), 0));
    assert_eq!(found("impl Kernel {\n    fn f(&self) { self.find(1) }\n}"), (vec![], upward_import, 0));
    assert_eq!(found("impl Other {\n    fn f(&self) { self.find(1) }\n}"), nothing);
    assert!(is_upward("state/kernel.rs", "main.rs") && !is_upward("main.rs", "dispatch/run.rs"));
    assert!(!is_upward("dispatch/run.rs", "variant_small.rs") && is_upward("variant.rs", "arch::hw"));
}
