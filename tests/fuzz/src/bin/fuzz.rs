// SPDX-License-Identifier: GPL-3.0-or-later
//! libFuzzer over one target, which the variable DASBO_FUZZ names. `./dev fuzz` runs it.
#![no_main]

use std::env;
use std::sync::LazyLock;

use dasbo_fuzz::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("DASBO_FUZZ").expect("DASBO_FUZZ names the target");
    dasbo_fuzz::target(&name).expect("DASBO_FUZZ names a target")
});

fuzz_target!(|bytes: &[u8]| {
    (TARGET.play)(bytes);
});
