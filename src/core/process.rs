// SPDX-License-Identifier: GPL-3.0-or-later
//! Processes, as /proc shows them. `root` is `/proc`, or a fake tree in tests.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use procfs::FromRead;
use procfs::process::{Process, Stat};
use serde::{Deserialize, Serialize};

use crate::moment::Moment;

/// A process, told from a later one with the same pid by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// Clock ticks after boot at which it started (field 22 of `/proc/PID/stat`).
    pub start: u64,
}

/// One step up from the helper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// Which process.
    #[serde(flatten)]
    pub id: ProcessId,
    /// Its command name, cut at 15 bytes by the kernel.
    pub comm: String,
    /// Its arguments, read of interpreters only: a shell's would hold our own command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its controlling terminal's device number; 0 for none (field 7 of `/proc/PID/stat`).
    #[serde(default)]
    pub tty: i32,
}

/// Clock ticks a second in /proc (`USER_HZ`, fixed by the kernel's interface).
const TICKS_PER_SECOND: u64 = 100;

impl ProcessId {
    /// When the process started.
    pub const fn started(self) -> Moment {
        Moment::from_nanos(self.start.saturating_mul(1_000_000_000 / TICKS_PER_SECOND))
    }
}

const SHELLS: &[&str] = &["sh", "dash", "bash", "zsh", "fish", "env"];

/// `MainThread` is how node 24 names itself.
const INTERPRETERS: &[&str] = &["node", "gjs", "bun", "deno", "python3", "MainThread"];

/// Arguments kept of an interpreter; the script is among the first.
const MAX_ARGS: usize = 16;

/// Bytes kept of one argument.
const MAX_ARG: usize = 512;

impl Ancestor {
    /// Whether this is a shell, which is never the agent.
    pub fn is_shell(&self) -> bool {
        SHELLS.contains(&self.comm.as_str())
    }

    /// Whether this runs a script that its arguments name.
    pub fn is_interpreter(&self) -> bool {
        INTERPRETERS.contains(&self.comm.as_str())
    }
}

/// The ancestors of `pid`, parent first, at most `limit`. Ends early where /proc says no more.
pub fn ancestors(root: &Path, pid: u32, limit: usize) -> Vec<Ancestor> {
    let mut chain: Vec<Ancestor> = Vec::new();
    let mut next = parent_of(root, pid);
    while let Some(pid) = next.filter(|&pid| pid > 0 && chain.len() < limit) {
        if chain.iter().any(|passed| passed.id.pid == pid) {
            break;
        }
        let Some((ancestor, parent)) = read(root, pid) else {
            break;
        };
        chain.push(ancestor);
        next = Some(parent);
    }
    chain
}

/// The process that has `pid` now.
pub fn identify(root: &Path, pid: u32) -> Option<ProcessId> {
    read(root, pid).map(|(ancestor, _)| ancestor.id)
}

/// Whether `process` still runs; with the terminal it had (0: none), whether it still has one.
///
/// A process can outlive its terminal and go on unseen (Gemini does): for us it is gone.
pub fn is_alive(root: &Path, process: ProcessId, tty: i32) -> bool {
    read(root, process.pid).is_some_and(|(now, _)| now.id == process && (tty == 0 || now.tty != 0))
}

fn parent_of(root: &Path, pid: u32) -> Option<u32> {
    read(root, pid).map(|(_, parent)| parent)
}

/// A process and its parent's pid. A zombie is no longer a process for us.
fn read(root: &Path, pid: u32) -> Option<(Ancestor, u32)> {
    let folder = root.join(pid.to_string());
    let stat = read_stat(&folder)?;
    if matches!(stat.state, 'Z' | 'X') {
        return None;
    }
    let id = ProcessId { pid, start: stat.starttime };
    let mut ancestor = Ancestor { id, comm: stat.comm, args: Vec::new(), tty: stat.tty_nr };
    if ancestor.is_interpreter() {
        ancestor.args = first_arguments(folder);
    }
    Some((ancestor, u32::try_from(stat.ppid).unwrap_or(0)))
}

/// Every helper reads this of all its ancestors, so it is opened, read and closed, and nothing else: the kernel hands
/// out all of it (52 fields) at once.
fn read_stat(process: &Path) -> Option<Stat> {
    let mut bytes = [0; 2048];
    let length = File::open(process.join("stat")).ok()?.read(&mut bytes).ok()?;
    Stat::from_read(bytes.get(..length)?).ok()
}

fn first_arguments(process: PathBuf) -> Vec<String> {
    let mut args = Process::new_with_root(process).and_then(|one| one.cmdline()).unwrap_or_default();
    args.truncate(MAX_ARGS);
    args.retain(|arg| arg.len() <= MAX_ARG);
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A fake /proc with one process a line: pid, parent, comm, tty, arguments.
    fn tree(lines: &[(u32, u32, &str, i32, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        for (pid, parent, comm, tty, args) in lines {
            let process = folder.path().join(pid.to_string());
            fs::create_dir(&process).unwrap();
            let zeros = "0 ".repeat(13);
            let stat = format!("{pid} ({comm}) S {parent} 1 1 {tty} -1 {zeros}{pid}00 {}", "0 ".repeat(30));
            fs::write(process.join("stat"), stat.trim_end()).unwrap();
            fs::write(process.join("cmdline"), args.replace(' ', "\0")).unwrap();
        }
        let root = folder.path().to_owned();
        (folder, root)
    }

    #[test]
    fn walks_up_past_names_with_brackets_and_spaces() {
        let (_keep, root) = tree(&[
            (9, 8, "dasbo-hook", 0, "dasbo-hook"),
            (8, 7, "sh", 0, "sh -c secret"),
            (7, 6, "MainThread", 34816, "node /opt/gemini/gemini.js"),
            (6, 1, "a) (b c", 34816, "x"),
        ]);
        let chain = ancestors(&root, 9, 20);
        let seen: Vec<_> =
            chain.iter().map(|one| (one.id.pid, one.id.start, one.comm.as_str(), one.tty)).collect();
        assert_eq!(seen, [(8, 800, "sh", 0), (7, 700, "MainThread", 34816), (6, 600, "a) (b c", 34816)]);
        assert!(chain[0].args.is_empty(), "a shell's command line is never read");
        assert_eq!(chain[1].args, ["node", "/opt/gemini/gemini.js"]);
    }

    #[test]
    fn a_cycle_and_the_limit_end_the_walk() {
        let (_keep, root) = tree(&[(3, 2, "a", 0, ""), (2, 4, "b", 0, ""), (4, 2, "c", 0, "")]);
        assert_eq!(ancestors(&root, 3, 20).len(), 2);
        assert_eq!(ancestors(&root, 3, 1).len(), 1);
        assert!(ancestors(&root, 99, 20).is_empty());
    }

    #[test]
    fn another_start_or_a_lost_terminal_is_not_alive() {
        let (_keep, root) = tree(&[(5, 1, "claude", 0, "")]);
        let process = ProcessId { pid: 5, start: 500 };
        assert!(is_alive(&root, process, 0));
        assert!(!is_alive(&root, process, 34816));
        assert!(!is_alive(&root, ProcessId { start: 501, ..process }, 0));
        assert!(!is_alive(&root, ProcessId { pid: 6, start: 500 }, 0));
    }

    #[test]
    fn finds_this_very_process() {
        let own = identify(Path::new("/proc"), std::process::id()).unwrap();
        assert!(is_alive(Path::new("/proc"), own, 0));
    }
}
