// SPDX-License-Identifier: GPL-3.0-or-later
//! Why agents are not heard, and what to do about it.

use std::io;
use std::path::Path;

use crate::i18n::{gettext, gettext_f};
use crate::intake::{OpenError, Status};

/// What keeps this panel from hearing agents, if anything does.
pub fn trouble(status: &Status) -> Option<String> {
    match status {
        Status::Listening => None,
        Status::HeldElsewhere => Some(gettext(
            "Another panel hears your agents, on another desktop. Quit that one to see them here.",
        )),
        Status::Failed(reason) => {
            let reason = failure(reason);
            Some(gettext_f("Dasbo cannot hear your agents. {reason}", &[("reason", &reason)]))
        }
    }
}

/// Why agents cannot be heard, and what to do.
pub fn failure(reason: &OpenError) -> String {
    match reason {
        OpenError::NoRuntimeFolder => gettext(
            "There is no runtime folder, where they would find it. Log in again, or set XDG_RUNTIME_DIR to a folder of yours.",
        ),
        OpenError::PathTooLong(path) => about(
            "The path {path} is too long for a socket. Set DASBO_SOCKET to a shorter one, for your agents too.",
            path,
            "",
        ),
        OpenError::File(path, error) => {
            about("{path} cannot be used: {error}. Put that right, then try again.", path, &system(error))
        }
        OpenError::Socket(path, error) => about(
            "There can be no socket {path}: {error}. Put that right, then try again.",
            path,
            error.message(),
        ),
        OpenError::Watch(error) | OpenError::Thread(error) => gettext_f(
            "The system gives Dasbo too little to work with: {error}. Close other programs, then try again.",
            &[("error", &system(error))],
        ),
    }
}

fn about(message: &str, path: &Path, error: &str) -> String {
    gettext_f(message, &[("path", &path.display().to_string()), ("error", error)])
}

/// What the system says of an error, in the person's language, without its number.
pub fn system(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error ").map_or(text.as_str(), |(words, _)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn said(reason: OpenError) -> String {
        trouble(&Status::Failed(Arc::new(reason))).unwrap()
    }

    #[test]
    fn a_panel_that_hears_has_no_trouble() {
        assert_eq!(trouble(&Status::Listening), None);
        assert!(trouble(&Status::HeldElsewhere).unwrap().starts_with("Another panel hears your agents"));
    }

    #[test]
    fn a_failure_names_the_file_and_what_the_system_said() {
        let denied = io::Error::from(rustix::io::Errno::ACCESS);
        assert_eq!(
            said(OpenError::File("/run/x/hook.lock".into(), denied)),
            "Dasbo cannot hear your agents. /run/x/hook.lock cannot be used: Permission denied. \
             Put that right, then try again.",
        );
        assert!(said(OpenError::NoRuntimeFolder).contains("XDG_RUNTIME_DIR"));
        assert!(
            said(OpenError::PathTooLong("/run/x/long".into())).contains("The path /run/x/long is too long")
        );
    }
}
