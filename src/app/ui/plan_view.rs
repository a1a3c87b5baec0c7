// SPDX-License-Identifier: GPL-3.0-or-later
//! A plan to approve.

use dasbo_core::request::{Plan, RequestId};

use crate::model;

mod imp {
    use adw::subclass::prelude::*;

    #[derive(Debug, Default)]
    pub struct PlanView;

    #[glib::object_subclass]
    impl ObjectSubclass for PlanView {
        const NAME: &'static str = "DasboPlanView";
        type Type = super::PlanView;
        type ParentType = adw::Bin;
    }

    impl ObjectImpl for PlanView {}
    impl WidgetImpl for PlanView {}
    impl BinImpl for PlanView {}
}

glib::wrapper! {
    /// A plan to approve.
    pub struct PlanView(ObjectSubclass<imp::PlanView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl PlanView {
    /// A view for a request of a session.
    pub fn new(_session: &model::Session, _plan: &Plan, _id: RequestId) -> Self {
        glib::Object::new()
    }
}
