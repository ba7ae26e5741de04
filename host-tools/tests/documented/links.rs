//! Links lead somewhere, and the book and the page of commands are complete.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;

use crate::runs::output;
use crate::{chapters, everywhere, root};

/// What a heading is called in links to it: lower case, hyphens for spaces, nothing else.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// Where the links of a document lead to, but for other computers.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    all.filter(|target| !target.contains("://"))
}

/// Links of a document to files and headings that are not there, relative to its folder.
fn dead_links(document: &Path, text: &str) -> Vec<String> {
    let folder = document.parent().unwrap_or(Path::new(""));
    let is_dead = |target: &&str| {
        let (path, place) = target.split_once('#').unwrap_or((target, ""));
        let file = if path.is_empty() { document.into() } else { folder.join(path) };
        let has = |text: String| text.lines().any(|line| line.starts_with('#') && anchor(line) == place);
        !file.exists() || !place.is_empty() && !fs::read_to_string(&file).is_ok_and(has)
    };
    targets(text).filter(is_dead).map(String::from).collect()
}

/// Links that leave the folder of a document, which the book has not got.
fn leaving(text: &str) -> Vec<String> {
    targets(text).filter(|target| target.starts_with("../") || target.starts_with('/')).map(String::from).collect()
}

/// What is wrong with the book of `folder`: it must have each document once, and be able to follow its
/// links.
fn faults_of_book(folder: &Path) -> std::io::Result<Vec<String>> {
    let (book, mut wrong) = (fs::read_to_string(folder.join("SUMMARY.md"))?, Vec::new());
    for entry in fs::read_dir(folder)? {
        let (path, name) = (entry.as_ref().unwrap().path(), entry?.file_name().to_string_lossy().into_owned());
        if !name.ends_with(".md") || name == "SUMMARY.md" {
            continue;
        }
        match targets(&book).filter(|target| *target == name).count() {
            1 => {}
            0 => wrong.push(format!("docs/SUMMARY.md has no line for {name}")),
            lines => wrong.push(format!("docs/SUMMARY.md has {lines} lines for {name}")),
        }
        let links = leaving(&fs::read_to_string(path)?);
        let help = "write the path as code: the book has only what is in docs";
        wrong.extend(links.iter().map(|target| format!("docs/{name}: the link to {target} leaves the book; {help}")));
    }
    wrong.sort();
    Ok(wrong)
}

/// Every link leads somewhere, the book has every document, and the page of commands every command.
pub fn links() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let document = folder.path().join("a.md");
    fs::write(&document, "# One & two, `three`\n")?;
    let text = "[a](a.md) [b](b.md) [c](#one--two-three) [d](a.md#two) [e](https://there.is/no#place)";
    assert_eq!(dead_links(&document, text), ["b.md", "a.md#two"]);
    fs::write(folder.path().join("SUMMARY.md"), "- [A](a.md)\n- [C](c.md)\n- [C again](c.md)\n")?;
    fs::write(folder.path().join("b.md"), "[b](../b.toml)\n")?;
    fs::write(folder.path().join("c.md"), "[c](#c)\n")?;
    let faults = faults_of_book(folder.path())?;
    let says = [
        "docs/SUMMARY.md has 2 lines for c.md",
        "docs/SUMMARY.md has no line for b.md",
        "docs/b.md: the link to ../b.toml",
    ];
    assert_eq!(faults.len(), says.len(), "{faults:?}");
    assert!(faults.iter().zip(says).all(|(fault, says)| fault.starts_with(says)), "{faults:?}");

    let (mut documents, mut wrong) = (Vec::new(), Vec::new());
    everywhere(&root(), &mut documents)?;
    for document in &documents {
        for target in dead_links(document, &fs::read_to_string(document)?) {
            wrong.push(format!("{}: nothing is at {target}", document.display()));
        }
    }
    wrong.extend(faults_of_book(&root().join("docs"))?);
    let book = fs::read_to_string(root().join("docs/SUMMARY.md"))?;
    for chapter in chapters() {
        let name = format!("tutorial/{}", chapter.file_name().unwrap_or_default().to_string_lossy());
        if !targets(&book).any(|target| target == name) {
            wrong.push(format!("docs/SUMMARY.md has no line for {name}"));
        }
    }
    let (page, help) = (fs::read_to_string(root().join("docs/commands.md"))?, output("--help")?);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).collect();
    assert!(names.len() > 10, "{help}");
    for name in names.iter().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        if !page.contains(&format!("\n    testbed {name} ")) {
            wrong.push(format!("docs/commands.md has no line for `testbed {name}`"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}
