// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions with choices.

use super::Answer;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question. Not empty, and no other of its request has the same.
    pub text: String,
    /// A word or two that stand for it.
    pub header: Option<String>,
    /// What there is to choose from. May be empty: then only a free answer fits.
    pub choices: Vec<Choice>,
    /// Whether more than one may be chosen.
    pub multiple: bool,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name. Not empty, and no other of its question has the same.
    pub label: String,
    /// What it means.
    pub description: Option<String>,
    /// What it would look like: text in a fixed width.
    pub preview: Option<String>,
}

impl Question {
    /// Whether this answers it: with one choice or the person's own words; where more may be chosen, with any number of
    /// choices in their order, and with own words beside them. Blank words are none.
    pub fn is_answered(&self, answer: &Answer) -> bool {
        let in_order = answer.chosen.is_sorted_by(|one, next| one < next);
        let exist = answer.chosen.iter().all(|&at| at < self.choices.len());
        let count = answer.chosen.len() + usize::from(answer.own_words().is_some());
        in_order && exist && (count == 1 || (self.multiple && count > 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(multiple: bool) -> Question {
        let choice = |label: &str| Choice { label: label.into(), description: None, preview: None };
        let choices = ["A", "B", "C"].map(choice).into();
        Question { text: "?".into(), header: None, choices, multiple }
    }

    fn answer(chosen: &[usize], own: Option<&str>) -> Answer {
        Answer { chosen: chosen.into(), own: own.map(Into::into), notes: Some("a note is no answer".into()) }
    }

    #[test]
    fn a_single_choice_takes_one_thing() {
        let is_answered = |chosen, own| question(false).is_answered(&answer(chosen, own));
        assert!(is_answered(&[2], None));
        assert!(is_answered(&[2], Some(" \t")));
        assert!(is_answered(&[], Some("D")));
        assert!(!is_answered(&[], None));
        assert!(!is_answered(&[], Some("  ")));
        assert!(!is_answered(&[0, 1], None));
        assert!(!is_answered(&[0], Some("D")));
        assert!(!is_answered(&[3], None));
    }

    #[test]
    fn a_multiple_choice_takes_each_thing_once() {
        let is_answered = |chosen, own| question(true).is_answered(&answer(chosen, own));
        assert!(is_answered(&[0, 2], Some("D")));
        assert!(is_answered(&[1], None));
        assert!(is_answered(&[], Some("D")));
        assert!(!is_answered(&[], None));
        assert!(!is_answered(&[2, 0], None));
        assert!(!is_answered(&[1, 1], None));
        assert!(!is_answered(&[0, 3], None));
    }
}
