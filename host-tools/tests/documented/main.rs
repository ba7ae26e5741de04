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
//! The costs that policies reckon with are held to what `bench kernel` prints.
//!
//! Prose is wrapped at [`prose::COLUMNS`] in every document of the checkout, links lead somewhere, and the
//! book and the page of commands are complete.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use testbed_balance::policy::Costs;

mod blocks;
mod links;
mod prose;
mod runs;
mod tutorial;

use blocks::{compare, harness, Block};
use links::links;
use prose::wrapped;
use runs::output;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
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

/// A number as prose has it: `1,441,792`.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

/// What `bench kernel` measures of a service of the default kernel.
fn service(name: &str, figure: &str) -> Result<f64, Failed> {
    static BENCH: OnceLock<Result<Value, String>> = OnceLock::new();
    let bench = BENCH.get_or_init(|| {
        let text = output("bench kernel --json").map_err(|error| format!("{error:?}"))?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    });
    let rows = bench.as_ref().map_err(String::clone)?["rows"].as_array().ok_or("no rows")?;
    let row = rows.iter().find(|row| row["kernel"] == "default" && row["name"] == name);
    Ok(row.and_then(|row| row[figure].as_f64()).ok_or_else(|| format!("no row {name} with {figure}"))?)
}

/// What policies reckon that messages and moves cost is what they do, to a twentieth.
fn costs() -> Result<(), Failed> {
    let cycles = |name: &str| service(name, "cycles");
    let flights = ["remote: focus flight", "remote: rtr flight", "remote: msg flight, 4 bytes"];
    let flight = flights.into_iter().map(cycles).sum::<Result<f64, _>>()?;
    for (what, reckoned, measured) in [
        ("migration", Costs::DEFAULT.migration, cycles("migration, until the thread goes on")?),
        ("page", Costs::DEFAULT.page, cycles("page copy, until the thread goes on")?),
        ("local", Costs::DEFAULT.local, cycles("local rendezvous, 4 bytes")?),
        ("remote", Costs::DEFAULT.remote, cycles("remote, 4 bytes, both ready, no flight")?),
        ("flight", Costs::DEFAULT.flight, flight),
    ] {
        if (f64::from(reckoned) / measured - 1.0).abs() > 0.05 {
            let place = "firmware/balance/src/policy.rs";
            return Err(
                format!("{place}: `{what}` is {reckoned}, and takes {measured} (`testbed bench kernel`)").into()
            );
        }
    }
    Ok(())
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
    let run: Value = serde_json::from_slice(&fs::read(folder.path().join("run/run.json"))?)?;
    let words = fs::metadata(folder.path().join("run/mmi.raw"))?.len() / 4;
    expect(format!("`run remote 5 2 1` takes {} cycles", with_commas(run["cycles"].as_u64().ok_or("no cycles")?)));
    expect(format!("all {} pairs of the monitors", with_commas(words / 2)));
    let instructions = service("migration, until the thread goes on", "instructions")?;
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
        Trial::test("costs", costs),
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
