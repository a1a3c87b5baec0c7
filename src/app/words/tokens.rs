// SPDX-License-Identifier: GPL-3.0-or-later
//! The model, and what the conversation takes of its context.

use dasbo_core::session::Session;

use crate::i18n::gettext_f;

/// "claude-opus-5-5 · 6.5k tokens of context".
pub fn model(session: &Session) -> Option<String> {
    let context = session
        .tokens
        .map(|tokens| gettext_f("{count} tokens of context", &[("count", &short(tokens.context))]));
    let known: Vec<String> = session.model.clone().into_iter().chain(context).collect();
    (!known.is_empty()).then(|| known.join(" · "))
}

/// At most four digits and a letter: "950", "6.5k", "120k", "1.2M".
fn short(count: u64) -> String {
    let tenths = |unit: u64, letter: char| {
        let tenths = count / (unit / 10);
        if tenths < 100 {
            format!("{}.{}{letter}", tenths / 10, tenths % 10)
        } else {
            format!("{}{letter}", tenths / 10)
        }
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => tenths(1_000, 'k'),
        _ => tenths(1_000_000, 'M'),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn counts_are_short() {
        let all =
            [(0, "0"), (950, "950"), (1_000, "1.0k"), (6_523, "6.5k"), (9_999, "9.9k"), (120_400, "120k")];
        for (count, said) in
            all.into_iter().chain([(999_999, "999k"), (1_234_567, "1.2M"), (12_000_000, "12M")])
        {
            assert_eq!(short(count), said);
        }
    }
}
