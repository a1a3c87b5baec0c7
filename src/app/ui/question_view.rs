// SPDX-License-Identifier: GPL-3.0-or-later
//! Questions with their choices.

use dasbo_core::request::{Question, RequestId};

use crate::model;

mod imp {
    use adw::subclass::prelude::*;

    #[derive(Debug, Default)]
    pub struct QuestionView;

    #[glib::object_subclass]
    impl ObjectSubclass for QuestionView {
        const NAME: &'static str = "DasboQuestionView";
        type Type = super::QuestionView;
        type ParentType = adw::Bin;
    }

    impl ObjectImpl for QuestionView {}
    impl WidgetImpl for QuestionView {}
    impl BinImpl for QuestionView {}
}

glib::wrapper! {
    /// Questions with their choices.
    pub struct QuestionView(ObjectSubclass<imp::QuestionView>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl QuestionView {
    /// A view for a request of a session.
    pub fn new(_session: &model::Session, _questions: &[Question], _id: RequestId) -> Self {
        glib::Object::new()
    }
}
