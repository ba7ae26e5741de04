//! What a program must print, with masks where it prints what only a timing decides.
//!
//! | mask | stands for |
//! |---|---|
//! | `{number}` | decimal digits, one at least |
//! | `{hex}` | hexadecimal digits in lower case, one at least |
//!
//! A mask takes all digits that follow, so no digit may come right behind it. Other text in braces
//! stands for itself.

type IsDigit = fn(u8) -> bool;

const MASKS: [(&str, IsDigit); 2] = [
    ("{number}", |byte| byte.is_ascii_digit()),
    ("{hex}", |byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')),
];

/// Whether `line` is what `pattern`, a line with masks, asks for.
pub fn fits(pattern: &str, line: &str) -> bool {
    let masks = MASKS.iter().filter_map(|&(mask, is_digit)| Some((pattern.find(mask)?, mask, is_digit)));
    let Some((at, mask, is_digit)) = masks.min_by_key(|(at, ..)| *at) else { return pattern == line };
    let Some(rest) = line.strip_prefix(&pattern[..at]) else { return false };
    let digits = rest.bytes().take_while(|&byte| is_digit(byte)).count();
    digits > 0 && fits(&pattern[at + mask.len()..], &rest[digits..])
}

/// The first line in which `text` is not what `pattern` asks for, from 1; `None` if there is none.
pub fn differs(pattern: &str, text: &str) -> Option<usize> {
    let (patterns, lines) = (pattern.split('\n'), text.split('\n'));
    let fitting = patterns.clone().zip(lines.clone()).take_while(|(pattern, line)| fits(pattern, line)).count();
    (fitting < patterns.count() || fitting < lines.count()).then_some(fitting + 1)
}

/// `text` as it is to be expected from now on: a line that some line of `pattern` fits keeps its masks.
pub fn renewed(pattern: &str, text: &str) -> String {
    let patterns: Vec<_> = pattern.split('\n').collect();
    let line = |line| patterns.iter().copied().find(|pattern| fits(pattern, line)).unwrap_or(line);
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// What the masks promise; `programs` runs it.
pub fn check() {
    for (pattern, line) in [
        ("", ""),
        ("plain {text} stays", "plain {text} stays"),
        ("{number} events in {number} ms", "61 events in 20 ms"),
        ("slave 1: {number} pairs, hash {hex}", "slave 1: 121 pairs, hash 96390d5f"),
        ("{hex} {number}", "0 0"),
    ] {
        assert!(fits(pattern, line), "`{pattern}`: `{line}`");
    }
    for (pattern, line) in [
        ("plain", "plainer"),
        ("{text}", "5"),
        ("{number} events", " events"),
        ("{number} events", "-5 events"),
        ("{number} events", "61 events, 2 lost"),
        ("slave 1: {number} pairs", "slave 2: 121 pairs"),
        ("hash {hex}", "hash 5A"),
        ("hash {number}", "hash 5a"),
    ] {
        assert!(!fits(pattern, line), "`{pattern}`: `{line}`");
    }
    assert_eq!(differs("a\n{number}\n", "a\n5\n"), None);
    assert_eq!(differs("a\n{number}\n", "a\nb\n"), Some(2));
    assert_eq!(differs("a\n{number}\n", "a\n5\n6\n"), Some(3), "a line too many");
    assert_eq!(differs("a\n{number}\n", "a\n"), Some(2), "a line too few");
    assert_eq!(differs("a\n", "a"), Some(2), "the last newline");
    assert_eq!(renewed("a\n{number} ms\n", "new\n6 ms\nb\n7 ms\n"), "new\n{number} ms\nb\n{number} ms\n");
}
