// SPDX-License-Identifier: GPL-3.0-or-later
//! The words on a notification.

use dasbo_core::event::WaitKind;
use dasbo_core::request::visible;
use dasbo_core::session::{Session, Wait};

use super::{agent, project, wait};

/// Who asks: "Claude Code · shop".
pub fn notification_title(session: &Session) -> String {
    let title = format!("{} · {}", agent(session.key.agent), project(session));
    plain(&title)
}

/// What is asked, on one line: "Wants to run a command: cargo test".
pub fn notification_body(asked: &Wait) -> String {
    let detail = asked.call.as_ref().map(|call| call.tool.detail.as_str());
    let detail = detail.filter(|detail| asked.kind == WaitKind::Approval && !detail.is_empty());
    let words = std::iter::once(wait(asked)).chain(detail.map(ToOwned::to_owned));
    plain(&words.collect::<Vec<_>>().join(": "))
}

/// Some desktops read what stands in a notification as markup, others do not, and none says it to `GLib`: so nothing in
/// it may begin a tag or an entity. The wide forms look alike and mean nothing.
fn plain(text: &str) -> String {
    visible(text).replace('<', "＜").replace('&', "＆")
}

#[cfg(test)]
mod tests {
    use dasbo_core::event::{Actor, Call, Fingerprint, Tool};

    use super::*;

    #[test]
    fn nothing_of_an_agent_is_markup() {
        let tool = Tool { name: "Bash".into(), detail: "a && <b>c".into() };
        let call = Some(Call { id: None, tool, input: Fingerprint(0) });
        let asked = Wait {
            kind: WaitKind::Approval,
            actor: Actor::Main,
            call,
            request: None,
            held: None,
            since: dasbo_core::moment::Moment::default(),
            confirmed: false,
        };
        assert_eq!(notification_body(&asked), "Wants to run a command: a ＆＆ ＜b>c");
    }
}
