//! What is known of a match beside its states: faults, output of bots, the result, warnings.
//!
//! `open` reads it from a replay. The viewer's banner, list of events and inspector show it.

use agon_core::{Fault, Player};
use agon_match::replay::{Diagnosis, End, Ending};

/// What is known of a match beside its states. A running match has none of it.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Faults of the bots, in the order in which they happened.
    pub faults: Vec<Fault>,
    /// A warning about the file or the match, such as damage or a void match.
    pub warning: Option<String>,
    /// Costs and output of the bots.
    pub diagnosis: Option<Diagnosis>,
    /// The end of the match.
    pub ending: Option<Ending>,
}

/// The result of a match in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResultText {
    /// Who wins: "ann wins".
    pub(super) headline: String,
    /// Why: "most cells after 500 turns".
    pub(super) reason: String,
    /// The winner, if there is just one.
    pub(super) winner: Option<Player>,
}

impl ResultText {
    /// Returns the result of an outcome.
    pub(super) fn of(outcome: &agon_core::Outcome, names: &[String]) -> ResultText {
        let winners: Vec<&str> =
            outcome.winners.iter().map(|&winner| name_of(names, winner)).collect();
        let headline = match winners.as_slice() {
            [] => "no winner".to_owned(),
            [winner] => format!("{winner} wins"),
            several => format!("tie: {}", several.join(", ")),
        };
        let winner = match outcome.winners.as_slice() {
            &[winner] if winner.index() < names.len() => Some(winner),
            _ => None,
        };
        ResultText { headline, reason: outcome.reason.clone(), winner }
    }
}

impl Notes {
    /// Returns the recorded result; `None` if it is not known.
    pub(super) fn result(&self, names: &[String]) -> Option<ResultText> {
        let ending = self.ending.as_ref()?;
        if let Some(outcome) = &ending.standing.outcome {
            return Some(ResultText::of(outcome, names));
        }
        let reason = match ending.end {
            End::Over => return None,
            End::Limit => format!("stopped after {} turns, before the rules end it", ending.turns),
            End::Interrupted => format!("interrupted after {} turns", ending.turns),
        };
        Some(ResultText { headline: "No result".to_owned(), reason, winner: None })
    }
}

/// Returns the name of a player, whose number may be from an untrusted file.
pub(super) fn name_of(names: &[String], player: Player) -> &str {
    names.get(player.index()).map_or("?", String::as_str)
}

/// Replaces "player 0" and the like by the names of the players.
///
/// Games say "player 0" because they do not know names.
pub(super) fn with_names(text: &str, names: &[String]) -> String {
    const WORD: &str = "player ";
    let mut rest = text;
    let mut named = String::with_capacity(text.len());
    while let Some(at) = rest.find(WORD) {
        let (before, found) = rest.split_at(at);
        let number = &found[WORD.len()..];
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_word = !before.ends_with(char::is_alphanumeric);
        let name = number[..digits].parse::<usize>().ok().and_then(|player| names.get(player));
        named.push_str(before);
        match name.filter(|_| is_word) {
            Some(name) => named.push_str(name),
            None => named.push_str(&found[..WORD.len() + digits]),
        }
        rest = &number[digits..];
    }
    named + rest
}

#[cfg(test)]
mod tests {
    use agon_core::{Outcome, Standing};

    use super::*;

    fn names() -> Vec<String> {
        vec!["ann".to_owned(), "player 0".to_owned()]
    }

    #[test]
    fn players_are_called_by_their_names() {
        let named = |text| with_names(text, &names());
        assert_eq!(named("turn 3, player 0 to move"), "turn 3, ann to move");
        assert_eq!(named("player 1"), "player 0");
        assert_eq!(named("player 7, player 00 and player"), "player 7, ann and player");
        assert_eq!(
            named("multiplayer 0, player x, player 99999999999999999999"),
            "multiplayer 0, player x, player 99999999999999999999"
        );
        assert_eq!(named(""), "");
    }

    #[test]
    fn results_say_who_and_why() {
        let text = |winners: &[u16]| {
            let winners = winners.iter().map(|&player| Player(player)).collect();
            let outcome = Outcome { winners, reason: "most cells".to_owned() };
            let result = ResultText::of(&outcome, &names());
            (result.headline, result.winner)
        };
        assert_eq!(text(&[0]), ("ann wins".to_owned(), Some(Player(0))));
        assert_eq!(text(&[]), ("no winner".to_owned(), None));
        assert_eq!(text(&[0, 1]), ("tie: ann, player 0".to_owned(), None));
        // Files may say anything.
        assert_eq!(text(&[9]), ("? wins".to_owned(), None));
    }

    #[test]
    fn a_match_without_an_outcome_says_why_it_ended() {
        let result = |end| {
            let standing = Standing { players: vec![], outcome: None };
            let ending = Ending {
                end,
                steps: 9,
                turns: 7,
                decisions: 9,
                standing,
                faults: vec![],
                void: None,
                state_hash: 0,
            };
            let notes = Notes { ending: Some(ending), ..Notes::default() };
            notes.result(&names()).map(|result| result.reason)
        };
        assert_eq!(result(End::Over), None);
        assert!(result(End::Limit).unwrap().contains("stopped after 7 turns"));
        assert!(result(End::Interrupted).unwrap().contains("interrupted after 7 turns"));
        assert_eq!(Notes::default().result(&names()), None);
    }
}
