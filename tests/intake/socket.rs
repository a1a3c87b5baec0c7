// SPDX-License-Identifier: GPL-3.0-or-later
//! Whose the socket is, and who may come in.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use dasbo::intake::Status;
use dasbo_core::wire::lock_path;
use dasbo_test_support::client::{Client, good_frame, process};
use dasbo_test_support::home::Home;
use dasbo_test_support::wait::{LIMIT, eventually};
use rustix::fs::{FlockOperation, flock};

use crate::listener::{Intake, IntakeProcess};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn folder_and_socket_are_this_users_alone() {
    let intake = Intake::new();
    assert_eq!(mode(&intake.socket), 0o600);
    let runtime = intake.home.runtime_folder();
    for folder in intake.socket.ancestors().skip(1).take_while(|folder| **folder != *runtime) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn a_socket_left_behind_is_replaced() {
    let home = Home::new();
    drop(UnixListener::bind(home.make_socket_folder()).unwrap());
    assert!(home.socket().exists(), "left behind");
    let intake = Intake::begin(home.into());
    assert_eq!(intake.status(), Status::Listening);
    intake.hears_nothing_but("s");
}

#[test]
fn a_second_panel_takes_over_when_the_first_ends() {
    let mut first = IntakeProcess::new();
    let second = Intake::begin(first.home.clone());
    assert_eq!(second.status(), Status::HeldElsewhere);
    first.hears("to the first");
    assert!(second.news_within(Duration::from_millis(100)).is_none(), "it waits");
    first.kill();
    assert_eq!(second.status(), Status::Listening);
    second.hears_nothing_but("to the second");
}

/// How someone who cleans up may remove it.
const REMOVALS: &[fn(&Path)] = &[
    |socket| fs::remove_file(socket).unwrap(),
    |socket| fs::remove_file(lock_path(socket)).unwrap(),
    |socket| fs::rename(socket.parent().unwrap(), socket.ancestors().nth(2).unwrap().join("aside")).unwrap(),
    // What is made anew meanwhile may be in the way.
    |socket| while fs::remove_dir_all(socket.parent().unwrap()).is_err() {},
];

fn is_heard_again(intake: &IntakeProcess) {
    // Events may be lost, which is told.
    let mut before = intake.news_until("deaf");
    eventually("it is heard again", LIMIT, || UnixStream::connect(&intake.socket).ok());
    before.extend(intake.hears("after"));
    assert!(before.iter().all(|news| news == "deaf" || news == "Listening"), "{before:?}");
    assert_eq!((mode(&intake.socket), lock_path(&intake.socket).exists()), (0o600, true));
}

#[test]
fn a_socket_that_was_removed_is_made_again() {
    for remove in REMOVALS {
        let intake = IntakeProcess::new();
        intake.hears("before");
        remove(&intake.socket);
        is_heard_again(&intake);
        REMOVALS.last().unwrap()(&intake.socket);
        is_heard_again(&intake);
    }
}

/// The other one waits for a lock that is no longer in its place.
#[test]
fn a_removed_lock_does_not_make_two_owners() {
    let mut first = IntakeProcess::new();
    let second = Intake::begin(first.home.clone());
    assert_eq!(second.status(), Status::HeldElsewhere);
    fs::remove_file(lock_path(&first.socket)).unwrap();
    assert_eq!([first.news(), first.news()], ["Listening", "deaf"]);
    assert_eq!(second.status(), Status::HeldElsewhere);
    first.hears("to the first");
    first.kill();
    assert_eq!(second.status(), Status::Listening);
    second.hears_nothing_but("to the second");
}

#[test]
fn the_lock_alone_decides() {
    let home = Home::new();
    let path = lock_path(&home.make_socket_folder());
    let lock = File::create(&path).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let intake = Intake::begin(home.into());
    assert_eq!(intake.status(), Status::HeldElsewhere);
    assert!(!intake.socket.exists());
    drop(lock);
    assert_eq!(intake.status(), Status::Listening);
    assert_eq!(mode(&intake.socket), 0o600);
}

#[test]
fn without_a_place_for_the_socket_it_says_why() {
    let home = Home::new();
    let folder = home.socket().parent().unwrap().to_owned();
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(&folder, "a file").unwrap();
    let intake = Intake::begin(home.into());
    let Status::Failed(why) = intake.status() else { panic!("it listens") };
    assert!(why.to_string().contains(&*folder.to_string_lossy()), "{why}");
}

/// Needs root, to be another user for once.
#[test]
fn another_user_is_not_heard() {
    if !rustix::process::getuid().is_root() {
        println!("not root: nobody here can be another user");
        return;
    }
    let intake = IntakeProcess::new();
    // All doors are opened: it is the peer's user that counts.
    for folder in intake.socket.ancestors().skip(1).take_while(|folder| **folder != *std::env::temp_dir()) {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&intake.socket, Permissions::from_mode(0o666)).unwrap();
    let mut foreign = Client::connect_as(65_534, &intake.socket);
    foreign.send(&good_frame(process(std::process::id()), "foreign"));
    assert!(foreign.is_closed(LIMIT));
    assert!(intake.hears("own").is_empty());
    assert!(intake.log().contains("not this user's process"));
}
