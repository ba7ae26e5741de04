//! No files of a crate import each other in a circle, in any crate of either workspace. An import
//! is of the file that defines the name, also if another re-exports it. That a module re-exports
//! what is in its own folder is no import: who wants it goes through to the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// A module by its names from the crate's root on, or a path of one.
type Names = Vec<String>;
/// The text of each file, by its path in the crate's folder `src`.
type Sources = BTreeMap<String, String>;

/// Which names a file takes from another.
type Imports = BTreeMap<(String, String), BTreeSet<String>>;

/// What a file's text says of names.
#[derive(Default)]
struct File {
    name: String,
    /// Names of the module that the file is.
    module: Names,
    /// Items that it defines.
    defined: BTreeSet<String>,
    /// Names that `use` gives it, with their paths.
    imported: BTreeMap<String, Names>,
    /// Paths of which `use` gives it everything.
    globs: Vec<Names>,
    /// Paths that its code names, those of `use` too, except what it only re-exports.
    named: BTreeSet<Names>,
}

impl File {
    fn read(name: &str, text: &str) -> Self {
        let mut module: Names = name.trim_end_matches(".rs").split('/').map(String::from).collect();
        if ["lib", "main", "mod"].contains(&module.last().unwrap().as_str()) {
            module.pop();
        }
        let mut file = File { name: name.to_string(), module, ..File::default() };
        let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        file.visit_file(&syntax);
        file
    }

    /// A path as it stands in this file, from the crate's root on; `None` if it leads elsewhere.
    fn absolute(&self, path: &[String], modules: &BTreeMap<Names, File>) -> Option<Names> {
        let first = path.first()?;
        let supers = path.iter().take_while(|name| *name == "super").count();
        let within = |module: &[String], rest: &[String]| Some([module, rest].concat());
        match first.as_str() {
            "crate" => within(&[], &path[1..]),
            "self" => within(&self.module, &path[1..]),
            "super" => within(&self.module[..self.module.len().checked_sub(supers)?], &path[supers..]),
            _ if modules.contains_key(&within(&self.module, &path[..1])?) => within(&self.module, path),
            _ => {
                // A name of this file's imports; one that leads to itself is a crate's.
                let import = self.imported.get(first).filter(|import| import.first() != Some(first))?;
                within(&self.absolute(import, modules)?, &path[1..])
            }
        }
    }

    fn take_use(&mut self, tree: &UseTree, before: &[String], is_public: bool) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.take_use(&path.tree, &with(path.ident.to_string()), is_public),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_use(tree, before, is_public)),
            UseTree::Glob(_) => self.globs.push(before.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                let name = before.last().cloned().unwrap_or_default();
                self.import(name, before.to_vec(), is_public);
            }
            UseTree::Name(name) => self.import(name.ident.to_string(), with(name.ident.to_string()), is_public),
            UseTree::Rename(rename) => {
                self.import(rename.rename.to_string(), with(rename.ident.to_string()), is_public);
            }
        }
    }

    fn import(&mut self, name: String, path: Names, is_public: bool) {
        let is_own = is_public && !["crate", "super"].contains(&path[0].as_str());
        if !is_own {
            self.named.insert(path.clone());
        }
        self.imported.insert(name, path);
    }

    /// Paths in what a macro gets, whose syntax is its own.
    fn take_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Names::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons < 2 {
                        self.named.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.named.insert(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.take_tokens(group.stream());
                    }
                }
            }
        }
        self.named.insert(path);
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Mod(item) if item.content.is_some() => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn is_test(item: &Item) -> bool {
    let Item::Mod(item) = item else { return false };
    let is_cfg_test = |list: &syn::MetaList| list.path.is_ident("cfg") && list.tokens.to_string() == "test";
    item.attrs.iter().any(|attribute| matches!(&attribute.meta, syn::Meta::List(list) if is_cfg_test(list)))
}

impl<'a> Visit<'a> for File {
    fn visit_file(&mut self, file: &'a syn::File) {
        self.defined = file.items.iter().filter_map(name_of).collect();
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'a Item) {
        if !is_test(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.take_use(&item.tree, &[], is_public);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.named.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.visit_path(&called.path);
        self.take_tokens(called.tokens.clone());
    }
}

/// The file that defines what a path from the crate's root leads to. `deep` bounds how many
/// re-exports are followed.
fn defining<'a>(modules: &'a BTreeMap<Names, File>, path: &[String], deep: usize) -> Option<&'a File> {
    let known = (0..=path.len()).rev().find(|&count| modules.contains_key(&path[..count]))?;
    let file = &modules[&path[..known]];
    // A module is no import: what is named in it is.
    let name = path.get(known)?;
    if file.defined.contains(name) || deep == 0 {
        return Some(file);
    }
    let follow = |import: &[String]| {
        let import = file.absolute(import, modules)?;
        defining(modules, &[&import, &path[known + 1..]].concat(), deep - 1)
    };
    if let Some(found) = file.imported.get(name).and_then(|import| follow(import)) {
        return Some(found);
    }
    let through = file.globs.iter().find_map(|glob| {
        let found = follow(&[&glob[..], std::slice::from_ref(name)].concat())?;
        found.defined.contains(name).then_some(found)
    });
    // What a macro defines, or what is imported from another crate.
    through.or((!file.imported.contains_key(name)).then_some(file))
}

/// What each file imports from which others of its crate.
fn imports(sources: &Sources) -> Imports {
    // A binary beside a library is a crate of its own.
    let has_library = sources.contains_key("lib.rs");
    let files = sources.iter().filter(|(name, _)| !(has_library && *name == "main.rs"));
    let files = files.map(|(name, text)| File::read(name, text));
    let modules: BTreeMap<_, _> = files.map(|file| (file.module.clone(), file)).collect();
    let mut found = Imports::new();
    for file in modules.values() {
        let globs = file.globs.iter().filter_map(|glob| Some((modules.get(&file.absolute(glob, &modules)?)?, "*")));
        let named = file.named.iter().filter_map(|path| {
            let other = defining(&modules, &file.absolute(path, &modules)?, 8)?;
            Some((other, path.last()?.as_str()))
        });
        for (other, name) in named.chain(globs).filter(|(other, _)| other.name != file.name) {
            found.entry((file.name.clone(), other.name.clone())).or_default().insert(name.to_string());
        }
    }
    found
}

/// Circles of imports, each as text.
fn circles(imports: &Imports) -> Vec<String> {
    let graph: DiGraphMap<&str, ()> = imports.keys().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let circles = tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1);
    circles
        .map(|files| {
            let has = |file: &String| files.contains(&file.as_str());
            let within = imports.iter().filter(|((from, to), _)| has(from) && has(to));
            let line = |((from, to), names): (&(String, String), &BTreeSet<String>)| {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                format!("  {from} imports from {to}: {}\n", names.join(", "))
            };
            within.map(line).collect()
        })
        .collect()
}

fn sources(folder: &Path) -> Sources {
    fn read(root: &Path, folder: &Path, sources: &mut Sources) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap_or_default();
            // Tests see all of what they test.
            if stem == "tests" {
            } else if path.is_dir() {
                read(root, &path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
                sources.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut sources = Sources::new();
    read(folder, folder, &mut sources);
    sources
}

/// Each crate below `folder`, with its path from `root`.
fn crates(root: &Path, folder: &Path, found: &mut BTreeMap<String, Sources>) {
    if folder.join("Cargo.toml").exists() && folder.join("src").is_dir() {
        let name = folder.strip_prefix(root).unwrap().to_str().unwrap().to_string();
        found.insert(name, sources(&folder.join("src")));
    }
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or(".");
        if path.is_dir() && !name.starts_with('.') && !["target", "src", "out"].contains(&name) {
            crates(root, &path, found);
        }
    }
}

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeMap::new();
    crates(&root, &root, &mut found);
    let files: usize = found.values().map(BTreeMap::len).sum();
    assert!(found.len() > 12 && files > 400, "only {files} files in {} crates", found.len());
    let circular: String = found
        .iter()
        .flat_map(|(name, sources)| circles(&imports(sources)).into_iter().map(move |text| format!("{name}:\n{text}")))
        .collect();
    assert!(
        circular.is_empty(),
        "files that import each other in a circle:\n{circular}help: move what they share into a file below both"
    );
}

/// A crate of four files, with these imports in the lowest of them.
fn invented(lowest: &str) -> Sources {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    [
        file("lib.rs", "mod folder; mod top; pub struct Own;"),
        file("top.rs", "use crate::folder::Part; pub fn top(_: Part) {}"),
        file("folder/mod.rs", "mod part; pub use part::Part; pub struct Whole(Part);"),
        file("folder/part.rs", &format!("{lowest}\npub struct Part;")),
    ]
    .into()
}

#[test]
fn circles_are_found() {
    let found = |lowest: &str| circles(&imports(&invented(lowest)));
    let top = "  folder/part.rs imports from top.rs: top\n  top.rs imports from folder/part.rs: Part\n";
    assert_eq!(found(""), [""; 0]);
    for lowest in [
        "use crate::top::top;",
        "use crate::{top::{top as other}, Own};",
        "use super::super::top; fn call() { top::top(Part) }",
        "fn call() { println!(\"{}\", crate::top::top()) }",
        "mod inner { fn call() { crate::top::top(); } }",
    ] {
        assert_eq!(found(lowest), [top], "{lowest}");
    }
    // Of the folder's front, where that uses what is in the folder itself.
    let front =
        "  folder/mod.rs imports from folder/part.rs: Part\n  folder/part.rs imports from folder/mod.rs: Whole\n";
    assert_eq!(found("use super::Whole;"), [front]);
    // What it defines itself, another crate's, a test's, a comment.
    for lowest in [
        "use super::Part as Own;",
        "use other::top::top;",
        "#[cfg(test)] mod tests { use crate::top::top; }",
        "// use crate::top::top;",
    ] {
        assert_eq!(found(lowest), [""; 0], "{lowest}");
    }
}
