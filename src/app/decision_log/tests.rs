// SPDX-License-Identifier: GPL-3.0-or-later

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::answers::Origin;

fn entry(number: i64) -> Entry {
    Entry {
        when: number,
        agent: "claude".into(),
        session: "one".into(),
        project: None,
        kind: "approval".into(),
        tool: Some("Bash".into()),
        detail: "make\n\"all\"".into(),
        answer: Said::Allow,
        with: Vec::new(),
        scope: None,
        from: Origin::Card,
        waited: 3,
    }
}

fn numbers(path: &Path) -> Vec<i64> {
    read(path).unwrap().iter().map(|entry| entry.when).collect()
}

#[test]
fn entries_are_read_as_written_newest_first_and_by_nobody_else() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("dasbo/decisions.jsonl");
    assert_eq!(read(&path).unwrap(), []);
    for number in 1..=3 {
        append(&path, &entry(number), MOST).unwrap();
    }
    assert_eq!(read(&path).unwrap(), [entry(3), entry(2), entry(1)]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_torn_line_costs_no_other() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("decisions.jsonl");
    append(&path, &entry(1), MOST).unwrap();
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"when\":2,\xff").unwrap();
    append(&path, &entry(3), MOST).unwrap();
    assert_eq!(numbers(&path), [3, 1]);
}

#[test]
fn the_older_half_goes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("decisions.jsonl");
    let line = serde_json::to_vec(&entry(1)).unwrap().len() as u64 + 1;
    for number in 1..=8 {
        append(&path, &entry(number), 8 * line).unwrap();
    }
    assert_eq!(numbers(&path), [8, 7, 6, 5, 4, 3, 2, 1]);
    append(&path, &entry(9), 8 * line).unwrap();
    let left = numbers(&path);
    assert_eq!(left, [9, 8, 7, 6, 5], "of nine lines the middle one stays");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing is left beside");
}

#[test]
fn one_entry_stays_however_long_it_is() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("decisions.jsonl");
    append(&path, &entry(1), MOST).unwrap();
    append(&path, &Entry { detail: "x".repeat(4000), ..entry(2) }, 1000).unwrap();
    assert_eq!(numbers(&path), [2]);
}

#[test]
fn no_more_than_the_newest_are_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("decisions.jsonl");
    for number in 1..=510 {
        append(&path, &entry(number), MOST).unwrap();
    }
    let left = numbers(&path);
    assert_eq!((left.len(), left.first(), left.last()), (500, Some(&510), Some(&11)));
}
