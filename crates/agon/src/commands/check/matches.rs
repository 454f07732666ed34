//! The evidence of an examination: a trial start, and whole matches against built-in bots.

use std::{
    sync::{PoisonError, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use agon_bots::{
    Bot, BotSpec, HostOptions, HostedGame, OpenError, Seat, ShutdownReport, Usage, unique_names,
};
use agon_core::{BotInfo, Fault, Player, Seed};
use agon_match::{Control, Match, MatchOptions, MatchResult, Moment};
use anyhow::Result;

use super::watched::{PATIENCE, Record, Watched};
use crate::{
    arena::{ATTEMPTS, core_for},
    interrupts::{handle_interrupts, interrupted},
    output::Bar,
};

/// How long a bot that has been started is watched for its end or for output before it is asked
/// anything.
const TRIAL: Duration = Duration::from_millis(500);

/// After so many matches with faults no more are played: what hangs would hang again.
const MAX_FAULTY: usize = 2;

/// How many players the matches have.
const PLAYERS: usize = 2;

/// The bot and the conditions it is examined under.
pub(super) struct Examiner<G: HostedGame> {
    pub(super) spec: BotSpec,
    pub(super) rules: G::Rules,
    pub(super) host: HostOptions,
    pub(super) seed: Seed,
    pub(super) games: u32,
    pub(super) max_turns: Option<u64>,
}

/// What was seen of a bot that opened.
pub(super) struct ExaminedBot {
    pub(super) trial: Trial,
    pub(super) matches: Vec<Played>,
    /// The first match once more, with the same seed.
    pub(super) again: Option<Played>,
}

/// A bot that was started and not asked anything.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) faults: Vec<Fault>,
    /// Its process at the end of the trial; `None` if it has none (yet).
    pub(super) usage: Option<Usage>,
    /// What it wrote; `None` if it does not write to a pipe.
    pub(super) unsolicited: Option<String>,
    pub(super) shutdown: Option<ShutdownReport>,
}

impl Trial {
    /// Whether the bot is there to be asked.
    pub(super) fn runs(&self) -> bool {
        self.faults.is_empty() && self.usage.is_none_or(|usage| usage.ended.is_none())
    }

    /// Whether it waits to be asked. What it writes before could be taken for its first answer.
    pub(super) fn waits(&self) -> bool {
        self.unsolicited.as_ref().is_none_or(String::is_empty)
    }
}

/// A match that has been played.
pub(super) struct Played {
    /// From 1.
    pub(super) number: u32,
    /// As whom the bot played.
    pub(super) player: Player,
    pub(super) result: MatchResult,
    pub(super) record: Record,
}

impl Played {
    /// The bot's own faults.
    pub(super) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.result.faults.iter().filter(|fault| fault.player == self.player)
    }
}

impl<G: HostedGame> Examiner<G> {
    /// Finds and loads the bot.
    pub(super) fn open(&self) -> Result<(BotInfo, Box<dyn Bot<G>>), OpenError> {
        handle_interrupts();
        let builtins: Vec<&'static str> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
        let spec = self.spec.clone().read(&self.host, &builtins)?;
        let bot = agon_bots::open::<G>(&spec, &self.host)?;
        Ok((spec.info_in::<G>()?, bot))
    }

    /// Starts the bot, and plays if it starts and waits. `None` if somebody pressed Ctrl-C.
    pub(super) fn examine(&self, bot: Box<dyn Bot<G>>) -> Result<Option<ExaminedBot>> {
        let trial = self.trial(bot)?;
        let mut seen = ExaminedBot { trial, matches: Vec::new(), again: None };
        if !seen.trial.runs() || !seen.trial.waits() {
            return Ok(Some(seen));
        }
        for number in 1..=self.games {
            let Some(played) = self.play_fairly(number)? else { return Ok(None) };
            seen.matches.push(played);
            if seen.matches.iter().filter(|played| played.faults().next().is_some()).count()
                >= MAX_FAULTY
            {
                break;
            }
        }
        if seen.matches.iter().all(|played| played.faults().next().is_none()) {
            let Some(played) = self.play_fairly(1)? else { return Ok(None) };
            seen.again = Some(played);
        }
        Ok(Some(seen))
    }

    fn trial(&self, mut bot: Box<dyn Bot<G>>) -> Result<Trial> {
        let game = G::new(&self.rules, PLAYERS, self.seed)?;
        let names = self.names("somebody");
        let mut faults = Vec::new();
        bot.start(Seat { game: &game, player: Player(0), names: &names }, &mut faults);
        let begun = Instant::now();
        let mut usage = bot.usage();
        // Without a process there is nothing to wait for.
        while usage.is_some_and(|usage| usage.ended.is_none()) && begun.elapsed() < TRIAL {
            thread::sleep(Duration::from_millis(10));
            usage = bot.usage();
        }
        let unsolicited = bot.unsolicited_output();
        let shutdown = bot.shutdown(PATIENCE);
        bot.stop();
        Ok(Trial { faults, usage, unsolicited, shutdown })
    }

    /// Plays a match, and again if it is void because the machine stalled.
    fn play_fairly(&self, number: u32) -> Result<Option<Played>> {
        let mut attempt = 1;
        loop {
            let played = self.play(number)?;
            let Some(void) = played.as_ref().and_then(|played| played.result.void) else {
                return Ok(played);
            };
            if attempt == ATTEMPTS {
                return Ok(played);
            }
            say!("void: {void}; match {number} is played again ({} of {ATTEMPTS})", attempt + 1);
            attempt += 1;
        }
    }

    /// Plays the match of this number: seats change from match to match, seeds and opponents in
    /// every round.
    fn play(&self, number: u32) -> Result<Option<Played>> {
        let index = (number - 1) as usize;
        let player = Player::from_index(index % PLAYERS);
        let seed = Seed(self.seed.0.wrapping_add((index / PLAYERS) as u64));
        let opponent = G::BUILTINS[(index / PLAYERS) % G::BUILTINS.len()].name;
        let names = self.names(opponent);
        let opponent = format!("builtin:{opponent}").parse::<BotSpec>()?.named(&names[1]);
        let (info, bot) = self.open()?;
        let (bot, record) = Watched::new(bot, number == 1);
        let other = (opponent.info_in::<G>()?, agon_bots::open::<G>(&opponent, &self.host)?);
        let mut seats: Vec<(BotInfo, Box<dyn Bot<G>>)> = vec![(info, Box::new(bot)), other];
        seats.rotate_right(player.index());
        let game = G::new(&self.rules, PLAYERS, seed)?;
        let core = core_for(std::slice::from_ref(&self.spec));
        let options = MatchOptions {
            core,
            faults_kept: 3,
            max_turns: self.max_turns,
            ..MatchOptions::default()
        };
        let stop = interrupted();
        let bar = Bar::new(&G::META, None);
        let result = Match::new(game, seats, options)?
            .run(&mut |moment: &Moment<'_, G>| {
                bar.show(moment.game.progress());
                // One fault is enough: many bots do the same wrong for ever, and hanging takes
                // time.
                let faulty = moment.faults.iter().any(|fault| fault.player == player);
                if faulty || stop.load(Ordering::Relaxed) {
                    Control::Stop
                } else {
                    Control::Continue
                }
            })?
            .result;
        bar.clear();
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let record = std::mem::take(&mut *record.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Some(Played { number, player, result, record }))
    }

    /// The bot's name and another one.
    fn names(&self, other: &str) -> Vec<String> {
        unique_names([self.spec.name(), other.to_owned()])
    }
}
