// SPDX-License-Identifier: GPL-3.0-or-later
//! An approval: what a tool call would do, and whether it may.

use dasbo_core::request::{Request, RequestId};

use crate::model;

mod imp {
    use adw::subclass::prelude::*;

    #[derive(Debug, Default)]
    pub struct ApprovalView;

    #[glib::object_subclass]
    impl ObjectSubclass for ApprovalView {
        const NAME: &'static str = "DasboApprovalView";
        type Type = super::ApprovalView;
        type ParentType = adw::Bin;
    }

    impl ObjectImpl for ApprovalView {}
    impl WidgetImpl for ApprovalView {}
    impl BinImpl for ApprovalView {}
}

glib::wrapper! {
    /// An approval: what a tool call would do, and whether it may.
    pub struct ApprovalView(ObjectSubclass<imp::ApprovalView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ApprovalView {
    /// A view for a request of a session.
    pub fn new(_session: &model::Session, _request: &std::sync::Arc<Request>, _id: RequestId) -> Self {
        glib::Object::new()
    }
}
