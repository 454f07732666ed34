//! The list of matches.

use maud::{Markup, html};

use super::{
    Links,
    page_data::{PageData, columns},
};
use crate::report::{
    MatchLine, Report,
    number::{counted, grouped, score_text, time_text},
};

/// The most matches in the list: a page with more is slow to open.
const MAX_MATCHES: usize = 2_000;

/// The most matches that are listed just for their faults.
const FAULTY: usize = 500;

/// The columns: class, name and meaning.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("", "Match", "Round, group, pairing and match, all from 0; linked to its replay"),
    ("", "Bots", "In order of seats, with the game's scores; the winners in bold"),
    ("n down", "Time", "How long it took"),
    ("", "Notes", "Faults; how often it was void before"),
];

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
pub(super) fn matches(sheet: &PageData<'_>) -> Markup {
    let Report { matches, state, .. } = sheet.report;
    let Links { viewer, replays, .. } = sheet.links;
    let chosen = chosen(sheet.report);
    html! {
        (filters(sheet.report))
        @if chosen.len() < matches.len() {
            p.note {
                (grouped(chosen.len() as u64)) " of "
                (counted(matches.len() as u64, "match", "matches"))
                ": some with faults, and the last ones. The others are in the tables for \
                 programs: agon tournament report --csv matches."
            }
        }
        @if viewer.is_none() && replays.is_some() && state.replays > 0 {
            p.note { "Links lead to replays: " code { "agon watch FILE" } " opens one." }
        }
        div.scroll.list {
            table.sortable.matches #match-list {
                (columns(&COLUMNS))
                tbody { @for at in chosen { (row(sheet, &matches[at])) } }
            }
        }
    }
}

/// Writes the filters. They need a script, which also shows them.
fn filters(report: &Report<'_>) -> Markup {
    html! {
        p.filters hidden {
            label {
                "Bot "
                select #filter-bot {
                    option value="" { "all" }
                    @for (number, bot) in report.bots.iter().enumerate() {
                        option value=(number) { (bot.name) }
                    }
                }
            }
            label { input #filter-faults type="checkbox"; " only with faults" }
            output #filter-count {}
        }
    }
}

fn row<'r>(sheet: &PageData<'r>, line: &'r MatchLine<'r>) -> Markup {
    let numbers = line.seats.iter().filter_map(|name| sheet.report.names.number(name));
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    html! {
        tr data-b=(numbers.join(" ")) {
            td { (sheet.match_link(&line.id.to_string(), line.replay)) }
            td.who {
                @for (seat, name) in line.seats.iter().enumerate() {
                    @if seat > 0 { " – " }
                    @if line.places[seat] == 1 { b { (name) } } @else { span { (name) } }
                    " " small { (score_text(line.scores[seat])) }
                }
            }
            td.n data-v=(line.ms) { (time_text(line.ms)) }
            td.notes {
                @for (name, &count) in line.seats.iter().zip(&line.faults) {
                    @if count > 0 {
                        span.bad { (name) ": " (counted(count, "fault", "faults")) " " }
                    }
                }
                @if !line.forfeits.is_empty() { span { "forfeited by " (forfeiters(line)) " " } }
                @if line.void > 0 {
                    span { "void before: " (counted(u64::from(line.void), "time", "times")) }
                }
            }
        }
    }
}

/// Returns the names of the bots that forfeited a match.
fn forfeiters(line: &MatchLine<'_>) -> String {
    let names: Vec<&str> = line.forfeits.iter().map(|&seat| line.seats[seat].as_str()).collect();
    names.join(", ")
}
