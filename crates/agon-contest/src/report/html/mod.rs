//! The report for people: one HTML file that needs no network and no script.

mod charts;
mod tables;

use std::{cell::RefCell, collections::BTreeSet, fmt::Write};

use agon_core::{Player, text::escape_lines, text::number::plural};
use agon_games::{GameId, scene::Ink};
use agon_view::paint::{Rgb, Theme, ThemeName};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use super::Report;
use super::facts::{grouped, time_text};

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
        let parts: [(bool, Part); 10] = [
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

/// Data that all parts of a page share.
pub(super) struct PageData<'r> {
    pub(super) report: &'r Report<'r>,
    pub(super) links: &'r Links,
    pub(super) linked: RefCell<BTreeSet<&'r str>>,
}

impl<'r> PageData<'r> {
    /// Writes a match, with a link to its replay if there is one, or to a step of it.
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
        @if rest > 0 {
            p.note {
                (plural(rest, "line")) (if rest == 1 { " is" } else { " are" }) " left out here."
            }
        }
    }
}

/// Paths from the page to replays and files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The folder of replays, as a path that ends with a slash; `None` if no path leads there.
    pub replays: Option<String>,
    /// The page of the viewer, and the folder of replays relative to it.
    pub viewer: Option<(String, String)>,
    /// What follows the name of a replay there: `.scenes` if the viewer does not know the game.
    pub ending: &'static str,
    /// Files beside the page with the same report for programs: names and paths.
    pub files: Vec<(String, String)>,
}

impl Links {
    /// Returns the address of a replay: in the viewer if there is one, which then opens at the
    /// step.
    pub fn replay(&self, name: &str, step: Option<u64>) -> Option<String> {
        match &self.viewer {
            Some((page, folder)) => {
                // The viewer decodes the parameter, and the result has to be an address.
                let address = format!("{folder}{}{}", encoded(name), self.ending);
                let step = step.map_or_else(String::new, |step| format!("&step={step}"));
                Some(format!("{page}?replay={}{step}", encoded(&address)))
            }
            None => Some(format!("{}{}", encoded_path(self.replays.as_deref()?), encoded(name))),
        }
    }
}

/// Encodes a text for an address.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Encodes a path as an address; `:` in its first part would change the kind of address.
fn encoded_path(path: &str) -> String {
    path.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

/// An axis from one number to another.
///
/// Places are percentages, so that a chart has the width of the page without stretched letters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    /// The distance between marks.
    step: f64,
    /// The marks, in order.
    pub(super) ticks: Vec<f64>,
}

impl Axis {
    /// Makes an axis from `low` to `high` with about `most` marks at most.
    ///
    /// Marks are at 1, 2 or 5 times a power of ten.
    pub(super) fn new(low: f64, high: f64, most: u32) -> Axis {
        let (low, high) = if high - low < 1.0 { (low - 1.0, high + 1.0) } else { (low, high) };
        let rough = (high - low) / f64::from(most.max(2));
        let power = libm::pow(10.0, libm::log10(rough).floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&step| step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let margin = 0.03 * (high - low);
        let (from, to) = (low - margin, high + margin);
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        Axis { from, to, step, ticks: (first..=last).map(|n| n as f64 * step).collect() }
    }

    /// Returns the place of a number: from 0 to 1, or outside of the axis.
    pub(super) fn place(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    /// Returns the same as a percentage of a width.
    pub(super) fn percent(&self, value: f64) -> String {
        format!("{:.2}%", 100.0 * self.place(value))
    }

    /// Draws a line in a row, from one value to another and from one height to another.
    pub(super) fn line(
        &self,
        class: &str,
        [from, to]: [f64; 2],
        [top, bottom]: [u32; 2],
    ) -> Markup {
        let (from, to) = (self.percent(from), self.percent(to));
        html! { line class=(class) x1=(from) x2=(to) y1=(top) y2=(bottom) {} }
    }

    /// Writes the numbers at the marks.
    pub(super) fn numbers(&self, text: impl Fn(f64) -> String) -> Markup {
        // Every second one is left out where space is short.
        let minor = |tick: f64| (tick / self.step).round() as i64 % 2 != 0;
        html! {
            svg.row width="100%" height="22" {
                @for &tick in &self.ticks {
                    text.tick.minor[minor(tick)] x=(self.percent(tick)) y="15"
                        text-anchor="middle" { (text(tick)) }
                }
            }
        }
    }
}

/// The number of bots with a colour of their own.
pub(super) const COLORS: usize = 10;

/// Returns `--c0` to `--c9` for dark and light backgrounds, as rules of a style sheet.
pub(super) fn color_rules(game: GameId) -> String {
    let colors = |name| {
        let theme = Theme::new(name, game.kind());
        let mut text = String::new();
        for at in 0..COLORS {
            let Rgb(red, green, blue) = theme.color(Ink::player(Player(at as u16)));
            // Writing to a string cannot fail.
            let _ = write!(text, "--c{at}:#{red:02x}{green:02x}{blue:02x};");
        }
        text
    };
    format!(
        ":root{{{}}}@media(prefers-color-scheme:light){{:root{{{light}}}}}@media \
         print{{:root{{{light}}}}}\n",
        colors(ThemeName::Dark),
        light = colors(ThemeName::Light)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_replays_are_encoded() {
        let files = Links { replays: Some("my cup/replays/".into()), ..Links::default() };
        assert_eq!(
            files.replay("r0.g0.p1.m0.agon", Some(3)).unwrap(),
            "my%20cup/replays/r0.g0.p1.m0.agon"
        );
        assert_eq!(
            files.replay("javascript:1\"", None).unwrap(),
            "my%20cup/replays/javascript%3A1%22"
        );
        let viewer = Some(("viewer/index.html".into(), "../replays/".into()));
        let viewer = Links { viewer, ..files };
        assert_eq!(
            viewer.replay("a b.agon", None).unwrap(),
            "viewer/index.html?replay=..%2Freplays%2Fa%2520b.agon"
        );
        assert_eq!(
            viewer.replay("a.agon", Some(12)).unwrap(),
            "viewer/index.html?replay=..%2Freplays%2Fa.agon&step=12"
        );
        let scenes = Links { ending: ".scenes", ..viewer };
        assert_eq!(
            scenes.replay("a.agon", None).unwrap(),
            "viewer/index.html?replay=..%2Freplays%2Fa.agon.scenes"
        );
        assert_eq!(Links::default().replay("a", None), None);
    }

    #[test]
    fn marks_are_round_and_few() {
        let axis = Axis::new(-130.0, 240.0, 6);
        assert_eq!(axis.ticks, [-100.0, 0.0, 100.0, 200.0]);
        assert!((axis.place(55.0) - 0.5).abs() < 1e-9);
        for high in [0.0, 1.0, 7.0, 55.0, 1234.0, 9999.0] {
            let ticks = Axis::new(0.0, high, 6).ticks;
            assert!((2..=8).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }
}
