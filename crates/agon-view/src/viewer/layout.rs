//! Computes the areas of all parts of the viewer, for a frame of any size.
//!
//! The parts are painted there, and the pointer is looked up there. While nobody plays, the space
//! beside or below the board is divided between panels; small frames have fewer of them.
//! `characters` computes the layout for a terminal.

use crate::paint::Area;

pub(super) use crate::{Control, Layout};

/// Buttons of the bar, from the left.
pub(super) const BUTTONS: [Control; 5] =
    [Control::Start, Control::Back, Control::Play, Control::Forward, Control::End];

impl Layout {
    /// Lays out a frame of `width` times `height` pixels.
    ///
    /// `scale` is the number of pixels per pixel of a plain screen.
    pub(crate) fn new(
        width: u32,
        height: u32,
        scale: f32,
        players: usize,
        inspects: bool,
    ) -> Layout {
        let small = (width as f32) < 420.0 * scale;
        let px = |length: f32| (length * scale).round() as u32;
        let text = px(16.0).clamp(16, 48);
        let line = text * 5 / 4;
        let gap = px(if small { 4.0 } else { 8.0 });
        let bar_height = (line + 2 * gap).min(height / 3).max(1);
        let bar = area(0, height - bar_height, width, bar_height);
        let above = height - bar_height;
        let is_column = width as f32 >= 640.0 * scale && width > above;
        let columns = if is_column || (width as f32) < 560.0 * scale { 1 } else { 2 };
        let (caption, board, inspector) = if is_column {
            let column = (width * 3 / 10).clamp(px(240.0), px(380.0));
            let lines = (players as u32 + 2) * line + 3 * gap;
            let most = if inspects { above / 2 } else { above };
            let x = width - column;
            let caption_height = if inspects { lines.min(most) } else { above };
            let caption = area(x, 0, column, caption_height);
            let inspector = area(x, caption_height, column, above - caption_height);
            (caption, area(0, 0, x, above), inspects.then_some(inspector))
        } else {
            let rows = 1 + players.div_ceil(columns as usize) as u32;
            let caption_height = (rows * line + 2 * gap).min(above / 3);
            let board = area(0, caption_height, width, above - caption_height);
            let half = board.height / 2;
            let inspector = area(0, above - half, width, half);
            (area(0, 0, width, caption_height), board, inspects.then_some(inspector))
        };
        // Over the board only if there is no space beside it: its lowest part may matter most.
        let over = if is_column { inspector.unwrap_or(caption) } else { board };
        // On narrow frames a sentence needs two lines, too.
        let lines = if is_column {
            3
        } else if (width as f32) < 560.0 * scale {
            2
        } else {
            1
        };
        let height = (lines * line + gap).min(over.height / 2);
        let message = Area { y: over.y + (over.height - height) as i32, height, ..over };
        let mut layout = Layout {
            text,
            line,
            gap,
            caption,
            is_column,
            columns,
            board,
            inspector,
            bar,
            message,
            ..Layout::default()
        };
        layout.fill_bar(small);
        layout
    }

    /// Makes the bar of a frame of this height as high as `least`, if there is space for it.
    pub(crate) fn enlarge_bar(&mut self, height: u32, least: u32) {
        let least = least.min(height / 4);
        let more = least.saturating_sub(self.bar.height);
        if more == 0 || self.board.height <= 2 * more {
            return;
        }
        self.bar.y -= more as i32;
        self.bar.height += more;
        self.board.height -= more;
        self.message.y -= more as i32;
        if self.is_column {
            let column = self.inspector.as_mut().unwrap_or(&mut self.caption);
            column.height = column.height.saturating_sub(more);
        } else if let Some(inspector) = &mut self.inspector {
            inspector.y -= more as i32;
        }
        self.controls.clear();
        self.fill_bar(self.bar.width < 12 * self.bar.height);
    }

    fn fill_bar(&mut self, small: bool) {
        let Layout { bar, gap, text, .. } = *self;
        let size = bar.height.saturating_sub(gap).max(1);
        let y = bar.y + (gap / 2) as i32;
        let mut x = (gap / 2) as i32;
        let place = |width: u32, x: &mut i32| {
            let area = Area { x: *x, y, width, height: size };
            *x += width as i32;
            area
        };
        for control in BUTTONS {
            // The first and the last one have keys as well, and space is short.
            if !(small && matches!(control, Control::Start | Control::End)) {
                let area = place(size, &mut x);
                self.controls.push((control, area));
            }
        }
        let speed = text * 4;
        let right = 2 * (size * 3 / 4) + speed + size;
        let seek = (bar.width as i32 - x).saturating_sub_unsigned(right + 2 * gap).max(1) as u32;
        x += gap as i32;
        let area = place(seek, &mut x);
        self.controls.push((Control::Seek, area));
        x += gap as i32;
        let slower = place(size * 3 / 4, &mut x);
        self.speed = place(speed, &mut x);
        let faster = place(size * 3 / 4, &mut x);
        let help = place(size, &mut x);
        self.controls.extend([
            (Control::Slower, slower),
            (Control::Faster, faster),
            (Control::Help, help),
        ]);
    }

    /// Adds the button for the next fault beside the seek bar, if there is space for its width.
    pub(crate) fn add_fault_button(&mut self, size: u32) {
        let seek = self.controls.iter_mut().find(|(control, _)| *control == Control::Seek);
        let Some((_, seek)) = seek.filter(|(_, seek)| seek.width > 3 * size) else { return };
        seek.width -= size + self.gap;
        let x = seek.x + (seek.width + self.gap) as i32;
        let area = Area { x, width: size, ..*seek };
        let after = self.controls.iter().position(|(control, _)| *control == Control::Slower);
        self.controls.insert(after.unwrap_or(self.controls.len()), (Control::Fault, area));
    }

    /// Returns the control at a pixel.
    pub(crate) fn control_at(&self, at: (f32, f32)) -> Option<Control> {
        self.controls.iter().find(|(_, area)| contains(*area, at)).map(|&(control, _)| control)
    }

    /// Returns the area of a control.
    pub(crate) fn area_of(&self, control: Control) -> Option<Area> {
        self.controls.iter().find(|(other, _)| *other == control).map(|&(_, area)| area)
    }
}

/// The size of a window from which on text grows, in pixels of a plain screen, and how far.
const MODERATE: (f32, f32) = (1280.0, 800.0);
const MOST_GROWTH: f32 = 1.6;

/// Returns the scale of a frame on a screen of this scale. It is larger on large frames, which
/// people look at from farther away.
pub(super) fn grown_scale((width, height): (u32, u32), screen: f32) -> f32 {
    let growth = (width as f32 / MODERATE.0).min(height as f32 / MODERATE.1) / screen;
    screen * growth.clamp(1.0, MOST_GROWTH)
}

pub(super) fn area(x: u32, y: u32, width: u32, height: u32) -> Area {
    Area { x: x as i32, y: y as i32, width, height }
}

/// Returns whether a point lies in an area.
pub(crate) fn contains(area: Area, (x, y): (f32, f32)) -> bool {
    let (left, top) = (area.x as f32, area.y as f32);
    x >= left && y >= top && x < left + area.width as f32 && y < top + area.height as f32
}

/// What the panels depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct PanelSettings {
    /// Pixels per pixel of a plain screen.
    pub(super) scale: f32,
    /// Width divided by height of the board.
    pub(super) aspect: f32,
    /// Lines of players in the caption, with its title.
    pub(super) caption_lines: u32,
    /// Lines of the result; 0 without one.
    pub(super) result_lines: u32,
    /// Lines of the legend; 0 without one.
    pub(super) legend_lines: u32,
    /// Whether a place is selected, so that the inspector needs more space.
    pub(super) inspects: bool,
    /// Whether the chart is open, which shows more than the curves.
    pub(super) has_chart: bool,
}

/// The fewest lines of the panels below the board.
const LEAST_BELOW: u32 = 10;

/// The lines that curves, events and inspector need before a legend is shown.
const LEAST_BEFORE_LEGEND: u32 = 19;

/// The height of curves, in pixels of a plain screen.
const CURVES: (f32, f32) = (72.0, 190.0);

impl Layout {
    /// Adds the panels.
    pub(super) fn add_panels(&mut self, settings: &PanelSettings) {
        if self.is_column {
            self.add_beside(settings);
        } else {
            self.add_below(settings);
        }
    }

    fn add_beside(&mut self, settings: &PanelSettings) {
        let (line, gap) = (self.line, self.gap);
        let height = self.bar.y.max(0) as u32;
        let mut rest = Area { y: 0, height, ..self.caption };
        let caption = settings.caption_lines * line + 3 * gap;
        self.caption = cut(&mut rest, caption.min(height / 3));
        if settings.result_lines > 0 {
            let result = settings.result_lines * line + gap;
            self.result = Some(cut(&mut rest, result.min(height / 6)));
        }
        let legend = settings.legend_lines * line + gap;
        if settings.legend_lines > 0 && rest.height >= legend + LEAST_BEFORE_LEGEND * line {
            self.legend = Some(cut(&mut rest, legend));
        }
        self.divide(rest, settings);
        let height = (3 * line + gap).min(rest.height);
        self.message = Area { y: rest.y + (rest.height - height) as i32, height, ..rest };
    }

    /// Uses the space that the board does not need on a high frame.
    fn add_below(&mut self, settings: &PanelSettings) {
        let board = (self.board.width as f32 / settings.aspect.max(0.01)).ceil() as u32;
        let spare = self.board.height.saturating_sub(board);
        if spare < LEAST_BELOW * self.line {
            return;
        }
        self.board.height -= spare;
        self.message.y -= spare as i32;
        let y = self.board.y + self.board.height as i32;
        self.divide(Area { y, height: spare, ..self.board }, settings);
    }

    /// Divides an area between curves, events and inspector.
    fn divide(&mut self, area: Area, settings: &PanelSettings) {
        let line = self.line;
        let mut rest = area;
        if rest.height >= 14 * line && !settings.has_chart {
            let pixels = |length: f32| (length * settings.scale) as u32;
            let height = (rest.height / 4).clamp(pixels(CURVES.0), pixels(CURVES.1));
            let height = height.min(rest.height / 2);
            self.curves = Some(cut(&mut rest, height));
        }
        if rest.height >= 8 * line {
            let part = if settings.inspects { 30 } else { 50 };
            let height = (rest.height * part / 100).max(4 * line);
            self.events = Some(cut(&mut rest, height));
        }
        self.inspector = Some(rest);
    }
}

/// Cuts an area of this height off the upper edge.
fn cut(rest: &mut Area, height: u32) -> Area {
    let height = height.min(rest.height);
    let part = Area { height, ..*rest };
    rest.y += height as i32;
    rest.height -= height;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_grows_with_the_window() {
        let text = |size: (u32, u32), screen| {
            let scale = grown_scale(size, screen);
            Layout::new(size.0, size.1, scale, 2, false).text
        };
        assert_eq!([text((390, 844), 1.0), text((1280, 800), 1.0)], [16, 16]);
        assert_eq!(text((1920, 1200), 1.0), 24);
        assert_eq!(text((3840, 2160), 1.0), 26, "not without end");
        // Twice the pixels for the same size, or a page that is enlarged twice.
        assert_eq!(text((2560, 1600), 2.0), 32);
        assert_eq!(text((1280, 800), 2.0), 32);
        // Long and low.
        assert_eq!(text((4000, 300), 1.0), 16);
    }

    fn settings() -> PanelSettings {
        PanelSettings {
            scale: 1.0,
            aspect: 1.0,
            caption_lines: 4,
            result_lines: 2,
            legend_lines: 3,
            inspects: false,
            has_chart: false,
        }
    }

    fn layout(width: u32, height: u32, settings: &PanelSettings) -> Layout {
        let mut layout = Layout::new(width, height, settings.scale, 2, settings.inspects);
        layout.add_panels(settings);
        layout
    }

    #[test]
    fn everything_has_room_on_all_frames() {
        let sizes = [(320, 240), (240, 320), (400, 300), (640, 480), (960, 640), (480, 900)];
        let sizes = sizes.into_iter().chain([(1000, 700), (3840, 2160), (4000, 300), (700, 90)]);
        let kinds = [(1.0, 2, false), (1.0, 12, true), (1.5, 4, true), (2.0, 2, true)];
        let cases = sizes.flat_map(|size| kinds.map(|kind| (size, kind)));
        for ((width, height), (scale, players, inspects)) in cases {
            let frame = Area { x: 0, y: 0, width, height };
            let plain = Layout::new(width, height, scale, players, inspects);
            let areas = [plain.caption, plain.board, plain.bar, plain.message];
            for inner in areas.into_iter().chain(plain.inspector) {
                assert!(frame.contains(inner) && inner.width > 0, "{plain:?}");
            }
            assert!(plain.board.height >= height / 3, "{plain:?}");
            let mut right = 0;
            for (_, area) in plain.controls.iter().filter(|_| scale * 320.0 <= width as f32) {
                assert!(plain.bar.contains(*area), "{plain:?}");
                assert!(area.x >= right && area.width > 8, "{plain:?}");
                right = area.x + area.width as i32;
            }
            for has_chart in [false, true] {
                let settings = PanelSettings { scale, inspects, has_chart, ..settings() };
                let layout = layout(width, height, &settings);
                let mut areas = vec![layout.caption, layout.board, layout.bar];
                let panels = [layout.result, layout.legend, layout.curves, layout.events];
                areas.extend(panels.into_iter().flatten());
                // On small frames the inspector covers the board.
                areas.extend(layout.inspector.filter(|_| layout.events.is_some()));
                for (index, area) in areas.iter().enumerate() {
                    assert!(frame.contains(*area), "{layout:?}");
                    for other in &areas[..index] {
                        assert!(area.intersection(*other).is_empty(), "{layout:?}");
                    }
                }
                assert!(layout.board.height >= height / 3, "{layout:?}");
                assert!(!has_chart || layout.curves.is_none(), "{layout:?}");
            }
        }
    }

    #[test]
    fn usual_windows_have_all_panels() {
        for (width, height) in [(960, 640), (1280, 720), (1920, 1080)] {
            let Layout { result, legend, curves, events, inspector, line, .. } =
                layout(width, height, &settings());
            let height = |area: Option<Area>| area.map_or(0, |area| area.height / line);
            assert!(result.is_some() && legend.is_some() && height(curves) >= 4, "{width}");
            assert!(height(events) >= 6 && height(inspector) >= 6, "{width}");
        }
        let phone = layout(480, 900, &settings());
        assert!(phone.events.is_some() && phone.inspector.is_some());
        assert_eq!(phone.board.height, 480);
    }
}
