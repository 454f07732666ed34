//! The means to draw a chart: on a picture, or as SVG.
//!
//! `chart` draws through the trait [`Pen`], so that both look alike.

use std::fmt::Write;

use crate::{Area, Frame, Rgb, text_width};

use crate::chart::line::dashes;

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
    agon_text::escape(text)
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
