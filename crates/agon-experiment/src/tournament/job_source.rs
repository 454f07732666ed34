//! Hands the matches of a tournament to the pool that plays them, and keeps their results.
//!
//! `agon tournament` follows the progress through [`Watcher`].

use std::sync::Arc;

use agon_arena::{ArenaError, Job, JobSource, Next, WaitWatcher};
use agon_core::{Fault, FaultKind};
use agon_match::spec::{MatchOutcome, MatchSpec};
use agon_match::{Control, MatchResult, STOPPED_FOR_TIMEOUTS};
use agon_tournament::{
    Match, Record, Schedule,
    journal::SeatFault,
    plan::{Absent, Missing},
};
use anyhow::{Error, Result};

use super::{Folder, KeepReplays, Tournament};

/// Follows the progress of a tournament, for people to see.
pub trait Watcher {
    /// `matches` are over, counting earlier runs.
    fn over(&mut self, schedule: &Schedule, matches: u64);

    /// A match of this run is over.
    fn played(&mut self) {}

    /// A bot cannot be started any more: it forfeits all matches that are open.
    fn forfeits(&mut self, name: &str, reason: &str);

    /// Returns what follows matches that wait for bots; `None` if nothing does.
    fn waits(&self) -> Option<Arc<dyn WaitWatcher>> {
        None
    }
}

/// A tournament as a source of matches for a pool.
pub(super) struct Playing<'a, 'b> {
    pub(super) tournament: &'a mut Tournament<'b>,
    /// A match without bots.
    pub(super) base: &'a MatchSpec,
    pub(super) watcher: &'a mut dyn Watcher,
}

impl Playing<'_, '_> {
    fn show(&mut self) {
        let Tournament { schedule, records, .. } = &*self.tournament;
        self.watcher.over(schedule, records.len() as u64);
    }
}

impl JobSource for Playing<'_, '_> {
    type Error = Error;

    fn next(&mut self) -> Result<Next> {
        let known = self.tournament.reused;
        let next = self.tournament.next_match()?;
        if self.tournament.reused > known {
            self.show();
        }
        let Some((ticket, game)) = next else {
            let Tournament { schedule, playing, .. } = &*self.tournament;
            // A ladder without a limit ends when nobody is left to play.
            let is_over = schedule.is_finished() || playing.is_empty();
            return Ok(if is_over { Next::Done } else { Next::Wait });
        };
        let seats = self.tournament.bots.seats(&game);
        Ok(Next::Job(Job::new(ticket, self.base, game.seed, seats)))
    }

    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control> {
        self.watcher.played();
        self.tournament.arrive(ticket, &outcome, replay)?;
        self.show();
        Ok(Control::Continue)
    }

    fn failed(&mut self, ticket: u64, error: ArenaError) -> Result<Control> {
        let Tournament { plan, whole, .. } = &*self.tournament;
        let at_fault = error.bot_at_fault().filter(|_| whole.about.missing != Missing::Stop);
        let numbered = at_fault.and_then(|(name, reason)| {
            Some((plan.bots.iter().position(|bot| bot.name == name)?, reason))
        });
        let Some((number, reason)) = numbered else {
            return Err(self.tournament.with_replay(ticket, error));
        };
        if self.tournament.exclude(number, &reason)? {
            self.watcher.forfeits(&self.tournament.plan.bots[number].name, &reason);
        }
        let (game, _) =
            self.tournament.playing.remove(&ticket).expect("only what was begun is over");
        self.tournament.forfeit(&game)?;
        self.show();
        Ok(Control::Continue)
    }
}

impl Tournament<'_> {
    /// Returns the next match that can be played now, with its ticket. Matches before it whose
    /// result is known count without being played.
    fn next_match(&mut self) -> Result<Option<(u64, Match)>> {
        loop {
            if self.queue.is_empty() && self.wave != Some(self.schedule.wave()) {
                self.wave = Some(self.schedule.wave());
                let is_here =
                    |game: &Match| self.options.shard.is_none_or(|of| of.has(&self.plan, game.id));
                self.queue = self.schedule.missing().into_iter().filter(is_here).collect();
            }
            let Some(game) = self.queue.pop_front() else { return Ok(None) };
            let key = self.bots.key(&self.plan, &game).to_string();
            let forfeits = self.bots.forfeits(&game);
            if !forfeits.is_empty() {
                // A result from this tournament counts, even if another bot has changed and a new
                // journal was started.
                if self.bots.are_known(&game)
                    && let Some((record, from)) = self.known.take_of(&key, self.folder)
                {
                    self.reuse(&game, record, &from)?;
                    continue;
                }
                if self.is_deserted() {
                    return Ok(None);
                }
                self.forfeit(&game)?;
                continue;
            }
            if self.bots.are_known(&game)
                && let Some((record, from)) = self.known.take(&key)
            {
                self.reuse(&game, record, &from)?;
                continue;
            }
            self.begun += 1;
            let ticket = self.begun;
            self.playing.insert(ticket, (game.clone(), key));
            return Ok(Some((ticket, game)));
        }
    }

    /// Returns whether a schedule without an end has too few bots left for any match.
    fn is_deserted(&self) -> bool {
        self.schedule.planned().is_none() && self.bots.playing() < self.plan.players
    }

    /// Has a bot forfeit all matches that are open, because it cannot be started. Returns whether
    /// it played until now.
    fn exclude(&mut self, number: usize, reason: &str) -> Result<bool> {
        let bot = &self.plan.bots[number];
        if !self.bots.forfeit(number, bot, reason.to_owned()) {
            return Ok(false);
        }
        self.absent.push(Absent::new(&bot.name, reason).forfeiting());
        self.whole.save(&self.folder.plan_file(), &self.absent, &self.plan.digest())?;
        Ok(true)
    }

    /// Keeps the result of a match that bots forfeit.
    fn forfeit(&mut self, game: &Match) -> Result<()> {
        let key = self.bots.forfeit_key(&self.plan, game).to_string();
        self.keep(Record::forfeit(game, key, self.names(game), self.bots.forfeits(game)))
    }

    /// Keeps the result of a match that this run has played.
    fn arrive(
        &mut self,
        ticket: u64,
        outcome: &MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<()> {
        let (game, key) = self.playing.remove(&ticket).expect("only what was begun is over");
        let faults = faults(&outcome.result);
        let keep = self.options.replays == KeepReplays::All
            || faults.iter().any(|faults| !faults.is_empty());
        let replay =
            replay.filter(|_| keep).map(|bytes| (format!("{}-{}.agon", game.id, &key[..8]), bytes));
        if let Some((name, bytes)) = &replay {
            self.folder.write_replay(name, bytes)?;
        }
        let players = &outcome.result.standing.players;
        self.played += 1;
        self.keep(Record {
            id: game.id,
            key,
            seats: self.names(&game),
            seed: game.seed,
            places: players.iter().map(|player| player.place).collect(),
            scores: players.iter().map(|player| player.score).collect(),
            faults,
            void: outcome.void.len() as u32,
            ms: outcome.ms,
            replay: replay.map(|(name, _)| name),
            machine: outcome.machine.clone(),
            forfeits: Vec::new(),
        })
    }

    /// Keeps the replay of a match that panicked, and names it in the error.
    fn with_replay(&self, ticket: u64, mut error: ArenaError) -> Error {
        if let ArenaError::Panic { message, replay } = &mut error
            && let (Some(bytes), Some((game, _))) = (replay.take(), self.playing.get(&ticket))
        {
            let name = format!("{}-panic.agon", game.id);
            let path = self.folder.replays().join(&name);
            match self.folder.write_replay(&name, &bytes) {
                Ok(()) => *message += &format!("; {} has the steps before it", path.display()),
                Err(error) => *message += &format!("; {error:#}"),
            }
        }
        error.into()
    }

    /// Counts the result of another run.
    fn reuse(&mut self, game: &Match, record: Record, from: &Arc<Folder>) -> Result<()> {
        let there = |name: &String| self.folder.take_replay(from, name);
        let replay = record.replay.filter(|_| self.options.replays != KeepReplays::None);
        let has_replay = replay.as_ref().map(there).transpose()?.unwrap_or(false);
        self.reused += 1;
        self.keep(Record {
            id: game.id,
            seats: self.names(game),
            replay: replay.filter(|_| has_replay),
            ..record
        })
    }

    /// Writes a result to the journal, and enters it into the schedule.
    fn keep(&mut self, record: Record) -> Result<()> {
        self.journal.append(&record)?;
        self.schedule.record(record.id, record.outcome())?;
        self.records.push(record);
        Ok(())
    }

    fn names(&self, game: &Match) -> Vec<String> {
        game.seats.iter().map(|entrant| self.plan.bots[entrant.index()].name.clone()).collect()
    }
}

/// Returns the fault of this kind that says most: the one that ended the bot, or else the first.
fn telling(result: &MatchResult, seat: usize, kind: FaultKind) -> Option<&Fault> {
    let mut own =
        result.faults.iter().filter(|fault| fault.player.index() == seat && fault.kind == kind);
    let is_last = |fault: &&Fault| fault.detail.contains(STOPPED_FOR_TIMEOUTS);
    own.clone().find(is_last).or_else(|| own.next())
}

/// Returns the faults of the bots, in order of seats.
fn faults(result: &MatchResult) -> Vec<Vec<SeatFault>> {
    let of = |seat: usize| {
        let counts = &result.players[seat].faults;
        let fault = |(&kind, &count)| match telling(result, seat, kind) {
            Some(fault) => SeatFault {
                step: Some(fault.step),
                stderr: end(&fault.evidence.stderr_tail, SeatFault::MAX_STDERR).to_owned(),
                ..SeatFault::new(kind, count, fault.to_string())
            },
            None => SeatFault::new(kind, count, ""),
        };
        counts.iter().map(fault).collect()
    };
    (0..result.players.len()).map(of).collect()
}

/// Returns the end of a text: whole characters in at most `most` bytes, and whole lines unless a
/// line is very long.
fn end(text: &str, most: usize) -> &str {
    let kept = &text[text.ceil_char_boundary(text.len().saturating_sub(most))..];
    if kept.len() == text.len() {
        return text;
    }
    match kept.split_once('\n') {
        Some((cut, lines)) if cut.len() < most / 2 => lines,
        _ => kept,
    }
}
