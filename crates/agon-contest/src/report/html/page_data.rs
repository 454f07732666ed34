//! What all parts of a page share: links, names, colours, and axes with round numbers.

use std::{cell::RefCell, collections::BTreeSet, fmt::Write};

use agon_core::Player;
use agon_core::text::number::plural;
use agon_games::{GameId, scene::Ink};
use agon_view::paint::{Rgb, Theme, ThemeName};
use maud::{Markup, html};

use crate::report::Report;

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
                let address = format!("{folder}{}", encoded(name));
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
        let theme = Theme::new(name, game);
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
