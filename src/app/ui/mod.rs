// SPDX-License-Identifier: GPL-3.0-or-later
//! The widgets, one a file; each has its template in `resources/ui`.
//!
//! Window: header bar, and empty states or a `SessionView`: list of `GroupRow`s and `SessionRow`s, each of these
//! with an `AgentMark`, `SessionDetails`, and, while something is asked, `RequestCards`: a `RequestCard` for each who
//! asks, in it the view for what is asked: an `ApprovalView` with an `ActionView`, whose texts are `CodeView`s, and so on.

mod action_view;
mod agent_mark;
mod approval_view;
mod button_row;
mod code_view;
mod connect_dialog;
mod decision_row;
mod decisions_window;
mod field_row;
mod focus_target;
mod form_view;
mod grant_menu;
mod group_row;
mod guard;
mod label;
mod plan_text;
mod plan_view;
mod preferences;
mod question_page;
mod question_view;
mod request_card;
mod request_cards;
mod session_details;
mod session_row;
mod session_view;
mod shortcut;
mod window;

use action_view::ActionView;
use agent_mark::AgentMark;
use approval_view::ApprovalView;
use button_row::ButtonRow;
use code_view::CodeView;
use decision_row::DecisionRow;
use field_row::FieldRow;
use form_view::FormView;
use group_row::GroupRow;
use plan_view::PlanView;
use question_page::QuestionPage;
use question_view::QuestionView;
use request_card::RequestCard;
use request_cards::RequestCards;
use session_details::SessionDetails;
use session_row::SessionRow;
use session_view::SessionView;

pub use connect_dialog::ConnectDialog;
pub use decisions_window::DecisionsWindow;
pub use preferences::Preferences;
pub use window::{PanelState, Window};

/// Makes templates, styles and icons known. Called once, before the application runs.
pub fn init() {
    gio::resources_register_include!("dasbo.gresource").expect("the program holds its own resources");
}
