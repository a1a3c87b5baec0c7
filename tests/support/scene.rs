// SPDX-License-Identifier: GPL-3.0-or-later
//! A scene: recordings that are played side by side.
//!
//! One a line, `RECORDING [until N] [project=NAME]`: plays its first N hooks, or all, as the project NAME. The path is
//! relative to the scene's own folder. Empty lines and lines that begin with `#` say nothing.

use std::path::{Path, PathBuf};

use crate::player::Role;
use crate::recording::{Recording, RecordingError};

/// A recording and the role it plays.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What is played.
    pub recording: Recording,
    /// As what.
    pub role: Role,
}

/// Why a file is not a scene.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// It cannot be read.
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// A line is not a part.
    #[error("line {0}: not `RECORDING [until N] [project=NAME]`")]
    Line(usize),
    /// A recording cannot be read.
    #[error("{0}: {1}")]
    Recording(PathBuf, RecordingError),
}

/// Reads the scene in `file`, and its recordings.
pub fn read(file: &Path) -> Result<Vec<Part>, SceneError> {
    let text = std::fs::read_to_string(file).map_err(|error| SceneError::Io(file.to_owned(), error))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let part = |(path, role): (PathBuf, Role)| {
        let path = folder.join(path);
        let recording = Recording::read(&path);
        recording
            .map(|recording| Part { recording, role })
            .map_err(|error| SceneError::Recording(path, error))
    };
    parse(&text)?.into_iter().map(part).collect()
}

fn parse(text: &str) -> Result<Vec<(PathBuf, Role)>, SceneError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(number, line)| parse_line(line, number).ok_or(SceneError::Line(number + 1)))
        .collect()
}

fn parse_line(line: &str, number: usize) -> Option<(PathBuf, Role)> {
    let mut words = line.split_whitespace();
    let path = PathBuf::from(words.next()?);
    let mut role = Role { number: Some(u16::try_from(number + 1).ok()?), ..Role::default() };
    while let Some(word) = words.next() {
        match word.split_once('=') {
            None if word == "until" => role.until = Some(words.next()?.parse().ok()?),
            Some(("project", name)) if !name.is_empty() => role.project = Some(name.to_owned()),
            _ => return None,
        }
    }
    Some((path, role))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parts() {
        let role = |number, until, project: Option<&str>| Role {
            project: project.map(str::to_owned),
            number: Some(number),
            until,
        };
        assert_eq!(
            parse("# a scene\n\na.jsonl\nb/c.jsonl until 3 project=shop\n").unwrap(),
            [
                (PathBuf::from("a.jsonl"), role(3, None, None)),
                (PathBuf::from("b/c.jsonl"), role(4, Some(3), Some("shop")))
            ]
        );
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        for wrong in ["a until", "a until x", "a project=", "a b", "a pace=2"] {
            let error = parse(&format!("a\n{wrong}\n")).unwrap_err();
            assert!(matches!(error, SceneError::Line(2)), "{wrong}");
        }
    }
}
