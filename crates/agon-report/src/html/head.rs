//! The parts above and below the tables.

use serde_json::Value;

use super::{page_data::PageData, writer::Html};
use crate::{
    Report,
    number::{counted, grouped, time_text},
};

/// Returns the title of the page.
pub(super) fn title(report: &Report<'_>) -> String {
    let game = report.tournament.game;
    let format = report.tournament.format_words();
    format!("{game}, {format} of {}", counted(report.bots.len() as u64, "bot", "bots"))
}

/// Writes title, state, facts and warnings.
pub(super) fn header(sheet: &PageData<'_>, html: &mut Html) {
    let Report { state, tournament, .. } = sheet.report;
    html.within("p", &[("class", "brand")], |html| {
        html.text("Agon");
    });
    html.element("h1", &[], &title(sheet.report));
    html.within("p", &[("class", "facts")], |html| {
        let (class, word) =
            if state.finished { ("pill over", "finished") } else { ("pill", "not over yet") };
        html.element("span", &[("class", class)], word);
        html.element("span", &[], &format!("{} over", counted(state.over, "match", "matches")));
        if state.open > 0 {
            let more = if state.more { ", then more" } else { "" };
            html.element("span", &[], &format!("{} to come{more}", grouped(state.open)));
        }
        if state.over > 0 {
            let mean = time_text(state.mean_ms.round() as u64);
            html.element("span", &[], &format!("{mean} a match"));
        }
        if state.void_matches > 0 {
            let meaning = "The machine stood still in these matches: void and played again";
            html.element(
                "span",
                &[("title", meaning)],
                &format!("{} played again", grouped(state.void_matches)),
            );
        }
        html.element("span", &[], &format!("seed {}", tournament.seed));
        let rules = format!("rules version {}", tournament.rules_version);
        html.element("span", &[], &rules);
    });
    if let Some(verdict) = &sheet.report.verdict {
        html.element("p", &[("class", "verdict")], verdict);
    }
    warnings(sheet, html);
    settings(sheet, html);
    files(sheet, html);
}

fn warnings(sheet: &PageData<'_>, html: &mut Html) {
    let Report { warnings, circles, .. } = sheet.report;
    if warnings.is_empty() {
        return;
    }
    html.within("aside", &[("class", "warnings"), ("aria-label", "Warnings")], |html| {
        html.within("ul", &[], |html| {
            for warning in warnings {
                html.element("li", &[], warning);
            }
        });
        if !circles.is_empty() {
            html.within("details", &[], |html| {
                let count = counted(circles.len() as u64, "circle", "circles");
                html.element("summary", &[], &format!("{count} of bots that beat each other"));
                html.within("ul", &[], |html| {
                    for circle in circles {
                        html.element("li", &[], &circle.text);
                    }
                });
            });
        }
    });
}

/// Writes settings and bots, which many readers do not need.
fn settings(sheet: &PageData<'_>, html: &mut Html) {
    let Report { tournament, bots, state, .. } = sheet.report;
    html.within("details", &[], |html| {
        html.element("summary", &[], "Settings and bots");
        html.within("dl", &[], |html| {
            pair(html, "format", &options(&tournament.format));
            let mirrored = if tournament.mirrored { ", each seed from every seat" } else { "" };
            let matches = counted(u64::from(tournament.matches), "match", "matches");
            pair(html, "pairing", &format!("{} bots, {matches}{mirrored}", tournament.players));
            for (key, value) in tournament.settings {
                pair(html, key, &plain(value));
            }
            if state.over > 0 {
                let all = time_text(state.ms);
                let longest = time_text(state.longest_ms);
                pair(
                    html,
                    "time",
                    &format!("{all} for all matches together, the longest took {longest}"),
                );
            }
        });
        html.within("ol", &[("class", "bots")], |html| {
            for bot in bots {
                html.within("li", &[], |html| {
                    html.element("b", &[], bot.name).text(" ").element("code", &[], bot.text);
                    if let Some(digest) = &bot.digest {
                        html.text(&format!(" digest of {}: ", bot.content())).element(
                            "code",
                            &[],
                            digest,
                        );
                    } else if bot.version.is_some() {
                        html.text(&format!(" {}", bot.content()));
                    }
                });
            }
        });
    });
}

fn files(sheet: &PageData<'_>, html: &mut Html) {
    if sheet.links.files.is_empty() {
        return;
    }
    html.within("p", &[("class", "files")], |html| {
        html.text("For programs: ");
        for (name, address) in &sheet.links.files {
            html.element("a", &[("href", address)], name);
        }
    });
}

fn pair(html: &mut Html, name: &str, value: &str) {
    html.within("div", &[], |html| {
        html.element("dt", &[], name).element("dd", &[], value);
    });
}

/// Returns the options of a format: `swiss, rounds 5`.
fn options(format: &Value) -> String {
    let Some(options) = format.as_object() else { return String::new() };
    let option = |(key, value): (&String, &Value)| match value {
        Value::Null => None,
        value if key == "kind" => Some(plain(value)),
        value => Some(format!("{key} {}", plain(value))),
    };
    options.iter().filter_map(option).collect::<Vec<_>>().join(", ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

const ABOUT: [(&str, &str); 8] = [
    (
        "Points",
        "A point for each opponent left behind in a match, half a point for each one who is level. \
         Against one opponent that is 1, ½, 0.",
    ),
    (
        "Rating",
        "The strength that explains all results best, whatever the order of matches, in Elo \
         points: 100 points more mean an expected score of 64 %, ties counting half. 0 is the mean \
         of the bots with bounds on both sides, or of all if there are none. Ratings may differ \
         from the standing, which follows the rules of the format.",
    ),
    (
        "Interval",
        "Of intervals made like this, 95 % hold the true strength, if the model fits and chance in \
         different pairings is independent. Each is meant for its bot alone: among twenty bots one \
         is expected to lie outside. Four times as many matches make an interval half as long.",
    ),
    (
        "Who is stronger",
        "The probability that a bot is stronger than another one, given all results, also those \
         against others. It is not the probability of winning a match.",
    ),
    (
        "Head to head",
        "What two bots scored in matches with each other: wins and half the ties. A number is bold \
         if an exact two-sided sign test tells it from an even result at the 5 % level. The test \
         counts who is ahead on each mirrored seed and leaves out seeds without a winner. Each \
         pair is tested for itself, so of equal pairs up to one in twenty is bold by chance.",
    ),
    (
        "Seats",
        "The interval is that of an empirical likelihood ratio, with half an observation added at \
         its end; no distribution is assumed. It holds the true share in about 95 % of \
         tournaments, if chance in different pairings is independent.",
    ),
    (
        "Faults",
        "What bots did wrong: answers too late, against the rules, crashes. What they cost is the \
         game's rule. Matches in which the machine stood still are void and are played again; they \
         count for nobody.",
    ),
    (
        "Replays",
        "A replay holds the seed and all answers, so that the match can be played again and \
         proven: agon watch FILE shows it, agon replay verify FILE compares every state.",
    ),
];

/// Explains the numbers.
pub(super) fn about(_: &PageData<'_>, html: &mut Html) {
    html.within("dl", &[("class", "about")], |html| {
        for (name, text) in ABOUT {
            pair(html, name, text);
        }
    });
}
