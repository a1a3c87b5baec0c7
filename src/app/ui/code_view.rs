// SPDX-License-Identifier: GPL-3.0-or-later
//! Shows coloured text of any size in a few lines' height: it is put in little by little, and scrolls.

use adw::subclass::prelude::*;
use gtk::prelude::*;

use crate::code::Code;

mod imp {
    use std::cell::{OnceCell, RefCell};
    use std::time::Duration;

    use adw::prelude::*;
    use adw::subclass::prelude::*;
    use gtk::CompositeTemplate;

    use crate::clock;
    use crate::code::{Code, Look, Run, Tint};

    /// How long text is put in at a stretch: a quarter of a frame at 60 a second.
    const STRETCH: Duration = Duration::from_millis(4);

    /// Lines that are shown without scrolling, by a guess.
    const FEW: usize = 12;

    /// More than fills the view in any window, by a guess: they need not be laid out to know its height.
    const MANY: usize = 60;

    /// What scrolls is at most this high, and at least as high as a scroll bar (pixels).
    const HEIGHT: (i32, i32) = (60, 260);

    /// Characters of a line in a narrow window.
    const NARROW: usize = 30;

    #[derive(Debug, Default, CompositeTemplate)]
    #[template(resource = "/org/dasbo/Dasbo/ui/code_view.ui")]
    pub struct CodeView {
        #[template_child]
        scroller: TemplateChild<gtk::ScrolledWindow>,
        #[template_child]
        pub(super) view: TemplateChild<gtk::TextView>,
        tags: OnceCell<Tags>,
        /// Puts in what does not stand there yet.
        filling: RefCell<Option<glib::SourceId>>,
        room: RefCell<Room>,
    }

    /// How high the view is. The text view itself knows that late, when it has laid out its lines aside.
    #[derive(Debug, Default)]
    enum Room {
        /// As high as this text, with lines that go on this far in.
        Text(String, i32),
        /// As this text, and at most as high as a view that scrolls.
        Most(String, i32),
        /// As high as a view that scrolls.
        #[default]
        Full,
    }

    #[derive(Debug)]
    struct Tags {
        comes: gtk::TextTag,
        goes: gtk::TextTag,
        mark: gtk::TextTag,
        key: gtk::TextTag,
        dim: gtk::TextTag,
        /// Lines that wrap go on below their text.
        hanging: gtk::TextTag,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for CodeView {
        const NAME: &'static str = "DasboCodeView";
        type Type = super::CodeView;
        type ParentType = adw::Bin;

        fn class_init(klass: &mut Self::Class) {
            klass.bind_template();
        }

        fn instance_init(obj: &glib::subclass::InitializingObject<Self>) {
            obj.init_template();
        }
    }

    impl ObjectImpl for CodeView {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().set_layout_manager(None::<gtk::LayoutManager>);
            self.tags.get_or_init(|| Tags::add_to(&self.view.buffer()));
            let manager = adw::StyleManager::default();
            for property in ["notify::dark", "notify::high-contrast"] {
                let view = self.obj();
                let changed = glib::closure_local!(
                    #[watch]
                    view,
                    move |_: adw::StyleManager, _: glib::ParamSpec| view.imp().colour_soon()
                );
                manager.connect_closure(property, false, changed);
            }
        }

        fn dispose(&self) {
            self.stop();
        }
    }

    impl WidgetImpl for CodeView {
        fn root(&self) {
            self.parent_root();
            self.colour();
        }

        fn request_mode(&self) -> gtk::SizeRequestMode {
            gtk::SizeRequestMode::HeightForWidth
        }

        fn measure(&self, orientation: gtk::Orientation, for_size: i32) -> (i32, i32, i32, i32) {
            // GTK wants children asked.
            let (least, natural, ..) = self.scroller.measure(orientation, -1);
            if orientation == gtk::Orientation::Horizontal {
                return (least, natural, -1, -1);
            }
            let height = match &*self.room.borrow() {
                Room::Text(text, indent) => self.height_of(text, *indent, for_size),
                Room::Most(text, indent) => self.height_of(text, *indent, for_size).clamp(HEIGHT.0, HEIGHT.1),
                Room::Full => HEIGHT.1,
            };
            let height = height.max(least);
            (height, height, -1, -1)
        }

        fn size_allocate(&self, width: i32, height: i32, baseline: i32) {
            self.scroller.size_allocate(&gtk::Allocation::new(0, 0, width, height), baseline);
        }
    }

    impl BinImpl for CodeView {}

    impl CodeView {
        /// The colours are known to the widgets a moment later.
        fn colour_soon(&self) {
            let view = self.obj().downgrade();
            glib::idle_add_local_once(move || {
                if let Some(view) = view.upgrade() {
                    view.imp().colour();
                }
            });
        }

        fn colour(&self) {
            let Some(tags) = self.tags.get() else { return };
            let context = self.view.style_context();
            let named = |name, alpha| {
                let colour = context.lookup_color(name)?;
                Some(colour.with_alpha(alpha))
            };
            tags.comes.set_paragraph_background_rgba(named("success_bg_color", 0.2).as_ref());
            tags.goes.set_paragraph_background_rgba(named("error_bg_color", 0.2).as_ref());
            tags.mark.set_background_rgba(named("warning_bg_color", 0.45).as_ref());
            let dim = context.color();
            tags.dim.set_foreground_rgba(Some(&dim.with_alpha(0.75 * dim.alpha())));
        }

        pub(super) fn show(&self, code: Code, on_shown: impl FnOnce() + 'static) {
            self.stop();
            self.view.buffer().set_text("");
            self.make_room(&code);
            let mut runs = code.runs.into_iter();
            if self.fill(&mut runs) {
                return on_shown();
            }
            let (view, mut on_shown) = (self.obj().downgrade(), Some(on_shown));
            let filling = glib::idle_add_local(move || {
                let Some(view) = view.upgrade() else { return glib::ControlFlow::Break };
                if !view.imp().fill(&mut runs) {
                    return glib::ControlFlow::Continue;
                }
                view.imp().filling.take();
                if let Some(on_shown) = on_shown.take() {
                    on_shown();
                }
                glib::ControlFlow::Break
            });
            self.filling.replace(Some(filling));
        }

        fn make_room(&self, code: &Code) {
            let (indent, _) = self.view.create_pango_layout(Some(&"0".repeat(code.margin))).pixel_size();
            if let Some(tags) = self.tags.get() {
                tags.hanging.set_indent(-indent);
            }
            let lines = code.lines + code.characters / NARROW;
            let text = || code.runs.iter().map(|run| run.text.as_str()).collect();
            let (room, policy) = if lines <= FEW {
                (Room::Text(text(), indent), gtk::PolicyType::External)
            } else if lines <= MANY {
                (Room::Most(text(), indent), gtk::PolicyType::Automatic)
            } else {
                (Room::Full, gtk::PolicyType::Automatic)
            };
            self.scroller.set_policy(gtk::PolicyType::Never, policy);
            self.room.replace(room);
            self.obj().queue_resize();
        }

        fn height_of(&self, text: &str, indent: i32, width: i32) -> i32 {
            let view = &self.view;
            let layout = view.create_pango_layout(Some(text));
            layout.set_wrap(gtk::pango::WrapMode::WordChar);
            layout.set_indent(-indent * gtk::pango::SCALE);
            if width >= 0 {
                let width = (width - view.left_margin() - view.right_margin()).max(1);
                layout.set_width(width * gtk::pango::SCALE);
            }
            layout.pixel_size().1 + view.top_margin() + view.bottom_margin()
        }

        /// Puts in what can be in a stretch. Whether all is.
        fn fill(&self, runs: &mut impl Iterator<Item = Run>) -> bool {
            let begun = clock::now();
            let buffer = self.view.buffer();
            let mut end = buffer.end_iter();
            for run in runs.by_ref() {
                buffer.insert_with_tags(&mut end, &run.text, &self.tags_of(&run));
                if clock::now().since(begun) >= STRETCH {
                    return false;
                }
            }
            true
        }

        fn tags_of(&self, run: &Run) -> Vec<&gtk::TextTag> {
            let Some(tags) = self.tags.get() else { return Vec::new() };
            let tint = match run.tint {
                Tint::None => None,
                Tint::Comes => Some(&tags.comes),
                Tint::Goes => Some(&tags.goes),
            };
            let look = match run.look {
                Look::Plain => None,
                Look::Mark => Some(&tags.mark),
                Look::Key => Some(&tags.key),
                Look::Dim => Some(&tags.dim),
            };
            std::iter::once(&tags.hanging).chain(tint).chain(look).collect()
        }

        fn stop(&self) {
            if let Some(filling) = self.filling.take() {
                filling.remove();
            }
        }
    }

    impl Tags {
        fn add_to(buffer: &gtk::TextBuffer) -> Self {
            let add = |tag: gtk::TextTag| {
                buffer.tag_table().add(&tag);
                tag
            };
            Self {
                hanging: add(gtk::TextTag::new(None)),
                comes: add(gtk::TextTag::new(None)),
                goes: add(gtk::TextTag::new(None)),
                key: add(gtk::TextTag::builder().weight(700).build()),
                dim: add(gtk::TextTag::new(None)),
                mark: add(gtk::TextTag::builder().weight(700).build()),
            }
        }
    }
}

glib::wrapper! {
    /// Text that can be read and copied, not changed.
    pub struct CodeView(ObjectSubclass<imp::CodeView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl CodeView {
    /// Says what it shows, for a screen reader.
    pub fn set_name(&self, name: &str) {
        self.imp().view.update_property(&[gtk::accessible::Property::Label(name)]);
    }

    /// Shows this instead of what was shown. `on_shown` is called when all of it is there.
    pub fn show(&self, code: Code, on_shown: impl FnOnce() + 'static) {
        self.imp().show(code, on_shown);
    }
}
