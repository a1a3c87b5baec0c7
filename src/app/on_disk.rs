// SPDX-License-Identifier: GPL-3.0-or-later
//! Files that an agent would change, as they are now. Only regular ones are opened: a name may lead anywhere.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use dasbo_core::request::OnDisk;
use rustix::fs::OFlags;

/// Larger files are not shown (4 MiB).
const MOST: u64 = 4 << 20;

/// Where a call's file is: in the session's folder, unless its path says otherwise.
pub fn path(file: &str, folder: Option<&str>) -> PathBuf {
    folder.map_or_else(|| PathBuf::from(file), |folder| Path::new(folder).join(file))
}

/// Reads a file, through links. Blocks.
pub fn read(path: &Path) -> OnDisk {
    if !path.is_absolute() {
        return OnDisk::Unseen;
    }
    match read_text(path) {
        Ok(text) => OnDisk::Text(text),
        Err(error) if error.kind() == ErrorKind::NotFound && is_in_folder(path) => OnDisk::Absent,
        Err(_) => OnDisk::Unseen,
    }
}

/// Where not even the folder is there, more may be out of sight than the file.
fn is_in_folder(path: &Path) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok();
    !is_link && path.parent().is_some_and(Path::is_dir)
}

fn read_text(path: &Path) -> io::Result<String> {
    let refused = || io::Error::from(ErrorKind::InvalidInput);
    // Looked at before: to open a device may already do something.
    if !fs::metadata(path)?.is_file() {
        return Err(refused());
    }
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(refused());
    }
    let mut text = String::new();
    file.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST { Err(refused()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_path_is_relative_to_the_session_s_folder() {
        assert_eq!(path("src/a.rs", Some("/home/ann/p")), Path::new("/home/ann/p/src/a.rs"));
        assert_eq!(path("/etc/a", Some("/home/ann/p")), Path::new("/etc/a"));
        assert_eq!(read(&path("a", None)), OnDisk::Unseen);
    }

    #[test]
    fn texts_are_read_through_links() {
        let folder = folder();
        let file = folder.path().join("a");
        fs::write(&file, "é\n").unwrap();
        symlink(&file, folder.path().join("link")).unwrap();
        assert_eq!(read(&file), OnDisk::Text("é\n".into()));
        assert_eq!(read(&folder.path().join("link")), OnDisk::Text("é\n".into()));
    }

    #[test]
    fn what_is_not_there_is_absent_if_its_folder_is_there() {
        let folder = folder();
        assert_eq!(read(&folder.path().join("a")), OnDisk::Absent);
        assert_eq!(read(&folder.path().join("b/a")), OnDisk::Unseen);
        symlink("nowhere", folder.path().join("link")).unwrap();
        assert_eq!(read(&folder.path().join("link")), OnDisk::Unseen);
    }

    #[test]
    fn nothing_but_texts_of_a_bearable_size_is_read() {
        let folder = folder();
        let file = folder.path().join("a");
        fs::write(&file, b"\xff\0").unwrap();
        assert_eq!(read(&file), OnDisk::Unseen);
        fs::write(&file, vec![b'a'; (4 << 20) + 1]).unwrap();
        assert_eq!(read(&file), OnDisk::Unseen);
        fs::write(&file, vec![b'a'; 4 << 20]).unwrap();
        assert!(matches!(read(&file), OnDisk::Text(text) if text.len() == 4 << 20));
        assert_eq!(read(folder.path()), OnDisk::Unseen);
        assert_eq!(read(Path::new("/dev/zero")), OnDisk::Unseen);
    }

    #[test]
    fn a_pipe_makes_nobody_wait() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        symlink(&pipe, folder.path().join("link")).unwrap();
        assert_eq!(read(&folder.path().join("link")), OnDisk::Unseen);
    }
}
