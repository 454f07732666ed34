//! Whether matches came out the same on all machines.

use maud::{Markup, html};

use super::{
    axis::Axis,
    page_data::{PageData, columns, left_out},
};
use crate::report::{WorkerLine, number::grouped, worker::Difference};

/// The most workers in the table.
const MAX_WORKERS: usize = 100;

/// Writes what each worker has played, and how far its results are from those elsewhere.
pub(super) fn workers(sheet: &PageData<'_>) -> Markup {
    let workers = &sheet.report.workers;
    let shown = workers.iter().take(MAX_WORKERS);
    let far = shown
        .clone()
        .filter_map(|line| line.favourites)
        .fold(0.05, |far: f64, of| far.max(of.low.abs()).max(of.high.abs()));
    let axis = Axis::new(-100.0 * far, 100.0 * far, 5);
    html! {
        p.note {
            "Each row is one worker from its start to its end. "
            b { "Favourites" }
            ": the mean score of the better bot of each pair on this worker, minus its score on \
             the others, with its 95 % interval. About 0 is normal; on equal machines, one \
             interval in twenty misses 0. If it is clearly below 0, the better bots lose there: \
             the machine may disturb them. A bot is named if its own score differs by more than \
             chance explains."
        }
        div.scroll {
            table.workers {
                (columns(&[
                    ("", "Worker", "The name of the worker"),
                    ("", "", "The favourites' difference with its 95 % interval"),
                    ("n", "Favourites", "The score of favourites there minus that elsewhere"),
                    ("n", "Matches", "Matches"),
                    ("n", "ms", "The mean duration of a match in milliseconds"),
                    ("n", "Limits", "Limits in CPU time, in percent of the plan's"),
                    ("n", "Void", "Attempts in which the machine stood still: played again"),
                    ("n", "Faults", "Matches with a fault"),
                    ("", "Bots", "Bots whose score differs there by more than chance"),
                ]))
                tbody {
                    @for line in shown { (row(line, &axis)) }
                    tr.axis aria-hidden="true" {
                        th {}
                        td { (axis.numbers(|tick| format!("{tick:+.0} %"))) }
                    }
                }
            }
        }
        (left_out(workers.len(), MAX_WORKERS))
    }
}

fn row(line: &WorkerLine<'_>, axis: &Axis) -> Markup {
    let title = line.favourites.map(|of| format!("{} to {}", signed(of.low), signed(of.high)));
    html! {
        tr {
            th scope="row" { (line.worker) }
            td.plot title=[&title] { @if let Some(of) = line.favourites { (interval(axis, of)) } }
            td.n title=[&title] {
                @match line.favourites {
                    Some(of) => { (signed(of.mean)) }
                    None => { span title="Fewer than ten seeds to compare" { "–" } }
                }
            }
            td.n { (grouped(line.matches)) }
            td.n { (format!("{:.1}", line.ms)) }
            td.n { (line.limits_percent) " %" }
            td.n { (grouped(line.void)) }
            td.n { (grouped(line.faulty)) }
            td {
                @for (at, of) in line.bots.iter().enumerate() {
                    @if at > 0 { ", " }
                    @let of_bot = of.difference;
                    span title={ (signed(of_bot.low)) " to " (signed(of_bot.high)) } {
                        (of.bot) " " (signed(of_bot.mean))
                    }
                }
            }
        }
    }
}

/// Writes a share in percent with its sign.
fn signed(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

fn interval(axis: &Axis, of: Difference) -> Markup {
    let [low, middle, high] = [of.low, of.mean, of.high].map(|part| 100.0 * part);
    html! {
        svg.row width="100%" height="22" aria-hidden="true" {
            (axis.line("zero", [0.0; 2], [0, 22]))
            (axis.line("whisker", [low, high], [11; 2]))
            circle.dot cx=(axis.percent(middle)) cy="11" r="4.5" {}
        }
    }
}
