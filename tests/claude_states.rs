// SPDX-License-Identifier: GPL-3.0-or-later
//! Recordings of Claude Code, played event by event, against the states written by hand (fixtures/README.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dasbo_core::agents::claude::Claude;
use dasbo_core::agents::{self, Agent};
use dasbo_core::event::{PermissionMode, SessionId, SessionKey, WaitKind};
use dasbo_core::moment::{Moment, WallClock};
use dasbo_core::process::{Ancestor, ProcessId};
use dasbo_core::registry::Registry;
use dasbo_core::session::{NoteKind, Session, State};
use dasbo_core::wire::{Form, Frame, Header, Mode, Payload, VERSION};
use serde_json::Value;

/// A program cuts a detail here; the files give it whole.
const CUT: char = '…';

#[test]
fn recordings_show_the_expected_states() {
    let scenarios = scenarios(&fixtures());
    assert!(scenarios.len() >= 40, "only {} scenarios", scenarios.len());
    let wrong: Vec<String> = scenarios.iter().flat_map(|scenario| play(scenario)).collect();
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Those that were made to see what the registry file says. Of each the file is played, too.
const OF_THE_REGISTRY_FILE: [&str; 9] = [
    "20-registry-api-error",
    "20-registry-clear-rename-exit",
    "20-registry-esc-during-bash",
    "20-registry-esc-during-stream",
    "20-registry-hook-allows-after-4s",
    "20-registry-p-mode",
    "20-registry-permission-yes",
    "20-registry-question",
    "20-registry-sigkill",
];

#[test]
fn the_registry_file_is_played_where_it_was_recorded_for_its_own_sake() {
    for version in ["2.1.220", "2.1.332"] {
        for scenario in OF_THE_REGISTRY_FILE {
            let states = fixtures().join(version).join(scenario).with_extension("states");
            let expected = lines(&states);
            assert!(expected.iter().any(|line| line.starts_with("registry")), "{}", states.display());
            assert_eq!(play(&states), Vec::<String>::new());
        }
    }
}

/// Where a recording says when its zero was, its files alone say it to a tenth of a second, and never later.
#[test]
fn files_tell_when_a_recording_was_made() {
    let mut compared = 0;
    for states in scenarios(&fixtures()) {
        let recording = recording(&states);
        let said = recording.iter().find_map(|step| step["zero"].as_f64());
        if let Some((said, found)) = said.zip(zero_of_files(&recording)) {
            assert!((said - 0.1..=said).contains(&found), "{}: {found}, not {said}", states.display());
            compared += 1;
        }
    }
    assert!(compared >= 75, "only {compared} recordings say both");
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude")
}

fn recording(states: &Path) -> Vec<Value> {
    lines(&states.with_extension("jsonl")).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
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
    let expected: Vec<String> = lines(states).into_iter().filter(|line| !line.starts_with('#')).collect();
    let with_files =
        expected.iter().any(|line| line.starts_with("registry") || line.starts_with("transcript"));
    let recording = recording(states);
    // The first line says when it was, whatever else it says.
    let zero = recording.iter().find_map(|step| step["zero"].as_f64()).or_else(|| zero_of_files(&recording));
    let steps: Vec<Value> = recording
        .into_iter()
        .filter(|step| kind(step).is_some_and(|kind| with_files || kind == Kind::Hook))
        .collect();
    assert_eq!(expected.len(), steps.len(), "{}: one line a step", states.display());
    let mut stage = Stage::new(&steps, zero.unwrap_or(ZERO));
    let mut wrong = Vec::new();
    for (number, (line, step)) in expected.iter().zip(&steps).enumerate() {
        let (name, right) = line.split_once(char::is_whitespace).unwrap();
        assert_eq!(name, step.get("event").and_then(Value::as_str).unwrap_or(name), "{}", states.display());
        let shown = stage.play(step, steps.get(number + 1));
        if !right.split('|').any(|right| agrees(right.trim(), &shown)) {
            let name = states.file_stem().unwrap().to_string_lossy();
            wrong.push(format!("{name} {}. {line}\n{:>30} {shown}", number + 1, "shown:"));
        }
    }
    wrong
}

/// When a recording's zero was, if it does not say: a file is seen after it was written, so its own time less `at` is never
/// late, and the latest of all is late by no more than the quickest look at a file was (seconds, Unix time).
fn zero_of_files(recording: &[Value]) -> Option<f64> {
    let zero = |step: &Value| {
        let file: Value = serde_json::from_str(&content(step, "registry")?).ok()?;
        let written = ["updatedAt", "startedAt"].iter().find_map(|key| file[*key].as_f64())?;
        Some(written / 1_000.0 - step["at"].as_f64()?)
    };
    recording.iter().filter_map(zero).reduce(f64::max)
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// What a line of a recording tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hook,
    Registry,
    Transcript,
}

fn kind(step: &Value) -> Option<Kind> {
    [("event", Kind::Hook), ("registry", Kind::Registry), ("transcript", Kind::Transcript)]
        .into_iter()
        .find_map(|(key, kind)| step.get(key).map(|_| kind))
}

/// Some things happened before the first event: their times are negative.
fn moment(step: &Value) -> Moment {
    Moment::default() + Duration::from_secs_f64(step["at"].as_f64().unwrap() + ZERO)
}

/// Seconds after boot at which recordings have their zero.
const ZERO: f64 = 1_000.0;

/// The registry, and what playing a recording needs beside it.
struct Stage {
    registry: Registry,
    sessions: Vec<String>,
    clock: WallClock,
    /// When each process started, as the registry file has it.
    starts: BTreeMap<u32, u64>,
    /// The session that each registry file named last.
    named: BTreeMap<String, String>,
    /// The files of processes that hooks name. The recorder saw every hook: another file was left by a process that is gone.
    of_hooks: BTreeSet<String>,
}

impl Stage {
    fn new(steps: &[Value], zero: f64) -> Self {
        let boot = Duration::from_secs_f64(zero - ZERO);
        let contents = steps.iter().filter_map(|step| content(step, "registry"));
        let start = |file: Value| {
            let pid = u32::try_from(file["pid"].as_u64()?).ok()?;
            Some((pid, file["procStart"].as_str()?.parse().ok()?))
        };
        Self {
            registry: Registry::default(),
            sessions: Vec::new(),
            clock: WallClock { boot: u64::try_from(boot.as_nanos()).unwrap() },
            starts: contents.filter_map(|text| start(serde_json::from_str(&text).ok()?)).collect(),
            named: BTreeMap::new(),
            of_hooks: steps
                .iter()
                .filter_map(|step| Some(format!("{}.json", step["env"]["CLAUDE_PID"].as_str()?)))
                .collect(),
        }
    }

    /// Plays a step, and says what is shown of its session then; of a file's, when the next step comes.
    fn play(&mut self, step: &Value, next: Option<&Value>) -> String {
        let at = moment(step);
        let (session, until) = match kind(step).unwrap() {
            Kind::Hook => (self.hook(step, at), at),
            Kind::Registry => (self.registry_file(step, at), until(next, at)),
            Kind::Transcript => (self.transcript(step, at), until(next, at)),
        };
        while self.registry.due().is_some_and(|due| due < until) {
            let due = self.registry.due().unwrap();
            self.registry.tick(due);
        }
        if !self.sessions.contains(&session) {
            self.sessions.push(session.clone());
        }
        describe(&self.registry, &self.sessions, &session)
    }

    fn hook(&mut self, step: &Value, at: Moment) -> String {
        let frame = self.frame(step, at);
        if let Some(event) = agents::event(&frame).unwrap() {
            self.registry.apply(&event, at);
        }
        step["payload"]["session_id"].as_str().unwrap().to_owned()
    }

    fn registry_file(&mut self, step: &Value, at: Moment) -> String {
        let name = step["registry"]["file"].as_str().unwrap();
        let path = Path::new("/home/user/.claude/sessions").join(name);
        if let Some(text) = content(step, "registry") {
            let file: Value = serde_json::from_str(&text).unwrap();
            self.named.insert(name.to_owned(), file["sessionId"].as_str().unwrap().to_owned());
            let event = Claude.session_file(&path, text.as_bytes(), self.clock);
            if let Some(event) = event.filter(|_| self.of_hooks.contains(name)) {
                self.registry.apply(&event, at);
            }
        }
        self.named[name].clone()
    }

    fn transcript(&mut self, step: &Value, at: Moment) -> String {
        let line = content(step, "transcript").unwrap();
        let parsed: Value = serde_json::from_str(&line).unwrap();
        let id = parsed["sessionId"].as_str().unwrap();
        let key = SessionKey { agent: Claude.id(), id: SessionId::new(id).unwrap() };
        for event in Claude.transcript(&key, &[line.into_bytes()], self.clock, at) {
            self.registry.apply(&event, at);
        }
        id.to_owned()
    }

    fn frame(&self, step: &Value, at: Moment) -> Frame {
        let hints: BTreeMap<String, String> = step["env"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(k, v)| (k.clone(), v.as_str().unwrap().into()))
            .collect();
        let pid: u32 = hints["CLAUDE_PID"].parse().unwrap();
        let bytes = step["payload"].to_string().into_bytes();
        let ancestor = |pid, comm: &str| Ancestor {
            id: ProcessId { pid, start: self.starts.get(&pid).copied().unwrap_or(90_000) },
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
}

/// When a file's line is looked at: as long after it as the recording gives.
fn until(next: Option<&Value>, at: Moment) -> Moment {
    next.map_or(at + Duration::from_secs(1), moment)
}

fn content(step: &Value, file: &str) -> Option<String> {
    step.get(file)?.get("content")?.as_str().map(str::to_owned)
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
        NoteKind::AnsweredElsewhere => "answered elsewhere".into(),
        NoteKind::AnsweredTooLate => "answered too late".into(),
        NoteKind::NoLongerAsked => "no longer asked".into(),
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
