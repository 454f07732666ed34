//! Shaded numbers for every two bots, or for every bot and rank.

use std::collections::HashMap;

use maud::{Markup, html};

use super::page_data::PageData;
use crate::report::{
    Rating, Report,
    number::{counted, grouped, percent},
};

/// The most bots of a matrix; a larger one would not help.
const MAX_BOTS: usize = 24;

/// Returns a shade: from 0 (never) over 5 (half) to 10 (always).
fn shade(kind: char, part: f64) -> String {
    format!("{kind}{:.0}", 10.0 * part)
}

/// Returns the bots of a matrix.
fn chosen<'r, 'a>(report: &'r Report<'a>) -> Vec<&'r Rating<'a>> {
    report.ratings.iter().filter(|rating| rating.is_rated()).take(MAX_BOTS).collect()
}

/// Writes the scores of bots against each other.
pub(super) fn head_to_head(sheet: &PageData<'_>) -> Markup {
    let note = "What the bot of the row scored against the one of the column, in per cent: wins \
                and half the ties. Bold: an exact two-sided sign test at the 5 % level tells it \
                from an even result; of equal pairs up to one in twenty is bold by chance. \
                Empty: they did not meet.";
    pairs(sheet, note, |one, other| {
        let Some(pair) = sheet.report.meetings.get(one.number, other.number) else {
            return html! { td {} };
        };
        let score = pair.score();
        let title = format!(
            "{} against {}: {} won, {} tied, {} lost",
            one.bot,
            other.bot,
            grouped(pair.wins),
            grouped(pair.ties),
            grouped(pair.losses)
        );
        let sure = pair.confidence() >= sheet.report.confidence;
        let text = format!("{:.0}", 100.0 * score);
        html! {
            td class=(shade('h', score)) title=(title) {
                @if sure { b { (text) } } @else { (text) }
            }
        }
    })
}

/// Writes the probabilities that one bot is stronger than another.
pub(super) fn superiority(sheet: &PageData<'_>) -> Markup {
    let matrix_of = &sheet.report.superiority;
    let places: HashMap<&str, usize> =
        matrix_of.bots.iter().enumerate().map(|(at, &bot)| (bot, at)).collect();
    let note = "The probability, in per cent, that the bot of the row is stronger than the one of \
                the column, given all results.";
    pairs(sheet, note, |one, other| {
        let part = (places.get(one.bot).zip(places.get(other.bot)))
            .and_then(|(&a, &b)| matrix_of.rows[a][b]);
        let Some(part) = part else { return html! { td {} } };
        let pair = format!("{} is stronger than {}", one.bot, other.bot);
        let text = match 100.0 * part {
            all if all >= 99.5 => ">99".to_owned(),
            none if none < 0.5 => "<1".to_owned(),
            part => format!("{part:.0}"),
        };
        cell(shade('h', part), &pair, part, &text)
    })
}

/// Writes the probability of each rank.
pub(super) fn ranks(sheet: &PageData<'_>) -> Markup {
    let mut bots = chosen(sheet.report);
    bots.retain(|rating| rating.group == 0);
    let note = "The probability of each rank by strength, in per cent, given all results.";
    let title = |at: usize| format!("rank {}", at + 1);
    matrix(sheet, note, &bots, title, |at, rank| {
        let one = bots[at];
        let Some(&part) = one.rank_probabilities.get(rank) else { return Markup::default() };
        let ranked = format!("{} has rank {}", one.bot, rank + 1);
        let text = if part >= 0.005 { format!("{:.0}", 100.0 * part) } else { String::new() };
        cell(shade('p', part.sqrt()), &ranked, part, &text)
    })
}

/// Writes a cell with a probability.
fn cell(class: String, event: &str, part: f64, text: &str) -> Markup {
    html! { td class=(class) title={ (event) ": probability " (percent(part)) } { (text) } }
}

/// Writes a matrix with a cell for every two bots.
fn pairs(
    sheet: &PageData<'_>,
    note: &str,
    cell: impl Fn(&Rating<'_>, &Rating<'_>) -> Markup,
) -> Markup {
    let bots = chosen(sheet.report);
    let title = |at: usize| bots[at].bot.to_owned();
    matrix(sheet, note, &bots, title, |row, column| {
        if row == column {
            html! { td.self {} }
        } else {
            cell(bots[row], bots[column])
        }
    })
}

/// Writes a matrix with a row for each bot, and as many columns.
///
/// Heads of columns have the numbers of the rows, because names are long.
fn matrix(
    sheet: &PageData<'_>,
    note: &str,
    bots: &[&Rating<'_>],
    title: impl Fn(usize) -> String,
    cell: impl Fn(usize, usize) -> Markup,
) -> Markup {
    let count = bots.len();
    html! {
        p.note { (note) }
        div.scroll {
            table.matrix {
                thead {
                    tr {
                        td {}
                        @for at in 0..count { th scope="col" title=(title(at)) { (at + 1) } }
                    }
                }
                tbody {
                    @for (row, rating) in bots.iter().enumerate() {
                        tr {
                            th scope="row" title=(rating.bot) {
                                small { (row + 1) } (sheet.name(rating.number))
                            }
                            @for column in 0..count { (cell(row, column)) }
                        }
                    }
                }
            }
        }
        (left_out(sheet.report, count))
    }
}

fn left_out(report: &Report<'_>, shown: usize) -> Markup {
    let all = report.ratings.iter().filter(|rating| rating.is_rated()).count();
    html! {
        @if all > shown {
            p.note {
                @if shown < MAX_BOTS {
                    "Those of the largest group; "
                } @else {
                    "The best " (shown) " by rating; "
                }
                (counted((all - shown) as u64, "bot is", "bots are")) " left out here."
            }
        }
    }
}
