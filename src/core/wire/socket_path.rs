// SPDX-License-Identifier: GPL-3.0-or-later
//! Where the socket stands: one path for native and Flatpak panels, since Flatpak binds this folder into the sandbox.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The variable that overrides the socket's path.
pub const SOCKET_VARIABLE: &str = "DASBO_SOCKET";

const FOLDER: &str = "app/org.dasbo.Dasbo";

/// Where the panel of user `uid` listens, by the environment that `variable` reads. `None` when there is no
/// runtime folder to trust.
pub fn socket_path(variable: impl Fn(&str) -> Option<OsString>, uid: u32) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(SOCKET_VARIABLE)
        .or_else(|| set("XDG_RUNTIME_DIR").map(|folder| folder.join(FOLDER).join("hook.sock")))
        .or_else(|| own_runtime_folder(uid).map(|folder| folder.join(FOLDER).join("hook.sock")))
}

/// The lock beside `socket`: whoever holds it owns the socket.
pub fn lock_path(socket: &Path) -> PathBuf {
    socket.with_extension("lock")
}

fn own_runtime_folder(uid: u32) -> Option<PathBuf> {
    let folder = PathBuf::from(format!("/run/user/{uid}"));
    let metadata = folder.symlink_metadata().ok()?;
    (metadata.is_dir() && metadata.uid() == uid && metadata.mode() & 0o777 == 0o700).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_override_wins_and_empty_means_unset() {
        let both = |name: &str| Some(OsString::from(if name == SOCKET_VARIABLE { "/x/s" } else { "/run" }));
        assert_eq!(socket_path(both, 1), Some("/x/s".into()));
        let runtime = |name: &str| Some(OsString::from(if name == SOCKET_VARIABLE { "" } else { "/r" }));
        assert_eq!(socket_path(runtime, 1), Some("/r/app/org.dasbo.Dasbo/hook.sock".into()));
        assert_eq!(socket_path(|_| None, u32::MAX), None);
        assert_eq!(lock_path(Path::new("/r/hook.sock")), Path::new("/r/hook.lock"));
    }
}
