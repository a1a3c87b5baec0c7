// SPDX-License-Identifier: GPL-3.0-or-later
//! A throw-away home, so that nothing touches the developer's own.

use std::ffi::OsStr;
use std::fs::{DirBuilder, create_dir_all};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use dasbo_core::install::Places;
use tempfile::TempDir;

/// A home with its runtime, state, config, data and cache folders. It goes when dropped.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

/// Variables that name a folder, and where it is in the home.
const FOLDERS: &[(&str, &str)] = &[
    ("HOME", "home"),
    ("XDG_RUNTIME_DIR", "run"),
    ("XDG_STATE_HOME", "home/.local/state"),
    ("XDG_CONFIG_HOME", "home/.config"),
    ("XDG_DATA_HOME", "home/.local/share"),
    ("XDG_CACHE_HOME", "home/.cache"),
];

impl Home {
    /// Makes one, in the temporary folder.
    #[expect(clippy::new_without_default, reason = "it makes folders")]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("dasbo-").tempdir().unwrap();
        for (_, path) in FOLDERS {
            create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            DirBuilder::new().mode(0o700).create(folder.path().join(path)).unwrap();
        }
        Self { folder }
    }

    /// The folder that `HOME` names.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The folder that `XDG_RUNTIME_DIR` names.
    pub fn runtime_folder(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The folder that `XDG_STATE_HOME` names.
    pub fn state_folder(&self) -> PathBuf {
        self.path().join(".local/state")
    }

    /// The places that this home's environment tells.
    pub fn places(&self) -> Option<Places> {
        Places::new(FOLDERS.iter().map(|(name, path)| (name.into(), self.join(path).into())))
    }

    /// Where the panel of this home listens.
    pub fn socket(&self) -> PathBuf {
        let runtime = self.runtime_folder();
        let variable = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| runtime.clone().into());
        dasbo_core::wire::socket_path(variable, u32::MAX).unwrap()
    }

    /// Makes the folder of the socket, as the panel does.
    pub fn make_socket_folder(&self) -> PathBuf {
        let socket = self.socket();
        DirBuilder::new().mode(0o700).recursive(true).create(socket.parent().unwrap()).unwrap();
        socket
    }

    /// `program` with nothing in its environment but this home, a UTF-8 locale, settings that are kept nowhere, and the
    /// developer's `PATH`.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LANG", "C.UTF-8")
            .env("GSETTINGS_BACKEND", "memory")
            .envs(FOLDERS.iter().map(|(name, path)| (name, self.join(path))))
            .current_dir(self.path());
        command
    }

    fn join(&self, path: &str) -> PathBuf {
        Path::join(self.folder.path(), path)
    }
}
