//! The table of the format, with ratings beside it.

use super::{column::column, page_data::PageData, writer::Html};
use crate::{
    Place, Rating,
    interval::{interval_text, missing_end},
    number::{elo_text, grouped, percent, points_text},
};

/// Writes the table of the format, best first.
pub(super) fn standing(sheet: &PageData<'_>, html: &mut Html) {
    html.within("div", &[("class", "scroll")], |html| {
        html.within("table", &[("class", "sortable standing")], |html| {
            html.within("thead", &[], |html| {
                html.within("tr", &[], head);
            });
            html.within("tbody", &[], |html| {
                let standing = &sheet.report.standing;
                for (at, place) in standing.iter().enumerate() {
                    let level =
                        |other: Option<&Place<'_>>| other.is_some_and(|o| o.points == place.points);
                    let broken =
                        level(standing.get(at + 1)) || at > 0 && level(standing.get(at - 1));
                    row(sheet, html, place, broken);
                }
            });
        });
    });
}

fn head(html: &mut Html) {
    column(html, "n", "#", "The place by the rules of the format; equal ones share it");
    column(html, "", "Bot", "The bot's name");
    column(
        html,
        "n down",
        "Points",
        "One for each opponent left behind, half a point for each one who is level",
    );
    column(
        html,
        "n down",
        "Elo",
        "The rating by all results, with its 95 % interval; ?: a bound is not known",
    );
    column(html, "n", "Rank", "The true rank by strength is one of these, with 95 % confidence");
    column(html, "n down", "Matches", "Matches over");
    column(html, "n down", "W", "Won: the best place to itself");
    column(html, "n down", "T", "Tied: the best place shared");
    column(html, "n down", "L", "Lost: all other matches");
    column(html, "n down", "Faults", "What the bot did wrong");
    column(html, "why", "Why", "What decided the place");
}

/// Writes a bot's row; if `broken`, others have as many points.
fn row(sheet: &PageData<'_>, html: &mut Html, place: &Place<'_>, broken: bool) {
    let rating = sheet.report.rating_of(place.number);
    let number = |html: &mut Html, value: u64| {
        html.element("td", &[("class", "n")], &grouped(value));
    };
    html.within("tr", &[], |html| {
        html.element("td", &[("class", "n place")], &place.place.to_string());
        html.within("th", &[("scope", "row")], |html| sheet.name(html, place.number));
        let points = place.points.to_string();
        html.element("td", &[("class", "n"), ("data-v", &points)], &points_text(place.points));
        rating_cell(html, rating);
        ranks_cell(html, rating);
        number(html, place.matches);
        number(html, place.wins);
        number(html, place.ties);
        number(html, place.losses);
        let class = if place.faults > 0 { "n bad" } else { "n none" };
        html.element("td", &[("class", class)], &grouped(place.faults));
        html.within("td", &[("class", "why")], |html| {
            html.text(&place.reason);
            let breaks = place.tie_breaks.iter().map(|by| format!("{} {}", by.name, by.value));
            let breaks = breaks.collect::<Vec<_>>().join(", ");
            if broken && !breaks.is_empty() {
                html.element("small", &[], &format!(" · {breaks}"));
            }
        });
    });
}

fn rating_cell(html: &mut Html, rating: &Rating<'_>) {
    if !rating.is_rated() {
        html.element("td", &[("class", "n none"), ("data-v", "-1e9")], "–");
        return;
    }
    let elo = rating.elo.to_string();
    html.within("td", &[("class", "n elo"), ("data-v", &elo)], |html| {
        html.text(&elo_text(rating.elo));
        html.element("small", &[], &format!(" {}", interval_text(rating)));
        if let Some(words) = missing_end(rating.footing) {
            html.element("abbr", &[("title", words)], "?");
        }
    });
}

fn ranks_cell(html: &mut Html, rating: &Rating<'_>) {
    if !rating.is_rated() {
        html.element("td", &[("class", "n none"), ("data-v", "1e9")], "–");
        return;
    }
    let text = match (rating.rank_low, rating.rank_high) {
        (low, high) if low == high => low.to_string(),
        (low, high) => format!("{low}–{high}"),
    };
    let rank = rating.rank.to_string();
    let first = rating.rank_probabilities.first();
    let first = first.map(|&first| format!("first with probability {}", percent(first)));
    let title = format!("rank {rank}; {}", first.unwrap_or_default());
    html.element(
        "td",
        &[("class", "n"), ("data-v", &rank), ("title", title.trim_end_matches("; "))],
        &text,
    );
}
