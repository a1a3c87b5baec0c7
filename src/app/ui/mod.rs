// SPDX-License-Identifier: GPL-3.0-or-later
//! The widgets, one a file; each has its template in `resources/ui`.
//!
//! Window: header bar, and empty states or a `SessionView`: list of `GroupRow`s and `SessionRow`s, each of these
//! with an `AgentMark` and `SessionDetails`.

mod agent_mark;
mod connect_dialog;
mod focus_target;
mod group_row;
mod label;
mod session_details;
mod session_row;
mod session_view;
mod window;

use agent_mark::AgentMark;
use group_row::GroupRow;
use session_details::SessionDetails;
use session_row::SessionRow;
use session_view::SessionView;

pub use connect_dialog::ConnectDialog;
pub use window::{PanelState, Window};

/// Makes templates, styles and icons known. Called once, before the application runs.
pub fn init() {
    gio::resources_register_include!("dasbo.gresource").expect("the program holds its own resources");
}
