// SPDX-License-Identifier: GPL-3.0-or-later
//! Payloads are undocumented and change: a field of another type than expected is as good as absent.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a JSON object as JavaScript writes it. (Serde would take a list too, for the fields in their order.)
pub(super) fn object<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    if json.trim_ascii_start().first() != Some(&b'{') {
        return Err(Error::custom("not an object"));
    }
    serde_json::from_slice(json).or_else(|error| match mended(json) {
        Some(mended) => serde_json::from_slice(&mended),
        None => Err(error),
    })
}

/// JavaScript cuts texts between the two halves of a character and writes the half that is left as it is (`\ud83d`),
/// which is no text for anybody else. With U+FFFD in place of each such half; `None` if there is none.
fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended = json.to_vec();
    let mut is_changed = false;
    let mut at = 0;
    while let Some(next) = mended.get(at..).unwrap_or_default().iter().position(|&byte| byte == b'\\') {
        at += next;
        at += match (escaped_unit(&mended, at), escaped_unit(&mended, at + UNIT)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * UNIT,
            (Some(0xd800..=0xdfff), _) => {
                mended.get_mut(at + 2..at + UNIT)?.copy_from_slice(b"fffd");
                is_changed = true;
                UNIT
            }
            // Also past what is escaped, which may be another backslash.
            _ => 2,
        };
    }
    is_changed.then_some(mended)
}

/// Bytes of an escaped UTF-16 unit: `\ud83d`.
const UNIT: usize = 6;

fn escaped_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + UNIT)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// Takes a field if it has the expected type.
pub(super) fn maybe<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Value::deserialize(deserializer).map(|value| serde_json::from_value(value).ok())
}

/// Longest id, path or other name (`PATH_MAX`). What is longer is none, and events are kept.
const NAME: usize = 4096;

/// Takes a name if it is one.
pub(super) fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    maybe(deserializer).map(|name: Option<String>| name.filter(|name| name.len() <= NAME))
}

/// Takes those items of a list that have the expected type. `None` if it is no list.
pub(super) fn items<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Value::deserialize(deserializer).map(items_of)
}

/// Those items of a list that have the expected type. `None` if it is no list.
pub(super) fn items_of<T: DeserializeOwned>(value: Value) -> Option<Vec<T>> {
    let Value::Array(values) = value else { return None };
    Some(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect())
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
