//! What Tab completes at the machine's console: commands of the shell, files of the machine, and
//! processors.

use testbed_shell::interpreter::BUILTINS;
use testbed_shell::tools::TOOLS;

/// Commands of the shell on this machine only, beside those that `testbed-shell` has. A test holds
/// them against what its `help` lists.
const OWN: &[&str] = &["dgl", "filter", "sample", "totals"];

/// Commands that are no files: the shell's own, and its utilities.
pub fn commands<'a>() -> impl Iterator<Item = &'a str> {
    let builtins = BUILTINS.iter().map(|builtin| builtin.0).filter(|name| name.starts_with(char::is_alphabetic));
    builtins.chain(TOOLS.iter().map(|tool| tool.name)).chain(OWN.iter().copied())
}

/// Behind these a processor's name is a word too.
const ON: &str = "on";

/// Words that can stand in a line.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Names of the files on the processor whose program reads.
    pub files: Vec<String>,
    pub processors: Vec<String>,
}

impl Words {
    /// Where the last word of `line` begins, and what it can be.
    pub fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let start = line.rfind([' ', '\t', ';', '&', '|', '<', '>', ':']).map_or(0, |at| at + 1);
        let (before, begun) = line.split_at(start);
        let command = before.rsplit([';', '&', '|']).next().unwrap_or_default();
        let files = self.files.iter().map(String::as_str);
        let mut ahead = command.split_ascii_whitespace();
        let known: Vec<&str> = match (ahead.next(), ahead.count()) {
            (None, _) => commands().chain(files).collect(),
            (Some(ON), 0) => self.processors.iter().map(String::as_str).collect(),
            _ => files.collect(),
        };
        let mut found: Vec<String> =
            known.into_iter().filter(|word| word.starts_with(begun)).map(String::from).collect();
        found.sort();
        found.dedup();
        // Behind a word that can be no other the next one may be typed at once.
        if let [word] = found.as_mut_slice() {
            word.push(' ');
        }
        (start, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fit_their_places() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let words = Words { files: names(&["chatter", "hello", "sh"]), processors: names(&["master", "air"]) };
        let complete = |line: &str| words.complete(line);
        assert_eq!(complete("ch"), (0, names(&["chatter", "chmod"])));
        assert_eq!(complete("cat h"), (4, names(&["hello "])));
        assert_eq!(complete("cat hello;fi"), (10, names(&["filter "])));
        assert_eq!(complete("on a"), (3, names(&["air "])));
        assert_eq!(complete("on air s"), (7, names(&["sh "])));
        assert_eq!(complete("cat "), (4, names(&["chatter", "hello", "sh"])));
        assert_eq!(complete("zz"), (0, vec![]));
        assert_eq!(complete("uncom"), (0, names(&["uncompress "])));
        assert_eq!(complete("expo"), (0, names(&["export "])));
    }
}
