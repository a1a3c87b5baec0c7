// SPDX-License-Identifier: GPL-3.0-or-later
//! Watches the folders in which agents keep a file for each session that runs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::agents::{AGENTS, Agent};
use dasbo_core::event::{Event, SessionKey};
use dasbo_core::install::Places;
use dasbo_core::moment::Moment;
use dasbo_core::process;
use gio::prelude::*;
use gio::{FileMonitorEvent, FileMonitorFlags};
use glib::MainContext;

use super::liveness::Liveness;
use super::small_file;
use super::transcripts::Transcripts;
use super::waiting::Waiting;
use crate::clock;

/// Milliseconds: by itself `GLib` tells of a file that is written in place 800 ms late.
const RATE_LIMIT: i32 = 100;

/// When it is tried again what could not be done: without open files nothing can be read, without inotify nothing watched.
const LATER: Duration = Duration::from_secs(2);

/// Larger files are not such a file (64 KiB; seen: below 1 KiB).
const MAX_FILE: u64 = 64 << 10;

/// The folders, and what is learned from them.
#[derive(Debug)]
pub struct SessionFiles {
    waiting: Rc<Waiting>,
    liveness: Rc<Liveness>,
    transcripts: Rc<Transcripts>,
    folders: RefCell<Vec<(&'static dyn Agent, PathBuf)>>,
    monitors: RefCell<HashMap<PathBuf, Monitor>>,
    /// Whether it is to be tried again.
    later: Cell<bool>,
    /// Whether it was said that a folder cannot be watched.
    said: Cell<bool>,
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
        let (folders, monitors) = (RefCell::default(), RefCell::default());
        let (later, said) = (Cell::default(), Cell::default());
        Rc::new(Self { waiting, liveness, transcripts, folders, monitors, later, said })
    }

    /// Reads what is there and watches what comes.
    pub fn watch(self: &Rc<Self>, places: &Places) {
        let folders = AGENTS.iter().filter_map(|&agent| Some((agent, agent.session_folder(places)?)));
        self.folders.replace(folders.collect());
        self.watch_folders();
    }

    fn watch_folders(self: &Rc<Self>) {
        for (agent, folder) in &*self.folders.borrow() {
            self.watch_folder(*agent, folder);
        }
    }

    fn try_later(self: &Rc<Self>) {
        if self.later.replace(true) {
            return;
        }
        let files = self.clone();
        MainContext::ref_thread_default().spawn_local(async move {
            glib::timeout_future(LATER).await;
            files.later.set(false);
            files.watch_folders();
            files.read_again(|_| None);
        });
    }

    /// Of a folder that is not there the nearest one above is watched: `GLib` would poll.
    fn watch_folder(self: &Rc<Self>, agent: &'static dyn Agent, folder: &Path) {
        let Some(watched) = nearest(folder) else { return };
        let unchanged = |monitor: &Monitor| monitor.watched == watched && !monitor.monitor.is_cancelled();
        if self.monitors.borrow().get(folder).is_some_and(unchanged) {
            return;
        }
        let file = gio::File::for_path(&watched);
        let monitor = match file.monitor_directory(FileMonitorFlags::WATCH_MOVES, None::<&gio::Cancellable>) {
            Ok(monitor) => monitor,
            Err(error) => {
                if !self.said.replace(true) {
                    tracing::warn!(%error, folder = %watched.display(), "a folder is not watched");
                }
                return self.try_later();
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
        let has_changed = nearest(folder).as_ref() != Some(&watched);
        self.monitors.borrow_mut().insert(folder.to_owned(), Monitor { watched, monitor });
        if has_changed {
            // Before anybody watched.
            return self.watch_anew(agent, folder);
        }
        if is_it {
            self.read_all(agent, folder);
        }
    }

    fn watch_anew(self: &Rc<Self>, agent: &'static dyn Agent, folder: &Path) {
        // First: GLib has one watch for a path, and keeps it for a folder that is gone.
        self.monitors.borrow_mut().remove(folder);
        self.watch_folder(agent, folder);
    }

    fn changed(
        self: &Rc<Self>,
        agent: &'static dyn Agent,
        folder: &Path,
        file: &gio::File,
        other: Option<&gio::File>,
        event: FileMonitorEvent,
    ) {
        // Another folder may be the nearest now, or another one of that name.
        if !folder.is_dir()
            || file.path().as_deref() == Some(folder)
            || self.monitors.borrow().get(folder).is_none_or(|monitor| monitor.watched != folder)
        {
            return self.watch_anew(agent, folder);
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

    fn read_all(self: &Rc<Self>, agent: &'static dyn Agent, folder: &Path) {
        for path in self.entries(folder) {
            self.read(agent, &path);
        }
    }

    fn entries(self: &Rc<Self>, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder);
        if entries.is_err() && !small_file::can_be_opened() {
            self.try_later();
        }
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }

    /// Reads all files again. `lost`: when the last event of a session happened that was lost, if any was. What its file
    /// says was still true then.
    pub fn read_again(self: &Rc<Self>, lost: impl Fn(&SessionKey) -> Option<Moment>) {
        for (agent, folder) in &*self.folders.borrow() {
            for path in self.entries(folder) {
                let Some((mut event, bytes)) = self.event(*agent, &path) else { continue };
                event.at = lost(&event.session).map_or(event.at, |lost| event.at.max(lost));
                self.tell(*agent, event, bytes);
            }
        }
    }

    fn read(self: &Rc<Self>, agent: &'static dyn Agent, path: &Path) {
        if let Some((event, bytes)) = self.event(agent, path) {
            self.tell(agent, event, bytes);
        }
    }

    /// What a file says, and how large it is. What is absent, odd or half written says nothing.
    fn event(self: &Rc<Self>, agent: &'static dyn Agent, path: &Path) -> Option<(Event, usize)> {
        if path.extension() != Some(OsStr::new("json")) {
            return None;
        }
        let bytes = small_file::read(path, MAX_FILE);
        if bytes.is_err() && !small_file::can_be_opened() {
            self.try_later();
        }
        let bytes = bytes.ok()?;
        agent.session_file(path, &bytes, clock::wall()).map(|event| (event, bytes.len()))
    }

    /// Of a process that is gone it changes nothing.
    fn tell(self: &Rc<Self>, agent: &'static dyn Agent, event: Event, bytes: usize) {
        let Some(agent_process) = event.process else { return };
        let lives = process::identify(Path::new("/proc"), agent_process.id.pid) == Some(agent_process.id);
        if !lives && !small_file::can_be_opened() {
            return self.try_later();
        }
        if lives && self.liveness.add(agent_process, None) {
            self.transcripts.follow(agent, &event);
            self.waiting.tell(event, bytes);
        }
    }
}

/// The folder, or the nearest one above it that exists.
fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|path| path.is_dir()).map(Path::to_owned)
}
