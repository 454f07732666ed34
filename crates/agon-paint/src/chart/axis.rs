//! An axis of a chart: its range, and ticks at round numbers.
//!
//! `chart` makes one for the turns and one for the values.

/// An axis of numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// The places of the marks, in order.
    pub(crate) ticks: Vec<f64>,
}

impl Axis {
    /// Makes an axis from `low` to `high` with about `most` ticks at most.
    ///
    /// Ticks are at 1, 2 or 5 times a power of ten.
    pub(crate) fn new(low: i64, high: i64, most: u32) -> Axis {
        let (low, high) = (low as f64, if high > low { high } else { low + 1 } as f64);
        let rough = (high - low) / f64::from(most.max(2));
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&step| step >= rough);
        // Counts are whole numbers.
        let step = step.unwrap_or(10.0 * power).max(1.0);
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        Axis { from: low, to: high, ticks: (first..=last).map(|n| n as f64 * step).collect() }
    }

    /// Makes the same axis, but with ticks at both ends.
    pub(crate) fn rounded(low: i64, high: i64, most: u32) -> Axis {
        let axis = Axis::new(low, high, most);
        let step = axis.ticks.windows(2).next().map_or(1.0, |pair| pair[1] - pair[0]);
        let (from, to) = ((axis.from / step).floor() as i64, (axis.to / step).ceil() as i64);
        let ticks: Vec<f64> = (from..=to).map(|n| n as f64 * step).collect();
        Axis { from: from as f64 * step, to: to as f64 * step, ticks }
    }

    /// Returns the place of a number, from 0 to 1.
    pub(crate) fn place(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }
}

/// Returns a number in the form for ticks: `950`, `12k`, `1.5M`.
pub(crate) fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{unit}").replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(Axis::new(0, 500, 6).ticks, [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(Axis::new(3, 9, 10).ticks, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(Axis::new(7, 7, 5), Axis { from: 7.0, to: 8.0, ticks: vec![7.0, 8.0] });
        let rounded = Axis::rounded(0, 312, 5);
        assert_eq!((rounded.to, rounded.ticks.len()), (400.0, 5));
        assert_eq!(Axis::rounded(-30, 45, 4).ticks, [-40.0, -20.0, 0.0, 20.0, 40.0, 60.0]);
        for high in [1, 9, 10, 99, 101, 12_345, 1 << 40] {
            let axis = Axis::rounded(0, high, 6);
            assert!((2..=8).contains(&axis.ticks.len()), "{high}: {axis:?}");
            assert!(axis.to >= high as f64);
        }
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 950.0, 9_500.0, 12_000.0, 1_500_000.0, -40.0, 2e9].map(short);
        assert_eq!(texts, ["0", "950", "9500", "12k", "1.5M", "−40", "2G"]);
    }
}
