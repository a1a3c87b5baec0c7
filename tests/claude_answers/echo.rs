// SPDX-License-Identifier: GPL-3.0-or-later
//! What Claude Code gets back of its own input is what it sent, to the byte.

use dasbo_core::request::Decision;
use proptest::prelude::*;
use proptest::sample::select;

use crate::questions::answer;
use crate::{asked, permission, printed};

/// All that JavaScript may write, and more. (A number beyond a double, such as 1e400, it reads as infinite and writes as null.)
const VALUES: &[&str] = &[
    "1.0",
    "1e308",
    "-0",
    "-0.0",
    "1E+2",
    "12345678901234567890123",
    "0.1000",
    "true",
    "null",
    "[]",
    "{}",
    r#""\u0041\/\ud83d\ude00é\n""#,
    r#""\ud800""#,
    r#"[ 1 ,{"b" : 2,"a":[null , 1.50]} ]"#,
    r#"{"k":1,"k":2}"#,
    "\"\u{202e}\u{7f}\"",
];

const KEYS: &[&str] = &["extra", "a", "b", "metadata", "", "é", "Questions", "Plan"];

/// Some members of an object, in JSON; keys may come twice.
fn members() -> impl Strategy<Value = Vec<String>> {
    let member = (select(KEYS), select(VALUES)).prop_map(|(key, value)| format!("\"{key}\":{value}"));
    prop::collection::vec(member, 0..6)
}

/// An object with this member among others.
fn object(before: &[String], member: &str, after: &[String]) -> String {
    let members = before.iter().map(String::as_str).chain([member]).chain(after.iter().map(String::as_str));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// A member as it stands between others.
fn joined(members: &[String]) -> String {
    members.iter().flat_map(|member| [",", member]).collect()
}

proptest! {
    #[test]
    fn an_approved_plan(before in members(), after in members(), accept_edits in any::<bool>(), space in "[ \t\r\n]{0,3}") {
        let input = object(&before, &format!("\"plan\"{space}:{space}\"1. A\\u0042\""), &after);
        let decision = Decision::Approve { accept_edits, edited: None };
        let mode = r#","updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]"#;
        let mode = if accept_edits { mode } else { "" };
        let expected = permission(&format!(r#"{{"behavior":"allow","updatedInput":{input}{mode}}}"#));
        prop_assert_eq!(printed(&asked("ExitPlanMode", &input), &decision), expected);
    }

    #[test]
    fn all_but_the_plan_that_was_edited(before in members(), after in members()) {
        let request = asked("ExitPlanMode", &object(&before, r#""plan":"1. A""#, &after));
        let decision = Decision::Approve { accept_edits: false, edited: Some("2. \"B\"".into()) };
        let updated = object(&before, r#""plan":"2. \"B\"""#, &after);
        let expected = permission(&format!(r#"{{"behavior":"allow","updatedInput":{updated}}}"#));
        prop_assert_eq!(printed(&request, &decision), expected);
    }

    #[test]
    fn questions_and_all_beside_them(before in members(), after in members(), inside in members()) {
        // Within an option a key that Dasbo reads may come once only.
        let option = format!(r#"{{"label":"\u0041"{}}}"#, joined(&inside));
        let questions = format!(r#""questions":[ {{"multiSelect":false ,"question":"Which?","options":[{option}]}}]"#);
        let request = asked("AskUserQuestion", &object(&before, &questions, &after));
        let decision = Decision::Answers(vec![answer(&[0], None, None)]);
        let after: Vec<String> = after.into_iter().chain([r#""answers":{"Which?":"A"}"#.to_owned()]).collect();
        let updated = object(&before, &questions, &after);
        let expected = permission(&format!(r#"{{"behavior":"allow","updatedInput":{updated}}}"#));
        prop_assert_eq!(printed(&request, &decision), expected);
    }
}
