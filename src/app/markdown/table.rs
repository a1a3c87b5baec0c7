// SPDX-License-Identifier: GPL-3.0-or-later
//! A table as lines of text in a fixed width.

/// Widest column, in characters: what is longer stands out of it.
const WIDEST: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    cell: String,
}

impl Table {
    pub(super) fn push(&mut self, text: &str) {
        self.cell.push_str(text);
    }

    pub(super) fn end_cell(&mut self) {
        self.row.push(std::mem::take(&mut self.cell));
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Its lines, with a rule below the first.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(|column| self.width(column)).collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| line(row, &widths)).collect();
        let rule = widths.iter().map(|&width| "─".repeat(width)).collect::<Vec<_>>().join("─┼─");
        lines.insert(lines.len().min(1), rule);
        lines
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(WIDEST)
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, &width)| format!("{cell:width$}"));
    cells.collect::<Vec<_>>().join(" │ ").trim_end().to_owned()
}
