//! `/admin/log`: what was done, and by whom.

use maud::{Markup, html};

use crate::{
    model::{AuditEntry, AuditLog, Context},
    parts::{
        admin::{AdminTab, admin_page, search},
        bot,
        number::counted,
        paging::paging,
        time::utc,
    },
};

/// Writes the audit log.
pub fn audit_log(context: &Context, model: &AuditLog) -> Markup {
    let main = html! {
        h1 { "Log" }
        div.bar {
            p { (counted(model.paging.total, "entry", "entries")) ", newest first" }
            (search("/admin/log", "Person, action or subject", &model.search))
        }
        @if model.entries.is_empty() {
            p.empty { "Nothing is found." }
        } @else {
            div.scroll {
                table.plain.stacked.flow {
                    thead {
                        tr {
                            th scope="col" { "When" }
                            th scope="col" { "Who" }
                            th scope="col" { "What" }
                            th scope="col" { "About" }
                            th scope="col" { "Detail" }
                            th scope="col" { "Address" }
                        }
                    }
                    tbody { @for entry in &model.entries { (line(entry)) } }
                }
            }
        }
        (paging(&model.paging, "Pages of the log"))
    };
    admin_page(context, AdminTab::Log, "Log", main)
}

fn line(entry: &AuditEntry) -> Markup {
    html! {
        tr {
            td.nowrap { (utc(entry.at)) }
            th scope="row" {
                @if entry.who.is_empty() {
                    span.faint { "server" }
                } @else {
                    (bot::person(&entry.who))
                }
            }
            td { code { (bot::text(&entry.action)) } }
            td.text { (bot::text(&entry.subject)) }
            td.text { (bot::text(&entry.detail.replace('\n', " "))) }
            td { (bot::text(&entry.address)) }
        }
    }
}
