// SPDX-License-Identifier: GPL-3.0-or-later
//! Characters that cannot be seen, or that move others about, made visible: what is shown is what runs.

use std::borrow::Cow;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Characters that can be seen, tabs and line feeds.
    Plain(&'a str),
    /// What stands for one that cannot: `⟨ESC⟩`, `⟨U+202E⟩`.
    Mark(String),
}

/// The parts of a text that runs, or is written somewhere. Spaces that are not what they look like are marked as well.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    split(text, |character| is_hidden(character) || is_odd_space(character))
}

/// A text that runs, or is written somewhere.
pub fn exact(text: &str) -> Cow<'_, str> {
    shown(text, |character| is_hidden(character) || is_odd_space(character))
}

/// A text for people, in which typographic spaces have their use.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, is_hidden)
}

fn shown(text: &str, is_marked: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_marked) {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len() + 16);
    for piece in split(text, is_marked) {
        match piece {
            Piece::Plain(plain) => whole.push_str(plain),
            Piece::Mark(mark) => whole.push_str(&mark),
        }
    }
    Cow::Owned(whole)
}

fn split(text: &str, is_marked: fn(char) -> bool) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end =
            if is_marked(first) { first.len_utf8() } else { rest.find(is_marked).unwrap_or(rest.len()) };
        let (piece, tail) = rest.split_at_checked(end)?;
        rest = tail;
        Some(if is_marked(first) { Piece::Mark(mark(first)) } else { Piece::Plain(piece) })
    })
}

/// Control characters have names of their own (ISO 646).
const CONTROLS: [&str; 32] = [
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS",
    "US",
];

fn mark(character: char) -> String {
    let code = u32::from(character);
    let name = usize::try_from(code).ok().and_then(|code| CONTROLS.get(code).copied());
    match name.or((code == 0x7f).then_some("DEL")) {
        Some(name) => format!("⟨{name}⟩"),
        None => format!("⟨U+{code:04X}⟩"),
    }
}

/// Controls, what Unicode calls `Bidi_Control`, `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`) or a
/// separator of lines or paragraphs, and anchors of annotations.
fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !matches!(character, '\t' | '\n');
    }
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Looks like a space, and is none to a shell.
fn is_odd_space(character: char) -> bool {
    !character.is_ascii() && (character.is_whitespace() || character == '\u{2800}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_stays() {
        for text in ["", "ls -l\n\techo 'é 漢字 🦀' | wc", "⟨U+202E⟩"] {
            assert_eq!(visible(text), text);
            assert!(matches!(visible(text), Cow::Borrowed(_)));
            assert_eq!(exact(text), text);
        }
    }

    #[test]
    fn controls_are_named() {
        assert_eq!(visible("a\u{1b}[2Kb\r\n\0\u{7f}"), "a⟨ESC⟩[2Kb⟨CR⟩\n⟨NUL⟩⟨DEL⟩");
        assert_eq!(visible("\u{85}"), "⟨U+0085⟩");
    }

    #[test]
    fn what_turns_a_text_around_is_named() {
        assert_eq!(visible("rm \u{202e}txt.sh\u{2066}"), "rm ⟨U+202E⟩txt.sh⟨U+2066⟩");
        assert_eq!(visible("a\u{200b}b\u{feff}c\u{e0041}"), "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+E0041⟩");
        assert_eq!(visible("a\u{2028}b"), "a⟨U+2028⟩b");
    }

    #[test]
    fn spaces_that_are_none_are_named_where_a_text_runs() {
        assert_eq!(exact("rm\u{a0}-rf\u{3000}/"), "rm⟨U+00A0⟩-rf⟨U+3000⟩/");
        assert_eq!(visible("Vraiment\u{202f}?"), "Vraiment\u{202f}?");
    }

    #[test]
    fn marks_are_told_from_what_is_there() {
        let pieces: Vec<Piece> = pieces("a\u{1b}\u{1b}b").collect();
        let escape = || Piece::Mark("⟨ESC⟩".to_owned());
        assert_eq!(pieces, [Piece::Plain("a"), escape(), escape(), Piece::Plain("b")]);
    }
}
