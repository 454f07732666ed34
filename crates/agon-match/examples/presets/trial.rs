//! A trial: the line-up of a game plays a preset on many seeds, and [`Summary`] counts what
//! spectators care about.

use std::sync::atomic::{AtomicU64, Ordering};
use std::{ops::RangeInclusive, thread};

use agon_bots::{Bot, BuiltinBot};
use agon_core::{BotInfo, Player, Seed, Standing};
use agon_games::any::GameKind;
use agon_match::{Control, Match, MatchEvent, MatchOptions, MatchResult};
use anyhow::{Context, Result};
use serde_json::Value;

/// A bot leads if it was alone in first place for this share of the turns.
const LEAD_PERCENT: u64 = 5;

/// What a spectator sees of one match.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    /// The winner; `None` for a tie.
    pub(crate) winner: Option<Player>,
    /// Turns of the match.
    pub(crate) turns: u64,
    /// Bots that led.
    pub(crate) leaders: usize,
    /// Turns in which a bot lost cells, in games that count cells.
    pub(crate) fights: u64,
    /// The winner's lead over the second in percent of the winner's score.
    pub(crate) margin: u64,
}

/// Plays a line-up on each of the seeds, on as many cores as wanted. Returns the matches in order
/// of their seeds.
///
/// # Errors
/// If a bot does not exist or the rules do not fit.
pub(crate) fn play_all(
    kind: &dyn GameKind,
    rules: &Value,
    lineup: &[&str],
    seeds: RangeInclusive<u64>,
    threads: usize,
) -> Result<Vec<Sight>> {
    let next = AtomicU64::new(*seeds.start());
    let work = || {
        let mut sights = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > *seeds.end() {
                return anyhow::Ok(sights);
            }
            sights.push((seed, play(kind, rules, lineup, Seed(seed))?));
        }
    };
    let mut sights = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|worker| worker.join().expect("no match panics"));
        anyhow::Ok(ended.collect::<Result<Vec<_>>>()?.concat())
    })?;
    sights.sort_by_key(|&(seed, _)| seed);
    Ok(sights.into_iter().map(|(_, sight)| sight).collect())
}

/// Plays one match of built-in bots.
fn play(kind: &dyn GameKind, rules: &Value, lineup: &[&str], seed: Seed) -> Result<Sight> {
    let bots = lineup.iter().map(|text| bot(kind, text)).collect::<Result<Vec<_>>>()?;
    let game = kind.start(rules, bots.len(), seed)?;
    let mut watched = Watched::default();
    let mut observer = |event: &MatchEvent<'_>| {
        let turn = event.game.progress().turn;
        if turn != watched.turn {
            watched.see(turn, &event.game.standing(), &event.game.leaders());
        }
        Control::Continue
    };
    let played = Match::new(game, bots, MatchOptions::default())?.run(&mut observer)?;
    Ok(watched.sight(&played.result))
}

/// Makes the bot that a text such as `swarm?rich=50&crowd=2` names.
fn bot(kind: &dyn GameKind, text: &str) -> Result<(BotInfo, Box<dyn Bot>)> {
    let (name, params) = text.split_once('?').unwrap_or((text, ""));
    let params = params.split('&').filter(|param| !param.is_empty());
    let pair = |param: &str| {
        let (name, value) = param.split_once('=').with_context(|| format!("{text}: {param}"))?;
        anyhow::Ok((name.to_owned(), value.to_owned()))
    };
    let params = params.map(pair).collect::<Result<Vec<_>>>()?;
    let bot = BuiltinBot::find(kind, name, &params)?;
    Ok((BotInfo::new(text, "builtin"), Box::new(bot)))
}

/// What was seen of a match so far.
#[derive(Default)]
struct Watched {
    turn: u64,
    /// Turns that each player was alone in first place.
    led: Vec<u64>,
    /// What each player had of cells in the turn before.
    cells: Vec<Option<i64>>,
    fights: u64,
}

impl Watched {
    /// Sees the standing at the end of a turn.
    fn see(&mut self, turn: u64, standing: &Standing, leaders: &[Player]) {
        self.turn = turn;
        self.led.resize(standing.players.len(), 0);
        if let &[leader] = leaders {
            self.led[leader.index()] += 1;
        }
        let cells: Vec<_> = standing
            .players
            .iter()
            .map(|player| player.measures.iter().find(|(name, _)| name == "cells"))
            .map(|measure| measure.map(|&(_, cells)| cells))
            .collect();
        let mut both = cells.iter().zip(&self.cells);
        let lost = both.any(|(now, before)| now.zip(*before).is_some_and(|(now, b)| now < b));
        self.fights += u64::from(lost);
        self.cells = cells;
    }

    fn sight(&self, result: &MatchResult) -> Sight {
        let least = (result.turns * LEAD_PERCENT).div_ceil(100).max(1);
        let winners = result.standing.outcome.as_ref().map(|outcome| &outcome.winners[..]);
        let mut scores: Vec<i64> = result.standing.players.iter().map(|p| p.score).collect();
        scores.sort_unstable_by(|a, b| b.cmp(a));
        let margin = match scores[..] {
            [first, second, ..] if first > 0 => (first - second) * 100 / first,
            _ => 0,
        };
        Sight {
            winner: match winners {
                Some(&[winner]) => Some(winner),
                _ => None,
            },
            turns: result.turns,
            leaders: self.led.iter().filter(|&&turns| turns >= least).count(),
            fights: self.fights,
            margin: u64::try_from(margin).unwrap_or(0),
        }
    }
}

/// Many matches of one line-up in numbers.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) matches: usize,
    /// Matches that each bot won, in order of the line-up.
    pub(crate) won: Vec<usize>,
    /// Matches with more than one leader.
    pub(crate) changes: usize,
    /// Matches in which bots lost cells in a tenth of the turns or more.
    pub(crate) fights: usize,
    /// The median length.
    pub(crate) turns: u64,
    /// The median margin in percent.
    pub(crate) margin: u64,
}

impl Summary {
    pub(crate) fn of(sights: &[Sight], players: usize) -> Summary {
        let count = |test: &dyn Fn(&Sight) -> bool| sights.iter().filter(|it| test(it)).count();
        let median = |number: fn(&Sight) -> u64| {
            let mut numbers: Vec<u64> = sights.iter().map(number).collect();
            numbers.sort_unstable();
            numbers.get(numbers.len() / 2).copied().unwrap_or(0)
        };
        Summary {
            matches: sights.len(),
            won: Player::all(players).map(|p| count(&|sight| sight.winner == Some(p))).collect(),
            changes: count(&|sight| sight.leaders > 1),
            fights: count(&|sight| sight.fights * 10 >= sight.turns),
            turns: median(|sight| sight.turns),
            margin: median(|sight| sight.margin),
        }
    }

    /// Returns a number of matches in percent.
    pub(crate) fn percent(&self, matches: usize) -> usize {
        (matches * 100 + self.matches / 2) / self.matches.max(1)
    }
}
