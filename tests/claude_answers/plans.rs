// SPDX-License-Identifier: GPL-3.0-or-later
//! Plans approved, changed and sent back.

use dasbo_core::request::{Content, Decision};

use crate::{asked, permission, printed};

pub const PLAN: &str =
    r##"{"plan":"# Plan\n\n1. \u0057rite \ud83d\ude80","planFilePath":"/home/user/.claude/plans/a.md"}"##;

fn decided(decision: &Decision) -> Option<String> {
    printed(&asked("ExitPlanMode", PLAN), decision)
}

fn approve(accept_edits: bool, edited: Option<&str>) -> Decision {
    Decision::Approve { accept_edits, edited: edited.map(Into::into) }
}

#[test]
fn an_approved_plan_is_repeated() {
    let expected = format!(r#"{{"behavior":"allow","updatedInput":{PLAN}}}"#);
    assert_eq!(decided(&approve(false, None)), permission(&expected));
    // Begun to be edited, and left as it was.
    assert_eq!(decided(&approve(false, Some("# Plan\n\n1. Write 🚀"))), permission(&expected));
}

#[test]
fn with_edits_accepted_the_mode_is_set() {
    let expected = format!(
        r#"{{"behavior":"allow","updatedInput":{PLAN},"updatedPermissions":[{{"type":"setMode","mode":"acceptEdits","destination":"session"}}]}}"#
    );
    assert_eq!(decided(&approve(true, None)), permission(&expected));
}

#[test]
fn an_edited_plan_takes_the_place_of_the_plan() {
    let file = r#""planFilePath":"/home/user/.claude/plans/a.md""#;
    let expected = format!(r##"{{"behavior":"allow","updatedInput":{{"plan":"# \"Mine\"\n",{file}}}}}"##);
    assert_eq!(decided(&approve(false, Some("# \"Mine\"\n"))), permission(&expected));
    let expected = format!(
        r#"{{"behavior":"allow","updatedInput":{{"plan":"Mine",{file}}},"updatedPermissions":[{{"type":"setMode","mode":"acceptEdits","destination":"session"}}]}}"#
    );
    assert_eq!(decided(&approve(true, Some("Mine"))), permission(&expected));
    assert_eq!(decided(&approve(false, Some(" \n"))), None, "nothing was planned");
}

#[test]
fn a_plan_sent_back() {
    let note = Decision::KeepPlanning(Some("Use SQLite.".into()));
    assert_eq!(decided(&note), permission(r#"{"behavior":"deny","message":"Use SQLite."}"#));
    assert_eq!(decided(&Decision::KeepPlanning(None)), permission(r#"{"behavior":"deny"}"#));
}

#[test]
fn without_a_text_there_is_nothing_to_approve() {
    for input in
        ["{}", r#"{"plan":""}"#, r#"{"plan":" \n"}"#, r#"{"plan":["a"]}"#, r#"{"plan":"\ud800"}"#, "null"]
    {
        let request = asked("ExitPlanMode", input);
        assert!(matches!(request.content, Content::Unclear(_)), "{input}");
        assert_eq!(printed(&request, &approve(false, None)), None, "{input}");
    }
}
