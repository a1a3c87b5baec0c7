// SPDX-License-Identifier: GPL-3.0-or-later
//! Claude Code from npm, into `target/agents` of this tree; nothing outside of it is touched.
//!
//! The package of the platform carries the program itself, so no install script has to run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The versions whose packages are recorded, by their hashes, in `agents/claude`; the newest first.
pub const PINNED: [&str; 2] = ["2.1.332", "2.1.220"];

const MANIFEST: &str = "package.json";
const LOCK: &str = "package-lock.json";

/// The program of this version, installed if it is not there yet.
///
/// The pinned version is installed by the recorded hashes. Of any other the registry's own word is all there is.
pub fn install(version: &str) -> Result<PathBuf> {
    let folder = agents_folder().join(version);
    let program = folder.join(program_path()?);
    let is_pinned = PINNED.contains(&version);
    let lock = recorded(version, LOCK);
    if program.exists() && (!is_pinned || fs::read(folder.join(LOCK)).ok() == fs::read(&lock).ok()) {
        return Ok(program);
    }
    println!("installing Claude Code {version} from npm into {}", folder.display());
    let partial = agents_folder().join(format!("{version}.partial"));
    remove(&partial)?;
    fs::create_dir_all(&partial)?;
    let manifest = fs::read_to_string(recorded(PINNED[0], MANIFEST))?.replace(PINNED[0], version);
    fs::write(partial.join(MANIFEST), manifest)?;
    if is_pinned {
        fs::copy(&lock, partial.join(LOCK))?;
    } else {
        println!("not pinned: no hashes are recorded for {version}, the registry's are taken");
    }
    npm(&partial, if is_pinned { "ci" } else { "install" })?;
    ensure!(
        partial.join(program_path()?).exists(),
        "npm has installed no Claude Code: none for this platform, or not the one whose hash is recorded"
    );
    remove(&folder)?;
    fs::rename(&partial, &folder)?;
    Ok(program)
}

/// The newest version that the registry has.
pub fn newest() -> Result<String> {
    let output = Command::new("npm")
        .args(["view", "@anthropic-ai/claude-code", "version"])
        .stderr(Stdio::inherit())
        .output()
        .context("npm is needed to find the newest Claude Code")?;
    let version = String::from_utf8(output.stdout)?.trim().to_owned();
    ensure!(output.status.success() && !version.is_empty(), "npm does not know the newest Claude Code");
    Ok(version)
}

fn npm(folder: &Path, command: &str) -> Result<()> {
    let cache = folder.join("cache");
    let status = Command::new("npm")
        .args([
            command,
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--loglevel=error",
        ])
        .arg("--cache")
        .arg(&cache)
        .current_dir(folder)
        .status()
        .context("npm is needed to install Claude Code")?;
    ensure!(status.success(), "npm {command} failed");
    remove(&cache)
}

fn program_path() -> Result<PathBuf> {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => anyhow::bail!("there is no Claude Code for {other}"),
    };
    Ok(PathBuf::from(format!("node_modules/@anthropic-ai/claude-code-linux-{machine}/claude")))
}

fn recorded(version: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/claude").join(version).join(file)
}

fn agents_folder() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).join("target/agents/claude")
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} stays", folder.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::Value;

    use super::{LOCK, PINNED, recorded};

    /// Without a hash npm would take whatever it is given; an address would tie the tree to one registry.
    #[test]
    fn every_package_of_a_pinned_version_is_recorded_by_its_hash_alone() {
        for version in PINNED {
            let lock = fs::read_to_string(recorded(version, LOCK)).unwrap();
            let lock: Value = serde_json::from_str(&lock).unwrap();
            let packages = lock["packages"].as_object().unwrap().iter();
            let packages: Vec<&Value> =
                packages.filter(|(path, _)| !path.is_empty()).map(|(_, package)| package).collect();
            assert_eq!(packages.len(), 2);
            for package in packages {
                assert_eq!(package["version"], version);
                let hash = package["integrity"].as_str().unwrap();
                assert!(hash.starts_with("sha512-"));
                assert_eq!(package.get("resolved"), None);
            }
        }
    }
}
