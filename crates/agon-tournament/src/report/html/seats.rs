//! The advantages of seats.

use maud::{Markup, html};

use super::{
    axis::Axis,
    page_data::{PageData, columns, left_out},
};
use crate::report::number::{grouped, percent};

/// The most seats in the table, over all numbers of players.
const MAX_SEATS: usize = 40;

/// Writes the mean score of each seat.
pub(super) fn seats(sheet: &PageData<'_>) -> Markup {
    let seats = &sheet.report.seats;
    let several = seats.iter().any(|line| line.players != seats[0].players);
    let far =
        seats.iter().map(|line| (0.5 - line.low).max(line.high - 0.5)).fold(0.1, f64::max).min(0.5);
    let axis = Axis::new(50.0 - 100.0 * far, 50.0 + 100.0 * far, 5);
    html! {
        p.note {
            "The share of the opponents left behind, by seat, for all bots together, with its \
             95 % interval; 50 % if the seat does not matter. "
            @if sheet.report.tournament.mirrored {
                "All matches of a pairing on one seed count as one observation."
            } @else {
                "Seeds were not played from every seat, so it also depends on who sat where."
            }
        }
        table.seats {
            (columns(&[
                ("", "Seat", "Who is asked first has seat 1, or as the game has it"),
                ("", "", "The share with its 95 % interval"),
                ("n", "Share", "The share of the opponents left behind"),
                ("n", "Matches", "Matches"),
            ]))
            tbody {
                @for line in seats.iter().take(MAX_SEATS) {
                    @let title = format!("{} to {}", percent(line.low), percent(line.high));
                    tr {
                        th scope="row" {
                            (line.seat)
                            @if several { " of " (line.players) }
                        }
                        td.plot title=(title) {
                            (interval(&axis, [line.low, line.score, line.high]))
                        }
                        td.n title=(title) { (format!("{:.1} %", 100.0 * line.score)) }
                        td.n { (grouped(line.matches)) }
                    }
                }
                tr.axis aria-hidden="true" {
                    th {}
                    td { (axis.numbers(|tick| format!("{tick:.0} %"))) }
                }
            }
        }
        (left_out(seats.len(), MAX_SEATS))
    }
}

fn interval(axis: &Axis, parts: [f64; 3]) -> Markup {
    let [low, middle, high] = parts.map(|part| 100.0 * part);
    html! {
        svg.row width="100%" height="22" aria-hidden="true" {
            (axis.line("zero", [50.0; 2], [0, 22]))
            (axis.line("whisker", [low, high], [11; 2]))
            circle.dot cx=(axis.percent(middle)) cy="11" r="4.5" {}
        }
    }
}
