// SPDX-License-Identifier: GPL-3.0-or-later
//! What a user sees in the window: the real panel and the real helper, recordings played by fake agents, read over
//! AT-SPI. What must be there comes from `fixtures/README.md` and the words of the product, never from its output.

mod approvals;
mod asker;
mod cards;
mod clicks;
mod empty;
mod forms;
mod groups;
mod keyboard;
mod many;
mod notifications;
mod panels;
mod plans;
mod questions;
mod seen;
mod sessions;
mod stage;
mod switches;
