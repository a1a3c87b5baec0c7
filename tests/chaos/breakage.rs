// SPDX-License-Identifier: GPL-3.0-or-later
//! What breaks, and how it is mended.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dasbo_test_support::helper;
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};

use crate::files;
use crate::panels::Panels;
use crate::script::MARK;
use crate::tally::Tally;

/// So many of both inotify limits are enough for anything.
const PLENTY: u32 = 10_000;

#[derive(Debug)]
pub struct Breakage {
    random: Rng,
    helper: PathBuf,
    socket: PathBuf,
}

impl Breakage {
    pub fn new(random: Rng) -> Self {
        let variable = |name: &str| std::env::var_os(name);
        let socket = dasbo_core::wire::socket_path(variable, rustix::process::getuid().as_raw());
        Self { random, helper: helper::path(), socket: socket.expect("a runtime folder") }
    }

    /// One thing breaks; then some time passes.
    pub fn strike(&mut self, panels: &mut Panels, end: Instant, tally: &Tally) {
        match self.random.u8(..100) {
            0..40 => self.kill_helpers(tally),
            40..65 => self.spoil_files(tally),
            65..72 => self.kill_panel(panels, end, tally),
            72..78 => self.remove_socket(tally),
            78..82 => self.remove_files(tally),
            82..91 => self.exhaust_files(panels, end, tally),
            _ => self.exhaust_inotify(panels, end, tally),
        }
        panels.ensure(tally);
        self.pause(300, end);
    }

    fn pause(&mut self, most: u64, end: Instant) {
        let pause = Duration::from_millis(self.random.u64(..most));
        std::thread::sleep(pause.min(end.saturating_duration_since(Instant::now())));
    }

    /// Those of this run that are there at this moment.
    fn kill_helpers(&mut self, tally: &Tally) {
        for pid in helpers(&self.helper) {
            if self.random.bool() && kill_process(pid, Signal::KILL).is_ok() {
                tally.count("signals to helpers");
            }
        }
    }

    fn kill_panel(&mut self, panels: &mut Panels, end: Instant, tally: &Tally) {
        let panel = panels.get(self.random.usize(..2));
        panel.check(tally);
        if panel.kill() {
            tally.count("panels killed");
        }
        self.pause(1_000, end);
    }

    fn remove_socket(&mut self, tally: &Tally) {
        let folder = self.socket.parent().unwrap_or(Path::new("/nonexistent"));
        let lock = dasbo_core::wire::lock_path(&self.socket);
        match self.random.u8(..4) {
            0 => drop(fs::remove_file(&self.socket)),
            1 => drop(fs::remove_file(lock)),
            2 => drop(fs::remove_dir_all(folder)),
            _ => drop(fs::rename(folder, folder.with_extension(format!("gone{}", self.random.u16(..))))),
        }
        tally.count("sockets, locks and folders removed");
    }

    fn remove_files(&mut self, tally: &Tally) {
        let folder = files::folder();
        if self.random.bool() {
            let _ = fs::remove_dir_all(&folder);
        } else {
            let _ = fs::rename(&folder, folder.with_extension(format!("gone{}", self.random.u16(..))));
        }
        tally.count("folders of sessions removed");
    }

    fn spoil_files(&mut self, tally: &Tally) {
        for entry in fs::read_dir(files::folder()).into_iter().flatten().flatten() {
            let path = entry.path();
            let pid = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let Some(pid) = pid.filter(|_| self.random.u8(..4) == 0) {
                files::spoil(pid, &mut self.random);
                tally.count("files spoiled");
            }
        }
    }

    fn exhaust_files(&mut self, panels: &mut Panels, end: Instant, tally: &Tally) {
        let number = self.random.usize(..2);
        if panels.get(number).limit_open_files(Some(self.random.u64(..4))) {
            tally.count("open files exhausted");
            self.pause(2_000, end);
            panels.get(number).limit_open_files(None);
        }
    }

    fn exhaust_inotify(&mut self, panels: &mut Panels, end: Instant, tally: &Tally) {
        let number = self.random.usize(..2);
        if panels.get(number).limit_inotify(self.random.u32(..3)) {
            tally.count("inotify exhausted");
            // What needs a new watch then.
            self.remove_files(tally);
            self.pause(3_000, end);
            panels.get(number).limit_inotify(PLENTY);
        }
    }
}

/// All can be had again.
pub fn mend(panels: &mut Panels, tally: &Tally) {
    panels.ensure(tally);
    for number in 0..2 {
        panels.get(number).limit_open_files(None);
        panels.get(number).limit_inotify(PLENTY);
    }
}

fn helpers(helper: &Path) -> Vec<Pid> {
    let mark = format!("{MARK}={}", std::process::id());
    let is_ours = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| program == helper)
            && environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_ours).filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?)).collect()
}
