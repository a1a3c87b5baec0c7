// SPDX-License-Identifier: GPL-3.0-or-later
//! A home of its own for each test.

use std::{ffi::OsString, fs, os::unix::fs::chown, path::PathBuf};

use dasbo_core::{
    agents::claude::install::{connection, settings_path},
    install::{Change, Connection, helper},
};
use tempfile::TempDir;

/// Somebody whom permissions bind.
pub const NOBODY: u32 = 65_534;

/// A throw-away home with Claude's folder.
pub struct Home(pub TempDir);

impl Home {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(".claude")).unwrap();
        Self(home)
    }

    pub fn with(text: &str) -> Self {
        let home = Self::new();
        fs::write(home.settings(), text).unwrap();
        home
    }

    pub fn settings(&self) -> PathBuf {
        settings_path(None, self.0.path())
    }

    pub fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    pub fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    pub fn connection(&self) -> Connection {
        connection(self.settings(), &helper::path(self.0.path()), self.state(), None).unwrap()
    }

    /// The journals that exist.
    pub fn journals(&self) -> Vec<PathBuf> {
        let Ok(found) = fs::read_dir(self.state().join("connections")) else {
            return Vec::new();
        };
        let found = found.map(|entry| entry.unwrap().path());
        found.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
    }

    /// All names in Claude's folder: nothing may be left beside the settings.
    pub fn names(&self) -> Vec<OsString> {
        fs::read_dir(self.0.path().join(".claude")).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }
}

pub fn connect(connection: &Connection) -> Change {
    let change = connection.plan_connect().unwrap();
    connection.commit(&change).unwrap();
    change
}

pub fn disconnect(connection: &Connection) {
    connection.commit(&connection.plan_disconnect().unwrap()).unwrap();
}

/// Runs as somebody whom permissions bind, root or not.
pub fn unprivileged(home: &Home, run: impl FnOnce() + Send) {
    let root = rustix::process::geteuid().is_root();
    if root {
        let folders = [home.0.path().to_owned(), home.0.path().join(".claude"), home.settings()];
        for path in folders {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    std::thread::scope(|scope| {
        let run = || {
            if root {
                // This thread only; the process stays who it is.
                rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(NOBODY)).unwrap();
            }
            run();
        };
        scope.spawn(run).join().unwrap();
    });
}
