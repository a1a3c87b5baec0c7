// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel and the command line.
