//! Draws the bar at the lower edge of the terminal: buttons, the position in the match, the speed.
//!
//! `draw` calls it for each picture. The viewer decides where the buttons are, and handles clicks.

use agon_paint::Rgb;
use agon_view::text_layout::Control;
use ratatui_core::style::Modifier;

use crate::terminal::{capabilities::mixed, letters::rect, panels::Panels};

impl Panels<'_, '_> {
    pub(crate) fn bar(&mut self) {
        let sheet = self.sheet;
        let bar = &sheet.bar;
        self.clear(rect(bar.area));
        for &(control, area) in &bar.controls {
            let area = rect(area);
            if control == Control::Seek {
                self.seek_bar(area.x, area.y, area.width);
                continue;
            }
            let label = label(control, bar.playing, self.look.unicode);
            let style = self.text().add_modifier(Modifier::BOLD);
            let before = area.width.saturating_sub(label.chars().count() as u16) / 2;
            self.write(area.x + before, area.y, label, area.width - before, style);
        }
        let area = rect(bar.speed_area);
        let speed = &bar.speed;
        let before = area.width.saturating_sub(speed.chars().count() as u16) / 2;
        self.write(area.x + before, area.y, speed, area.width - before, self.text());
    }

    fn seek_bar(&mut self, x: u16, y: u16, width: u16) {
        let sheet = self.sheet;
        let unicode = self.look.unicode;
        let done = (sheet.bar.fraction * f64::from(width.saturating_sub(1))).round() as u16;
        let color = if sheet.bar.following { Rgb(220, 60, 50) } else { Rgb(64, 140, 230) };
        let rest = mixed(sheet.theme.paper, sheet.theme.text, 90);
        for column in 0..width {
            let (sign, plain) = match column.cmp(&done) {
                std::cmp::Ordering::Less => ("━", "="),
                std::cmp::Ordering::Equal => ("●", "O"),
                std::cmp::Ordering::Greater => ("─", "-"),
            };
            let style = self.style(if column <= done { color } else { rest });
            self.write(x + column, y, if unicode { sign } else { plain }, 1, style);
        }
    }
}

fn label(control: Control, playing: bool, unicode: bool) -> &'static str {
    let (sign, plain) = match control {
        Control::Start => ("|◄", "|<"),
        Control::Back => ("◄", "<"),
        Control::Play if playing => ("pause", "pause"),
        Control::Play => ("play", "play"),
        Control::Forward => ("►", ">"),
        Control::End => ("►|", ">|"),
        Control::Fault => ("!", "!"),
        Control::Slower => ("-", "-"),
        Control::Faster => ("+", "+"),
        Control::Help => ("?", "?"),
        Control::Seek => ("", ""),
    };
    if unicode { sign } else { plain }
}
