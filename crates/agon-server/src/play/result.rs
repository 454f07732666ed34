//! From the outcome of a match to what is kept of it, and to what the ladder learns.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Fault, FaultKind, Player};
use agon_ladder::ledger::{MatchRecord, record_digest};
use agon_ladder::{Ending, Played, VersionId};
use agon_match::replay::{BotTotals, Replay, Spread};
use agon_match::spec::{Digest, MatchOutcome, MatchResult};

use super::id_of;
use crate::store::matches::{Cost, Outcome, Seat, hash_text};
use crate::store::versions::PlayState;

/// What a match is charged at least, in microseconds.
///
/// Otherwise bots that answer at once would play thousands of matches for one of the others, and
/// nobody would learn anything from them.
const LEAST: u64 = 20_000;

/// The longest stderr of a bot in a match that is kept, in bytes.
const STDERR: usize = 16 << 10;

/// The most faults of a match that are kept with evidence.
const FAULTS: usize = 40;

/// Returns what the ladder learns of a match.
pub(super) fn played(outcome: &MatchOutcome, players: &[VersionId]) -> Played {
    let result = &outcome.result;
    let wall_us = wall_us(outcome);
    let measured =
        |player: &agon_match::spec::PlayerResult| player.totals.as_ref().and_then(own_us);
    // Nobody measures built-in bots: they have what the others leave.
    let known: u64 = result.players.iter().filter_map(measured).sum();
    let unmeasured = result.players.iter().filter(|player| measured(player).is_none()).count();
    let rest = wall_us.saturating_sub(known) / (unmeasured as u64).max(1);
    let thinking = |player: &agon_match::spec::PlayerResult| measured(player).unwrap_or(rest);
    Played {
        players: players.to_vec(),
        places: result.standing.players.iter().map(|player| player.place).collect(),
        wall_us,
        thinking_us: result.players.iter().map(thinking).collect(),
    }
}

/// Returns how long a match took, in microseconds, or the least that is charged for it.
pub(super) fn wall_us(outcome: &MatchOutcome) -> u64 {
    outcome.ms.saturating_mul(1_000).max(LEAST)
}

/// Returns the own time of a bot, in microseconds: how long the arena waited for its answers, since
/// one that sleeps takes a slot, too; or its CPU time, which its start and what it does while
/// others think belong to.
fn own_us(totals: &BotTotals) -> Option<u64> {
    let waited = totals.wall_per_answer?.mean_ns.saturating_mul(totals.answers) / 1_000;
    Some(waited.max(totals.cpu_us.unwrap_or(0)))
}

/// Returns how the match ended for a player, for [`agon_ladder::Health`].
pub(super) fn ending(result: &MatchResult, player: usize) -> Ending {
    const GONE: [FaultKind; 4] =
        [FaultKind::Start, FaultKind::Crash, FaultKind::Closed, FaultKind::Memory];
    let facts = &result.players[player];
    if let Some(&kind) = GONE.iter().find(|kind| facts.faults.contains_key(kind)) {
        return Ending::Stopped(kind);
    }
    let faults: u64 = facts.faults.values().sum();
    let share = result.decisions / (result.players.len() as u64).max(1);
    let asked = facts.totals.as_ref().map_or(share, |totals| totals.decisions);
    // It does not play if most of its answers are none.
    let most = facts.faults.iter().max_by_key(|(_, count)| **count);
    match most {
        Some((&kind, _)) if faults * 2 > asked => Ending::Stopped(kind),
        Some((&kind, _)) => Ending::Faulty(kind),
        None => Ending::Clean,
    }
}

/// Returns what is kept of the match as a whole.
pub(super) fn outcome(outcome: &MatchOutcome) -> Outcome {
    let result = &outcome.result;
    let reason = result.standing.outcome.as_ref().map(|outcome| outcome.reason.clone());
    let mut seen = BTreeSet::new();
    // The first one of each player and kind, and few of them.
    let is_kept = |fault: &&Fault| seen.insert((fault.player, fault.kind));
    Outcome {
        reason: reason.unwrap_or_else(|| format!("after {} turns", result.turns)),
        annulled: String::new(),
        void: outcome.void.len(),
        faults: result.faults.iter().filter(is_kept).take(FAULTS).cloned().collect(),
        machine: outcome.machine.clone(),
    }
}

/// Returns what the log says of the match.
pub(super) fn record(outcome: &MatchOutcome, number: u64, replay: Option<&Replay>) -> MatchRecord {
    let result = &outcome.result;
    let record = replay.and_then(|replay| record_digest(replay).ok());
    MatchRecord {
        number,
        places: result.standing.players.iter().map(|player| player.place).collect(),
        steps: result.steps,
        state_hash: hash_text(result.state_hash),
        // Nothing was recorded; the arena's own replays can be read.
        record: record.unwrap_or_else(|| Digest::of(&[])),
    }
}

/// Returns what is kept of each seat; ratings are still to be set.
pub(super) fn seats(
    outcome: &MatchOutcome,
    players: &[VersionId],
    replay: Option<&Replay>,
) -> Vec<Seat> {
    let result = &outcome.result;
    let wrote = |player: &agon_match::spec::PlayerResult| {
        player.totals.as_ref().is_some_and(|totals| totals.stderr_bytes > 0)
    };
    // Most bots write nothing.
    let talk = match result.players.iter().any(wrote) {
        true => replay.map(stderr_of).unwrap_or_default(),
        false => BTreeMap::new(),
    };
    let seat = |(seat, player): (usize, &agon_match::spec::PlayerResult)| Seat {
        seat,
        version: id_of(players[seat]),
        place: Some(result.standing.players[seat].place),
        faults: player.faults.values().sum(),
        cpu_us: player.totals.as_ref().and_then(|totals| totals.cpu_us),
        decisions: player.totals.as_ref().map(|totals| totals.decisions),
        rating: None,
        cost: player.totals.as_ref().and_then(cost),
        stderr: talk.get(&Player::from_index(seat)).cloned(),
    };
    result.players.iter().enumerate().map(seat).collect()
}

fn cost(totals: &BotTotals) -> Option<Cost> {
    let Spread { median_ns, p99_ns, max_ns, .. } = totals.cpu_per_decision?;
    Some(Cost { median: median_ns, p99: p99_ns, most: max_ns, memory: totals.peak_memory })
}

/// Returns the end of what each bot wrote to stderr.
fn stderr_of(replay: &Replay) -> BTreeMap<Player, String> {
    let diagnosis = replay.diagnosis().ok().flatten();
    let mut all = BTreeMap::new();
    for bot in diagnosis.map(|diagnosis| diagnosis.bots).unwrap_or_default() {
        let mut text = String::new();
        for turn in bot.stderr.turns() {
            match turn.step {
                Some(step) => text.push_str(&format!("[step {step}] ")),
                None => text.push_str("[at the end] "),
            }
            text.push_str(turn.text.trim_end());
            text.push('\n');
        }
        let from = text.ceil_char_boundary(text.len().saturating_sub(STDERR));
        if !text.is_empty() {
            all.insert(bot.player, text[from..].to_owned());
        }
    }
    all
}

/// Counts a match in what is kept of a version.
pub(super) fn count(play: &mut PlayState, places: &[u32], seat: usize, faults: u64) {
    let own = places[seat];
    let better = places.iter().filter(|&&other| other < own).count();
    let equal = places.iter().filter(|&&other| other == own).count() - 1;
    match (better, equal) {
        (0, 0) => play.wins += 1,
        (0, _) => play.ties += 1,
        _ => play.losses += 1,
    }
    play.faults += u64::from(faults > 0);
}

/// Returns players and places in the order of the players' ids, as results are counted.
pub(super) fn in_order(players: &[VersionId], places: &[u32]) -> (Vec<i64>, Vec<u32>) {
    let ids = players.iter().map(|&id| id_of(id));
    let mut both: Vec<(i64, u32)> = ids.zip(places.iter().copied()).collect();
    both.sort_unstable();
    both.into_iter().unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(wall_ms: u64, answers: u64, cpu_us: u64) -> BotTotals {
        let wall_per_answer = Some(Spread { mean_ns: wall_ms * 1_000_000, ..Spread::default() });
        BotTotals { answers, wall_per_answer, cpu_us: Some(cpu_us), ..BotTotals::default() }
    }

    #[test]
    fn the_own_time_of_a_bot_is_what_the_arena_waited_or_what_it_computed() {
        assert_eq!(own_us(&totals(5, 10, 20_000)), Some(50_000));
        assert_eq!(own_us(&totals(5, 10, 90_000)), Some(90_000));
        assert_eq!(own_us(&BotTotals::default()), None);
    }

    #[test]
    fn wins_ties_and_losses_are_counted() {
        let mut play = PlayState::default();
        count(&mut play, &[1, 2], 0, 0);
        count(&mut play, &[1, 1, 3], 1, 2);
        count(&mut play, &[1, 1, 3], 2, 0);
        count(&mut play, &[2, 1], 0, 1);
        assert_eq!((play.wins, play.ties, play.losses, play.faults), (1, 1, 2, 2));
    }

    #[test]
    fn equal_results_are_one_row() {
        let (one, other) = (VersionId(7), VersionId(3));
        assert_eq!(in_order(&[one, other], &[1, 2]), (vec![3, 7], vec![2, 1]));
        assert_eq!(in_order(&[other, one], &[2, 1]), (vec![3, 7], vec![2, 1]));
    }
}
