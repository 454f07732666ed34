//! Faults of bots.

use maud::{Markup, html};

use super::page_data::{PageData, columns, left_out};
use crate::report::number::grouped;

/// The most lines of the table.
const MAX_LINES: usize = 500;

/// Writes a line for each bot and kind.
pub(super) fn faults(sheet: &PageData<'_>) -> Markup {
    let faults = &sheet.report.faults;
    if faults.is_empty() {
        return html! { p.note { "No bot did anything wrong." } };
    }
    html! {
        p.note { "What the machine did wrong is not here: such matches are void." }
        div.scroll {
            table.sortable.faults {
                (columns(&[
                    ("", "Bot", "The bot's name"),
                    ("", "What", "The kind of fault"),
                    ("n down", "Times", "How often"),
                    ("n down", "Matches", "In how many matches"),
                    ("", "The first one", "What it was"),
                    ("", "Where", "The first matches with it"),
                ]))
                tbody {
                    @for line in faults.iter().take(MAX_LINES) {
                        tr {
                            th scope="row" { (sheet.name(line.number)) }
                            td { (line.kind.words()) }
                            td.n.bad { (grouped(line.count)) }
                            td.n { (grouped(line.matches)) }
                            td.text {
                                (line.text)
                                @if !line.stderr.is_empty() {
                                    details {
                                        summary { "stderr" }
                                        pre { (line.stderr) }
                                    }
                                }
                            }
                            td {
                                @for (at, id) in line.examples.iter().enumerate() {
                                    (sheet.step_link(
                                        &id.to_string(),
                                        line.replays[at],
                                        line.steps[at],
                                    ))
                                    " "
                                }
                            }
                        }
                    }
                }
            }
        }
        (left_out(faults.len(), MAX_LINES))
    }
}
