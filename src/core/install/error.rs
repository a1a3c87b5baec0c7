// SPDX-License-Identifier: GPL-3.0-or-later
//! Why a configuration is left as it is.

use std::{io, path::PathBuf};

/// Why a configuration is left as it is. Wherever one of these is returned, the configuration was not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not JSON (comments and trailing commas are allowed). Line and column count from 1.
    #[error("invalid JSON at line {line}, column {column}")]
    Invalid {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// A key on our way stands twice, so which one counts is the agent's guess.
    #[error("duplicate key {0}")]
    Duplicate(String),
    /// A value on our way has another type than the agent documents.
    #[error("{at} is not {wanted}")]
    WrongType {
        /// Where, as keys joined by dots; empty for the whole document.
        at: String,
        /// What should be there: "an object", "an array".
        wanted: &'static str,
    },
    /// The planned text does not mean what it should: a fault of ours, found before writing.
    #[error("the planned change does not verify")]
    Unverified,
    /// The file holds something else than UTF-8.
    #[error("{0} is not UTF-8")]
    NotUtf8(PathBuf),
    /// The path is a folder, socket, pipe or device.
    #[error("{0} is not a regular file")]
    NotRegular(PathBuf),
    /// The path is a symbolic link to nothing.
    #[error("{0} is a link to a missing file")]
    DanglingLink(PathBuf),
    /// The file has more than [`super::MAX_CONFIG_BYTES`] bytes.
    #[error("{0} is too large")]
    TooLarge(PathBuf),
    /// The file may not be written by this user.
    #[error("{0} is read-only")]
    ReadOnly(PathBuf),
    /// The folder of the file is missing and may not be created.
    #[error("folder {0} is missing")]
    NoFolder(PathBuf),
    /// The file is not what it was when the change was planned: plan again.
    #[error("{0} changed since the change was planned")]
    Changed(PathBuf),
    /// The path of the helper is relative or not UTF-8: it cannot stand in a command.
    #[error("{0} cannot be written into a command")]
    HelperPath(PathBuf),
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
