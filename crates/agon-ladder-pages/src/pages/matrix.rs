//! `/arenas/{arena}/matrix`: results of every two bots.

use maud::{Markup, html};

use crate::{
    model::{Context, Matrix, Tally},
    parts::{
        arena_frame::{Tab, arena_page},
        bot, link,
        number::{counted, grouped, score},
    },
};

/// The most bots in the matrix.
const MAX_BOTS: usize = 30;

/// Writes the matrix of the best bots.
pub fn matrix(context: &Context, model: &Matrix) -> Markup {
    let main = html! {
        h1 { "Head to head" }
        @if model.bots.len() < 2 {
            p.empty { "There are too few bots for a comparison." }
        } @else {
            p.note {
                "What the bot of the row scored against the one of the column, in per cent: wins, \
                 and half the ties. Empty: they did not meet. Columns have the numbers of the \
                 rows. A number leads to the matches of the two."
            }
            (table(model))
            @if model.left_out > 0 {
                p.note {
                    "The best " (model.bots.len()) " by rating; "
                    (counted(model.left_out, "bot is", "bots are")) " left out."
                }
            }
            (legend())
        }
    };
    arena_page(context, &model.arena, Tab::Matrix, "Head to head", main)
}

fn table(model: &Matrix) -> Markup {
    let count = model.bots.len().min(MAX_BOTS);
    html! {
        div.scroll {
            table.matrix {
                caption.unseen { "Scores in per cent, of the row against the column" }
                thead {
                    tr {
                        th scope="col" { "Bot" }
                        @for (at, other) in model.bots.iter().take(count).enumerate() {
                            th scope="col" title=(bot::title(other)) {
                                (at + 1) span.unseen { " " (bot::title(other)) }
                            }
                        }
                    }
                }
                tbody { @for row in 0..count { (line(model, row, count)) } }
            }
        }
    }
}

fn line(model: &Matrix, row: usize, count: usize) -> Markup {
    let one = &model.bots[row];
    html! {
        tr {
            th scope="row" { small { (row + 1) } (bot::bot(&model.arena.slug, one)) }
            @for column in 0..count {
                @let tally = model.rows.get(row).and_then(|row| row.get(column).copied().flatten());
                @if row == column {
                    td.self { span.unseen { "itself" } }
                } @else if let Some((tally, score)) = tally.and_then(|t| Some((t, score(t)?))) {
                    td class=(shade(score)) title=(words(model, [row, column], tally)) {
                        a href=(link::between(&model.arena.slug, one, &model.bots[column])) {
                            (format!("{:.0}", 100.0 * score))
                        }
                    }
                } @else {
                    td { span.unseen { "none" } }
                }
            }
        }
    }
}

/// Returns a shade: from 0 (never) over 5 (half) to 10 (always).
fn shade(part: f64) -> String {
    format!("h{:.0}", 10.0 * part.clamp(0.0, 1.0))
}

fn words(model: &Matrix, [row, column]: [usize; 2], tally: Tally) -> String {
    format!(
        "{} against {}: {} won, {} tied, {} lost",
        bot::title(&model.bots[row]),
        bot::title(&model.bots[column]),
        grouped(tally.wins),
        grouped(tally.ties),
        grouped(tally.losses)
    )
}

fn legend() -> Markup {
    html! {
        p.legend {
            "lost "
            @for step in 0..=10 {
                span class={ "h" (step) } { (step * 10) }
            }
            " won"
        }
    }
}
