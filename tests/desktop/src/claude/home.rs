// SPDX-License-Identifier: GPL-3.0-or-later
//! A throw-away home in which Claude Code asks none of its first questions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Opens nothing: the model server takes any key.
const FAKE_KEY: &str = "sk-ant-no-such-key-0123456789-only-for-tests";

/// Claude Code remembers an approved key by so many of its last characters.
const REMEMBERED: usize = 20;

/// A home, a runtime folder, a folder for temporary files and the projects; all gone when this is dropped.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
    /// The settings as they were before anybody connected anything.
    settings: String,
}

impl Home {
    /// Projects get a folder of their name, trusted already.
    pub fn new(version: &str, projects: &[&str]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("dasbo-").tempdir()?;
        let settings = settings(&folder.path().join("other-hook"));
        let home = Self { folder, settings };
        for private in ["home/.claude", "runtime", "tmp"] {
            DirBuilder::new().recursive(true).mode(0o700).create(home.folder.path().join(private))?;
        }
        for project in projects {
            fs::create_dir_all(home.project(project))?;
        }
        fs::write(home.path().join(".claude.json"), home.answers(version, projects).to_string())?;
        fs::write(home.settings_file(), &home.settings)?;
        Ok(home)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn runtime(&self) -> PathBuf {
        self.folder.path().join("runtime")
    }

    pub fn project(&self, name: &str) -> PathBuf {
        self.folder.path().join("projects").join(name)
    }

    pub fn settings_file(&self) -> PathBuf {
        self.path().join(".claude/settings.json")
    }

    pub fn original_settings(&self) -> &str {
        &self.settings
    }

    /// How often the hook that is not ours has run.
    pub fn other_hook_runs(&self) -> usize {
        fs::read_to_string(self.folder.path().join("other-hook")).unwrap_or_default().lines().count()
    }

    /// What Claude Code's own transcripts tell of hooks: a hook that exits 0 in silence leaves no trace in them.
    pub fn hook_traces(&self) -> Result<Vec<String>> {
        let transcripts = self.transcripts()?;
        ensure!(!transcripts.is_empty(), "there is no transcript");
        let mut traces = Vec::new();
        for transcript in transcripts {
            traces.extend(
                fs::read_to_string(transcript)?.lines().filter(|line| tells_of_hook(line)).map(str::to_owned),
            );
        }
        Ok(traces)
    }

    fn transcripts(&self) -> Result<Vec<PathBuf>> {
        let mut transcripts = Vec::new();
        for project in entries(&self.path().join(".claude/projects"))? {
            transcripts.extend(
                entries(&project)?
                    .into_iter()
                    .filter(|file| file.extension().is_some_and(|end| end == "jsonl")),
            );
        }
        Ok(transcripts)
    }

    /// All variables that Claude Code is started with.
    pub fn variables(&self, model_url: &str) -> BTreeMap<OsString, OsString> {
        let fixed = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("SHELL", "/bin/sh"),
            ("ANTHROPIC_API_KEY", FAKE_KEY),
            ("ANTHROPIC_BASE_URL", model_url),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ];
        let mut variables: BTreeMap<OsString, OsString> =
            fixed.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        variables.insert("HOME".into(), self.path().into());
        variables.insert("XDG_RUNTIME_DIR".into(), self.runtime().into());
        for name in ["TMPDIR", "CLAUDE_CODE_TMPDIR"] {
            variables.insert(name.into(), self.folder.path().join("tmp").into());
        }
        if let Some(socket) = std::env::var_os("DASBO_SOCKET") {
            variables.insert("DASBO_SOCKET".into(), socket);
        }
        variables
    }

    /// What Claude Code would have noted of a person who had answered its first questions.
    fn answers(&self, version: &str, projects: &[&str]) -> Value {
        let trusted = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        let trusted: BTreeMap<String, Value> = projects
            .iter()
            .map(|project| (self.project(project).display().to_string(), trusted.clone()))
            .collect();
        json!({
            "hasCompletedOnboarding": true,
            "lastOnboardingVersion": version,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [&FAKE_KEY[FAKE_KEY.len() - REMEMBERED..]], "rejected": []},
            "projects": trusted,
        })
    }
}

/// Settings as a person writes them: their own order, their own spacing, a hook that is not ours.
fn settings(other_hook: &Path) -> String {
    format!(
        r#"{{
    "permissions": {{ "defaultMode": "default", "allow": ["Bash"] }},

    "hooks": {{
        "Stop": [ {{ "hooks": [ {{ "type": "command", "command": "echo ran >> '{}'" }} ] }} ]
    }},
  "cleanupPeriodDays":90}}
"#,
        other_hook.display()
    )
}

fn tells_of_hook(line: &str) -> bool {
    let line: Value = serde_json::from_str(line).unwrap_or_default();
    line.pointer("/attachment/type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("hook_"))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::Home;

    #[test]
    fn a_home_is_valid_and_leaves_nothing_behind() {
        let home = Home::new("1.0.0", &["one"]).unwrap();
        let settings: Value =
            serde_json::from_str(&fs::read_to_string(home.settings_file()).unwrap()).unwrap();
        assert_eq!(settings["permissions"]["defaultMode"], "default");
        let project = home.project("one");
        assert!(project.is_dir());
        drop(home);
        assert!(!project.exists());
    }
}
