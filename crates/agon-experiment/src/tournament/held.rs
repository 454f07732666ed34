//! Finds out which results in a tournament's journal still hold, although bots may have changed.
//!
//! A tournament asks this when it opens its journal. If some do not hold, it starts a new journal.

use std::collections::BTreeSet;

use agon_tournament::{Entrant, Match, Plan, Record};

use super::Bots;

/// Why results of older versions do not hold.
pub(super) const OLDER: &str = "an older Agon played it, which did not note all files of bots and \
    no versions of built-in ones";

/// Returns whether a result still holds: its bots are what they were when it was played.
fn holds(plan: &Plan, bots: &Bots, record: &Record) -> bool {
    let Some(game) = match_of(plan, record) else { return true };
    let forfeits = bots.forfeits(&game);
    if record.forfeits.is_empty() {
        // Nobody can tell whether a bot has changed that cannot be read any more.
        let is_unknown = !forfeits.is_empty() && !bots.are_known(&game);
        is_unknown || bots.key(plan, &game).to_string() == record.key
    } else {
        record.forfeits == forfeits && bots.forfeit_key(plan, &game).to_string() == record.key
    }
}

/// Returns the match of a record, if all its bots are in the plan.
fn match_of(plan: &Plan, record: &Record) -> Option<Match> {
    let entrant =
        |name: &String| plan.bots.iter().position(|bot| bot.name == *name).map(Entrant::from_index);
    let seats = record.seats.iter().map(entrant).collect::<Option<_>>()?;
    Some(Match { id: record.id, seats, seed: record.seed })
}

/// Returns whether an older version of Agon wrote all these results, with the same bots as far as
/// its keys show.
pub(super) fn are_older(plan: &Plan, bots: &Bots, records: &[Record]) -> bool {
    let is_older = |record: &Record| {
        match_of(plan, record)
            .is_none_or(|game| bots.old_key(plan, &game).to_string() == record.key)
    };
    records.iter().all(is_older)
}

/// Returns the names of bots that have changed since their matches were played.
pub(super) fn changed<'a>(plan: &'a Plan, bots: &Bots, records: &'a [Record]) -> Vec<&'a str> {
    let (hold, do_not): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| holds(plan, bots, record));
    let of = |records: &[&'a Record]| -> BTreeSet<&'a str> {
        records.iter().flat_map(|record| record.seats.iter().map(String::as_str)).collect()
    };
    // A bot with a result that holds has not changed.
    let same = of(&hold);
    let suspects = of(&do_not);
    let changed: BTreeSet<&str> = suspects.difference(&same).copied().collect();
    let names = if changed.is_empty() { suspects } else { changed };
    plan.bots.iter().map(|bot| bot.name.as_str()).filter(|name| names.contains(name)).collect()
}
