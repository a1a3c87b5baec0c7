// SPDX-License-Identifier: GPL-3.0-or-later
//! Many clients at once, and clients that hold their place.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dasbo_test_support::client::{Client, good_frame, process};
use dasbo_test_support::wait::LIMIT;

use crate::listener::IntakeProcess;

/// A client that sends nothing is let go after 5 s.
const PATIENCE: Duration = Duration::from_secs(5);

fn silent(intake: &IntakeProcess, count: usize) -> Vec<Client> {
    (0..count).map(|_| Client::connect(&intake.socket)).collect()
}

#[test]
fn a_client_that_never_sends_holds_nobody_up() {
    let mut intake = IntakeProcess::new();
    let begun = Instant::now();
    let mut silent = silent(&intake, 1).remove(0);
    let mut slow = Client::connect(&intake.socket);
    let frame = good_frame(process(std::process::id()), "slow");
    slow.send(&frame[..frame.len() - 1]);
    for number in 0..5 {
        intake.hears(&format!("meanwhile {number}"));
    }
    assert!(begun.elapsed() < PATIENCE);
    assert!(!silent.is_closed(Duration::from_millis(1)), "not yet");
    assert!(silent.is_closed(LIMIT) && slow.is_closed(LIMIT));
    assert!(begun.elapsed() >= PATIENCE / 10 * 9);
    intake.hears("after");
    assert_eq!(intake.log_to_its_end().len(), 2, "a line each");
}

#[test]
fn five_hundred_at_once_are_heard_or_let_go() {
    let intake = IntakeProcess::new();
    let memory = intake.memory();
    let mut silent = silent(&intake, 200);
    let own = process(std::process::id());
    let sessions: BTreeSet<String> = (0..300).map(|number| format!("crowd {number}")).collect();
    let mut others: Vec<Client> = sessions.iter().map(|_| Client::connect(&intake.socket)).collect();
    for (client, session) in others.iter_mut().zip(&sessions) {
        client.send(&good_frame(own, session));
    }
    let heard: BTreeSet<String> = sessions.iter().map(|_| intake.news()).collect();
    assert_eq!(heard, sessions);
    assert!(others.iter_mut().all(|client| client.is_closed(LIMIT)));
    assert!(silent.iter_mut().all(|client| client.is_closed(LIMIT)));
    intake.hears("after");
    let more = intake.memory().saturating_sub(memory);
    assert!(more < 64 << 20, "{more} bytes more");
}

#[test]
fn many_large_frames_at_once_stay_within_bounds() {
    let intake = IntakeProcess::new();
    let own = process(std::process::id());
    let large = |session: &str| {
        let mut header = dasbo_test_support::client::header(own, "Stop", b"");
        header.length = dasbo_core::wire::MAX_PAYLOAD;
        let begin =
            format!(r#"{{"hook_event_name":"Stop","session_id":"{session}","x":"{}"#, "x".repeat(8 << 20));
        dasbo_test_support::client::frame(&header, begin.as_bytes())
    };
    let mut clients: Vec<Client> = (0..40).map(|_| Client::connect(&intake.socket)).collect();
    for client in &mut clients {
        client.send(&large("never whole"));
    }
    intake.hears("meanwhile");
    // 40 times half of 16 MiB, of which no more than 256 MiB are kept.
    let held = intake.memory();
    assert!(held < 400 << 20, "{held} bytes");
    assert!(clients.iter_mut().all(|client| client.is_closed(LIMIT)));
    intake.hears("after");
}

#[test]
fn out_of_open_files_it_rests_and_goes_on() {
    let mut intake = IntakeProcess::with_open_files(48);
    intake.hears("before");
    let silent = silent(&intake, 80);
    assert!(intake.log().contains("not accepted"));
    let before = intake.cpu_time();
    let begun = Instant::now();
    // It stands in the queue until the first of the silent are let go.
    assert!(intake.hears("after").is_empty());
    let waited = begun.elapsed();
    let spent = intake.cpu_time().checked_sub(before).unwrap();
    assert!(waited > PATIENCE / 2, "it was out of open files for {waited:?}");
    assert!(spent < waited / 4, "{spent:?} of {waited:?}");
    drop(silent);
    intake.hears("at last");
    let log = intake.log_to_its_end();
    let again = log.iter().filter(|line| line.contains("not accepted")).count();
    assert!(again < 2, "{again} more such lines in the log");
}

/// Then neither a pidfd nor /proc can be opened; that does not mean that the agent is dead.
#[test]
fn a_frame_that_comes_while_files_are_out_is_told() {
    let intake = IntakeProcess::with_open_files(48);
    let frame = good_frame(process(std::process::id()), "first");
    let mut first = Client::connect(&intake.socket);
    first.send(&frame[..20]);
    let _silent = silent(&intake, 80);
    assert!(intake.log().contains("not accepted"));
    first.send(&frame[20..]);
    assert_eq!(intake.news(), "first");
}
