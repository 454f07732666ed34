//! Reads the `[format]`, `[time]` and `[sandbox]` of a plan, and makes the tournament's format.

use std::{collections::BTreeMap, num::NonZero, path::PathBuf};

use agon_core::{Purpose, Seed, did_you_mean, text::escape};
use agon_match::spec::settings::{BotTime, MAX_MS, MAX_WASM_MEMORY, MIN_MEMORY};
use agon_match::spec::{SandboxLevel, SandboxSettings, TimeSettings};
use serde::{Deserialize, Serialize};

use super::{MAX_BOTS, MAX_PAIRED_BOTS, PlanBot, toml_table::Section};
use crate::format::{
    AdaptiveMatchmaker, Bracket, Format, Gauntlet, Groups, Ladder, LadderRules, Matchmaker,
    RandomMatchmaker, RoundRobin, Swiss, Ties, Within,
};
use crate::{Entrant, Games};

/// A format with its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FormatPlan {
    /// [`RoundRobin`]
    RoundRobin {
        /// Blocks of the design, where more than two play together.
        rounds: Option<usize>,
    },
    /// [`Gauntlet`]
    Gauntlet {
        /// Who runs it.
        runners: Vec<Entrant>,
    },
    /// [`Swiss`]
    Swiss {
        /// How many rounds.
        rounds: Option<u32>,
    },
    /// [`Bracket::single`]
    Elimination {
        /// How often more matches are played when points are equal.
        more: u32,
        /// The seeding.
        draw: Draw,
    },
    /// [`Bracket::double`]
    DoubleElimination {
        /// Whether the final may be played twice.
        reset: bool,
        /// How often more matches are played when points are equal.
        more: u32,
        /// The seeding.
        draw: Draw,
    },
    /// [`Groups`]
    Groups {
        /// The most members of a group.
        size: usize,
        /// How many advance from a group.
        advance: usize,
        /// Whether groups play in pairs instead of together.
        pairs: bool,
        /// How often more matches are played when points are equal.
        more: u32,
        /// The seeding.
        draw: Draw,
    },
    /// [`Ladder`]
    Ladder {
        /// Who chooses the groups.
        choose: Choose,
        /// Groups of a wave.
        wave: u32,
        /// Matches in all.
        limit: Option<u64>,
        /// The most matches that a bot may be behind the average.
        floor: u32,
    },
}

/// Who chooses the groups of a ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choose {
    /// [`AdaptiveMatchmaker`]
    Adaptive,
    /// [`RandomMatchmaker`]
    Random,
}

const CHOICES: [(&str, Choose); 2] = [("adaptive", Choose::Adaptive), ("random", Choose::Random)];

/// Where the seeding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// The order of the plan.
    Order,
    /// Drawn with the tournament's seed.
    Random,
}

/// Reads the options of a kind of format.
type Reader = fn(&mut Section<'_>, &[PlanBot]) -> FormatPlan;

const KINDS: [(&str, Reader); 7] = [
    ("round-robin", |section, _| FormatPlan::RoundRobin {
        rounds: section.number("rounds", 1..=1000).map(|n| n as usize),
    }),
    ("gauntlet", |section, bots| FormatPlan::Gauntlet { runners: runners(section, bots) }),
    ("swiss", |section, _| FormatPlan::Swiss {
        rounds: section.number("rounds", 1..=1000).map(|n| n as u32),
    }),
    ("elimination", |section, _| FormatPlan::Elimination {
        more: more(section),
        draw: draw(section),
    }),
    ("double-elimination", |section, _| FormatPlan::DoubleElimination {
        reset: section.boolean("reset").unwrap_or(false),
        more: more(section),
        draw: draw(section),
    }),
    ("groups", |section, _| groups(section)),
    ("ladder", |section, _| FormatPlan::Ladder {
        choose: section
            .get("choose")
            .and_then(|item| item.word(&CHOICES))
            .unwrap_or(Choose::Adaptive),
        wave: section.number("wave", 1..=100_000).unwrap_or(16) as u32,
        limit: section.number("limit", 1..=u64::MAX),
        floor: section.number("floor", 0..=100_000).unwrap_or(100) as u32,
    }),
];

impl FormatPlan {
    /// Reads the section. If it cannot, it notes the problem and returns `None`.
    pub(super) fn read(section: &mut Section<'_>, bots: &[PlanBot]) -> Option<FormatPlan> {
        let Some(kind) = section.get("kind") else {
            let kinds = KINDS.map(|(name, _)| name).join(", ");
            section.problem(format!("a plan needs a [format] with a `kind`: one of {kinds}"));
            return None;
        };
        let read = kind.word(&KINDS)?;
        Some(read(section, bots))
    }

    /// Returns whether [`AdaptiveMatchmaker`] chooses the matches, by the results.
    pub fn is_adaptive(&self) -> bool {
        matches!(self, FormatPlan::Ladder { choose: Choose::Adaptive, .. })
    }

    /// Returns whether matches of this format may have more than two players.
    pub(super) fn takes_more_than_two(&self) -> bool {
        matches!(self, FormatPlan::RoundRobin { .. } | FormatPlan::Ladder { .. })
    }

    /// Returns the most bots that may be in it.
    pub(super) fn most_bots(&self) -> usize {
        match self {
            FormatPlan::RoundRobin { .. }
            | FormatPlan::Swiss { .. }
            | FormatPlan::Elimination { .. }
            | FormatPlan::DoubleElimination { .. } => MAX_PAIRED_BOTS,
            FormatPlan::Gauntlet { .. } | FormatPlan::Groups { .. } | FormatPlan::Ladder { .. } => {
                MAX_BOTS
            }
        }
    }

    /// Returns the fewest bots that may be in it, if `players` play together.
    pub(super) fn fewest_bots(&self, players: usize) -> usize {
        if matches!(self, FormatPlan::Groups { .. }) { 2 } else { players }
    }

    /// Takes the bots out of the options whose `kept` is false. Returns `None` if nobody is left
    /// to run a gauntlet.
    pub(super) fn keep(&self, kept: &[bool]) -> Option<FormatPlan> {
        let FormatPlan::Gauntlet { runners } = self else { return Some(self.clone()) };
        let before = |at: usize| kept[..at].iter().filter(|kept| **kept).count();
        let runners: Vec<Entrant> = runners
            .iter()
            .map(|runner| runner.index())
            .filter(|&at| kept[at])
            .map(|at| Entrant::from_index(before(at)))
            .collect();
        (!runners.is_empty()).then_some(FormatPlan::Gauntlet { runners })
    }

    /// Makes the format for `entrants` bots, `players` of which play together.
    pub(super) fn build(
        &self,
        entrants: usize,
        players: usize,
        games: Games,
        seed: Seed,
    ) -> Box<dyn Format> {
        let seeding = |draw: &Draw| {
            let mut seeding = Entrant::all(entrants);
            if *draw == Draw::Random {
                seed.stream(Purpose::Order, 0xD4A7).shuffle(&mut seeding);
            }
            seeding
        };
        match self {
            FormatPlan::RoundRobin { rounds } => {
                Box::new(RoundRobin::groups(entrants, players, *rounds, games, seed))
            }
            FormatPlan::Gauntlet { runners } => Box::new(Gauntlet::new(entrants, runners, games)),
            FormatPlan::Swiss { rounds } => Box::new(Swiss::new(entrants, *rounds, games)),
            FormatPlan::Elimination { more, draw } => {
                Box::new(Bracket::single(seeding(draw), games, Ties { more: *more }))
            }
            FormatPlan::DoubleElimination { reset, more, draw } => {
                Box::new(Bracket::double(seeding(draw), *reset, games, Ties { more: *more }))
            }
            FormatPlan::Groups { size, advance, pairs, more, draw } => {
                let within = if *pairs { Within::Pairs } else { Within::Together };
                let ties = Ties { more: *more };
                let seeding = seeding(draw);
                Box::new(Groups { seeding, size: *size, advance: *advance, within, games, ties })
            }
            FormatPlan::Ladder { choose, wave, limit, floor } => {
                let (size, wave, limit, floor) = (players, *wave, *limit, *floor);
                let rules = LadderRules { entrants, size, wave, limit, floor, games, seed };
                let matchmaker: Box<dyn Matchmaker> = match choose {
                    Choose::Adaptive => Box::new(AdaptiveMatchmaker::default()),
                    Choose::Random => Box::new(RandomMatchmaker),
                };
                Box::new(Ladder::new(rules, matchmaker))
            }
        }
    }
}

/// Reads the runners of a gauntlet: a number, for the first bots, or their names.
fn runners(section: &mut Section<'_>, bots: &[PlanBot]) -> Vec<Entrant> {
    let most = bots.len().saturating_sub(1).max(1);
    let Some(item) = section.get("runners") else { return vec![Entrant(0)] };
    if item.is_number() {
        return Entrant::all(item.number(1..=most as u64).unwrap_or(1) as usize);
    }
    let mut runners = Vec::new();
    for item in item.list() {
        let names: Vec<(&str, usize)> =
            bots.iter().enumerate().map(|(at, bot)| (bot.name.as_str(), at)).collect();
        runners.extend(item.word(&names).map(Entrant::from_index));
    }
    if runners.is_empty() || runners.len() > most {
        item.problem(format!("1 to {most} of the bots can run the gauntlet"));
    }
    runners
}

fn groups(section: &mut Section<'_>) -> FormatPlan {
    let size = section.number("size", 2..=254).unwrap_or(4) as usize;
    let advance = section.number("advance", 1..=(size as u64 - 1)).unwrap_or(1) as usize;
    let words = [("together", false), ("pairs", true)];
    let pairs = section.get("within").and_then(|item| item.word(&words)).unwrap_or(false);
    FormatPlan::Groups { size, advance, pairs, more: more(section), draw: draw(section) }
}

fn more(section: &mut Section<'_>) -> u32 {
    section.number("more", 0..=1000).unwrap_or(3) as u32
}

fn draw(section: &mut Section<'_>) -> Draw {
    let words = [("order", Draw::Order), ("random", Draw::Random)];
    section.get("draw").and_then(|item| item.word(&words)).unwrap_or(Draw::Order)
}

/// Reads `[time]`. A bot of the plan may have limits of its own, under its name.
pub(super) fn time(section: &mut Section<'_>, named: &[PlanBot]) -> TimeSettings {
    let clock = section.boolean("clock").unwrap_or(true);
    let [limit, bank] = ["limit", "bank"].map(|key| section.number(key, 0..=MAX_MS));
    if !clock && (limit.is_some() || bank.is_some()) {
        section.problem("without a clock there is no `limit` and no `bank`");
    }
    let strikes = section.number("strikes", 1..=u32::MAX.into());
    if !clock && strikes.is_some() {
        section.problem("without a clock there are no timeouts, and so no `strikes`");
    }
    let strikes = strikes.and_then(|strikes| NonZero::new(strikes as u32));
    let start_up = section.number("start_up", 0..=MAX_MS);
    if !clock && start_up.is_some() {
        section.problem("without a clock there is no `start_up`");
    }
    let mut own = section.section("bots", "[time.bots]");
    if !clock && own.exists() {
        own.problem("without a clock no bot has limits");
    }
    let mut bots = BTreeMap::new();
    for (name, place, value) in own.all() {
        if !named.iter().any(|bot| bot.name == name) {
            let known = named.iter().map(|bot| bot.name.as_str());
            let hint = did_you_mean(&name, known)
                .map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
            own.problem_at(place.clone(), format!("no bot has the name `{}`{hint}", escape(&name)));
        }
        match serde_json::from_value::<BotTime>(value) {
            Ok(time)
                if [time.limit, time.bank, time.start_up].into_iter().flatten().max()
                    > Some(MAX_MS) =>
            {
                own.problem_at(place, format!("milliseconds are numbers from 0 to {MAX_MS}"));
            }
            Ok(time) => drop(bots.insert(name, time)),
            Err(error) => own.problem_at(place, format!("the limits of a bot: {error}")),
        }
    }
    TimeSettings { clock, limit, bank, strikes, start_up, bots, ..TimeSettings::default() }
}

pub(super) fn sandbox(section: &mut Section<'_>) -> SandboxSettings {
    let levels = [
        ("strict", SandboxLevel::Strict),
        ("default", SandboxLevel::Default),
        ("off", SandboxLevel::Off),
    ];
    let level =
        section.get("level").and_then(|item| item.word(&levels)).unwrap_or(SandboxLevel::Default);
    let mut paths = |key| {
        let items = section.get(key).into_iter().flat_map(|item| item.list());
        items.filter_map(|item| item.string()).map(PathBuf::from).collect::<Vec<_>>()
    };
    let read = paths("read");
    let write = paths("write");
    let names = section.get("env").into_iter().flat_map(|item| item.list());
    let env = names.filter_map(|item| item.string()).collect();
    SandboxSettings {
        level,
        memory: section.number("memory", MIN_MEMORY.into()..=u32::MAX.into()).map(|mib| mib as u32),
        read,
        write,
        wasm: section.boolean("wasm").unwrap_or(false),
        wasm_memory: section
            .number("wasm_memory", 1..=MAX_WASM_MEMORY.into())
            .map(|mib| mib as u32),
        share_jvm: section.boolean("share_jvm").unwrap_or(false),
        env,
    }
}
