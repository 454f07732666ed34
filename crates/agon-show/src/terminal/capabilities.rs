//! The colours and characters that a terminal can show, as its environment variables say.
//!
//! Everything that is drawn in the terminal uses only these.

use agon_view::paint::Rgb;
use ratatui_core::style::Color;

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// All of them.
    True,
    /// A table of 256.
    Indexed,
    /// None, or none are wanted.
    None,
}

/// The colours and characters that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its colours.
    pub colors: Colors,
    /// Whether it has more characters than those of ASCII.
    pub unicode: bool,
}

impl Capabilities {
    /// Reads the environment; `colors` is the person's own choice, if there is one.
    ///
    /// NO_COLOR, TERM, COLORTERM, LC_ALL, LC_CTYPE and LANG have their usual meaning.
    pub fn of_environment(colors: Option<bool>) -> Capabilities {
        Capabilities::of(colors, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(wanted: Option<bool>, variable: impl Fn(&str) -> Option<String>) -> Capabilities {
        let term = variable("TERM").unwrap_or_else(|| "dumb".to_owned());
        let has_none = term == "dumb" || term.starts_with("vt");
        let wanted = wanted.unwrap_or_else(|| variable("NO_COLOR").is_none() && !has_none);
        let colorterm = variable("COLORTERM").unwrap_or_default();
        let is_true =
            matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct");
        let colors = match (wanted, is_true) {
            (false, _) => Colors::None,
            (true, true) => Colors::True,
            (true, false) => Colors::Indexed,
        };
        let unicode = agon_core::text::takes_unicode(variable) && term != "dumb";
        Capabilities { colors, unicode }
    }

    /// Returns whether boards are painted with blocks; otherwise they are written with letters.
    pub(crate) fn has_blocks(self) -> bool {
        self.unicode && self.colors != Colors::None
    }

    /// Returns the nearest colour that it has.
    pub(crate) fn color(self, color: Rgb) -> Color {
        let Rgb(red, green, blue) = color;
        match self.colors {
            Colors::True => Color::Rgb(red, green, blue),
            Colors::Indexed => Color::Indexed(nearest(color)),
            Colors::None => Color::Reset,
        }
    }
}

/// Returns the nearest colour of the table of 256.
///
/// The table has a cube of six steps from 16 on, and greys from 232 on. Users may change the
/// first 16.
fn nearest(color: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| {
        (0..6u8)
            .min_by_key(|&step| STEPS[usize::from(step)].abs_diff(value))
            .expect("there are steps")
    };
    let Rgb(red, green, blue) = color;
    let r = step(red);
    let g = step(green);
    let b = step(blue);
    let of = |step: u8| STEPS[usize::from(step)];
    let grey = ((u16::from(red) + u16::from(green) + u16::from(blue)) / 3).saturating_sub(3) / 10;
    let grey = grey.min(23) as u8;
    let level = 8 + 10 * grey;
    if distance(color, Rgb(level, level, level)) < distance(color, Rgb(of(r), of(g), of(b))) {
        232 + grey
    } else {
        16 + 36 * r + 6 * g + b
    }
}

/// Returns the squared distance of two colours.
pub(crate) fn distance(one: Rgb, other: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(wanted: Option<bool>, variables: &[(&str, &str)]) -> (Colors, bool) {
        let find = |name: &str| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_owned());
        let Capabilities { colors, unicode } = Capabilities::of(wanted, find);
        (colors, unicode)
    }

    #[test]
    fn the_environment_says_what_a_terminal_can_do() {
        use Colors::{Indexed, None as Without, True};
        let utf8 = ("LANG", "de_DE.UTF-8");
        assert_eq!(
            look(None, &[("TERM", "xterm"), ("COLORTERM", "truecolor"), utf8]),
            (True, true)
        );
        assert_eq!(look(None, &[("TERM", "xterm-256color"), utf8]), (Indexed, true));
        assert_eq!(look(None, &[("TERM", "xterm"), utf8, ("LC_ALL", "C")]), (Indexed, false));
        assert_eq!(look(None, &[("TERM", "xterm"), utf8, ("NO_COLOR", "1")]), (Without, true));
        assert_eq!(
            look(Some(true), &[("TERM", "xterm"), utf8, ("NO_COLOR", "1")]),
            (Indexed, true)
        );
        assert_eq!(look(Some(false), &[("TERM", "xterm"), utf8]), (Without, true));
        assert_eq!(look(None, &[("TERM", "dumb"), utf8]), (Without, false));
        assert_eq!(look(None, &[]), (Without, false));
    }

    #[test]
    fn colours_are_near() {
        assert_eq!(nearest(Rgb(0, 0, 0)), 16);
        assert_eq!(nearest(Rgb(255, 255, 255)), 231);
        assert_eq!(nearest(Rgb(255, 0, 0)), 196);
        assert_eq!(nearest(Rgb(118, 118, 118)), 243);
        assert_eq!(nearest(Rgb(14, 17, 23)), 233);
    }
}
