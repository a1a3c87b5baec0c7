// SPDX-License-Identifier: GPL-3.0-or-later
//! A form to fill.

use dasbo_core::request::{Form, RequestId};

use crate::model;

mod imp {
    use adw::subclass::prelude::*;

    #[derive(Debug, Default)]
    pub struct FormView;

    #[glib::object_subclass]
    impl ObjectSubclass for FormView {
        const NAME: &'static str = "DasboFormView";
        type Type = super::FormView;
        type ParentType = adw::Bin;
    }

    impl ObjectImpl for FormView {}
    impl WidgetImpl for FormView {}
    impl BinImpl for FormView {}
}

glib::wrapper! {
    /// A form to fill.
    pub struct FormView(ObjectSubclass<imp::FormView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl FormView {
    /// A view for a request of a session.
    pub fn new(_session: &model::Session, _form: &Form, _id: RequestId) -> Self {
        glib::Object::new()
    }
}
