//! `/admin`: queue, slots, disk, errors.

use maud::{Markup, html};

use crate::{
    model::{Context, Overview},
    parts::{
        admin::{AdminTab, admin_page},
        bot,
        number::{bytes, grouped},
        time::{ago, length, utc},
    },
};

/// Writes the overview for administrators.
pub fn admin_overview(context: &Context, model: &Overview) -> Markup {
    let waiting = model.queue.iter().fold(0, |sum: u64, line| sum.saturating_add(line.waiting));
    let main = html! {
        h1 { "Server" }
        div #live {
            dl.figures {
                div {
                    dt { "Slots in use" }
                    dd {
                        b { (grouped(model.playing)) }
                        small { " of " (grouped(model.slots)) }
                    }
                }
                div { dt { "Waiting" } dd { b { (grouped(waiting)) } } }
                div { dt { "Matches an hour" } dd { b { (grouped(model.per_hour)) } } }
                div { dt { "Disk, free" } dd { b { (bytes(model.disk_free)) } } }
            }
            div.columns {
                div { (queue(model)) }
                div { (disk(model)) (about(model)) }
            }
            (errors(context, model))
        }
    };
    admin_page(context, AdminTab::Overview, "Server", main)
}

fn queue(model: &Overview) -> Markup {
    html! {
        section aria-labelledby="queue" {
            h2 #queue { "Queue" }
            @if model.queue.is_empty() { p.empty { "Nothing waits." } } @else {
                table.plain {
                    thead {
                        tr {
                            th scope="col" { "What" }
                            th.n scope="col" { "Waiting" }
                            th.n scope="col" { "Oldest" }
                        }
                    }
                    tbody {
                        @for line in &model.queue {
                            tr {
                                th.text scope="row" { (bot::text(&line.name)) }
                                td.n { (grouped(line.waiting)) }
                                td.n { (line.oldest.map(length).unwrap_or_default()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn disk(model: &Overview) -> Markup {
    let all = model.disk_used.saturating_add(model.disk_free).max(1);
    html! {
        section aria-labelledby="disk" {
            h2 #disk { "Disk" }
            p {
                meter min="0" max=(all) value=(model.disk_used) aria-label="Used by the ladder" {}
                " The ladder uses " (bytes(model.disk_used)) ", and " (bytes(model.disk_free))
                " are left for it."
            }
            @if let Some(least) = model.disk_least {
                p { "With less than " (bytes(least)) " left, it accepts and plays nothing." }
            }
            @if !model.disk.is_empty() {
                table.plain {
                    thead { tr { th scope="col" { "What" } th.n scope="col" { "Size" } } }
                    tbody {
                        @for (name, size) in &model.disk {
                            tr { th.text scope="row" { (bot::text(name)) } td.n { (bytes(*size)) } }
                        }
                    }
                }
            }
        }
    }
}

fn about(model: &Overview) -> Markup {
    html! {
        section aria-labelledby="about" {
            h2 #about { "Program" }
            p { "Agon " (bot::text(&model.version)) ", running since " (utc(model.since)) "." }
            @if let Some(workers) = &model.workers {
                p { "Matches are played by the workers of " (bot::text(workers)) "." }
            }
        }
    }
}

fn errors(context: &Context, model: &Overview) -> Markup {
    html! {
        section aria-labelledby="errors" {
            h2 #errors { "Errors" }
            @if model.errors.is_empty() { p.empty { "There were none." } } @else {
                div.scroll tabindex="0" role="group" aria-label="Errors" {
                    table.plain {
                        thead {
                            tr {
                                th scope="col" { "Last seen" }
                                th scope="col" { "Where" }
                                th.n scope="col" { "Times" }
                                th scope="col" { "What" }
                            }
                        }
                        tbody {
                            @for line in &model.errors {
                                tr {
                                    td.n { (ago(context.now, line.at)) }
                                    th scope="row" { (bot::text(&line.place)) }
                                    td.n { (grouped(line.count)) }
                                    td.text { (line.text) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
