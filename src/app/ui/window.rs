// SPDX-License-Identifier: GPL-3.0-or-later
//! The panel's window.

use adw::prelude::*;
use adw::subclass::prelude::*;

use crate::model::{Session, SessionList};

/// How the panel stands to the agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PanelState {
    /// It does not know yet.
    #[default]
    Starting,
    /// No agent's hooks are connected.
    NotConnected,
    /// Some of an agent's hooks are connected.
    PartlyConnected,
    /// It hears from agents.
    Listening,
    /// Another panel hears from them.
    HeldElsewhere,
    /// It cannot hear from agents: why, and what to do.
    Failed(String),
}

mod imp {
    use std::cell::{Cell, OnceCell, RefCell};

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;
    use gtk::gdk::{Key, ModifierType};

    use super::{PanelState, about, shortcuts};
    use crate::i18n::gettext;
    use crate::model::SessionList;
    use crate::ui::SessionView;
    use crate::words;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/window.ui")]
    pub struct Window {
        #[template_child]
        heading: TemplateChild<adw::WindowTitle>,
        #[template_child]
        pages: TemplateChild<gtk::Stack>,
        #[template_child]
        failed: TemplateChild<adw::StatusPage>,
        #[template_child]
        no_sessions: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) view: TemplateChild<SessionView>,
        /// What is shown.
        pub(super) list: OnceCell<SessionList>,
        /// How the panel stands to the agents.
        pub(super) state: RefCell<PanelState>,
        /// Whether the focus moved and nobody looked yet.
        focus_moved: Cell<bool>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Window {
        const NAME: &'static str = "DasboWindow";
        type Type = super::Window;
        type ParentType = adw::ApplicationWindow;

        fn class_init(klass: &mut Self::Class) {
            SessionView::ensure_type();
            klass.bind_template();
            klass.add_binding_action(Key::w, ModifierType::CONTROL_MASK, "window.close");
            klass.add_binding_action(Key::q, ModifierType::CONTROL_MASK, "app.quit");
            klass.install_action("win.about", None, |window, _, _| about(window).present());
            klass.install_action("win.show-help-overlay", None, |window, _, _| shortcuts(window).present());
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for Window {
        fn constructed(&self) {
            self.parent_constructed();
            self.show_page("starting");
            let window = self.obj();
            window.connect_focus_widget_notify(|window| window.imp().note_focus());
            window.connect_is_active_notify(|window| {
                window.imp().note_focus();
                window.imp().view.refresh();
            });
        }
    }

    impl WidgetImpl for Window {
        fn map(&self) {
            self.parent_map();
            self.focus_page();
        }
    }

    impl WindowImpl for Window {}
    impl ApplicationWindowImpl for Window {}
    impl AdwApplicationWindowImpl for Window {}

    impl Window {
        /// Looks at the focus a moment later: it moves while the list view changes its rows, and holding or
        /// releasing a row changes them too.
        fn note_focus(&self) {
            if self.focus_moved.replace(true) {
                return;
            }
            let window = self.obj().downgrade();
            glib::source::idle_add_local_full(glib::Priority::HIGH_IDLE, move || {
                if let Some(window) = window.upgrade() {
                    window.imp().focus_moved.set(false);
                    window.imp().view.follow_focus(window.is_active());
                }
                glib::ControlFlow::Break
            });
        }

        /// Gives what the page is for the focus: its button, or the first row. A person who is elsewhere stays there.
        fn focus_page(&self) {
            let window = self.obj().downgrade();
            // Once the page is laid out.
            glib::idle_add_local_once(move || {
                let Some(window) = window.upgrade() else { return };
                let focus = GtkWindowExt::focus(&window);
                let chosen = |focus: gtk::Widget| {
                    window.gets_focus_visible() || focus.ancestor(gtk::Popover::static_type()).is_some()
                };
                if focus.is_some_and(chosen) {
                    return;
                }
                let imp = window.imp();
                match imp.pages.visible_child() {
                    Some(page) if page == *imp.view.upcast_ref::<gtk::Widget>() => imp.view.focus_first(),
                    Some(page) => drop(page.child_focus(gtk::DirectionType::TabForward)),
                    None => {}
                }
            });
        }

        /// Shows the counts, and the list or what there is to say instead.
        pub(super) fn update(&self) {
            let Some(list) = self.list.get() else {
                return;
            };
            let title = words::waiting(list.waiting()).unwrap_or_else(|| "Dasbo".to_owned());
            self.heading.set_title(&title);
            let sessions = list.sessions();
            if sessions > 0 {
                self.no_sessions.set_title(&gettext("No sessions"));
            }
            let subtitle = (sessions > 0).then(|| words::sessions(sessions));
            self.heading.set_subtitle(&subtitle.unwrap_or_default());
            self.obj().set_title(Some(&title));
            let page = match &*self.state.borrow() {
                PanelState::Failed(reason) => {
                    self.failed.set_description(Some(&glib::markup_escape_text(reason)));
                    "failed"
                }
                PanelState::HeldElsewhere => "held-elsewhere",
                _ if sessions > 0 => "sessions",
                PanelState::Listening => "no-sessions",
                PanelState::Starting => "starting",
                PanelState::NotConnected => "not-connected",
                PanelState::PartlyConnected => "partly-connected",
            };
            if self.pages.visible_child_name().as_deref() != Some(page) {
                self.show_page(page);
                self.focus_page();
            }
        }

        /// Hides the other pages altogether: GTK 4.8 tells a screen reader of all that are merely behind, and lays out
        /// their texts and loads their pictures before anybody sees them.
        fn show_page(&self, name: &str) {
            let Some(shown) = self.pages.child_by_name(name) else {
                return;
            };
            shown.set_visible(true);
            self.pages.set_visible_child(&shown);
            let mut page = self.pages.first_child();
            while let Some(current) = page {
                current.set_visible(current == shown);
                page = current.next_sibling();
            }
        }
    }
}

glib::wrapper! {
    /// The window: a title that counts, and the sessions or what to do without any.
    pub struct Window(ObjectSubclass<imp::Window>)
        @extends adw::ApplicationWindow, gtk::ApplicationWindow, gtk::Window, gtk::Widget,
        @implements gio::ActionGroup, gio::ActionMap, gtk::Accessible, gtk::Buildable,
            gtk::ConstraintTarget, gtk::Native, gtk::Root, gtk::ShortcutManager;
}

impl Window {
    /// A window of an application, for a list. Not shown yet.
    pub fn new(app: &impl IsA<gtk::Application>, list: &SessionList) -> Self {
        let window: Self = glib::Object::builder().property("application", app.as_ref()).build();
        let imp = window.imp();
        imp.list.get_or_init(|| list.clone());
        imp.view.set_list(list);
        for count in ["notify::waiting", "notify::sessions"] {
            let counted = glib::closure_local!(
                #[watch]
                window,
                move |_: SessionList, _: glib::ParamSpec| window.imp().update()
            );
            list.connect_closure(count, false, counted);
        }
        imp.update();
        window
    }

    /// Brings a session's row into sight and gives it the focus, once the window is laid out.
    pub fn show_session(&self, session: &Session) {
        let (window, session) = (self.downgrade(), session.clone());
        // After what gives a page that is shown its first focus.
        glib::source::idle_add_local_full(glib::Priority::LOW, move || {
            if let Some(window) = window.upgrade() {
                window.imp().view.show_session(&session);
            }
            glib::ControlFlow::Break
        });
    }

    /// Says how the panel stands to the agents.
    pub fn set_state(&self, state: PanelState) {
        self.imp().state.replace(state);
        self.imp().update();
    }
}

fn about(window: &Window) -> adw::AboutWindow {
    adw::AboutWindow::builder()
        .transient_for(window)
        .modal(true)
        .application_name("Dasbo")
        .application_icon("org.dasbo.Dasbo")
        .version(env!("CARGO_PKG_VERSION"))
        .license_type(gtk::License::Gpl30)
        .build()
}

fn shortcuts(window: &Window) -> gtk::ShortcutsWindow {
    let builder = gtk::Builder::from_resource("/org/dasbo/Dasbo/ui/help_overlay.ui");
    let shortcuts: gtk::ShortcutsWindow = builder.object("help_overlay").expect("the program holds it");
    shortcuts.set_transient_for(Some(window));
    shortcuts
}
