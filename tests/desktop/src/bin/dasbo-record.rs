// SPDX-License-Identifier: GPL-3.0-or-later
//! `dasbo-record FILE EVENT`: a hook that adds to FILE, as one line, what an agent sends it. Silent; always exit 0.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use dasbo_desktop_tests::record::{RawHook, RawLine};

fn main() {
    // An agent must not notice that it is recorded, so nobody is told of a failure.
    let _ = record();
}

fn record() -> Result<()> {
    let now = SystemTime::now();
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().context("no file")?;
    let event = arguments.next().context("no event")?;
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    let hook = RawHook::new(&event.to_string_lossy(), &input);
    append(Path::new(&file), &RawLine::new(now, &hook)?)
}

/// One write to the end: lines of hooks that run side by side do not mix.
fn append(file: &Path, line: &RawLine) -> Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    Ok(file.write_all(line.text().as_bytes())?)
}
