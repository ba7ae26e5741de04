//! Console bytes of many processors as whole lines, each with its processor's name.

/// Bytes of a line after which one that never ends is cut.
pub const LINE_MAX: usize = 4096;

/// Collects lines; a line is put out when its newline arrives, so lines of two processors never mix.
pub struct Lines {
    names: Vec<String>,
    partial: Vec<Vec<u8>>,
}

impl Lines {
    pub fn new(names: &[String]) -> Self {
        Lines { names: names.to_vec(), partial: vec![Vec::new(); names.len()] }
    }

    /// Takes bytes, each with its processor, and appends the lines that they complete to `out`.
    /// Bytes of unknown processors are ignored.
    pub fn push(&mut self, bytes: impl IntoIterator<Item = (u8, u8)>, out: &mut Vec<u8>) {
        for (processor, byte) in bytes {
            let processor = processor as usize;
            let Some(line) = self.partial.get_mut(processor) else { continue };
            match byte {
                b'\r' => {}
                b'\n' => self.end(processor, out),
                other => {
                    line.push(other);
                    if line.len() >= LINE_MAX {
                        self.end(processor, out);
                    }
                }
            }
        }
    }

    /// Puts out what has no newline yet.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        for processor in 0..self.partial.len() {
            if !self.partial[processor].is_empty() {
                self.end(processor, out);
            }
        }
    }

    fn end(&mut self, processor: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.names[processor].as_bytes());
        out.extend_from_slice(b": ");
        out.append(&mut self.partial[processor]);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_processors_do_not_mix() {
        let mut lines = Lines::new(&["master".into(), "earth".into()]);
        let bytes = b"hwio\r\n".iter().zip([0, 1, 0, 1, 0, 0]).map(|(&byte, processor)| (processor, byte));
        let mut out = Vec::new();
        lines.push(bytes, &mut out);
        assert_eq!(out, b"master: hi\n");
        lines.finish(&mut out);
        assert_eq!(out, b"master: hi\nearth: wo\n");
    }
}
