// SPDX-License-Identifier: GPL-3.0-or-later
//! One agent's configuration, read, planned for and written.

use std::{
    fs::{self, DirBuilder, File},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use super::{Change, Entries, Error, Journal, Plan, Status, file, plan, status, undo};

/// What a change is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// To bring our entries in.
    Connect(Plan),
    /// To take them out.
    Disconnect,
}

/// One configuration that Dasbo connects to, and what it wants there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The configuration. A link is followed and kept.
    pub config: PathBuf,
    /// What should stand in it.
    pub entries: Entries,
    /// Dasbo's state folder: journals go in `connections/` below it.
    pub state: PathBuf,
    /// Whether a missing folder of the configuration is created. Where its absence means that the agent is not
    /// installed, it is not.
    pub creates_folder: bool,
}

impl Connection {
    /// How much of ours stands in the configuration now.
    pub fn status(&self) -> Result<Status, Error> {
        status(self.read()?.1.as_deref(), &self.entries)
    }

    /// What connecting would write. Nothing is written.
    pub fn plan_connect(&self) -> Result<Change, Error> {
        let (path, before) = self.read()?;
        let folder = file::folder(&path);
        if !self.creates_folder && !folder.is_dir() {
            return Err(Error::NoFolder(folder.to_owned()));
        }
        let plan = plan(before.as_deref(), &self.entries)?;
        let after = if plan.is_empty() { before.clone() } else { Some(plan.after.clone()) };
        Ok(Change { path, before, after, intent: Intent::Connect(plan) })
    }

    /// What disconnecting would write. Nothing is written.
    pub fn plan_disconnect(&self) -> Result<Change, Error> {
        let (path, before) = self.read()?;
        let journal = self.journal(&path)?;
        let after = undo(before.as_deref(), &self.entries.agent, journal.as_ref())?;
        Ok(Change { path, before, after, intent: Intent::Disconnect })
    }

    /// Writes a change, if the configuration is still what it was when it was planned.
    pub fn commit(&self, change: &Change) -> Result<(), Error> {
        let connections = self.connections();
        create_folders(&connections)?;
        let lock = connections.join("lock");
        // Two panels, or panel and command line: one at a time. Released when closed.
        let held =
            File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(Error::io(&lock))?;
        let result = match &change.intent {
            _ if unchanged(change).is_err() => unchanged(change),
            Intent::Connect(_) if change.is_empty() => Ok(()),
            Intent::Connect(plan) => self.connect(change, plan),
            Intent::Disconnect => self.disconnect(change),
        };
        drop(held);
        result
    }

    /// The journal first: whatever happens between the two writings, the way back is known.
    fn connect(&self, change: &Change, plan: &Plan) -> Result<(), Error> {
        let path = self.journal_path(&change.path);
        let old = self.journal(&change.path)?;
        let mut journal = old.clone().unwrap_or_else(|| Journal::new(&self.entries.agent, &change.path));
        journal.record(change.before.as_deref(), plan);
        write_journal(&path, &journal)?;
        let written = self.write(change, &plan.after);
        if written.is_err() {
            // The failure itself is what the caller hears of; a journal with one step too many does no harm.
            let _ = match old {
                Some(old) => write_journal(&path, &old),
                None => file::remove(&path),
            };
        }
        written
    }

    fn disconnect(&self, change: &Change) -> Result<(), Error> {
        match &change.after {
            _ if change.is_empty() => {}
            Some(after) => self.write(change, after)?,
            None => file::remove(&change.path)?,
        }
        file::remove(&self.journal_path(&change.path))
    }

    fn write(&self, change: &Change, after: &str) -> Result<(), Error> {
        let folder = file::folder(&change.path);
        if self.creates_folder {
            create_folders(folder)?;
        }
        file::replace(&change.path, after.as_bytes(), None, || unchanged(change))
    }

    fn read(&self) -> Result<(PathBuf, Option<String>), Error> {
        let path = file::resolve(&self.config)?;
        let text = file::read(&path)?;
        Ok((path, text))
    }

    /// A journal that cannot be understood counts as missing; one that cannot be read is an error.
    fn journal(&self, config: &Path) -> Result<Option<Journal>, Error> {
        let path = self.journal_path(config);
        match file::read(&path) {
            Err(Error::NotUtf8(_)) => Ok(None),
            text => Ok(text?.as_deref().and_then(Journal::parse)),
        }
    }

    fn journal_path(&self, config: &Path) -> PathBuf {
        self.connections().join(Journal::file_name(&self.entries.agent, config))
    }

    fn connections(&self) -> PathBuf {
        self.state.join("connections")
    }
}

fn unchanged(change: &Change) -> Result<(), Error> {
    let now = file::read(&change.path)?;
    if now == change.before { Ok(()) } else { Err(Error::Changed(change.path.clone())) }
}

fn write_journal(path: &Path, journal: &Journal) -> Result<(), Error> {
    file::replace(path, journal.to_text().as_bytes(), None, || Ok(()))
}

fn create_folders(folder: &Path) -> Result<(), Error> {
    if fs::metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Error::io(folder))
}
