// SPDX-License-Identifier: GPL-3.0-or-later
//! Where a user's things are.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::helper;

/// Where a user's things are, by the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The home folder.
    pub home: PathBuf,
    /// Dasbo's state folder.
    pub state: PathBuf,
    variables: BTreeMap<OsString, OsString>,
}

impl Places {
    /// The places that these variables tell. `None` without a home.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Option<Self> {
        let variables: BTreeMap<_, _> =
            variables.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let absolute =
            |name: &str| variables.get(OsStr::new(name)).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME")?;
        let state = absolute("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("dasbo");
        Some(Self { home, state, variables })
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Where the helper is put.
    pub fn helper(&self) -> PathBuf {
        helper::path(&self.home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(variables: &[(&str, &str)]) -> Option<Places> {
        Places::new(variables.iter().map(|&(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn follow_the_environment() {
        let plain = places(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "relative"), ("EMPTY", "")]).unwrap();
        assert_eq!(plain.state, PathBuf::from("/home/me/.local/state/dasbo"));
        assert_eq!(plain.variable("EMPTY"), None);
        let moved = places(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/state")]).unwrap();
        assert_eq!(moved.state, PathBuf::from("/state/dasbo"));
        assert_eq!(places(&[("HOME", "")]), None);
    }
}
