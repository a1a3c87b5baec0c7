// SPDX-License-Identifier: GPL-3.0-or-later
//! Compiles the templates, styles and icons into the program.

fn main() {
    glib_build_tools::compile_resources(
        &["../../resources", "../../data"],
        "../../resources/dasbo.gresource.xml",
        "dasbo.gresource",
    );
}
