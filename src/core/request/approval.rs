// SPDX-License-Identifier: GPL-3.0-or-later
//! An approval: a tool call that must not run before the person allows it.

use crate::event::PermissionMode;

/// A tool call to allow or deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The tool's name, as the agent writes it, of any length.
    pub tool: String,
    /// What the call would do.
    pub action: Action,
    /// What the agent suggests to allow for longer than this call.
    pub offers: Vec<Offer>,
    /// Modes to which the session may be switched while allowing.
    pub modes: Vec<PermissionMode>,
}

/// What a call would do, where it can be shown better than as a tree of its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// To run a shell command.
    Command {
        /// The whole command.
        command: String,
        /// What the agent says of it.
        description: Option<String>,
    },
    /// To change a file in these places, in this order.
    Edit {
        /// The file's path.
        file: String,
        /// The changes.
        replacements: Vec<Replacement>,
    },
    /// To write a whole file.
    Write {
        /// The file's path.
        file: String,
        /// What it would hold.
        content: String,
    },
    /// To change a cell of a notebook.
    Notebook {
        /// The file's path.
        file: String,
        /// The cell's id, where one is named.
        cell: Option<String>,
        /// What the cell would hold.
        source: String,
        /// `replace`, `insert` or `delete`, in the agent's word.
        change: Option<String>,
    },
    /// Anything else.
    Other,
}

impl Action {
    /// Keys of the input that this says already.
    pub fn keys(&self) -> &'static [&'static str] {
        match self {
            Self::Command { .. } => &["command", "description"],
            Self::Edit { .. } => &["file_path", "old_string", "new_string", "replace_all", "edits"],
            Self::Write { .. } => &["file_path", "content"],
            Self::Notebook { .. } => &["notebook_path", "cell_id", "new_source", "edit_mode"],
            Self::Other => &[],
        }
    }
}

/// One text in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What stands there.
    pub old: String,
    /// What is to stand there.
    pub new: String,
    /// Whether everywhere, or once.
    pub all: bool,
}

/// One of the agent's own suggestions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it would allow.
    pub permit: Permit,
    /// For how long, and where that would be written.
    pub scope: Scope,
    /// The suggestion byte for byte as it came.
    pub json: Box<str>,
}

/// What an offer would allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// What these rules match.
    Rules(Vec<Rule>),
    /// To read in these folders.
    Directories(Vec<String>),
    /// What this mode allows.
    Mode(PermissionMode),
}

/// A rule: a tool, and which of its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The tool's name.
    pub tool: String,
    /// Which calls, in the agent's own pattern. `None`: all.
    pub pattern: Option<String>,
}

/// How long something is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Until the session ends. Written nowhere.
    Session,
    /// In this project, for this person.
    Local,
    /// In this project, for all who work on it.
    Project,
    /// Everywhere, for this person.
    User,
}

impl Scope {
    /// All of them, the one that Claude Code itself proposes most often first.
    pub const ALL: [Self; 4] = [Self::Local, Self::Session, Self::Project, Self::User];
}
