//! The report for people: one HTML file that needs no network and no script.

mod axis;
mod chart;
mod colors;
mod column;
mod faults;
mod head;
mod links;
mod matches;
mod matrix;
mod page_data;
mod seats;
mod standing;
mod time;
mod writer;

use std::cell::RefCell;

pub use links::Links;

use crate::Report;
use page_data::PageData;
use writer::Html;

/// The report as a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The text of the file.
    pub html: String,
    /// File names of the replays that the page links to.
    pub replays: Vec<String>,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// A part of the page: its id, its heading, and its writer.
type Part = (&'static str, &'static str, fn(&PageData<'_>, &mut Html));

impl Report<'_> {
    /// Returns the report as a page.
    pub fn html(&self, links: &Links) -> Page {
        let sheet = PageData { report: self, links, linked: RefCell::default() };
        let parts = self.parts();
        let mut html = Html::default();
        html.raw("<!DOCTYPE html>\n");
        html.within("html", &[("lang", "en")], |html| {
            html.within("head", &[], |html| head(self, html));
            html.within("body", &[], |html| {
                html.within("header", &[], |html| head::header(&sheet, html));
                html.within("nav", &[("aria-label", "Parts of this page")], |html| {
                    for (id, heading, _) in &parts {
                        html.element("a", &[("href", &format!("#{id}"))], heading);
                    }
                });
                html.within("main", &[], |html| {
                    for (id, heading, write) in &parts {
                        html.within("section", &[("id", id)], |html| {
                            html.element("h2", &[], heading);
                            write(&sheet, html);
                        });
                    }
                });
                html.within("script", &[], |html| {
                    html.raw("//<![CDATA[\n").raw(SCRIPT).raw("//]]>");
                });
            });
        });
        html.raw("\n");
        let replays = sheet.linked.take().into_iter().map(str::to_owned).collect();
        Page { html: html.finish(), replays }
    }

    /// Returns the parts with contents.
    fn parts(&self) -> Vec<Part> {
        let rated = self.ratings.iter().filter(|rating| rating.is_rated()).count();
        let ranks = self.ratings.first().is_some_and(|rating| rating.rank_probabilities.len() > 1);
        let parts: [(bool, Part); 10] = [
            (true, ("standing", "Standing", standing::standing)),
            (rated > 0, ("ratings", "Ratings", chart::ratings)),
            (
                self.state.over >= 20 && self.progress.matches.len() > 2,
                ("time", "Ratings over time", time::time),
            ),
            (rated > 1, ("head-to-head", "Head to head", matrix::head_to_head)),
            (rated > 1, ("superiority", "Who is stronger", matrix::superiority)),
            (ranks, ("ranks", "Probable ranks", matrix::ranks)),
            (!self.seats.is_empty(), ("seats", "Seats", seats::seats)),
            (rated > 0, ("faults", "Faults", faults::faults)),
            (!self.matches.is_empty(), ("matches", "Matches", matches::matches)),
            (true, ("about", "About the numbers", head::about)),
        ];
        parts.into_iter().filter_map(|(there, part)| there.then_some(part)).collect()
    }
}

/// Writes the head of the page.
fn head(report: &Report<'_>, html: &mut Html) {
    html.empty("meta", &[("charset", "utf-8")]);
    html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.empty("meta", &[("name", "color-scheme"), ("content", "dark light")]);
    html.empty("meta", &[("name", "referrer"), ("content", "no-referrer")]);
    // The page fetches nothing, and even a hostile name could not load anything.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                  base-uri 'none'; form-action 'none'";
    html.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", policy)]);
    html.element("title", &[], &format!("{} · Agon", head::title(report)));
    html.within("style", &[], |html| {
        html.raw(&colors::rules(report.game)).raw(STYLE);
    });
}
