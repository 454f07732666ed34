//! The report for people: one HTML file that needs no network and no script.

mod charts;
mod page_data;
mod tables;

pub use page_data::Links;

use std::cell::RefCell;

use agon_core::text::{escape_lines, number::plural};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use page_data::{PageData, color_rules};
use serde_json::Value;

use super::{
    Report,
    number::{grouped, time_text},
};

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
                    header { (header(&sheet)) }
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
            (true, ("standing", "Standing", tables::standing)),
            (rated > 0, ("ratings", "Ratings", charts::ratings)),
            (
                self.state.over >= 20 && self.progress.matches.len() > 2,
                ("time", "Ratings over time", charts::time),
            ),
            (rated > 1, ("head-to-head", "Head to head", tables::head_to_head)),
            (rated > 1, ("superiority", "Who is stronger", tables::superiority)),
            (ranks, ("ranks", "Probable ranks", tables::ranks)),
            (!self.seats.is_empty(), ("seats", "Seats", charts::seats)),
            (rated > 0, ("faults", "Faults", tables::faults)),
            (!self.workers.is_empty(), ("workers", "Workers", charts::workers)),
            (!self.matches.is_empty(), ("matches", "Matches", tables::matches)),
            (true, ("about", "About the numbers", about)),
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
        title { (title(report)) " · Agon" }
        style { (PreEscaped(color_rules(report.game))) (PreEscaped(STYLE)) }
    }
}

/// Returns the title of the page.
fn title(report: &Report<'_>) -> String {
    report.tournament.title.map_or_else(|| kind(report), str::to_owned)
}

/// Returns what is played: `cluster, round robin of 4 bots`.
fn kind(report: &Report<'_>) -> String {
    let game = report.tournament.game;
    let format = report.tournament.format_words();
    format!("{game}, {format} of {}", plural(report.bots.len() as u64, "bot"))
}

/// Writes title, state, facts and warnings.
fn header(sheet: &PageData<'_>) -> Markup {
    let report = sheet.report;
    html! {
        p.brand { "Agon" }
        h1 { (title(report)) }
        @if report.tournament.title.is_some() { p { (kind(report)) } }
        @if let Some(notes) = report.tournament.notes { p.organiser { (notes) } }
        (facts(report))
        @if let Some(verdict) = &report.verdict { p.verdict { (verdict) } }
        (warnings(report))
        details {
            summary { "Settings and bots" }
            (settings(report))
            (bots(report))
        }
        @if !sheet.links.files.is_empty() {
            p.files {
                "For programs: "
                @for (name, address) in &sheet.links.files { a href=(address) { (name) } }
            }
        }
    }
}

fn facts(Report { state, tournament, .. }: &Report<'_>) -> Markup {
    html! {
        p.facts {
            @if state.finished {
                span.pill.over { "finished" }
            } @else {
                span.pill { "not over yet" }
            }
            span { (plural(state.over, "match")) " over" }
            @if state.forfeited > 0 { span { (grouped(state.forfeited)) " forfeited" } }
            @if state.open > 0 {
                span { (grouped(state.open)) " to come" @if state.more { ", then more" } }
            }
            @if state.over > 0 {
                span { (time_text(state.mean_ms.round() as u64)) " a match" }
            }
            @if state.void_matches > 0 {
                span title="The machine stood still in these matches: void and played again" {
                    (grouped(state.void_matches)) " played again"
                }
            }
            span { "seed " (tournament.seed) }
            span { "rules version " (tournament.rules_version) }
        }
    }
}

fn warnings(Report { warnings, circles, .. }: &Report<'_>) -> Markup {
    if warnings.is_empty() {
        return Markup::default();
    }
    html! {
        aside.warnings aria-label="Warnings" {
            ul { @for warning in warnings { li { (warning) } } }
            @if !circles.is_empty() {
                details {
                    summary {
                        (plural(circles.len() as u64, "circle"))
                        " of bots that beat each other"
                    }
                    ul { @for circle in circles { li { (circle.text) } } }
                }
            }
        }
    }
}

/// Writes the settings, which many readers do not need.
fn settings(Report { tournament, state, .. }: &Report<'_>) -> Markup {
    let mirrored = if tournament.mirrored { ", each seed from every seat" } else { "" };
    let matches = plural(u64::from(tournament.matches), "match");
    html! {
        dl {
            (pair("format", &options(&tournament.format)))
            (pair("pairing", &format!("{} bots, {matches}{mirrored}", tournament.players)))
            @for (key, value) in tournament.settings { (pair(key, &plain(value))) }
            @if state.over > 0 {
                @let longest = time_text(state.longest_ms);
                (pair(
                    "time",
                    &format!(
                        "{} for all matches together, the longest took {longest}",
                        time_text(state.ms),
                    ),
                ))
            }
        }
    }
}

fn bots(report: &Report<'_>) -> Markup {
    html! {
        ol.bots {
            @for bot in &report.bots {
                li {
                    b { (bot.name) } " " code { (bot.text) }
                    @if let Some(author) = bot.author { " by " (author) }
                    @if let Some(note) = bot.note { " (" (note) ")" }
                    @if let Some(digest) = &bot.digest {
                        " digest of " (bot.content()) ": " code { (digest) }
                    } @else if bot.version.is_some() {
                        " " (bot.content())
                    }
                }
            }
        }
    }
}

fn pair(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// Returns the options of a format: `swiss, rounds 5`.
fn options(format: &Value) -> String {
    let Some(options) = format.as_object() else { return String::new() };
    let option = |(key, value): (&String, &Value)| match value {
        Value::Null => None,
        value if key == "kind" => Some(plain(value)),
        value => Some(format!("{key} {}", plain(value))),
    };
    options.iter().filter_map(option).collect::<Vec<_>>().join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

const ABOUT: [(&str, &str); 8] = [
    (
        "Points",
        "A point for each opponent left behind in a match, half a point for each one who is level. \
         Against one opponent that is 1, ½, 0.",
    ),
    (
        "Rating",
        "The strength that explains all results best, whatever the order of matches, in Elo \
         points: 100 points more mean an expected score of 64 %, ties counting half. 0 is the mean \
         of the bots with bounds on both sides, or of all if there are none. Ratings may differ \
         from the standing, which follows the rules of the format.",
    ),
    (
        "Interval",
        "Of intervals made like this, 95 % hold the true strength, if the model fits and chance in \
         different pairings is independent. Each is meant for its bot alone: among twenty bots one \
         is expected to lie outside. Four times as many matches make an interval half as long.",
    ),
    (
        "Who is stronger",
        "The probability that a bot is stronger than another one, given all results, also those \
         against others. It is not the probability of winning a match.",
    ),
    (
        "Head to head",
        "What two bots scored in matches with each other: wins and half the ties. A number is bold \
         if an exact two-sided sign test tells it from an even result at the 5 % level. The test \
         counts who is ahead on each mirrored seed and leaves out seeds without a winner. Each \
         pair is tested for itself, so of equal pairs up to one in twenty is bold by chance.",
    ),
    (
        "Seats",
        "The interval is that of an empirical likelihood ratio, with half an observation added at \
         its end; no distribution is assumed. It holds the true share in about 95 % of \
         tournaments, if chance in different pairings is independent.",
    ),
    (
        "Faults",
        "What bots did wrong: answers too late, against the rules, crashes. What they cost is the \
         game's rule. Matches in which the machine stood still are void and are played again; they \
         count for nobody.",
    ),
    (
        "Replays",
        "A replay holds the seed and all answers, so that the match can be played again and \
         proven: agon watch FILE shows it, agon replay verify FILE compares every state.",
    ),
];

/// Explains the numbers.
fn about(_: &PageData<'_>) -> Markup {
    html! { dl.about { @for (name, text) in ABOUT { (pair(name, text)) } } }
}
