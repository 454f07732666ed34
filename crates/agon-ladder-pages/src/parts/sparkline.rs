//! Small lines without axes.

use std::fmt::Write;

use maud::{Markup, html};

use super::number::elo;

/// Width and height.
const SIZE: (f64, f64) = (84.0, 22.0);

/// Draws the course of some values, oldest first.
pub(crate) fn sparkline(values: &[f64]) -> Markup {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let [first, .., last] = values[..] else { return html! {} };
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A line that moves by less than a point or two would otherwise look dramatic.
    let range = (high - low).max(20.0);
    let middle = (high + low) / 2.0;
    let x = |at: usize| 2.0 + (SIZE.0 - 6.0) * at as f64 / (values.len() - 1) as f64;
    let y = |value: f64| SIZE.1 / 2.0 - (SIZE.1 - 6.0) * (value - middle) / range;
    let mut points = String::new();
    for (at, &value) in values.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(points, "{:.1},{:.1} ", x(at), y(value));
    }
    html! {
        svg.spark width=(SIZE.0) height=(SIZE.1) role="img"
            aria-label={ "rating from " (elo(first)) " to " (elo(last)) } {
            polyline points=(points.trim_end()) {}
            circle cx=(format!("{:.1}", x(values.len() - 1))) cy=(format!("{:.1}", y(last)))
                r="2" {}
        }
    }
}
