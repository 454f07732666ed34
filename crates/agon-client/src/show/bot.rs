//! Bots, ratings and results.

use agon_ladder::api::{BotRef, BotState, Rating, Tally, VersionState};
use agon_text::escape;

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

#[cfg(test)]
mod tests {
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

    #[test]
    fn names_of_others_cannot_command_a_terminal() {
        let name = "\u{1b}[2Jfox\nroot".to_owned();
        let bot = BotRef { name, version: Some(3), ..BotRef::default() };
        assert_eq!(bot_name(&bot), "\\u001b[2Jfox\\nroot v3");
    }
}
