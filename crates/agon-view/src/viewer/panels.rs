//! Divides the space beside or below the board: result, legend, curves, events, inspector.
//!
//! `Viewer::layout` adds these panels while nobody plays. Small frames have fewer of them.

use agon_paint::Area;

use super::layout::Layout;

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
    fn panels_lie_side_by_side_on_all_frames() {
        for (width, height) in
            [(400, 300), (320, 240), (480, 900), (960, 640), (1280, 720), (3840, 2160), (700, 90)]
        {
            for scale in [1.0, 2.0] {
                for (inspects, has_chart) in
                    [(false, false), (true, false), (false, true), (true, true)]
                {
                    let settings = PanelSettings { scale, inspects, has_chart, ..settings() };
                    let layout = layout(width, height, &settings);
                    let name = format!("{width}x{height} at {scale}: {layout:?}");
                    let mut areas = vec![layout.caption, layout.board, layout.bar];
                    let panels = [layout.result, layout.legend, layout.curves, layout.events];
                    areas.extend(panels.into_iter().flatten());
                    // On small frames the inspector covers the board.
                    areas.extend(layout.inspector.filter(|_| layout.events.is_some()));
                    let frame = Area { x: 0, y: 0, width, height };
                    for (index, area) in areas.iter().enumerate() {
                        assert!(frame.contains(*area), "{name}");
                        for other in &areas[..index] {
                            assert!(area.intersection(*other).is_empty(), "{name}");
                        }
                    }
                    assert!(layout.board.height >= height / 3, "{name}");
                    assert!(!has_chart || layout.curves.is_none(), "{name}");
                }
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
