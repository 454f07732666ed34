//! What only the author of a bot and organisers see.

use maud::{Markup, html};

use crate::{
    model::{BotPage, Comparison, Context, Cost, OwnBot},
    parts::{
        badge,
        log::log,
        number::{bytes, change, grouped, interval, micros, tally},
        time::ago,
    },
};

/// Says why the bot does not play at this moment.
pub(super) fn waiting(own: &OwnBot) -> Markup {
    html! {
        @if let Some(reason) = &own.waiting {
            div.notice.warning {
                p { strong { "Why it does not play right now. " } (reason) }
            }
        }
    }
}

/// Writes costs, comparisons and logs.
pub(super) fn private(context: &Context, model: &BotPage, own: &OwnBot) -> Markup {
    html! {
        @if !own.costs.is_empty() {
            section aria-labelledby="costs" {
                h2 #costs { "Cost of a decision " (badge::plain("only you and organisers")) }
                (costs(&own.costs))
            }
        }
        @if !own.comparisons.is_empty() {
            section aria-labelledby="comparisons" {
                h2 #comparisons { "Comparisons of versions" }
                (comparisons(context, &own.comparisons))
            }
        }
        section aria-labelledby="logs" {
            h2 #logs { "Logs " (badge::plain("only you and organisers")) }
            @if own.logs.is_empty() {
                p.empty { "It has written nothing to stderr." }
            }
            @for one in &own.logs { (log(&model.arena.slug, one)) }
        }
    }
}

fn costs(costs: &[Cost]) -> Markup {
    let has_limit = costs.iter().any(|cost| cost.limit > 0);
    html! {
            div.scroll tabindex="0" role="group" aria-label="Cost of a decision" {
                table.plain {
                    thead {
                        tr {
                            th scope="col" { "Measured" }
                            th.n scope="col" { "Decisions" }
                            th.n scope="col" { "Median" }
                            th.n scope="col" { "99 % take at most" }
                            th.n scope="col" { "Slowest" }
                            @if has_limit { th.n scope="col" { "Limit" } }
                            th.n scope="col" { "Memory" }
                        }
                    }
                    tbody { @for cost in costs { (line(cost, has_limit)) } }
                }
            }
    }
}

fn line(cost: &Cost, has_limit: bool) -> Markup {
    let close = cost.limit > 0 && cost.slowest >= cost.limit / 10 * 9;
    html! {
        tr {
            th scope="row" { (cost.what) }
            td.n { (grouped(cost.decisions)) }
            td.n { (micros(cost.median)) }
            td.n { (micros(cost.slow)) }
            td.n {
                span.bad[close] { (micros(cost.slowest)) }
                @if close { small { " near the limit" } }
            }
            @if has_limit {
                td.n { @if cost.limit > 0 { (micros(cost.limit)) } @else { "none" } }
            }
            td.n { (cost.memory.map(bytes).unwrap_or_default()) }
        }
    }
}

fn comparisons(context: &Context, comparisons: &[Comparison]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Comparisons of versions" {
            table.plain {
                thead {
                    tr {
                        th scope="col" { "Question" }
                        th scope="col" { "Answer" }
                        th.n scope="col" title="Won – tied – lost" { "W – T – L" }
                        th.n scope="col" { "Difference" }
                        th.n scope="col" { "Asked" }
                    }
                }
                tbody {
                    @for one in comparisons {
                        tr {
                            th scope="row" { "Is v" (one.a) " better than v" (one.b) "?" }
                            td {
                                @if one.running { (badge::plain("running")) " " }
                                (one.verdict)
                            }
                            td.n { (tally(one.tally)) }
                            td.n {
                                @if let Some(by) = &one.difference {
                                    (change(by.elo)) small { " " (interval(by)) }
                                }
                            }
                            td.n { (ago(context.now, one.at)) }
                        }
                    }
                }
            }
        }
    }
}
