//! The parts of a report that need no statistics: the settings in the plan, who plays, how far the
//! tournament is, and its matches.

pub(crate) use agon_core::text::number::grouped;

use std::collections::HashMap;

use agon_core::{Coverage, Seed};
use agon_rating::Record as Rated;
use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::plan::{Absent, FormatPlan, Out};
use crate::{MatchId, Plan, PlanBot, Record, Schedule};

/// The settings of a tournament, from its plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts<'a> {
    /// The name of the tournament, if the plan gives one.
    pub title: Option<&'a str>,
    /// Notes of the organiser.
    pub notes: Option<&'a str>,
    /// The game's id.
    pub game: &'static str,
    /// The version of its rules in the program that made the report.
    pub rules_version: u32,
    /// All settings of the game.
    pub settings: &'a Map<String, Value>,
    /// The format, with its `kind` and its options.
    pub format: Value,
    /// The tournament's seed.
    pub seed: Seed,
    /// The number of players in a match; in groups, the most.
    pub players: usize,
    /// The number of matches of a pairing.
    pub matches: u32,
    /// Whether each seed is played with every rotation of the seats.
    pub mirrored: bool,
}

/// A bot of the tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bot<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text in the plan.
    pub text: &'a str,
    /// A digest of its files, if there is one and it is known.
    pub digest: Option<String>,
    /// The coverage of the digest. It is `none` for running programs, and `null` for built-in bots
    /// and for results of an older Agon.
    pub covers: Option<Coverage>,
    /// The version of a built-in bot; `null` for others, and for results of an older Agon.
    pub version: Option<u32>,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// A note of the organiser.
    pub note: Option<&'a str>,
    /// Why it was disqualified. It has no place in the table, and is listed last.
    pub disqualified: Option<&'a str>,
    /// Why it was withdrawn. It keeps its place.
    pub withdrawn: Option<&'a str>,
}

/// A bot of the plan that cannot be opened.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AbsentBot<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text in the plan.
    pub text: &'a str,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// A note of the organiser.
    pub note: Option<&'a str>,
    /// Why it cannot play.
    pub error: &'a str,
    /// Whether it is in the table all the same and has forfeited the matches that it had not
    /// played; otherwise it was left out.
    pub forfeits: bool,
}

impl<'a> AbsentBot<'a> {
    /// Returns the bots of a plan that cannot be opened.
    pub(crate) fn all(whole: &'a Plan, absent: &'a [Absent]) -> Vec<AbsentBot<'a>> {
        let find = |name: &str| whole.bots.iter().find(|bot| bot.name == name);
        let one = |Absent { name, error, forfeits }: &'a Absent| {
            let PlanBot { text, about, .. } = find(name)?;
            let author = about.author.as_deref();
            let note = about.note.as_deref();
            Some(AbsentBot { name, text, author, note, error, forfeits: *forfeits })
        };
        absent.iter().filter_map(one).collect()
    }
}

impl<'a> Facts<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Facts<'a> {
        let meta = plan.game.meta();
        Facts {
            title: plan.about.title.as_deref(),
            notes: plan.about.notes.as_deref(),
            game: meta.id,
            rules_version: meta.rules_version,
            settings: &plan.settings,
            format: serde_json::to_value(&plan.format).expect("formats are plain data"),
            seed: plan.seed,
            players: plan.players,
            matches: plan.matches,
            mirrored: plan.mirrored,
        }
    }

    /// Returns the format in words: "round robin".
    pub fn format_words(&self) -> String {
        self.format["kind"].as_str().unwrap_or_default().replace('-', " ")
    }
}

impl<'a> Bot<'a> {
    /// Describes its content, if known: a built-in bot's version, or the digest's coverage.
    ///
    /// Empty if nothing is known.
    pub fn content(&self) -> String {
        match (self.version, self.covers) {
            (Some(version), _) => format!("version {version}"),
            (None, Some(covers)) => covers.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Returns the bots in order of the plan.
    pub(crate) fn all(plan: &'a Plan) -> Vec<Bot<'a>> {
        let bot = |PlanBot { name, text, about, .. }: &'a PlanBot| {
            let (disqualified, withdrawn) = match &about.out {
                Some(Out::Disqualified(reason)) => (Some(reason.as_str()), None),
                Some(Out::Withdrawn(reason)) => (None, Some(reason.as_str())),
                None => (None, None),
            };
            Bot {
                name,
                text,
                digest: None,
                covers: None,
                version: None,
                author: about.author.as_deref(),
                note: about.note.as_deref(),
                disqualified,
                withdrawn,
            }
        };
        plan.bots.iter().map(bot).collect()
    }
}

/// The progress and the costs of a tournament.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct State {
    /// Whether all is played.
    pub finished: bool,
    /// Completed matches, forfeits included.
    pub over: u64,
    /// Matches that were not played, because a bot forfeited them.
    pub forfeited: u64,
    /// Matches that can be played now.
    pub open: u64,
    /// Whether more matches may follow from future results.
    pub more: bool,
    /// The number of void attempts at matches. The machine stood still, so they were played again.
    /// They count against no bot.
    pub void: u64,
    /// The number of matches with void attempts.
    pub void_matches: u64,
    /// The time of all matches together, in milliseconds. Several may have run at once.
    pub ms: u64,
    /// The mean time of a match that was played, in milliseconds.
    pub mean_ms: f64,
    /// The longest match, in milliseconds.
    pub longest_ms: u64,
    /// The number of kept replays.
    pub replays: u64,
}

impl State {
    pub(crate) fn new(plan: &Plan, schedule: &Schedule, records: &[&Record]) -> State {
        let over = records.len() as u64;
        let forfeited = records.iter().filter(|record| !record.forfeits.is_empty()).count() as u64;
        let ms: u64 = records.iter().map(|record| record.ms).sum();
        let at_once =
            matches!(plan.format, FormatPlan::RoundRobin { .. } | FormatPlan::Gauntlet { .. });
        State {
            finished: schedule.is_finished(),
            over,
            forfeited,
            open: schedule.missing().len() as u64,
            more: !schedule.is_finished() && !at_once,
            void: records.iter().map(|record| u64::from(record.void)).sum(),
            void_matches: records.iter().filter(|record| record.void > 0).count() as u64,
            ms,
            mean_ms: rounded(ms as f64 / (over - forfeited).max(1) as f64, 1),
            longest_ms: records.iter().map(|record| record.ms).max().unwrap_or(0),
            replays: records.iter().filter(|record| record.replay.is_some()).count() as u64,
        }
    }
}

/// A completed match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchLine<'a> {
    /// The place in the tournament: `r2.g0.p7.m1` for round 2, group 0, pairing 7, match 1, all
    /// from 0.
    #[serde(rename = "match")]
    #[schemars(with = "String")]
    pub id: MatchId,
    /// Names of the bots, in order of seats.
    pub seats: &'a [String],
    /// Places in order of seats: 1 for the best, equal ones share a place.
    pub places: &'a [u32],
    /// The game's scores, in order of seats.
    pub scores: &'a [i64],
    /// The number of faults of each seat.
    pub faults: Vec<u64>,
    /// The seed.
    pub seed: Seed,
    /// The number of earlier void attempts.
    pub void: u32,
    /// The duration in milliseconds.
    pub ms: u64,
    /// The file name of its replay in the tournament's folder of replays, if it was kept.
    pub replay: Option<&'a str>,
    /// Seats, from 0, whose bots forfeited the match. If there are any, it was not played.
    pub forfeits: &'a [usize],
    /// The rest of the result, for tables.
    #[serde(skip)]
    pub(crate) record: &'a Record,
}

impl<'a> MatchLine<'a> {
    pub(crate) fn new(record: &'a Record) -> MatchLine<'a> {
        MatchLine {
            id: record.id,
            seats: &record.seats,
            places: &record.places,
            scores: &record.scores,
            faults: record
                .faults
                .iter()
                .map(|faults| faults.iter().map(|f| f.count).sum())
                .collect(),
            seed: record.seed,
            void: record.void,
            ms: record.ms,
            replay: record.replay.as_deref(),
            forfeits: &record.forfeits,
            record,
        }
    }
}

/// The bots of a plan by name and by number.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    list: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Names<'a> {
        let list: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
        let numbers = list.iter().enumerate().map(|(number, &name)| (name, number)).collect();
        Names { list, numbers }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the name of a bot of the plan.
    pub(crate) fn of(&self, number: usize) -> &'a str {
        self.list[number]
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Returns matches in the form that ratings need. Those on one mirrored seed depend on
    /// each other.
    pub(crate) fn rated(&self, plan: &Plan, records: &[&Record]) -> Result<Vec<Rated>> {
        let rated = |record: &Record| {
            let unknown = |name: &str| {
                let id = record.id;
                format!(
                    "match {id} in the journal is one of the bot `{name}`, which the plan does not \
                     have"
                )
            };
            let number = |name: &String| self.number(name).with_context(|| unknown(name));
            let players = record.seats.iter().map(number).collect::<Result<Vec<_>, _>>()?;
            let rated = Rated::new(&players, &record.places);
            // Seeds depend on the place in the tournament, so no two pairings share one.
            Ok(if plan.mirrored { rated.clustered(record.seed.number()) } else { rated })
        };
        records.iter().copied().map(rated).collect()
    }
}

/// Rounds to this many decimals, so that files are short and the same on every machine.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let unit = libm::pow(10.0, f64::from(decimals));
    // Avoids minus zero.
    (value * unit).round() / unit + 0.0
}

/// Returns points: `3½`, `12`.
pub fn points_text(points: f64) -> String {
    crate::format::points_text((2.0 * points).round() as u32)
}

/// Returns a rating: `+120`, `−35`, `0`.
pub fn elo_text(elo: f64) -> String {
    match elo.round() as i64 {
        0 => "0".to_owned(),
        elo if elo < 0 => format!("−{}", -elo),
        elo => format!("+{elo}"),
    }
}

/// Returns a score of a game, with a real minus: `12`, `−3`.
pub(crate) fn score_text(score: i64) -> String {
    if score < 0 { format!("−{}", score.unsigned_abs()) } else { score.to_string() }
}

/// Returns a share: `73 %`, `99.8 %`. Never rounds to all or nothing.
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        _ if part <= 0.0 || part >= 1.0 => format!("{percent:.0} %"),
        _ if percent < 0.1 => "<0.1 %".to_owned(),
        _ if percent > 99.9 => ">99.9 %".to_owned(),
        _ if !(1.0..=99.0).contains(&percent) => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// Returns a time: `340 ms`, `2.5 s`, `12 min`, `3 h 20 min`.
pub(crate) fn time_text(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{:.1} s", ms as f64 / 1e3),
        120_000..7_200_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Returns a list: `a`, `a and b`, `a, b and c`. Of many names it has only the first ones.
pub(crate) fn listed(names: &[&str]) -> String {
    const MAX_NAMES: usize = 6;
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] if names.len() <= MAX_NAMES => format!("{} and {last}", rest.join(", ")),
        _ => format!(
            "{} and {} others",
            names[..MAX_NAMES - 1].join(", "),
            names.len() - MAX_NAMES + 1
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_do() {
        assert_eq!([0.0, 0.5, 1.0, 3.5].map(points_text), ["0", "½", "1", "3½"]);
        assert_eq!([-35.2, -0.3, 0.4, 120.0].map(elo_text), ["−35", "0", "0", "+120"]);
        assert_eq!([-3, 0, 12].map(score_text), ["−3", "0", "12"]);
        assert_eq!(score_text(i64::MIN), "−9223372036854775808");
        assert_eq!(
            [0.0, 0.0001, 0.005, 0.734, 0.995, 0.99999, 1.0].map(percent),
            ["0 %", "<0.1 %", "0.5 %", "73 %", "99.5 %", ">99.9 %", "100 %"]
        );
        assert_eq!([7, 1_234_567].map(grouped), ["7", "1\u{202f}234\u{202f}567"]);
        assert_eq!(
            [12, 2_500, 300_000, 9_000_000].map(time_text),
            ["12 ms", "2.5 s", "5 min", "2 h 30 min"]
        );
        assert!(rounded(-0.001, 1).is_sign_positive());
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&["a"; 10]), "a, a, a, a, a and 5 others");
    }
}
