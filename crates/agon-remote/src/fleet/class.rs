//! Classes: what a worker must have for a match.
//!
//! Matches of a class travel together, and each class has a consumer of its own, from which only
//! those workers take that can play its matches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use agon_games::GameId;
use agon_match::spec::{Digest, SandboxLevel};
use serde::{Deserialize, Serialize};

use crate::fleet::message::VERSION;

/// What a worker must have for a match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// The version of the messages, [`VERSION`].
    pub version: u32,
    /// The game with the versions of its rules and of all its built-in bots.
    pub game: GameId,
    /// See [`rules_of`].
    pub rules: Digest,
    /// Programs such as `python3` and `cc`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub programs: BTreeSet<String>,
    /// Whether bots play only where they can be confined fully.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The memory of all bots of a match, in MiB; 0 if there is no such limit.
    #[serde(default)]
    pub memory: u32,
    /// The [speed](Abilities::speed) of the machine for which limits in CPU time are meant; 0 if
    /// there are no such limits.
    #[serde(default)]
    pub reference: u32,
    /// The only model of processor on which the matches are played; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
}

/// Programs of which each worker says at once whether it has them: what the starter kits' bots need
/// to play, and a few others. It looks for more when a class names them.
pub const USUAL_PROGRAMS: [&str; 10] =
    ["cc", "c++", "python3", "java", "node", "mono", "clojure", "ruby", "bash", "sh"];

/// What a worker has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abilities {
    /// The version of the messages.
    pub version: u32,
    /// The games that it plays, by name, with what [`rules_of`] says.
    pub games: BTreeMap<String, Digest>,
    /// Programs such as `python3` and `cc`.
    pub programs: BTreeSet<String>,
    /// Whether it can confine bots fully.
    pub strict: bool,
    /// Its memory for each slot, in MiB.
    pub memory: u32,
    /// How much one of its cores computes, in units that mean something only beside each other; 0
    /// if it is not known.
    pub speed: u32,
    /// The model of its processor.
    pub processor: String,
}

/// Why a worker cannot play matches of a class, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(String);

/// Speeds that differ by less than this percentage are taken as equal: measurements of a machine
/// differ by up to 5 %, and [rounding](rounded_speed) adds up to 6 %.
const EQUAL: u32 = 12;

/// By so much, in percent, limits are multiplied at least and at most.
const SCALES: RangeInclusive<u32> = 50..=200;

/// Rounds a [speed](Abilities::speed) by at most a sixteenth: measurements differ a little, and
/// each speed in a class makes queues of its own, which workers must find, and which the server
/// keeps for some days.
pub fn rounded_speed(speed: u32) -> u32 {
    // Four binary digits are kept.
    let step = 1 << speed.checked_ilog2().unwrap_or(0).saturating_sub(3);
    speed.saturating_add(step / 2) / step * step
}

impl Class {
    /// Returns a short name, which depends on everything: for subjects and consumers.
    pub fn name(&self) -> String {
        let text = serde_json::to_string(self).expect("a class can be written as JSON");
        let digest = Digest::of(text.as_bytes()).to_string();
        format!("{}-{}", self.game.meta().id, &digest[..12])
    }

    /// Checks that a worker can play its matches.
    ///
    /// # Errors
    /// With the first thing that the worker lacks.
    pub fn check(&self, worker: &Abilities) -> Result<(), Unfit> {
        let Class { version, memory, reference, .. } = self;
        let game = self.game.meta().id;
        let unfit = |why: String| Err(Unfit(why));
        if *version != worker.version {
            return unfit(format!(
                "it is for version {version} of Agon's queue, and this worker has version {}",
                worker.version
            ));
        }
        match worker.games.get(game) {
            None => return unfit(format!("this worker does not play {game}")),
            Some(rules) if *rules != self.rules => {
                return unfit(format!(
                    "its rules or built-in bots of {game} have other versions than those of this \
                     worker"
                ));
            }
            Some(_) => {}
        }
        if let Some(program) = self.programs.difference(&worker.programs).next() {
            return unfit(format!("this machine has no {program}"));
        }
        if self.strict && !worker.strict {
            return unfit("bots cannot be confined fully on this machine".to_owned());
        }
        if *memory > worker.memory {
            return unfit(format!(
                "a match needs {memory} MiB, and this worker has {} MiB for each slot",
                worker.memory
            ));
        }
        if let Some(wanted) = self.processor.as_ref().filter(|name| **name != worker.processor) {
            let own = &worker.processor;
            return unfit(format!("it is for `{wanted}` only, and this machine has `{own}`"));
        }
        if self.scale(worker.speed).is_none() {
            return unfit(format!(
                "its time limits are for a machine of speed {reference}, and this one has {}; from \
                 half to twice of it can be balanced",
                worker.speed
            ));
        }
        Ok(())
    }

    /// Returns the percentage by which a worker of this speed multiplies limits in CPU time; `None`
    /// if it is too slow or too fast.
    pub fn scale(&self, speed: u32) -> Option<u32> {
        if self.reference == 0 {
            return Some(100);
        }
        let percent = (u64::from(self.reference) * 100).checked_div(u64::from(speed))?;
        let percent = u32::try_from(percent).ok()?;
        match percent.abs_diff(100) < EQUAL {
            true => Some(100),
            false => SCALES.contains(&percent).then_some(percent),
        }
    }

    /// Returns the class of matches of a game whose bots need nothing.
    pub fn of_game(game: GameId, level: SandboxLevel) -> Class {
        Class {
            version: VERSION,
            game,
            rules: rules_of(game),
            programs: BTreeSet::new(),
            strict: level == SandboxLevel::Strict,
            memory: 0,
            reference: 0,
            processor: None,
        }
    }
}

/// Returns a digest of the versions of a game's rules and of all its built-in bots.
pub fn rules_of(game: GameId) -> Digest {
    let meta = game.meta();
    let builtins = game.kind().builtins();
    let builtins: Vec<_> = builtins.iter().map(|bot| (bot.name, bot.version)).collect();
    let text = format!("{} {} {builtins:?}", meta.id, meta.rules_version);
    Digest::of(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(reference: u32) -> Class {
        Class { reference, ..Class::of_game(GameId::Cluster, SandboxLevel::Default) }
    }

    fn worker(speed: u32) -> Abilities {
        let rules = rules_of(GameId::Cluster);
        Abilities {
            version: VERSION,
            games: [("cluster".to_owned(), rules)].into(),
            speed,
            processor: "8086".to_owned(),
            ..Abilities::default()
        }
    }

    #[test]
    fn limits_are_for_a_machine_of_a_speed() {
        let of = |reference, speed| class(reference).scale(speed);
        // Twice as slow: twice the time.
        assert_eq!((of(1000, 500), of(1000, 2000)), (Some(200), Some(50)));
        assert_eq!((of(1000, 497), of(1000, 2041)), (None, None));
        // What measurements may differ by.
        assert_eq!((of(1000, 1040), of(1000, 960)), (Some(100), Some(100)));
        assert_eq!((of(1000, 1200), of(1000, 800)), (Some(83), Some(125)));
        assert_eq!((of(1, u32::MAX), of(u32::MAX, 1), of(1000, 0)), (None, None, None));
        // Without such limits any machine plays.
        assert_eq!((of(0, 0), of(0, 5)), (Some(100), Some(100)));
    }

    #[test]
    fn the_own_limits_hold_on_the_own_machine_however_it_was_measured() {
        for speed in 100..10_000 {
            for measured in [speed * 95 / 100 + 1, speed, speed * 105 / 100] {
                let scale = class(rounded_speed(speed)).scale(measured);
                assert_eq!(scale, Some(100), "{speed} {measured}");
            }
        }
    }

    #[test]
    fn there_are_few_different_speeds() {
        let all: BTreeSet<u32> = (1_000..10_000).map(rounded_speed).collect();
        assert!(all.len() < 30, "{all:?}");
        for speed in [0, 1, 2, 15, 16, 17, 950, 4_000_000_000, u32::MAX] {
            assert!(rounded_speed(speed).abs_diff(speed) <= speed / 16, "{speed}");
        }
    }

    #[test]
    fn a_worker_that_is_too_slow_or_of_another_model_is_told_why() {
        assert_eq!(class(1000).check(&worker(900)), Ok(()));
        assert_eq!(class(0).check(&worker(0)), Ok(()));
        let unfit = class(1000).check(&worker(100)).unwrap_err();
        assert!(unfit.to_string().contains("speed 1000, and this one has 100"), "{unfit}");
        let only = |model: &str| Class { processor: Some(model.to_owned()), ..class(0) };
        assert_eq!(only("8086").check(&worker(1)), Ok(()));
        let unfit = only("Z80").check(&worker(1)).unwrap_err().to_string();
        assert_eq!(unfit, "it is for `Z80` only, and this machine has `8086`");
        let names: BTreeSet<String> =
            [class(0), class(1), only("Z80")].iter().map(Class::name).collect();
        assert_eq!(names.len(), 3, "workers ask each class apart");
    }
}
