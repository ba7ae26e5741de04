//! What the machine's shell and its utilities read.

use testbed_shell::regex::Regex;
use testbed_shell::syntax::Parser;
use testbed_shell::tools::{pack, unpack};

use super::target::{hold, Target};

/// Bytes of a line in which expressions are looked for, and of what is unpacked, at most.
const LINE_BYTES: usize = 4096;
const PACKED_BYTES: usize = 2048;

/// Scripts of the shell.
pub const SCRIPT: Target = Target {
    name: "script",
    what: "scripts of the machine's shell",
    words: &[
        "if ", "then ", "elif ", "else ", "fi", "while ", "until ", "do ", "done", "for ", " in ", "case ", "esac",
        ";;", "{ ", " }", "(", ")", "$(", "$((", "))", "${", "}", "$", "'", "\"", "\\", "<<E\n", "\nE\n", ">", ">>",
        "2>&1", "<", "|", "&&", "||", "&", ";", "!", "#", "\n", "=", "()",
    ],
    seeds: || {
        [
            "if a; then b; elif c; then d; else e; fi > f 2>&1",
            "while read x; do echo \"$x\" ${x:-y} ${x%.*}; done < f | sort",
            "for x in a 'b c' \"$@\"; do case $x in a|b*) break;; *) ;; esac; done &",
            "f() { X=1 cat <<E; }\n$X $(echo $((1+2)))\nE\n! f && (g || h)\n",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    },
    check: |input| {
        let mut parser = Parser::new(input);
        let (mut before, lines) = (0, input.split(|&byte| byte == b'\n').count());
        loop {
            match parser.next_item() {
                Ok(None) => return Ok(()),
                Ok(Some(_)) => hold(parser.position() > before, || format!("it stands at {before}"))?,
                Err(fault) => return hold((1..=lines).contains(&fault.line), || format!("{fault:?} of {lines} lines")),
            }
            before = parser.position();
        }
    },
};

/// Regular expressions, in the first line, and what they are looked for in.
pub const EXPRESSION: Target = Target {
    name: "expression",
    what: "regular expressions of `grep` and `ed`, and lines",
    words: &[
        "*",
        "\\{1,3\\}",
        "{2}",
        "\\(",
        "\\)",
        "(",
        ")",
        "\\|",
        "|",
        "[",
        "[^",
        "]",
        "[:alpha:]",
        "^",
        "$",
        ".",
        "+",
        "?",
    ],
    seeds: || {
        ["a*b\naab", "^\\(ab\\)\\{2,3\\}$\nababab", "(a|b)+c?[^x-z]\nabbac1", "[[:digit:]]\\.\\|x\n7."]
            .map(|text| text.as_bytes().to_vec())
            .to_vec()
    },
    check: |input| {
        let mut parts = input.splitn(2, |&byte| byte == b'\n');
        let (text, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let line = &line[..line.len().min(LINE_BYTES)];
        for (extended, ignores_case) in [(false, false), (true, false), (false, true)] {
            let Ok(regex) = Regex::new(text, extended, ignores_case) else { continue };
            let Some(slots) = regex.find(line, 0) else { continue };
            let (start, end) = (slots[0].unwrap_or(usize::MAX), slots[1].unwrap_or(0));
            hold(start <= end && end <= line.len(), || format!("a match from {start} to {end}"))?;
        }
        Ok(())
    },
};

/// What `compress` makes.
pub const PACKED: Target = Target {
    name: "packed",
    what: "files of `compress`",
    words: &["\u{1f}", "\0\0\0", "\u{7f}\u{7f}"],
    seeds: || [&b"a"[..], b"abababababab", &[7; 3000]].map(pack).to_vec(),
    // A few codes can stand for a long text.
    check: |input| match unpack(&input[..input.len().min(PACKED_BYTES)]) {
        Ok(text) => {
            let again = unpack(&pack(&text));
            hold(again.as_ref() == Ok(&text), || "what was packed does not come back".into())
        }
        Err(_) => Ok(()),
    },
};
