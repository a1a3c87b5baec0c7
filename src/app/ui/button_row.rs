// SPDX-License-Identifier: GPL-3.0-or-later
//! Buttons side by side at the end of the line, or below one another where there is no room.

/// Pixels between buttons.
const SPACING: i32 = 6;

mod imp {
    use adw::prelude::*;
    use adw::subclass::prelude::*;

    use super::{ButtonLayout, SPACING, lines};

    #[derive(Debug, Default)]
    pub struct ButtonRow;

    #[glib::object_subclass]
    impl ObjectSubclass for ButtonRow {
        const NAME: &'static str = "DasboButtonRow";
        type Type = super::ButtonRow;
        type ParentType = gtk::Widget;

        fn class_init(klass: &mut Self::Class) {
            klass.set_layout_manager_type::<ButtonLayout>();
        }
    }

    impl ObjectImpl for ButtonRow {
        fn dispose(&self) {
            while let Some(child) = self.obj().first_child() {
                child.unparent();
            }
        }
    }

    impl WidgetImpl for ButtonRow {}

    #[derive(Debug, Default)]
    pub struct Layout;

    #[glib::object_subclass]
    impl ObjectSubclass for Layout {
        const NAME: &'static str = "DasboButtonLayout";
        type Type = ButtonLayout;
        type ParentType = gtk::LayoutManager;
    }

    impl ObjectImpl for Layout {}

    impl LayoutManagerImpl for Layout {
        fn request_mode(&self, _: &gtk::Widget) -> gtk::SizeRequestMode {
            gtk::SizeRequestMode::HeightForWidth
        }

        fn measure(
            &self,
            widget: &gtk::Widget,
            orientation: gtk::Orientation,
            for_size: i32,
        ) -> (i32, i32, i32, i32) {
            let buttons = buttons(widget);
            if orientation == gtk::Orientation::Horizontal {
                let least = buttons.iter().map(|button| button.measure(orientation, -1).0).max();
                return (least.unwrap_or(0), width(&widths(&buttons)), -1, -1);
            }
            let room = if for_size < 0 { i32::MAX } else { for_size };
            let heights: Vec<i32> = buttons.iter().map(|button| button.measure(orientation, -1).1).collect();
            let lines = lines(&widths(&buttons), room);
            let heights = lines.into_iter().filter_map(|line| heights.get(line)?.iter().max().copied());
            let height = heights.fold(-SPACING, |height, line| height + line + SPACING).max(0);
            (height, height, -1, -1)
        }

        fn allocate(&self, widget: &gtk::Widget, room: i32, _: i32, _: i32) {
            let (buttons, mut y) = (buttons(widget), 0);
            let widths = widths(&buttons);
            for line in lines(&widths, room) {
                let (Some(buttons), Some(widths)) = (buttons.get(line.clone()), widths.get(line)) else {
                    continue;
                };
                let mut x = (room - width(widths)).max(0);
                let height = buttons.iter().map(|button| button.measure(gtk::Orientation::Vertical, -1).1);
                let height = height.max().unwrap_or(0);
                for (button, width) in buttons.iter().zip(widths) {
                    let width = (*width).min(room);
                    let is_mirrored = widget.direction() == gtk::TextDirection::Rtl;
                    let place = if is_mirrored { room - x - width } else { x };
                    button.size_allocate(&gtk::Allocation::new(place, y, width, height), -1);
                    x += width + SPACING;
                }
                y += height + SPACING;
            }
        }
    }

    fn buttons(widget: &gtk::Widget) -> Vec<gtk::Widget> {
        let children = std::iter::successors(widget.first_child(), WidgetExt::next_sibling);
        children.filter(WidgetExt::should_layout).collect()
    }

    fn widths(buttons: &[gtk::Widget]) -> Vec<i32> {
        buttons.iter().map(|button| button.measure(gtk::Orientation::Horizontal, -1).1).collect()
    }

    fn width(widths: &[i32]) -> i32 {
        widths.iter().fold(-SPACING, |all, width| all + width + SPACING).max(0)
    }
}

glib::wrapper! {
    /// A row of buttons that wraps.
    pub struct ButtonRow(ObjectSubclass<imp::ButtonRow>)
        @extends gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

glib::wrapper! {
    /// Lays out a row of buttons.
    pub struct ButtonLayout(ObjectSubclass<imp::Layout>)
        @extends gtk::LayoutManager;
}

/// Which of these widths stand in one line each, where there is this much room.
fn lines(widths: &[i32], room: i32) -> Vec<std::ops::Range<usize>> {
    let (mut lines, mut start, mut end) = (Vec::new(), 0, 0);
    for (at, width) in widths.iter().enumerate() {
        if at > start && end + SPACING + width > room {
            lines.push(start..at);
            start = at;
        }
        end = if at == start { *width } else { end + SPACING + width };
    }
    if start < widths.len() {
        lines.push(start..widths.len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_line_takes_as_many_as_there_is_room_for() {
        assert!(lines(&[100, 100, 50], 262).iter().eq([&(0..3)]));
        assert_eq!(lines(&[100, 100, 50], 261), [0..2, 2..3]);
        assert_eq!(lines(&[100, 100, 50], 160), [0..1, 1..3]);
        assert_eq!(lines(&[100, 100, 50], 10), [0..1, 1..2, 2..3]);
        assert!(lines(&[], 10).is_empty());
    }
}
