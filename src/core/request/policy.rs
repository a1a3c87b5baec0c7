// SPDX-License-Identifier: GPL-3.0-or-later
//! Which requests hooks wait with, and for how long.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Content, Prompt, Request};
use crate::event::{AgentId, WaitKind};
use crate::moment::Moment;

/// How long a request is held that nobody can answer in the terminal meanwhile, unless the person chose otherwise.
pub const HELD_BACK_FOR: Duration = Duration::from_secs(60);

/// The person's choices about what is answered here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Choices for one agent. For one that is not named everything is on.
    pub agents: BTreeMap<AgentId, Switches>,
    /// How long a request is held whose prompt in the terminal is held back. `None`: until it is answered.
    pub held_back: Option<Duration>,
    /// How long a request of a session is held at which nobody sits. `None`: not at all.
    pub unattended: Option<Duration>,
}

/// What is answered here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Approvals.
    pub approvals: bool,
    /// Questions, plans and forms.
    pub questions: bool,
}

/// Whether a hook waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// It does not.
    Not,
    /// At most until then.
    Until(Moment),
    /// Until the request is answered or over.
    UntilAnswered,
}

impl Default for Policy {
    fn default() -> Self {
        Self { agents: BTreeMap::new(), held_back: Some(HELD_BACK_FOR), unattended: None }
    }
}

impl Default for Switches {
    fn default() -> Self {
        Self { approvals: true, questions: true }
    }
}

impl Policy {
    /// Whether a hook of this agent waits with this request, which came now.
    pub fn hold(&self, agent: AgentId, request: &Request, now: Moment) -> Hold {
        if matches!(request.content, Content::Unclear(_)) || !self.answers(agent, request.kind()) {
            return Hold::Not;
        }
        match request.prompt {
            Prompt::Beside => Hold::UntilAnswered,
            Prompt::HeldBack => self.held_back.map_or(Hold::UntilAnswered, |time| Hold::Until(now + time)),
            Prompt::Nowhere => self.unattended.map_or(Hold::Not, |time| Hold::Until(now + time)),
        }
    }

    /// Whether requests of this kind are answered here.
    pub fn answers(&self, agent: AgentId, kind: WaitKind) -> bool {
        let switches = self.agents.get(&agent).copied().unwrap_or_default();
        match kind {
            WaitKind::Approval => switches.approvals,
            WaitKind::Question | WaitKind::Plan | WaitKind::Form => switches.questions,
            WaitKind::Input => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Asks;

    const CLAUDE: AgentId = AgentId("claude");

    fn request(prompt: Prompt, content: Content) -> Request {
        Request { asks: Asks::During(String::new()), content, prompt, input: Box::default() }
    }

    fn plan(prompt: Prompt) -> Request {
        request(prompt, Content::Plan(super::super::Plan { text: "1.".to_owned(), file: None }))
    }

    #[test]
    fn who_has_no_prompt_of_its_own_is_held_for_a_limited_time() {
        let now = Moment::from_nanos(5);
        let policy = Policy::default();
        assert_eq!(policy.hold(CLAUDE, &plan(Prompt::Beside), now), Hold::UntilAnswered);
        assert_eq!(
            policy.hold(CLAUDE, &plan(Prompt::HeldBack), now),
            Hold::Until(now + Duration::from_secs(60))
        );
        assert_eq!(policy.hold(CLAUDE, &plan(Prompt::Nowhere), now), Hold::Not);
        let patient = Policy { held_back: None, unattended: Some(Duration::from_secs(1)), ..policy };
        assert_eq!(patient.hold(CLAUDE, &plan(Prompt::HeldBack), now), Hold::UntilAnswered);
        assert_eq!(
            patient.hold(CLAUDE, &plan(Prompt::Nowhere), now),
            Hold::Until(now + Duration::from_secs(1))
        );
    }

    #[test]
    fn what_is_switched_off_or_unclear_is_not_held() {
        let off = Switches { approvals: true, questions: false };
        let policy = Policy { agents: BTreeMap::from([(CLAUDE, off)]), ..Policy::default() };
        assert_eq!(policy.hold(CLAUDE, &plan(Prompt::Beside), Moment::default()), Hold::Not);
        assert_eq!(
            policy.hold(AgentId("other"), &plan(Prompt::Beside), Moment::default()),
            Hold::UntilAnswered
        );
        let unclear = request(Prompt::Beside, Content::Unclear(WaitKind::Approval));
        assert_eq!(policy.hold(CLAUDE, &unclear, Moment::default()), Hold::Not);
    }
}
