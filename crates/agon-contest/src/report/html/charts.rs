//! The charts of a page: ratings as dots with whiskers and as lines over time, and intervals of
//! seats.

use maud::{Markup, html};

use super::{Axis, COLORS, PageData, columns, left_out};
use crate::report::facts::{elo_text, grouped, percent};
use crate::report::results::{interval_text, missing_end};
use crate::report::{Line, Rating};

/// The most bots in the chart.
const MAX_RATINGS: usize = 64;

/// Writes a row for each bot, best first.
pub(super) fn ratings(sheet: &PageData<'_>) -> Markup {
    let rated: Vec<&Rating<'_>> =
        sheet.report.ratings.iter().filter(|rating| rating.is_rated()).collect();
    let shown = &rated[..rated.len().min(MAX_RATINGS)];
    let low = shown.iter().map(|rating| rating.low).fold(f64::INFINITY, f64::min);
    let high = shown.iter().map(|rating| rating.high).fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::new(low, high, 6);
    let groups = rated.iter().any(|rating| rating.group > 0);
    html! {
        p.note {
            "Elo points, with 95 % intervals; 0 is the mean of the bots with bounds on both sides. \
             A dashed interval has an end that no result holds. Overlapping intervals do not show \
             which of two bots is stronger: see Who is stronger."
        }
        table.dots aria-label="Ratings with intervals, best first" {
            colgroup { col.name; col; col.value; }
            @for (at, rating) in shown.iter().enumerate() {
                @if groups && (at == 0 || shown[at - 1].group != rating.group) {
                    tr.group {
                        th scope="rowgroup" colspan="3" { "group " (rating.group + 1) }
                    }
                }
                (rating_row(sheet, rating, &axis))
            }
            tr.axis aria-hidden="true" {
                th {}
                td { (axis.numbers(elo_text)) }
                td {}
            }
        }
        @if rated.len() > MAX_RATINGS {
            p.note {
                "The best " (MAX_RATINGS) " of " (grouped(rated.len() as u64))
                "; all are in the table above."
            }
        }
    }
}

fn rating_row(sheet: &PageData<'_>, rating: &Rating<'_>, axis: &Axis) -> Markup {
    let open = missing_end(rating.footing).map(|words| format!("; {words}"));
    let elo = elo_text(rating.elo);
    let interval = interval_text(rating);
    let title =
        format!("{}: {elo} ({interval}){}", rating.bot, open.as_deref().unwrap_or_default());
    let own = rating.rank <= COLORS && rating.group == 0;
    html! {
        tr {
            th scope="row" title=(rating.bot) { (sheet.name(rating.number)) }
            td.plot title=(title) {
                svg.row width="100%" height="22" role="img" aria-label=(title) {
                    @for &tick in &axis.ticks {
                        (axis.line(if tick == 0.0 { "zero" } else { "grid" }, [tick; 2], [0, 22]))
                    }
                    (axis.line(
                        if open.is_some() { "whisker open" } else { "whisker" },
                        [rating.low, rating.high],
                        [11; 2],
                    ))
                    (axis.line("end", [rating.low; 2], [7, 15]))
                    (axis.line("end", [rating.high; 2], [7, 15]))
                    circle.dot.{ "s" (rating.rank - 1) }[own] cx=(axis.percent(rating.elo))
                        cy="11" r="5" {}
                }
            }
            td.n { (elo) small { " " (interval) } }
        }
    }
}

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
pub(super) fn time(sheet: &PageData<'_>) -> Markup {
    let progress = &sheet.report.progress;
    let there = |line: &&Line<'_>| line.elo.last().copied().flatten().is_some();
    let lines: Vec<&Line<'_>> = progress.lines.iter().filter(there).collect();
    let colored = &lines[..lines.len().min(COLORS)];
    let faint = &lines[colored.len()..lines.len().min(COLORS + FAINT)];
    let axis = time_axis(colored, faint);
    let last = progress.matches.last().copied().unwrap_or(1).max(1);
    let x = |point: usize| WIDTH * progress.matches[point] as f64 / last as f64;
    let y = |elo: f64| HEIGHT * (1.0 - axis.place(elo));
    html! {
        p.note {
            "Agon computes the ratings from the first matches, then from more of them, and so \
             on. A line that still moves at the end is not settled."
        }
        figure.time role="img" aria-label={ "Ratings over " (grouped(last)) " matches" } {
            svg.left width="48" height=(HEIGHT) {
                @for &tick in &axis.ticks {
                    text.tick x="42" y=(format!("{:.1}", y(tick) + 4.0)) text-anchor="end" {
                        (elo_text(tick))
                    }
                }
            }
            svg.lines viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none"
                width="100%" height=(HEIGHT) {
                @for &tick in &axis.ticks {
                    @let at = format!("{:.1}", y(tick));
                    line.(if tick == 0.0 { "zero" } else { "grid" })
                        x1="0" x2=(WIDTH) y1=(at) y2=(at) {}
                }
                @for line in faint {
                    g { title { (line.bot) } (polyline("faint", line, x, y)) }
                }
                @for (at, line) in colored.iter().enumerate().rev() {
                    g.(if colored.len() <= BANDS { "with" } else { "hover" }).{ "s" (at) } {
                        title { (line.bot) }
                        (band(line, x, y))
                        (polyline("line", line, x, y))
                    }
                }
            }
            (names(colored, y))
            (ticks(last))
        }
        @if lines.len() > COLORS {
            p.note {
                "The best " (COLORS) " in colours, "
                @if lines.len() > COLORS + FAINT { "the next " (FAINT) } @else { "the others" }
                " behind them. A line under the pointer tells its name."
            }
        }
    }
}

/// Makes an axis for all current values, and for the second half of all lines.
///
/// The beginnings of lines may lie outside.
fn time_axis(colored: &[&Line<'_>], faint: &[&Line<'_>]) -> Axis {
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
    class: &str,
    line: &Line<'_>,
    x: impl Fn(usize) -> f64,
    y: impl Fn(f64) -> f64,
) -> Markup {
    let points: Vec<String> =
        known(line).map(|(at, [elo, _, _])| format!("{:.0},{:.1}", x(at), y(elo))).collect();
    html! { polyline class=(class) points=(points.join(" ")) {} }
}

/// Writes the interval of a line.
fn band(line: &Line<'_>, x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) -> Markup {
    let point = |at: usize, value: f64| format!("{:.0},{:.1}", x(at), y(value));
    let mut points = Vec::new();
    let mut back = Vec::new();
    for (at, [_, low, high]) in known(line) {
        points.push(point(at, low));
        back.push(point(at, high));
    }
    points.extend(back.into_iter().rev());
    html! { polygon.band points=(points.join(" ")) {} }
}

/// Writes names at the ends of lines, moved apart so that they do not overlap.
fn names(colored: &[&Line<'_>], y: impl Fn(f64) -> f64) -> Markup {
    let mut places: Vec<f64> =
        colored.iter().map(|line| line.elo.last().copied().flatten().map_or(0.0, &y)).collect();
    spread(&mut places, HEIGHT);
    html! {
        svg.names width="100%" height=(HEIGHT) {
            @for ((at, line), place) in colored.iter().enumerate().zip(places) {
                text.{ "s" (at) } x="6" y=(format!("{:.1}", place + 4.0)) { (line.bot) }
            }
        }
    }
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
fn ticks(last: u64) -> Markup {
    let axis = Axis::new(0.0, last as f64, 5);
    let shown = |tick: &&f64| **tick > 0.0 && **tick <= 0.78 * last as f64;
    html! {
        svg.below width="100%" height="22" {
            @for &tick in axis.ticks.iter().filter(shown) {
                text.tick x=(format!("{:.2}%", 100.0 * tick / last as f64)) y="15"
                    text-anchor="middle" { (grouped(tick as u64)) }
            }
            text.tick x="100%" y="15" text-anchor="end" { "matches" }
        }
    }
}

/// The most seats in the table, over all numbers of players.
const MAX_SEATS: usize = 40;

/// Writes the mean score of each seat.
pub(super) fn seats(sheet: &PageData<'_>) -> Markup {
    let seats = &sheet.report.seats;
    let several = seats.iter().any(|line| line.players != seats[0].players);
    let far =
        seats.iter().map(|line| (0.5 - line.low).max(line.high - 0.5)).fold(0.1, f64::max).min(0.5);
    let axis = Axis::new(50.0 - 100.0 * far, 50.0 + 100.0 * far, 5);
    html! {
        p.note {
            "The share of the opponents left behind, by seat, for all bots together, with its \
             95 % interval; 50 % if the seat does not matter. "
            @if sheet.report.tournament.mirrored {
                "All matches of a pairing on one seed count as one observation."
            } @else {
                "Seeds were not played from every seat, so it also depends on who sat where."
            }
        }
        table.seats {
            (columns(&[
                ("", "Seat", "Who is asked first has seat 1, or as the game has it"),
                ("", "", "The share with its 95 % interval"),
                ("n", "Share", "The share of the opponents left behind"),
                ("n", "Matches", "Matches"),
            ]))
            tbody {
                @for line in seats.iter().take(MAX_SEATS) {
                    @let title = format!("{} to {}", percent(line.low), percent(line.high));
                    tr {
                        th scope="row" {
                            (line.seat)
                            @if several { " of " (line.players) }
                        }
                        td.plot title=(title) {
                            (interval(&axis, 50.0, [line.low, line.score, line.high]))
                        }
                        td.n title=(title) { (format!("{:.1} %", 100.0 * line.score)) }
                        td.n { (grouped(line.matches)) }
                    }
                }
                tr.axis aria-hidden="true" {
                    th {}
                    td { (axis.numbers(|tick| format!("{tick:.0} %"))) }
                }
            }
        }
        (left_out(seats.len(), MAX_SEATS))
    }
}

/// Draws an interval of shares, with a line at `zero` per cent.
fn interval(axis: &Axis, zero: f64, parts: [f64; 3]) -> Markup {
    let [low, middle, high] = parts.map(|part| 100.0 * part);
    html! {
        svg.row width="100%" height="22" aria-hidden="true" {
            (axis.line("zero", [zero; 2], [0, 22]))
            (axis.line("whisker", [low, high], [11; 2]))
            circle.dot cx=(axis.percent(middle)) cy="11" r="4.5" {}
        }
    }
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
