// SPDX-License-Identifier: GPL-3.0-or-later
//! What ties the panel to the desktop.

pub mod bus;
pub mod notifications;
