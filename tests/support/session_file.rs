// SPDX-License-Identifier: GPL-3.0-or-later
//! The file that Claude Code keeps of a session that runs: `~/.claude/sessions/PID.json`.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::client::process;
use crate::home::Home;

/// Writes it, as of now: beside, and renamed.
pub fn write(home: &Home, pid: u32, session: &str, status: &str) {
    let folder = home.path().join(".claude/sessions");
    fs::create_dir_all(&folder).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let file = json!({
        "pid": pid, "sessionId": session, "cwd": "/home/user/shop", "startedAt": now,
        "procStart": process(pid).start.to_string(), "version": "2.1.332", "kind": "interactive",
        "entrypoint": "cli", "status": status, "updatedAt": now, "statusUpdatedAt": now,
    });
    let beside = folder.join(format!("{pid}.beside"));
    fs::write(&beside, file.to_string()).unwrap();
    fs::rename(beside, folder.join(format!("{pid}.json"))).unwrap();
}
