// SPDX-License-Identifier: GPL-3.0-or-later
//! Tool calls allowed and denied.

use dasbo_core::event::PermissionMode;
use dasbo_core::request::{Content, Decision, Denial, Grant, Scope};

use crate::{asked, permission, printed, request};

const INPUT: &str = r#"{"command":"touch d.txt","description":"Make a file"}"#;

#[test]
fn allow_and_deny() {
    let bash = asked("Bash", INPUT);
    for (decision, expected) in [
        (Decision::Allow(None), r#"{"behavior":"allow"}"#),
        (Decision::Deny(Denial::Plain), r#"{"behavior":"deny"}"#),
        (
            Decision::Deny(Denial::Note("Denied from the panel: use mkdir.".into())),
            r#"{"behavior":"deny","message":"Denied from the panel: use mkdir."}"#,
        ),
        (
            Decision::Deny(Denial::Note("say \"no\"\n\tand é \u{1}".into())),
            r#"{"behavior":"deny","message":"say \"no\"\n\tand é \u0001"}"#,
        ),
        (Decision::Deny(Denial::Stop), r#"{"behavior":"deny","message":"Stop.","interrupt":true}"#),
    ] {
        assert_eq!(printed(&bash, &decision), permission(expected));
    }
    assert_eq!(
        printed(&bash, &Decision::Allow(None)).unwrap(),
        r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#
    );
}

/// Suggestions as Claude Code writes them, with spaces and a key that nobody knows: they go back as they came.
const OFFERS: [&str; 5] = [
    r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"touch d_r.txt"}],"behavior":"allow","destination":"localSettings"}"#,
    r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#,
    r#"{ "destination" : "session", "type":"addDirectories","directories":["/home/\u0075ser/p"],"extra":1.0e2 }"#,
    r#"{"type":"addRules","rules":[{"toolName":"Read","ruleContent":"//tmp/**"},{"toolName":"Bash","ruleContent":"touch zz *"}],"behavior":"allow","destination":"projectSettings"}"#,
    r#"{"type":"addRules","rules":[{"toolName":"mcp__elicit__plain"}],"behavior":"allow","destination":"userSettings"}"#,
];

/// Those that cannot be said in words, or that Claude Code does not take, are not offered.
const NOT_OFFERED: [&str; 8] = [
    r#"{"type":"setMode","mode":"acceptEdits"}"#,
    r#"{"type":"setMode","mode":"bypassPermissions","destination":"session"}"#,
    r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"session"}"#,
    r#"{"type":"addRules","rules":[],"behavior":"allow","destination":"session"}"#,
    r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"nowhere"}"#,
    r#"{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"}"#,
    r#""setMode""#,
    "null",
];

#[test]
fn offers_are_given_back_byte_for_byte() {
    let mixed = OFFERS.iter().zip(NOT_OFFERED).flat_map(|(offer, other)| [other, offer]);
    let rest = NOT_OFFERED.iter().skip(OFFERS.len()).copied();
    let list = mixed.chain(rest).collect::<Vec<_>>().join(", ");
    let keys = format!(r#""tool_name":"Bash","tool_input":{INPUT},"permission_suggestions":[{list}]"#);
    let bash = request("PermissionRequest", &keys);
    let Content::Approval(approval) = &bash.content else { panic!("{bash:?}") };
    assert_eq!(approval.offers.iter().map(|offer| &*offer.json).collect::<Vec<_>>(), OFFERS);
    for (at, offer) in OFFERS.iter().enumerate() {
        let expected = format!(r#"{{"behavior":"allow","updatedPermissions":[{offer}]}}"#);
        assert_eq!(printed(&bash, &Decision::Allow(Some(Grant::Offer(at)))), permission(&expected));
    }
    assert_eq!(printed(&bash, &Decision::Allow(Some(Grant::Offer(OFFERS.len())))), None);
}

#[test]
fn every_use_of_a_tool() {
    let mcp = asked(r#"mcp__a \\ \"b"#, "{}");
    for (scope, word) in [
        (Scope::Session, "session"),
        (Scope::Local, "localSettings"),
        (Scope::Project, "projectSettings"),
        (Scope::User, "userSettings"),
    ] {
        let expected = format!(
            r#"{{"behavior":"allow","updatedPermissions":[{{"type":"addRules","rules":[{{"toolName":"mcp__a \\ \"b"}}],"behavior":"allow","destination":"{word}"}}]}}"#
        );
        assert_eq!(printed(&mcp, &Decision::Allow(Some(Grant::Tool(scope)))), permission(&expected));
    }
}

#[test]
fn modes_that_a_session_can_be_switched_to() {
    let bash = asked("Bash", INPUT);
    let switch = |mode| printed(&bash, &Decision::Allow(Some(Grant::Mode(mode))));
    for (mode, word) in [(PermissionMode::AcceptEdits, "acceptEdits"), (PermissionMode::Auto, "auto")] {
        let expected = format!(
            r#"{{"behavior":"allow","updatedPermissions":[{{"type":"setMode","mode":"{word}","destination":"session"}}]}}"#
        );
        assert_eq!(switch(mode), permission(&expected));
    }
    for mode in [
        PermissionMode::Default,
        PermissionMode::Plan,
        PermissionMode::BypassPermissions,
        PermissionMode::DontAsk,
    ] {
        assert_eq!(switch(mode), None, "{mode:?}");
    }
    let keys = format!(r#""tool_name":"Bash","tool_input":{INPUT},"permission_mode":"acceptEdits""#);
    let there = request("PermissionRequest", &keys);
    let again = Decision::Allow(Some(Grant::Mode(PermissionMode::AcceptEdits)));
    assert_eq!(printed(&there, &again), None, "it is in that mode");
}
