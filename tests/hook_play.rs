// SPDX-License-Identifier: GPL-3.0-or-later
//! Recordings, played through the real helper.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use dasbo_core::process::{ProcessId, is_alive};
use dasbo_core::wire::{Mode, Payload};
use dasbo_test_support::agent::sibling;
use dasbo_test_support::helper;
use dasbo_test_support::home::Home;
use dasbo_test_support::panel::{Call, FakePanel, Manner};
use dasbo_test_support::player::{Pace, Player, Role};
use dasbo_test_support::recording::Recording;
use dasbo_test_support::wait::{LIMIT, eventually};

const RECORDING: &str = r#"{"at":0.0,"event":"SessionStart","payload":{"session_id":"aaaa-0001","cwd":"/home/user/project"},"env":{"CLAUDE_PID":"7","CLAUDE_PROJECT_DIR":"/home/user/project"}}
{"at":0.1,"person":{"do":"type","x":"go"}}
{"at":0.1,"event":"MessageDisplay","payload":{"session_id":"aaaa-0001"},"env":{"CLAUDE_PID":"7"}}
{"at":0.2,"event":"PermissionRequest","payload":{"session_id":"aaaa-0001","cwd":"/home/user/project"},"env":{"CLAUDE_PID":"7"}}
{"at":0.3,"event":"Stop","payload":{"session_id":"aaaa-0001","cwd":"/home/user/project"},"env":{"CLAUDE_PID":"7"}}
"#;

fn told(call: &Call) -> (Mode, &str) {
    (call.frame.header.mode, &call.frame.header.event)
}

fn agent(call: &Call) -> Option<ProcessId> {
    let mut chain = call.frame.header.chain.iter();
    chain.find(|one| one.comm == "claude").map(|one| one.id)
}

fn payload(call: &Call) -> serde_json::Value {
    let Payload::Json(bytes) = &call.frame.payload else {
        panic!("not JSON: {:?}", call.frame.payload);
    };
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn a_player_runs_the_hooks_of_its_own_agent() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Hold);
    let recording = Recording::parse(RECORDING).unwrap();
    let mut player =
        Player::new(&helper::path(), &recording, &Role::default(), |program| home.command(program));
    player.play(Pace::Times(0.1));
    let calls = panel.take(3, LIMIT);
    assert_eq!(
        calls.iter().map(told).collect::<Vec<_>>(),
        [(Mode::Notify, "SessionStart"), (Mode::Ask, "PermissionRequest"), (Mode::Notify, "Stop"),]
    );
    for call in &calls {
        let header = &call.frame.header;
        assert_eq!(header.hints["CLAUDE_PID"], player.pid().to_string());
        assert_eq!(agent(call).map(|agent| agent.pid), Some(player.pid()));
        assert_eq!(payload(call)["session_id"], "aaaa-0001");
    }
    drop(calls);
    let asked = player.asked()[0];
    assert!(player.agent().outcome(asked, LIMIT).unwrap().printed(""));
    assert!(panel.is_quiet());
}

#[test]
fn a_scene_stands_until_it_is_closed() {
    let home = Home::new();
    let panel = FakePanel::start(&home, Manner::Close);
    std::fs::write(home.path().join("one.jsonl"), RECORDING).unwrap();
    std::fs::write(home.path().join("scene"), "one.jsonl until 1 project=shop\none.jsonl\n").unwrap();
    let mut play = home
        .command(sibling("dasbo-play"))
        .arg("--hook")
        .args([helper::path(), home.path().join("scene")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut stdout = BufReader::new(play.stdout.take().unwrap());
    stdout.read_line(&mut said).unwrap();
    assert_eq!(said, "played\n");

    let calls = panel.take(4, LIMIT);
    assert_eq!(
        calls.iter().map(|call| told(call).1).collect::<Vec<_>>(),
        ["SessionStart", "SessionStart", "PermissionRequest", "Stop"]
    );
    assert_eq!(payload(&calls[0])["cwd"], "/home/user/shop");
    assert_eq!(payload(&calls[1])["cwd"], "/home/user/project");
    assert_ne!(payload(&calls[0])["session_id"], payload(&calls[1])["session_id"]);
    let agents = || calls.iter().map(|call| agent(call).unwrap());
    let alive = |agent| is_alive("/proc".as_ref(), agent, 0);
    assert!(agents().all(alive), "{:?}", calls[0].frame.header.chain);

    drop(play.stdin.take());
    let status = eventually("the play ends", LIMIT, || play.try_wait().unwrap());
    assert!(status.success());
    eventually("its agents end", LIMIT, || (!agents().any(alive)).then_some(()));
}
