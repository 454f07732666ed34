//! Faults of bots.

use super::{column::column, page_data::PageData, writer::Html};
use crate::number::{counted, grouped};

/// The most lines of the table.
const MAX_LINES: usize = 500;

/// Writes a line for each bot and kind.
pub(super) fn faults(sheet: &PageData<'_>, html: &mut Html) {
    let report = sheet.report;
    if report.faults.is_empty() {
        html.element("p", &[("class", "note")], "No bot did anything wrong.");
        return;
    }
    html.element(
        "p",
        &[("class", "note")],
        "What the machine did wrong is not here: such matches are void.",
    );
    html.within("div", &[("class", "scroll")], |html| {
        html.within("table", &[("class", "sortable faults")], |html| {
            html.within("thead", &[], |html| {
                html.within("tr", &[], |html| {
                    column(html, "", "Bot", "The bot's name");
                    column(html, "", "What", "The kind of fault");
                    column(html, "n down", "Times", "How often");
                    column(html, "n down", "Matches", "In how many matches");
                    column(html, "", "The first one", "What it was");
                    column(html, "", "Where", "The first matches with it");
                });
            });
            html.within("tbody", &[], |html| {
                for line in report.faults.iter().take(MAX_LINES) {
                    html.within("tr", &[], |html| {
                        html.within("th", &[("scope", "row")], |html| {
                            sheet.name(html, line.number)
                        });
                        html.element("td", &[], line.kind.words());
                        html.element("td", &[("class", "n bad")], &grouped(line.count));
                        html.element("td", &[("class", "n")], &grouped(line.matches));
                        html.element("td", &[("class", "text")], line.text);
                        html.within("td", &[], |html| {
                            for (id, replay) in line.examples.iter().zip(&line.replays) {
                                sheet.match_link(html, &id.to_string(), *replay);
                                html.text(" ");
                            }
                        });
                    });
                }
            });
        });
    });
    if report.faults.len() > MAX_LINES {
        let rest = counted((report.faults.len() - MAX_LINES) as u64, "line is", "lines are");
        html.element("p", &[("class", "note")], &format!("{rest} left out here."));
    }
}
