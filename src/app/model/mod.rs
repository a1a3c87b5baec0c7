// SPDX-License-Identifier: GPL-3.0-or-later
//! The registry's sessions as `GObject`s: a mirror, fed with its changes. Knows `GLib`, but no widget.

mod draft;
mod group_header;
mod layout;
mod session;
mod session_list;

pub use draft::Draft;
pub use group_header::GroupHeader;
pub use session::Session;
pub use session_list::SessionList;
