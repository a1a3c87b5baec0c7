// SPDX-License-Identifier: GPL-3.0-or-later
//! A tool call's input, which can be of any size and shape: only what rows show of it is kept, and a hash of the whole.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::lenient::line;
use crate::event::Fingerprint;

/// The first of these that the input has says best what a call is about.
const DETAILS: [&str; 6] = ["command", "file_path", "path", "pattern", "url", "description"];

/// What is kept of an input.
#[derive(Debug)]
pub(super) struct ToolInput {
    /// What the call works on, on one line. May be empty.
    pub detail: String,
    /// Stands for the whole.
    pub fingerprint: Fingerprint,
}

/// No input: `null`.
impl Default for ToolInput {
    fn default() -> Self {
        Self { detail: String::new(), fingerprint: Fingerprint(hash(())) }
    }
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut details = [const { None }; DETAILS.len()];
        let reader = Reader { text: None, details: Some(&mut details) };
        let fingerprint = Fingerprint(reader.deserialize(deserializer)?);
        let detail = details.into_iter().flatten().next().unwrap_or_default();
        Ok(Self { detail, fingerprint })
    }
}

type Line = Option<String>;

/// Hashes a value without keeping it.
#[derive(Default)]
struct Reader<'a> {
    /// Where the value goes if it is a text.
    text: Option<&'a mut Line>,
    /// Where the details go if it is an object.
    details: Option<&'a mut [Line; DETAILS.len()]>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<u64, E> {
        Ok(hash(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<u64, E> {
        Ok(hash(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<u64, E> {
        Ok(hash(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<u64, E> {
        Ok(hash(("number", value.to_bits())))
    }

    fn visit_unit<E>(self) -> Result<u64, E> {
        Ok(hash(()))
    }

    fn visit_str<E>(self, value: &str) -> Result<u64, E> {
        if let Some(text) = self.text {
            *text = Some(line(value));
        }
        Ok(hash(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u64, A::Error> {
        let mut hasher = DefaultHasher::new();
        while let Some(item) = items.next_element_seed(Reader::default())? {
            item.hash(&mut hasher);
        }
        Ok(hash(("list", hasher.finish())))
    }

    /// In whatever order the keys come.
    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<u64, A::Error> {
        let mut sum: u64 = 0;
        while let Some(key) = entries.next_key::<String>()? {
            let at = DETAILS.iter().position(|detail| *detail == key);
            let details = self.details.as_deref_mut();
            let text = details.zip(at).and_then(|(details, at)| details.get_mut(at));
            let value = entries.next_value_seed(Reader { text, details: None })?;
            sum = sum.wrapping_add(hash((key, value)));
        }
        Ok(hash(("object", sum)))
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
