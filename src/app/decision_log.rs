// SPDX-License-Identifier: GPL-3.0-or-later
//! The log of answers that arrived: a line of JSON each, kept for the person alone.

mod entry;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use async_channel::Sender;
use dasbo_core::install::Places;

pub use entry::{Entry, Said, Scope};

/// How large the log grows, in bytes (1 MiB). Then its older half goes.
const MOST: u64 = 1 << 20;

/// How many entries are read, the newest.
pub const NEWEST: usize = 500;

/// Where the log is.
pub fn path(places: &Places) -> PathBuf {
    places.state.join("decisions.jsonl")
}

/// Where entries are written, one after the other, aside from the main loop.
#[derive(Debug, Clone)]
pub struct DecisionLog(Sender<Entry>);

impl DecisionLog {
    /// Writes there. Needs the main loop of this thread.
    pub fn start(path: PathBuf) -> Self {
        let (sender, entries) = async_channel::unbounded();
        glib::spawn_future_local(async move {
            while let Ok(entry) = entries.recv().await {
                let path = path.clone();
                if let Ok(Err(error)) = gio::spawn_blocking(move || append(&path, &entry, MOST)).await {
                    tracing::warn!(%error, "an answer is missing in the log");
                }
            }
        });
        Self(sender)
    }

    /// Takes down that this was answered.
    pub fn write(&self, entry: Entry) {
        let _ = self.0.try_send(entry);
    }
}

/// The newest entries, newest first. What is no entry is left out.
pub fn read(path: &Path) -> io::Result<Vec<Entry>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(2 * MOST).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = bytes.split(|&byte| byte == b'\n').rev();
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).take(NEWEST).collect())
}

fn append(path: &Path, entry: &Entry, most: u64) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    if is_torn(&mut file)? {
        line.insert(0, b'\n');
    }
    file.write_all(&line)?;
    if file.metadata()?.len() > most { drop_older_half(path) } else { Ok(()) }
}

/// Whether the last line has no end: the machine stopped while it was written.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Written beside and renamed: at no time is there less than the newer half.
fn drop_older_half(path: &Path) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let half = bytes.len() / 2;
    let beside = path.with_extension("jsonl.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        // The newest stays, however long it is.
        if at > half {
            file.write_all(line)?;
        }
    }
    file.sync_all()?;
    fs::rename(beside, path)
}

#[cfg(test)]
mod tests;
