//! The commands of the shell itself.

use alloc::vec::Vec;

use testbed_definitions::syscall::open;

use super::shell::{Flow, Shell, MISUSED};
use super::{asking, jobs, printing, seats, testing};
use crate::number;
use crate::syntax::is_name;
use crate::tools;

/// A command of the shell: what it does with its arguments, and its status.
type Act = fn(&mut Shell, &[Vec<u8>]) -> u32;

/// The commands of the shell: name, arguments, what it is for, what it does.
pub const BUILTINS: &[(&str, &str, &str, Act)] = &[
    (":", "", "does nothing", |_, _| 0),
    (".", "FILE [ARGUMENT...]", "runs a script in this shell", |shell, words| shell.source(words)),
    ("[", "EXPRESSION ]", "as `test`", testing::bracket),
    ("bg", "[PROCESS...]", "lets processes run while nobody waits for them: the last one that was stopped", jobs::bg),
    ("break", "[LOOPS]", "ends a loop", |shell, words| leave(shell, words, Flow::Break)),
    ("continue", "[LOOPS]", "goes on with the next round of a loop", |shell, words| {
        leave(shell, words, Flow::Continue)
    }),
    ("echo", "[-n] WORD...", "prints words", printing::echo),
    ("env", "", "prints the variables of the environment", |shell, words| environment(shell, words)),
    ("eval", "WORD...", "runs words as a command", |shell, words| shell.eval(words)),
    ("exit", "[STATUS]", "ends the shell", |shell, words| end(shell, words, Flow::Exit)),
    ("export", "NAME[=VALUE]...", "puts variables into the environment of programs, the file `environment`", export),
    ("false", "", "fails", |_, _| 1),
    ("fg", "[PROCESS]", "lets a process run, and waits for it: the last one that was stopped", jobs::fg),
    ("get", "[PROCESSOR:]NAME [PATH]", "has the host keep a file, as NAME in the run's folder or as PATH", asking::get),
    ("help", "[NAME...]", "says what a command takes", help),
    ("jobs", "", "lists what this shell has started: %1 names the first to other commands", jobs::jobs),
    ("kill", "PROCESS...", "ends processes", jobs::kill),
    (
        "on",
        "PROCESSOR [[operator] PROGRAM [ARGUMENT...]]",
        "runs a program on a processor, or leads the console there",
        jobs::on,
    ),
    ("printf", "FORMAT [WORD...]", "prints words as a format says", printing::printf),
    ("ps", "[-t]", "lists this processor's processes, and its threads", jobs::ps),
    ("put", "PATH [[PROCESSOR:]NAME]", "brings a file of the host here", asking::put),
    ("read", "[-r] NAME...", "reads a line into variables", read),
    ("readonly", "NAME[=VALUE]...", "fixes variables", readonly),
    ("return", "[STATUS]", "ends a function or a script", |shell, words| end(shell, words, Flow::Return)),
    ("run", "[operator] PROGRAM [ARGUMENT...]", "runs a program", jobs::run),
    ("set", "[-eux] [+eux] [--] [WORD...]", "sets options and arguments, or prints the variables", set),
    ("shells", "", "starts a shell on every processor that has none at the console", seats::shells),
    ("shift", "[COUNT]", "drops arguments", shift),
    ("stop", "PROCESS...", "has the threads of processes not run", jobs::stop),
    ("stty", "[-a] [size] [echo] [-echo]", "says how the console is, or whether the shell repeats lines", asking::stty),
    ("test", "EXPRESSION", "compares: -n -z = != -eq -ne -lt -le -gt -ge -e -f -s -r -w -x ! -a -o ( )", testing::test),
    ("true", "", "succeeds", |_, _| 0),
    ("type", "NAME...", "says what a command is", kind),
    ("unset", "[-f] NAME...", "takes variables or functions away", unset),
    ("wait", "[PROCESS...]", "waits for processes", jobs::wait),
];

/// What the command of this name does.
pub(super) fn find(name: &[u8]) -> Option<Act> {
    BUILTINS.iter().find(|builtin| builtin.0.as_bytes() == name).map(|builtin| builtin.3)
}

/// Whether variables that are set for a command stay set, and what is wrong with it ends the shell.
pub(super) fn is_special(name: &[u8]) -> bool {
    const SPECIAL: &[&[u8]] = &[
        b":",
        b".",
        b"break",
        b"continue",
        b"eval",
        b"exit",
        b"export",
        b"readonly",
        b"return",
        b"set",
        b"shift",
        b"unset",
    ];
    SPECIAL.contains(&name)
}

/// The number that is the only argument, or what it is without one.
fn one_number(shell: &mut Shell, name: &[u8], words: &[Vec<u8>], otherwise: u32) -> Option<u32> {
    let Some(word) = words.first() else { return Some(otherwise) };
    let number = number::parse(word).and_then(|number| u32::try_from(number).ok());
    if number.is_none() {
        shell.fail(&[name, word], "this is no number");
    }
    number
}

fn leave(shell: &mut Shell, words: &[Vec<u8>], flow: fn(u32) -> Flow) -> u32 {
    let Some(count) = one_number(shell, b"sh", words, 1) else { return 2 };
    if shell.loops > 0 && count > 0 {
        shell.flow = flow(count.min(shell.loops));
    }
    0
}

fn end(shell: &mut Shell, words: &[Vec<u8>], flow: Flow) -> u32 {
    let before = shell.status;
    let status = one_number(shell, b"sh", words, before).unwrap_or(2) & 0xff;
    (shell.status, shell.flow) = (status, flow);
    status
}

fn environment(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if !words.is_empty() {
        return MISUSED;
    }
    let lines = shell.environment.variables.lines(true);
    shell.print(&lines)
}

/// Says what a command takes. The result is the status.
pub(super) fn usage(shell: &mut Shell, name: &[u8]) -> u32 {
    let mut text = b"usage: ".to_vec();
    text.extend(line_about(shell, name).unwrap_or_else(|| name.to_vec()));
    text.push(b'\n');
    let _ = shell.apply();
    shell.machine.complain(&text);
    2
}

/// Sets variables as `NAME=VALUE` says, and does something to each.
fn declare(shell: &mut Shell, words: &[Vec<u8>], act: fn(&mut Shell, &[u8])) -> u32 {
    let mut status = 0;
    for word in words {
        let equal = word.iter().position(|&byte| byte == b'=');
        let name = &word[..equal.unwrap_or(word.len())];
        if !is_name(name) {
            status = shell.fail(&[b"sh", name], "no variable can be called so");
            continue;
        }
        if let Some(equal) = equal {
            if !shell.set(name, &word[equal + 1..]) {
                status = 2;
            }
        }
        act(shell, name);
    }
    status
}

fn export(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let words: Vec<Vec<u8>> = words.iter().filter(|word| word[..] != *b"-p").cloned().collect();
    if words.is_empty() {
        return environment(shell, &[]);
    }
    let status = declare(shell, &words, |shell, name| shell.environment.variables.export(name));
    let lines = shell.environment.variables.lines(true);
    let home = shell.machine.home();
    let file = shell.machine.open(home, b"environment", open::WRITE | open::CREATE | open::TRUNCATE);
    match file.and_then(|file| shell.machine.write_at(file, 0, &lines)) {
        Ok(()) => status,
        Err(error) => shell.fail(&[b"export", b"environment"], error.meaning()),
    }
}

fn readonly(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    declare(shell, words, |shell, name| shell.environment.variables.fix(name))
}

fn unset(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let functions = words.first().is_some_and(|word| word[..] == *b"-f");
    let mut status = 0;
    for word in words.iter().filter(|word| word.first() != Some(&b'-')) {
        if functions {
            shell.environment.functions.remove(word);
        } else if let Err(what) = shell.environment.variables.unset(word) {
            status = shell.fail(&[b"unset", word], what);
        }
    }
    status
}

fn set(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    if words.is_empty() {
        let lines = shell.environment.variables.lines(false);
        return shell.print(&lines);
    }
    for (index, word) in words.iter().enumerate() {
        let on = match (word.first(), word.len()) {
            (Some(b'-'), 2..) => true,
            (Some(b'+'), 2..) => false,
            _ => {
                shell.environment.arguments = words[index..].to_vec();
                return 0;
            }
        };
        if word[..] == *b"--" {
            shell.environment.arguments = words[index + 1..].to_vec();
            return 0;
        }
        for letter in &word[1..] {
            match letter {
                b'e' => shell.strict = on,
                b'u' => shell.unset_is_error = on,
                b'x' => shell.traced = on,
                _ => return MISUSED,
            }
        }
    }
    0
}

fn shift(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let Some(count) = one_number(shell, b"shift", words, 1) else { return 2 };
    if count as usize > shell.environment.arguments.len() {
        shell.give_up(2);
        shell.fail(&[b"shift"], "there are fewer arguments");
        return 2;
    }
    shell.environment.arguments.drain(..count as usize);
    0
}

/// Bytes of a line that `read` takes, at most.
const LINE_BYTES: usize = 4096;

fn read(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let raw = words.first().is_some_and(|word| word[..] == *b"-r");
    let names = &words[raw as usize..];
    if names.is_empty() || !names.iter().all(|name| is_name(name)) {
        return MISUSED;
    }
    let (mut line, mut whole) = (Vec::new(), false);
    while !whole && line.len() < LINE_BYTES {
        let mut buffer = [0; 256];
        let got = shell.apply().and_then(|()| shell.machine.input(&mut buffer));
        let count = match got {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return shell.fail(&[b"read"], error.meaning()),
        };
        shell.has_read();
        line.extend_from_slice(&buffer[..count]);
        if line.last() == Some(&b'\n') {
            line.pop();
            let quoted = line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
            whole = raw || !quoted;
            if !whole {
                line.pop();
            }
        }
    }
    let separators = shell.environment.variables.get(b"IFS").unwrap_or(b" \t\n").to_vec();
    let values = fields(&line, &separators, names.len(), raw);
    for (index, name) in names.iter().enumerate() {
        if !shell.set(name, values.get(index).map_or(&b""[..], |value| value)) {
            return 2;
        }
    }
    !whole as u32
}

/// Splits a line into so many fields at most, the last of which has the rest.
fn fields(line: &[u8], separators: &[u8], most: usize, raw: bool) -> Vec<Vec<u8>> {
    let is_blank = |byte: u8| separators.contains(&byte) && byte.is_ascii_whitespace();
    let (mut all, mut at) = (Vec::new(), 0);
    let skip = |mut at: usize| {
        while line.get(at).is_some_and(|&byte| is_blank(byte)) {
            at += 1;
        }
        at
    };
    at = skip(at);
    while at < line.len() && all.len() < most {
        let (mut field, mut kept) = (Vec::new(), 0);
        let is_last = all.len() + 1 == most;
        while let Some(&byte) = line.get(at) {
            if byte == b'\\' && !raw {
                field.extend(line.get(at + 1));
                (at, kept) = (at + 2, field.len());
                continue;
            }
            if separators.contains(&byte) && !is_last {
                break;
            }
            field.push(byte);
            kept = if is_blank(byte) { kept } else { field.len() };
            at += 1;
        }
        if is_last {
            // Blanks at the end go, and one separator if there is nothing behind it.
            field.truncate(kept);
            let own = field.iter().filter(|byte| separators.contains(byte) && !is_blank(**byte)).count();
            if own == 1 && field.last().is_some_and(|byte| separators.contains(byte)) {
                field.pop();
            }
        } else {
            at = skip(at);
            if line.get(at).is_some_and(|byte| separators.contains(byte)) {
                at = skip(at + 1);
            }
        }
        all.push(field);
    }
    all
}

fn kind(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let mut status = 0;
    for word in words {
        let home = shell.machine.home();
        let what = if shell.environment.functions.contains_key(word) {
            "a function"
        } else if find(word).is_some() {
            "a command of the shell"
        } else if tools::find(word).is_some() {
            "a utility"
        } else if shell.machine.open(home, word, 0).is_ok() {
            "a file"
        } else {
            status = 127;
            "not found"
        };
        let mut line = word.clone();
        line.extend_from_slice(if what == "not found" { b": " } else { b" is " });
        line.extend_from_slice(what.as_bytes());
        line.push(b'\n');
        shell.print(&line);
    }
    status
}

/// Name and arguments of a command.
fn line_about(shell: &Shell, name: &[u8]) -> Option<Vec<u8>> {
    let builtin = BUILTINS.iter().map(|builtin| (builtin.0, builtin.1));
    let utility = tools::TOOLS.iter().map(|tool| (tool.name, tool.usage));
    let all = builtin.chain(utility).chain(shell.machine.own_commands().iter().copied());
    let (found, arguments) = all.into_iter().find(|known| known.0.as_bytes() == name)?;
    let blank = if arguments.is_empty() { "" } else { " " };
    Some([found, blank, arguments].concat().into_bytes())
}

/// What a command is for.
fn purpose(name: &[u8]) -> &'static str {
    let builtin = BUILTINS.iter().find(|builtin| builtin.0.as_bytes() == name).map(|builtin| builtin.2);
    builtin.or_else(|| tools::find(name).map(|tool| tool.purpose)).unwrap_or("")
}

/// `help`: lists all commands; `help NAME`: says what one takes, and what it does.
pub fn help(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let mut text = Vec::new();
    if words.is_empty() {
        let own = shell.machine.own_commands();
        let names = BUILTINS.iter().map(|builtin| builtin.0).chain(tools::TOOLS.iter().map(|tool| tool.name));
        let mut names: Vec<&str> = names.chain(own.iter().map(|command| command.0)).collect();
        names.sort_unstable();
        for name in names {
            text.extend(line_about(shell, name.as_bytes()).unwrap_or_default());
            text.push(b'\n');
        }
        return shell.print(&text);
    }
    for word in words {
        match line_about(shell, word) {
            Some(line) => {
                text.extend(line);
                text.push(b'\n');
                if !purpose(word).is_empty() {
                    text.extend_from_slice(b"    ");
                    text.extend_from_slice(purpose(word).as_bytes());
                    text.push(b'\n');
                }
            }
            None => return shell.fail(&[b"help", word], "no command of shell or utilities; `help` lists them"),
        }
    }
    shell.print(&text)
}
