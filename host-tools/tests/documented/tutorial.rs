//! The tutorial's commands do what its pages say: each chapter in `docs/tutorial` is carried out, in
//! a folder of its own, as a reader would who types what stands there.
//!
//! - A block of ```` ```sh ```` is typed: its lines, one after another, until one fails. A marker
//!   `<!-- ends with 7 -->` ahead of it says that the last one fails with that code. Ahead of a block
//!   that no test can type stands `<!-- not run: why -->`.
//! - A marker `<!-- file: NAME -->` ahead of a block of any language has the block written to that
//!   file.
//! - A marker `<!-- prints; from "A" to "B" -->` ahead of a block of ```` ```text ```` holds it against
//!   what the block typed last has printed, as `generated` does.
//!
//! `testbed` is the binary of this test, and the folder has links to the checkout's `firmware` and
//! `target`, as if the reader sat there.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

use crate::blocks::{difference, part, quoted};
use crate::root;

/// What the pages call the folder in which the reader sits.
const THERE: &str = "/home/you/testbed";

/// A block of a chapter, and what is to be done with it.
#[derive(Debug, PartialEq)]
struct Step {
    /// Line of the block's fence, from 1.
    line: usize,
    what: What,
    text: String,
}

#[derive(Debug, PartialEq)]
enum What {
    Type { code: i32 },
    Write { name: String },
    Hold { from: Option<String>, to: Option<String> },
}

/// The steps of a chapter, in order.
fn steps(text: &str) -> Result<Vec<Step>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut steps, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let Some(language) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let length = lines[at + 1..].iter().position(|line| *line == "```");
        let length = length.ok_or_else(|| format!("the block of line {} does not end", at + 1))?;
        let marker = at.checked_sub(1).and_then(|above| lines[above].strip_prefix("<!-- ")?.strip_suffix(" -->"));
        let text = lines[at + 1..=at + length].join("\n");
        let what = what(language, marker.unwrap_or("")).map_err(|reason| format!("line {}: {reason}", at + 1))?;
        steps.extend(what.map(|what| Step { line: at + 1, what, text }));
        at += length + 2;
    }
    Ok(steps)
}

fn what(language: &str, marker: &str) -> Result<Option<What>, String> {
    if let Some(name) = marker.strip_prefix("file: ") {
        return Ok(Some(What::Write { name: name.into() }));
    }
    if marker.starts_with("not run: ") {
        return Ok(None);
    }
    if let Some(limits) = marker.strip_prefix("prints") {
        return Ok(Some(What::Hold { from: quoted(limits, "from")?, to: quoted(limits, "to")? }));
    }
    let code = match marker.strip_prefix("ends with ") {
        Some(code) => code.parse().map_err(|_| format!("`{code}` is no exit code"))?,
        None => 0,
    };
    match language {
        "sh" => Ok(Some(What::Type { code })),
        _ => Err(format!("nothing says what the block of `{language}` is")),
    }
}

/// Carries out a chapter.
pub fn chapter(document: &Path) -> Result<(), Failed> {
    carry_out(document, std::env::var_os("TESTBED_OVERWRITE").is_some())
}

/// Carries out a chapter, and writes what is printed in the place of what stands there if that is wanted.
fn carry_out(document: &Path, is_overwriting: bool) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for name in ["firmware", "target", "machines"] {
        std::os::unix::fs::symlink(root().join(name), folder.path().join(name))?;
    }
    let bin = folder.path().join("bin");
    fs::create_dir(&bin)?;
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_testbed"), bin.join("testbed"))?;
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let here = fs::canonicalize(folder.path())?.display().to_string();
    let text = fs::read_to_string(document)?;
    let (mut printed, mut wrong) = (String::new(), String::new());
    for step in steps(&text)? {
        let place = format!("{}:{}", document.display(), step.line);
        match step.what {
            What::Write { name } => fs::write(folder.path().join(name), step.text + "\n")?,
            What::Type { code } => {
                let mut shell = Command::new("bash");
                shell.args(["-e", "-c", &step.text]).current_dir(folder.path()).env("PATH", &path);
                let output = shell.output()?;
                printed = String::from_utf8(output.stdout)?.replace(&here, THERE);
                if output.status.code() != Some(code) {
                    let said = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("{place}: {}, not {code}\n{printed}\n{said}", output.status).into());
                }
            }
            What::Hold { from, to } => {
                let made = part(&printed, (&from, &to)).map_err(|reason| format!("{place}: {reason}\n{printed}"))?;
                if made == step.text {
                    continue;
                }
                match is_overwriting {
                    true => overwrite(document, &step.text, &made)?,
                    false => wrong += &format!("{place}: something else is printed\n{}", difference(&step.text, &made)),
                }
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}  help: cargo testbed test --overwrite tutorial/").into()),
    }
}

/// Puts what was printed in the place of a block's text, which stands there once.
fn overwrite(document: &Path, stands: &str, made: &str) -> Result<(), Failed> {
    let text = fs::read_to_string(document)?;
    let (old, new) = (format!("```text\n{stands}\n```"), format!("```text\n{made}\n```"));
    match text.matches(&old).count() {
        1 => Ok(fs::write(document, text.replace(&old, &new))?),
        count => Err(format!("{count} blocks of {} have this text:\n{stands}", document.display()).into()),
    }
}

/// What chapters may have, and that a command that fails, or prints something else, is seen.
pub fn harness() -> Result<(), Failed> {
    let fence = "```";
    let page = format!(
        "# A\n<!-- file: a.c -->\n{fence}c\nint a;\n{fence}\n\n{fence}sh\ncat a.c; echo b\n{fence}\n\n<!-- prints; from \
         \"int\" to \"b\" -->\n{fence}text\nint a;\n{fence}\n<!-- ends with 3 -->\n{fence}sh\nexit 3\n{fence}\n<!-- not run: it \
         takes hours -->\n{fence}sh\nfalse\n{fence}\n"
    );
    let found: Vec<_> = steps(&page)?.into_iter().map(|step| step.what).collect();
    let (from, to) = (Some("int".to_string()), Some("b".to_string()));
    let expected =
        [What::Write { name: "a.c".into() }, What::Type { code: 0 }, What::Hold { from, to }, What::Type { code: 3 }];
    assert_eq!(found, expected);
    for wrong in ["```text\na\n```\n", "```sh\na\n", "<!-- ends with x -->\n```sh\n```\n"] {
        assert!(steps(wrong).is_err(), "{wrong}");
    }
    let folder = tempfile::tempdir()?;
    let document = folder.path().join("a.md");
    fs::write(&document, &page)?;
    carry_out(&document, false)?;
    for (good, bad) in
        [("int a;\n```\n<!-- ends", "int b;\n```\n<!-- ends"), ("exit 3", "exit 4"), ("cat a.c", "cat b.c")]
    {
        fs::write(&document, page.replace(good, bad))?;
        assert!(page.contains(good) && carry_out(&document, false).is_err(), "{bad}");
    }
    Ok(())
}
