// SPDX-License-Identifier: GPL-3.0-or-later
//! A network namespace of our own, with nothing in it but loopback: whatever an agent tries, nothing leaves the machine.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getgid, getuid};
use rtnetlink::{LinkUnspec, new_connection};

/// In a fresh network namespace the kernel gives the loopback device this index.
const LOOPBACK: u32 = 1;

/// Moves this process, and all it will start, into a network namespace without any device but loopback.
///
/// To be called before the first thread is started. Displays and buses stay in reach through sockets that are files;
/// abstract sockets belong to the namespace that was left.
pub fn leave_the_network() -> Result<()> {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => Ok(()),
        Err(Errno::EPERM) => unshare_as_user(),
        Err(error) => Err(error).context("no network namespace"),
    }
}

/// The user keeps their own number: a session bus lets in only those who name the number that it sees itself.
fn unshare_as_user() -> Result<()> {
    let (user, group) = (getuid(), getgid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
        .context("no user namespace: this system forbids them (sysctl user.max_user_namespaces, AppArmor)")?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).context("the group map was refused")
}

/// Brings loopback up and makes sure that there is nothing else.
pub async fn bring_loopback_up() -> Result<()> {
    let (connection, handle, _) = new_connection()?;
    let connection = tokio::spawn(connection);
    let up = LinkUnspec::new_with_index(LOOPBACK).up().build();
    handle.link().set(up).execute().await.context("loopback does not come up")?;
    connection.abort();
    let devices = devices(&fs::read_to_string("/proc/thread-self/net/dev")?);
    ensure!(devices == ["lo"], "this namespace has more than loopback: {devices:?}");
    match tokio::net::TcpListener::bind("127.0.0.1:0").await {
        Ok(_) => Ok(()),
        Err(error) => bail!("loopback is up but cannot be used: {error}"),
    }
}

/// The names in `/proc/net/dev`: two lines of headings, then one device a line, its name before the colon.
fn devices(table: &str) -> Vec<String> {
    table
        .lines()
        .skip(2)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::devices;

    #[test]
    fn reads_the_names_of_all_devices() {
        let table =
            "Inter-|   Receive  |  Transmit\n face |bytes    packets |bytes\n    lo: 12 3 4\n  eth0:1 2 3\n";
        assert_eq!(devices(table), ["lo", "eth0"]);
    }
}
