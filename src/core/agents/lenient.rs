// SPDX-License-Identifier: GPL-3.0-or-later
//! Payloads are undocumented and change: a field of another type than expected is as good as absent.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Takes a field if it has the expected type.
pub(super) fn maybe<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Value::deserialize(deserializer).map(|value| serde_json::from_value(value).ok())
}

/// Takes those items of a list that have the expected type. `None` if it is no list.
pub(super) fn items<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let Value::Array(values) = value else {
        return Ok(None);
    };
    Ok(Some(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect()))
}

/// Most characters kept of a text that rows show in full when unfolded.
const LONG: usize = 4_000;

/// Most characters kept of a text that stands on one line.
const LINE: usize = 120;

/// The text, cut if it is very long.
pub(super) fn paragraph(text: &str) -> String {
    cut(text.trim(), LONG)
}

/// The text on one line: white space folded, cut at a word.
pub(super) fn line(text: &str) -> String {
    // Folding the whole of a 16 MiB command to show its beginning would be waste.
    let words = text.split_whitespace();
    let mut folded = String::new();
    for word in words {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
        if folded.len() > 4 * LINE {
            break;
        }
    }
    cut(&folded, LINE)
}

fn cut(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let kept = text.get(..end).unwrap_or(text);
    let at_word = kept.rfind(char::is_whitespace).filter(|&at| at > end / 2);
    let kept = at_word.and_then(|at| kept.get(..at)).unwrap_or(kept);
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_folded_and_cut_at_a_word() {
        assert_eq!(line("  cargo \n\t test  "), "cargo test");
        let long = "word ".repeat(60);
        let cut = line(&long);
        assert_eq!(cut, format!("{}…", "word ".repeat(24).trim_end()));
        assert_eq!(line(&"x".repeat(500)).chars().count(), LINE + 1, "one endless word is cut in the middle");
        assert_eq!(line(&"é".repeat(120)), "é".repeat(120));
    }
}
