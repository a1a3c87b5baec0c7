// SPDX-License-Identifier: GPL-3.0-or-later
//! Whatever is asked: the answer read back, as Claude Code reads it, is the person's.

use std::collections::BTreeSet;

use dasbo_core::request::{Answer, Decision};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{asked, printed};

/// A name that means something, without what stands between names in an answer.
const NAME: &str = "[a-zA-Z0-9é\"\\\\{}\u{202e}😀][a-z \n\"'?<&>]{0,12}";

#[derive(Debug, Clone)]
struct Asked {
    text: String,
    labels: Vec<String>,
    multiple: bool,
    answer: Answer,
}

fn words() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z0-9\"\\\\é😀]{1,10}")
}

/// A question whose answer is complete.
fn question() -> impl Strategy<Value = Asked> {
    let labels = prop::collection::btree_set(NAME, 1..31);
    (NAME, labels, any::<bool>(), any::<u32>(), words(), words()).prop_map(
        |(text, labels, multiple, taken, own, notes)| {
            let labels: Vec<String> = labels.into_iter().collect();
            let chosen: Vec<usize> = if multiple {
                (0..labels.len()).filter(|at| taken >> at & 1 == 1).collect()
            } else {
                vec![taken as usize % labels.len()]
            };
            // Own words instead of one choice, beside several, and where nothing was chosen.
            let own = match own {
                None if chosen.is_empty() => Some("own".to_owned()),
                own => own,
            };
            let chosen = if !multiple && own.is_some() { Vec::new() } else { chosen };
            Asked { text, labels, multiple, answer: Answer { chosen, own, notes } }
        },
    )
}

fn questions() -> impl Strategy<Value = Vec<Asked>> {
    prop::collection::vec(question(), 1..5).prop_filter("texts differ", |questions| {
        let texts: BTreeSet<&String> = questions.iter().map(|question| &question.text).collect();
        texts.len() == questions.len()
    })
}

fn input(questions: &[Asked]) -> Value {
    let one = |asked: &Asked| {
        let options: Vec<Value> = asked.labels.iter().map(|label| json!({ "label": label })).collect();
        json!({"question": asked.text, "header": "H", "options": options, "multiSelect": asked.multiple})
    };
    json!({ "questions": questions.iter().map(one).collect::<Vec<_>>() })
}

/// The places of the labels that a text names, and what is left of it.
fn read_back(asked: &Asked, text: &str) -> (Vec<usize>, Option<String>) {
    let mut chosen = Vec::new();
    let mut own = None;
    for part in text.split(", ") {
        match asked.labels.iter().position(|label| label == part) {
            Some(at) => chosen.push(at),
            None => own = Some(part.to_owned()),
        }
    }
    (chosen, own)
}

proptest! {
    #[test]
    fn answers_read_back_are_the_persons(questions in questions()) {
        let input = input(&questions);
        let request = asked("AskUserQuestion", &input.to_string());
        let answers = questions.iter().map(|asked| asked.answer.clone()).collect();
        let printed = printed(&request, &Decision::Answers(answers)).unwrap();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let updated = &printed["hookSpecificOutput"]["decision"]["updatedInput"];
        prop_assert_eq!(&updated["questions"], &input["questions"]);
        prop_assert_eq!(updated["answers"].as_object().unwrap().len(), questions.len());
        for asked in &questions {
            let (chosen, own) = read_back(asked, updated["answers"][&asked.text].as_str().unwrap());
            // Own words that are a label are that label.
            if asked.answer.own.as_ref().is_none_or(|own| !asked.labels.contains(own)) {
                prop_assert_eq!(&chosen, &asked.answer.chosen);
                prop_assert_eq!(&own, &asked.answer.own);
            }
            let notes = updated["annotations"][&asked.text]["notes"].as_str();
            prop_assert_eq!(notes, asked.answer.notes.as_deref());
        }
    }

    #[test]
    fn one_answer_taken_away_and_nothing_is_printed(questions in questions(), which in any::<prop::sample::Index>()) {
        let request = asked("AskUserQuestion", &input(&questions).to_string());
        let mut answers: Vec<Answer> = questions.iter().map(|asked| asked.answer.clone()).collect();
        let which = which.index(answers.len());
        answers[which] = Answer { notes: Some("a note is no answer".into()), ..Answer::default() };
        prop_assert_eq!(printed(&request, &Decision::Answers(answers)), None);
    }
}
