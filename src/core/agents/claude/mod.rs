// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code.

pub mod install;
