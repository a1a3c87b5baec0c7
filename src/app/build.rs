// SPDX-License-Identifier: GPL-3.0-or-later
//! Compiles the templates, styles and icons into the program, and the settings' schema beside it.

use std::path::Path;
use std::process::Command;

const SCHEMA: &str = "../../data/org.dasbo.Dasbo.gschema.xml";

fn main() {
    glib_build_tools::compile_resources(
        &["../../resources", "../../data"],
        "../../resources/dasbo.gresource.xml",
        "dasbo.gresource",
    );
    compile_schema();
}

/// A program that is not installed finds its settings there.
fn compile_schema() {
    println!("cargo:rerun-if-changed={SCHEMA}");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    let folder = Path::new(&out).join("schemas");
    std::fs::create_dir_all(&folder).expect("cargo's folder can be written to");
    std::fs::copy(SCHEMA, folder.join("org.dasbo.Dasbo.gschema.xml")).expect("the schema is in the tree");
    let status = Command::new("glib-compile-schemas").arg("--strict").arg(&folder).status();
    let status = status.expect("glib-compile-schemas is part of GLib's development files");
    assert!(status.success(), "glib-compile-schemas: {status}");
}
