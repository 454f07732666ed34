//! The bots of a match, with their results.

use maud::{Markup, html};

use super::{
    badge, bot, faults,
    number::{change, micros},
};
use crate::model::MatchSeat;

/// Writes a table of the bots of a match, best first.
pub(crate) fn seats(arena: &str, seats: &[MatchSeat]) -> Markup {
    let mut order: Vec<(usize, &MatchSeat)> = seats.iter().enumerate().collect();
    // Place 0 is that of a bot without a result.
    order.sort_by_key(|(at, seat)| (seat.place.wrapping_sub(1), *at));
    let scores = seats.iter().any(|seat| !seat.score.is_empty());
    let times = seats.iter().any(|seat| seat.thinking.is_some());
    let slowest = seats.iter().any(|seat| seat.slowest.is_some());
    let changes = seats.iter().any(|seat| seat.change.is_some());
    html! {
        div.scroll {
            table.seats {
                caption.unseen { "Result" }
                thead {
                    tr {
                        th.n scope="col" { "Place" }
                        th scope="col" { "Bot" }
                        th.minor scope="col" { "Author" }
                        th.n.extra scope="col" { "Seat" }
                        @if scores { th.n scope="col" { "Score" } }
                        @if changes { th.n scope="col" { "Rating" } }
                        @if times {
                            th.n.less scope="col" { "Thinking time" }
                        }
                        @if slowest { th.n.extra scope="col" { "Slowest answer" } }
                        th scope="col" { "Faults" }
                    }
                }
                tbody {
                    @for (at, seat) in order {
                        tr.own[seat.own] {
                            td.n.place {
                                @if seat.place > 0 { b { (seat.place) } } @else { "–" }
                            }
                            th scope="row" {
                                (bot::bot(arena, &seat.bot))
                                @if seat.own { " " (badge::own("yours")) }
                            }
                            td.minor { (bot::author(&seat.bot)) }
                            td.n.extra { (at + 1) }
                            @if scores { td.n { (bot::text(&seat.score)) } }
                            @if changes { td.n { @if let Some(by) = seat.change { (change(by)) } } }
                            @if times {
                                td.n.less { (time(seat.thinking)) }
                            }
                            @if slowest { td.n.extra { (time(seat.slowest)) } }
                            td.text { (faults::short(&seat.faults)) }
                        }
                    }
                }
            }
        }
    }
}

fn time(time: Option<u64>) -> String {
    time.map_or_else(|| "–".to_owned(), micros)
}
