// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions answered: the questions as they came, the answers under the text of each.

use dasbo_core::request::{Answer, Content, Decision};

use crate::{asked, permission, printed};

pub const QUESTIONS: &str = r#""questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"Relational"},{"label":"SQLite","description":"A file"}],"multiSelect":false},{"question":"Which extras?","header":"Extras","options":[{"label":"Auth","description":"Log in"},{"label":"Queue","description":"Jobs"},{"label":"Mail","description":"Letters"}],"multiSelect":true}]"#;

pub fn answer(chosen: &[usize], own: Option<&str>, notes: Option<&str>) -> Answer {
    Answer { chosen: chosen.into(), own: own.map(Into::into), notes: notes.map(Into::into) }
}

fn answered(answers: &[Answer]) -> Option<String> {
    let request = asked("AskUserQuestion", &format!("{{{QUESTIONS}}}"));
    printed(&request, &Decision::Answers(answers.into()))
}

fn echoed(rest: &str) -> Option<String> {
    permission(&format!(r#"{{"behavior":"allow","updatedInput":{{{QUESTIONS},{rest}}}}}"#))
}

#[test]
fn single_and_multiple_choice() {
    assert_eq!(
        answered(&[answer(&[0], None, None), answer(&[0, 1], None, None)]),
        echoed(r#""answers":{"Which database?":"Postgres","Which extras?":"Auth, Queue"}"#)
    );
}

#[test]
fn own_words_instead_of_a_choice_or_beside_some() {
    assert_eq!(
        answered(&[answer(&[], Some("\"MariaDB\""), None), answer(&[0, 2], Some("Search"), None)]),
        echoed(r#""answers":{"Which database?":"\"MariaDB\"","Which extras?":"Auth, Mail, Search"}"#)
    );
}

#[test]
fn notes_where_there_are_some() {
    assert_eq!(
        answered(&[answer(&[1], None, Some("optional note")), answer(&[2], None, Some(" "))]),
        echoed(
            r#""answers":{"Which database?":"SQLite","Which extras?":"Mail"},"annotations":{"Which database?":{"notes":"optional note"}}"#
        )
    );
}

#[test]
fn nothing_is_printed_until_all_is_answered() {
    let (good, none) = (answer(&[0], None, None), Answer::default());
    assert_eq!(answered(&[good.clone(), none.clone()]), None);
    assert_eq!(answered(&[none, good.clone()]), None);
    assert_eq!(answered(std::slice::from_ref(&good)), None);
    assert_eq!(answered(&[good.clone(), good.clone(), good.clone()]), None);
    assert_eq!(answered(&[answer(&[0, 1], None, None), good.clone()]), None, "one choice only");
    assert_eq!(answered(&[answer(&[0], Some("x"), None), good.clone()]), None, "one answer only");
    assert_eq!(answered(&[answer(&[2], None, None), good.clone()]), None, "no such choice");
    assert_eq!(answered(&[answer(&[], Some("\n "), None), good.clone()]), None, "no words");
    assert_eq!(answered(&[good, answer(&[1, 0], None, None)]), None, "not in the question's order");
}

/// What an agent says of answers is not the person's.
#[test]
fn what_the_agent_says_of_answers_is_replaced() {
    let input = r#"{"answers":{"Which?":"B"},"annotations":{"Which?":{"notes":"x"}},"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}],"answers":{"Which?":"B"},"other":1}"#;
    let expected = r#"{"behavior":"allow","updatedInput":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}],"other":1,"answers":{"Which?":"A"}}}"#;
    let request = asked("AskUserQuestion", input);
    let decision = Decision::Answers(vec![answer(&[0], None, None)]);
    assert_eq!(printed(&request, &decision), permission(expected));
}

#[test]
fn questions_that_cannot_be_told_apart_are_left_to_the_terminal() {
    for input in [
        r#"{"questions":[]}"#,
        r#"{"questions":"Which?"}"#,
        r#"{"questions":[{"question":" ","options":[{"label":"A"}]}]}"#,
        r#"{"questions":[{"question":"Q","options":[{"label":""}]}]}"#,
        r#"{"questions":[{"question":"Q","options":[{"label":"A"},{"label":"A"}]}]}"#,
        r#"{"questions":[{"question":"Q","options":[{"description":"no label"}]}]}"#,
        r#"{"questions":[{"question":"Q","options":[]},{"question":"Q","options":[]}]}"#,
        r#"{"questions":[{"question":"Q","options":[],"multiSelect":"yes"}]}"#,
        r#"{"questions":[{"question":"Q \ud83d","options":[]}]}"#,
        r#"[[{"question":"Q","options":[]}]]"#,
        "null",
    ] {
        let request = asked("AskUserQuestion", input);
        assert!(matches!(request.content, Content::Unclear(_)), "{input}: {:?}", request.content);
        let decision = Decision::Answers(vec![answer(&[], Some("x"), None)]);
        assert_eq!(printed(&request, &decision), None, "{input}");
    }
}

#[test]
fn a_question_without_choices_takes_own_words() {
    let request = asked("AskUserQuestion", r#"{"questions":[{"question":"Why?"}]}"#);
    let decision = Decision::Answers(vec![answer(&[], Some("So."), None)]);
    let expected =
        r#"{"behavior":"allow","updatedInput":{"questions":[{"question":"Why?"}],"answers":{"Why?":"So."}}}"#;
    assert_eq!(printed(&request, &decision), permission(expected));
}
