// SPDX-License-Identifier: GPL-3.0-or-later
//! Bad input: a log line at most, the listener goes on, memory stays bounded.

use std::os::fd::AsFd;
use std::time::Duration;

use crate::listener::IntakeProcess;
use dasbo_core::wire::{Form, Header, MAX_HEADER, MAX_PAYLOAD, VERSION};
use dasbo_test_support::client::{Client, frame, header, process};
use dasbo_test_support::wait::LIMIT;

/// What may stay in memory of all bad input together: two of the largest payloads, and what the allocator keeps.
const MEMORY: usize = 128 << 20;

/// A client that never ends its frame is let go after 5 s.
const PATIENCE: Duration = Duration::from_secs(5);

const STOP: &[u8] = br#"{"hook_event_name":"Stop","session_id":"bad"}"#;

/// A frame as this process would send it, but for what `change` makes of its header.
fn changed(payload: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let mut header = header(process(std::process::id()), "Stop", payload);
    change(&mut header);
    frame(&header, payload)
}

fn with_payload(payload: &[u8]) -> Vec<u8> {
    changed(payload, |_| {})
}

fn raw(payload: &[u8]) -> Vec<u8> {
    changed(payload, |header| header.form = Form::Raw)
}

/// What it is, and its bytes. None of them tells of an event.
type Bad = (&'static str, Vec<u8>);

fn bad_frames() -> Vec<Bad> {
    let own = process(std::process::id());
    let alone = frame(&header(own, "Stop", STOP), b"");
    let whole = with_payload(STOP);
    let mode = format!(r#""mode":"{}""#, r"line\n".repeat(5_000));
    let strange = String::from_utf8(whole.clone()).unwrap().replace(r#""mode":"notify""#, &mode);
    vec![
        ("nothing", Vec::new()),
        ("an empty line", b"\n".to_vec()),
        ("an empty object", b"{}\n".to_vec()),
        ("half a header", alone[..90].to_vec()),
        ("a header without its end", alone[..alone.len() - 1].to_vec()),
        ("a header without its payload", alone),
        ("half a payload", whole[..whole.len() - 9].to_vec()),
        ("trailing bytes", [whole, b"{}".to_vec()].concat()),
        ("an endless header", vec![b'{'; MAX_HEADER + 1]),
        ("a strange mode of many lines", strange.into_bytes()),
        ("a newer protocol", changed(STOP, |header| header.version = VERSION + 1)),
        ("no protocol", changed(STOP, |header| header.version = 0)),
        ("too large", changed(b"", |header| header.length = MAX_PAYLOAD + 1)),
        ("enormous", changed(b"", |header| header.length = usize::MAX)),
        ("left out", changed(b"", |header| (header.form, header.length) = (Form::Omitted, 64 << 20))),
        ("left out, yet sent", changed(STOP, |header| header.form = Form::Omitted)),
        ("an unknown agent", changed(STOP, |header| header.agent = "nobody".into())),
        ("an agent of a long name", changed(STOP, |header| header.agent = "n".repeat(30_000))),
        ("noise", noise()),
    ]
}

fn bad_payloads() -> Vec<Bad> {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let begin = r#"{"hook_event_name":"PreToolUse","session_id":"bad","tool_name":"Bash","tool_input":"#;
    let cut: &[u8] = br#"{"hook_event_name":"Stop","session_id":"ba"#;
    let latin1: &[u8] = b"{\"hook_event_name\":\"Stop\",\"session_id\":\"b\xe4d\"}";
    vec![
        ("truncated JSON", with_payload(cut)),
        ("truncated JSON, marked so", raw(cut)),
        ("not UTF-8", with_payload(latin1)),
        ("not UTF-8, marked so", raw(latin1)),
        ("no JSON", with_payload(b"plain text")),
        ("no payload at all", with_payload(b"")),
        ("another JSON value", with_payload(b"[]")),
        ("a list that looks like fields", with_payload(br#"["bad","Stop"]"#)),
        ("deep", with_payload(deep(10_000).as_bytes())),
        ("a deep input", with_payload(format!("{begin}{}}}", deep(10_000)).as_bytes())),
        ("16 MiB deep", with_payload(deep(MAX_PAYLOAD / 2).as_bytes())),
        ("no session", with_payload(br#"{"hook_event_name":"Stop"}"#)),
        ("an empty session", with_payload(br#"{"hook_event_name":"Stop","session_id":""}"#)),
        ("a session that is no text", with_payload(br#"{"hook_event_name":"Stop","session_id":["bad"]}"#)),
        ("an unknown event", with_payload(br#"{"hook_event_name":"Nothing","session_id":"bad"}"#)),
    ]
}

/// Always the same (a linear congruential generator's highest bytes).
fn noise() -> Vec<u8> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(1), next).map(|state| state.to_be_bytes()[0]).take(100_000).collect()
}

#[test]
fn bad_input_costs_a_log_line_and_nothing_else() {
    let mut intake = IntakeProcess::new();
    intake.hears("before");
    let memory = intake.memory();
    let bad = [bad_frames(), bad_payloads()].concat();
    for (number, (what, bytes)) in bad.iter().enumerate() {
        let mut client = Client::connect(&intake.socket);
        client.send(bytes).finish();
        assert!(client.is_closed(LIMIT), "{what}");
        assert_eq!(intake.hears(&format!("after {number}")), [""; 0], "{what}");
    }
    let more = intake.memory().saturating_sub(memory);
    assert!(more < MEMORY, "{more} bytes more");
    let log = intake.log_to_its_end();
    assert!(log.len() <= bad.len(), "{log:#?}");
    assert!(log.iter().all(|line| line.len() < 1_000), "{log:#?}");
}

#[test]
fn endless_input_is_cut_off() {
    let mut intake = IntakeProcess::new();
    intake.hears("before");
    let memory = intake.memory();
    let piece = vec![b'['; 1 << 20];
    for (what, header) in [
        ("endless JSON for a header", Vec::new()),
        ("64 MiB announced", changed(b"", |header| header.length = 64 << 20)),
        ("64 MiB where 16 MiB were announced", changed(b"", |header| header.length = MAX_PAYLOAD)),
        ("64 MiB where none were announced", changed(b"", |header| header.form = Form::Raw)),
    ] {
        let mut client = Client::connect(&intake.socket);
        client.send(&header);
        for _ in 0..64 {
            client.send(&piece);
        }
        assert!(client.is_closed(LIMIT), "{what}");
        assert_eq!(intake.hears(what), [""; 0], "{what}");
    }
    let more = intake.memory().saturating_sub(memory);
    assert!(more < MEMORY, "{more} bytes more");
    let log = intake.log_to_its_end();
    assert!(log.len() <= 4, "{log:#?}");
}

#[test]
fn the_largest_payload_is_an_event_like_another() {
    let mut intake = IntakeProcess::new();
    intake.hears("before");
    let memory = intake.memory();
    for session in ["one", "two", "three"] {
        let rest =
            format!(r#"{{"hook_event_name":"Stop","session_id":"{session}","last_assistant_message":""}}"#);
        let text = "x".repeat(MAX_PAYLOAD - rest.len());
        let payload = rest.replace(r#"e":"""#, &format!(r#"e":"{text}""#)).into_bytes();
        assert_eq!(payload.len(), MAX_PAYLOAD);
        Client::connect(&intake.socket).send(&with_payload(&payload));
        assert_eq!(intake.news(), session);
    }
    let more = intake.memory().saturating_sub(memory);
    assert!(more < MEMORY, "{more} bytes more");
    assert_eq!(intake.log_to_its_end(), [""; 0]);
}

/// A payload must not grow when it is read, wherever its many values stand.
#[test]
fn millions_of_small_values_take_no_more_than_their_bytes() {
    let intake = IntakeProcess::new();
    intake.hears("before");
    let memory = intake.memory();
    let mut number = 0;
    for item in [r#"{"a":1},"#, r#"{"tool_name":"x"},"#] {
        for (event, key) in [
            ("PreToolUse", "tool_input"),
            ("PostToolUse", "tool_input\":{\"todos\":[0]},\"cwd"),
            ("PostToolBatch", "tool_calls"),
            ("Stop", "background_tasks"),
            ("Stop", "new in 3.0"),
        ] {
            number += 1;
            let begin = format!(
                r#"{{"hook_event_name":"{event}","session_id":"{number}","tool_name":"TodoWrite","{key}":["#
            );
            let items = item.repeat((4 << 20) / item.len());
            Client::connect(&intake.socket).send(&with_payload(format!("{begin}{items}1]}}").as_bytes()));
            assert_eq!(intake.news(), number.to_string(), "{event} with {item} in {key}");
        }
    }
    let more = intake.most_memory().saturating_sub(memory);
    assert!(more < 64 << 20, "{more} bytes more for 4 MiB");
}

#[test]
fn more_descriptors_than_allowed_do_no_harm() {
    let mut intake = IntakeProcess::with_open_files(64);
    let file = std::fs::File::open("/dev/null").unwrap();
    let many = |count| vec![file.as_fd(); count];
    let own = process(std::process::id());
    let stop = |number: usize| format!(r#"{{"hook_event_name":"Stop","session_id":"many {number}"}}"#);

    // More than a frame may have, though the frame is good: none of them is known for what it is.
    let payload = stop(0);
    let header = Header { pidfds: vec![own.pid; 20], ..header(own, "Stop", payload.as_bytes()) };
    let mut client = Client::connect(&intake.socket);
    client.send_with(&frame(&header, payload.as_bytes()), &many(20));
    assert!(client.is_closed(LIMIT));
    intake.hears("after one");

    // A few with each byte, so that its open files would run out.
    let bytes = with_payload(stop(1).as_bytes());
    let mut client = Client::connect(&intake.socket);
    for byte in &bytes[..40] {
        client.send_with(&[*byte], &many(8));
    }
    assert!(client.is_closed(PATIENCE / 2), "it is not heard to its end");
    intake.hears("after many");
    let log = intake.log_to_its_end();
    assert!(log.len() <= 2, "{log:#?}");
}
