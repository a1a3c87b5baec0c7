// SPDX-License-Identifier: GPL-3.0-or-later
//! Recordings of what agents sent to hooks, a step a line: fixtures/AGENT/VERSION/SCENARIO.jsonl.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// What one agent did, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The steps.
    pub steps: Vec<Step>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Line")]
pub struct Step {
    /// Seconds after the recording's zero, where it was noted.
    pub at: Option<f64>,
    /// What happened.
    pub what: What,
}

/// What a step tells.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A hook ran.
    Hook(RecordedHook),
    /// A person did something in the terminal.
    Person(Person),
    /// The agent's registry file changed.
    Registry(Registry),
    /// The agent's transcript grew by the record of an interruption.
    Transcript(Transcript),
}

/// A hook that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedHook {
    /// The event's name.
    pub event: String,
    /// Its standard input.
    pub payload: Value,
    /// Some of its variables.
    pub env: BTreeMap<String, String>,
    /// Its own process and the ones above, where they were noted.
    pub ancestors: Vec<RecordedProcess>,
    /// What the recording hook did, where it did something.
    pub printed: Option<Printed>,
}

/// A process as it was noted; of the first one, little was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RecordedProcess {
    /// Its pid.
    pub pid: u32,
    /// Its parent's pid.
    pub ppid: u32,
    /// Its command name.
    pub comm: String,
    /// Its arguments, with spaces between.
    pub cmdline: String,
    /// Its controlling terminal's device number; 0 for none.
    pub tty_nr: i32,
}

/// What a hook did.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Printed {
    /// Its exit status.
    pub exit: Option<i32>,
    /// What it printed: JSON, or a text.
    pub stdout: Value,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Person {
    /// In a word.
    #[serde(rename = "do")]
    pub act: String,
    /// With what.
    #[serde(default)]
    pub x: Value,
}

/// A change of the registry file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Registry {
    /// The file's name.
    pub file: String,
    /// What is in it now; nothing when it was removed.
    pub content: Option<String>,
}

/// A record of an interruption.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Transcript {
    /// The name of the file that it was appended to.
    pub file: String,
    /// The line, without its end.
    pub content: String,
}

/// A line as it stands.
#[derive(Deserialize)]
struct Line {
    at: Option<f64>,
    event: Option<String>,
    payload: Option<Value>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    ancestors: Vec<RecordedProcess>,
    hook_printed: Option<Printed>,
    person: Option<Person>,
    registry: Option<Registry>,
    transcript: Option<Transcript>,
}

impl TryFrom<Line> for Step {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let hook = line.event.zip(line.payload).map(|(event, payload)| {
            What::Hook(RecordedHook {
                event,
                payload,
                env: line.env,
                ancestors: line.ancestors,
                printed: line.hook_printed,
            })
        });
        let kinds = [
            hook,
            line.person.map(What::Person),
            line.registry.map(What::Registry),
            line.transcript.map(What::Transcript),
        ];
        let mut kinds = kinds.into_iter().flatten();
        let (Some(what), None) = (kinds.next(), kinds.next()) else {
            return Err("neither a hook, nor a person, nor one of the agent's files");
        };
        Ok(Self { at: line.at, what })
    }
}

/// Why a file is not a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A line is not a step.
    #[error("line {0}: {1}")]
    Line(usize, serde_json::Error),
}

impl Recording {
    /// Reads the recording in `file`.
    pub fn read(file: &Path) -> Result<Self, RecordingError> {
        Self::parse(&std::fs::read_to_string(file)?)
    }

    /// Reads a recording.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let steps = text.lines().enumerate().map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| RecordingError::Line(number + 1, error))
        });
        Ok(Self { steps: steps.collect::<Result<_, _>>()? })
    }

    /// Its hooks, with their times.
    pub fn hooks(&self) -> impl Iterator<Item = (Option<f64>, &RecordedHook)> {
        self.steps.iter().filter_map(|step| match &step.what {
            What::Hook(hook) => Some((step.at, hook)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_the_kinds_of_steps() {
        let text = concat!(
            r#"{"at":null,"person":{"do":"type","x":"go"}}"#,
            "\n",
            r#"{"at":0.5,"event":"Stop","payload":{"cwd":"/p"},"env":{"CLAUDE_PID":"7"},"ancestors":[{"pid":9,"comm":"sh","cmdline":"sh -c x","ppid":7,"pgrp":9,"sid":9,"tty_nr":0}],"hook_printed":{"t":1.5,"exit":0,"stdout":"hi","stderr":null}}"#,
            "\n",
            r#"{"at":1,"registry":{"file":"7.json","removed":true}}"#,
            "\n",
            r#"{"at":2,"transcript":{"file":"a.jsonl","content":"{}"}}"#,
            "\n",
        );
        let steps = Recording::parse(text).unwrap().steps;
        let person = Person { act: "type".into(), x: json!("go") };
        let hook = RecordedHook {
            event: "Stop".into(),
            payload: json!({"cwd": "/p"}),
            env: [("CLAUDE_PID".to_owned(), "7".to_owned())].into(),
            ancestors: vec![RecordedProcess {
                pid: 9,
                ppid: 7,
                comm: "sh".into(),
                cmdline: "sh -c x".into(),
                tty_nr: 0,
            }],
            printed: Some(Printed { exit: Some(0), stdout: json!("hi") }),
        };
        let registry = Registry { file: "7.json".into(), content: None };
        let transcript = Transcript { file: "a.jsonl".into(), content: "{}".into() };
        let step = |at, what| Step { at, what };
        assert_eq!(
            steps,
            [
                step(None, What::Person(person)),
                step(Some(0.5), What::Hook(hook)),
                step(Some(1.0), What::Registry(registry)),
                step(Some(2.0), What::Transcript(transcript)),
            ]
        );
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        let text = "{\"at\":1,\"person\":{\"do\":\"keys\"}}\n{\"at\":2,\"event\":\"Stop\"}\n";
        let error = Recording::parse(text).unwrap_err();
        assert!(matches!(error, RecordingError::Line(2, _)), "{error}");
    }
}
