//! Ratings over time: with the versions that had them, and small lines without axes.
//!
//! The plot is stretched to the width of the page. Its labels are beside it, with places in per
//! cent, so that letters are not stretched.

use std::fmt::Write;

use agon_ladder::api::{RatingPoint, Time};
use maud::{Markup, html};

use super::values::elo;

/// Width and height of the plot, before it is stretched.
const SIZE: (f64, f64) = (1000.0, 200.0);

/// An axis from one number to another.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// Makes an axis with about `most` marks, at 1, 2 or 5 times a power of ten.
    fn new(low: f64, high: f64, most: f64) -> Axis {
        let margin = (0.08 * (high - low)).max(5.0);
        let (from, to) = (low - margin, high + margin);
        let rough = (to - from) / most;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0].map(|n| n * power);
        let step = steps.into_iter().find(|&step| step >= rough).unwrap_or(10.0 * power);
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        Axis { from, to, ticks: (first..=last).map(|n| n as f64 * step).collect() }
    }

    /// Returns the place of a number, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }
}

/// The least distance of two labels, as a part of the width.
const APART: f64 = 0.05;

/// Draws ratings over time, oldest first.
pub(crate) fn chart(points: &[RatingPoint]) -> Markup {
    let points: Vec<_> = points.iter().copied().filter(|point| point.elo.is_finite()).collect();
    let [first, .., last] = points[..] else {
        return html! { p.empty { "There are too few matches for a chart." } };
    };
    let low = points.iter().map(|point| point.elo).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|point| point.elo).fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::new(low, high, 5.0);
    let begin = first.at.0 as f64;
    let length = (last.at.0 as f64 - begin).max(1.0);
    let x = |time: Time| (time.0 as f64 - begin) / length;
    let y = |value: f64| SIZE.1 * (1.0 - axis.place(value));
    let mut line = String::new();
    // Where versions begin, with their numbers.
    let mut versions: Vec<(f64, u32)> = Vec::new();
    for point in &points {
        // Writing to a string cannot fail.
        let _ = write!(line, "{:.1},{:.1} ", SIZE.0 * x(point.at), y(point.elo));
        if point.version > 0 && versions.last().is_none_or(|(_, last)| *last != point.version) {
            versions.push((x(point.at), point.version));
        }
    }
    // Their numbers stand above the plot, as far as there is room.
    let mut marks: Vec<(f64, u32)> = Vec::new();
    for &(x, version) in &versions {
        if marks.last().is_none_or(|(last, _)| x - last >= APART) {
            marks.push((x, version));
        }
    }
    let words = format!(
        "Rating from {} on {} to {} on {}; lowest {}, highest {}",
        elo(first.elo),
        first.at.day(),
        elo(last.elo),
        last.at.day(),
        elo(low),
        elo(high)
    );
    let view = format!("0 0 {} {}", SIZE.0, SIZE.1);
    html! {
        figure.chart {
            div.plot {
                svg.marks width="100%" height="18" aria-hidden="true" {
                    @for (x, version) in marks {
                        @let end = x > 1.0 - APART;
                        text x=(format!("{:.2}%", 100.0 * x)) y="13"
                            text-anchor=[end.then_some("end")] { "v" (version) }
                    }
                }
                svg.values width="52" height=(SIZE.1) aria-hidden="true" {
                    @for &tick in &axis.ticks {
                        text x="44" y=(format!("{:.1}", y(tick) + 4.0)) text-anchor="end" {
                            (elo(tick))
                        }
                    }
                }
                svg.curve viewBox=(view) preserveAspectRatio="none" role="img" aria-label=(words) {
                    @for &tick in &axis.ticks {
                        @let y = format!("{:.1}", y(tick));
                        line.grid x1="0" x2=(SIZE.0) y1=(y) y2=(y) {}
                    }
                    @for (x, _) in versions {
                        @let x = format!("{:.1}", SIZE.0 * x);
                        line.start x1=(x) x2=(x) y1="0" y2=(SIZE.1) {}
                    }
                    polyline points=(line.trim_end()) {}
                }
                div.dates aria-hidden="true" {
                    span { (first.at.day()) }
                    span { (last.at.day()) }
                }
            }
            figcaption { (words) "." }
        }
    }
}

/// Width and height of a line without axes.
const SPARK: (f64, f64) = (84.0, 22.0);

/// Draws the course of some values, oldest first.
pub(crate) fn sparkline(values: &[f64]) -> Markup {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let [first, .., last] = values[..] else { return html! {} };
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A line that moves by less than a point or two would otherwise look dramatic.
    let range = (high - low).max(20.0);
    let middle = (high + low) / 2.0;
    let x = |at: usize| 2.0 + (SPARK.0 - 6.0) * at as f64 / (values.len() - 1) as f64;
    let y = |value: f64| SPARK.1 / 2.0 - (SPARK.1 - 6.0) * (value - middle) / range;
    let mut points = String::new();
    for (at, &value) in values.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(points, "{:.1},{:.1} ", x(at), y(value));
    }
    html! {
        svg.spark width=(SPARK.0) height=(SPARK.1) role="img"
            aria-label={ "rating from " (elo(first)) " to " (elo(last)) } {
            polyline points=(points.trim_end()) {}
            circle cx=(format!("{:.1}", x(values.len() - 1))) cy=(format!("{:.1}", y(last)))
                r="2" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        let axis = Axis::new(-130.0, 240.0, 5.0);
        assert_eq!(axis.ticks, [-100.0, 0.0, 100.0, 200.0]);
        for high in [0.0, 1.0, 7.0, 55.0, 1234.0, 9999.0] {
            let ticks = Axis::new(0.0, high, 5.0).ticks;
            assert!((2..=8).contains(&ticks.len()), "{high}: {ticks:?}");
        }
    }
}
