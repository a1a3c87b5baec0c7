// SPDX-License-Identifier: GPL-3.0-or-later
//! What the fuzzer once found, and what it begins with.

use std::fs;
use std::panic;

use dasbo_fuzz::{TARGETS, seeds};

/// Each was a fault once, or is the kind of input that was meant to be one.
#[test]
fn what_was_found_is_mended() {
    let folder = seeds::fixtures().join("fuzz");
    let mut wrong = Vec::new();
    for target in TARGETS {
        let cases =
            fs::read_dir(folder.join(target.name)).unwrap_or_else(|error| panic!("{}: {error}", target.name));
        let cases: Vec<_> = cases.map(|case| case.unwrap().path()).collect();
        assert!(!cases.is_empty(), "no case of {}", target.name);
        for case in cases {
            let bytes = fs::read(&case).unwrap();
            if panic::catch_unwind(|| (target.play)(&bytes)).is_err() {
                wrong.push(case);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let folders = fs::read_dir(folder).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), TARGETS.len(), "a folder of no target");
}

#[test]
fn what_agents_really_sent_is_understood() {
    let least = [("frame", 980), ("claude", 980), ("registry-file", 400), ("transcript", 70), ("splice", 7)];
    assert_eq!(TARGETS.len(), least.len());
    for (name, least) in least {
        let target = dasbo_fuzz::target(name).unwrap();
        let seeds = seeds::of(name).unwrap();
        assert!(seeds.len() >= least, "{name} has {} seeds", seeds.len());
        for seed in seeds {
            let understood = (target.play)(&seed.bytes);
            assert!(
                understood >= seed.understood,
                "{name} {}: {understood} of {}",
                seed.name,
                seed.understood
            );
        }
    }
}
