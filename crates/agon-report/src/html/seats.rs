//! The advantages of seats.

use super::{axis::Axis, chart::ticks, column::column, page_data::PageData, writer::Html};
use crate::number::{counted, grouped, percent};

/// The most seats in the table, over all numbers of players.
const MAX_SEATS: usize = 40;

/// Writes the mean score of each seat.
pub(super) fn seats(sheet: &PageData<'_>, html: &mut Html) {
    let seats = &sheet.report.seats;
    let mirrored = if sheet.report.tournament.mirrored {
        "All matches of a pairing on one seed count as one observation."
    } else {
        "Seeds were not played from every seat, so it also depends on who sat where."
    };
    let note = format!(
        "The share of the opponents left behind, by seat, whoever sat there, with its 95 % \
         interval; 50 % if the seat does not matter. {mirrored}"
    );
    html.element("p", &[("class", "note")], &note);
    let far =
        seats.iter().map(|line| (0.5 - line.low).max(line.high - 0.5)).fold(0.1, f64::max).min(0.5);
    let axis = Axis::new(50.0 - 100.0 * far, 50.0 + 100.0 * far, 5);
    html.within("table", &[("class", "seats")], |html| {
        html.within("thead", &[], |html| {
            html.within("tr", &[], |html| {
                column(html, "", "Seat", "Who is asked first has seat 1, or as the game has it");
                column(html, "", "", "The share with its 95 % interval");
                column(html, "n", "Share", "The share of the opponents left behind");
                column(html, "n", "Matches", "Matches");
            });
        });
        html.within("tbody", &[], |html| {
            for line in seats.iter().take(MAX_SEATS) {
                let several = seats.iter().any(|other| other.players != line.players);
                let of = if several { format!(" of {}", line.players) } else { String::new() };
                let title = format!("{} to {}", percent(line.low), percent(line.high));
                html.within("tr", &[], |html| {
                    html.element("th", &[("scope", "row")], &format!("{}{of}", line.seat));
                    html.within("td", &[("class", "plot"), ("title", &title)], |html| {
                        interval(
                            html,
                            [line.low, line.score, line.high].map(|part| 100.0 * part),
                            &axis,
                        );
                    });
                    html.element(
                        "td",
                        &[("class", "n"), ("title", &title)],
                        &format!("{:.1} %", 100.0 * line.score),
                    );
                    html.element("td", &[("class", "n")], &grouped(line.matches));
                });
            }
            html.within("tr", &[("class", "axis"), ("aria-hidden", "true")], |html| {
                html.element("th", &[], "");
                html.within("td", &[], |html| ticks(html, &axis, |tick| format!("{tick:.0} %")));
            });
        });
    });
    if seats.len() > MAX_SEATS {
        let rest = counted((seats.len() - MAX_SEATS) as u64, "line is", "lines are");
        html.element("p", &[("class", "note")], &format!("{rest} left out here."));
    }
}

fn interval(html: &mut Html, [low, middle, high]: [f64; 3], axis: &Axis) {
    let [low, middle, high, half] = [low, middle, high, 50.0].map(|value| axis.percent(value));
    html.within(
        "svg",
        &[("class", "row"), ("width", "100%"), ("height", "22"), ("aria-hidden", "true")],
        |html| {
            html.empty(
                "line",
                &[("class", "zero"), ("x1", &half), ("x2", &half), ("y1", "0"), ("y2", "22")],
            );
            html.empty(
                "line",
                &[("class", "whisker"), ("x1", &low), ("x2", &high), ("y1", "11"), ("y2", "11")],
            );
            html.empty("circle", &[("class", "dot"), ("cx", &middle), ("cy", "11"), ("r", "4.5")]);
        },
    );
}
