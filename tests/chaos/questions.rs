// SPDX-License-Identifier: GPL-3.0-or-later
//! Hooks that ask. How long they wait is the panel's to say; that they end without a word is not.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use dasbo_test_support::agent::Hook;
use dasbo_test_support::helper;
use serde_json::json;
use tempfile::TempDir;

use crate::script::hook;
use crate::tally::Tally;

/// How long a helper may stay once its agent ended.
const AFTER: Duration = Duration::from_secs(5);

/// What a shell says of a program that was killed.
const KILLED: &str = "137";

/// The questions of one agent. What their helpers print goes to files: the agent may be gone first.
#[derive(Debug)]
pub struct Questions {
    folder: TempDir,
    count: usize,
}

impl Questions {
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder"), count: 0 }
    }

    pub fn next(&mut self, session: &str) -> Hook {
        self.count += 1;
        let (helper, file) = (helper::path(), self.file(self.count, ""));
        let (helper, file) = (helper.display(), file.display());
        let input = json!({ "command": "touch it" });
        let asks = json!({ "tool_name": "Bash", "tool_input": input });
        let command = format!(
            "'{helper}' claude ask PermissionRequest >'{file}out' 2>'{file}err'; echo $? >'{file}new'; mv '{file}new' '{file}status'"
        );
        Hook { command, ..hook(session, "PermissionRequest", asks) }
    }

    fn file(&self, number: usize, what: &str) -> PathBuf {
        self.folder.path().join(format!("{number}.{what}"))
    }

    /// Looks how all ended, once the agent has.
    pub fn judge(self, tally: &Tally) {
        let end = std::time::Instant::now() + AFTER;
        for number in 1..=self.count {
            let read = |what| fs::read_to_string(self.file(number, what)).unwrap_or_default();
            while read("status").is_empty() && std::time::Instant::now() < end {
                std::thread::sleep(Duration::from_millis(10));
            }
            tally.count("questions asked");
            match (read("status").trim(), read("out").as_str(), read("err").as_str()) {
                ("0", "", "") => {}
                (KILLED, "", _) => tally.count("helpers killed"),
                // The agent was gone before its shell ran.
                ("", "", "") if !self.file(number, "out").exists() => tally.count("questions never asked"),
                other => tally.wrong(format!("a helper that asked: status, output and errors {other:?}")),
            }
        }
    }
}
