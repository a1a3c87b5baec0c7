// SPDX-License-Identifier: GPL-3.0-or-later
//! What tests with a display or a real agent share: the accessibility tree, a scripted model server, the real
//! Claude Code in a terminal, the panel under test.

pub mod accessibility;
pub mod claude;
pub mod contract;
pub mod hand;
pub mod isolation;
pub mod model_server;
pub mod panel;
pub mod record;
pub mod terminal;
pub mod wait;
