//! Lays out a chart and draws it: title, legend, axes with ticks at round numbers, and lines.
//!
//! A [`Chart`] becomes an SVG file or a picture; both have the same layout.

use super::{Anchor, Line, Pen, Svg, thinned};
use crate::paint::{Frame, Rgb, Theme, text_fit, text_width};

/// A chart of numbers over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The counted quantity.
    pub title: String,
    /// The name of the turns: "turn".
    pub x: String,
    /// The lines; later ones are drawn over earlier ones.
    pub lines: Vec<Line>,
}

/// The colours of a chart apart from its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colors {
    /// The background.
    pub paper: Rgb,
    /// Titles.
    pub text: Rgb,
    /// Numbers at the axes.
    pub faint: Rgb,
    /// The grid.
    pub grid: Rgb,
}

impl From<&Theme> for Colors {
    fn from(theme: &Theme) -> Colors {
        let half = |a: u8, b: u8| ((3 * u16::from(a) + u16::from(b)) / 4) as u8;
        let paper = theme.paper;
        let faint = theme.faint;
        let grid = Rgb(half(paper.0, faint.0), half(paper.1, faint.1), half(paper.2, faint.2));
        Colors { paper, text: theme.text, faint, grid }
    }
}

/// The space around everything, in pixels.
const MARGIN: f64 = 16.0;

/// Heights of lines of text.
const TITLE: u32 = 20;
const SMALL: u32 = 16;

/// The largest width of a name in the legend.
const MAX_NAME_WIDTH: u32 = 240;

/// The places of turns in the picture of a chart, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The left edge of the lines.
    pub left: f64,
    /// Their upper edge.
    pub top: f64,
    /// Their right edge.
    pub right: f64,
    /// Their lower edge.
    pub bottom: f64,
    /// The turn at the left edge.
    first: f64,
    /// The turn at the right edge, which differs from the first.
    last: f64,
}

impl Scale {
    /// Returns the point for places from 0 to 1 on both axes, upwards.
    fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    /// Returns the distance of a turn from the left; `None` if it is not on the chart.
    pub fn place(&self, turn: u64) -> Option<f64> {
        let part = (turn as f64 - self.first) / (self.last - self.first);
        (0.0..=1.0).contains(&part).then_some(self.left + part * (self.right - self.left))
    }

    /// Returns the turn nearest to this distance from the left.
    pub fn turn_at(&self, x: f64) -> u64 {
        let part = ((x - self.left) / (self.right - self.left)).clamp(0.0, 1.0);
        (self.first + part * (self.last - self.first)).round() as u64
    }
}

impl Chart {
    /// Returns the chart as an SVG file of this width and height in pixels.
    pub fn svg(&self, (width, height): (u32, u32), colors: &Colors) -> String {
        let mut svg = Svg::new((width, height), &self.title);
        self.draw(&mut svg, (f64::from(width), f64::from(height)), colors);
        svg.finish()
    }

    /// Paints the chart over the whole picture, and returns its scale.
    ///
    /// `None` if there is no space for lines.
    pub fn paint(&self, frame: &mut Frame, colors: &Colors) -> Option<Scale> {
        let size = (f64::from(frame.width()), f64::from(frame.height()));
        self.draw(frame, size, colors)
    }

    /// Paints a small chart without legend and numbers at the axes, and returns its scale.
    ///
    /// Its letters are `text` pixels high. `None` if there is no space for lines.
    pub fn paint_small(&self, frame: &mut Frame, colors: &Colors, text: u32) -> Option<Scale> {
        let width = f64::from(frame.width());
        let height = f64::from(frame.height());
        frame.fill(frame.area(), colors.paper);
        let margin = f64::from(text) / 2.0;
        let (x_axis, y_axis) = self.axes((width, height));
        let plot = Scale {
            left: margin,
            top: margin + 1.25 * f64::from(text),
            right: width - margin,
            bottom: height - margin,
            first: x_axis.from,
            last: x_axis.to,
        };
        if plot.right - plot.left < 16.0 || plot.bottom - plot.top < 16.0 {
            return None;
        }
        let middle = margin / 2.0 + f64::from(text) / 2.0;
        // The greatest value, and the title in what is left of the line.
        let most = short(y_axis.to);
        let room = (plot.right - plot.left) as u32;
        let title =
            text_fit(&self.title, text, false, room.saturating_sub(text_width(&most, text, false)));
        let (left, right) = ((plot.left, middle), (plot.right, middle));
        Pen::text(frame, left, title.trim_end(), text, false, Anchor::Left, colors.faint);
        if title.len() == self.title.len() {
            Pen::text(frame, right, &most, text, false, Anchor::Right, colors.faint);
        }
        for value in [y_axis.from, 0.0, y_axis.to] {
            let (_, y) = plot.point(0.0, y_axis.place(value));
            Pen::fill(frame, [plot.left, y.round(), plot.right - plot.left, 1.0], colors.grid);
        }
        self.draw_lines(frame, &plot, (&x_axis, &y_axis), 1.5);
        Some(plot)
    }

    /// Draws the lines.
    fn draw_lines(
        &self,
        pen: &mut impl Pen,
        plot: &Scale,
        (x_axis, y_axis): (&Axis, &Axis),
        width: f64,
    ) {
        for (number, line) in self.lines.iter().enumerate() {
            let place =
                |&(x, y): &(u64, i64)| plot.point(x_axis.place(x as f64), y_axis.place(y as f64));
            let points: Vec<(f64, f64)> = line.points.iter().map(place).collect();
            pen.line(&thinned(&points), width, dash(number), line.color);
        }
    }

    fn draw(
        &self,
        pen: &mut impl Pen,
        (width, height): (f64, f64),
        colors: &Colors,
    ) -> Option<Scale> {
        pen.fill([0.0, 0.0, width, height], colors.paper);
        let title = text_fit(&self.title, TITLE, true, (width - 2.0 * MARGIN).max(0.0) as u32);
        let top = MARGIN + f64::from(TITLE);
        pen.text(
            (MARGIN, MARGIN + f64::from(TITLE) / 2.0),
            &title,
            TITLE,
            true,
            Anchor::Left,
            colors.text,
        );
        let legend = self.legend(pen, (top + 8.0, width), colors);
        let (x_axis, y_axis) = self.axes((width, height));
        let widest = y_axis
            .ticks
            .iter()
            .map(|&tick| text_width(&short(tick), SMALL, false))
            .max()
            .unwrap_or(0);
        let plot = Scale {
            left: MARGIN + f64::from(widest) + 8.0,
            top: legend + 12.0,
            right: width - MARGIN - 8.0,
            bottom: height - MARGIN - 2.0 * f64::from(SMALL) - 8.0,
            first: x_axis.from,
            last: x_axis.to,
        };
        if plot.right - plot.left < 16.0 || plot.bottom - plot.top < 16.0 {
            // Too small for lines: there is only space for title and legend.
            return None;
        }
        self.draw_axes(pen, &plot, (&x_axis, &y_axis), colors);
        self.draw_lines(pen, &plot, (&x_axis, &y_axis), 2.0);
        Some(plot)
    }

    /// Returns the axes for all points; the axis of values includes zero.
    fn axes(&self, (width, height): (f64, f64)) -> (Axis, Axis) {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let (first, last) =
            (points().map(|p| p.0).min().unwrap_or(0), points().map(|p| p.0).max().unwrap_or(1));
        let (low, high) =
            (points().map(|p| p.1).min().unwrap_or(0), points().map(|p| p.1).max().unwrap_or(1));
        let most = |length: f64, each: f64| (length / each).clamp(2.0, 12.0) as u32;
        let x = Axis::new(first as i64, last as i64, most(width, 90.0));
        (x, Axis::rounded(low.min(0), high.max(0), most(height, 70.0)))
    }

    fn draw_axes(
        &self,
        pen: &mut impl Pen,
        plot: &Scale,
        (x_axis, y_axis): (&Axis, &Axis),
        colors: &Colors,
    ) {
        let numbers = plot.bottom + 4.0 + f64::from(SMALL) / 2.0;
        let name = plot.bottom + 1.5 * f64::from(SMALL) + 6.0;
        for &tick in &y_axis.ticks {
            let (_, y) = plot.point(0.0, y_axis.place(tick));
            let color = if tick == 0.0 { colors.faint } else { colors.grid };
            pen.fill([plot.left, y.round(), plot.right - plot.left, 1.0], color);
            pen.text((plot.left - 8.0, y), &short(tick), SMALL, false, Anchor::Right, colors.faint);
        }
        for &tick in &x_axis.ticks {
            let (x, _) = plot.point(x_axis.place(tick), 0.0);
            pen.fill([x.round(), plot.top, 1.0, plot.bottom - plot.top], colors.grid);
            pen.text((x, numbers), &short(tick), SMALL, false, Anchor::Middle, colors.faint);
        }
        let middle = f64::midpoint(plot.left, plot.right);
        pen.text((middle, name), &self.x, SMALL, false, Anchor::Middle, colors.faint);
    }

    /// Draws names with samples of their lines, in as many rows as necessary.
    ///
    /// Returns the lower edge of the last row.
    fn legend(&self, pen: &mut impl Pen, (top, width): (f64, f64), colors: &Colors) -> f64 {
        let row = f64::from(SMALL) + 6.0;
        let (mut x, mut y) = (MARGIN, top + row / 2.0);
        for (number, line) in self.lines.iter().enumerate() {
            let name = text_fit(&line.name, SMALL, false, MAX_NAME_WIDTH);
            let wide = 32.0 + f64::from(text_width(&name, SMALL, false)) + 20.0;
            if x > MARGIN && x + wide - 20.0 > width - MARGIN {
                (x, y) = (MARGIN, y + row);
            }
            pen.line(&[(x + 2.0, y), (x + 22.0, y)], 4.0, dash(number), line.color);
            pen.text((x + 32.0, y), &name, SMALL, false, Anchor::Left, colors.text);
            x += wide;
        }
        y + row / 2.0
    }
}

/// Returns the dashes and gaps of a line, if it has any.
///
/// Six colours can be told apart by everybody. Each six lines after the first ones have dashes of
/// another length.
fn dash(number: usize) -> Option<(f64, f64)> {
    const KINDS: [(f64, f64); 3] = [(9.0, 6.0), (2.0, 6.0), (4.0, 3.0)];
    let group = number / 6;
    (group > 0).then(|| KINDS[(group - 1) % KINDS.len()])
}

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
    fn turns_are_found_where_they_are_drawn() {
        let theme = Theme::new(crate::paint::ThemeName::Dark, agon_games::GameId::OWN[0].kind());
        let points = (3..=40).map(|turn| (turn, (turn as i64 * 7) % 11)).collect();
        let line = Line { name: "ann".into(), color: theme.text, points };
        let chart = Chart { title: "units".into(), x: "turns".into(), lines: vec![line] };
        let mut frame = Frame::new(500, 240);
        let scale = chart.paint(&mut frame, &Colors::from(&theme)).expect("there is room");
        assert_eq!((scale.place(3), scale.place(40)), (Some(scale.left), Some(scale.right)));
        assert!((3..=40).all(|turn| scale.turn_at(scale.place(turn).unwrap()) == turn));
        assert_eq!((scale.place(2), scale.place(41)), (None, None));
        assert_eq!((scale.turn_at(-9.0), scale.turn_at(9e9)), (3, 40));
        assert_eq!(chart.paint(&mut Frame::new(60, 40), &Colors::from(&theme)), None);
    }

    #[test]
    fn small_charts_use_their_space_for_lines() {
        let theme = Theme::new(crate::paint::ThemeName::Dark, agon_games::GameId::OWN[0].kind());
        let points = (0..=20).map(|turn| (turn, -(turn as i64))).collect();
        let line = Line { name: "ann".into(), color: theme.text, points };
        let chart = Chart { title: "units".into(), x: "turns".into(), lines: vec![line] };
        let mut frame = Frame::new(200, 90);
        let scale = chart.paint_small(&mut frame, &Colors::from(&theme), 16).expect("room");
        assert!(scale.right - scale.left > 180.0 && scale.bottom - scale.top > 50.0, "{scale:?}");
        assert_eq!((scale.turn_at(scale.left), scale.turn_at(scale.right)), (0, 20));
        let line = (0..200).filter(|&x| (0..90).any(|y| frame.pixel(x, y) == theme.text));
        assert!(line.count() > 100, "the line crosses the picture");
        for (width, height) in [(1, 1), (20, 200), (200, 20), (24, 52)] {
            let mut frame = Frame::new(width, height);
            chart.paint_small(&mut frame, &Colors::from(&theme), 16);
        }
        let empty = Chart { lines: vec![], ..chart };
        assert!(empty.paint_small(&mut frame, &Colors::from(&theme), 16).is_some());
    }

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
