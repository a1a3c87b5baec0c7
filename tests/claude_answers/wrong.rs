// SPDX-License-Identifier: GPL-3.0-or-later
//! A decision is printed only for what it decides.

use dasbo_core::event::PermissionMode;
use dasbo_core::request::{Decision, Denial, Grant, Scope};

use crate::forms::{fill, form, text};
use crate::plans::PLAN;
use crate::questions::{QUESTIONS, answer};
use crate::{asked, printed};

#[test]
fn each_kind_of_request_takes_its_own_decisions_only() {
    let requests = [
        asked("Bash", r#"{"command":"ls"}"#),
        asked("AskUserQuestion", &format!("{{{QUESTIONS}}}")),
        asked("ExitPlanMode", PLAN),
        form(r#""a":{"type":"string"}"#, ""),
        // Not understood: it takes none.
        asked("ExitPlanMode", "{}"),
    ];
    let approvals = [
        Decision::Allow(None),
        Decision::Allow(Some(Grant::Tool(Scope::Session))),
        Decision::Allow(Some(Grant::Mode(PermissionMode::AcceptEdits))),
        Decision::Deny(Denial::Plain),
        Decision::Deny(Denial::Note("x".into())),
        Decision::Deny(Denial::Stop),
    ];
    let answers = [Decision::Answers(vec![answer(&[0], None, None), answer(&[0], None, None)])];
    let plans = [
        Decision::Approve { accept_edits: false, edited: None },
        Decision::Approve { accept_edits: true, edited: Some("x".into()) },
        Decision::KeepPlanning(None),
        Decision::KeepPlanning(Some("x".into())),
    ];
    let forms = [fill(&[("a", text("x"))]), fill(&[])];
    let decisions: [&[Decision]; 4] = [&approvals, &answers, &plans, &forms];
    for (of, request) in requests.iter().enumerate() {
        for (kind, decisions) in decisions.iter().enumerate() {
            for decision in *decisions {
                let is_printed = printed(request, decision).is_some();
                assert_eq!(is_printed, of == kind, "{decision:?} for {:?}", request.content);
            }
        }
    }
}
