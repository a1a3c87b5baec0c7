// SPDX-License-Identifier: GPL-3.0-or-later
//! What Dasbo knows of each agent: one folder an agent, the only place that knows its dialect.

pub mod claude;
