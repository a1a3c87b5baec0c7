// SPDX-License-Identifier: GPL-3.0-or-later
//! Follows the transcripts of sessions: what is appended to them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::agents::{self, Agent};
use dasbo_core::event::{Ending, Event, SessionKey, What};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::watch::{FileId, Tailer};
use gio::prelude::*;
use gio::{FileMonitorEvent, FileMonitorFlags};
use glib::MainContext;

use super::small_file;
use super::waiting::Waiting;
use crate::clock;

/// Milliseconds, as for the sessions' own files.
const RATE_LIMIT: i32 = 100;

/// When it is tried again what could not be opened.
const LATER: Duration = Duration::from_secs(2);
/// Changes that come closer to each other are read together, so that the main loop wakes once for them.
const TOGETHER: Duration = Duration::from_millis(100);

/// What is read of a transcript that was there before (64 KiB): its last lines tell model, branch and tokens.
const TAIL: u64 = 64 << 10;

/// What is read to see whether a call has its result (1 MiB).
const LAST_LINES: u64 = 1 << 20;

/// The transcripts that are followed.
#[derive(Debug)]
pub struct Transcripts {
    waiting: Rc<Waiting>,
    followed: RefCell<HashMap<SessionKey, Transcript>>,
    /// Whether all are to be read again.
    later: Cell<bool>,
    /// Those that changed since they were read.
    changed: RefCell<HashMap<SessionKey, &'static dyn Agent>>,
    /// Whether these are read in a moment.
    waits: Cell<bool>,
    /// When changes were last read.
    read_at: Cell<Moment>,
}

#[derive(Debug)]
struct Transcript {
    path: PathBuf,
    process: Option<ProcessId>,
    /// None until the file is there.
    tailer: Option<Tailer>,
    monitor: gio::FileMonitor,
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.monitor.cancel();
    }
}

impl Transcripts {
    pub fn new(waiting: Rc<Waiting>) -> Rc<Self> {
        Rc::new(Self {
            waiting,
            followed: RefCell::default(),
            later: Cell::default(),
            changed: RefCell::default(),
            waits: Cell::default(),
            read_at: Cell::default(),
        })
    }

    /// Follows the transcript that an event names, or no longer the one of a session that it ends.
    pub fn follow(self: &Rc<Self>, agent: &'static dyn Agent, event: &Event) {
        if matches!(event.what, What::Ended(Ending::Gone | Ending::Replaced)) {
            self.followed.borrow_mut().remove(&event.session);
            return;
        }
        let Some(path) = event.about.transcript.as_deref().map(Path::new) else { return };
        let is_followed = self.followed.borrow().get(&event.session).is_some_and(|known| known.path == path);
        // Of a folder that is not there `GLib` would poll: the session's next event tries again.
        if is_followed || !path.is_absolute() || !path.parent().is_some_and(Path::is_dir) {
            return;
        }
        if let Err(error) = self.open(agent, event, path) {
            tracing::warn!(%error, path = %path.display(), "a transcript is not followed");
        }
    }

    /// No longer follows what a process wrote that is gone.
    pub fn forget(&self, process: ProcessId) {
        self.followed.borrow_mut().retain(|_, transcript| transcript.process != Some(process));
    }

    /// Reads the end of a session's transcript again, if it is followed.
    pub fn read_again(self: &Rc<Self>, session: &SessionKey) {
        if let Some(transcript) = self.followed.borrow_mut().get_mut(session) {
            transcript.tailer = None;
        }
        if let Some(agent) = agents::by_id(session.agent.0) {
            self.read(agent, session);
        }
    }

    /// Reads the ends of all that are followed again.
    pub fn read_all_again(self: &Rc<Self>) {
        let sessions: Vec<SessionKey> = self.followed.borrow().keys().cloned().collect();
        for session in &sessions {
            self.read_again(session);
        }
    }

    fn open(
        self: &Rc<Self>,
        agent: &'static dyn Agent,
        event: &Event,
        path: &Path,
    ) -> Result<(), glib::Error> {
        let file = gio::File::for_path(path);
        let monitor = file.monitor_file(FileMonitorFlags::NONE, None::<&gio::Cancellable>)?;
        monitor.set_rate_limit(RATE_LIMIT);
        let (transcripts, session) = (Rc::downgrade(self), event.session.clone());
        monitor.connect_changed(move |_, _, _, event| {
            // Told in addition, after the last change: there is nothing new.
            if event == FileMonitorEvent::ChangesDoneHint {
                return;
            }
            if let Some(transcripts) = transcripts.upgrade() {
                transcripts.changed(agent, &session);
            }
        });
        let process = event.process.map(|process| process.id);
        let transcript = Transcript { path: path.to_owned(), process, tailer: None, monitor };
        self.followed.borrow_mut().insert(event.session.clone(), transcript);
        self.read(agent, &event.session);
        Ok(())
    }

    /// What is appended later may be long in coming.
    fn try_later(self: &Rc<Self>) {
        if self.later.replace(true) {
            return;
        }
        let transcripts = self.clone();
        MainContext::ref_thread_default().spawn_local(async move {
            glib::timeout_future(LATER).await;
            transcripts.later.set(false);
            let sessions: Vec<SessionKey> = transcripts.followed.borrow().keys().cloned().collect();
            for session in sessions {
                if let Some(agent) = agents::by_id(session.agent.0) {
                    transcripts.read(agent, &session);
                }
            }
        });
    }

    /// Reads what changed: at once, or, where many grow, all together a little later.
    fn changed(self: &Rc<Self>, agent: &'static dyn Agent, session: &SessionKey) {
        self.changed.borrow_mut().insert(session.clone(), agent);
        let rested = clock::now().since(self.read_at.get());
        if rested >= TOGETHER {
            self.read_changed();
        } else if !self.waits.replace(true) {
            let transcripts = self.clone();
            MainContext::ref_thread_default().spawn_local(async move {
                glib::timeout_future(TOGETHER.saturating_sub(rested)).await;
                transcripts.read_changed();
            });
        }
    }

    fn read_changed(self: &Rc<Self>) {
        self.waits.set(false);
        self.read_at.set(clock::now());
        for (session, agent) in self.changed.take() {
            self.read(agent, &session);
        }
    }

    fn read(self: &Rc<Self>, agent: &'static dyn Agent, session: &SessionKey) {
        while let Some((lines, more)) = self.read_once(session) {
            for event in agent.transcript(session, &lines, clock::wall(), clock::now()) {
                let bytes = lines.iter().map(Vec::len).sum();
                self.waiting.tell(event, bytes);
            }
            if !more {
                break;
            }
        }
    }

    fn read_once(self: &Rc<Self>, session: &SessionKey) -> Option<(Vec<Vec<u8>>, bool)> {
        let mut followed = self.followed.borrow_mut();
        let transcript = followed.get_mut(session)?;
        let opened = small_file::open(&transcript.path);
        if opened.is_err() && !small_file::can_be_opened() {
            self.try_later();
        }
        let (mut file, metadata) = opened.ok()?;
        let (id, length) = (file_id(&metadata), metadata.len());
        let tailer = transcript.tailer.get_or_insert_with(|| Tailer::new(id, length, TAIL));
        let appended = tailer.read(id, length, &mut file).ok()?;
        Some((appended.lines, appended.more))
    }
}

/// The last whole lines of a transcript that nobody follows yet, 1 MiB of them at most.
pub(super) fn last_lines(path: &Path) -> Option<Vec<Vec<u8>>> {
    let (mut file, metadata) = small_file::open(path).ok()?;
    let (id, length) = (file_id(&metadata), metadata.len());
    Some(Tailer::new(id, length, LAST_LINES).read(id, length, &mut file).ok()?.lines)
}

fn file_id(metadata: &Metadata) -> FileId {
    FileId { device: metadata.dev(), inode: metadata.ino() }
}
