//! Charts of numbers over time: data in, an SVG or a picture out.
//!
//! The viewer shows one below the board. `agon replay chart` and `agon tune` write them to files.
//! `plot` has the [`Chart`]: title, axes and lines, and where they go. It draws through the trait
//! `Pen`, on a picture or as SVG, so that both look alike.

mod plot;

use std::fmt::Write;

use crate::paint::{Area, Frame, Rgb, text_width};

pub use plot::{Chart, Colors, Scale};

/// The side of its place that a text is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Left,
    Middle,
    Right,
}

/// A means to draw; lengths are in pixels.
pub(crate) trait Pen {
    /// Fills a rectangle: left, top, width, height.
    fn fill(&mut self, rect: [f64; 4], color: Rgb);

    /// Draws a line through points; `dash` is the length of its dashes and of the gaps between
    /// them.
    fn line(&mut self, points: &[(f64, f64)], width: f64, dash: Option<(f64, f64)>, color: Rgb);

    /// Writes a text; `y` is the middle of its line.
    fn text(
        &mut self,
        at: (f64, f64),
        text: &str,
        size: u32,
        bold: bool,
        anchor: Anchor,
        color: Rgb,
    );
}

/// Draws an SVG.
pub(crate) struct Svg(String);

impl Svg {
    pub(crate) fn new((width, height): (u32, u32), title: &str) -> Svg {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"'Noto Sans Mono', 'DejaVu Sans Mono', \
             monospace\">\n"
        );
        text += &format!("<title>{}</title>\n", escaped(title));
        Svg(text)
    }

    pub(crate) fn finish(self) -> String {
        self.0 + "</svg>\n"
    }

    fn push(&mut self, args: std::fmt::Arguments<'_>) {
        self.0.write_fmt(args).expect("memory takes all");
    }
}

impl Pen for Svg {
    fn fill(&mut self, [x, y, width, height]: [f64; 4], color: Rgb) {
        let color = hex(color);
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{color}\"/>\n"
        ));
    }

    fn line(&mut self, points: &[(f64, f64)], width: f64, dash: Option<(f64, f64)>, color: Rgb) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        let color = hex(color);
        let dash = dash
            .map_or_else(String::new, |(dash, gap)| format!(" stroke-dasharray=\"{dash} {gap}\""));
        self.push(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" \
             stroke-width=\"{width}\"{dash} stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
        ));
    }

    fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: u32,
        bold: bool,
        anchor: Anchor,
        color: Rgb,
    ) {
        let anchor = match anchor {
            Anchor::Left => "start",
            Anchor::Middle => "middle",
            Anchor::Right => "end",
        };
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        // Letters are as wide as in pictures: half of the height in lines of 16 pixels.
        let letters = f64::from(size) * 0.8;
        let width = text_width(text, size, bold);
        let text = escaped(text);
        let color = hex(color);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{letters:.1}\" textLength=\"{width}\" \
             text-anchor=\"{anchor}\" dominant-baseline=\"central\"{weight} \
             fill=\"{color}\">{text}</text>\n"
        ));
    }
}

fn hex(Rgb(r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    agon_core::text::escape(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Draws on a picture.
impl Pen for Frame {
    fn fill(&mut self, [x, y, width, height]: [f64; 4], color: Rgb) {
        let (x, y) = (x.round() as i32, y.round() as i32);
        Frame::fill(
            self,
            Area { x, y, width: width.round() as u32, height: height.round() as u32 },
            color,
        );
    }

    fn line(&mut self, points: &[(f64, f64)], width: f64, dash: Option<(f64, f64)>, color: Rgb) {
        let parts = match dash {
            Some(dash) => dashes(points, dash),
            None => vec![points.to_vec()],
        };
        for part in parts {
            let points: Vec<_> = part.iter().map(|&(x, y)| (x as f32, y as f32)).collect();
            self.lines(&points, width as f32, color);
        }
    }

    fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: u32,
        bold: bool,
        anchor: Anchor,
        color: Rgb,
    ) {
        let width = text_width(text, size, bold);
        let left = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => f64::from(width) / 2.0,
            Anchor::Right => f64::from(width),
        };
        let (x, y) = ((x - left).round() as i32, (y - f64::from(size) / 2.0).round() as i32);
        Frame::text(self, x, y, text, size, bold, color);
    }
}

/// A line of a chart: the values of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub color: Rgb,
    /// Turns in ascending order, and the values there.
    pub points: Vec<(u64, i64)>,
}

/// Keeps at most four points per column: the first, the last, the least and the greatest.
pub(crate) fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        if column.len() <= 4 {
            kept.extend_from_slice(column);
            continue;
        }
        let by_value = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let least = (0..column.len()).min_by(by_value);
        let greatest = (0..column.len()).max_by(by_value);
        let mut places: Vec<usize> =
            [Some(0), least, greatest, Some(column.len() - 1)].into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| column[place]));
    }
    kept
}

/// Cuts a line into dashes of a length, with gaps of another length between them.
pub(crate) fn dashes(points: &[(f64, f64)], (dash, gap): (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let Some(&start) = points.first() else { return Vec::new() };
    let mut dashes = Vec::new();
    let mut current = vec![start];
    // What is left of the dash or gap at this place of the line.
    let (mut left, mut is_dash) = (dash, true);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length.is_nan() || length < left {
                left -= length;
                if is_dash {
                    current.push(to);
                }
                break;
            }
            let part = if length > 0.0 { left / length } else { 1.0 };
            from = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            if is_dash {
                current.push(from);
                dashes.push(std::mem::take(&mut current));
            } else {
                current = vec![from];
            }
            is_dash = !is_dash;
            left = if is_dash { dash } else { gap };
        }
    }
    if is_dash {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_their_line() {
        let line = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)];
        let cut = dashes(&line, (4.0, 2.0));
        assert_eq!(cut, [vec![(0.0, 0.0), (3.0, 0.0), (3.0, 1.0)], vec![(3.0, 3.0), (3.0, 4.0)]]);
        assert_eq!(dashes(&[], (4.0, 2.0)), Vec::<Vec<_>>::new());
        assert_eq!(dashes(&line[..1], (4.0, 2.0)), [vec![(0.0, 0.0)]]);
        assert_eq!(dashes(&[(1.0, 1.0); 3], (4.0, 2.0)), [vec![(1.0, 1.0); 3]]);
        let long = dashes(&[(0.0, 0.0), (6e5, 0.0)], (4.0, 2.0));
        assert_eq!(long.len(), 100_001, "the last dash begins where the line ends");
    }

    #[test]
    fn thinned_lines_keep_what_is_seen() {
        let points: Vec<_> =
            (0..1000).map(|n| (f64::from(n) / 100.0, f64::from((n * 37) % 101))).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 40, "{}", kept.len());
        let most = |points: &[(f64, f64)]| points.iter().map(|point| point.1).fold(0.0, f64::max);
        assert_eq!(most(&kept), most(&points));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[999]));
        assert_eq!(thinned(&points[..3]), points[..3]);
    }
}
