//! Commands that have commands in them.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::name::is_name;
use super::parser::{Fault, Parser};
use super::tree::{Action, Command};

impl Parser<'_> {
    /// A command that is no simple one, if one follows.
    pub(super) fn compound(&mut self) -> Result<Option<Action>, Fault> {
        if self.peek() == Some(b'(') {
            self.at += 1;
            let list = self.some_list()?;
            return match self.takes(b")") {
                true => Ok(Some(Action::Subshell(list))),
                false => Err(self.ends_missing("`(` without `)`")),
            };
        }
        let Some(word) = self.reserved() else { return Ok(None) };
        let start = self.at;
        self.at += word.len();
        let action = match word {
            b"{" => {
                let list = self.some_list()?;
                self.expects(b"}", "`{` without `}`")?;
                Action::Group(list)
            }
            b"if" => self.condition()?,
            b"while" | b"until" => {
                let condition = self.some_list()?;
                Action::While { condition, body: self.body()?, until: word == b"until" }
            }
            b"for" => self.each()?,
            b"case" => self.case()?,
            _ => {
                self.at = start;
                return Err(self.wrong("a word such as `then` or `done` where no command has begun"));
            }
        };
        Ok(Some(action))
    }

    fn ends_missing(&self, what: &'static str) -> Fault {
        if self.at == self.text.len() {
            self.missing(what)
        } else {
            self.wrong(what)
        }
    }

    fn expects(&mut self, word: &[u8], what: &'static str) -> Result<(), Fault> {
        self.skip_lines()?;
        if self.reserved() != Some(word) {
            return Err(self.ends_missing(what));
        }
        self.at += word.len();
        Ok(())
    }

    fn condition(&mut self) -> Result<Action, Fault> {
        let (mut arms, mut otherwise) = (Vec::new(), Vec::new());
        loop {
            let condition = self.some_list()?;
            self.expects(b"then", "`if` without `then`")?;
            arms.push((condition, self.some_list()?));
            match self.reserved() {
                Some(b"elif") => self.at += 4,
                Some(b"else") => {
                    self.at += 4;
                    otherwise = self.some_list()?;
                    break;
                }
                _ => break,
            }
        }
        self.expects(b"fi", "`if` without `fi`")?;
        Ok(Action::If { arms, otherwise })
    }

    fn body(&mut self) -> Result<Vec<super::tree::Item>, Fault> {
        self.expects(b"do", "a loop without `do`")?;
        let body = self.some_list()?;
        self.expects(b"done", "a loop without `done`")?;
        Ok(body)
    }

    fn each(&mut self) -> Result<Action, Fault> {
        self.skip_blanks();
        let name = self.word()?.and_then(|word| word.plain().map(<[u8]>::to_vec)).filter(|name| is_name(name));
        let name = name.ok_or_else(|| self.ends_missing("`for` without a variable's name"))?;
        self.skip_lines()?;
        let mut words = None;
        if self.text[self.at..].starts_with(b"in")
            && matches!(self.text.get(self.at + 2), Some(b' ' | b'\t' | b'\n' | b';'))
        {
            self.at += 2;
            let mut all = Vec::new();
            loop {
                self.skip_blanks();
                self.counted()?;
                let Some(word) = self.word()? else { break };
                all.push(word);
            }
            words = Some(all);
        }
        self.skip_blanks();
        self.takes(b";");
        Ok(Action::For { name, words, body: self.body()? })
    }

    fn case(&mut self) -> Result<Action, Fault> {
        self.skip_blanks();
        let word = self.word()?.ok_or_else(|| self.ends_missing("`case` without a word"))?;
        self.skip_lines()?;
        if !self.takes(b"in") {
            return Err(self.ends_missing("`case` without `in`"));
        }
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.reserved() == Some(b"esac") {
                self.at += 4;
                return Ok(Action::Case { word, arms });
            }
            self.takes(b"(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                self.counted()?;
                patterns.push(self.word()?.ok_or_else(|| self.ends_missing("`case` without `esac`"))?);
                self.skip_blanks();
                if !self.takes(b"|") {
                    break;
                }
            }
            if !self.takes(b")") {
                return Err(self.ends_missing("a pattern of `case` without `)`"));
            }
            let list = self.deeper(Self::list)?;
            arms.push((patterns, list));
            self.skip_lines()?;
            if !self.takes(b";;") && self.reserved() != Some(b"esac") {
                return Err(self.ends_missing("`case` without `esac`"));
            }
        }
    }

    /// A function, of which `(` follows.
    pub(super) fn function(&mut self, name: Vec<u8>) -> Result<Action, Fault> {
        self.at += 1;
        self.skip_blanks();
        if !self.takes(b")") {
            return Err(self.ends_missing("behind a function's `(` comes `)`"));
        }
        self.skip_lines()?;
        let body = self.deeper(Self::compound)?;
        let action = body.ok_or_else(|| self.ends_missing("a function's body is missing, such as `{ … }`"))?;
        let mut redirections = Vec::new();
        while self.redirection(&mut redirections)? {}
        Ok(Action::Function { name, body: Rc::new(Command { action, redirections }) })
    }
}
