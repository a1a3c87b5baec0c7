// SPDX-License-Identifier: GPL-3.0-or-later
//! Puts pieces one after the other.

use super::{Look, Piece};

/// Longest line in bytes: a longer one is broken, or laying it out would take the window's time.
const LONGEST_LINE: usize = 4_000;

/// A piece that has grown so long is left alone, so that each is quickly shown.
const LONG_PIECE: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct Writer {
    pieces: Vec<Piece>,
    looks: Vec<Look>,
    depth: usize,
    /// Bytes of the last line.
    column: usize,
}

impl Writer {
    pub(super) fn begin(&mut self, look: Look) {
        self.looks.push(look);
    }

    pub(super) fn end(&mut self, look: Look) {
        if let Some(at) = self.looks.iter().rposition(|&known| known == look) {
            self.looks.remove(at);
        }
    }

    pub(super) fn indent(&mut self, steps: isize) {
        self.depth = self.depth.saturating_add_signed(steps);
    }

    /// Ends the line, if one was begun.
    pub(super) fn start_line(&mut self) {
        if self.column > 0 {
            self.push("\n", None);
        }
    }

    /// Writes text that may have more than one line.
    pub(super) fn write(&mut self, text: &str, look: Option<Look>) {
        for line in text.split_inclusive('\n') {
            let mut rest = line;
            while self.column + rest.len() > LONGEST_LINE {
                let room = LONGEST_LINE.saturating_sub(self.column);
                let at = (0..=room).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(0);
                let (begin, end) = rest.split_at(at);
                self.push(begin, look);
                self.start_line();
                rest = end;
            }
            self.push(rest, look);
        }
    }

    fn push(&mut self, text: &str, look: Option<Look>) {
        if text.is_empty() {
            return;
        }
        self.column = if text.ends_with('\n') { 0 } else { self.column + text.len() };
        let depth = u8::try_from(self.depth).unwrap_or(Look::DEEPEST).min(Look::DEEPEST);
        let indent = (depth > 0).then_some(Look::Indent(depth));
        let looks: Vec<Look> = indent.into_iter().chain(self.looks.iter().copied()).chain(look).collect();
        match self.pieces.last_mut() {
            Some(last) if last.looks == looks && last.text.len() < LONG_PIECE => last.text.push_str(text),
            _ => self.pieces.push(Piece { text: text.to_owned(), looks }),
        }
    }

    pub(super) fn finish(self) -> Vec<Piece> {
        self.pieces
    }
}
