//! Matches in a table.

use std::io::{self, Write};

use agon_console::{BAD, BOLD, DIM, GOOD, PLAIN, Style, print_table, table};
use agon_ladder::api::{MatchState, MatchSummary, SeatSummary};

use super::{bot_name, right};

/// Prints matches. `own` is the name in addresses of the bot whose results are shown.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn matches(
    matches: &[MatchSummary],
    own: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut rows = table();
    rows.set_header(
        ["match", "when (UTC)", "result", "turns", "faults", "players"]
            .map(|name| format!("{DIM}{name}{DIM:#}")),
    );
    for one in matches {
        let (style, words) = result(one, own);
        let turns = one.turns.map_or("–".to_owned(), |turns| turns.to_string());
        let faults: u64 = one
            .seats
            .iter()
            .filter(|seat| own.is_none() || is_bot(seat, own))
            .map(|seat| seat.faults)
            .sum();
        rows.add_row([
            format!("{BOLD}{}{BOLD:#}", one.number),
            time(one.played.as_deref().unwrap_or(&one.planned)),
            format!("{style}{words}{style:#}"),
            turns,
            faults.to_string(),
            players(one),
        ]);
    }
    right(&mut rows, &[0, 3, 4]);
    print_table(&rows, out)
}

/// Returns the state of a match in a word.
pub(crate) fn state_of_match(state: MatchState) -> &'static str {
    match state {
        MatchState::Played => "played",
        MatchState::Running => "running",
        MatchState::Void => "void",
        MatchState::Annulled => "annulled",
    }
}

/// Returns what became of a match, for a bot.
fn result(one: &MatchSummary, own: Option<&str>) -> (Style, String) {
    if one.state != MatchState::Played {
        return (DIM, state_of_match(one.state).to_owned());
    }
    let place = one.seats.iter().find(|seat| is_bot(seat, own)).and_then(|seat| seat.place);
    let Some(place) = place else { return (PLAIN, "played".to_owned()) };
    let last = one.seats.iter().filter_map(|seat| seat.place).max().unwrap_or(place);
    let same = one.seats.iter().filter(|seat| seat.place == Some(place)).count();
    match (place, one.seats.len()) {
        (1, _) if last == 1 => (PLAIN, "tied".to_owned()),
        (1, _) if same == 1 => (GOOD, "won".to_owned()),
        (_, 2) => (BAD, "lost".to_owned()),
        (place, seats) => (PLAIN, format!("place {place} of {seats}")),
    }
}

fn is_bot(seat: &SeatSummary, own: Option<&str>) -> bool {
    own.is_some_and(|own| seat.bot.as_ref().is_some_and(|bot| bot.slug == own))
}

/// Returns the bots in order of their places.
fn players(one: &MatchSummary) -> String {
    let mut seats: Vec<&SeatSummary> = one.seats.iter().collect();
    seats.sort_by_key(|seat| seat.place.unwrap_or(u32::MAX));
    let shown = seats.iter().take(8).map(|seat| {
        let name = seat.bot.as_ref().map_or("?".to_owned(), bot_name);
        seat.place.map_or(name.clone(), |place| format!("{place}. {name}"))
    });
    let shown: Vec<String> = shown.collect();
    let more = if seats.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Returns a time without the letters between its parts: `2026-11-26 14:05:00`.
fn time(text: &str) -> String {
    agon_text::escape(text).replacen('T', " ", 1).trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests {
    use agon_ladder::api::BotRef;

    use super::*;

    fn played(places: &[u32]) -> MatchSummary {
        let seat = |(at, &place): (usize, &u32)| {
            let bot =
                BotRef { slug: format!("b{at}"), name: format!("B{at}"), ..BotRef::default() };
            SeatSummary { bot: Some(bot), place: Some(place), faults: 0 }
        };
        MatchSummary { seats: places.iter().enumerate().map(seat).collect(), ..Default::default() }
    }

    #[test]
    fn results_are_those_of_the_bot() {
        let words = |places: &[u32], own| result(&played(places), own).1;
        assert_eq!(words(&[1, 2], Some("b0")), "won");
        assert_eq!(words(&[1, 2], Some("b1")), "lost");
        assert_eq!(words(&[1, 1], Some("b1")), "tied");
        assert_eq!(words(&[1, 2, 2, 4], Some("b2")), "place 2 of 4");
        assert_eq!(words(&[1, 1, 3], Some("b0")), "place 1 of 3");
        assert_eq!(words(&[1, 2], None), "played");
        assert_eq!(words(&[1, 2], Some("other")), "played");
        assert_eq!(players(&played(&[2, 1])), "1. B1, 2. B0");
    }

    #[test]
    fn times_are_those_of_a_clock() {
        assert_eq!(time("2026-11-26T14:05:00Z"), "2026-11-26 14:05:00");
        assert_eq!(time("\u{1b}"), "\\u001b");
    }
}
