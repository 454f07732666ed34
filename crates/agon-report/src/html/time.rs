//! Ratings after more and more matches, as lines.

use super::{axis::Axis, colors::COLORS, page_data::PageData, writer::Html};
use crate::{
    Line,
    number::{elo_text, grouped},
};

/// The height of the chart in pixels.
const HEIGHT: f64 = 340.0;

/// The width of the picture in its own units; it is stretched to the page.
const WIDTH: f64 = 1000.0;

/// The most lines without a colour, behind those with a colour.
const FAINT: usize = 40;

/// The height of a name at the end of a line.
const NAME: f64 = 16.0;

/// Ratings are drawn from when half their interval is at most this, in Elo points.
///
/// Earlier ratings are mostly chance.
const KNOWN: f64 = 400.0;

/// With more lines than this, only the line under the pointer has its interval.
const BANDS: usize = 4;

/// Writes the ratings of the best bots over time.
pub(super) fn time(sheet: &PageData<'_>, html: &mut Html) {
    let progress = &sheet.report.progress;
    let there = |line: &&Line<'_>| line.elo.last().copied().flatten().is_some();
    let lines: Vec<&Line<'_>> = progress.lines.iter().filter(there).collect();
    let colored = &lines[..lines.len().min(COLORS)];
    let faint = &lines[colored.len()..lines.len().min(COLORS + FAINT)];
    let axis = axis(colored, faint);
    let last = progress.matches.last().copied().unwrap_or(1).max(1);
    let x = |point: usize| WIDTH * progress.matches[point] as f64 / last as f64;
    let y = |elo: f64| HEIGHT * (1.0 - axis.place(elo));
    html.element(
        "p",
        &[("class", "note")],
        "The table of ratings made anew from the first matches, then from more of them, and so on. \
         A line that still moves at the end is not settled.",
    );
    let text = format!("Ratings over {} matches", grouped(last));
    html.within("figure", &[("class", "time"), ("role", "img"), ("aria-label", &text)], |html| {
        html.within(
            "svg",
            &[("class", "left"), ("width", "48"), ("height", &HEIGHT.to_string())],
            |html| {
                for &tick in &axis.ticks {
                    let at = format!("{:.1}", y(tick) + 4.0);
                    let place = [
                        ("class", "tick"),
                        ("x", "42"),
                        ("y", at.as_str()),
                        ("text-anchor", "end"),
                    ];
                    html.element("text", &place, &elo_text(tick));
                }
            },
        );
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        let svg = [
            ("class", "lines"),
            ("viewBox", view.as_str()),
            ("preserveAspectRatio", "none"),
            ("width", "100%"),
            ("height", &HEIGHT.to_string()),
        ];
        html.within("svg", &svg, |html| {
            for &tick in &axis.ticks {
                let at = format!("{:.1}", y(tick));
                let class = if tick == 0.0 { "zero" } else { "grid" };
                html.empty(
                    "line",
                    &[("class", class), ("x1", "0"), ("x2", "1000"), ("y1", &at), ("y2", &at)],
                );
            }
            for line in faint {
                html.within("g", &[], |html| {
                    html.element("title", &[], line.bot);
                    polyline(html, "faint", line, x, y);
                });
            }
            for (at, line) in colored.iter().enumerate().rev() {
                let bands = if colored.len() <= BANDS { "with" } else { "hover" };
                html.within("g", &[("class", &format!("{bands} s{at}"))], |html| {
                    html.element("title", &[], line.bot);
                    band(html, line, x, y);
                    polyline(html, "line", line, x, y);
                });
            }
        });
        names(html, colored, y);
        html.within("svg", &[("class", "below"), ("width", "100%"), ("height", "22")], |html| {
            ticks(html, last);
        });
    });
    if lines.len() > COLORS {
        let rest = if lines.len() > COLORS + FAINT {
            format!("the next {FAINT}")
        } else {
            "the others".to_owned()
        };
        let text = format!(
            "The best {COLORS} in colours, {rest} behind them. A line under the pointer tells its \
             name."
        );
        html.element("p", &[("class", "note")], &text);
    }
}

/// Makes an axis for all current values, and for the second half of all lines.
///
/// The beginnings of lines may lie outside.
fn axis(colored: &[&Line<'_>], faint: &[&Line<'_>]) -> Axis {
    let mut values = Vec::new();
    for line in colored.iter().chain(faint) {
        values.extend(line.elo.iter().skip(line.elo.len() / 2).flatten());
    }
    for line in colored {
        values.extend(line.low.last().into_iter().chain(line.high.last()).flatten());
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() { Axis::new(-100.0, 100.0, 6) } else { Axis::new(low, high, 6) }
}

/// Returns the points of a line that are well enough known: place, rating, low and high.
///
/// A point is also good enough if it is known as well as the last one.
fn known<'l>(line: &'l Line<'_>) -> impl Iterator<Item = (usize, [f64; 3])> + 'l {
    let at = |at: usize| Some([line.elo[at]?, line.low[at]?, line.high[at]?]);
    let half = |[_, low, high]: [f64; 3]| (high - low) / 2.0;
    let last = line.elo.len().checked_sub(1).and_then(at).map_or(0.0, half);
    let enough = KNOWN.max(1.2 * last);
    (0..line.elo.len())
        .filter_map(move |place| Some((place, at(place)?)))
        .filter(move |(_, v)| half(*v) <= enough)
}

fn polyline(
    html: &mut Html,
    class: &str,
    line: &Line<'_>,
    x: impl Fn(usize) -> f64,
    y: impl Fn(f64) -> f64,
) {
    let points: Vec<String> =
        known(line).map(|(at, [elo, _, _])| format!("{:.0},{:.1}", x(at), y(elo))).collect();
    html.empty("polyline", &[("class", class), ("points", &points.join(" "))]);
}

/// Writes the interval of a line.
fn band(html: &mut Html, line: &Line<'_>, x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) {
    let point = |at: usize, value: f64| format!("{:.0},{:.1}", x(at), y(value));
    let mut points = Vec::new();
    let mut back = Vec::new();
    for (at, [_, low, high]) in known(line) {
        points.push(point(at, low));
        back.push(point(at, high));
    }
    points.extend(back.into_iter().rev());
    html.empty("polygon", &[("class", "band"), ("points", &points.join(" "))]);
}

/// Writes names at the ends of lines, moved apart so that they do not overlap.
fn names(html: &mut Html, colored: &[&Line<'_>], y: impl Fn(f64) -> f64) {
    let mut places: Vec<f64> =
        colored.iter().map(|line| line.elo.last().copied().flatten().map_or(0.0, &y)).collect();
    spread(&mut places, HEIGHT);
    let height = HEIGHT.to_string();
    html.within("svg", &[("class", "names"), ("width", "100%"), ("height", &height)], |html| {
        for ((at, line), place) in colored.iter().enumerate().zip(places) {
            let y = format!("{:.1}", place + 4.0);
            html.element("text", &[("class", &format!("s{at}")), ("x", "6"), ("y", &y)], line.bot);
        }
    });
}

/// Moves ascending places apart until names fit, within the height.
fn spread(places: &mut [f64], height: f64) {
    let mut least = NAME / 2.0;
    for place in places.iter_mut() {
        *place = place.max(least);
        least = *place + NAME;
    }
    let mut most = height - NAME / 2.0;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - NAME;
    }
}

/// Writes numbers of matches.
fn ticks(html: &mut Html, last: u64) {
    let axis = Axis::new(0.0, last as f64, 5);
    for &tick in axis.ticks.iter().filter(|&&tick| tick > 0.0 && tick <= 0.78 * last as f64) {
        let at = format!("{:.2}%", 100.0 * tick / last as f64);
        let place = [("class", "tick"), ("x", at.as_str()), ("y", "15"), ("text-anchor", "middle")];
        html.element("text", &place, &grouped(tick as u64));
    }
    let place = [("class", "tick"), ("x", "100%"), ("y", "15"), ("text-anchor", "end")];
    html.element("text", &place, "matches");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let mut places = [10.0, 11.0, 12.0, 200.0, 339.0, 339.5];
        spread(&mut places, 340.0);
        assert!(places.windows(2).all(|two| two[1] - two[0] >= NAME), "{places:?}");
        assert!(places[0] >= 8.0 && places[5] <= 332.0);
        assert_eq!(places[3], 200.0);
    }
}
