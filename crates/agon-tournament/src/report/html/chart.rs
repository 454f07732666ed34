//! Ratings as dots with whiskers.

use maud::{Markup, html};

use super::{axis::Axis, colors::COLORS, page_data::PageData};
use crate::report::{
    Rating,
    interval::{interval_text, missing_end},
    number::{elo_text, grouped},
};

/// The most bots in the chart.
const MAX_BOTS: usize = 64;

/// Writes a row for each bot, best first.
pub(super) fn ratings(sheet: &PageData<'_>) -> Markup {
    let rated: Vec<&Rating<'_>> =
        sheet.report.ratings.iter().filter(|rating| rating.is_rated()).collect();
    let shown = &rated[..rated.len().min(MAX_BOTS)];
    let low = shown.iter().map(|rating| rating.low).fold(f64::INFINITY, f64::min);
    let high = shown.iter().map(|rating| rating.high).fold(f64::NEG_INFINITY, f64::max);
    let axis = Axis::new(low, high, 6);
    let groups = rated.iter().any(|rating| rating.group > 0);
    html! {
        p.note {
            "Elo points, with 95 % intervals; 0 is the mean of the bots with bounds on both sides. \
             A dashed interval has an end that no result holds. Overlapping intervals do not show \
             which of two bots is stronger: see Who is stronger."
        }
        table.dots aria-label="Ratings with intervals, best first" {
            colgroup { col.name; col; col.value; }
            @for (at, rating) in shown.iter().enumerate() {
                @if groups && (at == 0 || shown[at - 1].group != rating.group) {
                    tr.group {
                        th scope="rowgroup" colspan="3" { "group " (rating.group + 1) }
                    }
                }
                (row(sheet, rating, &axis))
            }
            tr.axis aria-hidden="true" {
                th {}
                td { (axis.numbers(elo_text)) }
                td {}
            }
        }
        @if rated.len() > MAX_BOTS {
            p.note {
                "The best " (MAX_BOTS) " of " (grouped(rated.len() as u64))
                "; all are in the table above."
            }
        }
    }
}

fn row(sheet: &PageData<'_>, rating: &Rating<'_>, axis: &Axis) -> Markup {
    let open = missing_end(rating.footing).map(|words| format!("; {words}"));
    let elo = elo_text(rating.elo);
    let interval = interval_text(rating);
    let title =
        format!("{}: {elo} ({interval}){}", rating.bot, open.as_deref().unwrap_or_default());
    let own = rating.rank <= COLORS && rating.group == 0;
    html! {
        tr {
            th scope="row" title=(rating.bot) { (sheet.name(rating.number)) }
            td.plot title=(title) {
                svg.row width="100%" height="22" role="img" aria-label=(title) {
                    @for &tick in &axis.ticks {
                        (axis.line(if tick == 0.0 { "zero" } else { "grid" }, [tick; 2], [0, 22]))
                    }
                    (axis.line(
                        if open.is_some() { "whisker open" } else { "whisker" },
                        [rating.low, rating.high],
                        [11; 2],
                    ))
                    (axis.line("end", [rating.low; 2], [7, 15]))
                    (axis.line("end", [rating.high; 2], [7, 15]))
                    circle.dot.{ "s" (rating.rank - 1) }[own] cx=(axis.percent(rating.elo))
                        cy="11" r="5" {}
                }
            }
            td.n { (elo) small { " " (interval) } }
        }
    }
}
