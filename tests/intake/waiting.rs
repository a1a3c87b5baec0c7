// SPDX-License-Identifier: GPL-3.0-or-later
//! Helpers that wait for an answer: what orders make of them, and the last look before an answer goes out.

use std::collections::BTreeMap;
use std::time::Duration;

use dasbo::intake::{News, Order};
use dasbo_core::event::{Status, What};
use dasbo_core::registry::Sent;
use dasbo_core::request::{Held, Policy, Switches};
use dasbo_test_support::agent::{FakeAgent, Hook, Outcome, Ticket};
use dasbo_test_support::session_file;
use dasbo_test_support::wait::LIMIT;

use crate::frames::{agent, hook};
use crate::listener::Intake;

/// Long enough for a helper to end that should not.
const A_WHILE: Duration = Duration::from_millis(200);

/// All that was told so far.
const ALL: u64 = u64::MAX;

struct Scene {
    intake: Intake,
    agent: FakeAgent,
}

impl Scene {
    fn new() -> Self {
        let intake = Intake::new();
        let agent = agent(&intake);
        Self { intake, agent }
    }

    fn ask(&mut self, command: &str) -> Ticket {
        let payload = format!(
            r#"{{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#
        );
        let env = [("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")];
        let env: BTreeMap<_, _> = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        self.agent.begin(Hook { env, ..hook("ask", &payload) })
    }

    /// A request that is held.
    fn asked(&mut self, command: &str) -> (Ticket, Held) {
        let ticket = self.ask(command);
        (ticket, self.held().expect("it is held"))
    }

    fn held(&self) -> Option<Held> {
        match self.intake.event().what {
            What::Requested(_, held) => held,
            other => panic!("{other:?}"),
        }
    }

    fn answer(&self, held: Held, bytes: &str, seen: u64) {
        self.intake.desk.order(Order::Answer(held.id, bytes.into(), seen));
    }

    fn outcome(&mut self, ticket: Ticket) -> Outcome {
        self.agent.outcome(ticket, LIMIT).expect("the hook ends")
    }

    fn waits(&mut self, ticket: Ticket) -> bool {
        !self.agent.has_ended(ticket, A_WHILE)
    }

    fn file_says(&self, word: &str, status: Status) {
        session_file::write(&self.intake.home, self.agent.pid(), "s", word);
        assert_eq!(self.intake.event().what, What::Reported(status));
    }
}

#[test]
fn each_gets_its_own_answer_and_nobody_another() {
    let mut scene = Scene::new();
    let (one, held_one) = scene.asked("one");
    let (two, held_two) = scene.asked("two");
    assert!(held_one.id < held_two.id);
    let large = "é".repeat(2 << 20);
    scene.answer(held_two, &large, ALL);
    assert!(matches!(scene.intake.news(), News::Sent(id, Sent::Answered) if id == held_two.id));
    assert!(scene.outcome(two).printed(&large));
    assert!(scene.waits(one));
    // A second answer finds nobody.
    scene.answer(held_two, "again", ALL);
    assert!(matches!(scene.intake.news(), News::Sent(id, Sent::TooLate) if id == held_two.id));
    scene.answer(held_one, "{}", ALL);
    assert!(matches!(scene.intake.news(), News::Sent(id, Sent::Answered) if id == held_one.id));
    assert!(scene.outcome(one).printed("{}"));
}

#[test]
fn who_is_let_go_says_nothing() {
    let mut scene = Scene::new();
    let (ticket, held) = scene.asked("one");
    assert!(scene.waits(ticket));
    scene.intake.desk.order(Order::LetGo(held.id));
    assert!(scene.outcome(ticket).printed(""));
    scene.answer(held, "{}", ALL);
    assert!(matches!(scene.intake.news(), News::Sent(_, Sent::TooLate)));
}

#[test]
fn a_hook_that_ends_is_told_of() {
    let mut scene = Scene::new();
    let (_, held) = scene.asked("one");
    scene.agent.kill();
    let mut news = [scene.intake.news(), scene.intake.news()];
    news.sort_by_key(|news| matches!(news, News::HookEnded(_)));
    assert!(matches!(news[0], News::ProcessEnded(_)), "{news:?}");
    assert!(matches!(news[1], News::HookEnded(id) if id == held.id), "{news:?}");
}

#[test]
fn an_answer_given_without_knowing_the_last_news_is_given_back() {
    let mut scene = Scene::new();
    let (ticket, held) = scene.asked("one");
    let seen = scene.intake.seen();
    let tell = r#"{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"x"}}"#;
    assert!(scene.agent.run(hook("notify", tell), LIMIT).printed(""));
    scene.intake.event();
    scene.answer(held, "{}", seen);
    assert!(matches!(scene.intake.news(), News::NotYet(id) if id == held.id));
    assert!(scene.waits(ticket));
    scene.answer(held, "{}", scene.intake.seen());
    assert!(scene.outcome(ticket).printed("{}"));
}

#[test]
fn what_the_file_says_was_answered_in_the_terminal_is_not_answered_here() {
    let mut scene = Scene::new();
    session_file::write(&scene.intake.home, scene.agent.pid(), "s", "busy");
    assert_eq!(scene.intake.event().what, What::Reported(Status::Busy));
    let (ticket, held) = scene.asked("one");
    // The file lags: busy is from before.
    scene.file_says("busy", Status::Busy);
    scene.file_says("waiting", Status::Waiting);
    assert!(scene.waits(ticket));
    // Nobody had the time to read this.
    session_file::write(&scene.intake.home, scene.agent.pid(), "s", "busy");
    scene.answer(held, "{}", ALL);
    let outcome = scene.outcome(ticket);
    assert!(outcome.printed(""), "{outcome:?}");
}

#[test]
fn what_is_switched_off_is_left_to_the_terminal_at_once() {
    let mut scene = Scene::new();
    let off = Switches { approvals: false, questions: true };
    let agents = BTreeMap::from([(dasbo_core::agents::claude::ID, off)]);
    scene.intake.desk.order(Order::Follow(Policy { agents, ..Policy::default() }));
    let ticket = scene.ask("one");
    assert_eq!(scene.held(), None);
    assert!(scene.outcome(ticket).printed(""));
}

#[test]
fn three_hundred_wait_at_once() {
    let mut scene = Scene::new();
    let tickets: Vec<Ticket> = (0..300).map(|number| scene.ask(&number.to_string())).collect();
    let held: Vec<Held> = tickets.iter().map(|_| scene.held().expect("it is held")).collect();
    for held in &held {
        scene.answer(*held, &held.id.to_string(), ALL);
    }
    let mut printed: Vec<String> = tickets.into_iter().map(|ticket| scene.outcome(ticket).stdout).collect();
    printed.sort_unstable();
    let mut ids: Vec<String> = held.iter().map(|held| held.id.to_string()).collect();
    ids.sort_unstable();
    assert_eq!(printed, ids);
}
