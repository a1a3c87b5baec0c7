// SPDX-License-Identifier: GPL-3.0-or-later
//! Follows the transcripts of sessions: what is appended to them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use dasbo_core::agents::Agent;
use dasbo_core::event::{Ending, Event, SessionKey, What};
use dasbo_core::moment::Moment;
use dasbo_core::process::ProcessId;
use dasbo_core::watch::{FileId, Tailer};
use gio::prelude::*;
use gio::{FileMonitorEvent, FileMonitorFlags};
use glib::MainContext;

use super::queue::Outbox;
use super::small_file;
use crate::clock;

/// Milliseconds, as for the sessions' own files.
const RATE_LIMIT: i32 = 100;

/// Changes that come closer to each other are read together, so that the main loop wakes once for them.
const TOGETHER: Duration = Duration::from_millis(100);

/// What is read of a transcript that was there before (64 KiB): its last lines tell model, branch and tokens.
const TAIL: u64 = 64 << 10;

/// The transcripts that are followed.
#[derive(Debug)]
pub struct Transcripts {
    outbox: Outbox,
    followed: RefCell<HashMap<SessionKey, Transcript>>,
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
    pub fn new(outbox: Outbox) -> Rc<Self> {
        Rc::new(Self {
            outbox,
            followed: RefCell::default(),
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

    fn read_changed(&self) {
        self.waits.set(false);
        self.read_at.set(clock::now());
        for (session, agent) in self.changed.take() {
            self.read(agent, &session);
        }
    }

    fn read(&self, agent: &'static dyn Agent, session: &SessionKey) {
        while let Some((lines, more)) = self.read_once(session) {
            for event in agent.transcript(session, &lines, clock::wall(), clock::now()) {
                let bytes = lines.iter().map(Vec::len).sum();
                self.outbox.send_event(event, bytes);
            }
            if !more {
                break;
            }
        }
    }

    fn read_once(&self, session: &SessionKey) -> Option<(Vec<Vec<u8>>, bool)> {
        let mut followed = self.followed.borrow_mut();
        let transcript = followed.get_mut(session)?;
        let (mut file, metadata) = small_file::open(&transcript.path).ok()?;
        let (id, length) = (file_id(&metadata), metadata.len());
        let tailer = transcript.tailer.get_or_insert_with(|| Tailer::new(id, length, TAIL));
        let appended = tailer.read(id, length, &mut file).ok()?;
        Some((appended.lines, appended.more))
    }
}

fn file_id(metadata: &Metadata) -> FileId {
    FileId { device: metadata.dev(), inode: metadata.ino() }
}
