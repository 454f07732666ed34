//! What the runner learns from matches that are over.

use std::time::{Duration, Instant};

use agon_arena::{ArenaError, Finished};
use agon_match::replay::Replay;
use agon_match::spec::{Digest, MatchOutcome};
use tracing::{error, warn};

use super::{ATTEMPTS, ERASED, FORGET_US, Given, Planned, REST, Runner};
use crate::play::recorder::{Entry, Logged};
use crate::play::{id_of, result, version_id};
use crate::store::bots::{Stopped, StoppedBy};
use crate::store::matches::{Match, MatchState, Outcome};
use crate::store::{audit, bots, counts, now, versions};
use crate::{play::comparisons::Leg, ranking};

impl Planned {
    /// Returns the match as it is kept once it is over, with nothing of its result.
    fn ended(&self, state: MatchState) -> Match {
        let Planned { arena, number, seed, planned, .. } = *self;
        Match { arena, number, state, seed, planned, played: Some(now()), ..Match::default() }
    }
}

impl Runner {
    /// Learns from a match that is over.
    pub(super) fn over(&mut self, finished: Finished) {
        let Finished { ticket, outcome, replay, .. } = finished;
        let planned = match self.playing.remove(&ticket) {
            Some(Given::Rated(planned)) => planned,
            Some(Given::Compared(leg)) => {
                self.is_comparing = false;
                return self.compared(leg, outcome.ok().as_ref());
            }
            None => return,
        };
        if self.is_erased(&planned) {
            return self.give_up(&planned, ERASED);
        }
        match outcome {
            Ok(outcome) if outcome.result.unanswered => {
                self.note_health(&planned, &outcome);
                self.give_up(&planned, "no bot gave a single valid answer");
            }
            Ok(outcome) => self.played(&planned, &outcome, replay),
            Err(problem) => {
                self.shared.problems.note("match", &problem.to_string());
                let why = match &problem {
                    ArenaError::Void { .. } => "it was void again and again: the server was busy",
                    ArenaError::Open { .. } => "a bot could not be started by the server",
                    _ => "the server could not play it",
                };
                match problem {
                    ArenaError::Void { .. } => self.count(planned.arena, "void", ATTEMPTS as u64),
                    _ => error!(number = planned.number, "a match cannot be played: {problem}"),
                }
                self.give_up(&planned, why);
            }
        }
    }

    /// Counts matches for the figures.
    fn count(&self, arena: i64, state: &'static str, count: u64) {
        if let Some(field) = self.fields.get(&arena).filter(|_| count > 0) {
            self.shared.metrics.matches(&field.arena.get().slug, state, count);
        }
    }

    /// Counts a match that was played for the figures, with its faults.
    fn count_played(&self, arena: i64, outcome: &MatchOutcome) {
        self.count(arena, "played", 1);
        self.count(arena, "void", outcome.void.len() as u64);
        if let Some(field) = self.fields.get(&arena) {
            let took = Duration::from_millis(outcome.ms);
            self.shared.metrics.match_took(&field.arena.get().slug, took);
        }
        for (&kind, &count) in outcome.result.players.iter().flat_map(|player| &player.faults) {
            self.shared.metrics.faults(kind, count);
        }
    }

    /// Halves the times once they are long.
    fn forget_times(&mut self) {
        if self.rated_us.max(self.compared_us) > FORGET_US {
            self.rated_us /= 2;
            self.compared_us /= 2;
        }
    }

    fn compared(&mut self, leg: Leg, outcome: Option<&MatchOutcome>) {
        let places = outcome.map(|outcome| {
            let places: Vec<u32> =
                outcome.result.standing.players.iter().map(|player| player.place).collect();
            let (one, other) = (places[0], places[1]);
            if leg.is_exchanged { (other, one) } else { (one, other) }
        });
        let took = outcome.map_or(self.mean_us, result::wall_us);
        self.compared_us += took;
        self.forget_times();
        self.comparisons.over(leg, places, took);
    }

    fn played(&mut self, planned: &Planned, outcome: &MatchOutcome, replay: Option<Vec<u8>>) {
        let played = result::played(outcome, &planned.players);
        self.mean_us = (7 * self.mean_us + outcome.ms.saturating_mul(1_000).max(100)) / 8;
        self.rated_us += outcome.ms * 1_000;
        self.forget_times();
        self.count_played(planned.arena, outcome);
        let Some(field) = self.fields.get_mut(&planned.arena) else { return };
        field.given_up = 0;
        field.charged = (field.charged + played.wall_us).saturating_sub(planned.charged);
        let changed = match field.ladder.played(&played) {
            Ok(changed) => changed,
            Err(problem) => {
                // The pairing was the ladder's own.
                self.shared.problems.note("match", &problem.to_string());
                return;
            }
        };
        let board = field.arena.board();
        let opened = replay.as_deref().and_then(|bytes| Replay::open(bytes).ok());
        let mut seats = result::seats(outcome, &planned.players, opened.as_ref());
        let mut statements = Vec::new();
        for entrant in changed {
            let id = id_of(entrant.id);
            let Some(known) = field.versions.get_mut(&id) else { continue };
            let Some(seat) = seats.iter_mut().find(|seat| seat.version == id) else { continue };
            let play = &mut known.play;
            (play.mu, play.sigma) = (entrant.skill.mu, entrant.skill.sigma);
            (play.matches, play.pass, play.mean_us) =
                (entrant.matches, entrant.pass, entrant.mean_us);
            play.seats = entrant.seats;
            result::count(play, &played.places, seat.seat, seat.faults);
            // As pages show it at this moment; after a first match, as the ladder believes.
            let believed = ranking::of_skill(play.mu, play.sigma).elo;
            seat.rating = Some(board.rating(id).unwrap_or(believed));
            statements.push(versions::keep(id, play));
        }
        let of = Match {
            ms: Some(outcome.ms),
            turns: Some(outcome.result.turns),
            replay: replay.as_deref().map(Digest::of),
            outcome: Some(result::outcome(outcome)),
            state_hash: Some(outcome.result.state_hash),
            ..planned.ended(MatchState::Played)
        };
        statements.extend(of.end());
        statements.extend(seats.iter().map(|seat| seat.end(of.arena, of.number)));
        let (players, places) = result::in_order(&planned.players, &played.places);
        statements.extend(counts::count(planned.arena, &players, &places, 1));
        let record = result::record(outcome, planned.number, opened.as_ref());
        let logged = Logged::Played(record);
        let arena = planned.arena;
        self.recorder.record(Entry { statements, replay, logged, arena });
        self.note_health(planned, outcome);
    }

    /// Pauses bots that keep failing.
    fn note_health(&mut self, planned: &Planned, outcome: &MatchOutcome) {
        // A final is played to its end, whatever its bots do.
        let field = self.fields.get_mut(&planned.arena).filter(|field| field.plan.is_none());
        let Some(field) = field else { return };
        for (seat, &id) in planned.players.iter().enumerate() {
            let Some(known) = field.versions.get_mut(&id_of(id)) else { continue };
            let ending = result::ending(&outcome.result, seat);
            let Some(why) = known.health.note(ending) else { continue };
            let stopped = Stopped { by: StoppedBy::Failures, why, at: now() };
            field.ladder.leave(version_id(id_of(id)));
            let statements = vec![
                bots::stop_unless_excluded(known.bot, Some(&stopped)),
                audit::note(None, "bot.paused", &known.name, &stopped.why),
            ];
            let logged = Logged::Nothing;
            let arena = planned.arena;
            self.recorder.record(Entry { statements, replay: None, logged, arena });
        }
    }

    /// Notes that a match counts for nothing.
    pub(super) fn give_up(&mut self, planned: &Planned, why: &str) {
        let is_erased = self.is_erased(planned);
        self.count(planned.arena, "given_up", 1);
        warn!(arena = planned.arena, number = planned.number, why, "a match is given up");
        if let Some(field) = self.fields.get_mut(&planned.arena) {
            field.ladder.gave_up(&planned.players);
            // The server is well if it is about a bot that has gone.
            field.given_up += u32::from(!is_erased);
            if let Some(plan) = &mut field.plan {
                plan.given_up.push(planned.number);
            }
            if field.given_up > 2 {
                let rest = REST * field.given_up.min(30);
                field.rests_until = Some(Instant::now() + rest);
            }
        }
        let outcome = Some(Outcome { reason: why.to_owned(), ..Outcome::default() });
        let of = Match { outcome, ..planned.ended(MatchState::GivenUp) };
        let (statements, logged) = (of.end(), Logged::GivenUp(planned.number));
        self.recorder.record(Entry { statements, replay: None, logged, arena: planned.arena });
    }
}
