// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo status` and `dasbo answer` over a session bus of its own, with a panel and without one. Needs no display.

#[path = "bus/answer.rs"]
mod answer;
#[path = "bus/desktop.rs"]
mod desktop;
#[path = "bus/follow.rs"]
mod follow;
#[path = "bus/killed.rs"]
mod killed;
#[path = "bus/status.rs"]
mod status;
