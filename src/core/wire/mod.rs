// SPDX-License-Identifier: GPL-3.0-or-later
//! The frame between helper and panel: one header line of JSON, then the payload bytes untouched.

mod frame;
mod json_end;
mod reader;
mod reply;
mod socket_path;

pub use frame::{Form, Frame, Header, Mode, Payload};
pub use json_end::JsonEnd;
pub use reader::{FrameError, FrameReader};
pub use reply::{MAX_ANSWER, Reply, ReplyError, ReplyReader};
pub use socket_path::{SOCKET_VARIABLE, lock_path, socket_path};

/// The version of the frame that this build writes and reads.
pub const VERSION: u32 = 1;

/// Payloads up to this many bytes pass whole (16 MiB); of a larger one the frame says [`Form::Omitted`].
pub const MAX_PAYLOAD: usize = 16 << 20;

/// A header line of more bytes than this is not ours (64 KiB).
pub const MAX_HEADER: usize = 64 << 10;

/// Processes a helper walks up, itself not counted.
pub const MAX_CHAIN: usize = 20;

/// Pidfds that ride along with one frame.
pub const MAX_PIDFDS: usize = 8;

/// Variables that tell an adapter which ancestor is the agent and how its session is run.
pub const HINTS: &[&str] = &[
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "DSH_HOME",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
];

/// Variables by which terminals and multiplexers name the pane a process runs in. Never the whole environment.
pub const TERMINAL: &[&str] = &[
    "TERM_PROGRAM",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "WINDOW",
    "ZELLIJ_SESSION_NAME",
    "ZELLIJ_PANE_ID",
    "GNOME_TERMINAL_SCREEN",
    "GNOME_TERMINAL_SERVICE",
    "VTE_VERSION",
    "KONSOLE_DBUS_SERVICE",
    "KONSOLE_DBUS_SESSION",
    "KONSOLE_DBUS_WINDOW",
    "KITTY_WINDOW_ID",
    "KITTY_PID",
    "KITTY_LISTEN_ON",
    "GHOSTTY_SURFACE_ID",
    "PTYXIS_VERSION",
    "WEZTERM_PANE",
    "WEZTERM_UNIX_SOCKET",
    "TILIX_ID",
    "ALACRITTY_WINDOW_ID",
    "ALACRITTY_SOCKET",
    "WINDOWID",
    "VSCODE_IPC_HOOK_CLI",
    "TERMINAL_EMULATOR",
    "TERM_SESSION_ID",
    "ZED_TERM",
    "SWAYSOCK",
    "I3SOCK",
    "NIRI_SOCKET",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "SSH_CONNECTION",
];
