//! Axes with round numbers, and what is drawn along them.
//!
//! Places are percentages, so that a chart has the width of the page without stretched letters.

use maud::{Markup, html};

/// An axis from one number to another.
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

#[cfg(test)]
mod tests {
    use super::*;

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
