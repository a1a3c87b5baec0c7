// SPDX-License-Identifier: GPL-3.0-or-later
//! What the build says about itself.

/// The application's id, and the bus name that `GApplication` owns.
pub const APP_ID: &str = "org.dasbo.Dasbo";

/// This build's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the installation puts the helper. Without an installation it is beside the program.
pub const LIBEXECDIR: Option<&str> = option_env!("DASBO_LIBEXECDIR");
