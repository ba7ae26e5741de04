//! Blocks of documents that commands have made.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

use crate::runs::output;

/// A block of a document that a command has made.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub document: PathBuf,
    /// Line of the marker, from 1.
    line: usize,
    /// Words after `testbed`.
    pub command: String,
    from: Option<String>,
    to: Option<String>,
    pub is_long: bool,
    /// What stands between the fences.
    text: String,
}

/// What of a marker's text stands in quotes behind `word`.
pub fn quoted(text: &str, word: &str) -> Result<Option<String>, String> {
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
    pub fn all(document: &Path, text: &str) -> Result<Vec<Block>, String> {
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
    pub fn part(&self, output: &str) -> Result<String, String> {
        part(output, (&self.from, &self.to))
    }
}

/// The part of an output from the line that begins with one text to ahead of that which begins with
/// the other.
pub fn part(output: &str, (from, to): (&Option<String>, &Option<String>)) -> Result<String, String> {
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

/// The lines in which two texts differ, as a reader wants them.
pub fn difference(stands: &str, made: &str) -> String {
    let (stands, made): (Vec<_>, Vec<_>) = (stands.lines().collect(), made.lines().collect());
    let lines = (0..stands.len().max(made.len())).filter(|&at| stands.get(at) != made.get(at));
    let show = |line: Option<&&str>| line.map_or("(nothing)".into(), |line| line.to_string());
    let pairs = lines.map(|at| format!("  stands: {}\n  prints: {}\n", show(stands.get(at)), show(made.get(at))));
    pairs.take(20).collect()
}

/// Holds the blocks of one command against what it prints, or writes them anew.
pub fn compare(command: &str, blocks: &[Block]) -> Result<(), Failed> {
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
        false => Err(format!("{wrong}  help: cargo testbed test --overwrite \"testbed {command}\"").into()),
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
pub fn harness() -> Result<(), Failed> {
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
