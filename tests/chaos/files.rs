// SPDX-License-Identifier: GPL-3.0-or-later
//! The files that Claude Code writes of a session, and what else might stand there.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use dasbo_core::process::ProcessId;
use fastrand::Rng;
use serde_json::json;

/// `~/.claude/sessions`.
pub fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".claude/sessions")
}

pub fn path(pid: u32) -> PathBuf {
    folder().join(format!("{pid}.json"))
}

/// What the file of a session says now.
pub fn content(process: ProcessId, session: &str, status: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970").as_millis();
    json!({
        "pid": process.pid, "procStart": process.start.to_string(), "sessionId": session,
        "cwd": format!("/home/user/{session}"), "startedAt": now, "kind": "interactive", "entrypoint": "cli",
        "status": status, "statusUpdatedAt": now,
    })
    .to_string()
}

/// Writes a file as an agent does: beside it and renamed, or in its place. What is in the way goes first.
pub fn write(path: &Path, content: &str, random: &mut Rng) {
    let _ = fs::create_dir_all(folder());
    if !is_file(path) {
        remove(path);
    }
    if random.bool() {
        let _ = fs::write(path, content);
    } else {
        let beside = path.with_extension("json.tmp");
        let _ = fs::write(&beside, content);
        let _ = fs::rename(beside, path);
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

pub fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

/// Puts something odd where the file of a process is. None of it is of a session that there is.
pub fn spoil(pid: u32, random: &mut Rng) {
    let path = path(pid);
    // What was put there before may have no end.
    let whole = if is_file(&path) { fs::read(&path).unwrap_or_default() } else { Vec::new() };
    match random.u8(..10) {
        // Half written, as a reader may catch it.
        0..=2 => drop(fs::write(&path, &whole[..random.usize(..=whole.len())])),
        3 => {
            remove(&path);
            let _ = symlink("/dev/zero", &path);
        }
        4 => {
            remove(&path);
            let _ = fs::create_dir(&path);
        }
        5 => drop(fs::write(&path, vec![b'['; 1 << 20])),
        6 => {
            // Of a process that never was.
            let never = ProcessId { pid, start: 1 };
            let _ = fs::write(&path, content(never, "hostile", "busy"));
        }
        7 => {
            let noise: Vec<u8> = (0..random.usize(..4096)).map(|_| random.u8(..)).collect();
            let _ = fs::write(&path, noise);
        }
        8 => {
            let types =
                json!({ "pid": "1", "sessionId": [], "procStart": {}, "status": 7, "statusUpdatedAt": -1 });
            let _ = fs::write(&path, types.to_string());
        }
        _ => {
            let mut file = fs::OpenOptions::new().append(true).open(&path);
            let _ = file.as_mut().map(|file| file.write_all(b"\0}{"));
        }
    }
}
