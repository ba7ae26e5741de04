//! Prose is wrapped.

use std::fs;

use libtest_mimic::Failed;

use crate::{everywhere, root};

/// Columns of a line of prose, at most.
pub const COLUMNS: usize = 100;

/// Pieces of a line between which it can be broken: at blanks outside of code and of links.
fn pieces(line: &str) -> usize {
    let (mut count, mut inside, mut code, mut brackets) = (0, false, false, 0i32);
    for c in line.chars() {
        match c {
            '`' => code = !code,
            '[' if !code => brackets += 1,
            ']' if !code => brackets -= 1,
            _ => {}
        }
        let is_blank = c == ' ' && !code && brackets <= 0;
        count += usize::from(!is_blank && !inside);
        inside = !is_blank;
    }
    count
}

/// Numbers of the lines that are prose, could be broken and are too long.
fn too_long(text: &str) -> Vec<usize> {
    let (mut fence, mut is_code, mut after_blank, mut found) = (None, false, true, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let bare = line.trim_start();
        if let Some(end) = fence {
            if bare.trim_end() == end {
                fence = None;
            }
            continue;
        }
        if bare.starts_with("```") {
            fence = Some(&bare[..bare.len() - bare.trim_start_matches('`').len()]);
            continue;
        }
        // Four blanks make code of what does not go on a paragraph or an item of a list.
        is_code = line.starts_with("    ") && (after_blank || is_code);
        after_blank = bare.is_empty();
        let marker = bare.trim_start_matches(|c: char| c.is_ascii_digit() || "-*+>.".contains(c));
        let is_prose = !is_code && !["|", "#", "<!--"].iter().any(|start| bare.starts_with(start));
        if is_prose && line.chars().count() > COLUMNS && pieces(marker.trim_start()) > 1 {
            found.push(number);
        }
    }
    found
}

/// Prose is wrapped everywhere; first that the check sees what it must see.
pub fn wrapped() -> Result<(), Failed> {
    let long = "word ".repeat(21);
    let (long, code) = (long.trim_end(), format!("`{}`", "word ".repeat(21)));
    for (text, lines) in [
        (format!("# {long}\n\n{long}\n"), vec![3]),
        (format!("short\n- {long}\n  {long}\n"), vec![2, 3]),
        (format!("| {long} |\n\n    {long}\n    {long}\n\n```text\n{long}\n```\n{long}\n"), vec![9]),
        (format!("a paragraph\n    {long}\n"), vec![2]),
        (format!("````\n```\n{long}\n````\n<!-- {long} -->\n{code}\n- [{long}](x)\n{code} and\n"), vec![8]),
        (format!("{}\n", &long[..COLUMNS]), vec![]),
    ] {
        assert_eq!(too_long(&text), lines, "{text}");
    }
    let mut documents = Vec::new();
    everywhere(&root(), &mut documents)?;
    assert!(documents.len() > 20, "{documents:?}");
    documents.sort();
    let mut wrong = String::new();
    for document in documents {
        let text = fs::read_to_string(&document)?;
        let path = document.strip_prefix(root()).unwrap_or(&document).display().to_string();
        too_long(&text).into_iter().for_each(|line| wrong += &format!("{path}:{line}\n"));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}  help: wrap this prose at {COLUMNS} columns").into()),
    }
}
