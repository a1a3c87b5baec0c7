// SPDX-License-Identifier: GPL-3.0-or-later
//! Who stands where in the list: three groups in order, the empty ones without a header.

use dasbo_core::session::{self, Group, RowId};
use glib::prelude::*;

use super::{GroupHeader, Session};

/// Where a session stands.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Under which header.
    pub group: Group,
    /// How many stand between it and the header.
    index: usize,
}

/// The three groups.
#[derive(Debug)]
pub struct Layout {
    sections: [Section; 3],
}

/// A group: its header, and who stands under it.
#[derive(Debug)]
struct Section {
    group: Group,
    header: GroupHeader,
    rows: Vec<Session>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { sections: [Group::Waiting, Group::Working, Group::Quiet].map(Section::new) }
    }
}

impl Section {
    fn new(group: Group) -> Self {
        Self { group, header: GroupHeader::new(group), rows: Vec::new() }
    }

    /// Items of the list that it takes up.
    fn len(&self) -> usize {
        self.rows.len() + usize::from(!self.rows.is_empty())
    }

    /// Where a session belongs: before the first that comes after it. The held one does not count.
    fn index_for(&self, data: &session::Session, held: Option<RowId>) -> usize {
        let comes_after = |other: &Session| {
            let other = other.data();
            Some(other.row) != held && data.order(&other).is_lt()
        };
        self.rows.iter().position(comes_after).unwrap_or(self.rows.len())
    }

    /// Whether a session that stands here is between the right neighbours. The held one does not count.
    fn in_order(&self, index: usize, held: Option<RowId>) -> bool {
        let Some(session) = self.rows.get(index) else {
            return false;
        };
        let data = session.data();
        let counts = |other: &&Session| Some(other.data().row) != held;
        let before = self.rows.iter().take(index).rev().find(counts);
        let after = self.rows.iter().skip(index + 1).find(counts);
        before.is_none_or(|before| before.data().order(&data).is_lt())
            && after.is_none_or(|after| data.order(&after.data()).is_lt())
    }
}

impl Layout {
    /// Items of the list.
    pub fn len(&self) -> u32 {
        position(self.sections.iter().map(Section::len).sum())
    }

    /// The header or session at a position.
    pub fn item(&self, position: u32) -> Option<glib::Object> {
        let mut left = usize::try_from(position).ok()?;
        for section in &self.sections {
            if left >= section.len() {
                left -= section.len();
            } else if let Some(index) = left.checked_sub(1) {
                return section.rows.get(index).map(|row| row.clone().upcast());
            } else {
                return Some(section.header.clone().upcast());
            }
        }
        None
    }

    /// The session of a row, and where it stands.
    pub fn find(&self, row: RowId) -> Option<(Place, Session)> {
        self.sections.iter().find_map(|section| {
            let index = section.rows.iter().position(|session| session.data().row == row)?;
            let place = Place { group: section.group, index };
            Some((place, section.rows.get(index)?.clone()))
        })
    }

    /// Where a session stands, if it does not belong there.
    pub fn misplaced(&self, row: RowId, held: Option<RowId>) -> Option<Place> {
        let (place, session) = self.find(row)?;
        let belongs = session.data().group() == place.group;
        (!belongs || !self.section(place.group).in_order(place.index, held)).then_some(place)
    }

    /// Puts a session where it belongs. Returns its group, and where how many items were added.
    pub fn insert(&mut self, session: &Session, held: Option<RowId>) -> (Group, u32, u32) {
        let group = session.data().group();
        let first = self.first(group);
        let section = self.section_mut(group);
        let index = section.index_for(&session.data(), held);
        let alone = section.rows.is_empty();
        section.rows.insert(index, session.clone());
        if alone { (group, position(first), 2) } else { (group, position(first + 1 + index), 1) }
    }

    /// Takes away who stands at a place. Returns where how many items were removed.
    pub fn remove(&mut self, place: Place) -> (u32, u32) {
        let first = self.first(place.group);
        let section = self.section_mut(place.group);
        section.rows.remove(place.index);
        if section.rows.is_empty() { (position(first), 2) } else { (position(first + 1 + place.index), 1) }
    }

    /// A group's header, and how many stand under it.
    pub fn header(&self, group: Group) -> (GroupHeader, u32) {
        let section = self.section(group);
        (section.header.clone(), position(section.rows.len()))
    }

    /// How many sessions there are, how many of them wait, and whether any waits or works.
    pub fn count(&self) -> (u32, u32, bool) {
        let rows = || self.sections.iter().flat_map(|section| &section.rows);
        let of = |group: Group| rows().filter(|session| session.data().group() == group).count();
        let waiting = of(Group::Waiting);
        (position(rows().count()), position(waiting), waiting + of(Group::Working) > 0)
    }

    /// Items before a group.
    fn first(&self, group: Group) -> usize {
        self.sections.iter().take_while(|section| section.group != group).map(Section::len).sum()
    }

    fn section(&self, group: Group) -> &Section {
        let [waiting, working, quiet] = &self.sections;
        match group {
            Group::Waiting => waiting,
            Group::Working => working,
            Group::Quiet => quiet,
        }
    }

    fn section_mut(&mut self, group: Group) -> &mut Section {
        let [waiting, working, quiet] = &mut self.sections;
        match group {
            Group::Waiting => waiting,
            Group::Working => working,
            Group::Quiet => quiet,
        }
    }
}

/// Lists count in 32 bits.
fn position(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
