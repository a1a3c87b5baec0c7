// SPDX-License-Identifier: GPL-3.0-or-later
//! Opens files of agents: only regular ones, and never one that makes a reader wait.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file that is no link.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Whether a file can be opened at all. Out of open files, nothing can be seen, and all would seem gone.
pub fn can_be_opened() -> bool {
    File::open("/proc/self/stat").is_ok()
}

/// Reads a whole file, if it has at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, _) = open(path)?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}
