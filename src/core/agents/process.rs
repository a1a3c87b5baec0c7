// SPDX-License-Identifier: GPL-3.0-or-later
//! Finds the agent's process among the helper's ancestors.

use crate::event::AgentProcess;
use crate::process::Ancestor;
use crate::wire::Header;

/// Whose hook it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// This process's.
    Of(AgentProcess),
    /// An agent's that has ended meanwhile: its hook has other parents now.
    Gone,
    /// Nobody knows. A wrong guess would kill live rows.
    Unknown,
}

/// The process of an agent that goes by one of `names`, for the helper whose header this is.
///
/// `hint` is the pid that the agent itself tells its hooks. It counts only if it is in the chain and has a right
/// name: an agent started inside another inherits it.
pub(super) fn resolve(header: &Header, hint: Option<&str>, names: &[&str]) -> Whose {
    let hint: Option<u32> = hint.and_then(|pid| pid.trim().parse().ok());
    let chain = &header.chain;
    let right = |ancestor: &&Ancestor| is_called(ancestor, names);
    let hinted = chain.iter().find(|ancestor| Some(ancestor.id.pid) == hint).filter(right);
    if let Some(ancestor) = hinted.or_else(|| search(chain, names)).filter(|found| right(found)) {
        return Whose::Of(AgentProcess { id: ancestor.id, tty: ancestor.tty });
    }
    let is_there = |pid| chain.iter().any(|ancestor| ancestor.id.pid == pid);
    let sees_others = chain.iter().any(|ancestor| ancestor.id.pid > 1 && !ancestor.is_shell());
    let nobody_fits = sees_others && !chain.iter().any(|ancestor| right(&ancestor));
    if nobody_fits && hint.is_some_and(|pid| !is_there(pid)) {
        return Whose::Gone;
    }
    search(chain, names)
        .map_or(Whose::Unknown, |ancestor| Whose::Of(AgentProcess { id: ancestor.id, tty: ancestor.tty }))
}

fn search<'a>(chain: &'a [Ancestor], names: &[&str]) -> Option<&'a Ancestor> {
    let mut nearest = None;
    for ancestor in chain.iter().filter(|ancestor| !ancestor.is_shell()) {
        if is_called(ancestor, names) {
            return Some(ancestor);
        }
        if ancestor.is_interpreter() {
            break;
        }
        // Those who take in orphans are nobody's agent.
        if ancestor.id.pid != 1 && ancestor.comm != "systemd" {
            nearest = nearest.or(Some(ancestor));
        }
    }
    nearest
}

fn is_called(ancestor: &Ancestor, names: &[&str]) -> bool {
    let is_name = |name: &str| names.contains(&name);
    let base = |path: &str| path.rsplit('/').next().is_some_and(is_name);
    is_name(&ancestor.comm) || (ancestor.is_interpreter() && ancestor.args.iter().any(|arg| base(arg)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessId;

    const NAMES: &[&str] = &["claude"];

    fn step(pid: u32, comm: &str, args: &str) -> Ancestor {
        let id = ProcessId { pid, start: u64::from(pid) };
        Ancestor { id, comm: comm.into(), args: args.split_whitespace().map(Into::into).collect(), tty: 7 }
    }

    fn found(chain: &[Ancestor]) -> Option<u32> {
        search(chain, NAMES).map(|ancestor| ancestor.id.pid)
    }

    #[test]
    fn skips_shells_and_finds_the_name() {
        assert_eq!(found(&[step(9, "sh", ""), step(8, "claude", ""), step(7, "bash", "")]), Some(8));
        assert_eq!(found(&[step(9, "wrapper", ""), step(8, "claude", "")]), Some(8));
    }

    #[test]
    fn an_interpreter_is_the_agent_or_ends_the_walk() {
        let node = step(8, "MainThread", "node /usr/lib/claude-code/bin/claude --resume");
        assert_eq!(found(&[step(9, "sh", ""), node]), Some(8));
        let other = step(8, "node", "node server.js");
        assert_eq!(found(&[other.clone(), step(7, "claude", "")]), None, "never past an interpreter");
        assert_eq!(found(&[step(9, "wrapper", ""), other]), Some(9));
    }

    #[test]
    fn an_agent_that_ended_is_told_from_an_unknown_one() {
        let whose = |chain: &[Ancestor], hint| {
            let header = Header {
                version: crate::wire::VERSION,
                agent: "claude".into(),
                mode: crate::wire::Mode::Notify,
                event: "Stop".into(),
                at: crate::moment::Moment::default(),
                helper: ProcessId { pid: 99, start: 1 },
                again: false,
                chain: chain.to_vec(),
                pidfds: Vec::new(),
                hints: std::collections::BTreeMap::new(),
                terminal: std::collections::BTreeMap::new(),
                form: crate::wire::Form::Json,
                length: 0,
            };
            resolve(&header, hint, NAMES)
        };
        let orphan = [step(9, "sh", ""), step(7, "systemd", ""), step(1, "systemd", "")];
        assert_eq!(whose(&orphan, Some("8")), Whose::Gone, "its hook was taken in by another");
        assert_eq!(whose(&orphan, None), Whose::Unknown, "a session manager is nobody's agent");
        let sandbox = [step(2, "sh", ""), step(1, "bwrap", "")];
        assert_eq!(whose(&sandbox, Some("8")), Whose::Unknown, "its parents are hidden");
        let renamed = [step(9, "sh", ""), step(8, "my-claude", "")];
        assert!(matches!(whose(&renamed, Some("8")), Whose::Of(process) if process.id.pid == 8));
    }

    #[test]
    fn without_a_name_the_nearest_is_taken_and_shells_alone_are_nobody() {
        assert_eq!(
            found(&[step(9, "sh", ""), step(8, "my-agent", ""), step(7, "tmux: server", "")]),
            Some(8)
        );
        assert_eq!(found(&[step(9, "sh", ""), step(8, "zsh", ""), step(1, "systemd", "")]), None);
        assert_eq!(found(&[]), None);
    }
}
