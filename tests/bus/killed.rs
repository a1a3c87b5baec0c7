// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel is killed while it is asked: nobody gets an answer, nobody is kept, and what is still asked is shown again.

use std::time::{Duration, Instant};

use dasbo_test_support::agent::{FakeAgent, Hook, Ticket};
use dasbo_test_support::helper;
use dasbo_test_support::session_file;
use dasbo_test_support::wait::{LIMIT, eventually};
use serde_json::{Value, json};

use crate::desktop::Desktop;

/// A helper that was told to leave is gone within this time.
const SOON: Duration = Duration::from_millis(200);

/// One agent with a session, and the hooks that it waits for.
struct Asking {
    agent: FakeAgent,
    session: &'static str,
    tickets: Vec<Ticket>,
}

impl Asking {
    fn new(desktop: &Desktop, session: &'static str) -> Self {
        let asking = Self { agent: desktop.agent(), session, tickets: Vec::new() };
        asking.write_file(desktop, "busy");
        asking
    }

    /// The file that Claude Code keeps of itself.
    fn write_file(&self, desktop: &Desktop, status: &str) {
        session_file::write(&desktop.home, self.agent.pid(), self.session, status);
    }

    fn ask(&mut self, number: usize, subagent: bool, attended: bool) {
        let mut payload = json!({
            "hook_event_name": "PermissionRequest", "session_id": self.session, "tool_name": "Bash",
            "tool_input": {"command": format!("make {number}")},
        });
        if subagent {
            payload["agent_id"] = json!(format!("agent-{number}"));
        }
        let (attended, entrypoint) = if attended { ("1", "cli") } else { ("0", "sdk-cli") };
        let env = [("CLAUDE_CODE_SESSION_ATTENDED", attended), ("CLAUDE_CODE_ENTRYPOINT", entrypoint)];
        self.tickets.push(self.agent.begin(Hook {
            command: format!("exec '{}' claude ask PermissionRequest", helper::path().display()),
            payload: payload.to_string(),
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..Hook::default()
        }));
    }

    /// How many hooks ended, each in silence.
    fn silent_ends(&mut self, limit: Duration) -> usize {
        let end = Instant::now() + limit;
        let left = || end.saturating_duration_since(Instant::now());
        let ended = |&ticket: &Ticket| self.agent.outcome(ticket, left());
        let outcomes: Vec<_> = self.tickets.iter().filter_map(ended).collect();
        for outcome in &outcomes {
            assert!(outcome.printed(""), "{outcome:?}");
        }
        outcomes.len()
    }
}

fn asked(desktop: &Desktop, session: &str) -> usize {
    let table: Value = serde_json::from_str(&desktop.status(&["--json"]).stdout).unwrap();
    let line = table.as_array().unwrap().iter().find(|line| line["session"] == session).cloned();
    line.map_or(0, |line| line["waiting"].as_array().unwrap().len())
}

fn until_asked(desktop: &Desktop, session: &str, count: usize) {
    let is_so = || (asked(desktop, session) == count).then_some(());
    eventually(&format!("{count} requests of {session} are shown"), LIMIT, is_so);
}

#[test]
fn fifty_helpers_say_nothing_when_the_panel_is_killed() {
    let desktop = Desktop::new();
    let mut panel = desktop.panel();
    let mut alone = Asking::new(&desktop, "alone");
    for number in 0..5 {
        alone.ask(number, false, false);
    }
    assert_eq!(alone.silent_ends(LIMIT), 5, "nobody sits there: nobody is kept");

    let mut beside = Asking::new(&desktop, "beside");
    let mut answered = Asking::new(&desktop, "answered");
    let mut subagents = Asking::new(&desktop, "subagents");
    for asking in [&mut beside, &mut answered, &mut subagents] {
        for number in 0..15 {
            asking.ask(number, asking.session == "subagents", true);
        }
        asking.write_file(&desktop, "waiting");
    }
    for asking in [&beside, &answered, &subagents] {
        until_asked(&desktop, asking.session, 15);
    }
    assert_eq!(beside.silent_ends(Duration::ZERO), 0, "all wait");
    panel.kill();
    assert_eq!(subagents.silent_ends(SOON), 15, "their terminals ask now");
    assert_eq!(beside.silent_ends(Duration::ZERO), 0, "they come back");

    // One was answered in the terminal meanwhile.
    answered.write_file(&desktop, "busy");
    let _panel = desktop.panel();
    assert_eq!(answered.silent_ends(LIMIT), 15, "no longer asked");
    until_asked(&desktop, "beside", 15);
    assert_eq!(asked(&desktop, "answered"), 0);
    assert_eq!(asked(&desktop, "subagents"), 1, "in its terminal, as its file says");
    beside.agent.kill();
    until_asked(&desktop, "beside", 0);
}
