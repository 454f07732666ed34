//! The tables of a page: the standing, faults, matches, and shaded numbers for every two bots or
//! for every bot and rank.

use std::collections::HashMap;

use agon_core::text::number::plural;
use maud::{Markup, html};

use super::{Links, PageData, columns, left_out};
use crate::report::facts::{elo_text, grouped, percent, points_text, score_text, time_text};
use crate::report::results::{interval_text, missing_end};
use crate::report::{MatchLine, Place, Rating, Report};

/// The columns: class, name and meaning.
const STANDING: [(&str, &str, &str); 11] = [
    ("n", "#", "The place by the rules of the format; equal ones share it"),
    ("", "Bot", "The bot's name"),
    (
        "n down",
        "Points",
        "One for each opponent left behind, half a point for each one who is level",
    ),
    ("n down", "Elo", "The rating by all results, with its 95 % interval; ?: a bound is not known"),
    ("n", "Rank", "The true rank by strength is one of these, with 95 % confidence"),
    ("n down", "Matches", "Matches over"),
    ("n down", "W", "Won: the best place to itself"),
    ("n down", "T", "Tied: the best place shared"),
    ("n down", "L", "Lost: all other matches"),
    ("n down", "Faults", "What the bot did wrong"),
    ("why", "Why", "What decided the place"),
];

/// Writes the table of the format, best first.
pub(super) fn standing(sheet: &PageData<'_>) -> Markup {
    let standing = &sheet.report.standing;
    let level = |other: Option<&Place<'_>>, place: &Place<'_>| {
        other.is_some_and(|other| other.points == place.points)
    };
    html! {
        div.scroll {
            table.sortable.standing {
                (columns(&STANDING))
                tbody {
                    @for (at, place) in standing.iter().enumerate() {
                        @let broken = level(standing.get(at + 1), place)
                            || at > 0 && level(standing.get(at - 1), place);
                        (standing_row(sheet, place, broken))
                    }
                }
            }
        }
        (absent(sheet.report))
    }
}

/// Lists the bots that cannot be opened, with the reasons.
fn absent(Report { absent, .. }: &Report<'_>) -> Markup {
    html! {
        @if !absent.is_empty() {
            h3 #absent { "Cannot be opened" }
            ul.absent {
                @for bot in absent {
                    li {
                        b { (bot.name) } " " code { (bot.text) }
                        @if let Some(author) = bot.author { " by " (author) }
                        @if let Some(note) = bot.note { " (" (note) ")" }
                        @if bot.forfeits { " forfeits what it has not played" }
                        @else { " did not play" }
                        pre { (bot.error) }
                    }
                }
            }
        }
    }
}

/// Writes a bot's row; if `broken`, others have as many points.
fn standing_row(sheet: &PageData<'_>, place: &Place<'_>, broken: bool) -> Markup {
    let rating = sheet.report.rating_of(place.number);
    let breaks = place.tie_breaks.iter().map(|by| format!("{} {}", by.name, by.value));
    let breaks = breaks.collect::<Vec<_>>().join(", ");
    html! {
        tr {
            td.n.place data-v=(place.place) {
                @if place.disqualified { "–" } @else { (place.place) }
            }
            th scope="row" { (sheet.name(place.number)) }
            td.n data-v=(place.points) { (points_text(place.points)) }
            (rating_cell(rating))
            (ranks_cell(rating))
            @for count in [place.matches, place.wins, place.ties, place.losses] {
                td.n { (grouped(count)) }
            }
            td.n.(if place.faults > 0 { "bad" } else { "none" }) { (grouped(place.faults)) }
            td.why {
                (place.reason)
                @if broken && !breaks.is_empty() { small { " · " (breaks) } }
            }
        }
    }
}

fn rating_cell(rating: &Rating<'_>) -> Markup {
    if !rating.is_rated() {
        return html! { td.n.none data-v="-1e9" { "–" } };
    }
    html! {
        td.n.elo data-v=(rating.elo) {
            (elo_text(rating.elo))
            small { " " (interval_text(rating)) }
            @if let Some(words) = missing_end(rating.footing) { abbr title=(words) { "?" } }
        }
    }
}

fn ranks_cell(rating: &Rating<'_>) -> Markup {
    if !rating.is_rated() {
        return html! { td.n.none data-v="1e9" { "–" } };
    }
    let Rating { rank, rank_low: low, rank_high: high, .. } = *rating;
    let first = rating.rank_probabilities.first();
    let first = first.map(|&first| format!("; first with probability {}", percent(first)));
    html! {
        td.n data-v=(rank) title={ "rank " (rank) (first.unwrap_or_default()) } {
            (low)
            @if low != high { "–" (high) }
        }
    }
}

/// The most lines of the table.
const MAX_FAULTS: usize = 500;

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
                    @for line in faults.iter().take(MAX_FAULTS) {
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
        (left_out(faults.len(), MAX_FAULTS))
    }
}

/// The most matches in the list: a page with more is slow to open.
const MAX_MATCHES: usize = 2_000;

/// The most matches that are listed just for their faults.
const FAULTY: usize = 500;

/// The columns: class, name and meaning.
const MATCHES: [(&str, &str, &str); 4] = [
    ("", "Match", "Round, group, pairing and match, all from 0; linked to its replay"),
    ("", "Bots", "In order of seats, with the game's scores; the winners in bold"),
    ("n down", "Time", "How long it took"),
    ("", "Notes", "Faults; how often it was void before"),
];

/// Returns the indices of the listed matches in the report.
fn listed_matches(report: &Report<'_>) -> Vec<usize> {
    let all = report.matches.len();
    if all <= MAX_MATCHES {
        return (0..all).collect();
    }
    let is_faulty = |at: &usize| report.matches[*at].faults.iter().any(|&count| count > 0);
    let mut chosen: Vec<usize> = (0..all).filter(is_faulty).take(FAULTY).collect();
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
    let chosen = listed_matches(sheet.report);
    html! {
        (filters(sheet.report))
        @if chosen.len() < matches.len() {
            p.note {
                (grouped(chosen.len() as u64)) " of "
                (plural(matches.len() as u64, "match"))
                ": some with faults, and the last ones. The others are in the tables for \
                 programs: agon tournament report --csv matches."
            }
        }
        @if viewer.is_none() && replays.is_some() && state.replays > 0 {
            p.note { "Links lead to replays: " code { "agon watch FILE" } " opens one." }
        }
        div.scroll.list {
            table.sortable.matches #match-list {
                (columns(&MATCHES))
                tbody { @for at in chosen { (match_row(sheet, &matches[at])) } }
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

fn match_row<'r>(sheet: &PageData<'r>, line: &'r MatchLine<'r>) -> Markup {
    let numbers = line.seats.iter().filter_map(|name| sheet.report.names.number(name));
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    html! {
        tr data-b=(numbers.join(" ")) {
            td { (sheet.step_link(&line.id.to_string(), line.replay, None)) }
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
                        span.bad { (name) ": " (plural(count, "fault")) " " }
                    }
                }
                @if !line.forfeits.is_empty() { span { "forfeited by " (forfeiters(line)) " " } }
                @if line.void > 0 {
                    span { "void before: " (plural(u64::from(line.void), "time")) }
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

/// The most bots of a matrix; a larger one would not help.
const MAX_BOTS: usize = 24;

/// Returns a shade: from 0 (never) over 5 (half) to 10 (always).
fn shade(kind: char, part: f64) -> String {
    format!("{kind}{:.0}", 10.0 * part)
}

/// Returns the bots of a matrix.
fn chosen<'r, 'a>(report: &'r Report<'a>) -> Vec<&'r Rating<'a>> {
    report.ratings.iter().filter(|rating| rating.is_rated()).take(MAX_BOTS).collect()
}

/// Writes the scores of bots against each other.
pub(super) fn head_to_head(sheet: &PageData<'_>) -> Markup {
    let note = "What the bot of the row scored against the one of the column, in per cent: wins \
                and half the ties. Bold: an exact two-sided sign test at the 5 % level tells it \
                from an even result; of equal pairs up to one in twenty is bold by chance. \
                Empty: they did not meet.";
    pairs(sheet, note, |one, other| {
        let Some(pair) = sheet.report.meetings.get(one.number, other.number) else {
            return html! { td {} };
        };
        let score = pair.score();
        let title = format!(
            "{} against {}: {} won, {} tied, {} lost",
            one.bot,
            other.bot,
            grouped(pair.wins),
            grouped(pair.ties),
            grouped(pair.losses)
        );
        let sure = pair.confidence() >= sheet.report.confidence;
        let text = format!("{:.0}", 100.0 * score);
        html! {
            td class=(shade('h', score)) title=(title) {
                @if sure { b { (text) } } @else { (text) }
            }
        }
    })
}

/// Writes the probabilities that one bot is stronger than another.
pub(super) fn superiority(sheet: &PageData<'_>) -> Markup {
    let matrix_of = &sheet.report.superiority;
    let places: HashMap<&str, usize> =
        matrix_of.bots.iter().enumerate().map(|(at, &bot)| (bot, at)).collect();
    let note = "The probability, in per cent, that the bot of the row is stronger than the one of \
                the column, given all results.";
    pairs(sheet, note, |one, other| {
        let part = (places.get(one.bot).zip(places.get(other.bot)))
            .and_then(|(&a, &b)| matrix_of.rows[a][b]);
        let Some(part) = part else { return html! { td {} } };
        let pair = format!("{} is stronger than {}", one.bot, other.bot);
        let text = match 100.0 * part {
            all if all >= 99.5 => ">99".to_owned(),
            none if none < 0.5 => "<1".to_owned(),
            part => format!("{part:.0}"),
        };
        cell(shade('h', part), &pair, part, &text)
    })
}

/// Writes the probability of each rank.
pub(super) fn ranks(sheet: &PageData<'_>) -> Markup {
    let mut bots = chosen(sheet.report);
    bots.retain(|rating| rating.group == 0);
    let note = "The probability of each rank by strength, in per cent, given all results.";
    let title = |at: usize| format!("rank {}", at + 1);
    matrix(sheet, note, &bots, title, |at, rank| {
        let one = bots[at];
        let Some(&part) = one.rank_probabilities.get(rank) else { return Markup::default() };
        let ranked = format!("{} has rank {}", one.bot, rank + 1);
        let text = if part >= 0.005 { format!("{:.0}", 100.0 * part) } else { String::new() };
        cell(shade('p', part.sqrt()), &ranked, part, &text)
    })
}

/// Writes a cell with a probability.
fn cell(class: String, event: &str, part: f64, text: &str) -> Markup {
    html! { td class=(class) title={ (event) ": probability " (percent(part)) } { (text) } }
}

/// Writes a matrix with a cell for every two bots.
fn pairs(
    sheet: &PageData<'_>,
    note: &str,
    cell: impl Fn(&Rating<'_>, &Rating<'_>) -> Markup,
) -> Markup {
    let bots = chosen(sheet.report);
    let title = |at: usize| bots[at].bot.to_owned();
    matrix(sheet, note, &bots, title, |row, column| {
        if row == column {
            html! { td.self {} }
        } else {
            cell(bots[row], bots[column])
        }
    })
}

/// Writes a matrix with a row for each bot, and as many columns.
///
/// Heads of columns have the numbers of the rows, because names are long.
fn matrix(
    sheet: &PageData<'_>,
    note: &str,
    bots: &[&Rating<'_>],
    title: impl Fn(usize) -> String,
    cell: impl Fn(usize, usize) -> Markup,
) -> Markup {
    let count = bots.len();
    html! {
        p.note { (note) }
        div.scroll {
            table.matrix {
                thead {
                    tr {
                        td {}
                        @for at in 0..count { th scope="col" title=(title(at)) { (at + 1) } }
                    }
                }
                tbody {
                    @for (row, rating) in bots.iter().enumerate() {
                        tr {
                            th scope="row" title=(rating.bot) {
                                small { (row + 1) } (sheet.name(rating.number))
                            }
                            @for column in 0..count { (cell(row, column)) }
                        }
                    }
                }
            }
        }
        (bots_left_out(sheet.report, count))
    }
}

fn bots_left_out(report: &Report<'_>, shown: usize) -> Markup {
    let all = report.ratings.iter().filter(|rating| rating.is_rated()).count();
    html! {
        @if all > shown {
            p.note {
                @if shown < MAX_BOTS {
                    "Those of the largest group; "
                } @else {
                    "The best " (shown) " by rating; "
                }
                (plural((all - shown) as u64, "bot"))
                (if all - shown == 1 { " is" } else { " are" }) " left out here."
            }
        }
    }
}
