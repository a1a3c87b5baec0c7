// SPDX-License-Identifier: GPL-3.0-or-later
//! What agents, their files and their helpers do.

use std::sync::Arc;
use std::time::Duration;

use dasbo_core::event::{Actor, Call, Ending, Fingerprint, Outcome, Status, Tool, What};
use dasbo_core::request::{Held, Hold, Opened, Prompt};

use super::world::{AGENT, Asked, File, Helper, News, Truth, World, key, process, request};

impl World {
    pub(super) fn ask(&mut self, session: usize, helper: bool, attended: bool) {
        let actor = if helper { Actor::Subagent("a".into()) } else { Actor::Main };
        let busy =
            |asked: &Asked| asked.session == session && asked.actor == actor && asked.truth == Truth::Asked;
        // Each of them asks one thing after the other.
        if self.sessions[session].ended || self.asked.iter().any(busy) || self.asked.len() >= 6 {
            return;
        }
        let number = self.asked.len();
        let call = Call {
            id: Some(format!("call-{number}")),
            tool: Tool { name: "Bash".into(), detail: "make".into() },
            input: Fingerprint(number as u64),
        };
        let prompt = match (attended, helper) {
            (false, _) => Prompt::Nowhere,
            (true, false) => Prompt::Beside,
            (true, true) => Prompt::HeldBack,
        };
        let request = Arc::new(request(&call, prompt));
        self.asked.push(Asked {
            session,
            request: request.clone(),
            call: call.clone(),
            actor: actor.clone(),
            since: self.now,
            truth: Truth::Asked,
            helper: Helper::Left,
            comes_back: false,
            id: None,
            decided: None,
            decisions: Vec::new(),
            printed: Vec::new(),
            told_settled: false,
        });
        self.tell(session, actor.clone(), What::ToolBegan(call, None), self.now);
        self.present(number, false);
    }

    /// A helper connects.
    pub(super) fn present(&mut self, number: usize, again: bool) {
        let (now, policy) = (self.now, self.policy.clone());
        let file = self.sessions[self.asked[number].session].file;
        let asked = &mut self.asked[number];
        asked.helper = if again { Helper::Returns } else { Helper::Left };
        let Some(panel) = &mut self.panel else { return };
        asked.helper = Helper::Left;
        let hold = policy.hold(AGENT, &asked.request, now);
        let until = match hold {
            Hold::Not if again => return,
            Hold::Not => return self.tell_request(number, None),
            Hold::Until(moment) => Some(moment),
            Hold::UntilAnswered => None,
        };
        let still_asked = file.status == Status::Waiting
            && file.at <= asked.since + Duration::from_secs(1)
            && asked.truth == Truth::Asked;
        if again && !still_asked {
            return;
        }
        let beside = asked.request.prompt == Prompt::Beside;
        let id = panel.book.next_id(now.as_nanos() / 1_000_000);
        panel.book.open(
            id,
            Opened {
                session: key(asked.session),
                process: Some(process(asked.session).id),
                at: asked.since,
                beside,
            },
        );
        asked.helper = Helper::Waits;
        asked.comes_back = beside;
        asked.id = Some(id);
        let request = Held { id, since: asked.since, until };
        self.tell_request(number, Some(request));
    }

    pub(super) fn tell_request(&mut self, number: usize, held: Option<Held>) {
        let asked = &self.asked[number];
        let what = What::Requested(asked.request.clone(), held);
        self.tell(asked.session, asked.actor.clone(), what, self.now);
    }

    pub(super) fn answer_in_terminal(&mut self, number: usize, yes: bool) {
        let Some(asked) = self.asked.get(number) else { return };
        let in_terminal = asked.request.prompt == Prompt::Beside || asked.helper != Helper::Waits;
        if asked.truth == Truth::Settled || !in_terminal || self.sessions[asked.session].ended {
            return;
        }
        self.settled_by_agent(number, yes);
        if !yes {
            self.kill_helper(number);
        }
    }

    /// The agent goes on, or gives up; its hook tells of it later.
    pub(super) fn settled_by_agent(&mut self, number: usize, goes_on: bool) {
        let now = self.now;
        let asked = &mut self.asked[number];
        asked.truth = Truth::Settled;
        if goes_on {
            let ended = What::ToolEnded(asked.call.clone(), Outcome::Done);
            let (session, actor) = (asked.session, asked.actor.clone());
            self.sessions[session].hooks.push_back((actor, ended, now));
        }
    }

    pub(super) fn kill_helper(&mut self, number: usize) {
        let Some(asked) = self.asked.get_mut(number) else { return };
        match asked.helper {
            Helper::Waits => {
                asked.helper = Helper::Killed;
                asked.told_settled = true;
                let id = asked.id.expect("it waits with a panel");
                let panel = self.panel.as_mut().expect("it waits with a panel");
                if panel.book.close(id) {
                    panel.send(News::HookEnded(id));
                }
            }
            Helper::Returns => asked.helper = Helper::Killed,
            Helper::Left | Helper::Killed => {}
        }
    }

    pub(super) fn write_file(&mut self, session: usize) {
        let asks = |asked: &&Asked| {
            asked.session == session && asked.truth == Truth::Asked && asked.request.prompt == Prompt::Beside
        };
        let status = if self.asked.iter().any(|asked| asks(&asked)) { Status::Waiting } else { Status::Busy };
        let file = &mut self.sessions[session].file;
        if file.status != status {
            *file = File { status, at: self.now };
        }
    }

    pub(super) fn read_file(&mut self, session: usize) {
        let File { status, at } = self.sessions[session].file;
        if !self.sessions[session].ended {
            self.report(session, status, at);
        }
    }

    pub(super) fn hook_tells(&mut self, session: usize) {
        if let Some((actor, what, at)) = self.sessions[session].hooks.pop_front() {
            self.tell(session, actor, what, at);
        }
    }

    pub(super) fn prompt(&mut self, session: usize) {
        if self.sessions[session].ended {
            return;
        }
        let now = self.now;
        for asked in self.asked.iter_mut().filter(|asked| asked.session == session) {
            if asked.actor == Actor::Main {
                asked.truth = Truth::Settled;
            }
        }
        self.sessions[session].hooks.push_back((Actor::Main, What::Prompted(None), now));
    }

    pub(super) fn end_session(&mut self, session: usize) {
        self.sessions[session].ended = true;
        let now = self.now;
        for asked in self.asked.iter_mut().filter(|asked| asked.session == session) {
            asked.truth = Truth::Settled;
        }
        self.sessions[session].hooks.push_back((Actor::Main, What::Ended(Ending::Gone), now));
    }
}
