//! Data that all parts of a page share.

use std::{cell::RefCell, collections::BTreeSet};

use super::{Links, colors, writer::Html};
use crate::Report;

/// Data that all parts of a page share.
pub(super) struct PageData<'r> {
    pub(super) report: &'r Report<'r>,
    pub(super) links: &'r Links,
    pub(super) linked: RefCell<BTreeSet<&'r str>>,
}

impl<'r> PageData<'r> {
    /// Writes a match, with a link to its replay if there is one.
    pub(super) fn match_link(&self, html: &mut Html, id: &str, replay: Option<&'r str>) {
        match replay.and_then(|name| Some((name, self.links.replay(name)?))) {
            Some((name, address)) => {
                self.linked.borrow_mut().insert(name);
                html.element("a", &[("class", "id"), ("href", &address)], id);
            }
            None => {
                html.element("span", &[("class", "id")], id);
            }
        }
    }

    /// Writes a bot's name, with a dot if it has a colour, or else with the space of one.
    pub(super) fn name(&self, html: &mut Html, number: usize) {
        let report = self.report;
        let rating = report.rating_of(number);
        let place = rating.rank - 1;
        let colored = rating.group == 0 && rating.is_rated() && place < colors::COLORS;
        let class = if colored { format!("ink c{place}") } else { "ink".to_owned() };
        html.element("i", &[("class", &class)], "");
        html.text(report.names.of(number));
    }
}
