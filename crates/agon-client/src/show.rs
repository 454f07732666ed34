//! Facts of the API in words and in tables. All foreign text in them is escaped.

use std::io::{self, Write};

use agon_console::{BAD, BOLD, CAUTION, DIM, GOOD, PLAIN, Style, print_table, table_of};
use agon_core::text::{escape, escape_lines};
use agon_ladder::api::{
    BotRef, BotState, Examination, ExaminationStatus, MatchState, MatchSummary, Rating, Report,
    SeatSummary, Tally, Time, VersionState,
};
use serde::Serialize;

/// Prints an object as a line of JSON, without characters that command a terminal.
pub(crate) fn print_json(object: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&agon_core::text::escape_json(&serde_json::to_vec(object)?))?;
    writeln!(out)?;
    out.flush()
}

/// Returns the name of a bot with the version that is meant.
pub(crate) fn bot_name(bot: &BotRef) -> String {
    let version = bot.version.map(|number| format!(" v{number}")).unwrap_or_default();
    format!("{}{version}", escape(&bot.name))
}

/// Returns a rating with its interval: `1523 ± 40`, `≥ 1700`.
pub(crate) fn elo(rating: Option<Rating>) -> String {
    match rating {
        None => "–".to_owned(),
        Some(Rating { elo, low: Some(low), high: Some(high) }) => {
            format!("{elo:.0} ± {:.0}", (high - low) / 2.0)
        }
        Some(Rating { low: Some(low), high: None, .. }) => format!("≥ {low:.0}"),
        Some(Rating { low: None, high: Some(high), .. }) => format!("≤ {high:.0}"),
        Some(Rating { elo, .. }) => format!("{elo:.0}"),
    }
}

/// Returns a place in the table.
pub(crate) fn rank(rank: Option<u64>) -> String {
    rank.map_or("–".to_owned(), |rank| rank.to_string())
}

/// Returns wins, ties and losses: `12–0–3`.
pub(crate) fn tally(tally: &Tally) -> String {
    format!("{}–{}–{}", tally.wins, tally.ties, tally.losses)
}

/// Returns whether a bot plays, or what its latest version waits for.
pub(crate) fn state(bot: BotState, latest: Option<VersionState>) -> &'static str {
    match (bot, latest) {
        (BotState::Disqualified, _) => "disqualified",
        (BotState::Paused, _) => "paused",
        (_, Some(VersionState::Queued)) => "queued",
        (_, Some(VersionState::Building)) => "building",
        (_, Some(VersionState::Checking)) => "checking",
        (BotState::NoVersion, _) => "failed",
        (BotState::Playing, _) => "playing",
    }
}

/// Prints matches. `own` is the name in addresses of the bot whose results are shown.
pub(crate) fn matches(
    matches: &[MatchSummary],
    own: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let names = ["match", "when (UTC)", "result", "turns", "faults", "players"];
    let mut rows = table_of(names, [0, 3, 4]);
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
            time(one.played.unwrap_or(one.planned)),
            format!("{style}{words}{style:#}"),
            turns,
            faults.to_string(),
            players(one),
        ]);
    }
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
fn time(time: Time) -> String {
    time.machine().replacen('T', " ", 1).trim_end_matches('Z').to_owned()
}

/// Prints a report.
pub(crate) fn report(report: &Report, out: &mut impl Write) -> io::Result<()> {
    if !report.output.is_empty() {
        writeln!(out, "{DIM}the build wrote:{DIM:#}")?;
        indented(&report.output, "  ", out)?;
    }
    for examination in &report.examinations {
        print_line(examination, out)?;
    }
    Ok(())
}

fn print_line(examination: &Examination, out: &mut impl Write) -> io::Result<()> {
    let (style, status) = match examination.status {
        ExaminationStatus::Passed => (GOOD, "passed"),
        ExaminationStatus::Warning => (CAUTION, "warning"),
        ExaminationStatus::Failed => (BAD, "failed"),
        ExaminationStatus::NotApplicable => (DIM, "not applicable"),
    };
    let topic = escape(&examination.topic);
    let mut lines = examination.found.lines().map(escape);
    let first = lines.next().unwrap_or_default();
    writeln!(out, "{:>2}  {topic:<13}  {style}{status:<14}{style:#}  {first}", examination.number)?;
    for line in lines {
        writeln!(out, "    {line}")?;
    }
    if let Some(remedy) = &examination.remedy {
        writeln!(out, "    {DIM}remedy:{DIM:#} {}", escape(remedy))?;
    }
    if !examination.output.is_empty() {
        indented(&examination.output, "      ", out)?;
    }
    Ok(())
}

/// Prints a text of others, with a margin, so that nobody takes it for ours.
pub(crate) fn indented(text: &str, margin: &str, out: &mut impl Write) -> io::Result<()> {
    let text = escape_lines(text.trim_end());
    text.split('\n').try_for_each(|line| writeln!(out, "{margin}{line}"))
}

#[cfg(test)]
mod tests {
    use agon_ladder::api::BotRef;

    use super::*;

    #[test]
    fn ratings_say_what_bounds_them() {
        let rating = |low, high| elo(Some(Rating { elo: 1500.4, low, high }));
        assert_eq!(rating(Some(1450.0), Some(1550.0)), "1500 ± 50");
        assert_eq!(rating(Some(1450.0), None), "≥ 1450");
        assert_eq!(rating(None, Some(1550.0)), "≤ 1550");
        assert_eq!(rating(None, None), "1500");
        assert_eq!(elo(None), "–");
    }

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
        assert_eq!(time(Time(1_795_701_900)), "2026-11-26 14:05:00");
    }
}
