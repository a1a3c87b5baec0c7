// SPDX-License-Identifier: GPL-3.0-or-later
//! Recordings of Claude Code, played event by event, against the states written by hand (fixtures/README.md).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dasbo_core::agents;
use dasbo_core::event::{PermissionMode, WaitKind};
use dasbo_core::moment::Moment;
use dasbo_core::process::{Ancestor, ProcessId};
use dasbo_core::registry::Registry;
use dasbo_core::session::{NoteKind, Session, State};
use dasbo_core::wire::{Form, Frame, Header, Mode, Payload, VERSION};
use serde_json::Value;

/// What may stand in a recording beside hook events and have a line of its own.
const FILES: [&str; 2] = ["registry", "transcript"];

/// Whether the state machine takes what stands in the agent's files. Until then only hook events are played.
const FILES_ARE_PLAYED: bool = false;

/// A program cuts a detail here; the files give it whole.
const CUT: char = '…';

#[test]
fn recordings_show_the_expected_states() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    let scenarios = scenarios(&folder);
    assert!(scenarios.len() >= 40, "only {} scenarios", scenarios.len());
    let wrong: Vec<String> = scenarios.iter().flat_map(|scenario| play(scenario)).collect();
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// One line for each that is to be played, in order and of its name: a slip of the hand would shift all that follow.
#[test]
fn every_line_of_the_states_has_its_line_in_the_recording() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude");
    for states in scenarios(&folder) {
        let expected = expected(&states);
        let with_files = tells_of_files(&expected);
        let recorded: Vec<String> = recording(&states)
            .iter()
            .filter_map(|step| {
                let event = step["event"].as_str();
                let file = FILES.into_iter().find(|file| with_files && step.get(file).is_some());
                event.or(file).map(str::to_owned)
            })
            .collect();
        let words = expected.iter().map(|line| line.split_whitespace().next().unwrap().to_owned());
        assert_eq!(words.collect::<Vec<_>>(), recorded, "{}", states.display());
    }
}

fn expected(states: &Path) -> Vec<String> {
    lines(states).into_iter().filter(|line| !line.starts_with('#')).collect()
}

fn recording(states: &Path) -> Vec<Value> {
    let recording = lines(&states.with_extension("jsonl"));
    recording.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tells_of_files(expected: &[String]) -> bool {
    expected.iter().any(|line| FILES.into_iter().any(|file| line.split_whitespace().next() == Some(file)))
}

fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries(folder)
        .flat_map(|version| entries(&version).collect::<Vec<_>>())
        .filter(|path| path.extension().is_some_and(|extension| extension == "states"))
        .collect();
    found.sort();
    found
}

/// Plays one recording; the lines that differ.
fn play(states: &Path) -> Vec<String> {
    let expected = expected(states);
    if tells_of_files(&expected) && !FILES_ARE_PLAYED {
        return Vec::new();
    }
    let events: Vec<Value> =
        recording(states).into_iter().filter(|step| step.get("event").is_some()).collect();
    assert_eq!(expected.len(), events.len(), "{}: one line an event", states.display());
    let mut registry = Registry::default();
    let mut sessions: Vec<String> = Vec::new();
    let mut wrong = Vec::new();
    for (number, (line, step)) in expected.iter().zip(&events).enumerate() {
        let (name, right) = line.split_once(char::is_whitespace).unwrap();
        assert_eq!(name, step["event"], "{}", states.display());
        let frame = frame(step);
        if let Some(event) = agents::event(&frame).unwrap() {
            registry.apply(&event, frame.header.at);
        }
        let id = step["payload"]["session_id"].as_str().unwrap().to_owned();
        if !sessions.contains(&id) {
            sessions.push(id.clone());
        }
        let shown = describe(&registry, &sessions, &id);
        if !agrees(right.trim(), &shown) {
            let name = states.file_stem().unwrap().to_string_lossy();
            wrong.push(format!("{name} {}. {line}\n{:>30} {shown}", number + 1, "shown:"));
        }
    }
    wrong
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

fn frame(step: &Value) -> Frame {
    let hints: BTreeMap<String, String> = step["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(k, v)| (k.clone(), v.as_str().unwrap().into()))
        .collect();
    let pid: u32 = hints["CLAUDE_PID"].parse().unwrap();
    let bytes = step["payload"].to_string().into_bytes();
    // Some things happened before the first event: their times are negative.
    let at = Moment::default() + Duration::from_secs_f64(step["at"].as_f64().unwrap() + 1_000.0);
    let ancestor = |pid, comm: &str| Ancestor {
        id: ProcessId { pid, start: 90_000 },
        comm: comm.into(),
        args: Vec::new(),
        tty: 34_816,
    };
    let header = Header {
        version: VERSION,
        agent: "claude".into(),
        mode: Mode::Notify,
        event: step["event"].as_str().unwrap().into(),
        at,
        helper: ProcessId { pid: 1, start: at.as_nanos() },
        again: false,
        chain: vec![ancestor(2, "sh"), ancestor(pid, "claude"), ancestor(3, "bash")],
        pidfds: Vec::new(),
        hints,
        terminal: BTreeMap::new(),
        form: Form::Json,
        length: bytes.len(),
    };
    Frame { header, payload: Payload::Json(bytes) }
}

/// What is shown of a session, in the words of the files; a detail stands between `\0`s.
fn describe(registry: &Registry, sessions: &[String], id: &str) -> String {
    let number = sessions.iter().position(|session| session == id).unwrap() + 1;
    let prefix = if number == 1 { String::new() } else { format!("@{number} ") };
    let Some(session) = registry.sessions().find(|session| session.key.id.as_str() == id) else {
        return format!("{prefix}absent");
    };
    let mut words = vec![state(session)];
    let awaiting = registry.awaits_successor(session.row).then(|| "awaiting".into());
    let compacting = session.compacting.then(|| "compacting".into());
    words.extend(awaiting.into_iter().chain(compacting));
    words.extend(session.waits.iter().map(|wait| {
        let kind = format!("{:?}", wait.kind).to_lowercase();
        // The files name no tool for a form: it is the server that asks.
        let call = wait.call.as_ref().filter(|_| wait.kind != WaitKind::Form);
        let tool = call.map(|call| format!(" {}", call.tool.name));
        format!("waiting {kind}{}", tool.unwrap_or_default())
    }));
    let count = |word: &str, n: usize| (n > 0).then(|| format!("{word} {n}"));
    words.extend(count("helpers", session.helpers.len()));
    words.extend(count("background", session.background));
    words.extend(session.task_count().map(|(done, all)| format!("tasks {done}/{all}")));
    words.extend(mode(session.mode).map(|mode| format!("mode {mode}")));
    words.extend(session.note.as_ref().map(|note| match &note.what {
        NoteKind::ToolFailed(tool) => format!("failed {tool}"),
        NoteKind::ToolDenied(..) => "denied".into(),
    }));
    format!("{prefix}{}", words.join(", "))
}

fn state(session: &Session) -> String {
    match &session.state {
        State::Idle => "idle".into(),
        State::Thinking => "thinking".into(),
        State::Tool(tool) if tool.detail.is_empty() => format!("tool {}", tool.name),
        State::Tool(tool) => format!("tool {}: {}", tool.name, tool.detail),
        State::Error(detail) => format!("error: {}", detail.as_deref().unwrap_or("API error")),
        State::Interrupted => "interrupted".into(),
    }
}

fn mode(mode: PermissionMode) -> Option<&'static str> {
    match mode {
        PermissionMode::Default => None,
        PermissionMode::Plan => Some("plan"),
        PermissionMode::AcceptEdits => Some("acceptEdits"),
        PermissionMode::BypassPermissions => Some("bypassPermissions"),
        PermissionMode::Auto => Some("auto"),
        PermissionMode::DontAsk => Some("dontAsk"),
    }
}

/// Equal, but that either side may give only the beginning of a detail.
fn agrees(expected: &str, shown: &str) -> bool {
    if let Some(expected) = expected.strip_suffix("gone").or(expected.strip_suffix("none")) {
        return shown.strip_suffix("absent") == Some(expected);
    }
    if expected == shown {
        return true;
    }
    let (one, other) = (expected.split_once(CUT), shown.split_once(CUT));
    match (one, other) {
        (Some((begin, rest)), None) => shown.starts_with(begin) && shown.ends_with(rest),
        (None, Some((begin, rest))) => expected.starts_with(begin) && expected.ends_with(rest),
        (Some((one, rest)), Some((other, shown_rest))) => {
            (one.starts_with(other) || other.starts_with(one)) && rest == shown_rest
        }
        (None, None) => false,
    }
}
