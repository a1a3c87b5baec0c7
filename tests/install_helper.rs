// SPDX-License-Identifier: GPL-3.0-or-later
//! The helper's place in the home.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use dasbo_core::install::helper::{self, Placed};

#[test]
fn the_helper_is_placed_when_it_differs() {
    let home = tempfile::tempdir().unwrap();
    let (source, target) = (home.path().join("built"), helper::path(home.path()));
    assert_eq!(target, home.path().join(".local/share/dasbo/bin/dasbo-hook"));
    fs::write(&source, "one").unwrap();
    assert_eq!(helper::place(&source, &target).unwrap(), Placed::Written);
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o755);
    let first = fs::metadata(&target).unwrap().ino();
    assert_eq!(helper::place(&source, &target).unwrap(), Placed::Unchanged);
    assert_eq!(fs::metadata(&target).unwrap().ino(), first);

    fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(helper::place(&source, &target).unwrap(), Placed::Written);
    assert_eq!(fs::metadata(&target).unwrap().mode() & 0o7777, 0o755);

    fs::write(&source, "two").unwrap();
    assert_eq!(helper::place(&source, &target).unwrap(), Placed::Written);
    assert_eq!(fs::read_to_string(&target).unwrap(), "two");
    assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1);
    assert!(helper::place(Path::new("/nowhere"), &target).is_err());
    assert_eq!(fs::read_to_string(&target).unwrap(), "two");
}

#[test]
fn a_helper_that_runs_is_replaced_without_harm() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("dasbo-hook");
    helper::place(Path::new("/bin/cat"), &target).unwrap();
    let mut running =
        std::process::Command::new(&target).stdin(std::process::Stdio::piped()).spawn().unwrap();
    helper::place(Path::new("/bin/true"), &target).unwrap();
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    assert!(fs::read(&target).unwrap() == fs::read("/bin/true").unwrap());
}
