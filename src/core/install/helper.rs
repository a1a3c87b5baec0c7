// SPDX-License-Identifier: GPL-3.0-or-later
//! The helper's place: the one path that stands in every agent's configuration.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{Error, HELPER_NAME, file};

const EXECUTABLE: u32 = 0o755;

/// What [`place`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// The same file was there.
    Unchanged,
    /// It was written.
    Written,
}

/// Where the helper lives, below the user's data folder (`$XDG_DATA_HOME` is not asked: the path stands in agents'
/// configurations and must not move).
pub fn path(home: &Path) -> PathBuf {
    home.join(".local/share/dasbo/bin").join(HELPER_NAME)
}

/// Puts the executable `source` at `target` when it differs. Agents that run the old one meanwhile are not disturbed.
pub fn place(source: &Path, target: &Path) -> Result<Placed, Error> {
    let new = fs::read(source).map_err(Error::io(source))?;
    if is_placed(target, &new) {
        return Ok(Placed::Unchanged);
    }
    let folder = file::folder(target);
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    file::replace(target, &new, Some(EXECUTABLE), || Ok(()))?;
    Ok(Placed::Written)
}

fn is_placed(target: &Path, new: &[u8]) -> bool {
    let mode = fs::symlink_metadata(target).map(|found| found.is_file().then(|| found.permissions().mode()));
    let placed = mode.ok().flatten().is_some_and(|mode| mode & 0o7777 == EXECUTABLE);
    placed && fs::read(target).is_ok_and(|old| old == new)
}
