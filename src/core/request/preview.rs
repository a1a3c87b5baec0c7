// SPDX-License-Identifier: GPL-3.0-or-later
//! What a call would change in a file, as a diff.

use serde::Deserialize;

use super::diff::{Line, comes, diff, goes};
use super::{Action, Replacement};

/// A file, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDisk {
    /// It holds this.
    Text(String),
    /// There is none, and its folder is there.
    Absent,
    /// It cannot be seen, or is no text of a bearable size.
    Unseen,
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// What changes, with the lines around it: those close to one another together.
    pub hunks: Vec<Vec<Line>>,
    /// What it was compared with.
    pub basis: Basis,
}

/// What a change was compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The file on disk.
    File,
    /// Nothing: the file is new.
    NewFile,
    /// Nothing but itself: the file cannot be seen.
    Unseen,
    /// Nothing but itself: what it replaces is not in the file, or not clearly.
    NotFound,
}

/// What a call would change. `None`: it is not one that changes a file.
pub fn preview(action: &Action, on_disk: &OnDisk) -> Option<Preview> {
    match action {
        Action::Edit { replacements, .. } => Some(edit(replacements, on_disk)),
        Action::Write { content, .. } => Some(write(content, on_disk)),
        Action::Notebook { cell, source, change, .. } => {
            Some(notebook(cell.as_deref(), source, change.as_deref(), on_disk))
        }
        Action::Command { .. } | Action::Other => None,
    }
}

impl Action {
    /// The file that the call would change.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Edit { file, .. } | Self::Write { file, .. } | Self::Notebook { file, .. } => Some(file),
            Self::Command { .. } | Self::Other => None,
        }
    }
}

fn edit(replacements: &[Replacement], on_disk: &OnDisk) -> Preview {
    let (old, is_new) = match on_disk {
        OnDisk::Text(text) => (text.as_str(), false),
        OnDisk::Absent => ("", true),
        OnDisk::Unseen => return own(replacements, Basis::Unseen),
    };
    match replacements.iter().try_fold(old.to_owned(), |text, replacement| replaced(&text, replacement)) {
        Some(new) => {
            let basis = if is_new { Basis::NewFile } else { Basis::File };
            Preview { hunks: diff(old, &new), basis }
        }
        None => own(replacements, Basis::NotFound),
    }
}

/// `None` where it is not clear what is replaced.
fn replaced(text: &str, Replacement { old, new, all }: &Replacement) -> Option<String> {
    if old.is_empty() {
        return text.is_empty().then(|| new.clone());
    }
    let mut places = text.match_indices(old.as_str());
    places.next()?;
    (*all || places.next().is_none()).then(|| text.replace(old.as_str(), new))
}

fn own(replacements: &[Replacement], basis: Basis) -> Preview {
    // Parts of a file need not end with a line.
    let ended = |text: &str| {
        if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
    };
    let hunks = replacements.iter().flat_map(|one| diff(&ended(&one.old), &ended(&one.new)));
    Preview { hunks: hunks.collect(), basis }
}

fn write(content: &str, on_disk: &OnDisk) -> Preview {
    match on_disk {
        OnDisk::Text(old) => Preview { hunks: diff(old, content), basis: Basis::File },
        OnDisk::Absent => whole(comes(content), Basis::NewFile),
        OnDisk::Unseen => whole(comes(content), Basis::Unseen),
    }
}

fn whole(lines: Vec<Line>, basis: Basis) -> Preview {
    Preview { hunks: if lines.is_empty() { Vec::new() } else { vec![lines] }, basis }
}

fn notebook(cell: Option<&str>, source: &str, change: Option<&str>, on_disk: &OnDisk) -> Preview {
    if change == Some("insert") {
        return whole(comes(source), Basis::File);
    }
    let old = match on_disk {
        OnDisk::Text(text) => cell.and_then(|cell| cell_source(text, cell)),
        OnDisk::Absent | OnDisk::Unseen => return whole(comes(source), Basis::Unseen),
    };
    match (old, change) {
        (Some(old), Some("delete")) => whole(goes(&old), Basis::File),
        (Some(old), _) => Preview { hunks: diff(&old, source), basis: Basis::File },
        (None, _) => whole(comes(source), Basis::NotFound),
    }
}

/// <https://nbformat.readthedocs.io>: a source is a text, or a list of its lines with their ends.
#[derive(Debug, Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Debug, Deserialize)]
struct Cell {
    #[serde(default)]
    id: Option<String>,
    source: Source,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Source {
    Whole(String),
    Lines(Vec<String>),
}

fn cell_source(notebook: &str, id: &str) -> Option<String> {
    let notebook: Notebook = serde_json::from_str(notebook).ok()?;
    let cell = notebook.cells.into_iter().find(|cell| cell.id.as_deref() == Some(id))?;
    Some(match cell.source {
        Source::Whole(text) => text,
        Source::Lines(lines) => lines.concat(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::diff::Fate;
    use super::*;

    fn one(old: &str, new: &str, all: bool) -> Action {
        let replacement = Replacement { old: old.into(), new: new.into(), all };
        Action::Edit { file: "a".into(), replacements: vec![replacement] }
    }

    fn text(text: &str) -> OnDisk {
        OnDisk::Text(text.into())
    }

    fn said(action: &Action, on_disk: &OnDisk) -> (Vec<String>, Basis) {
        let preview = preview(action, on_disk).unwrap();
        let say = |line: &Line| {
            let sign = match line.fate {
                Fate::Stays => ' ',
                Fate::Goes => '-',
                Fate::Comes => '+',
            };
            format!("{sign}{}", line.text)
        };
        (preview.hunks.concat().iter().map(say).collect(), preview.basis)
    }

    fn lines(lines: &[&str], basis: Basis) -> (Vec<String>, Basis) {
        (lines.iter().map(|&line| line.to_owned()).collect(), basis)
    }

    #[test]
    fn an_edit_is_shown_where_it_stands() {
        let file = text("one\ntwo\nthree\n");
        assert_eq!(
            said(&one("two", "2", false), &file),
            lines(&[" one", "-two", "+2", " three"], Basis::File)
        );
        let all = text("a\nb\na\n");
        assert_eq!(said(&one("a", "c", true), &all), lines(&["-a", "+c", " b", "-a", "+c"], Basis::File));
    }

    #[test]
    fn an_edit_that_does_not_fit_speaks_for_itself() {
        let own = |basis| lines(&["-a", "+c"], basis);
        assert_eq!(said(&one("a", "c", false), &text("a\na\n")), own(Basis::NotFound));
        assert_eq!(said(&one("a", "c", false), &text("b\n")), own(Basis::NotFound));
        assert_eq!(said(&one("a", "c", false), &OnDisk::Absent), own(Basis::NotFound));
        assert_eq!(said(&one("a", "c", false), &OnDisk::Unseen), own(Basis::Unseen));
    }

    #[test]
    fn several_edits_follow_one_another() {
        let replacement = |old: &str, new: &str| Replacement { old: old.into(), new: new.into(), all: false };
        let replacements = vec![replacement("a", "b"), replacement("b", "c")];
        let action = Action::Edit { file: "a".into(), replacements };
        assert_eq!(said(&action, &text("a\n")), lines(&["-a", "+c"], Basis::File));
        assert_eq!(said(&action, &text("ab\n")), lines(&["-a", "+b", "-b", "+c"], Basis::NotFound));
    }

    #[test]
    fn a_file_can_be_new() {
        let write = Action::Write { file: "a".into(), content: "x\n".into() };
        assert_eq!(said(&write, &OnDisk::Absent), lines(&["+x"], Basis::NewFile));
        assert_eq!(said(&write, &OnDisk::Unseen), lines(&["+x"], Basis::Unseen));
        assert_eq!(said(&write, &text("w\nx\n")), lines(&["-w", " x"], Basis::File));
        assert_eq!(said(&one("", "x", false), &OnDisk::Absent), lines(&["+x"], Basis::NewFile));
        assert_eq!(said(&one("", "x", false), &text("y")), lines(&["+x"], Basis::NotFound));
    }

    #[test]
    fn a_cell_is_found_in_its_notebook() {
        let file = text(
            r#"{"cells":[{"id":"a","source":["x = 1\n","y = 2"]},{"id":"b","source":"z"},{"source":[]}],"nbformat":4}"#,
        );
        let notebook = |cell: &str, change: Option<&str>| Action::Notebook {
            file: "n.ipynb".into(),
            cell: Some(cell.into()),
            source: "x = 1\ny = 3".into(),
            change: change.map(Into::into),
        };
        let changed = lines(&[" x = 1", "-y = 2", "+y = 3"], Basis::File);
        assert_eq!(said(&notebook("a", None), &file), changed);
        assert_eq!(said(&notebook("a", Some("replace")), &file), changed);
        assert_eq!(said(&notebook("b", Some("delete")), &file), lines(&["-z"], Basis::File));
        let source = |basis| lines(&["+x = 1", "+y = 3"], basis);
        assert_eq!(said(&notebook("a", Some("insert")), &file), source(Basis::File));
        assert_eq!(said(&notebook("c", None), &file), source(Basis::NotFound));
        assert_eq!(said(&notebook("a", None), &OnDisk::Unseen), source(Basis::Unseen));
        assert_eq!(said(&notebook("a", None), &text("{")), source(Basis::NotFound));
    }

    #[test]
    fn a_command_changes_no_file() {
        assert_eq!(preview(&Action::Other, &OnDisk::Absent), None);
        assert_eq!(one("", "", false).file(), Some("a"));
    }
}
