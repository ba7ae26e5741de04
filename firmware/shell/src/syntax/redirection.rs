//! Where a command's streams come from and go to, and texts that stand behind it.

use alloc::vec::Vec;

use super::parser::{Fault, Parser};
use super::tree::{Kind, Part, Piece, Redirection, Word};

impl Parser<'_> {
    /// Reads a redirection, if one follows.
    pub(super) fn redirection(&mut self, all: &mut Vec<Redirection>) -> Result<bool, Fault> {
        self.skip_blanks();
        let start = self.at;
        let stream = match (self.peek(), self.peek_second()) {
            (Some(digit @ b'0'..=b'9'), Some(b'<' | b'>')) => {
                self.at += 1;
                Some(digit - b'0')
            }
            _ => None,
        };
        let Some(sign @ (b'<' | b'>')) = self.peek() else {
            self.at = start;
            return Ok(false);
        };
        self.at += 1;
        let stream = stream.unwrap_or((sign == b'>') as u8);
        if stream > 2 {
            return Err(self.wrong("the streams are 0, 1 and 2"));
        }
        let kind = match sign {
            b'<' if self.takes(b"<") => {
                let target = self.text_behind()?;
                all.push(Redirection { stream, kind: Kind::Here, target });
                return Ok(true);
            }
            _ if self.takes(b"&") => {
                let digit = self.peek().filter(|digit| (b'0'..=b'2').contains(digit));
                self.at += 1;
                Kind::Same(digit.ok_or_else(|| self.wrong("behind `>&` comes 0, 1 or 2"))? - b'0')
            }
            b'<' => Kind::Read,
            _ if self.takes(b">") => Kind::Append,
            _ => {
                self.takes(b"|");
                Kind::Write
            }
        };
        let mut target = Word::default();
        if !matches!(kind, Kind::Same(_)) {
            self.skip_blanks();
            target = self.word()?.ok_or_else(|| self.wrong("a redirection without a file"))?;
        }
        all.push(Redirection { stream, kind, target });
        Ok(true)
    }

    /// The text of a `<<`, which begins in the next line and ends with a line that is the word.
    fn text_behind(&mut self) -> Result<Word, Fault> {
        let strips = self.takes(b"-");
        self.skip_blanks();
        let word = self.word()?.ok_or_else(|| self.wrong("`<<` without a word"))?;
        let quoted = word.0.iter().any(|part| part.quoted);
        let end: Vec<u8> = word
            .0
            .iter()
            .flat_map(|part| match &part.piece {
                Piece::Text(text) => text.clone(),
                _ => Vec::new(),
            })
            .collect();
        let newline = |from: usize| self.text[from..].iter().position(|&byte| byte == b'\n').map(|at| from + at + 1);
        let start = self.behind_texts.or_else(|| newline(self.at));
        let mut at = start.ok_or_else(|| self.missing("the text for `<<` is missing"))?;
        let mut text = Vec::new();
        loop {
            if at >= self.text.len() {
                return Err(self.missing("the text for `<<` has no end"));
            }
            let next = newline(at).unwrap_or(self.text.len());
            let mut line = &self.text[at..next];
            while strips && line.first() == Some(&b'\t') {
                line = &line[1..];
            }
            at = next;
            if line.strip_suffix(b"\n").unwrap_or(line) == end {
                break;
            }
            text.extend_from_slice(line);
        }
        self.behind_texts = Some(at);
        if quoted {
            return Ok(Word(alloc::vec![Part { piece: Piece::Text(text), quoted: true }]));
        }
        // Its own parser, so that quotes in it are no quotes.
        let mut inner = Parser { depth: self.depth, count: self.count, ..Parser::new(&text) };
        let word =
            inner.deeper(|inner| inner.quoted_text(None)).map_err(|fault| Fault { line: self.line(), ..fault })?;
        self.count = inner.count;
        Ok(word)
    }
}
