// SPDX-License-Identifier: GPL-3.0-or-later
//! The ends of agents.

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use dasbo_core::process::ProcessId;
use dasbo_core::wire::Header;
use dasbo_test_support::agent::Hook;
use dasbo_test_support::client::{Client, frame, good_frame, header, process};
use dasbo_test_support::wait::LIMIT;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use crate::frames::{agent, hook};
use crate::listener::{Intake, IntakeProcess};

/// Far below the minute after which processes are looked for.
const AT_ONCE: Duration = Duration::from_secs(2);

const PROMPT: &str = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"go"}"#;

/// A process that lives until the test ends it.
struct Agent(Child);

impl Agent {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn id(&self) -> ProcessId {
        process(self.0.id())
    }

    fn pidfd(&self) -> OwnedFd {
        pidfd_open(Pid::from_child(&self.0), PidfdFlags::empty()).unwrap()
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.kill();
    }
}

fn with_pidfds(of: ProcessId) -> Header {
    Header { pidfds: vec![of.pid], ..header(of, "UserPromptSubmit", PROMPT.as_bytes()) }
}

fn send(socket: &Path, header: &Header, pidfds: &[OwnedFd]) -> Client {
    let mut client = Client::connect(socket);
    let pidfds: Vec<_> = pidfds.iter().map(AsFd::as_fd).collect();
    client.send_with(&frame(header, PROMPT.as_bytes()), &pidfds);
    client
}

#[test]
fn a_killed_agent_is_told_at_once_and_once() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    for session in ["one", "two"] {
        agent.run(hook("notify", &PROMPT.replace("\"s\"", &format!("\"{session}\""))), LIMIT);
        assert_eq!(intake.event().session.id.as_str(), session);
    }
    let id = process(agent.pid());
    assert!(intake.news_within(Duration::from_millis(100)).is_none(), "it lives");
    agent.kill();
    let ended = intake.news_within(AT_ONCE).expect("its end");
    assert!(matches!(ended, dasbo::intake::News::ProcessEnded(process) if process == id), "{ended:?}");
    intake.hears_nothing_but("after");
}

#[test]
fn a_process_is_watched_whether_its_pidfd_rode_along_or_not() {
    let intake = Intake::new();
    let (mut with, mut without, mut lost) = (Agent::start(), Agent::start(), Agent::start());
    send(&intake.socket, &with_pidfds(with.id()), &[with.pidfd()]);
    send(&intake.socket, &header(without.id(), "UserPromptSubmit", PROMPT.as_bytes()), &[]);
    // Two are announced and one came: which one, nobody knows.
    let announced = Header { pidfds: vec![with.id().pid, lost.id().pid], ..with_pidfds(lost.id()) };
    send(&intake.socket, &announced, &[with.pidfd()]);
    let heard: Vec<_> = (0..3).map(|_| intake.event().process.unwrap().id).collect();
    for agent in [&mut without, &mut lost, &mut with] {
        let id = agent.id();
        assert!(heard.contains(&id));
        agent.kill();
        let ended = intake.news_within(AT_ONCE).expect("its end");
        assert!(matches!(ended, dasbo::intake::News::ProcessEnded(process) if process == id), "{ended:?}");
    }
}

#[test]
fn what_a_dead_process_said_is_not_told() {
    let intake = Intake::new();
    let mut dead = Agent::start();
    let (id, pidfd) = (dead.id(), dead.pidfd());
    dead.kill();
    send(&intake.socket, &with_pidfds(id), &[pidfd.try_clone().unwrap()]);
    send(&intake.socket, &header(id, "UserPromptSubmit", PROMPT.as_bytes()), &[]);

    // It has ended, but nobody asked for its status yet.
    let mut zombie = Agent::start();
    let id = zombie.id();
    zombie.0.kill().unwrap();
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(Pid::from_child(&zombie.0)), ended).unwrap();
    send(&intake.socket, &header(id, "UserPromptSubmit", PROMPT.as_bytes()), &[]);
    send(&intake.socket, &with_pidfds(id), &[zombie.pidfd()]);

    // Its pid came round again: another process has it now.
    let alive = Agent::start();
    let earlier = ProcessId { start: alive.id().start - 1, ..alive.id() };
    send(&intake.socket, &header(earlier, "UserPromptSubmit", PROMPT.as_bytes()), &[]);
    intake.hears_nothing_but("after");
}

#[test]
fn an_end_costs_nothing_afterwards() {
    let intake = IntakeProcess::new();
    let mut agent = Agent::start();
    let id = agent.id();
    // This process keeps the very descriptor that it sends, as a helper does that waits for an answer.
    let pidfds = [agent.pidfd()];
    send(&intake.socket, &with_pidfds(id), &pidfds);
    assert_eq!(intake.news(), "s");
    agent.kill();
    assert_eq!(intake.news(), format!("ended {}", id.pid));
    let before = intake.cpu_time();
    assert!(intake.is_quiet_for(Duration::from_millis(500)));
    let spent = intake.cpu_time().checked_sub(before).unwrap();
    assert!(spent < Duration::from_millis(200), "{spent:?}");
    drop(pidfds);
}

#[test]
fn an_agent_that_sends_again_after_its_end_is_another() {
    let intake = Intake::new();
    let mut first = Agent::start();
    Client::connect(&intake.socket).send(&good_frame(first.id(), "first"));
    intake.event();
    let id = first.id();
    first.kill();
    assert_eq!(intake.ended(), id);
    let second = Agent::start();
    Client::connect(&intake.socket).send(&good_frame(second.id(), "second"));
    assert_eq!(intake.event().process.unwrap().id, second.id());
}

#[test]
fn a_hook_that_outlives_its_agent_brings_nothing_back() {
    let intake = Intake::new();
    let mut agent = agent(&intake);
    let id = process(agent.pid());
    agent.run(hook("notify", PROMPT), LIMIT);
    intake.event();
    // It still waits for its payload when its agent ends.
    let ticket =
        agent.begin(Hook { payload: PROMPT[..20].into(), leave_stdin_open: true, ..hook("notify", PROMPT) });
    agent.has_ended(ticket, Duration::from_millis(100));
    agent.kill();
    assert_eq!(intake.ended(), id);
    intake.hears_nothing_but("after");
}
