// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code's own files: the registry file and the transcript, as they are and as they might be.

use std::fs;
use std::path::{Path, PathBuf};

use dasbo_core::agents::Agent;
use dasbo_core::agents::claude::Claude;
use dasbo_core::event::{About, Event, SessionId, SessionKey, Source, Status, Tokens, What};
use dasbo_core::moment::{Moment, WallClock};
use dasbo_core::process::ProcessId;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Unix time in milliseconds at which the machine of these tests began.
const BOOT: u64 = 1_796_000_000_000;

const CLOCK: WallClock = WallClock { boot: BOOT * 1_000_000 };

fn path() -> PathBuf {
    PathBuf::from("/home/user/.claude/sessions/8587.json")
}

/// The file that agents/claude's notes show, in what Dasbo reads of it.
fn file() -> Value {
    json!({
        "pid": 8587, "sessionId": "c4950a44", "cwd": "/home/user/my.project", "startedAt": BOOT + 1_000,
        "procStart": "234428", "kind": "interactive", "entrypoint": "cli", "name": "Reg  name",
        "nameSource": "user", "status": "waiting", "statusUpdatedAt": BOOT + 5_000, "waitingFor": "permission prompt",
    })
}

fn told(file: &Value) -> Option<Event> {
    Claude.session_file(&path(), file.to_string().as_bytes(), CLOCK)
}

fn with(changes: &Value) -> Value {
    let mut file = file();
    for (key, value) in changes.as_object().unwrap() {
        file[key] = value.clone();
    }
    file
}

#[test]
fn the_registry_file_says_who_and_what() {
    let event = told(&file()).unwrap();
    assert_eq!(event.session.id.as_str(), "c4950a44");
    assert_eq!(event.process.unwrap().id, ProcessId { pid: 8587, start: 234_428 });
    assert_eq!(event.at, Moment::from_nanos(5_000_000_000), "the time of the status, since boot");
    assert_eq!((event.source, &event.what), (Source::File, &What::Reported(Status::Waiting)));
    assert_eq!(event.about.title.as_deref(), Some("Reg name"));
    assert_eq!(event.about.attended, Some(true));
    let transcript = "/home/user/.claude/projects/-home-user-my-project/c4950a44.jsonl";
    assert_eq!(event.about.transcript.as_deref(), Some(transcript));
}

#[test]
fn every_status_that_is_known_is_one_and_others_say_nothing() {
    for (word, status) in [("idle", Status::Idle), ("busy", Status::Busy), ("shell", Status::Shell)] {
        assert_eq!(told(&with(&json!({"status": word}))).unwrap().what, What::Reported(status));
    }
    for none in [json!("new in 3.0"), json!(null), json!(1), json!({"idle": true})] {
        assert_eq!(told(&with(&json!({"status": none}))).unwrap().what, What::Seen, "{none}");
    }
}

#[test]
fn a_name_that_nobody_gave_is_no_title_and_a_print_run_is_unattended() {
    assert_eq!(told(&with(&json!({"nameSource": "derived"}))).unwrap().about.title, None);
    assert_eq!(told(&with(&json!({"entrypoint": "sdk-cli"}))).unwrap().about.attended, Some(false));
    assert_eq!(told(&with(&json!({"kind": "background"}))).unwrap().about.attended, Some(false));
}

#[test]
fn what_is_odd_or_half_written_says_nothing() {
    for broken in [
        json!({"pid": "8587"}),
        json!({"pid": -1}),
        json!({"pid": 8_589_934_592_u64}),
        json!({"procStart": 234_428}),
        json!({"procStart": "soon"}),
        json!({"sessionId": ""}),
        json!({"sessionId": ["c4950a44"]}),
    ] {
        assert_eq!(told(&with(&broken)), None, "{broken}");
    }
    let whole = file().to_string();
    for end in 0..whole.len() {
        assert_eq!(Claude.session_file(&path(), &whole.as_bytes()[..end], CLOCK), None, "cut at {end}");
    }
    // In the order of the keys that Dasbo reads.
    let list = json!([8587, "c4950a44", "/home/user", BOOT, "234428"]);
    assert_eq!(told(&list), None, "only an object is such a file");
    assert_eq!(told(&with(&json!({"sessionId": "s".repeat(5_000)}))), None, "what is too long is no id");
    let half = file().to_string().replace("Reg  name", "Reg \\ud83d");
    let half = Claude.session_file(&path(), half.as_bytes(), CLOCK).unwrap();
    assert_eq!(half.about.title.as_deref(), Some("Reg \u{fffd}"), "half a character hides nothing");
    let before_boot = told(&with(&json!({"statusUpdatedAt": 5}))).unwrap();
    assert_eq!(before_boot.at, Moment::default());
}

fn key() -> SessionKey {
    SessionKey { agent: Claude.id(), id: SessionId::new("s").unwrap() }
}

fn read(lines: &[Value]) -> Vec<Event> {
    let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_string().into_bytes()).collect();
    Claude.transcript(&key(), &lines, CLOCK, Moment::from_nanos(9))
}

/// A recorded transcript.
fn transcript(name: &str) -> Vec<Event> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude/2.1.332");
    let text = fs::read_to_string(folder.join(format!("{name}.transcript.jsonl"))).unwrap();
    let lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    Claude.transcript(&key(), &lines, CLOCK, Moment::from_nanos(9))
}

/// Read in the recordings: one Esc, at 21:35:38.976; the model's last words; what the last request took.
#[test]
fn a_recorded_interruption_is_told_once_at_its_own_time() {
    let events = transcript("esc-while-bash-runs");
    let [interrupted, seen] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(interrupted.what, What::Interrupted);
    // 2026-11-30T21:35:38.976Z
    assert_eq!(interrupted.at, CLOCK.moment(1_796_074_538_976));
    assert_eq!((seen.what.clone(), seen.at), (What::Seen, Moment::from_nanos(9)));
    assert_eq!(seen.about.prompt.as_deref(), Some("SCN:plain And now?"));
    assert_eq!(seen.about.answer.as_deref(), Some("All is well."));
    assert_eq!(seen.about.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(seen.about.branch, None, "HEAD is no branch");
}

/// After /rename the program itself writes a line of the person's: that is no prompt.
#[test]
fn a_recorded_title_is_told_and_what_the_program_says_is_no_prompt() {
    let events = transcript("clear-while-named");
    let [seen] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(seen.about.title.as_deref(), Some("Fix the parser"));
    assert_eq!(seen.about.prompt.as_deref(), Some("SCN:plain How are things?"));
}

#[test]
fn only_the_interruption_itself_is_one() {
    let text = "[Request interrupted by user]";
    let time = "2026-11-30T21:35:38.976Z";
    let user = |content: Value| json!({"type": "user", "timestamp": time, "message": {"role": "user", "content": content}});
    let item = json!([{"type": "text", "text": text}]);
    let interrupted = |line: Value| read(&[line]).iter().any(|event| event.what == What::Interrupted);
    assert!(interrupted(user(item.clone())));
    let mut sidechain = user(item.clone());
    sidechain["isSidechain"] = json!(true);
    let mut timeless = user(item.clone());
    timeless["timestamp"] = json!("yesterday");
    for other in [
        sidechain,
        timeless,
        user(json!(text)),
        user(json!([{"type": "tool_result", "content": text}])),
        user(json!([{"type": "text", "text": format!("{text} ")}])),
        json!({"type": "api-request-blob", "timestamp": time, "message": {"content": item}}),
        json!({"type": "assistant", "timestamp": time, "message": {"content": item}}),
    ] {
        assert!(!interrupted(other.clone()), "{other}");
    }
}

#[test]
fn tokens_are_those_of_the_last_answer_of_the_model_itself() {
    let answer = |model: &str, input: u64| {
        let usage = json!({"input_tokens": input, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 3, "output_tokens": 7});
        json!({"type": "assistant", "gitBranch": "main", "message": {"model": model, "content": [], "usage": usage}})
    };
    let events = read(&[answer("m", 100), answer("m", 200), answer("<synthetic>", 900)]);
    let expected = About {
        branch: Some("main".into()),
        model: Some("m".into()),
        tokens: Some(Tokens { context: 223, output: 7 }),
        ..About::default()
    };
    assert_eq!(events.iter().map(|event| &event.about).collect::<Vec<_>>(), [&expected]);
    let mut odd = answer("n", 100);
    odd["gitBranch"] = json!("b".repeat(5_000));
    for (usage, tokens) in [
        (json!([1, 2, 3, 4]), None),
        (json!({"input_tokens": "many", "output_tokens": 7}), Some(Tokens { context: 0, output: 7 })),
    ] {
        odd["message"]["usage"] = usage;
        let events = read(std::slice::from_ref(&odd));
        assert_eq!(events[0].about, About { model: Some("n".into()), tokens, ..About::default() });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Claude.session_file(&path(), &bytes, CLOCK);
        let _ = Claude.transcript(&key(), &[bytes], CLOCK, Moment::default());
    }
}
