// SPDX-License-Identifier: GPL-3.0-or-later
//! Reading a configuration, and replacing it whole or not at all.

use std::{
    ffi::OsStr,
    fs::{self, File, Permissions},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};
use tempfile::NamedTempFile;

use super::{Error, MAX_CONFIG_BYTES};

/// Of a file that we create: agents' settings can hold keys.
const PRIVATE: u32 = 0o600;

/// Where a path leads: to a file, or to a place in a folder where none is yet.
///
/// A missing folder stays as it was named.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, Error> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(Error::DanglingLink(path.to_owned())),
        Err(_) => {
            let folder = fs::canonicalize(folder(path));
            Ok(folder
                .map_or_else(|_| path.to_owned(), |folder| folder.join(path.file_name().unwrap_or_default())))
        }
    }
}

/// The text of a configuration; `None`: no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(Error::io(path))?,
    };
    if !found.is_file() {
        return Err(Error::NotRegular(path.to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err(Error::TooLarge(path.to_owned()));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Error::NotUtf8(path.to_owned()))
}

/// Replaces a file by rename, keeping mode and, where allowed, owner. `ready` has the last word before the rename.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
    ready: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let old = fs::metadata(path).ok();
    if old.is_some() && access(path, Access::WRITE_OK).is_err() {
        return Err(Error::ReadOnly(path.to_owned()));
    }
    let mode = mode.or_else(|| Some(old.as_ref()?.mode() & 0o7777)).unwrap_or(PRIVATE);
    let beside = write_beside(path, bytes).map_err(Error::io(path))?;
    if let Some(old) = old {
        // Only root may give a file away; anyone else owns it already, or keeps the new one.
        let _ = fchown(beside.as_file(), Some(old.uid()), Some(old.gid()));
    }
    let finish = || {
        beside.as_file().set_permissions(Permissions::from_mode(mode))?;
        beside.as_file().sync_all()
    };
    finish().map_err(Error::io(path))?;
    ready()?;
    beside.persist(path).map_err(|failed| Error::io(path)(failed.error))?;
    sync_folder(path)
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut prefix = OsStr::new(".").to_owned();
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    let mut beside = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder(path))?;
    beside.write_all(bytes)?;
    Ok(beside)
}

/// Removes a file, for good. One that is gone already is no error.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io(path)(error)),
        Ok(()) => sync_folder(path),
    }
}

fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = folder(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))
}

/// The folder a path stands in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
