// SPDX-License-Identifier: GPL-3.0-or-later
//! What the fuzzer begins with: what real agents sent and wrote, cut out of the recordings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dasbo_core::agents::claude::install::EVENTS;
use dasbo_test_support::recording::{RecordedHook, Recording, What};
use serde_json::json;

/// Bytes for a target.
#[derive(Debug, Clone)]
pub struct Seed {
    /// Where they are from.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How much of them the target understands at least.
    pub understood: usize,
}

/// Bytes cut out of a step, and how much of them is understood.
type Cut = (Vec<u8>, usize);

/// `fixtures`, of this source tree.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The seeds of a target.
pub fn of(target: &str) -> io::Result<Vec<Seed>> {
    let files = files()?;
    let recordings = files.iter().filter(|path| !is_transcript(path));
    let steps = recordings.map(|path| Ok((name(path), read(path)?))).collect::<io::Result<Vec<_>>>()?;
    let each = |seed: fn(&What) -> Option<Cut>| -> Vec<Seed> {
        let seeds = steps.iter().flat_map(|(name, recording)| {
            recording.steps.iter().filter_map(move |step| {
                let (bytes, understood) = seed(&step.what)?;
                Some(Seed { name: name.clone(), bytes, understood })
            })
        });
        seeds.collect()
    };
    Ok(match target {
        "frame" => each(frame),
        "claude" => each(payload).into_iter().chain(steps.iter().map(session)).collect(),
        "registry-file" => each(registry_file),
        "transcript" => {
            files.iter().filter(|path| is_transcript(path)).map(transcript).collect::<Result<_, _>>()?
        }
        _ => SETTINGS.iter().map(settings).collect(),
    })
}

/// Words that the fuzzer puts in here and there, in the form of libFuzzer's dictionaries.
pub fn words() -> String {
    let words = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\n",
        "\\ud83d",
        "\\ude00",
        "//",
        "/*",
        "*/",
        "\u{feff}",
        "null",
        "true",
        "1e999",
        "18446744073709551615",
        "-1",
        "\"hooks\"",
        "\"Stop\"",
        "\"command\"",
        "/dasbo-hook' claude notify Stop",
        "\"type\"",
        "\"tool_input\"",
        "\"agent_id\"",
        "\"session_id\"",
        "\"message\"",
        "\"content\"",
        "answer 2\n",
    ];
    let mut quoted = String::new();
    for word in words {
        let bytes: Vec<_> = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        quoted.extend(["\"", &bytes.concat(), "\"\n"]);
    }
    quoted
}

/// Recordings and transcripts of all versions.
fn files() -> io::Result<Vec<PathBuf>> {
    let entries = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut found = Vec::new();
    for version in entries(&fixtures().join("claude"))? {
        found.extend(
            entries(&version)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")),
        );
    }
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_transcript(path: &Path) -> bool {
    name(path).contains(".transcript")
}

fn read(path: &Path) -> io::Result<Recording> {
    Recording::read(path).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

fn hook(what: &What) -> Option<&RecordedHook> {
    if let What::Hook(hook) = what { Some(hook) } else { None }
}

fn payload(what: &What) -> Option<Cut> {
    let hook = hook(what)?;
    // Of notifications Dasbo takes some kinds alone.
    let is_known = hook.event != "Notification" && EVENTS.iter().any(|(event, _)| *event == hook.event);
    Some((hook.payload.to_string().into_bytes(), usize::from(is_known)))
}

/// All that hooks told in a recording.
fn session((name, recording): &(String, Recording)) -> Seed {
    let payloads = recording.steps.iter().filter_map(|step| payload(&step.what));
    let (lines, understood): (Vec<_>, Vec<_>) = payloads.unzip();
    Seed { name: name.clone(), bytes: lines.join(&b'\n'), understood: understood.into_iter().sum() }
}

fn frame(what: &What) -> Option<Cut> {
    let hook = hook(what)?;
    let payload = hook.payload.to_string();
    let chain = hook.ancestors.iter().skip(1).map(|process| {
        json!({"pid": process.pid, "start": 1, "comm": process.comm, "args": [process.cmdline], "tty": process.tty_nr})
    });
    let header = json!({
        "version": 1, "agent": "claude", "mode": "notify", "event": hook.event, "at": 7,
        "helper": {"pid": 5, "start": 6}, "again": false, "chain": chain.collect::<Vec<_>>(), "pidfds": [3],
        "hints": hook.env, "terminal": {"TERM_PROGRAM": "x"}, "form": "json", "length": payload.len(),
    });
    Some((format!("\u{7f}{header}\n{payload}").into_bytes(), 1))
}

fn registry_file(what: &What) -> Option<Cut> {
    if let What::Registry(file) = what { Some((file.content.clone()?.into_bytes(), 1)) } else { None }
}

fn transcript(path: &PathBuf) -> io::Result<Seed> {
    let text = fs::read(path)?;
    let understood = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    let bytes = [&[0xff, 0], text.as_slice(), b"\n"].concat();
    Ok(Seed { name: name(path), bytes, understood })
}

fn settings(text: &&str) -> Seed {
    Seed { name: (*text).to_owned(), bytes: text.as_bytes().to_vec(), understood: 1 }
}

/// No recording has settings.
const SETTINGS: &[&str] = &[
    "",
    "{}",
    "\u{feff}{\r\n\t\"model\": \"opus\",\r\n}\r\n",
    "// mine\n{\n  \"env\": {\"A\": \"\\u00e9 // no comment\"}, /* all */\n  \"permissions\": {\"allow\": [\"Bash(*)\",],},\n}\n",
    "{\"hooks\": {\"Stop\": [{\"matcher\": \"\", \"hooks\": [{\"type\": \"command\", \"command\": \"echo done\"}]}]}}",
    "{ \"hooks\": { \"Stop\": [ /* none */ ], \"PreToolUse\": null } }",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"[ ! -x '/old/dasbo-hook' ] || exec '/old/dasbo-hook' claude notify Stop\"}]}]}}",
];
