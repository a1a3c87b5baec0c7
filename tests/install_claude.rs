// SPDX-License-Identifier: GPL-3.0-or-later
//! What stands in Claude's settings, and that `sh` runs it as meant.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use dasbo_core::{
    agents::claude::install::{AGENT, EVENTS, Version, entries, events_for, settings_path},
    install::{Error, command, own_event, plan},
    wire::Mode,
};

/// The written list, by hand. A change here is a decision: each event costs Claude a process start.
const NOTIFY: [&str; 19] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "ElicitationResult",
    "TaskCreated",
    "TaskCompleted",
    "CwdChanged",
];
const ASK: [&str; 2] = ["PermissionRequest", "Elicitation"];

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

#[test]
fn installs_the_written_list_and_no_others() {
    let of = |mode| EVENTS.iter().filter(|event| event.1 == mode).map(|event| event.0).collect();
    assert_eq!(sorted(of(Mode::Notify)), sorted(NOTIFY.to_vec()));
    assert_eq!(sorted(of(Mode::Ask)), sorted(ASK.to_vec()));
}

#[test]
fn every_version_gets_the_list() {
    for version in [None, Some(Version(1, 0, 0)), Some(Version(2, 1, 220)), Some(Version(2, 1, 332))] {
        assert_eq!(events_for(version), EVENTS);
    }
}

#[test]
fn only_questions_have_a_timeout() {
    let entries = entries(Path::new("/opt/dasbo-hook"), None).unwrap();
    for hook in entries.hooks {
        let expected = ASK.contains(&hook.event.as_str()).then_some(86_400);
        assert_eq!(hook.timeout, expected, "{}", hook.event);
    }
}

#[test]
fn the_command_is_the_documented_one() {
    let found = command(Path::new("/home/a b/dasbo-hook"), "claude", Mode::Notify, "Stop").unwrap();
    assert_eq!(found, "[ ! -x '/home/a b/dasbo-hook' ] || exec '/home/a b/dasbo-hook' claude notify Stop");
}

#[test]
fn a_path_that_cannot_stand_in_a_command_is_refused() {
    for path in ["dasbo-hook", "bin/dasbo-hook", "/opt/other"] {
        assert!(matches!(entries(Path::new(path), None), Err(Error::HelperPath(_))), "{path}");
    }
}

#[test]
fn own_commands_are_known_wherever_the_helper_lives() {
    let own = command(Path::new("/it's/dasbo-hook"), "claude", Mode::Ask, "Elicitation").unwrap();
    assert_eq!(own_event(&own, AGENT), Some("Elicitation"));
    assert_eq!(own_event("exec '/elsewhere/dasbo-hook' claude notify Gone", AGENT), Some("Gone"));
}

#[test]
fn other_commands_are_not_ours() {
    for foreign in [
        "",
        "dasbo-hook",
        "'/opt/dasbo-hook' codex notify Stop",
        "'/opt/my-dasbo-hook' claude notify Stop",
        "'/opt/dasbo-hook' claude tell Stop",
        "'/opt/dasbo-hook' claude notify ",
        "'/opt/dasbo-hook' claude notify Stop; rm x",
        "'/opt/dasbo-hook' claude notify Stop # mine",
        "/opt/dasbo-hook claude notify Stop",
    ] {
        assert_eq!(own_event(foreign, AGENT), None, "{foreign}");
    }
}

#[test]
fn the_settings_are_where_claude_looks() {
    let home = Path::new("/home/ada");
    assert_eq!(settings_path(None, home), Path::new("/home/ada/.claude/settings.json"));
    assert_eq!(settings_path(Some(Path::new("")), home), Path::new("/home/ada/.claude/settings.json"));
    assert_eq!(settings_path(Some(Path::new("/cfg")), home), Path::new("/cfg/settings.json"));
}

fn sh(command: &str) -> Output {
    Command::new("sh").args(["-c", command]).output().unwrap()
}

#[test]
fn sh_runs_the_helper_under_any_name() {
    let home = tempfile::tempdir().unwrap();
    for name in ["plain", "with space", "it's", "a\"b$(false)`c\\", "new\nline"] {
        let folder = home.path().join(name);
        fs::create_dir(&folder).unwrap();
        let helper = folder.join("dasbo-hook");
        fs::write(&helper, "#!/bin/sh\nprintf '%s,' \"$@\"\n").unwrap();
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
        let ran = sh(&command(&helper, "claude", Mode::Ask, "PermissionRequest").unwrap());
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), "claude,ask,PermissionRequest,", "{name}");
        assert!(ran.status.success());
    }
}

#[test]
fn a_missing_helper_ends_well_and_in_silence() {
    let ran = sh(&command(Path::new("/nowhere/dasbo-hook"), "claude", Mode::Notify, "Stop").unwrap());
    assert!(ran.status.success() && ran.stdout.is_empty() && ran.stderr.is_empty());
}

#[test]
fn the_settings_hold_one_group_an_event_without_matcher() {
    let entries = entries(Path::new("/opt/dasbo-hook"), None).unwrap();
    let text = plan(None, &entries).unwrap().after;
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ask = serde_json::json!([{"hooks": [{
        "type": "command",
        "command": "[ ! -x '/opt/dasbo-hook' ] || exec '/opt/dasbo-hook' claude ask PermissionRequest",
        "timeout": 86400,
    }]}]);
    let stop = serde_json::json!([{"hooks": [{
        "type": "command",
        "command": "[ ! -x '/opt/dasbo-hook' ] || exec '/opt/dasbo-hook' claude notify Stop",
    }]}]);
    assert_eq!(settings["hooks"]["PermissionRequest"], ask);
    assert_eq!(settings["hooks"]["Stop"], stop);
    assert_eq!(settings["hooks"].as_object().unwrap().len(), 21);
}
