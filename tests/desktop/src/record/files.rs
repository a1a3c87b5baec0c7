// SPDX-License-Identifier: GPL-3.0-or-later
//! Watches what the agent writes of itself while it runs: its registry file, and in its transcripts interruptions and
//! queued prompts that are taken up.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::line::RawLine;

/// Shorter than the time for which any status was seen to stand.
const PAUSE: Duration = Duration::from_millis(8);

const INTERRUPTIONS: [&str; 2] =
    ["[Request interrupted by user]", "[Request interrupted by user for tool use]"];

/// The end of the raw recording, to which the watcher and the driver write.
#[derive(Debug, Clone)]
pub(super) struct Tape(Arc<Mutex<File>>);

impl Tape {
    pub fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    pub fn note(&self, what: &Value) {
        if let Ok(line) = RawLine::new(SystemTime::now(), what) {
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(line.text().as_bytes());
        }
    }
}

/// Watches until it is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// `config` is `~/.claude`.
    pub fn start(config: &Path, tape: Tape) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (seen_over, config) = (Arc::clone(&over), config.to_owned());
        let thread = std::thread::spawn(move || {
            let mut files = Files::default();
            while !seen_over.load(Ordering::Relaxed) {
                files.look(&config, &tape);
                std::thread::sleep(PAUSE);
            }
            files.look(&config, &tape);
        });
        Self { over, thread: Some(thread) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[derive(Default)]
struct Files {
    registry: BTreeMap<PathBuf, String>,
    /// How many bytes of each transcript are known.
    transcripts: BTreeMap<PathBuf, usize>,
}

impl Files {
    fn look(&mut self, config: &Path, tape: &Tape) {
        self.look_at_registry(&config.join("sessions"), tape);
        for project in entries(&config.join("projects"), None) {
            for transcript in entries(&project, Some("jsonl")) {
                self.look_at_transcript(transcript, tape);
            }
        }
    }

    fn look_at_registry(&mut self, folder: &Path, tape: &Tape) {
        let now: BTreeMap<PathBuf, String> = entries(folder, Some("json"))
            .into_iter()
            .filter_map(|file| Some((file.clone(), fs::read_to_string(file).ok()?)))
            .collect();
        for file in self.registry.keys().filter(|file| !now.contains_key(*file)) {
            tape.note(&json!({"registry": {"file": name(file), "removed": true}}));
        }
        for (file, content) in &now {
            if self.registry.get(file) != Some(content) {
                tape.note(&json!({"registry": {"file": name(file), "content": content}}));
            }
        }
        self.registry = now;
    }

    fn look_at_transcript(&mut self, file: PathBuf, tape: &Tape) {
        let bytes = self.transcripts.get(&file).copied().unwrap_or_default();
        let is_longer = fs::metadata(&file).is_ok_and(|metadata| metadata.len() > bytes as u64);
        let Some(text) = is_longer.then(|| fs::read_to_string(&file).ok()).flatten() else {
            return;
        };
        let new = text.get(bytes..).unwrap_or_default();
        let new = new.rfind('\n').and_then(|end| new.get(..=end)).unwrap_or_default();
        for line in new.lines().filter(|line| is_of_interest(line)) {
            tape.note(&json!({"transcript": {"file": name(&file), "content": line}}));
        }
        self.transcripts.insert(file, bytes + new.len());
    }
}

fn is_of_interest(line: &str) -> bool {
    let line: Value = serde_json::from_str(line).unwrap_or_default();
    is_interruption(&line) || (line["type"] == "user" && line["promptSource"] == "queued")
}

fn is_interruption(line: &Value) -> bool {
    let items = line.pointer("/message/content").and_then(Value::as_array);
    let says_so = |item: &Value| item["text"].as_str().is_some_and(|text| INTERRUPTIONS.contains(&text));
    line["type"] == "user" && items.is_some_and(|items| items.iter().any(says_so))
}

pub(super) fn entries(folder: &Path, ending: Option<&str>) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| ending.is_none_or(|ending| path.extension().is_some_and(|end| end == ending)))
        .collect();
    paths.sort();
    paths
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
