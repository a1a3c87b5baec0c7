// SPDX-License-Identifier: GPL-3.0-or-later
//! The process behind `dasbo_test_support::agent::FakeAgent`.

fn main() {
    dasbo_test_support::agent::serve();
}
