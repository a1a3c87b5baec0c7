// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel and the command line.

pub mod clock;
pub mod i18n;
pub mod model;
pub mod ui;
pub mod words;
