// SPDX-License-Identifier: GPL-3.0-or-later
//! Watches the folders in which agents keep a file for each session that runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::install::Places;
use dasbo_core::process;
use gio::prelude::*;
use gio::{FileMonitorEvent, FileMonitorFlags};

use super::liveness::Liveness;
use super::small_file;
use super::transcripts::Transcripts;
use super::waiting::Waiting;
use crate::clock;

/// Milliseconds: by itself `GLib` tells of a file that is written in place 800 ms late.
const RATE_LIMIT: i32 = 100;

/// Larger files are not such a file (64 KiB; seen: below 1 KiB).
const MAX_FILE: u64 = 64 << 10;

/// The folders, and what is learned from them.
#[derive(Debug)]
pub struct SessionFiles {
    waiting: Rc<Waiting>,
    liveness: Rc<Liveness>,
    transcripts: Rc<Transcripts>,
    monitors: RefCell<HashMap<PathBuf, Monitor>>,
}

/// A monitor of a folder, or of the nearest one above it that exists.
#[derive(Debug)]
struct Monitor {
    watched: PathBuf,
    monitor: gio::FileMonitor,
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.monitor.cancel();
    }
}

impl SessionFiles {
    pub fn new(waiting: Rc<Waiting>, liveness: Rc<Liveness>, transcripts: Rc<Transcripts>) -> Rc<Self> {
        Rc::new(Self { waiting, liveness, transcripts, monitors: RefCell::default() })
    }

    /// Reads what is there and watches what comes.
    pub fn watch(self: &Rc<Self>, places: &Places) {
        for &agent in AGENTS {
            if let Some(folder) = agent.session_folder(places) {
                self.watch_folder(agent, &folder);
            }
        }
    }

    /// Of a folder that is not there the nearest one above is watched: `GLib` would poll.
    fn watch_folder(self: &Rc<Self>, agent: &'static dyn Agent, folder: &Path) {
        let Some(watched) = nearest(folder).map(Path::to_owned) else { return };
        let unchanged = |monitor: &Monitor| monitor.watched == watched && !monitor.monitor.is_cancelled();
        if self.monitors.borrow().get(folder).is_some_and(unchanged) {
            return;
        }
        let file = gio::File::for_path(&watched);
        let monitor = match file.monitor_directory(FileMonitorFlags::WATCH_MOVES, None::<&gio::Cancellable>) {
            Ok(monitor) => monitor,
            Err(error) => {
                return tracing::warn!(%error, folder = %watched.display(), "a folder is not watched");
            }
        };
        monitor.set_rate_limit(RATE_LIMIT);
        let (files, wanted) = (Rc::downgrade(self), folder.to_owned());
        monitor.connect_changed(move |_, file, other, event| {
            if let Some(files) = files.upgrade() {
                files.changed(agent, &wanted, file, other, event);
            }
        });
        let is_it = watched == folder;
        self.monitors.borrow_mut().insert(folder.to_owned(), Monitor { watched, monitor });
        if is_it {
            self.read_all(agent, folder);
        } else if nearest(folder) != Some(&*self.watched(folder)) {
            // A nearer one was made before this one was watched.
            self.watch_folder(agent, folder);
        }
    }

    fn watched(&self, folder: &Path) -> PathBuf {
        self.monitors.borrow().get(folder).map(|monitor| monitor.watched.clone()).unwrap_or_default()
    }

    fn changed(
        self: &Rc<Self>,
        agent: &'static dyn Agent,
        folder: &Path,
        file: &gio::File,
        other: Option<&gio::File>,
        event: FileMonitorEvent,
    ) {
        // Another folder may be the nearest now.
        if !folder.is_dir()
            || self.monitors.borrow().get(folder).is_none_or(|monitor| monitor.watched != folder)
        {
            self.monitors.borrow_mut().remove(folder);
            return self.watch_folder(agent, folder);
        }
        let path = match event {
            // Written beside and renamed: the wanted name is the second.
            FileMonitorEvent::Renamed => other.and_then(FileExt::path),
            FileMonitorEvent::Deleted | FileMonitorEvent::MovedOut => None,
            _ => file.path(),
        };
        if let Some(path) = path {
            self.read(agent, &path);
        }
    }

    fn read_all(&self, agent: &'static dyn Agent, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            self.read(agent, &entry.path());
        }
    }

    /// What is absent, odd, half written or of a process that is gone changes nothing.
    fn read(&self, agent: &'static dyn Agent, path: &Path) {
        if path.extension() != Some(OsStr::new("json")) {
            return;
        }
        let Ok(bytes) = small_file::read(path, MAX_FILE) else { return };
        let Some(event) = agent.session_file(path, &bytes, clock::wall()) else { return };
        let Some(agent_process) = event.process else { return };
        let lives = process::identify(Path::new("/proc"), agent_process.id.pid) == Some(agent_process.id);
        if lives && self.liveness.add(agent_process, None) {
            self.transcripts.follow(agent, &event);
            self.waiting.tell(event, bytes.len());
        }
    }
}

/// The folder, or the nearest one above it that is there.
fn nearest(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|path| path.is_dir())
}
