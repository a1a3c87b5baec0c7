// SPDX-License-Identifier: GPL-3.0-or-later
//! What tests, demo and bench share.

#[cfg(feature = "model")]
pub mod items_changed;
