// SPDX-License-Identifier: GPL-3.0-or-later
//! The words for what can be allowed beyond one call.

use dasbo_core::agents::Agent;
use dasbo_core::event::PermissionMode;
use dasbo_core::request::visible::exact;
use dasbo_core::request::{Approval, Grant, Permit, Rule, Scope};

use super::{mode, mode_meaning};
use crate::i18n::{gettext, gettext_f};

/// A grant in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedGrant {
    /// What it is.
    pub grant: Grant,
    /// What it allows: "Allow Bash(npm test *)".
    pub title: String,
    /// For how long, and where that is written: "in this project, .claude/settings.local.json".
    pub scope: String,
    /// Which it stands with.
    pub group: GrantGroup,
}

/// Grants that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantGroup {
    /// What the agent suggests.
    Offers,
    /// Modes of the session.
    Modes,
    /// Every use of the tool.
    Tool,
}

/// All that can be granted with this approval: the agent's own suggestions, then modes that are not among them, then
/// every use of the tool.
pub fn grants(approval: &Approval, agent: &dyn Agent) -> Vec<OfferedGrant> {
    let offers = approval.offers.iter().enumerate().map(|(place, offer)| OfferedGrant {
        grant: Grant::Offer(place),
        title: permit(&offer.permit),
        scope: scope(offer.scope, agent),
        group: GrantGroup::Offers,
    });
    let is_offered =
        |mode: &PermissionMode| approval.offers.iter().any(|offer| offer.permit == Permit::Mode(*mode));
    let modes = approval.modes.iter().copied().filter(|mode| !is_offered(mode)).map(|mode| OfferedGrant {
        grant: Grant::Mode(mode),
        title: switch_to(mode),
        scope: scope(Scope::Session, agent),
        group: GrantGroup::Modes,
    });
    let tool = Scope::ALL.map(|one| OfferedGrant {
        grant: Grant::Tool(one),
        title: gettext_f("Allow {what}", &[("what", &every(&approval.tool))]),
        scope: scope(one, agent),
        group: GrantGroup::Tool,
    });
    offers.chain(modes).chain(tool).collect()
}

fn permit(permit: &Permit) -> String {
    match permit {
        Permit::Rules(rules) => {
            let rules: Vec<String> = rules.iter().map(rule).collect();
            gettext_f("Allow {what}", &[("what", &rules.join(", "))])
        }
        Permit::Directories(folders) => {
            let folders: Vec<_> = folders.iter().map(|folder| exact(folder)).collect();
            gettext_f("Allow access to {folders}", &[("folders", &folders.join(", "))])
        }
        Permit::Mode(mode) => switch_to(*mode),
    }
}

fn rule(rule: &Rule) -> String {
    match &rule.pattern {
        Some(pattern) => format!("{}({})", exact(&rule.tool), exact(pattern)),
        None => every(&rule.tool),
    }
}

fn every(tool: &str) -> String {
    gettext_f("every {tool}", &[("tool", &exact(tool))])
}

fn switch_to(to: PermissionMode) -> String {
    let name = mode(to).unwrap_or_else(|| gettext("default"));
    gettext_f("Switch to {mode}: {meaning}", &[("mode", &name), ("meaning", &mode_meaning(to))])
}

fn scope(scope: Scope, agent: &dyn Agent) -> String {
    let words = match scope {
        Scope::Session => gettext("until this session ends"),
        Scope::Local => gettext("in this project"),
        Scope::Project => gettext("in this project, for all who work on it"),
        Scope::User => gettext("in all projects"),
    };
    [Some(words.as_str()), agent.scope_file(scope)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use dasbo_core::agents::claude::Claude;
    use dasbo_core::request::{Action, Offer};

    use super::*;

    fn offer(permit: Permit, scope: Scope) -> Offer {
        Offer { permit, scope, json: "{}".into() }
    }

    fn rule(tool: &str, pattern: Option<&str>) -> Rule {
        Rule { tool: tool.into(), pattern: pattern.map(Into::into) }
    }

    fn said(offers: Vec<Offer>, modes: Vec<PermissionMode>) -> Vec<(Grant, String)> {
        let approval = Approval { tool: "Bash".into(), action: Action::Other, offers, modes };
        let say = |one: OfferedGrant| (one.grant, format!("{} {}", one.title, one.scope));
        grants(&approval, &Claude).into_iter().map(say).collect()
    }

    #[test]
    fn each_suggestion_says_its_scope_and_its_file() {
        let tests = offer(Permit::Rules(vec![rule("Bash", Some("npm test *"))]), Scope::Local);
        let both = offer(
            Permit::Rules(vec![rule("Read", Some("//tmp/**")), rule("mcp__x__y", None)]),
            Scope::Project,
        );
        let folders = offer(Permit::Directories(vec!["/tmp/a".into(), "/b\u{202e}".into()]), Scope::Session);
        let said = said(vec![tests, both, folders], Vec::new());
        let words: Vec<&str> = said.iter().map(|(_, words)| words.as_str()).take(3).collect();
        assert_eq!(
            words,
            [
                "Allow Bash(npm test *) in this project, .claude/settings.local.json",
                "Allow Read(//tmp/**), every mcp__x__y in this project, for all who work on it, .claude/settings.json",
                "Allow access to /tmp/a, /b⟨U+202E⟩ until this session ends",
            ]
        );
        assert_eq!(said[1].0, Grant::Offer(1));
    }

    #[test]
    fn every_use_of_the_tool_comes_last_in_four_scopes() {
        let said = said(Vec::new(), Vec::new());
        let wanted = [
            (Scope::Local, "Allow every Bash in this project, .claude/settings.local.json"),
            (Scope::Session, "Allow every Bash until this session ends"),
            (
                Scope::Project,
                "Allow every Bash in this project, for all who work on it, .claude/settings.json",
            ),
            (Scope::User, "Allow every Bash in all projects, ~/.claude/settings.json"),
        ];
        assert_eq!(said, wanted.map(|(scope, words)| (Grant::Tool(scope), words.to_owned())));
    }

    #[test]
    fn a_mode_is_offered_once() {
        let offered = offer(Permit::Mode(PermissionMode::AcceptEdits), Scope::Session);
        let said = said(vec![offered], vec![PermissionMode::AcceptEdits, PermissionMode::Auto]);
        let modes: Vec<_> = said.into_iter().take(2).collect();
        assert_eq!(
            modes,
            [
                (
                    Grant::Offer(0),
                    "Switch to accept edits: It edits files without asking until this session ends".to_owned()
                ),
                (
                    Grant::Mode(PermissionMode::Auto),
                    "Switch to auto: A classifier decides what it may do without asking until this session ends"
                        .to_owned()
                ),
            ]
        );
    }
}
