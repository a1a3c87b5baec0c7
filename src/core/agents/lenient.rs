// SPDX-License-Identifier: GPL-3.0-or-later
//! Payloads are undocumented and change: a field of another type than expected is as good as absent.

use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

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

/// A value, looked into no further than is wanted: one of another type than expected can be of any size.
enum Loose<Object, Item> {
    Text(String),
    Object(Object),
    List(Vec<Item>),
    Other,
}

/// Takes a text; anything else is passed over.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Loose::<IgnoredAny, IgnoredAny>::deserialize(deserializer).map(|value| match value {
        Loose::Text(text) => Some(text),
        _ => None,
    })
}

/// Longest id, path or other name (`PATH_MAX`). What is longer is none, and events are kept.
const NAME: usize = 4096;

/// Takes a name if it is one.
pub(super) fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(|name| name.filter(|name| name.len() <= NAME))
}

/// Takes a value of this type; for what is small by itself.
pub(super) fn maybe<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(|value| serde_json::from_value(value).ok())
}

/// Takes an object; anything else is passed over. Its own fields are to be lenient, too.
pub(super) fn part<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Loose::<T, IgnoredAny>::deserialize(deserializer).map(Loose::object)
}

/// Takes the objects of a list. `None` if it is no list.
pub(super) fn items<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    Loose::<IgnoredAny, Loose<T, IgnoredAny>>::deserialize(deserializer).map(|value| match value {
        Loose::List(items) => Some(items.into_iter().filter_map(Loose::object).collect()),
        _ => None,
    })
}

/// Items kept of a list.
const ITEMS: usize = 1_000;

impl<Object, Item> Loose<Object, Item> {
    fn object(self) -> Option<Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }
}

impl<'de, O: Deserialize<'de>, I: Deserialize<'de>> Deserialize<'de> for Loose<O, I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

struct LooseVisitor<O, I>(PhantomData<(O, I)>);

impl<'de, O: Deserialize<'de>, I: Deserialize<'de>> Visitor<'de> for LooseVisitor<O, I> {
    type Value = Loose<O, I>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        O::deserialize(MapAccessDeserializer::new(entries)).map(Loose::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while kept.len() < ITEMS {
            match items.next_element()? {
                Some(item) => kept.push(item),
                None => return Ok(Loose::List(kept)),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::List(kept))
    }
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
