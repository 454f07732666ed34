//! The events of `agon compare --json`.

use std::path::Path;

use agon_contest::compare::{Arrival, Counted, NEW, OLD, Results, Setup};
use agon_contest::events::{ComparisonStart, ComparisonVerdict, CountedMatch, CountedSeed};

use super::report::Findings;

/// Returns what the comparison asks.
pub(super) fn start(setup: &Setup) -> ComparisonStart<'_> {
    let base = &setup.series.base;
    let options = &setup.options;
    ComparisonStart {
        game: base.game.meta().id,
        rules_version: base.rules_version,
        rules: &base.rules,
        seed: setup.seed,
        design: setup.design,
        question: setup.question(),
        new: setup.bots.info(NEW),
        old: setup.bots.info(OLD),
        others: setup.bots.others().iter().map(|bot| &bot.info).collect(),
        max: options.test.max,
    }
}

/// Returns the matches of a seed, and the results up to it. `names` are those of all bots.
pub(super) fn progress<'a>(
    counted: &'a Counted<Arrival>,
    results: &Results,
    names: &'a [String],
) -> CountedSeed<'a> {
    let row = |(seats, arrival): (&Vec<usize>, &'a Arrival)| CountedMatch {
        seats: seats.iter().map(|&bot| names[bot].as_str()).collect(),
        places: &arrival.played.places,
        turns: arrival.played.turns,
    };
    CountedSeed {
        number: counted.number,
        seed: counted.seed,
        matches: counted.seatings.iter().zip(&counted.matches).map(row).collect(),
        state: results.trial.report(),
        tally: results.trial.judge().tally(),
    }
}

/// Returns what the comparison found.
pub(super) fn verdict<'a>(findings: &Findings<'a>) -> ComparisonVerdict<'a> {
    ComparisonVerdict {
        verdict: findings.verdict,
        decided: findings.verdict.is_decided(),
        sentence: findings.sentence(),
        seeds: findings.seeds,
        matches: findings.seeds * findings.design.matches_each(),
        state: findings.report,
        interval: findings.interval.map(|(low, high)| [low, high]),
        tally: findings.tally,
        void: findings.void,
        different: findings.sameness.different(),
        warning: findings.warning(),
        faults: findings.faults.faulty().collect(),
        replays: findings.replays.map(Path::to_string_lossy),
        out: findings.results.map(Path::to_string_lossy),
        shared_jvm: findings.shared_jvm,
    }
}
