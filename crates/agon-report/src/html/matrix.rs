//! Shaded numbers for every two bots, or for every bot and rank.

use super::{page_data::PageData, writer::Html};
use crate::{
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
pub(super) fn head_to_head(sheet: &PageData<'_>, html: &mut Html) {
    let note = "What the bot of the row scored against the one of the column, in per cent: wins \
                and half the ties. Bold: an exact two-sided sign test at the 5 % level tells it \
                from an even result; of equal pairs up to one in twenty is bold by chance. \
                Empty: they did not meet.";
    matrix(sheet, html, note, |html, one, other| {
        let Some(pair) = sheet.report.meetings.get(one.number, other.number) else {
            html.element("td", &[], "");
            return;
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
        html.within("td", &[("class", &shade('h', score)), ("title", &title)], |html| {
            if sure {
                html.element("b", &[], &text);
            } else {
                html.text(&text);
            }
        });
    });
}

/// Writes the probabilities that one bot is stronger than another.
pub(super) fn superiority(sheet: &PageData<'_>, html: &mut Html) {
    let matrix_of = &sheet.report.superiority;
    let places: std::collections::HashMap<&str, usize> =
        matrix_of.bots.iter().enumerate().map(|(at, &bot)| (bot, at)).collect();
    let note = "The probability, in per cent, that the bot of the row is stronger than the one of \
                the column, given all results.";
    matrix(sheet, html, note, |html, one, other| {
        let part = (places.get(one.bot).zip(places.get(other.bot)))
            .and_then(|(&a, &b)| matrix_of.rows[a][b]);
        let Some(part) = part else {
            html.element("td", &[], "");
            return;
        };
        let pair = format!("{} is stronger than {}", one.bot, other.bot);
        let title = format!("{pair}: probability {}", percent(part));
        let text = match 100.0 * part {
            all if all >= 99.5 => ">99".to_owned(),
            none if none < 0.5 => "<1".to_owned(),
            part => format!("{part:.0}"),
        };
        html.element("td", &[("class", &shade('h', part)), ("title", &title)], &text);
    });
}

fn matrix(
    sheet: &PageData<'_>,
    html: &mut Html,
    note: &str,
    cell: impl Fn(&mut Html, &Rating<'_>, &Rating<'_>),
) {
    let bots = chosen(sheet.report);
    html.element("p", &[("class", "note")], note);
    html.within("div", &[("class", "scroll")], |html| {
        html.within("table", &[("class", "matrix")], |html| {
            heads(html, bots.len(), |at| bots[at].bot.to_owned());
            html.within("tbody", &[], |html| {
                for (at, one) in bots.iter().enumerate() {
                    html.within("tr", &[], |html| {
                        row_head(sheet, html, at, one);
                        for (place, other) in bots.iter().enumerate() {
                            if place == at {
                                html.element("td", &[("class", "self")], "");
                            } else {
                                cell(html, one, other);
                            }
                        }
                    });
                }
            });
        });
    });
    left_out(sheet, html, bots.len());
}

/// Writes the probability of each rank.
pub(super) fn ranks(sheet: &PageData<'_>, html: &mut Html) {
    let bots: Vec<&Rating<'_>> =
        chosen(sheet.report).into_iter().filter(|rating| rating.group == 0).collect();
    let note = "The probability of each rank by strength, in per cent, given all results.";
    html.element("p", &[("class", "note")], note);
    html.within("div", &[("class", "scroll")], |html| {
        html.within("table", &[("class", "matrix")], |html| {
            heads(html, bots.len(), |at| format!("rank {}", at + 1));
            html.within("tbody", &[], |html| {
                for (at, one) in bots.iter().enumerate() {
                    html.within("tr", &[], |html| {
                        row_head(sheet, html, at, one);
                        for (rank, &part) in
                            one.rank_probabilities.iter().enumerate().take(bots.len())
                        {
                            let ranked = format!("{} has rank {}", one.bot, rank + 1);
                            let title = format!("{ranked}: probability {}", percent(part));
                            let text = if part >= 0.005 {
                                format!("{:.0}", 100.0 * part)
                            } else {
                                String::new()
                            };
                            let class = shade('p', part.sqrt());
                            html.element("td", &[("class", &class), ("title", &title)], &text);
                        }
                    });
                }
            });
        });
    });
    left_out(sheet, html, bots.len());
}

/// Writes heads of columns. They have the numbers of the rows, because names are long.
fn heads(html: &mut Html, count: usize, title: impl Fn(usize) -> String) {
    html.within("thead", &[], |html| {
        html.within("tr", &[], |html| {
            html.element("td", &[], "");
            for at in 0..count {
                html.element(
                    "th",
                    &[("scope", "col"), ("title", &title(at))],
                    &(at + 1).to_string(),
                );
            }
        });
    });
}

fn row_head(sheet: &PageData<'_>, html: &mut Html, at: usize, rating: &Rating<'_>) {
    html.within("th", &[("scope", "row"), ("title", rating.bot)], |html| {
        html.element("small", &[], &(at + 1).to_string());
        sheet.name(html, rating.number);
    });
}

fn left_out(sheet: &PageData<'_>, html: &mut Html, shown: usize) {
    let all = sheet.report.ratings.iter().filter(|rating| rating.is_rated()).count();
    if all > shown {
        let rest = counted((all - shown) as u64, "bot is", "bots are");
        let which = if shown < MAX_BOTS {
            "Those of the largest group".to_owned()
        } else {
            format!("The best {shown} by rating")
        };
        let text = format!("{which}; {rest} left out here.");
        html.element("p", &[("class", "note")], &text);
    }
}
