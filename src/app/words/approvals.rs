// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences about what may be allowed for longer than one call.

use dasbo_core::agents::Agent;
use dasbo_core::event::PermissionMode;
use dasbo_core::request::visible::exact;
use dasbo_core::request::{Basis, Offer, Permit, Rule, Scope};

use crate::i18n::{gettext, gettext_f};

/// An offer of the agent: "Bash(npm test *) in this project, .claude/settings.local.json".
pub fn offer(offer: &Offer, agent: &dyn Agent) -> String {
    let what = match &offer.permit {
        Permit::Rules(rules) => rules.iter().map(rule).collect::<Vec<_>>().join(", "),
        Permit::Directories(folders) => {
            let folders = folders.iter().map(|folder| exact(folder)).collect::<Vec<_>>().join(", ");
            gettext_f("To read in {folders}", &[("folders", &folders)])
        }
        Permit::Mode(mode) => return mode_words(*mode),
    };
    format!("{what} {}", scope(offer.scope, agent))
}

fn rule(rule: &Rule) -> String {
    match &rule.pattern {
        Some(pattern) => format!("{}({})", exact(&rule.tool), exact(pattern)),
        None => gettext_f("Every {tool}", &[("tool", &exact(&rule.tool))]),
    }
}

/// "Every Bash in this project, .claude/settings.local.json".
pub fn every(tool: &str, scope: Scope, agent: &dyn Agent) -> String {
    format!("{} {}", gettext_f("Every {tool}", &[("tool", &exact(tool))]), self::scope(scope, agent))
}

/// A mode of the session, as a thing to do.
pub fn mode_words(mode: PermissionMode) -> String {
    match mode {
        PermissionMode::AcceptEdits => gettext("Accept all edits until this session ends"),
        PermissionMode::Auto => gettext("Switch this session to auto mode"),
        _ => gettext("Switch the mode of this session"),
    }
}

fn scope(scope: Scope, agent: &dyn Agent) -> String {
    let place = match scope {
        Scope::Session => gettext("until this session ends"),
        Scope::Local => gettext("in this project, for you"),
        Scope::Project => gettext("in this project, for everybody"),
        Scope::User => gettext("everywhere"),
    };
    agent.scope_file(scope).map_or(place.clone(), |file| format!("{place}, {file}"))
}

/// What a change was compared with, where that is not the file itself.
pub fn basis(basis: Basis) -> Option<String> {
    match basis {
        Basis::File => None,
        Basis::NewFile => Some(gettext("A new file")),
        Basis::Unseen => Some(gettext("The file cannot be seen from here: this is the change alone")),
        Basis::NotFound => Some(gettext("Not found in the file as it is now: this is the change alone")),
    }
}

#[cfg(test)]
mod tests {
    use dasbo_core::agents::claude::Claude;

    use super::*;

    #[test]
    fn each_says_what_where_and_in_which_file() {
        let rule = Rule { tool: "Bash".into(), pattern: Some("npm test *".into()) };
        let local = Offer { permit: Permit::Rules(vec![rule]), scope: Scope::Local, json: Box::default() };
        assert_eq!(
            offer(&local, &Claude),
            "Bash(npm test *) in this project, for you, .claude/settings.local.json"
        );
        assert_eq!(every("Bash", Scope::Session, &Claude), "Every Bash until this session ends");
        assert_eq!(every("Bash", Scope::User, &Claude), "Every Bash everywhere, ~/.claude/settings.json");
        let hidden = Rule { tool: "Bash".into(), pattern: Some("a\u{202e}b".into()) };
        let hidden =
            Offer { permit: Permit::Rules(vec![hidden]), scope: Scope::Session, json: Box::default() };
        assert!(!offer(&hidden, &Claude).contains('\u{202e}'));
    }
}
