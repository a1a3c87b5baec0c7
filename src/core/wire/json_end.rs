// SPDX-License-Identifier: GPL-3.0-or-later
//! Finds where a JSON value ends, so that a pipe which the agent leaves open can be left.

use memchr::memchr2;

/// Counts brackets over the bytes of one JSON object or array, in whatever pieces they come.
///
/// It does not say that the value is valid, only where it must end if it is: the panel parses.
#[derive(Debug, Default, Clone)]
pub struct JsonEnd {
    depth: usize,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    Inside,
    String,
    Escape,
    /// Not an object or array, or a byte-order mark before it: only the end of input ends it.
    Unknown,
}

impl JsonEnd {
    /// Takes the next bytes. Once the value is whole: how many of `bytes` belong to it.
    pub fn push(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..) {
            // A large payload is mostly strings, and in them only two bytes matter.
            let passed = match self.state {
                State::String => memchr2(b'"', b'\\', rest)?,
                State::Unknown => return None,
                _ => 0,
            };
            let ends = self.ends_with(*rest.get(passed)?);
            at += passed + 1;
            if ends {
                return Some(at);
            }
        }
        None
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        self.state = match (self.state, byte) {
            (State::Before, b' ' | b'\t' | b'\r' | b'\n') => State::Before,
            (State::Before | State::Inside, b'{' | b'[') => {
                self.depth += 1;
                State::Inside
            }
            (State::Before, _) => State::Unknown,
            (State::Inside, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            (State::Inside, b'"') | (State::Escape, _) => State::String,
            (State::String, b'"') => State::Inside,
            (State::String, b'\\') => State::Escape,
            (state, _) => state,
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn end_of(text: &str) -> Option<usize> {
        JsonEnd::default().push(text.as_bytes())
    }

    #[test]
    fn ends_at_the_closing_bracket() {
        assert_eq!(end_of("{}"), Some(2));
        assert_eq!(end_of(" \n[1]\n"), Some(5));
        assert_eq!(end_of(r#"{"a":"}\"]","b":{}}{"next":1}"#), Some(19));
    }

    #[test]
    fn never_ends_without_one() {
        for text in ["", "  ", "{", r#"{"a":"}"#, r#"{"a":"\"}"#, "12", "\u{feff}{}", "null"] {
            assert_eq!(end_of(text), None, "{text:?}");
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i64>().prop_map(Into::into),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(5, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_a_real_parser(value in json(), rest in "[ -~]{0,8}", cut in any::<prop::sample::Index>()) {
            prop_assume!(value.is_object() || value.is_array());
            let text = value.to_string();
            let all = format!("{text}{rest}");
            prop_assert_eq!(end_of(&all), Some(text.len()));

            let cut = cut.index(text.len());
            let mut scan = JsonEnd::default();
            prop_assert_eq!(scan.push(&all.as_bytes()[..cut]), None);
            prop_assert_eq!(scan.push(&all.as_bytes()[cut..]), Some(text.len() - cut));
        }
    }
}
