// SPDX-License-Identifier: GPL-3.0-or-later
//! Finds the helper that is shipped: the static one.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

use crate::agent::Outcome;
use crate::wait::{LIMIT, eventually};

/// The variable that names another helper than the one in `target/hook`.
pub const VARIABLE: &str = "DASBO_HOOK_BIN";

/// How to build it.
const BUILD: &str =
    "cargo rustc -p dasbo-hook --profile hook --target-dir target/hook -- -C target-feature=+crt-static";

/// The static helper. Panics when there is none, or when it is not static: another one is not what agents run.
pub fn path() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hook/hook/dasbo-hook");
    let path = std::env::var_os(VARIABLE).map_or_else(built, PathBuf::from);
    let Ok(path) = path.canonicalize() else {
        panic!("no helper at {}; build it: {BUILD}", path.display());
    };
    let program = std::fs::read(&path).unwrap();
    match interpreter(&program) {
        Some(false) => path,
        Some(true) => panic!("{} is not static; build it so: {BUILD}", path.display()),
        None => panic!("{} is not a 64-bit ELF program", path.display()),
    }
}

/// What comes on a helper's standard input.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// These bytes, and its end.
    Closed(&'a [u8]),
    /// These bytes, and no end.
    LeftOpen(&'a [u8]),
    /// These bytes over and over.
    Endless(&'a [u8]),
}

/// Runs a helper to its end, without an agent around it.
pub fn run(command: &mut Command, input: Input<'_>) -> Outcome {
    let begun = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    let [stdout, stderr]: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
    std::thread::scope(|scope| {
        let stdin = scope.spawn(move || feed(stdin, input));
        let [stdout, stderr] = [stdout, stderr].map(|stream| scope.spawn(|| read_all(stream)));
        let mut child = Ended(child);
        let status = eventually("the helper ends", LIMIT, || child.0.try_wait().unwrap());
        let millis = begun.elapsed().as_millis();
        drop(stdin.join());
        Outcome {
            status: status.code(),
            signal: status.signal(),
            stdout: stdout.join().unwrap(),
            stderr: stderr.join().unwrap(),
            millis: u64::try_from(millis).unwrap_or(u64::MAX),
        }
    })
}

/// Ends a helper that hangs, or the test would.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Gives back what must stay open.
fn feed(mut stdin: ChildStdin, input: Input<'_>) -> Option<ChildStdin> {
    match input {
        Input::Closed(bytes) => {
            let _ = stdin.write_all(bytes);
            None
        }
        Input::LeftOpen(bytes) => {
            let _ = stdin.write_all(bytes);
            Some(stdin)
        }
        Input::Endless(bytes) => {
            while stdin.write_all(bytes).is_ok() {}
            None
        }
    }
}

fn read_all(mut stream: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether an ELF program asks for a dynamic loader (`PT_INTERP`). Offsets: elf(5), `Elf64_Ehdr` and `Elf64_Phdr`.
fn interpreter(program: &[u8]) -> Option<bool> {
    const PT_INTERP: u32 = 3;
    program.strip_prefix(b"\x7fELF\x02")?;
    let start = usize::try_from(u64::from_ne_bytes(field(program, 32)?)).ok()?;
    let size = usize::from(u16::from_ne_bytes(field(program, 54)?));
    let count = usize::from(u16::from_ne_bytes(field(program, 56)?));
    (0..count)
        .map(|number| field(program, start + number * size).map(u32::from_ne_bytes))
        .try_fold(false, |found, kind| Some(found || kind? == PT_INTERP))
}

fn field<const N: usize>(program: &[u8], at: usize) -> Option<[u8; N]> {
    program.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_program_is_dynamic_and_a_text_is_none() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(interpreter(&own), Some(true));
        assert_eq!(interpreter(b"#!/bin/sh\n"), None);
    }
}
