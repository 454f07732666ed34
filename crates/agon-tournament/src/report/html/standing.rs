//! The table of the format, with ratings beside it.

use maud::{Markup, html};

use super::page_data::{PageData, columns};
use crate::report::{
    Place, Rating, Report,
    interval::{interval_text, missing_end},
    number::{elo_text, grouped, percent, points_text},
};

/// The columns: class, name and meaning.
const COLUMNS: [(&str, &str, &str); 11] = [
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
                (columns(&COLUMNS))
                tbody {
                    @for (at, place) in standing.iter().enumerate() {
                        @let broken = level(standing.get(at + 1), place)
                            || at > 0 && level(standing.get(at - 1), place);
                        (row(sheet, place, broken))
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
fn row(sheet: &PageData<'_>, place: &Place<'_>, broken: bool) -> Markup {
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
