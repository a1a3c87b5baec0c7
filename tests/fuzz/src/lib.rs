// SPDX-License-Identifier: GPL-3.0-or-later
//! What must hold for any bytes that reach the panel from elsewhere.
//!
//! Each target takes bytes, panics where something does not hold, and says how much it understood: 0 when the bytes
//! were refused. The fuzzer looks for bytes that panic; `tests/replay.rs` plays those it found, and the recordings.

mod claude;
mod frame;
mod registry_file;
pub mod seeds;
mod splice;
mod table;
mod transcript;

/// What is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The word for it, and the name of its folder in `fixtures/fuzz`.
    pub name: &'static str,
    /// Plays bytes; how much of them was understood.
    pub play: fn(&[u8]) -> usize,
}

/// All that is fuzzed.
pub const TARGETS: &[Target] = &[
    Target { name: "frame", play: frame::play },
    Target { name: "claude", play: claude::play },
    Target { name: "registry-file", play: registry_file::play },
    Target { name: "transcript", play: transcript::play },
    Target { name: "splice", play: splice::play },
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
