//! What all parts of a page share.

use std::{cell::RefCell, collections::BTreeSet};

use maud::{Markup, html};

use super::{Links, colors::COLORS};
use crate::report::{Report, number::counted};

/// Data that all parts of a page share.
pub(super) struct PageData<'r> {
    pub(super) report: &'r Report<'r>,
    pub(super) links: &'r Links,
    pub(super) linked: RefCell<BTreeSet<&'r str>>,
}

impl<'r> PageData<'r> {
    /// Writes a match, with a link to its replay if there is one.
    pub(super) fn match_link(&self, id: &str, replay: Option<&'r str>) -> Markup {
        self.step_link(id, replay, None)
    }

    /// Writes a match, with a link to a step of its replay if there is one.
    pub(super) fn step_link(&self, id: &str, replay: Option<&'r str>, step: Option<u64>) -> Markup {
        match replay.and_then(|name| Some((name, self.links.replay(name, step)?))) {
            Some((name, address)) => {
                self.linked.borrow_mut().insert(name);
                html! { a.id href=(address) { (id) } }
            }
            None => html! { span.id { (id) } },
        }
    }

    /// Writes a bot's name, with a dot if it has a colour, or else with the space of one.
    pub(super) fn name(&self, number: usize) -> Markup {
        let rating = self.report.rating_of(number);
        let place = rating.rank - 1;
        let colored = rating.group == 0 && rating.is_rated() && place < COLORS;
        html! { i.ink.{ "c" (place) }[colored] {} (self.report.names.of(number)) }
    }
}

/// Writes the heads of columns: class, name and meaning.
///
/// The class `down` says that a first click sorts large values first.
pub(super) fn columns(columns: &[(&str, &str, &str)]) -> Markup {
    html! {
        thead {
            tr {
                @for (class, name, meaning) in columns {
                    th scope="col" class=(class) title=(meaning) { (name) }
                }
            }
        }
    }
}

/// Says how many lines of a table are left out, if any.
pub(super) fn left_out(all: usize, most: usize) -> Markup {
    let rest = all.saturating_sub(most) as u64;
    html! {
        @if rest > 0 { p.note { (counted(rest, "line is", "lines are")) " left out here." } }
    }
}
