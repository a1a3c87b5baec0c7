// SPDX-License-Identifier: GPL-3.0-or-later
//! The helper that asks: an answer of the panel comes out whole or not at all, and nothing else ever comes out.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use dasbo_core::process::{ProcessId, is_alive};
use dasbo_core::wire::{Payload, Reply};
use dasbo_test_support::agent::{FakeAgent, Hook, Outcome, Ticket};
use dasbo_test_support::helper;
use dasbo_test_support::home::Home;
use dasbo_test_support::panel::{Call, FakePanel, Manner};
use dasbo_test_support::wait::{LIMIT, eventually};
use rustix::process::{Pid, Signal, kill_process};

/// Long enough for a helper to end that should not.
const A_WHILE: Duration = Duration::from_millis(300);

const PAYLOAD: &str = "{\"tool_name\":\"Bash\"}";

/// An agent that asks, and a panel that was asked.
struct Scene {
    home: Home,
    panel: Option<FakePanel>,
    agent: FakeAgent,
    ticket: Ticket,
}

impl Scene {
    fn new(manner: Manner, redirection: &str) -> Self {
        let home = Home::new();
        let panel = Some(FakePanel::start(&home, manner));
        let mut agent = FakeAgent::start("claude", |program| home.command(program));
        let ticket = agent.begin(Hook {
            command: format!(
                "exec '{}' claude ask PermissionRequest {redirection}",
                helper::path().display()
            ),
            payload: PAYLOAD.into(),
            leave_stdin_open: true,
            ..Hook::default()
        });
        Self { home, panel, agent, ticket }
    }

    /// With what the panel says first.
    fn asked(acknowledgement: &Reply) -> (Self, Call) {
        let scene = Self::new(Manner::Hold, "");
        let mut call = scene.call();
        call.say(acknowledgement);
        (scene, call)
    }

    fn call(&self) -> Call {
        self.panel.as_ref().unwrap().next(LIMIT)
    }

    /// The panel is gone, as one that was killed.
    fn panel_dies(&mut self, call: Call) {
        self.panel = None;
        drop(call);
    }

    fn new_panel(&mut self) {
        self.panel = Some(FakePanel::start(&self.home, Manner::Hold));
    }

    fn outcome(&mut self) -> Outcome {
        self.agent.outcome(self.ticket, LIMIT).expect("the helper ends")
    }

    fn goes_on(&mut self) -> bool {
        !self.agent.has_ended(self.ticket, A_WHILE)
    }

    fn ends_silently(&mut self) {
        let outcome = self.outcome();
        assert!(outcome.printed(""), "{outcome:?}");
    }
}

fn helper_of(call: &Call) -> ProcessId {
    call.frame.header.helper
}

fn ends(helper: ProcessId) {
    eventually("the helper ends", LIMIT, || (!is_alive(Path::new("/proc"), helper, 0)).then_some(()));
}

/// It may have ended by itself.
fn terminate(helper: ProcessId) {
    let pid = Pid::from_raw(i32::try_from(helper.pid).unwrap()).unwrap();
    let _ = kill_process(pid, Signal::TERM);
}

#[test]
fn an_answer_comes_out_to_the_byte() {
    let large = "é\0{}\n".repeat(300_000);
    for answer in ["{\"decision\":\"é\"}", "", "answer 3\nabc", &large] {
        let (mut scene, mut call) = Scene::asked(&Reply::Leave);
        assert!(scene.goes_on());
        call.say(&Reply::Answer(answer.as_bytes().to_vec()));
        assert!(scene.outcome().printed(answer));
    }
}

#[test]
fn an_answer_in_pieces_comes_out_once_it_is_whole() {
    let (mut scene, mut call) = Scene::asked(&Reply::ComeBack);
    let bytes = Reply::Answer(b"{\"behavior\":\"allow\"}".to_vec()).to_bytes();
    let (most, last) = bytes.split_at(bytes.len() - 1);
    call.say_bytes(most);
    assert!(scene.goes_on());
    call.say_bytes(last);
    assert!(scene.outcome().printed("{\"behavior\":\"allow\"}"));
}

#[test]
fn only_the_first_answer_counts() {
    let (mut scene, mut call) = Scene::asked(&Reply::Leave);
    call.say_bytes(b"answer 1\nAanswer 1\nB");
    assert!(scene.outcome().printed("A"));
}

#[test]
fn half_an_answer_never_comes_out() {
    for acknowledgement in [&b""[..], b"leave\n", b"come back\nleave\n"] {
        let scene = &mut Scene::new(Manner::Hold, "");
        let mut call = scene.call();
        call.say_bytes(acknowledgement);
        call.say_bytes(b"answer 20\n{\"behavior\":\"allow");
        scene.panel_dies(call);
        scene.ends_silently();
    }
}

#[test]
fn half_an_answer_is_forgotten_when_the_panel_is_another() {
    let (mut scene, mut call) = Scene::asked(&Reply::ComeBack);
    call.say_bytes(b"answer 8\nhalf");
    scene.panel_dies(call);
    scene.new_panel();
    let mut call = scene.call();
    call.say(&Reply::Leave);
    call.say(&Reply::Answer(b"whole".to_vec()));
    assert!(scene.outcome().printed("whole"));
}

#[test]
fn a_panel_that_closes_at_once_is_left() {
    Scene::new(Manner::Close, "").ends_silently();
}

#[test]
fn a_panel_that_says_something_else_is_left() {
    for words in [
        "allow\n",
        "{\"behavior\":\"allow\"}\n",
        "answer x\n{}",
        "come back\nnow\n",
        "answer 99999999\n{}",
        "leave",
    ] {
        let mut scene = Scene::new(Manner::Hold, "");
        let mut call = scene.call();
        call.say_bytes(words.as_bytes());
        call.stop_speaking();
        scene.ends_silently();
    }
}

#[test]
fn a_panel_that_does_not_acknowledge_is_left() {
    let mut scene = Scene::new(Manner::Hold, "");
    let mut call = scene.call();
    let outcome = scene.outcome();
    assert!(outcome.printed(""), "{outcome:?}");
    assert!((1_900..5_000).contains(&outcome.millis), "{outcome:?}");
    call.say(&Reply::Answer(b"too late".to_vec()));
}

#[test]
fn a_panel_that_dies_after_leave_is_left() {
    let (mut scene, call) = Scene::asked(&Reply::Leave);
    assert!(scene.goes_on());
    scene.panel_dies(call);
    scene.ends_silently();
}

#[test]
fn the_last_word_holds() {
    let (mut scene, mut call) = Scene::asked(&Reply::ComeBack);
    call.say(&Reply::Leave);
    drop(call);
    scene.ends_silently();
    assert!(scene.panel.unwrap().is_quiet());
}

#[test]
fn it_comes_back_to_a_new_panel_marked_as_sent_again() {
    let (mut scene, first) = Scene::asked(&Reply::ComeBack);
    let before = first.frame.header.clone();
    assert!(!before.again);
    scene.panel_dies(first);
    assert!(scene.goes_on());

    scene.new_panel();
    let mut call = scene.call();
    let mut after = before.clone();
    after.again = true;
    assert_eq!(call.frame.header, after);
    assert_eq!(call.frame.payload, Payload::Json(PAYLOAD.into()));
    assert_eq!(call.pidfds.len(), before.pidfds.len());

    call.say(&Reply::ComeBack);
    scene.panel_dies(call);
    scene.new_panel();
    let mut call = scene.call();
    call.say(&Reply::Leave);
    call.say(&Reply::Answer(b"{}".to_vec()));
    assert!(scene.outcome().printed("{}"));
}

#[test]
fn without_a_word_of_the_new_panel_it_leaves() {
    let (mut scene, call) = Scene::asked(&Reply::ComeBack);
    scene.panel_dies(call);
    scene.new_panel();
    // One that dies just now may let it in and be gone; one that does so again and again means it.
    for _ in 0..3 {
        assert!(scene.call().frame.header.again);
    }
    scene.ends_silently();
    assert!(scene.panel.unwrap().is_quiet());
}

/// Its output goes to a file, so that nothing but the agent's end can tell it.
#[test]
fn it_ends_with_its_agent() {
    for panel_dies in [false, true] {
        let mut scene = Scene::new(Manner::Hold, "> out");
        let mut call = scene.call();
        call.say(&Reply::ComeBack);
        let helper = helper_of(&call);
        assert!(scene.goes_on());
        let call = if panel_dies {
            scene.panel_dies(call);
            assert!(scene.goes_on());
            None
        } else {
            Some(call)
        };
        scene.agent.kill();
        ends(helper);
        let printed = std::fs::read(scene.home.path().join("out")).unwrap();
        assert!(printed.is_empty());
        drop(call);
    }
}

#[test]
fn it_ends_when_nobody_reads_it() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut helper = home
        .command(helper::path())
        .args(["claude", "ask", "PermissionRequest"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut call = panel.next(LIMIT);
    call.say(&Reply::ComeBack);
    drop(helper.stdout.take());
    let status = eventually("the helper ends", LIMIT, || helper.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn terminated_it_ends_without_a_word() {
    for acknowledgement in [None, Some(Reply::Leave), Some(Reply::ComeBack)] {
        let mut scene = Scene::new(Manner::Hold, "");
        let mut call = scene.call();
        if let Some(reply) = &acknowledgement {
            call.say(reply);
        }
        terminate(helper_of(&call));
        let outcome = scene.outcome();
        assert_eq!((outcome.signal, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(15), "", ""));
    }
}

#[test]
fn terminated_while_it_answers_it_prints_all_or_nothing() {
    for _ in 0..20 {
        let (mut scene, mut call) = Scene::asked(&Reply::Leave);
        let helper = helper_of(&call);
        call.say(&Reply::Answer(b"{\"behavior\":\"allow\"}".to_vec()));
        terminate(helper);
        let outcome = scene.outcome();
        assert!(["", "{\"behavior\":\"allow\"}"].contains(&outcome.stdout.as_str()), "{outcome:?}");
        assert!(outcome.stderr.is_empty(), "{outcome:?}");
    }
}

#[test]
fn many_ask_at_once_and_each_gets_its_own_answer() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let mut agent = FakeAgent::start("claude", |program| home.command(program));
    let command = format!("exec '{}' claude ask PermissionRequest", helper::path().display());
    let ask =
        |number: usize| Hook { command: command.clone(), payload: format!("[{number}]"), ..Hook::default() };
    let tickets: Vec<Ticket> = (0..20).map(|number| agent.begin(ask(number))).collect();
    for call in &mut panel.take(tickets.len(), LIMIT) {
        let Payload::Json(asked) = call.frame.payload.clone() else {
            panic!("not JSON: {:?}", call.frame.payload);
        };
        call.say(&Reply::Answer(asked));
    }
    for (number, ticket) in tickets.into_iter().enumerate() {
        let outcome = agent.outcome(ticket, LIMIT).unwrap();
        assert!(outcome.printed(&format!("[{number}]")), "{outcome:?}");
    }
}
