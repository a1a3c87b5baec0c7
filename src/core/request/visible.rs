// SPDX-License-Identifier: GPL-3.0-or-later
//! Text of an agent as a person may trust it: what would hide or reorder something is shown as what it is.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with each character that has no shape of its own in a visible form, such as `⟨U+202E⟩`: controls other than
/// line feed and tab, what sets the direction of text, joins, separates or fills without being seen (Unicode's category
/// Cf and its like). Selectors of an emoji's look stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string does not fail.
            let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' | ' '..='~' => false,
        _ => character.is_control() || is_format(character) || is_blank(character),
    }
}

/// Category Cf of Unicode 16, and the separators of lines and paragraphs.
const fn is_format(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Letters and marks that are drawn as nothing.
const fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_left_alone() {
        for text in ["", "cargo test\n\tls -l", "naïve — 日本語 ✔️ 👍🏽", "~!@"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn what_hides_is_shown() {
        assert_eq!(visible("a\u{202e}b"), "a⟨U+202E⟩b");
        assert_eq!(visible("\u{1b}[2K\rrm"), "⟨U+001B⟩[2K⟨U+000D⟩rm");
        assert_eq!(visible("\0\u{7f}\u{85}"), "⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩");
        assert_eq!(visible("x\u{e0041}"), "x⟨U+E0041⟩");
        for hidden in
            ['\u{200b}', '\u{200d}', '\u{2066}', '\u{2069}', '\u{feff}', '\u{61c}', '\u{2028}', '\u{3164}']
        {
            let text = format!("a{hidden}b");
            assert_eq!(visible(&text), format!("a⟨U+{:04X}⟩b", u32::from(hidden)));
        }
    }
}
