//! Paints the bar at the lower edge: buttons, the position in the match, the speed.
//!
//! Only for pictures: a terminal draws its own bar. `pointer_input` handles clicks on the buttons.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, Rgb};

use super::{
    Viewer,
    layout::{Control, Layout, contains},
    theme_painter::mixed,
};

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn paint_bar(&self, frame: &mut Frame, layout: &Layout) {
        frame.fill(layout.bar, self.look.panel());
        for &(control, area) in &layout.controls {
            if control == Control::Seek {
                self.paint_seek_bar(frame, layout, area);
                continue;
            }
            if contains(area, self.pointer.at()) {
                frame.rounded(area, layout.gap as f32 / 2.0, self.look.raised(), 255);
            }
            let color = self.look.colors().text;
            match control {
                Control::Slower => self.look.centered(frame, area, "-", layout.text, true, color),
                Control::Faster => self.look.centered(frame, area, "+", layout.text, true, color),
                Control::Fault => self.look.centered(frame, area, "!", layout.text, true, color),
                Control::Help => self.look.centered(frame, area, "?", layout.text, true, color),
                _ => symbol(frame, area, control, self.playback.is_playing(), color),
            }
        }
        let speed = self.playback.speed().to_string();
        let faint = self.look.colors().text;
        self.look.centered(frame, layout.speed, &speed, layout.text, false, faint);
    }

    fn paint_seek_bar(&self, frame: &mut Frame, layout: &Layout, area: Area) {
        let theme = self.look.colors();
        let thickness = (layout.gap / 2).max(3);
        let y = area.y + (area.height / 2) as i32 - (thickness / 2) as i32;
        let way = Area { y, height: thickness, ..area };
        frame.rounded(way, thickness as f32 / 2.0, mixed(theme.paper, theme.text, 90), 255);
        let done = (self.playback.fraction() * f64::from(area.width.saturating_sub(1))) as u32;
        let live = self.playback.is_live() && self.playback.is_following();
        let color = if live { Rgb(220, 60, 50) } else { Rgb(64, 140, 230) };
        frame.rounded(Area { width: done.max(1), ..way }, thickness as f32 / 2.0, color, 255);
        let middle = (area.x as f32 + done as f32 + 0.5, area.y as f32 + area.height as f32 / 2.0);
        frame.disc(middle, thickness as f32 * 1.6, color);
    }
}

/// Paints the sign on a button.
fn symbol(frame: &mut Frame, area: Area, control: Control, playing: bool, color: Rgb) {
    let (x, y) =
        (area.x as f32 + area.width as f32 / 2.0, area.y as f32 + area.height as f32 / 2.0);
    let r = area.width.min(area.height) as f32 * 0.26;
    let bar = |frame: &mut Frame, from: f32, to: f32| {
        let at = |x: f32| x.round() as i32;
        let (left, top) = (at(x + from), at(y - r));
        let width = (at(x + to) - left).max(2) as u32;
        frame.fill(Area { x: left, y: top, width, height: (2.0 * r).round() as u32 }, color);
    };
    // A triangle with its point on the right; `side` -1 on the left.
    let arrow = |frame: &mut Frame, from: f32, to: f32| {
        frame.triangle([(x + from, y - r), (x + from, y + r), (x + to, y)], color);
    };
    match control {
        Control::Play if playing => {
            bar(frame, -r * 0.8, -r * 0.2);
            bar(frame, r * 0.2, r * 0.8);
        }
        Control::Play => arrow(frame, -r * 0.8, r),
        Control::Forward => {
            arrow(frame, -r * 0.8, r * 0.5);
            bar(frame, r * 0.5, r * 0.8);
        }
        Control::Back => {
            arrow(frame, r * 0.8, -r * 0.5);
            bar(frame, -r * 0.8, -r * 0.5);
        }
        Control::End => {
            arrow(frame, -r, 0.0);
            arrow(frame, 0.0, r);
            bar(frame, r, r * 1.3);
        }
        Control::Start => {
            arrow(frame, r, 0.0);
            arrow(frame, 0.0, -r);
            bar(frame, -r * 1.3, -r);
        }
        _ => {}
    }
}
