// SPDX-License-Identifier: GPL-3.0-or-later
//! What tests, demo and bench share.
