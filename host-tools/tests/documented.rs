//! What commands print stands in the documents as they print it.
//!
//! A block that a command has made is marked in `README.md` or `docs/*.md`, in a comment that no
//! reader of the rendered page sees:
//!
//! ````text
//! <!-- generated: testbed bench kernel; from "services of the kernel" to "us, instr" -->
//! ```text
//! …
//! ```
//! ````
//!
//! The block is the command's standard output from the first line that begins with the first text
//! to ahead of the next one that begins with the second; without `from` it begins with the first
//! line, without `to` it ends with the last. White space at the ends of lines does not count. Of
//! several commands, as in `generated: testbed run remote, then testbed analyse DIR cpu`, the last
//! one prints the block; those before it are runs, and DIR is the folder of the first of them, DIR2
//! that of the second. `generated, long:` marks commands that take minutes: they run with `testbed
//! test --long`, and are counted as ignored otherwise. `testbed test --overwrite` writes the blocks
//! anew.
//!
//! Chapters of the tutorial are carried out: [`tutorial`] says how.
//!
//! Prose is wrapped at [`COLUMNS`] in every document of the checkout, links lead somewhere, and the
//! book and the page of commands are complete.

mod tutorial;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

/// Columns of a line of prose, at most.
const COLUMNS: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// A block of a document that a command has made.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    document: PathBuf,
    /// Line of the marker, from 1.
    line: usize,
    /// Words after `testbed`.
    command: String,
    from: Option<String>,
    to: Option<String>,
    is_long: bool,
    /// What stands between the fences.
    text: String,
}

/// What of a marker's text stands in quotes behind `word`.
fn quoted(text: &str, word: &str) -> Result<Option<String>, String> {
    let Some((_, rest)) = text.split_once(&format!(" {word} \"")) else { return Ok(None) };
    let (inside, _) = rest.split_once('"').ok_or_else(|| format!("no closing quote behind `{word}`"))?;
    Ok(Some(inside.into()))
}

impl Block {
    /// The marker's command and its limits.
    fn marker(line: &str) -> Option<Result<Block, String>> {
        let text = line.strip_prefix("<!-- generated")?.strip_suffix("-->")?;
        let (is_long, text) = match text.strip_prefix(", long") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let parse = || {
            let text = text.strip_prefix(": testbed ").ok_or("no `: testbed …` behind `generated`")?;
            let (command, limits) = text.split_once(';').unwrap_or((text, ""));
            Ok(Block {
                document: PathBuf::new(),
                line: 0,
                command: command.trim().into(),
                from: quoted(limits, "from")?,
                to: quoted(limits, "to")?,
                is_long,
                text: String::new(),
            })
        };
        Some(parse())
    }

    /// All blocks of a document.
    fn all(document: &Path, text: &str) -> Result<Vec<Block>, String> {
        let lines: Vec<&str> = text.lines().collect();
        let mut blocks = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let place = |reason: String| format!("{}:{}: {reason}", document.display(), index + 1);
            let Some(found) = Block::marker(line) else { continue };
            let block = found.map_err(place)?;
            if lines.get(index + 1) != Some(&"```text") {
                return Err(place("no \"```text\" in the line after the marker".into()));
            }
            let inside = &lines[index + 2..];
            let length = inside.iter().position(|line| *line == "```");
            let length = length.ok_or_else(|| place("the block behind the marker does not end".into()))?;
            let text = inside[..length].join("\n");
            blocks.push(Block { document: document.into(), line: index + 1, text, ..block });
        }
        Ok(blocks)
    }

    /// The part of a command's output that the block shows.
    fn part(&self, output: &str) -> Result<String, String> {
        part(output, (&self.from, &self.to))
    }
}

/// The part of an output from the line that begins with one text to ahead of that which begins with
/// the other.
fn part(output: &str, (from, to): (&Option<String>, &Option<String>)) -> Result<String, String> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let find = |first: usize, text: &Option<String>, otherwise: usize| match text {
        Some(text) => lines[first..]
            .iter()
            .position(|line| line.starts_with(text))
            .map(|index| first + index)
            .ok_or_else(|| format!("no line of the output begins with {text:?}")),
        None => Ok(otherwise),
    };
    let first = find(0, from, 0)?;
    let last = find(first, to, lines.len())?;
    Ok(lines[first..last].join("\n").trim_end().to_string())
}

fn documents() -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.push(root().join("README.md"));
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// The chapters of the tutorial.
fn chapters() -> Vec<PathBuf> {
    let folder = root().join("docs/tutorial");
    let mut found: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// What stands between the commands of a marker.
const THEN: &str = ", then testbed ";

/// The folder of a run, which is made once for all blocks.
fn folder(command: &str) -> Result<PathBuf, String> {
    static RUNS: Mutex<BTreeMap<String, TempDir>> = Mutex::new(BTreeMap::new());
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    if !runs.contains_key(command) {
        let made = tempfile::tempdir().map_err(|error| error.to_string())?;
        output(&format!("{command} --out {}", made.path().join("run").display()))?;
        runs.insert(command.into(), made);
    }
    Ok(runs[command].path().join("run"))
}

/// What `testbed COMMAND` prints; of several commands, the last one.
fn output(command: &str) -> Result<String, String> {
    let (runs, last) = command.rsplit_once(THEN).unwrap_or(("", command));
    let mut folders = BTreeMap::new();
    for (run, name) in runs.split(THEN).filter(|run| !run.is_empty()).zip(["DIR", "DIR2"]) {
        folders.insert(name, folder(run)?.display().to_string());
    }
    let words = last.split_whitespace().map(|word| folders.get(word).map_or(word, String::as_str));
    let run = Command::new(env!("CARGO_BIN_EXE_testbed")).args(words).current_dir(root()).output();
    let run = run.map_err(|error| error.to_string())?;
    // `diff` ends with 1 where there is something to show.
    let is_good = run.status.success() || last.starts_with("diff ") && run.status.code() == Some(1);
    if !is_good {
        return Err(format!("testbed {command}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)));
    }
    String::from_utf8(run.stdout).map_err(|error| error.to_string())
}

/// The lines in which two texts differ, as a reader wants them.
fn difference(stands: &str, made: &str) -> String {
    let (stands, made): (Vec<_>, Vec<_>) = (stands.lines().collect(), made.lines().collect());
    let lines = (0..stands.len().max(made.len())).filter(|&at| stands.get(at) != made.get(at));
    let show = |line: Option<&&str>| line.map_or("(nothing)".into(), |line| line.to_string());
    let pairs = lines.map(|at| format!("  stands: {}\n  prints: {}\n", show(stands.get(at)), show(made.get(at))));
    pairs.take(20).collect()
}

/// Holds the blocks of one command against what it prints, or writes them anew.
fn compare(command: &str, blocks: &[Block]) -> Result<(), Failed> {
    let output = output(command)?;
    let mut wrong = String::new();
    for block in blocks {
        let made = block.part(&output)?;
        let stands: Vec<_> = block.text.lines().map(str::trim_end).collect();
        let stands = stands.join("\n").trim_end().to_string();
        if stands == made {
            continue;
        }
        if std::env::var_os("TESTBED_OVERWRITE").is_some() {
            overwrite(block, &made)?;
        } else {
            let place = format!("{}:{}", block.document.display(), block.line);
            wrong += &format!("{place}: `testbed {command}` prints something else\n{}", difference(&stands, &made));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}  help: testbed test --overwrite documented").into()),
    }
}

/// Puts what the command prints between the fences. Several commands may write to one document, one after the
/// other: the block is found by its marker and what stood there.
fn overwrite(block: &Block, made: &str) -> Result<(), Failed> {
    let text = fs::read_to_string(&block.document)?;
    let marker = text.lines().position(|line| matches!(Block::marker(line), Some(Ok(found)) if found.same(block)));
    let marker = marker.ok_or("the marker is gone")?;
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[marker..].iter().position(|line| *line == "```").ok_or("the block does not end")? + marker;
    let mut all: Vec<&str> = lines[..marker + 2].to_vec();
    all.extend(made.lines());
    all.extend(&lines[end..]);
    Ok(fs::write(&block.document, all.join("\n") + "\n")?)
}

impl Block {
    /// Whether both markers say the same.
    fn same(&self, other: &Block) -> bool {
        (&self.command, &self.from, &self.to) == (&other.command, &other.from, &other.to)
    }
}

/// The harness itself: what it must take and refuse, and that it sees a changed figure.
fn harness() -> Result<(), Failed> {
    let page = "# A\n<!-- generated, long: testbed x 1; from \"b\" to \"d\" -->\n```text\nb\nc 3  \n```\nend\n";
    let [block] = Block::all(Path::new("a.md"), page)?.try_into().map_err(|all| format!("{all:?}"))?;
    assert_eq!((block.command.as_str(), block.line, block.is_long), ("x 1", 2, true));
    assert_eq!(block.part("a\nb  \nc 3\n\nd\n")?, "b\nc 3");
    assert_ne!(block.part("a\nb\nc 4\nd\n")?, "b\nc 3", "another figure is another text");
    assert!(block.part("a\nc\n").unwrap_err().contains("begins with \"b\""));
    for wrong in ["<!-- generated: x -->\n```text\n```\n", "<!-- generated: testbed x -->\nno block\n"] {
        let error = Block::all(Path::new("a.md"), wrong).unwrap_err();
        assert!(error.starts_with("a.md:1: "), "{error}");
    }
    Ok(())
}

/// Every Markdown file of the checkout, but for what builds leave.
fn everywhere(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "out" {
                everywhere(&path, found)?;
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    Ok(())
}

/// Pieces of a line between which it can be broken: at blanks outside of code and of links.
fn pieces(line: &str) -> usize {
    let (mut count, mut inside, mut code, mut brackets) = (0, false, false, 0i32);
    for c in line.chars() {
        match c {
            '`' => code = !code,
            '[' if !code => brackets += 1,
            ']' if !code => brackets -= 1,
            _ => {}
        }
        let is_blank = c == ' ' && !code && brackets <= 0;
        count += usize::from(!is_blank && !inside);
        inside = !is_blank;
    }
    count
}

/// Numbers of the lines that are prose, could be broken and are too long.
fn too_long(text: &str) -> Vec<usize> {
    let (mut fence, mut is_code, mut after_blank, mut found) = (None, false, true, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let bare = line.trim_start();
        if let Some(end) = fence {
            if bare.trim_end() == end {
                fence = None;
            }
            continue;
        }
        if bare.starts_with("```") {
            fence = Some(&bare[..bare.len() - bare.trim_start_matches('`').len()]);
            continue;
        }
        // Four blanks make code of what does not go on a paragraph or an item of a list.
        is_code = line.starts_with("    ") && (after_blank || is_code);
        after_blank = bare.is_empty();
        let marker = bare.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+>.".contains(c));
        let is_prose = !is_code && !["|", "#", "<!--"].iter().any(|start| bare.starts_with(start));
        if is_prose && line.chars().count() > COLUMNS && pieces(marker.trim_start()) > 1 {
            found.push(number);
        }
    }
    found
}

/// Prose is wrapped everywhere; first that the check sees what it must see.
fn wrapped() -> Result<(), Failed> {
    let long = "word ".repeat(21);
    let (long, code) = (long.trim_end(), format!("`{}`", "word ".repeat(21)));
    for (text, lines) in [
        (format!("# {long}\n\n{long}\n"), vec![3]),
        (format!("short\n- {long}\n  {long}\n"), vec![2, 3]),
        (format!("| {long} |\n\n    {long}\n    {long}\n\n```text\n{long}\n```\n{long}\n"), vec![9]),
        (format!("a paragraph\n    {long}\n"), vec![2]),
        (format!("````\n```\n{long}\n````\n<!-- {long} -->\n{code}\n- [{long}](x)\n{code} and\n"), vec![8]),
        (format!("{}\n", &long[..COLUMNS]), vec![]),
    ] {
        assert_eq!(too_long(&text), lines, "{text}");
    }
    let mut documents = Vec::new();
    everywhere(&root(), &mut documents)?;
    assert!(documents.len() > 20, "{documents:?}");
    documents.sort();
    let mut wrong = String::new();
    for document in documents {
        let text = fs::read_to_string(&document)?;
        let path = document.strip_prefix(root()).unwrap_or(&document).display().to_string();
        too_long(&text).into_iter().for_each(|line| wrong += &format!("{path}:{line}\n"));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}  help: wrap this prose at {COLUMNS} columns").into()),
    }
}

/// What a heading is called in links to it: lower case, hyphens for spaces, nothing else.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// Links of a document to files and headings that are not there, relative to its folder.
fn dead_links(document: &Path, text: &str) -> Vec<String> {
    let folder = document.parent().unwrap_or(Path::new(""));
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    let is_dead = |target: &&str| {
        let (path, place) = target.split_once('#').unwrap_or((target, ""));
        let file = if path.is_empty() { document.into() } else { folder.join(path) };
        let has = |text: String| text.lines().any(|line| line.starts_with('#') && anchor(line) == place);
        !file.exists() || !place.is_empty() && !fs::read_to_string(&file).is_ok_and(has)
    };
    targets.filter(|target| !target.contains("://")).filter(is_dead).map(String::from).collect()
}

/// Every link leads somewhere, the book has every document, and the page of commands every command.
fn links() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let document = folder.path().join("a.md");
    fs::write(&document, "# One & two, `three`\n")?;
    let text = "[a](a.md) [b](b.md) [c](#one--two-three) [d](a.md#two) [e](https://there.is/no#place)";
    assert_eq!(dead_links(&document, text), ["b.md", "a.md#two"]);

    let (mut documents, mut wrong) = (Vec::new(), Vec::new());
    everywhere(&root(), &mut documents)?;
    for document in &documents {
        for target in dead_links(document, &fs::read_to_string(document)?) {
            wrong.push(format!("{}: nothing is at {target}", document.display()));
        }
    }
    let book = fs::read_to_string(root().join("docs/SUMMARY.md"))?;
    for entry in fs::read_dir(root().join("docs"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && name != "SUMMARY.md" && !book.contains(&format!("]({name})")) {
            wrong.push(format!("docs/SUMMARY.md has no line for {name}"));
        }
    }
    for chapter in chapters() {
        let name = chapter.file_name().unwrap_or_default().to_string_lossy();
        if !book.contains(&format!("](tutorial/{name})")) {
            wrong.push(format!("docs/SUMMARY.md has no line for tutorial/{name}"));
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

/// A number as prose has it: `1,441,792`.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// The figures that README.md quotes within its sentences.
fn readme() -> Result<(), Failed> {
    let readme = fs::read_to_string(root().join("README.md"))?.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut wrong = Vec::new();
    let mut expect = |sentence: String| {
        if !readme.contains(&sentence) {
            wrong.push(sentence);
        }
    };
    let folder = tempfile::tempdir()?;
    output(&format!("run remote 5 2 1 --out {}", folder.path().join("run").display()))?;
    let run: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("run/run.json"))?)?;
    let words = fs::metadata(folder.path().join("run/mmi.raw"))?.len() / 4;
    expect(format!("`run remote 5 2 1` takes {} cycles", with_commas(run["cycles"].as_u64().ok_or("no cycles")?)));
    expect(format!("all {} pairs of the monitors", with_commas(words / 2)));
    let bench: serde_json::Value = serde_json::from_str(&output("bench kernel --json")?)?;
    let rows = bench["rows"].as_array().ok_or("no rows")?;
    let moved =
        rows.iter().find(|row| row["kernel"] == "default" && row["name"] == "migration, until the thread goes on");
    let instructions = moved.and_then(|row| row["instructions"].as_f64()).ok_or("no row of migrations")?;
    expect(format!("goes on there in {} instructions", with_commas(instructions.round() as u64)));
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("README.md says otherwise; what was found: {}", wrong.join("; ")).into()),
    }
}

fn main() {
    let mut arguments = Arguments::from_args();
    // Two runs of one command would meet in its output folder.
    arguments.test_threads = Some(1);
    let mut commands: BTreeMap<String, Vec<Block>> = BTreeMap::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap_or_else(|error| panic!("{}: {error}", document.display()));
        for block in Block::all(&document, &text).unwrap_or_else(|error| panic!("{error}")) {
            commands.entry(block.command.clone()).or_default().push(block);
        }
    }
    assert!(!commands.is_empty(), "no document has a generated block");
    let is_long = std::env::var_os("TESTBED_LONG").is_some();
    let mut trials = vec![
        Trial::test("harness", harness),
        Trial::test("README.md", readme),
        Trial::test("prose", wrapped),
        Trial::test("links", links),
        Trial::test("harness of the tutorial", tutorial::harness),
    ];
    for document in chapters() {
        let name = document.file_name().unwrap_or_default().to_string_lossy().into_owned();
        trials.push(Trial::test(format!("tutorial/{name}"), move || tutorial::chapter(&document)));
    }
    for (command, blocks) in commands {
        let ignored = !is_long && blocks.iter().all(|block| block.is_long);
        let name = format!("testbed {command}");
        trials.push(Trial::test(name, move || compare(&command, &blocks)).with_ignored_flag(ignored));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
