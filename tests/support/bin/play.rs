// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo-play --hook HELPER SCENE`: plays a scene, says `played`, and keeps its agents alive until standard input ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use dasbo_core::wire::HINTS;
use dasbo_test_support::player::{Pace, Player};
use dasbo_test_support::scene::{self, Part};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [option, helper, file] = arguments.as_slice() else {
        return fail("usage: dasbo-play --hook HELPER SCENE");
    };
    if option != "--hook" {
        return fail("usage: dasbo-play --hook HELPER SCENE");
    }
    let parts = match scene::read(Path::new(file)) {
        Ok(parts) => parts,
        Err(error) => return fail(&format!("{}: {error}", Path::new(file).display())),
    };
    let players = play(&PathBuf::from(helper), &parts);
    println!("played");
    let _ = std::io::stdout().flush();
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    drop(players);
    ExitCode::SUCCESS
}

fn fail(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

/// Plays all parts, one after the other: the panel then shows them side by side.
fn play(helper: &Path, parts: &[Part]) -> Vec<Player> {
    let play = |part: &Part| {
        let mut player = Player::new(helper, &part.recording, &part.role, command);
        player.play(Pace::AtOnce);
        player
    };
    parts.iter().map(play).collect()
}

/// Without what an agent around us says of itself.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for hint in HINTS {
        command.env_remove(hint);
    }
    command
}
