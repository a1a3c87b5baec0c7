// SPDX-License-Identifier: GPL-3.0-or-later
//! What an approval is about, as coloured text: a command, a diff, the tree of an input. Made aside from the main loop.

use dasbo_core::request::diff::{Fate, Line};
use dasbo_core::request::tree::Entry;
use dasbo_core::request::visible::{Piece, pieces};

use crate::i18n::gettext;

/// Bytes that are put into a view at once at most.
const RUN: usize = 8 << 10;

/// Characters after which a line is broken: GTK lays out a line as a whole.
const LINE: usize = 1_000;

/// Stands where a line was broken.
const BROKEN: &str = "↩";

/// Indentation of a level of the tree.
const INDENT: &str = "  ";

/// A text in parts that look different.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code {
    /// The parts, in their order.
    pub runs: Vec<Run>,
    /// Lines begun.
    pub lines: usize,
    /// Characters of all lines.
    pub characters: usize,
    /// Columns before the text of each line.
    pub margin: usize,
    column: usize,
}

/// A part that looks the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The text.
    pub text: String,
    /// How its letters look.
    pub look: Look,
    /// How its lines look.
    pub tint: Tint,
}

/// How letters look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As what was sent.
    Plain,
    /// As what stands for a character that cannot be seen.
    Mark,
    /// As a name for what follows.
    Key,
    /// As what only helps to read.
    Dim,
}

/// How lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tint {
    /// As any.
    None,
    /// As one that comes.
    Comes,
    /// As one that goes.
    Goes,
}

impl Code {
    /// A command.
    pub fn command(command: &str) -> Self {
        let mut code = Self::default();
        code.write(command, Tint::None);
        code.finish()
    }

    /// A diff. With numbers where they are those of a file.
    pub fn diff(hunks: &[Vec<Line>], numbered: bool) -> Self {
        let most = hunks.iter().flatten().map(|line| line.number).max().unwrap_or_default();
        let width = if numbered { most.to_string().len() } else { 0 };
        let mut code = Self { margin: width + 2 + usize::from(numbered), ..Self::default() };
        for (place, hunk) in hunks.iter().enumerate() {
            if place > 0 {
                code.push("⋯", Look::Dim, Tint::None);
                code.end_line(Tint::None);
            }
            for line in hunk {
                code.write_line(line, width, numbered);
            }
        }
        code.finish()
    }

    /// The tree of an input.
    pub fn tree(entries: &[Entry]) -> Self {
        let mut code = Self::default();
        for entry in entries {
            code.write_entry(entry);
        }
        code.finish()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn write_line(&mut self, line: &Line, width: usize, numbered: bool) {
        let (sign, tint) = match line.fate {
            Fate::Stays => ("  ", Tint::None),
            Fate::Goes => ("- ", Tint::Goes),
            Fate::Comes => ("+ ", Tint::Comes),
        };
        if numbered {
            self.push(&format!("{:>width$} ", line.number), Look::Dim, tint);
        }
        self.push(sign, Look::Plain, tint);
        self.write(&line.text, tint);
        if !line.is_ended && numbered {
            self.push(&gettext("⟨no line feed⟩"), Look::Mark, tint);
        }
        self.end_line(tint);
    }

    fn write_entry(&mut self, entry: &Entry) {
        let indent = INDENT.repeat(entry.depth);
        match &entry.key {
            Some(key) => {
                self.push(&indent, Look::Plain, Tint::None);
                self.write_as(key, Look::Key, Tint::None);
                self.push(":", Look::Key, Tint::None);
            }
            None => self.push(&format!("{indent}-"), Look::Key, Tint::None),
        }
        let value = entry.value.as_deref().unwrap_or_default();
        if value.contains('\n') {
            for line in value.split('\n') {
                self.end_line(Tint::None);
                self.push(&format!("{indent}{INDENT}"), Look::Plain, Tint::None);
                self.write(line, Tint::None);
            }
        } else if !value.is_empty() {
            self.push(" ", Look::Plain, Tint::None);
            self.write(value, Tint::None);
        }
        self.end_line(Tint::None);
    }

    /// A text as it was sent, with what cannot be seen marked.
    fn write(&mut self, text: &str, tint: Tint) {
        self.write_as(text, Look::Plain, tint);
    }

    fn write_as(&mut self, text: &str, look: Look, tint: Tint) {
        for piece in pieces(text) {
            match piece {
                Piece::Plain(plain) => self.write_plain(plain, look, tint),
                Piece::Mark(mark) => {
                    if self.column >= LINE {
                        self.break_line(tint);
                    }
                    self.push(&mark, Look::Mark, tint);
                }
            }
        }
    }

    fn write_plain(&mut self, text: &str, look: Look, tint: Tint) {
        for (place, line) in text.split('\n').enumerate() {
            if place > 0 {
                self.end_line(tint);
            }
            let mut rest = line;
            while let Some((end, _)) = rest.char_indices().nth(LINE.saturating_sub(self.column)) {
                let (part, tail) = rest.split_at(end);
                self.push(part, look, tint);
                self.break_line(tint);
                rest = tail;
            }
            self.push(rest, look, tint);
        }
    }

    fn break_line(&mut self, tint: Tint) {
        self.push(BROKEN, Look::Mark, tint);
        self.end_line(tint);
    }

    fn end_line(&mut self, tint: Tint) {
        self.push("\n", Look::Plain, tint);
        self.column = 0;
    }

    fn push(&mut self, text: &str, look: Look, tint: Tint) {
        if text.is_empty() {
            return;
        }
        if self.column == 0 {
            self.lines += 1;
        }
        let characters = text.chars().count();
        self.column += characters;
        self.characters += characters;
        match self.runs.last_mut() {
            Some(last) if last.look == look && last.tint == tint && last.text.len() + text.len() <= RUN => {
                last.text.push_str(text);
            }
            _ => self.runs.push(Run { text: text.to_owned(), look, tint }),
        }
    }

    /// The last line needs no end.
    fn finish(mut self) -> Self {
        if let Some(last) = self.runs.last_mut()
            && last.text.ends_with('\n')
        {
            last.text.pop();
            self.runs.retain(|run| !run.text.is_empty());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use dasbo_core::request::diff::diff;
    use dasbo_core::request::tree::tree;

    use super::*;

    fn text(code: &Code) -> String {
        code.runs.iter().map(|run| run.text.as_str()).collect()
    }

    fn looks(code: &Code) -> Vec<(&str, Look)> {
        code.runs.iter().map(|run| (run.text.as_str(), run.look)).collect()
    }

    #[test]
    fn a_command_is_shown_as_it_runs() {
        let code = Code::command("echo a\n\tb \u{202e}c");
        assert_eq!(
            looks(&code),
            [("echo a\n\tb ", Look::Plain), ("⟨U+202E⟩", Look::Mark), ("c", Look::Plain)]
        );
        assert_eq!(code.lines, 2);
        assert_eq!(text(&Code::command("a\n\nb")), "a\n\nb");
        assert!(Code::command("").is_empty());
    }

    #[test]
    fn a_line_without_end_is_broken_and_nothing_is_lost() {
        let long = "é".repeat(2 * LINE + 5);
        let code = Code::command(&long);
        assert_eq!(code.lines, 3);
        let longest = text(&code).lines().map(|line| line.chars().count()).max();
        assert_eq!(longest, Some(LINE + 1));
        assert_eq!(text(&code).replace("↩\n", ""), long);
        assert!(code.runs.iter().all(|run| run.text.len() <= RUN));
        let odd = "\u{200b}".repeat(2 * LINE);
        let longest = text(&Code::command(&odd)).lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(LINE + 20), "{longest:?}");
    }

    #[test]
    fn a_diff_has_signs_and_numbers() {
        let hunks = diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n\n");
        let said = text(&Code::diff(&hunks, true));
        assert_eq!(
            said,
            " 1 - 1\n 1 + one\n 2   2\n 3   3\n 4   4\n⋯\n 8   8\n 9   9\n10   10\n11 - 11\n11 + "
        );
        assert!(text(&Code::diff(&hunks, false)).starts_with("- 1\n+ one\n  2\n"));
        let tints: Vec<Tint> =
            Code::diff(&diff("a\n", "b\n"), false).runs.iter().map(|run| run.tint).collect();
        assert_eq!(tints, [Tint::Goes, Tint::Comes]);
    }

    #[test]
    fn a_missing_line_feed_is_said_of_files() {
        let hunks = diff("a", "a\n");
        assert_eq!(text(&Code::diff(&hunks, true)), "1 - a⟨no line feed⟩\n1 + a");
        assert_eq!(text(&Code::diff(&hunks, false)), "- a\n+ a");
    }

    #[test]
    fn a_tree_is_indented_and_its_keys_stand_out() {
        let input = r#"{"a":1,"b":{"c":"x\ny: z"},"d":["e",""],"f\u202e":{}}"#;
        let code = Code::tree(&tree(input, &[]));
        assert_eq!(text(&code), "a: 1\nb:\n  c:\n    x\n    y: z\nd:\n  - e\n  -\nf⟨U+202E⟩: {}");
        let keys: Vec<&str> =
            looks(&code).into_iter().filter(|(_, look)| *look == Look::Key).map(|(text, _)| text).collect();
        assert_eq!(keys, ["a:", "b:", "c:", "d:", "  -", "  -", "f", ":"]);
    }
}
