// SPDX-License-Identifier: GPL-3.0-or-later
//! More news than the queue holds.

use dasbo_test_support::client::{Client, frame, good_frame, header, process};
use dasbo_test_support::home::Home;
use dasbo_test_support::wait::LIMIT;

use crate::listener::IntakeProcess;
use crate::session_files::{write_file, write_transcript};

/// What the queue holds: 64 MiB, of which an event takes no more than 17 KiB, however large it is.
const MORE_THAN_FIT: usize = (64 << 20) / (17 << 10) + 1;

/// Sends a frame, and waits until it was taken in.
fn send(intake: &IntakeProcess, bytes: &[u8]) {
    let mut client = Client::connect(&intake.socket);
    client.send(bytes);
    assert!(client.is_closed(LIMIT));
}

#[test]
fn what_has_no_room_is_read_from_the_files_again() {
    let agent = process(std::process::id());
    let home = Home::new();
    write_file(&home.path(), agent, "lost");
    write_transcript(&home.path(), "lost");
    let mut intake = IntakeProcess::that_waits(home);
    let padding = "x".repeat(16 << 10);
    let payload = format!(r#"{{"hook_event_name":"Stop","session_id":"flood","x":"{padding}"}}"#);
    let large = frame(&header(agent, "Stop", payload.as_bytes()), payload.as_bytes());
    for _ in 0..MORE_THAN_FIT {
        send(&intake, &large);
    }
    // Small ones take what room is left.
    for _ in 0..17 {
        send(&intake, &good_frame(agent, "flood"));
    }
    send(&intake, &good_frame(agent, "lost"));
    intake.go_on();
    let before = intake.news_until("lost flood and lost");
    let count = |session: &str| before.iter().filter(|&news| news == session).count();
    assert!(count("flood") > MORE_THAN_FIT / 10 * 9, "what has room is told");
    assert_eq!(count("lost"), 2, "what its file and its transcript said at the start");
    assert_eq!([(); 2].map(|()| intake.news()), ["lost", "lost"], "both are read again");
    assert!(intake.hears("after").is_empty());
}
