// SPDX-License-Identifier: GPL-3.0-or-later
//! Sentences in the person's language. Values are put in after the translation, by name.

use gettextrs::{LocaleCategory, bind_textdomain_codeset, bindtextdomain, setlocale, textdomain};

pub use gettextrs::{gettext, ngettext};

/// The text domain.
const DOMAIN: &str = "dasbo";

/// Where translations stand; packages set it when they build.
const LOCALE_DIR: &str = match option_env!("DASBO_LOCALEDIR") {
    Some(folder) => folder,
    None => "/usr/share/locale",
};

/// Takes the language from the environment. Called once, before any sentence is made.
pub fn init() {
    setlocale(LocaleCategory::LcAll, "");
    let bound = bindtextdomain(DOMAIN, LOCALE_DIR)
        .and_then(|_| bind_textdomain_codeset(DOMAIN, "UTF-8"))
        .and_then(|_| textdomain(DOMAIN));
    if let Err(error) = bound {
        tracing::warn!("no translations: {error}");
    }
}

/// A translated sentence with `{name}` replaced by its value.
pub fn gettext_f(message: &str, values: &[(&str, &str)]) -> String {
    fill(&gettext(message), values)
}

/// A translated sentence about `count` things, with `{name}` replaced by its value.
pub fn ngettext_f(one: &str, many: &str, count: usize, values: &[(&str, &str)]) -> String {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    fill(&ngettext(one, many, count), values)
}

/// Replaces each `{name}` once, from left to right: a value that holds braces is left alone.
fn fill(message: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let value = after.split_once('}').and_then(|(name, tail)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, tail))
        });
        if let Some((value, tail)) = value {
            filled.push_str(value);
            rest = tail;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_their_places() {
        assert_eq!(gettext_f("Wants to edit {file}", &[("file", "a.rs")]), "Wants to edit a.rs");
        assert_eq!(fill("{b}, {a}", &[("a", "1"), ("b", "2")]), "2, 1");
    }

    #[test]
    fn braces_in_values_stay() {
        assert_eq!(fill("{a} {b}", &[("a", "{b}"), ("b", "x")]), "{b} x");
        assert_eq!(fill("a { b {c", &[("c", "x")]), "a { b {c");
    }

    #[test]
    fn one_and_many() {
        let helpers =
            |count: usize| ngettext_f("{n} subagent", "{n} subagents", count, &[("n", &count.to_string())]);
        assert_eq!(helpers(1), "1 subagent");
        assert_eq!(helpers(2), "2 subagents");
    }
}
