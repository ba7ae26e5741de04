//! Lists, pipelines, loops and conditions.

use alloc::vec::Vec;

use testbed_definitions::syscall::{open, Error};

use super::builtins;
use super::program::Wanted;
use super::shell::{Flow, Shell, MISUSED};
use crate::pattern;
use crate::syntax::tree::{Action, Command, Item, Join, List, Pipeline, Word};

impl Shell<'_> {
    /// Runs commands one after the other. The result is the status of the last.
    pub(super) fn list(&mut self, list: &List) -> u32 {
        let mut status = 0;
        for item in list {
            status = self.item(item);
            self.status = status;
            if self.flow != Flow::Next {
                break;
            }
        }
        status
    }

    /// Runs pipelines that are joined.
    pub(super) fn item(&mut self, item: &Item) -> u32 {
        if !self.machine.goes_on() {
            self.flow = Flow::Exit;
            return 130;
        }
        if item.background {
            return self.in_background(item);
        }
        let lenient = |index: usize| index < item.rest.len();
        let mut status = self.pipeline(&item.first, lenient(0));
        for (index, (join, pipeline)) in item.rest.iter().enumerate() {
            if self.flow != Flow::Next {
                break;
            }
            self.status = status;
            if (status == 0) == (*join == Join::And) {
                status = self.pipeline(pipeline, lenient(index + 1));
            }
        }
        status
    }

    /// Only a program can run while nobody waits for it.
    fn in_background(&mut self, item: &Item) -> u32 {
        let command = match &item.first.commands[..] {
            [command] if item.rest.is_empty() && !item.first.negated => command,
            _ => return self.fail(&[b"sh"], "only one program can run in the background: put more into a script"),
        };
        let Action::Simple { assignments: _, words } = &command.action else {
            return self.fail(&[b"sh"], "only a program can run in the background: put commands into a script");
        };
        let Some(after) = self.redirect(&command.redirections) else { return 1 };
        let status = match self.words(words) {
            Ok(words) => self.background_words(&words),
            Err(_) => 2,
        };
        self.go_back(after);
        status
    }

    fn background_words(&mut self, words: &[Vec<u8>]) -> u32 {
        let wanted = Wanted { background: true, ..Wanted::default() };
        let Some(name) = words.first() else { return 0 };
        let status = match &name[..] {
            b"run" => self.run_as(&words[1..], wanted),
            b"on" => self.run_on(&words[1..], wanted),
            _ if self.environment.functions.contains_key(name) || builtins::find(name).is_some() => {
                self.fail(&[name], "this runs in the shell itself, and not in the background")
            }
            _ => self.run_program(words, wanted),
        };
        match status {
            MISUSED => builtins::usage(self, name),
            status => status,
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, lenient: bool) -> u32 {
        let lenient = lenient || pipeline.negated;
        self.lenient += lenient as u32;
        let status = match &pipeline.commands[..] {
            [command] => self.command(command),
            commands => match self.piped(commands) {
                Ok(status) => status,
                Err(error) => self.fail(&[b"sh", b"|"], error.meaning()),
            },
        };
        self.lenient -= lenient as u32;
        if self.strict && !lenient && self.lenient == 0 && status != 0 && self.flow == Flow::Next {
            self.flow = Flow::Exit;
        }
        match pipeline.negated {
            true => (status == 0) as u32,
            false => status,
        }
    }

    /// Runs each command when the one before is over, with what that has written as its input.
    fn piped(&mut self, commands: &[Command]) -> Result<u32, Error> {
        let (before, home) = (self.streams, self.machine.home());
        let mut written: Option<Vec<u8>> = None;
        let (mut status, mut result) = (0, Ok(()));
        for (index, command) in commands.iter().enumerate() {
            let read = written.take();
            self.streams = before;
            if let Some(name) = &read {
                match self.machine.open(home, name, open::READ) {
                    Ok(file) => self.streams.input = Some((file, 0)),
                    Err(error) => result = Err(error),
                }
            }
            if index + 1 < commands.len() && result.is_ok() {
                match self.temporary_file() {
                    Ok((file, name)) => (self.streams.output, written) = (Some(file), Some(name)),
                    Err(error) => result = Err(error),
                }
            }
            if result.is_ok() {
                status = self.subshell(|shell| shell.command(command));
            }
            self.streams = before;
            let _ = self.apply();
            if let Some(name) = read {
                let _ = self.machine.unlink(home, &name);
            }
            if result.is_err() || self.interrupted {
                break;
            }
        }
        if let Some(name) = written {
            let _ = self.machine.unlink(home, &name);
        }
        result.map(|()| status)
    }

    fn command(&mut self, command: &Command) -> u32 {
        if let Action::Simple { assignments, words } = &command.action {
            return self.simple(command, assignments, words);
        }
        let Some(after) = self.redirect(&command.redirections) else { return 2 };
        let status = self.nest(|shell| shell.compound(&command.action));
        if !self.go_back(after) {
            return 1;
        }
        status
    }

    fn compound(&mut self, action: &Action) -> u32 {
        match action {
            Action::Simple { .. } => 0,
            Action::Group(list) => self.list(list),
            Action::Subshell(list) => self.subshell(|shell| {
                let status = shell.list(list);
                if shell.flow == Flow::Exit {
                    shell.status
                } else {
                    status
                }
            }),
            Action::If { arms, otherwise } => {
                for (condition, body) in arms {
                    let status = self.condition(condition);
                    if self.flow != Flow::Next {
                        return status;
                    }
                    if status == 0 {
                        return self.list(body);
                    }
                }
                self.list(otherwise)
            }
            Action::While { condition, body, until } => self.looped(condition, body, *until),
            Action::For { name, words, body } => self.each(name, words.as_deref(), body),
            Action::Case { word, arms } => self.case(word, arms),
            Action::Function { name, body } => self.define(name, body),
        }
    }

    fn condition(&mut self, list: &List) -> u32 {
        self.lenient += 1;
        let status = self.list(list);
        self.lenient -= 1;
        status
    }

    fn looped(&mut self, condition: &List, body: &List, until: bool) -> u32 {
        let mut status = 0;
        self.loops += 1;
        loop {
            let held = self.condition(condition);
            if self.flow == Flow::Next {
                if (held == 0) == until {
                    break;
                }
                status = self.list(body);
            }
            if self.loop_ends() {
                break;
            }
        }
        self.loops -= 1;
        status
    }

    /// Whether a loop ends, after `break`, `continue` and their like.
    fn loop_ends(&mut self) -> bool {
        match self.flow {
            Flow::Next => return !self.machine.goes_on(),
            Flow::Break(1) => self.flow = Flow::Next,
            Flow::Break(left) => self.flow = Flow::Break(left - 1),
            Flow::Continue(1) => {
                self.flow = Flow::Next;
                return false;
            }
            Flow::Continue(left) => self.flow = Flow::Continue(left - 1),
            Flow::Return | Flow::Exit => {}
        }
        true
    }

    fn each(&mut self, name: &[u8], words: Option<&[Word]>, body: &List) -> u32 {
        let values = match words {
            Some(words) => match self.words(words) {
                Ok(values) => values,
                Err(_) => return 2,
            },
            None => self.environment.arguments.clone(),
        };
        let mut status = 0;
        self.loops += 1;
        for value in values {
            if !self.set(name, &value) {
                status = 2;
                break;
            }
            status = self.list(body);
            if self.loop_ends() {
                break;
            }
        }
        self.loops -= 1;
        status
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, List)]) -> u32 {
        let Ok(text) = self.text(word) else { return 2 };
        for (patterns, list) in arms {
            for wanted in patterns {
                let Ok(wanted) = self.pattern(wanted) else { return 2 };
                if pattern::matches(&wanted, &text) {
                    return self.list(list);
                }
            }
        }
        0
    }

    fn simple(&mut self, command: &Command, assignments: &[(Vec<u8>, Word)], words: &[Word]) -> u32 {
        self.captured = 0;
        let Ok(words) = self.words(words) else { return 2 };
        let Some(after) = self.redirect(&command.redirections) else { return 2 };
        let status = self.assigned(assignments, &words);
        if !self.go_back(after) {
            return 1;
        }
        status
    }

    /// Sets variables, for the command only if there is one, and runs it.
    fn assigned(&mut self, assignments: &[(Vec<u8>, Word)], words: &[Vec<u8>]) -> u32 {
        let mut saved = Vec::new();
        let stays = words.first().is_none_or(|name| builtins::is_special(name));
        for (name, value) in assignments {
            let Ok(value) = self.text(value) else { return 2 };
            if !stays {
                saved.push((name, self.environment.variables.get(name).map(<[u8]>::to_vec)));
            }
            if !self.set(name, &value) {
                self.give_up(2);
                return 2;
            }
        }
        self.show(assignments, words);
        let status = match words.is_empty() {
            true => self.captured,
            false => self.words_run(words),
        };
        for (name, value) in saved.into_iter().rev() {
            match value {
                Some(value) => drop(self.environment.variables.set(name, &value)),
                None => drop(self.environment.variables.unset(name)),
            }
        }
        status
    }

    fn show(&mut self, assignments: &[(Vec<u8>, Word)], words: &[Vec<u8>]) {
        if !self.traced {
            return;
        }
        let mut text = b"+".to_vec();
        for (name, _) in assignments {
            text.extend_from_slice(b" ");
            text.extend_from_slice(name);
            text.push(b'=');
            text.extend_from_slice(self.environment.variables.get(name).unwrap_or_default());
        }
        for word in words {
            text.push(b' ');
            text.extend_from_slice(word);
        }
        text.push(b'\n');
        let _ = self.apply();
        self.machine.complain(&text);
    }

    /// Runs a function, a command of the shell, or a program.
    pub(super) fn words_run(&mut self, words: &[Vec<u8>]) -> u32 {
        let (name, arguments) = (&words[0], &words[1..]);
        if let Some(body) = self.environment.functions.get(name).cloned() {
            return self.nest(|shell| {
                let before = core::mem::replace(&mut shell.environment.arguments, arguments.to_vec());
                let loops = core::mem::take(&mut shell.loops);
                let mut status = shell.command(&body);
                if shell.flow == Flow::Return {
                    (shell.flow, status) = (Flow::Next, shell.status);
                }
                (shell.environment.arguments, shell.loops) = (before, loops);
                status
            });
        }
        if let Some(builtin) = builtins::find(name) {
            return match builtin(self, arguments) {
                MISUSED => builtins::usage(self, name),
                status => status,
            };
        }
        if let Err(error) = self.apply() {
            return self.fail(&[name], error.meaning());
        }
        match self.machine.own_command(name, arguments) {
            Some(code) => code,
            None => self.run_program(words, Wanted::default()),
        }
    }
}
