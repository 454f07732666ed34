//! The key of a match: a hash of everything that its result depends on.
//!
//! If the key of a match has a known result, a tournament takes this result instead of playing.

use std::fmt;

use agon_games::GameId;
use agon_match::spec::{SandboxSettings, TimeSettings};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Entrant, Match, Plan};

/// A hash of everything that the result of a match depends on.
///
/// That is the game and the version of its rules, the settings, the contents of the bots in order
/// of seats, the seed, the time limits and the sandbox. Of two matches with the same key only one
/// needs to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchKey([u8; 32]);

/// What is hashed, in this order; names of bots are not in it.
#[derive(Serialize)]
struct Parts<'a> {
    kind: &'static str,
    game: GameId,
    rules_version: u32,
    settings: &'a Map<String, Value>,
    bots: Vec<&'a str>,
    seed: u64,
    time: &'a TimeSettings,
    /// In order of seats, if a bot has limits of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    times: Vec<TimeSettings>,
    sandbox: &'a SandboxSettings,
}

impl MatchKey {
    /// Returns the key of a match. `contents` describes the content of each bot of the plan, such
    /// as its text with its version or the digest of its files.
    ///
    /// # Panics
    /// If there is no content for a bot of the match.
    pub fn new(plan: &Plan, game: &Match, contents: &[impl AsRef<str>]) -> MatchKey {
        let name = |entrant: &Entrant| &plan.bots[entrant.index()].name;
        let has_own = game.seats.iter().any(|entrant| plan.time.bots.contains_key(name(entrant)));
        let times = game.seats.iter().map(|entrant| plan.time.of(name(entrant)));
        let parts = Parts {
            // The same number says something else in files of older versions.
            kind: if game.seed.is_plain() { "agon-match-1" } else { "agon-match-2" },
            game: plan.game,
            rules_version: plan.game.meta().rules_version,
            settings: &plan.settings,
            bots: game.seats.iter().map(|entrant| contents[entrant.index()].as_ref()).collect(),
            seed: game.seed.number(),
            // Names are not in it.
            time: &plan.time.of(""),
            times: if has_own { times.collect() } else { Vec::new() },
            sandbox: &plan.sandbox,
        };
        // JSON separates the parts, and settings come in order of their declaration.
        let text = serde_json::to_vec(&parts).expect("parts of a key can be written as JSON");
        MatchKey(*blake3::hash(&text).as_bytes())
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for MatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use agon_core::Seed;

    use super::*;

    fn plan(more: &str) -> Plan {
        let text = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\"]\n";
        let text = format!("{text}{more}\n[format]\nkind = \"round-robin\"\n");
        Plan::parse(&text, Path::new("plan.toml")).unwrap()
    }

    #[test]
    fn everything_that_can_change_a_result_changes_the_key() {
        let contents = ["a".to_owned(), "b".to_owned()];
        let base = plan("");
        let game = base.schedule().missing()[0].clone();
        let key = |plan: &Plan, game: &Match, contents: &[String]| {
            MatchKey::new(plan, game, contents).to_string()
        };
        let other_seats =
            Match { seats: game.seats.iter().rev().copied().collect(), ..game.clone() };
        let other_seed = Match { seed: game.seed.derive(1), ..game.clone() };
        let keys = [
            key(&base, &game, &contents),
            key(&base, &other_seats, &contents),
            key(&base, &other_seed, &contents),
            key(&base, &game, &["a".to_owned(), "c".to_owned()]),
            key(&plan("[settings]\nside = 5"), &game, &contents),
            key(&plan("[time]\nlimit = 5"), &game, &contents),
            key(&plan("[time]\nstrikes = 5"), &game, &contents),
            key(&plan("[time]\nstart_up = 5"), &game, &contents),
            key(&plan("[time.bots.greedy]\nlimit = 5"), &game, &contents),
            key(&plan("[time.bots.random]\nlimit = 5"), &game, &contents),
            key(&plan("[sandbox]\nmemory = 64"), &game, &contents),
        ];
        assert!(keys.iter().all(|key| key.len() == 64));
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        // Neither where in the tournament it stands nor how bots are called matters.
        let elsewhere = Match { id: Default::default(), ..game.clone() };
        assert_eq!(key(&base, &elsewhere, &contents), keys[0]);
        assert_eq!(key(&plan("jobs = 3"), &game, &contents), keys[0]);
    }

    /// Except when the rules of the game get a new version or a new setting.
    #[test]
    fn keys_never_change() {
        let base = plan("[settings]\nside = 5");
        for (seed, known) in [
            (Seed::plain(0), "0652e0d6cf981cc553246910b2f3a65fe8d41fb3c3db100178bdcc6cfae4ed20"),
            (Seed(0), "b196c8a4697180f5326efe6e63d71841996c1650085054ff8f8cbc7e9dba9848"),
        ] {
            let plan = Plan { seed, schedule_version: 1, ..base.clone() };
            let game = plan.schedule().missing()[0].clone();
            let key = MatchKey::new(&plan, &game, &["a".to_owned(), "b".to_owned()]).to_string();
            assert_eq!(key, known);
        }
    }
}
