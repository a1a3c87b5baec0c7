// SPDX-License-Identifier: GPL-3.0-or-later
//! What a tool call would do, in full: a command, a diff against the file on disk, or its input as a tree.

use std::sync::Arc;

use adw::subclass::prelude::*;
use dasbo_core::request::{Action, Approval, Basis, Content, Request, preview, tree};

use crate::code::Code;
use crate::{model, on_disk};

/// Larger inputs are made ready aside from the main loop (bytes).
const AT_ONCE: usize = 16 << 10;

mod imp {
    use std::sync::Arc;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use dasbo_core::request::{Action, Approval, Request};
    use gtk::CompositeTemplate;

    use super::{AT_ONCE, Prepared, approval, prepare};
    use crate::i18n::gettext;
    use crate::ui::{CodeView, label};
    use crate::{model, words};

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/action_view.ui")]
    pub struct ActionView {
        #[template_child]
        subject: TemplateChild<gtk::Label>,
        #[template_child]
        code: TemplateChild<CodeView>,
        #[template_child]
        remark: TemplateChild<gtk::Label>,
        #[template_child]
        rest: TemplateChild<CodeView>,
        #[template_child]
        folder_box: TemplateChild<gtk::Box>,
        #[template_child]
        folder: TemplateChild<gtk::Label>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ActionView {
        const NAME: &'static str = "DasboActionView";
        type Type = super::ActionView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            CodeView::ensure_type();
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for ActionView {}
    impl WidgetImpl for ActionView {}
    impl BinImpl for ActionView {}

    impl ActionView {
        pub(super) fn show(
            &self,
            session: &model::Session,
            request: &Arc<Request>,
            on_shown: impl Fn() + 'static,
        ) {
            let Some(asked) = approval(request) else { return };
            let data = session.data();
            let folder = data.cwd.clone().or_else(|| data.project.clone());
            self.introduce(asked, folder.as_deref());
            if asked.action.file().is_none() && request.input.len() <= AT_ONCE {
                return self.fill(prepare(request, None), on_shown);
            }
            let (view, request) = (self.obj().downgrade(), request.clone());
            glib::spawn_future_local(async move {
                let prepared = gio::spawn_blocking(move || prepare(&request, folder.as_deref())).await;
                if let (Some(view), Ok(prepared)) = (view.upgrade(), prepared) {
                    view.imp().fill(prepared, on_shown);
                }
            });
        }

        /// What needs no look at files.
        fn introduce(&self, asked: &Approval, folder: Option<&str>) {
            let subject = words::subject(asked);
            label::say_or_hide(&self.subject, subject.as_deref());
            if matches!(asked.action, Action::Other) {
                self.subject.add_css_class("heading");
            }
            if asked.action.file().is_some() {
                self.subject.add_css_class("monospace");
            }
            let name = match asked.action {
                Action::Command { .. } => gettext("Command"),
                Action::Other => gettext("Input"),
                _ => gettext("Changes"),
            };
            self.code.set_name(&name);
            self.rest.set_name(&gettext("Further input"));
            let folder = folder.map(words::folder);
            self.folder_box.set_visible(folder.is_some());
            label::say(&self.folder, &folder.unwrap_or_default());
            self.folder_box.set_tooltip_text(Some(&gettext("Working directory")));
        }

        fn fill(&self, prepared: Prepared, on_shown: impl Fn() + 'static) {
            label::say_or_hide(&self.remark, prepared.remark.as_deref());
            self.code.set_visible(!prepared.code.is_empty());
            self.rest.set_visible(!prepared.rest.is_empty());
            let rest = self.rest.clone();
            self.code.show(prepared.code, move || rest.show(prepared.rest, on_shown));
        }
    }
}

glib::wrapper! {
    /// What a tool call would do.
    pub struct ActionView(ObjectSubclass<imp::ActionView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ActionView {
    /// Shows what an approval is about. `on_shown` is called when all of it can be seen.
    pub fn show(&self, session: &model::Session, request: &Arc<Request>, on_shown: impl Fn() + 'static) {
        self.imp().show(session, request, on_shown);
    }
}

/// What is shown of a call.
#[derive(Debug)]
struct Prepared {
    code: Code,
    rest: Code,
    remark: Option<String>,
}

fn approval(request: &Request) -> Option<&Approval> {
    if let Content::Approval(approval) = &request.content { Some(approval) } else { None }
}

/// Reads the file that a call would change, if it is one. Blocks.
fn prepare(request: &Request, folder: Option<&str>) -> Prepared {
    let action = approval(request).map_or(&Action::Other, |approval| &approval.action);
    let rest = Code::tree(&tree::tree(&request.input, action.keys()));
    match action {
        Action::Command { command, .. } => Prepared { code: Code::command(command), rest, remark: None },
        Action::Other => Prepared { code: rest, rest: Code::default(), remark: None },
        Action::Edit { file, .. } | Action::Write { file, .. } | Action::Notebook { file, .. } => {
            let on_disk = on_disk::read(&on_disk::path(file, folder));
            match preview(action, &on_disk) {
                Some(preview) => {
                    let is_notebook = matches!(action, Action::Notebook { .. });
                    let numbered = !is_notebook && matches!(preview.basis, Basis::File | Basis::NewFile);
                    let remark = crate::words::remark(action, &preview);
                    Prepared { code: Code::diff(&preview.hunks, numbered), rest, remark }
                }
                None => Prepared { code: Code::default(), rest, remark: None },
            }
        }
    }
}
