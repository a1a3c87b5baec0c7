// SPDX-License-Identifier: GPL-3.0-or-later
//! From a raw recording to a fixture: in order of time, times from the first event on, private paths replaced.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::actor::PROJECT;
use super::files::entries;
use crate::claude::Home;

/// One rule for every file: what stands left is replaced by what stands right, in this order.
#[derive(Debug)]
pub(super) struct Names(Vec<(String, &'static str)>);

impl Names {
    pub fn new(home: &Home, program: &Path, recorder: &Path) -> Self {
        let project = home.project(PROJECT).display().to_string();
        let own = home.path().display().to_string();
        let all = home.path().parent().unwrap_or(Path::new("/")).display().to_string();
        // The registry file of newer versions has it.
        let machine = fs::read_to_string("/etc/machine-id").unwrap_or_default();
        let machine = if machine.is_empty() { "no machine id".to_owned() } else { machine.trim().to_owned() };
        Self(vec![
            (machine, "0123456789abcdef0123456789abcdef"),
            (folder_name(&project), "-home-user-project"),
            (project, "/home/user/project"),
            (own, "/home/user"),
            (folder_name(&all), "-tmp-private"),
            (all, "/tmp/private"),
            (program.display().to_string(), "/usr/local/bin/claude"),
            (recorder.display().to_string(), "/usr/local/bin/dasbo-record"),
        ])
    }

    fn replace(&self, text: &str) -> String {
        let replace = |text: String, (old, new): &(String, &str)| text.replace(old, new);
        self.0.iter().fold(text.to_owned(), replace)
    }
}

/// Claude Code names a project's folder by its path, everything but letters and digits made a hyphen.
fn folder_name(path: &str) -> String {
    path.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
}

/// Writes `SCENARIO.jsonl`, and its transcripts beside it.
pub(super) fn finish(raw: &str, home: &Home, names: &Names, folder: &Path, scenario: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    let recording = recording(raw)?;
    fs::write(folder.join(format!("{scenario}.jsonl")), names.replace(&recording))?;
    let projects = entries(&home.path().join(".claude/projects"), None);
    let transcripts = projects.iter().flat_map(|project| entries(project, Some("jsonl")));
    let mut transcripts: Vec<String> = transcripts.map(fs::read_to_string).collect::<Result<_, _>>()?;
    transcripts.sort_by_key(|transcript| first_time(transcript));
    for (number, transcript) in transcripts.iter().enumerate() {
        let ending = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        let file = folder.join(format!("{scenario}.transcript{ending}.jsonl"));
        fs::write(file, names.replace(&own_lines(transcript)))?;
    }
    Ok(())
}

/// Without what the program tells its model: that text is its maker's, and it is long.
fn own_lines(transcript: &str) -> String {
    let is_own = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let kind = line["type"].as_str().unwrap_or_default();
        kind != "attachment" && !kind.starts_with("api-request")
    };
    let lines = transcript.split_inclusive('\n').filter(is_own);
    lines.collect()
}

/// The transcripts of one scenario are numbered in the order of their first lines.
fn first_time(transcript: &str) -> String {
    let mark = "\"timestamp\":\"";
    let time = transcript.split_once(mark).map(|(_, rest)| rest.split('"').next());
    time.flatten().unwrap_or("~").to_owned()
}

fn recording(raw: &str) -> Result<String> {
    let mut lines: Vec<(f64, &str)> = raw.lines().map(parse).collect::<Result<_>>()?;
    lines.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let events = lines.iter().find(|(_, json)| json.starts_with("{\"event\":"));
    let (zero, _) = events.or(lines.first()).context("nothing was recorded")?;
    let mut text = String::new();
    for (number, (at, json)) in lines.iter().enumerate() {
        let zero_key = if number == 0 { format!("\"zero\":{zero:.3},") } else { String::new() };
        let rest = json.strip_prefix('{').context("not an object")?;
        writeln!(text, "{{\"at\":{:.3},{zero_key}{rest}", at - zero)?;
    }
    Ok(text)
}

fn parse(line: &str) -> Result<(f64, &str)> {
    let (at, json) = line.split_once('\t').context("a line without a time")?;
    Ok((at.parse()?, json))
}

#[cfg(test)]
mod tests {
    use super::{folder_name, own_lines, recording};

    #[test]
    fn what_the_model_is_told_stays_out() {
        let own = "{\"type\":\"user\"}\n";
        let told = "{\"type\":\"attachment\"}\n{\"type\":\"api-request-blob\"}\n";
        assert_eq!(own_lines(&format!("{told}{own}")), own);
    }

    #[test]
    fn lines_come_in_order_with_times_from_the_first_event() {
        let raw = "12.500000\t{\"event\":\"Stop\"}\n11.000000\t{\"event\":\"SessionStart\"}\n10.000000\t{\"person\":{}}\n";
        let expected = concat!(
            "{\"at\":-1.000,\"zero\":11.000,\"person\":{}}\n",
            "{\"at\":0.000,\"event\":\"SessionStart\"}\n",
            "{\"at\":1.500,\"event\":\"Stop\"}\n",
        );
        assert_eq!(recording(raw).unwrap(), expected);
    }

    #[test]
    fn a_project_has_a_folder_of_its_name() {
        assert_eq!(folder_name("/tmp/dasbo-a1/projects/p_q"), "-tmp-dasbo-a1-projects-p-q");
    }
}
