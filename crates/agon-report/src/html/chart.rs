//! Ratings as dots with whiskers.
//!
//! Places are percentages, so that the chart has the width of the page without stretched letters.

use super::{axis::Axis, page_data::PageData, writer::Html};
use crate::{
    Rating,
    interval::{interval_text, missing_end},
    number::{elo_text, grouped},
};

/// The most bots in the chart.
const MAX_BOTS: usize = 64;

/// Writes a row for each bot, best first.
pub(super) fn ratings(sheet: &PageData<'_>, html: &mut Html) {
    let report = sheet.report;
    let rated: Vec<&Rating<'_>> =
        report.ratings.iter().filter(|rating| rating.is_rated()).collect();
    let shown = &rated[..rated.len().min(MAX_BOTS)];
    let low = shown.iter().map(|rating| rating.low).fold(f64::INFINITY, f64::min);
    let high = shown.iter().map(|rating| rating.high).fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::new(low, high, 6);
    let groups = rated.iter().any(|rating| rating.group > 0);
    html.element(
        "p",
        &[("class", "note")],
        "Elo points, with 95 % intervals; 0 is the mean of the bots with bounds on both sides. A \
         dashed interval has an end that no result holds. Overlapping intervals do not show which \
         of two bots is stronger: see Who is stronger.",
    );
    html.within(
        "table",
        &[("class", "dots"), ("aria-label", "Ratings with intervals, best first")],
        |html| {
            html.within("colgroup", &[], |html| {
                html.empty("col", &[("class", "name")])
                    .empty("col", &[])
                    .empty("col", &[("class", "value")]);
            });
            for (at, rating) in shown.iter().enumerate() {
                if groups && (at == 0 || shown[at - 1].group != rating.group) {
                    let text = format!("group {}", rating.group + 1);
                    html.within("tr", &[("class", "group")], |html| {
                        html.element("th", &[("scope", "rowgroup"), ("colspan", "3")], &text);
                    });
                }
                row(sheet, html, rating, &axis);
            }
            html.within("tr", &[("class", "axis"), ("aria-hidden", "true")], |html| {
                html.element("th", &[], "");
                html.within("td", &[], |html| ticks(html, &axis, elo_text));
                html.element("td", &[], "");
            });
        },
    );
    if rated.len() > MAX_BOTS {
        let text = format!(
            "The best {MAX_BOTS} of {}; all are in the table above.",
            grouped(rated.len() as u64)
        );
        html.element("p", &[("class", "note")], &text);
    }
}

fn row(sheet: &PageData<'_>, html: &mut Html, rating: &Rating<'_>, axis: &Axis) {
    let open = missing_end(rating.footing).map(|words| format!("; {words}")).unwrap_or_default();
    let elo = elo_text(rating.elo);
    let interval = interval_text(rating);
    let title = format!("{}: {elo} ({interval}){open}", rating.bot);
    html.within("tr", &[], |html| {
        html.within("th", &[("scope", "row"), ("title", rating.bot)], |html| {
            sheet.name(html, rating.number)
        });
        html.within("td", &[("class", "plot"), ("title", &title)], |html| {
            let svg = [
                ("class", "row"),
                ("width", "100%"),
                ("height", "22"),
                ("role", "img"),
                ("aria-label", &title),
            ];
            html.within("svg", &svg, |html| {
                for &tick in &axis.ticks {
                    line(
                        html,
                        if tick == 0.0 { "zero" } else { "grid" },
                        (tick, tick),
                        (0, 22),
                        axis,
                    );
                }
                let class = if open.is_empty() { "whisker" } else { "whisker open" };
                line(html, class, (rating.low, rating.high), (11, 11), axis);
                line(html, "end", (rating.low, rating.low), (7, 15), axis);
                line(html, "end", (rating.high, rating.high), (7, 15), axis);
                let class = match rating.rank {
                    rank @ 1..=super::colors::COLORS if rating.group == 0 => {
                        format!("dot s{}", rank - 1)
                    }
                    _ => "dot".to_owned(),
                };
                let at = axis.percent(rating.elo);
                html.empty("circle", &[("class", &class), ("cx", &at), ("cy", "11"), ("r", "5")]);
            });
        });
        html.within("td", &[("class", "n")], |html| {
            html.text(&elo).element("small", &[], &format!(" {interval}"));
        });
    });
}

fn line(
    html: &mut Html,
    class: &str,
    (from, to): (f64, f64),
    (top, bottom): (u32, u32),
    axis: &Axis,
) {
    let (from, to) = (axis.percent(from), axis.percent(to));
    let top = top.to_string();
    let bottom = bottom.to_string();
    html.empty(
        "line",
        &[("class", class), ("x1", &from), ("x2", &to), ("y1", &top), ("y2", &bottom)],
    );
}

/// Writes the numbers of an axis.
pub(super) fn ticks(html: &mut Html, axis: &Axis, text: impl Fn(f64) -> String) {
    html.within("svg", &[("class", "row"), ("width", "100%"), ("height", "22")], |html| {
        for &tick in &axis.ticks {
            let at = axis.percent(tick);
            // Every second one is left out where space is short.
            let minor = (tick / axis.step).round() as i64 % 2 != 0;
            let class = if minor { "tick minor" } else { "tick" };
            let attributes =
                [("class", class), ("x", at.as_str()), ("y", "15"), ("text-anchor", "middle")];
            html.element("text", &attributes, &text(tick));
        }
    });
}
