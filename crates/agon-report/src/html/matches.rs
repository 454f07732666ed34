//! The list of matches.

use super::{column::column, page_data::PageData, writer::Html};
use crate::{
    MatchLine, Report,
    number::{counted, grouped, score_text, time_text},
};

/// The most matches in the list: a page with more is slow to open.
const MAX_MATCHES: usize = 2_000;

/// The most matches that are listed just for their faults.
const FAULTY: usize = 500;

/// Returns the indices of the listed matches in the report.
fn chosen(report: &Report<'_>) -> Vec<usize> {
    let all = report.matches.len();
    if all <= MAX_MATCHES {
        return (0..all).collect();
    }
    let mut chosen: Vec<usize> =
        (0..all).filter(|&at| report.matches[at].has_faults()).take(FAULTY).collect();
    let mut taken = vec![false; all];
    chosen.iter().for_each(|&at| taken[at] = true);
    let last = (0..all).rev().filter(|&at| !taken[at]);
    chosen.extend(last.take(MAX_MATCHES - chosen.len()).collect::<Vec<_>>());
    chosen.sort_unstable();
    chosen
}

/// Writes a line for each match.
pub(super) fn matches(sheet: &PageData<'_>, html: &mut Html) {
    let report = sheet.report;
    let chosen = chosen(report);
    filters(sheet, html);
    if chosen.len() < report.matches.len() {
        let text = format!(
            "{} of {}: some with faults, and the last ones. The others are in the tables for \
             programs: agon tournament report --csv matches.",
            grouped(chosen.len() as u64),
            counted(report.matches.len() as u64, "match", "matches")
        );
        html.element("p", &[("class", "note")], &text);
    }
    let linked =
        sheet.links.viewer.is_none() && sheet.links.replays.is_some() && report.state.replays > 0;
    if linked {
        html.within("p", &[("class", "note")], |html| {
            html.text("Links lead to replays: ")
                .element("code", &[], "agon watch FILE")
                .text(" opens one.");
        });
    }
    html.within("div", &[("class", "scroll list")], |html| {
        html.within("table", &[("class", "sortable matches"), ("id", "match-list")], |html| {
            html.within("thead", &[], |html| {
                html.within("tr", &[], |html| {
                    column(
                        html,
                        "",
                        "Match",
                        "Round, group, pairing and match, all from 0; linked to its replay",
                    );
                    column(
                        html,
                        "",
                        "Bots",
                        "In order of seats, with the game's scores; the winners in bold",
                    );
                    column(html, "n down", "Time", "How long it took");
                    column(html, "", "Notes", "Faults; how often it was void before");
                });
            });
            html.within("tbody", &[], |html| {
                for at in chosen {
                    row(sheet, html, &report.matches[at]);
                }
            });
        });
    });
}

/// Writes the filters. They need a script, which also shows them.
fn filters(sheet: &PageData<'_>, html: &mut Html) {
    html.within("p", &[("class", "filters"), ("hidden", "hidden")], |html| {
        html.within("label", &[], |html| {
            html.text("Bot ");
            html.within("select", &[("id", "filter-bot")], |html| {
                html.element("option", &[("value", "")], "all");
                for (number, bot) in sheet.report.bots.iter().enumerate() {
                    html.element("option", &[("value", &number.to_string())], bot.name);
                }
            });
        });
        html.within("label", &[], |html| {
            html.empty("input", &[("type", "checkbox"), ("id", "filter-faults")])
                .text(" only with faults");
        });
        html.element("output", &[("id", "filter-count")], "");
    });
}

fn row<'r>(sheet: &PageData<'r>, html: &mut Html, line: &'r MatchLine<'r>) {
    let numbers: Vec<String> = line
        .seats
        .iter()
        .filter_map(|name| sheet.report.names.number(name))
        .map(|n| n.to_string())
        .collect();
    html.within("tr", &[("data-b", &numbers.join(" "))], |html| {
        let id = line.id.to_string();
        html.within("td", &[], |html| {
            sheet.match_link(html, &id, line.replay);
        });
        html.within("td", &[("class", "who")], |html| {
            for (seat, name) in line.seats.iter().enumerate() {
                if seat > 0 {
                    html.text(" – ");
                }
                let tag = if line.places[seat] == 1 { "b" } else { "span" };
                html.element(tag, &[], name).text(" ");
                html.element("small", &[], &score_text(line.scores[seat]));
            }
        });
        html.element(
            "td",
            &[("class", "n"), ("data-v", &line.ms.to_string())],
            &time_text(line.ms),
        );
        html.within("td", &[("class", "notes")], |html| notes(html, line));
    });
}

fn notes(html: &mut Html, line: &MatchLine<'_>) {
    for (name, &count) in line.seats.iter().zip(&line.faults).filter(|(_, count)| **count > 0) {
        let text = format!("{name}: {} ", counted(count, "fault", "faults"));
        html.element("span", &[("class", "bad")], &text);
    }
    if line.void > 0 {
        let text = format!("void before: {}", counted(u64::from(line.void), "time", "times"));
        html.element("span", &[], &text);
    }
}
