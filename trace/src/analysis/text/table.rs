//! Tables in text: columns as wide as their widest cell.

use std::fmt::{self, Write};

/// Rows of cells. The first column and those named so are left-aligned, the others right-aligned.
pub struct Table {
    left: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With a header; a name that ends in `<` makes its column left-aligned.
    pub fn new(header: &[&str]) -> Self {
        let left = header.iter().enumerate().map(|(at, name)| at == 0 || name.ends_with('<')).collect();
        let names = header.iter().map(|name| name.trim_end_matches('<').to_string()).collect();
        Table { left, rows: vec![names] }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Whether there is nothing below the header.
    pub fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    pub fn write(&self, out: &mut String) -> fmt::Result {
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<_> = (0..self.left.len()).map(|column| width(column).unwrap_or(0)).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), left) in row.iter().zip(&widths).zip(&self.left) {
                line.push_str("  ");
                match left {
                    true => write!(line, "{cell:<width$}")?,
                    false => write!(line, "{cell:>width$}")?,
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new(&["what", "n", "why<"]);
        table.row(vec!["a".into(), "1,000".into(), "so".into()]);
        let mut out = String::new();
        table.write(&mut out).unwrap();
        assert_eq!(out, "  what      n  why\n  a     1,000  so\n");
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([grouped(0), grouped(999), grouped(1_234_567)], ["0", "999", "1,234,567"]);
    }
}
