// SPDX-License-Identifier: GPL-3.0-or-later
//! How long whole processes take, from their start to their end, in turns.

use std::fs::File;
use std::io::{PipeReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::report::median;

/// A command that is run again and again with the same on its standard input.
#[derive(Debug, Clone)]
pub struct Job {
    program: PathBuf,
    arguments: Vec<String>,
    payload: Vec<u8>,
}

impl Job {
    pub fn new(program: &Path, arguments: &[&str], payload: &[u8]) -> Self {
        Self {
            program: program.to_owned(),
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            payload: payload.to_owned(),
        }
    }

    /// Microseconds of one run. All that is not the process itself is done before.
    pub fn run(&self) -> f64 {
        let null = File::options().write(true).open("/dev/null").unwrap();
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(self.filled_pipe());
        for set in [Command::stdout::<Stdio>, Command::stderr::<Stdio>] {
            set(&mut command, null.try_clone().unwrap().into());
        }
        let begun = Instant::now();
        let status = command.spawn().and_then(|mut child| child.wait());
        let took = begun.elapsed();
        assert!(status.unwrap().success(), "{self:?}");
        took.as_secs_f64() * 1e6
    }

    /// A pipe that holds the payload and its end, as an agent leaves it that writes faster than we read.
    fn filled_pipe(&self) -> PipeReader {
        let (reader, mut writer) = std::io::pipe().unwrap();
        if self.payload.len() > 1 << 16 {
            rustix::pipe::fcntl_setpipe_size(&writer, self.payload.len()).expect("a pipe that takes it all");
        }
        writer.write_all(&self.payload).unwrap();
        reader
    }
}

/// Between runs the panel comes to rest: none pays for the one before. Meanwhile this processor is kept awake: to wake
/// it can take longer than all that is measured, the same for each, and would hide what differs.
const REST: Duration = Duration::from_millis(4);

/// Runs all jobs in turns (A B C, A B C, …). The median of each, in microseconds.
pub fn medians<const N: usize>(jobs: &[Job; N], rounds: usize) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..rounds + WARM_UP {
        for (job, times) in jobs.iter().zip(&mut times) {
            let time = job.run();
            if round >= WARM_UP {
                times.push(time);
            }
            let rested = Instant::now() + REST;
            while Instant::now() < rested {
                std::hint::spin_loop();
            }
        }
    }
    times.map(|times| median(&times))
}

const WARM_UP: usize = 10;
