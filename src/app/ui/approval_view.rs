// SPDX-License-Identifier: GPL-3.0-or-later
//! An approval: what a tool call would do, and whether it may.

use std::sync::Arc;

use adw::subclass::prelude::*;
use dasbo_core::request::{Request, RequestId};

use crate::model;

mod imp {
    use std::cell::OnceCell;
    use std::sync::Arc;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::agents::{self, Agent};
    use dasbo_core::request::tree::tree;
    use dasbo_core::request::{
        Action, Approval, Content, Decision, Denial, Grant, Permit, Request, RequestId, Scope, preview,
    };

    use crate::answers::Wish;
    use crate::code::Code;
    use crate::i18n::gettext;
    use crate::ui::code_view::code_view;
    use crate::ui::{Settled, label, shortcut};
    use crate::{model, on_disk, words};

    #[derive(Debug, Default)]
    pub struct ApprovalView {
        pub(super) shown: OnceCell<(model::Session, Arc<Request>, RequestId)>,
        settled: Settled,
        note: gtk::Entry,
        note_row: gtk::Box,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ApprovalView {
        const NAME: &'static str = "DasboApprovalView";
        type Type = super::ApprovalView;
        type ParentType = adw::Bin;
    }

    impl ObjectImpl for ApprovalView {
        fn constructed(&self) {
            self.parent_constructed();
            self.settled.watch(&*self.obj());
        }
    }

    impl WidgetImpl for ApprovalView {}
    impl BinImpl for ApprovalView {}

    impl ApprovalView {
        fn shown(&self) -> &(model::Session, Arc<Request>, RequestId) {
            self.shown.get().expect("given when it was made")
        }

        pub(super) fn begin(&self) {
            let (session, request, _) = self.shown();
            let Content::Approval(approval) = &request.content else { return };
            let content = gtk::Box::new(gtk::Orientation::Vertical, 8);
            self.show_action(&content, approval, &request.input);
            let data = session.data();
            if let Some(folder) = data.cwd.as_deref() {
                let folder = label::wrapping(&words::shown_name(folder));
                folder.add_css_class("quiet");
                content.append(&folder);
            }
            self.set_up_note(&content);
            let always = agents::by_id(data.key.agent.0).map(|agent| self.always(approval, agent));
            self.buttons(&content, always);
            drop(data);
            self.obj().set_child(Some(&content));
        }

        /// What would be done, and whatever else the input says.
        fn show_action(&self, content: &gtk::Box, approval: &Approval, input: &str) {
            match &approval.action {
                Action::Command { command, description } => {
                    if let Some(description) = description {
                        content.append(&label::wrapping(&words::shown(description)));
                    }
                    content.append(&code_view(Code::command(command), &gettext("The command")));
                }
                Action::Edit { file, .. } | Action::Write { file, .. } | Action::Notebook { file, .. } => {
                    content.append(&label::wrapping(&words::shown_name(file)));
                    self.show_change(content, &approval.action, file);
                }
                Action::Other => {}
            }
            let rest = Code::tree(&tree(input, approval.action.keys()));
            if !rest.is_empty() {
                content.append(&code_view(rest, &gettext("The input")));
            }
        }

        /// Reads the file aside.
        fn show_change(&self, content: &gtk::Box, action: &Action, file: &str) {
            let place = gtk::Box::new(gtk::Orientation::Vertical, 4);
            content.append(&place);
            let path = on_disk::path(file, self.shown().0.data().cwd.as_deref());
            let action = action.clone();
            glib::spawn_future_local(async move {
                let made = gio::spawn_blocking(move || {
                    let change = preview(&action, &on_disk::read(&path))?;
                    let numbered = change.basis == dasbo_core::request::Basis::File;
                    Some((Code::diff(&change.hunks, numbered), change.basis))
                });
                let Ok(Some((code, basis))) = made.await else { return };
                if let Some(words) = words::basis(basis) {
                    place.append(&label::wrapping(&words));
                }
                place.append(&code_view(code, &gettext("The change")));
            });
        }

        /// The entry for a note; there once the person wants it.
        fn set_up_note(&self, content: &gtk::Box) {
            let (session, _, id) = self.shown();
            let draft = session.draft(*id).note.clone();
            self.note_row.set_spacing(6);
            self.note_row.set_visible(draft.is_some());
            self.note.set_hexpand(true);
            self.note.set_text(draft.as_deref().unwrap_or_default());
            self.note.set_placeholder_text(Some(&gettext("What the agent should do instead")));
            let name = gettext("Note to the agent");
            self.note.update_property(&[gtk::accessible::Property::Label(&name)]);
            let view = self.obj();
            self.note.connect_changed(glib::clone!(
                #[weak]
                view,
                move |note| {
                    let (session, _, id) = view.imp().shown();
                    session.draft(*id).note = Some(note.text().into());
                }
            ));
            let send = gtk::Button::with_label(&gettext("Deny with This Note"));
            self.on_click(&send, |view| {
                let note = view.note.text();
                let denial = if note.trim().is_empty() { Denial::Plain } else { Denial::Note(note.into()) };
                view.decide(Decision::Deny(denial));
            });
            self.note_row.append(&self.note);
            self.note_row.append(&send);
            content.append(&self.note_row);
        }

        fn buttons(&self, content: &gtk::Box, always: Option<gtk::Box>) {
            let row = gtk::Box::builder().spacing(6).build();
            if let Some(always) = always {
                row.append(&opener(&gettext("Always…"), &always));
                content.append(&always);
            }
            let space = gtk::Box::builder().hexpand(true).build();
            row.append(&space);
            let ways = self.ways_to_deny();
            row.append(&opener(&gettext("Deny…"), &ways));
            content.append(&ways);
            let deny = gtk::Button::with_label(&gettext("Deny"));
            self.on_click(&deny, |view| view.decide(Decision::Deny(Denial::Plain)));
            row.append(&deny);
            let allow = gtk::Button::with_label(&gettext("Allow"));
            allow.add_css_class("suggested-action");
            self.on_click(&allow, |view| view.decide(Decision::Allow(None)));
            shortcut::press_on_control_return(&*self.obj(), &allow);
            row.append(&allow);
            content.append(&row);
        }

        fn ways_to_deny(&self) -> gtk::Box {
            let list = folded();
            let with_note = flat(&gettext("Deny with a Note…"));
            self.on_click(&with_note, |view| {
                view.note_row.set_visible(true);
                view.note.grab_focus();
            });
            let stop = flat(&gettext("Deny and Stop"));
            self.on_click(&stop, |view| view.decide(Decision::Deny(Denial::Stop)));
            list.append(&with_note);
            list.append(&stop);
            list
        }

        /// The agent's own suggestions, modes, and last every use of the tool.
        fn always(&self, approval: &Approval, agent: &dyn Agent) -> gtk::Box {
            let list = folded();
            let add = |words: &str, grant: Grant| {
                let button = flat(words);
                self.on_click(&button, move |view| view.decide(Decision::Allow(Some(grant))));
                list.append(&button);
            };
            for (at, offer) in approval.offers.iter().enumerate() {
                add(&words::offer(offer, agent), Grant::Offer(at));
            }
            for &mode in &approval.modes {
                let offered = approval.offers.iter().any(|offer| offer.permit == Permit::Mode(mode));
                if !offered {
                    add(&words::mode_words(mode), Grant::Mode(mode));
                }
            }
            for scope in Scope::ALL {
                add(&words::every(&approval.tool, scope, agent), Grant::Tool(scope));
            }
            list
        }

        /// For a moment after it was first shown nothing here acts.
        fn on_click(&self, button: &gtk::Button, act: impl Fn(&Self) + 'static) {
            let view = self.obj();
            button.connect_clicked(glib::clone!(
                #[weak]
                view,
                move |_| {
                    if view.imp().settled.is_settled() {
                        act(view.imp());
                    }
                }
            ));
        }

        fn decide(&self, decision: Decision) {
            let (session, _, id) = self.shown();
            session.wish(*id, Wish::Decide(decision));
        }
    }

    fn flat(words: &str) -> gtk::Button {
        let text = label::wrapping(words);
        text.set_max_width_chars(44);
        let button = gtk::Button::builder().child(&text).css_classes(["flat"]).build();
        button.update_property(&[gtk::accessible::Property::Label(words)]);
        button
    }

    /// More that can be chosen, once it is unfolded.
    fn folded() -> gtk::Box {
        let list = gtk::Box::new(gtk::Orientation::Vertical, 0);
        list.set_visible(false);
        list
    }

    /// Unfolds and folds a list below it.
    fn opener(name: &str, list: &gtk::Box) -> gtk::ToggleButton {
        let button = gtk::ToggleButton::with_label(name);
        button.bind_property("active", list, "visible").build();
        button
    }
}

glib::wrapper! {
    /// An approval: what a tool call would do, and whether it may.
    pub struct ApprovalView(ObjectSubclass<imp::ApprovalView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ApprovalView {
    /// A view for a request of a session.
    pub fn new(session: &model::Session, request: &Arc<Request>, id: RequestId) -> Self {
        let view: Self = glib::Object::new();
        view.imp().shown.get_or_init(|| (session.clone(), request.clone(), id));
        view.imp().begin();
        view
    }
}
