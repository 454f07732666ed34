//! The report for people: one HTML file that needs no network and no script.

mod axis;
mod chart;
mod colors;
mod faults;
mod head;
mod links;
mod matches;
mod matrix;
mod page_data;
mod seats;
mod standing;
mod time;
mod workers;

use std::cell::RefCell;

use agon_text::escape_lines;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use links::Links;

use crate::report::Report;
use page_data::PageData;

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

/// The page fetches nothing, and even a hostile name could not load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// A part of the page: its id, its heading, and its writer.
type Part = (&'static str, &'static str, fn(&PageData<'_>) -> Markup);

impl Report<'_> {
    /// Returns the report as a page.
    pub fn html(&self, links: &Links) -> Page {
        let sheet = PageData { report: self, links, linked: RefCell::default() };
        let parts = self.parts();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { (head(self)) }
                body {
                    header { (head::header(&sheet)) }
                    nav aria-label="Parts of this page" {
                        @for (id, heading, _) in &parts { a href={ "#" (id) } { (heading) } }
                    }
                    main {
                        @for (id, heading, part) in &parts {
                            section id=(id) { h2 { (heading) } (part(&sheet)) }
                        }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        // Hidden characters are escaped once, in the whole page, so no text can be forgotten.
        let html = escape_lines(&page.into_string()).into_owned();
        let replays = sheet.linked.take().into_iter().map(str::to_owned).collect();
        Page { html, replays }
    }

    /// Returns the parts with contents.
    fn parts(&self) -> Vec<Part> {
        let rated = self.ratings.iter().filter(|rating| rating.is_rated()).count();
        let ranks = self.ratings.first().is_some_and(|rating| rating.rank_probabilities.len() > 1);
        let parts: [(bool, Part); 11] = [
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
            (!self.workers.is_empty(), ("workers", "Workers", workers::workers)),
            (!self.matches.is_empty(), ("matches", "Matches", matches::matches)),
            (true, ("about", "About the numbers", head::about)),
        ];
        parts.into_iter().filter_map(|(there, part)| there.then_some(part)).collect()
    }
}

/// Writes the head of the page.
fn head(report: &Report<'_>) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="dark light";
        meta name="referrer" content="no-referrer";
        meta http-equiv="Content-Security-Policy" content=(POLICY);
        title { (head::title(report)) " · Agon" }
        style { (PreEscaped(colors::rules(report.game))) (PreEscaped(STYLE)) }
    }
}
