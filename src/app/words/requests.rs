// SPDX-License-Identifier: GPL-3.0-or-later
//! The sentences about a request.

use dasbo_core::event::Actor;
use dasbo_core::moment::Moment;
use dasbo_core::request::visible::{exact, visible};
use dasbo_core::request::{Action, Approval, Basis, Content, Held, Preview};
use dasbo_core::session::Wait;

use super::{duration, tool, wait};
use crate::i18n::{gettext, gettext_f, ngettext_f};

/// Who asks for what, and for how long by now: "Wants to run a command · 0:12".
pub fn request_heading(asked: &Wait, now: Moment) -> String {
    [request_name(asked), duration(now.since(asked.since))].join(" · ")
}

/// Who asks for what: "Subagent · Wants to run a command".
pub fn request_name(asked: &Wait) -> String {
    let who = matches!(asked.actor, Actor::Subagent(_)).then(|| gettext("Subagent"));
    let what = visible(&wait(asked)).into_owned();
    who.into_iter().chain([what]).collect::<Vec<_>>().join(" · ")
}

/// How long a request is held that nobody can answer in its terminal meanwhile.
pub fn remaining(held: Held, now: Moment) -> Option<String> {
    let left = held.until?.since(now);
    Some(gettext_f("Back to its terminal in {time}", &[("time", &duration(left))]))
}

/// What stands above what a call would do: what the agent says of it, or its file, or its tool.
pub fn subject(approval: &Approval) -> Option<String> {
    match &approval.action {
        Action::Command { description, .. } => {
            let said = description.as_deref().map(str::trim).filter(|said| !said.is_empty());
            said.map(|said| visible(said).into_owned())
        }
        Action::Edit { file, .. } | Action::Write { file, .. } | Action::Notebook { file, .. } => {
            Some(exact(file).into_owned())
        }
        Action::Other => Some(exact(&approval.tool).into_owned()),
    }
}

/// A folder as it is shown: with `~` for the person's own.
pub fn folder(folder: &str) -> String {
    exact(&short_folder(folder, &glib::home_dir().to_string_lossy())).into_owned()
}

fn short_folder(folder: &str, home: &str) -> String {
    match folder.strip_prefix(home) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') && home != "/" => format!("~{rest}"),
        _ => folder.to_owned(),
    }
}

/// What a diff does not say by itself.
pub fn remark(action: &Action, preview: &Preview) -> Option<String> {
    let cell = notebook_cell(action);
    let basis = match preview.basis {
        Basis::NewFile => Some(gettext("A new file")),
        Basis::Unseen => Some(gettext("The file cannot be seen from here: only what is sent is shown")),
        Basis::NotFound => {
            Some(gettext("What is to be replaced was not found in the file: only what is sent is shown"))
        }
        Basis::File if preview.hunks.is_empty() => Some(gettext("Nothing would change")),
        Basis::File => None,
    };
    let parts: Vec<String> = cell.into_iter().chain(basis).chain(everywhere(action, preview.basis)).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Said where the diff does not show all places.
fn everywhere(action: &Action, basis: Basis) -> Option<String> {
    let Action::Edit { replacements, .. } = action else { return None };
    let is_shown = matches!(basis, Basis::File | Basis::NewFile);
    (!is_shown && replacements.iter().any(|one| one.all)).then(|| gettext("everywhere in the file"))
}

fn notebook_cell(action: &Action) -> Option<String> {
    let Action::Notebook { cell, change, .. } = action else { return None };
    let cell = exact(cell.as_deref().unwrap_or_default()).into_owned();
    let values: &[(&str, &str)] = &[("cell", &cell)];
    Some(match change.as_deref() {
        Some("insert") if cell.is_empty() => gettext("A new cell"),
        Some("insert") => gettext_f("A new cell after {cell}", values),
        Some("delete") => gettext_f("Deletes the cell {cell}", values),
        None | Some("replace") => gettext_f("The cell {cell}", values),
        Some(change) => exact(change).into_owned(),
    })
}

/// "Allow all 3".
pub fn allow_all(count: usize) -> String {
    ngettext_f("Allow all {n}", "Allow all {n}", count, &[("n", &count.to_string())])
}

/// What is asked in a terminal, where no card shows it.
pub fn asked(wait: &Wait) -> Option<String> {
    let call = || {
        let tool = &wait.call.as_ref()?.tool;
        (!tool.detail.is_empty()).then(|| visible(&self::tool(tool)).into_owned())
    };
    match wait.request.as_ref().map(|request| &request.content) {
        Some(Content::Approval(approval)) => match &approval.action {
            Action::Command { command, .. } => Some(format!("$ {}", exact(command))),
            action => action.file().map(|file| format!("{} · {}", exact(&approval.tool), exact(file))),
        },
        Some(Content::Questions(questions)) => {
            let texts: Vec<_> = questions.iter().map(|question| visible(&question.text)).collect();
            Some(texts.join("\n"))
        }
        Some(Content::Plan(plan)) => Some(visible(&plan.text).into_owned()),
        Some(Content::Form(form)) => Some(visible(&form.message).into_owned()),
        Some(Content::Unclear(_)) | None => None,
    }
    .or_else(call)
}

#[cfg(test)]
mod tests {
    use dasbo_core::event::{Asks, Call, Fingerprint, Tool, WaitKind};
    use dasbo_core::request::{OnDisk, Prompt, Replacement, Request, preview};

    use super::*;

    fn command(command: &str, description: Option<&str>) -> Approval {
        let description = description.map(ToOwned::to_owned);
        approval("Bash", Action::Command { command: command.into(), description })
    }

    fn approval(tool: &str, action: Action) -> Approval {
        Approval { tool: tool.into(), action, offers: Vec::new(), modes: Vec::new() }
    }

    fn edit(all: bool) -> Action {
        let replacement = Replacement { old: "a".into(), new: "b".into(), all };
        Action::Edit { file: "src/a.rs".into(), replacements: vec![replacement] }
    }

    fn waits(approval: Approval) -> Wait {
        let tool = Tool { name: approval.tool.clone(), detail: "detail".into() };
        let request = Request {
            asks: Asks::During(String::new()),
            content: Content::Approval(approval),
            prompt: Prompt::Beside,
            input: Box::default(),
        };
        Wait {
            kind: WaitKind::Approval,
            actor: Actor::Subagent("a".into()),
            call: Some(Call { id: None, tool, input: Fingerprint(0) }),
            request: Some(request.into()),
            held: None,
            since: Moment::default(),
            confirmed: false,
        }
    }

    #[test]
    fn a_subject_says_what_the_agent_says() {
        assert_eq!(subject(&command("ls", Some(" List\u{202e} files "))).unwrap(), "List⟨U+202E⟩ files");
        assert_eq!(subject(&command("ls", Some(" "))), None);
        assert_eq!(subject(&approval("Edit", edit(false))).unwrap(), "src/a.rs");
        assert_eq!(subject(&approval("mcp__<b>x</b>", Action::Other)).unwrap(), "mcp__<b>x</b>");
    }

    #[test]
    fn folders_of_the_person_are_short() {
        assert_eq!(short_folder("/home/ann/dasbo", "/home/ann"), "~/dasbo");
        assert_eq!(short_folder("/home/ann", "/home/ann"), "~");
        assert_eq!(short_folder("/home/anna/dasbo", "/home/ann"), "/home/anna/dasbo");
        assert_eq!(short_folder("/srv/dasbo", "/"), "/srv/dasbo");
    }

    #[test]
    fn a_remark_says_what_the_diff_was_made_from() {
        let said = |all, on_disk: &OnDisk| remark(&edit(all), &preview(&edit(all), on_disk).unwrap());
        assert_eq!(said(true, &OnDisk::Text("a\na\n".into())), None);
        assert_eq!(
            said(true, &OnDisk::Unseen).unwrap(),
            "The file cannot be seen from here: only what is sent is shown · everywhere in the file"
        );
        assert_eq!(
            said(false, &OnDisk::Text("b".into())).unwrap(),
            "What is to be replaced was not found in the file: only what is sent is shown"
        );
        let write = Action::Write { file: "a".into(), content: "a".into() };
        let said = |on_disk: &OnDisk| remark(&write, &preview(&write, on_disk).unwrap());
        assert_eq!(said(&OnDisk::Absent).unwrap(), "A new file");
        assert_eq!(said(&OnDisk::Text("a".into())).unwrap(), "Nothing would change");
    }

    #[test]
    fn a_remark_names_the_cell() {
        let said = |change: Option<&str>| {
            let action = Action::Notebook {
                file: "n".into(),
                cell: Some("c1".into()),
                source: "x".into(),
                change: change.map(Into::into),
            };
            let on_disk = OnDisk::Text(r#"{"cells":[{"id":"c1","source":"y"}]}"#.into());
            remark(&action, &preview(&action, &on_disk).unwrap()).unwrap()
        };
        assert_eq!(said(None), "The cell c1");
        assert_eq!(said(Some("delete")), "Deletes the cell c1");
        assert_eq!(said(Some("insert")), "A new cell after c1");
    }

    #[test]
    fn who_asks_is_said_first() {
        assert_eq!(request_name(&waits(command("ls", None))), "Subagent · Wants to run a command");
    }

    #[test]
    fn what_no_card_shows_is_said_in_the_details() {
        assert_eq!(asked(&waits(command("ls\u{a0}-l", None))).unwrap(), "$ ls⟨U+00A0⟩-l");
        assert_eq!(asked(&waits(approval("Edit", edit(false)))).unwrap(), "Edit · src/a.rs");
        assert_eq!(asked(&waits(approval("WebFetch", Action::Other))).unwrap(), "WebFetch · detail");
    }
}
