// SPDX-License-Identifier: GPL-3.0-or-later
//! Connections to real files: what is written, what is kept, and what is refused.

use std::{
    ffi::OsString,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStringExt,
        fs::{MetadataExt, PermissionsExt, chown, symlink},
        net::UnixListener,
    },
};

use dasbo_core::{
    agents::claude::install::{connection, settings_path},
    install::{Error, Status, helper},
};

#[path = "install_files/home.rs"]
mod home;

use home::{Home, NOBODY, connect, disconnect, unprivileged};

const MINE: &str = "{\n  \"model\": \"opus\"\n}\n";

#[test]
fn connects_and_disconnects_to_the_byte() {
    let home = Home::with(MINE);
    let connection = home.connection();
    assert_eq!(connection.status().unwrap(), Status::NotConnected);
    let change = connect(&connection);
    assert_eq!(Some(home.text()), change.after);
    assert_eq!(connection.status().unwrap(), Status::Connected);
    assert_eq!(home.journals().len(), 1);
    assert!(connection.plan_connect().unwrap().is_empty());
    disconnect(&connection);
    assert_eq!(home.text(), MINE);
    assert_eq!(connection.status().unwrap(), Status::NotConnected);
    assert_eq!(home.journals().len(), 0);
    assert_eq!(home.names(), ["settings.json"]);
}

#[test]
fn planning_writes_nothing() {
    let home = Home::with(MINE);
    home.connection().plan_connect().unwrap();
    home.connection().plan_disconnect().unwrap();
    assert_eq!(home.text(), MINE);
    assert!(!home.state().exists());
}

#[test]
fn a_created_file_is_private_and_goes_again() {
    let home = Home::new();
    let change = connect(&home.connection());
    assert_eq!(change.before, None);
    assert!(change.diff().starts_with("--- /dev/null\n"));
    assert_eq!(fs::metadata(home.settings()).unwrap().mode() & 0o7777, 0o600);
    disconnect(&home.connection());
    assert!(home.names().is_empty());
}

#[test]
fn a_missing_folder_means_that_the_agent_is_not_here() {
    let home = tempfile::tempdir().unwrap();
    let settings = settings_path(None, home.path());
    let mut connection =
        connection(settings.clone(), &helper::path(home.path()), home.path().join("state"), None).unwrap();
    assert!(matches!(connection.plan_connect(), Err(Error::NoFolder(_))));
    assert_eq!(connection.status().unwrap(), Status::NotConnected);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    connection.creates_folder = true;
    connect(&connection);
    assert!(settings.is_file());
}

#[test]
fn mode_and_owner_are_kept() {
    for mode in [0o600, 0o644, 0o640] {
        let home = Home::with(MINE);
        fs::set_permissions(home.settings(), Permissions::from_mode(mode)).unwrap();
        let root = rustix::process::geteuid().is_root();
        if root {
            chown(home.settings(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let before = fs::metadata(home.settings()).unwrap();
        connect(&home.connection());
        let after = fs::metadata(home.settings()).unwrap();
        assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "replaced as a whole");
    }
}

#[test]
fn the_journal_is_private() {
    let home = Home::with(MINE);
    connect(&home.connection());
    let journals = home.journals();
    assert_eq!(fs::metadata(&journals[0]).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(home.state().join("connections")).unwrap().mode() & 0o7777, 0o700);
}

#[test]
fn a_link_is_followed_and_kept() {
    let home = Home::new();
    let dotfiles = tempfile::tempdir().unwrap();
    let target = dotfiles.path().join("claude.json");
    fs::write(&target, MINE).unwrap();
    symlink(&target, home.settings()).unwrap();
    connect(&home.connection());
    assert!(fs::symlink_metadata(home.settings()).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("dasbo-hook"));
    disconnect(&home.connection());
    assert_eq!(fs::read_link(home.settings()).unwrap(), target);
    assert_eq!(fs::read_to_string(&target).unwrap(), MINE);
    assert_eq!(fs::read_dir(dotfiles.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_changed_since_the_plan_is_left() {
    let home = Home::with(MINE);
    let connection = home.connection();
    let change = connection.plan_connect().unwrap();
    let theirs = "{\"theirs\": 1}";
    fs::write(home.settings(), theirs).unwrap();
    assert!(matches!(connection.commit(&change), Err(Error::Changed(_))));
    fs::remove_file(home.settings()).unwrap();
    assert!(matches!(connection.commit(&change), Err(Error::Changed(_))));
    fs::write(home.settings(), theirs).unwrap();
    assert_eq!(home.text(), theirs);
    assert!(home.journals().is_empty());
    connect(&connection);
    let back = connection.plan_disconnect().unwrap();
    fs::write(home.settings(), "{}").unwrap();
    assert!(matches!(connection.commit(&back), Err(Error::Changed(_))));
    assert_eq!((home.text().as_str(), home.journals().len()), ("{}", 1));
}

#[test]
fn a_file_that_came_since_the_plan_is_left() {
    let home = Home::new();
    let change = home.connection().plan_connect().unwrap();
    fs::write(home.settings(), MINE).unwrap();
    assert!(matches!(home.connection().commit(&change), Err(Error::Changed(_))));
    assert_eq!(home.text(), MINE);
}

#[test]
fn without_a_journal_nothing_is_written() {
    let home = Home::with(MINE);
    let connection = home.connection();
    let change = connection.plan_connect().unwrap();
    fs::create_dir(home.state()).unwrap();
    fs::write(home.state().join("connections"), "in the way").unwrap();
    assert!(matches!(connection.commit(&change), Err(Error::Io { .. })));
    assert_eq!(home.text(), MINE);
    assert_eq!(home.names(), ["settings.json"]);
}

#[test]
fn a_created_file_that_changed_since_the_plan_stays() {
    let home = Home::new();
    connect(&home.connection());
    let back = home.connection().plan_disconnect().unwrap();
    assert_eq!(back.after, None);
    fs::write(home.settings(), MINE).unwrap();
    assert!(matches!(home.connection().commit(&back), Err(Error::Changed(_))));
    assert_eq!(home.text(), MINE);
}

#[test]
fn the_journal_comes_first() {
    let home = Home::with(MINE);
    let change = home.connection().plan_connect().unwrap();
    let connections = home.state().join("connections");
    fs::create_dir_all(&connections).unwrap();
    fs::write(connections.join("lock"), "").unwrap();
    if rustix::process::geteuid().is_root() {
        chown(connections.join("lock"), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    // Locking works, a new journal does not.
    fs::set_permissions(&connections, Permissions::from_mode(0o555)).unwrap();
    unprivileged(&home, || {
        assert!(matches!(home.connection().commit(&change), Err(Error::Io { .. })));
    });
    fs::set_permissions(&connections, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(home.text(), MINE);
}

#[test]
fn what_a_crash_left_in_the_journal_is_not_believed() {
    let home = Home::with(MINE);
    connect(&home.connection());
    // As if the settings had not been written, and then a person made an empty `hooks` of their own.
    fs::write(home.settings(), "{\"hooks\": {}}").unwrap();
    connect(&home.connection());
    let anew: serde_json::Value = serde_json::from_str(&home.text()).unwrap();
    fs::write(home.settings(), anew.to_string()).unwrap();
    disconnect(&home.connection());
    assert_eq!(home.text(), "{\"hooks\":{}}");
}

#[test]
fn a_crash_behind_the_journal_does_no_harm() {
    let home = Home::with(MINE);
    connect(&home.connection());
    // As if the machine had stopped between the two writings.
    fs::write(home.settings(), MINE).unwrap();
    assert_eq!(home.connection().status().unwrap(), Status::NotConnected);
    assert!(home.connection().plan_disconnect().unwrap().is_empty());
    connect(&home.connection());
    disconnect(&home.connection());
    assert_eq!((home.text().as_str(), home.journals().len()), (MINE, 0));
}

#[test]
fn in_a_read_only_folder_nothing_is_lost() {
    let home = Home::with(MINE);
    fs::set_permissions(home.0.path().join(".claude"), Permissions::from_mode(0o555)).unwrap();
    unprivileged(&home, || {
        let change = home.connection().plan_connect().unwrap();
        assert!(matches!(home.connection().commit(&change), Err(Error::Io { .. })));
    });
    assert_eq!(home.text(), MINE);
    assert!(home.journals().is_empty(), "the journal was taken back");
    fs::set_permissions(home.0.path().join(".claude"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_read_only_file_is_respected() {
    let home = Home::with(MINE);
    fs::set_permissions(home.settings(), Permissions::from_mode(0o444)).unwrap();
    unprivileged(&home, || {
        let change = home.connection().plan_connect().unwrap();
        assert!(matches!(home.connection().commit(&change), Err(Error::ReadOnly(_))));
    });
    assert_eq!(home.text(), MINE);
}

fn refusal(home: &Home) -> Error {
    let refused = home.connection().plan_connect().unwrap_err();
    assert!(home.connection().status().is_err());
    assert!(home.connection().plan_disconnect().is_err());
    assert!(!home.state().exists());
    refused
}

#[test]
fn what_is_no_settings_file_is_refused_and_left() {
    let home = Home::new();
    fs::create_dir(home.settings()).unwrap();
    assert!(matches!(refusal(&home), Error::NotRegular(_)));
    fs::remove_dir(home.settings()).unwrap();

    let socket = UnixListener::bind(home.settings()).unwrap();
    assert!(matches!(refusal(&home), Error::NotRegular(_)));
    drop(socket);
    fs::remove_file(home.settings()).unwrap();

    symlink("/nowhere/settings.json", home.settings()).unwrap();
    assert!(matches!(refusal(&home), Error::DanglingLink(_)));
    fs::remove_file(home.settings()).unwrap();

    fs::write(home.settings(), b"{\"a\": \"\xff\"}").unwrap();
    assert!(matches!(refusal(&home), Error::NotUtf8(_)));
    assert_eq!(fs::read(home.settings()).unwrap(), b"{\"a\": \"\xff\"}");

    fs::write(home.settings(), "{broken").unwrap();
    assert!(matches!(refusal(&home), Error::Invalid { .. }));
    assert_eq!(home.text(), "{broken");
}

#[test]
fn sixteen_mebibytes_are_read_and_no_more() {
    const MAX: usize = 16 * 1024 * 1024;
    let home = Home::with(&format!("{{}}{}", " ".repeat(MAX - 2)));
    assert_eq!(home.connection().status().unwrap(), Status::NotConnected);
    fs::write(home.settings(), format!("{{}}{}", " ".repeat(MAX - 1))).unwrap();
    assert!(matches!(refusal(&home), Error::TooLarge(_)));
}

#[test]
fn a_journal_that_is_damaged_counts_as_missing() {
    for damage in ["", "{", "{\"version\": 99}", "\u{0}"] {
        let home = Home::with(MINE);
        connect(&home.connection());
        fs::write(&home.journals()[0], damage).unwrap();
        disconnect(&home.connection());
        assert_eq!((home.text().as_str(), home.journals().len()), (MINE, 0));
    }
}

#[test]
fn each_configuration_has_its_own_journal() {
    let (home, other) = (Home::with(MINE), Home::with("{}"));
    let mut second = other.connection();
    second.state = home.state();
    connect(&home.connection());
    connect(&second);
    assert_eq!(home.journals().len(), 2);
    disconnect(&home.connection());
    disconnect(&second);
    assert_eq!((home.text().as_str(), other.text().as_str()), (MINE, "{}"));
}

#[test]
fn a_path_that_is_not_utf8_is_no_obstacle_for_the_settings() {
    let home = Home::new();
    let folder = home.0.path().join(OsString::from_vec(b"\xff".to_vec()));
    fs::create_dir(&folder).unwrap();
    let mut connection = home.connection();
    connection.config = folder.join("settings.json");
    fs::write(&connection.config, MINE).unwrap();
    connect(&connection);
    disconnect(&connection);
    assert_eq!(fs::read_to_string(&connection.config).unwrap(), MINE);
}
