// SPDX-License-Identifier: GPL-3.0-or-later
//! The real Claude Code: installed into this tree, at home in a throw-away folder, driven in a terminal.

mod home;
mod install;
mod session;

pub use home::Home;
pub use install::{PINNED, install, newest};
pub use session::Session;
