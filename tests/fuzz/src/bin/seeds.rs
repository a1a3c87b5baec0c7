// SPDX-License-Identifier: GPL-3.0-or-later
//! Writes what the fuzzer begins with into a folder: FOLDER/TARGET/NUMBER, and FOLDER/words.
//! The names of the targets go to standard output.

use std::path::Path;
use std::{env, fs, io};

use dasbo_fuzz::{TARGETS, seeds};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: dasbo-fuzz-seeds FOLDER"))?;
    let folder = Path::new(&folder);
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds::of(target.name)?.iter().enumerate() {
            fs::write(folder.join(number.to_string()), &seed.bytes)?;
        }
        println!("{}", target.name);
    }
    fs::write(folder.join("words"), seeds::words())
}
