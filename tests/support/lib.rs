// SPDX-License-Identifier: GPL-3.0-or-later
//! What tests, demo and bench share.
//!
//! Real things where it can be: the helper is the very static binary, the agent a real process of the agent's name.

pub mod agent;
pub mod client;
pub mod helper;
pub mod home;
#[cfg(feature = "model")]
pub mod items_changed;
pub mod panel;
pub mod player;
pub mod recording;
pub mod scene;
pub mod session_file;
pub mod wait;
