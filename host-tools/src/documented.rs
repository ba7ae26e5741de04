//! Every command line in the documents is one that `testbed` understands.
//!
//! Commands stand in lines of their own, indented by four columns, and as code within sentences. A
//! line may be a synopsis, with brackets and alternatives, and go on in lines that are indented more;
//! of it the names of commands and options are checked. Any other is parsed.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use crate::Cli;

/// Behind a command, what is the shell's.
const SHELL: [&str; 4] = [" | jq ", " && ", " > ", " #"];

/// A command as a document has it.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// Its line in the document, from 1.
    number: usize,
    /// What stands behind `testbed`.
    text: String,
    /// A line of its own, so that nothing may be missing.
    is_whole: bool,
}

/// What stands behind `testbed` in `text`.
fn behind_testbed(text: &str) -> Option<&str> {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    text.strip_prefix("cargo ").unwrap_or(text).strip_prefix("testbed ")
}

/// The commands of a document.
fn lines(document: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    // Whether the line before belongs to a command of its own line.
    let mut goes_on = false;
    for (number, line) in (1..).zip(document.lines()) {
        // Two blanks end a command; what follows explains it.
        let code = line.strip_prefix("    ").map(str::trim_end);
        let first = |text: &str| text.split("  ").next().unwrap_or_default().to_string();
        match code {
            Some(text) if text.starts_with(' ') && goes_on => {
                // Words without a bracket or a hyphen explain.
                let more = Some(text.trim_start()).filter(|text| text.starts_with(['[', '-']));
                if let Some((last, more)) = found.last_mut().zip(more) {
                    last.text += &format!(" {}", first(more));
                }
                continue;
            }
            Some(text) => {
                let command = behind_testbed(text);
                goes_on = command.is_some();
                found.extend(command.map(|text| Line { number, text: first(text), is_whole: true }));
                if goes_on {
                    continue;
                }
            }
            None => goes_on = false,
        }
        let inline = line.split('`').skip(1).step_by(2).filter_map(behind_testbed);
        found.extend(inline.map(|text| Line { number, text: text.into(), is_whole: false }));
    }
    for line in &mut found {
        let end = SHELL.iter().filter_map(|end| line.text.find(end)).min();
        line.text.truncate(end.unwrap_or(line.text.len()));
    }
    found
}

/// The words of a command; single quotes hold a word together.
fn words(text: &str) -> Vec<String> {
    let word = |(index, part): (usize, &str)| match index % 2 {
        0 => part.split_whitespace().map(String::from).collect(),
        _ => vec![part.to_string()],
    };
    text.split('\'').enumerate().flat_map(word).collect()
}

/// The commands that the first words name, where `a|b` names two.
fn named<'a>(root: &'a Command, words: &[String]) -> Result<Vec<&'a Command>, String> {
    let mut commands = vec![root];
    for word in words {
        let [command] = commands[..] else { break };
        let names = word.split('|').map(|name| command.find_subcommand(name)).collect::<Option<Vec<_>>>();
        match names {
            Some(names) => commands = names,
            None if command.is_subcommand_required_set() && word.starts_with(|c: char| c.is_ascii_lowercase()) => {
                return Err(format!("`{}` has no command `{word}`", command.get_name()));
            }
            None => break,
        }
    }
    Ok(commands)
}

fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|argument| {
        let long = argument.get_long_and_visible_aliases().unwrap_or_default();
        let short = argument.get_short_and_visible_aliases().unwrap_or_default();
        match option.strip_prefix("--") {
            Some(name) => long.contains(&name),
            None => short.iter().any(|letter| option == format!("-{letter}")),
        }
    })
}

/// What is wrong with a command.
fn fault(root: &Command, line: &Line) -> Option<String> {
    let words = words(&line.text);
    let commands = match named(root, &words) {
        Ok(commands) => commands,
        Err(fault) => return Some(fault),
    };
    // What follows `--` is the program's.
    let ours = words.iter().take_while(|word| *word != "--");
    let bare = ours.map(|word| word.trim_start_matches('[').trim_end_matches([']', ',']));
    let options = bare.filter(|word| word.len() > 1 && word.starts_with('-'));
    let names = options.map(|word| word.split('=').next().unwrap_or_default());
    for option in names {
        if !commands.iter().any(|command| has(command, option)) {
            return Some(format!("`{}` has no option {option}", commands[0].get_name()));
        }
    }
    if line.text.contains(['[', '|', '…']) || !line.is_whole && words.last()?.starts_with('-') {
        return None;
    }
    let all = ["testbed"].into_iter().chain(words.iter().map(String::as_str));
    let error = root.clone().try_get_matches_from(all).err()?;
    // `N` or `NAME` stands for a value, and need not be one.
    let stands_for = |word: &String| word.chars().all(|letter| letter.is_ascii_uppercase());
    let is_placed = words.iter().any(stands_for)
        && matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue | ErrorKind::InvalidSubcommand);
    let is_part = !line.is_whole
        && matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        );
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!is_part && !is_placed && !is_help).then(|| error.to_string().lines().next().unwrap_or_default().into())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

fn built() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

#[test]
fn commands_are_found_and_what_is_wrong_with_them() {
    let page = "A `testbed run` and `$x`.\n\n    testbed run PROGRAM [ARGS…] [--seed N]  a program --or not\n        \
                [--out DIR]    where\n    cargo testbed test | jq '[a]'\n    $ testbed top DIR --once   # as text\n";
    let line = |number, text: &str, is_whole| Line { number, text: text.into(), is_whole };
    let expected = [
        line(1, "run", false),
        line(3, "run PROGRAM [ARGS…] [--seed N] [--out DIR]", true),
        line(5, "test", true),
        line(6, "top DIR --once", true),
    ];
    assert_eq!(lines(page), expected);
    let root = built();
    let of = |text: &str| fault(&root, &line(1, text, true));
    for good in [
        "run sh --filter 'drop TIMER,USER'",
        "run sh -- -i shells",
        "lbsp speedup|best [--nodes N]",
        "lbsp figure N",
        "--help",
    ] {
        assert_eq!(of(good), None, "{good}");
    }
    for (wrong, says) in [
        ("rum", "`testbed` has no command `rum`"),
        ("run PROGRAM [--sed N]", "`run` has no option --sed"),
        ("trace [DIR] -p", "`trace` has no option -p"),
        ("lbsp figure x", "invalid value 'x'"),
        ("run --sed 1 sh -- -i shells", "`run` has no option --sed"),
        ("synth", "required"),
    ] {
        let fault = of(wrong).unwrap_or_else(|| panic!("nothing is wrong with {wrong}"));
        assert!(fault.contains(says), "{wrong}: {fault}");
    }
    // Within a sentence a command may be named without its arguments.
    assert_eq!(fault(&root, &line(1, "synth", false)), None);
}

#[test]
fn commands_in_the_documents_are_understood() {
    let (root_command, folder) = (built(), root());
    let pages = fs::read_dir(folder.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let top = ["README.md", "ARCHITECTURE.md"].map(|name| folder.join(name));
    let (mut seen, mut wrong) = (0, String::new());
    for path in pages.chain(top) {
        let text = fs::read_to_string(&path).unwrap();
        for line in lines(&text) {
            seen += 1;
            if let Some(fault) = fault(&root_command, &line) {
                wrong += &format!("{}:{}: testbed {}: {fault}\n", path.display(), line.number, line.text);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}  help: write the command as `testbed --help` has it");
    assert!(seen > 150, "{seen} commands");
}
