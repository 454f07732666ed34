//! Lists of matches.

use maud::{Markup, html};

use super::{
    badge, bot, link,
    number::{counted, grouped},
    time::ago,
};
use crate::model::{Context, MatchRow, MatchState, Seat};

/// Writes a list of matches, newest first.
///
/// `own`: the slug of the bot from whose view results are shown.
pub(crate) fn match_list(context: &Context, rows: &[MatchRow], own: Option<&str>) -> Markup {
    let arenas = rows.iter().any(|row| !row.arena_title.is_empty());
    html! {
        @if rows.is_empty() {
            p.empty { "No match has been played yet." }
        } @else {
            div.scroll {
                table.matches {
                    thead {
                        tr {
                            th scope="col" { "Match" }
                            @if own.is_some() { th scope="col" { "Result" } }
                            th scope="col" {
                                @if own.is_some() { "Against" } @else { "Bots, best first" }
                            }
                            @if arenas { th.minor scope="col" { "Arena" } }
                            th.n.extra scope="col" { "Turns" }
                            th.n.minor scope="col" { "Faults" }
                            th.n.less[own.is_some()] scope="col" { "When" }
                        }
                    }
                    tbody { @for row in rows { (line(context, row, own, arenas)) } }
                }
            }
        }
    }
}

fn line(context: &Context, row: &MatchRow, own: Option<&str>, arenas: bool) -> Markup {
    let faults = row.seats.iter().fold(0, |sum: u64, seat| sum.saturating_add(seat.faults));
    html! {
        tr {
            th scope="row" {
                a href=(link::match_page(&row.arena, row.number)) {
                    span.unseen { "Match " } "#" (row.number)
                }
            }
            @if let Some(own) = own { td { (result(row, own)) } }
            td {
                (bots(row, own))
                @if own.is_none() { (badge::match_state(&row.state)) }
            }
            @if arenas {
                td.minor.arena {
                    a href=(link::arena(&row.arena)) { (bot::text(&row.arena_title)) }
                }
            }
            td.n.extra { (grouped(row.turns)) }
            td.n.minor {
                @if faults > 0 {
                    span.bad { (grouped(faults)) }
                } @else {
                    span.faint { "0" }
                }
            }
            td.n.less[own.is_some()] { (ago(context.now, row.at)) }
        }
    }
}

/// Returns the seats of a match, best first.
fn ordered(row: &MatchRow) -> Vec<&Seat> {
    let mut seats: Vec<&Seat> = row.seats.iter().collect();
    seats.sort_by_key(|seat| seat.place.wrapping_sub(1));
    seats
}

/// Writes the bots of a match, or the opponents of one of them.
fn bots(row: &MatchRow, own: Option<&str>) -> Markup {
    let others = |seat: &&Seat| Some(seat.bot.slug.as_str()) != own;
    html! {
        ul.lineup {
            @for seat in ordered(row).into_iter().filter(others) {
                li.first[seat.place == 1] {
                    @if seat.place > 0 {
                        span.place { span.unseen { "place " } (seat.place) }
                    }
                    (bot::bot(&row.arena, &seat.bot))
                }
            }
        }
    }
}

/// Writes the result of a match for one bot.
fn result(row: &MatchRow, own: &str) -> Markup {
    if row.state != MatchState::Played {
        return badge::match_state(&row.state);
    }
    let Some(seat) = row.seats.iter().find(|seat| seat.bot.slug == own) else {
        return html! {};
    };
    if row.seats.len() > 2 {
        let of = counted(row.seats.len() as u64, "bot", "bots");
        return html! { span.place { b { (seat.place) } small { " of " (of) } } };
    }
    let same = row.seats.iter().filter(|other| other.place == seat.place).count();
    badge::result(seat.place == 1, same > 1)
}
