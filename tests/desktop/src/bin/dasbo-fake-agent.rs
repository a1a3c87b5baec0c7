// SPDX-License-Identifier: GPL-3.0-or-later
//! The process behind `dasbo_test_support::agent::FakeAgent`, which looks for it among the programs beside its own.

fn main() {
    dasbo_test_support::agent::serve();
}
