// SPDX-License-Identifier: GPL-3.0-or-later
//! Format-preserving edits of other programs' configuration.
