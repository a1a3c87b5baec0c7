// SPDX-License-Identifier: GPL-3.0-or-later
//! The words on a notification.

use dasbo_core::event::WaitKind;
use dasbo_core::request::{Action, Approval, Content, Request, visible};
use dasbo_core::session::{Session, Wait};

use super::{agent, project, wait};

/// Longest command on a notification, in characters: what fits where desktops unfold one.
const LONGEST: usize = 200;

/// Who asks: "Claude Code · shop".
pub fn notification_title(session: &Session) -> String {
    let title = format!("{} · {}", agent(session.key.agent), project(session));
    plain(&title)
}

/// What is asked, on one line: "Wants to run a command: cargo test"; and whether nothing of it is cut. What a person
/// cannot read to its end there, they do not allow there.
pub fn notification_body(asked: &Wait) -> (String, bool) {
    let (detail, whole) = detail(asked);
    let words = std::iter::once(wait(asked)).chain(detail);
    (plain(&words.collect::<Vec<_>>().join(": ")), whole)
}

fn detail(asked: &Wait) -> (Option<String>, bool) {
    if asked.kind != WaitKind::Approval {
        return (None, true);
    }
    if let Some(command) = asked.request.as_deref().and_then(command) {
        let end = command.char_indices().nth(LONGEST).map(|(end, _)| end);
        let shown = end.and_then(|end| command.get(..end)).map(|kept| format!("{kept}…"));
        return (Some(shown.unwrap_or_else(|| command.to_owned())), end.is_none());
    }
    // Cut where it is long, when the event was read.
    let detail = asked.call.as_ref().map(|call| call.tool.detail.clone()).filter(|detail| !detail.is_empty());
    let whole = detail.as_ref().is_none_or(|detail| !detail.ends_with('…'));
    (detail, whole)
}

fn command(request: &Request) -> Option<&str> {
    match &request.content {
        Content::Approval(Approval { action: Action::Command { command, .. }, .. }) => Some(command),
        _ => None,
    }
}

/// Some desktops read what stands in a notification as markup, others do not, and none says it to `GLib`: so nothing in
/// it may begin a tag or an entity. The wide forms look alike and mean nothing.
fn plain(text: &str) -> String {
    visible(text).replace('\n', " ⏎ ").replace('\t', " ").replace('<', "＜").replace('&', "＆")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dasbo_core::event::{Actor, Asks, Call, Fingerprint, Tool};
    use dasbo_core::moment::Moment;
    use dasbo_core::request::Prompt;

    use super::*;

    fn asked(detail: &str, command: Option<&str>) -> Wait {
        let tool = Tool { name: "Bash".into(), detail: detail.into() };
        let call = Call { id: None, tool, input: Fingerprint(0) };
        let request = command.map(|command| {
            let action = Action::Command { command: command.to_owned(), description: None };
            let approval =
                Approval { tool: "Bash".to_owned(), action, offers: Vec::new(), modes: Vec::new() };
            Arc::new(Request {
                asks: Asks::ForCall(call.clone()),
                content: Content::Approval(approval),
                prompt: Prompt::Beside,
                input: Box::default(),
            })
        });
        Wait {
            kind: WaitKind::Approval,
            actor: Actor::Main,
            call: Some(call),
            request,
            held: None,
            since: Moment::default(),
            confirmed: false,
        }
    }

    #[test]
    fn nothing_of_an_agent_is_markup() {
        let body = notification_body(&asked("a && <b>c", None)).0;
        assert_eq!(body, "Wants to run a command: a ＆＆ ＜b>c");
    }

    #[test]
    fn a_command_is_shown_to_its_end_or_said_not_to_be() {
        let body = |command: &str| notification_body(&asked("cut by rows…", Some(command)));
        assert_eq!(body("make\nmake install"), ("Wants to run a command: make ⏎ make install".into(), true));
        let fits = "x".repeat(LONGEST);
        assert_eq!(body(&fits), (format!("Wants to run a command: {fits}"), true));
        let hides = format!("{fits}; rm -r ~");
        assert_eq!(body(&hides), (format!("Wants to run a command: {fits}…"), false));
        assert!(!notification_body(&asked("cut by rows…", None)).1);
    }

    #[test]
    fn what_cannot_be_seen_is_made_visible() {
        let body = notification_body(&asked("", Some("ls \u{202e}x"))).0;
        assert_eq!(body, "Wants to run a command: ls ⟨U+202E⟩x");
    }
}
