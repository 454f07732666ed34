//! Faults of bots.

use maud::{Markup, html};

use super::{bot, link, log::lines, number::grouped};
use crate::model::{Fault, FaultCount, MatchSeat};

/// Writes how many faults there were of each kind.
pub(crate) fn counts(arena: &str, faults: &[FaultCount]) -> Markup {
    html! {
        @if faults.is_empty() {
            p.faint { "No faults." }
        } @else {
            table.plain {
                thead {
                    tr { th scope="col" { "Fault" } th.n scope="col" { "Times" } }
                }
                tbody {
                    @for fault in faults {
                        tr {
                            th.text scope="row" { (fault.kind) }
                            td.n {
                                (grouped(fault.count))
                                @if let Some(number) = fault.example {
                                    " · "
                                    a href=(link::match_page(arena, number)) {
                                        "match " (number)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Writes all faults in short: `2 × did not answer in time`.
pub(crate) fn short(faults: &[FaultCount]) -> Markup {
    html! {
        @if faults.is_empty() { span.faint { "none" } }
        @for (at, fault) in faults.iter().enumerate() {
            @if at > 0 { ", " }
            span.bad { (grouped(fault.count)) " × " (fault.kind) }
        }
    }
}

/// Says how many faults are not in a list of so many.
fn unlisted(listed: usize, more: u64) -> String {
    let others = if listed > 0 { " more" } else { "" };
    match more {
        1 => format!("1{others} fault is not listed."),
        _ => format!("{}{others} faults are not listed.", grouped(more)),
    }
}

/// Writes a list of faults with their evidence.
pub(crate) fn list(seats: &[MatchSeat], faults: &[Fault], more: u64) -> Markup {
    let name = |seat: u32| match seats.get(seat as usize) {
        Some(seat) => bot::title(&seat.bot),
        None => format!("seat {}", u64::from(seat) + 1),
    };
    html! {
        ul.faults {
            @for fault in faults {
                li {
                    span.turn { "turn " (grouped(fault.turn)) }
                    " "
                    b { bdi { (name(fault.seat)) } } " " span.bad { (fault.kind) }
                    @if !fault.detail.is_empty() { ": " (fault.detail) }
                    @if !fault.evidence.is_empty() {
                        details {
                            summary { "Evidence" }
                            pre tabindex="0" role="group" aria-label="Evidence" {
                                code { (lines(&fault.evidence)) }
                            }
                        }
                    }
                }
            }
        }
        @if more > 0 { p.faint { (unlisted(faults.len(), more)) } }
    }
}
