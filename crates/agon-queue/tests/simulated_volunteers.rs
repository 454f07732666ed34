//! Simulated volunteers: honest ones, and those who lie, drop results or meddle.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_queue::simulation::{Scenario, simulate};

/// Four trusted workers, and eight of volunteers.
fn fleet(seed: u64) -> Scenario {
    let classes = 1 + (seed % 3) as u32;
    Scenario { seed, classes, workers: 12, lent: 8, matches: 4_000, ..Scenario::default() }
}

#[test]
fn honest_volunteers_play_most_matches_and_few_are_played_twice() {
    let scenario = Scenario { loss: 5_000, deaths: 200, ..fleet(3) };
    let report = simulate(&scenario);
    assert_eq!((report.counted.len(), report.wrong), (4_000, 0));
    assert_eq!(report.excluded, [] as [String; 0]);
    assert!(report.played < 4_700, "{} matches were played", report.played);
}

#[test]
fn liars_are_found_and_what_they_said_since_their_last_check_does_not_count() {
    let seeds = std::env::var("AGON_SEEDS").map_or(30, |n| n.parse().unwrap());
    let mut wrong = 0;
    for seed in 0..seeds {
        let scenario = Scenario { liars: (2, 300_000), loss: 2_000, ..fleet(seed) };
        let report = simulate(&scenario);
        assert_eq!(report.counted.len(), 4_000, "seed {seed}");
        assert!(report.counted.values().all(|count| *count == 1), "seed {seed}");
        assert_eq!(report.excluded.len(), 2, "seed {seed}: {:?}", report.excluded);
        wrong += report.wrong;
    }
    // They lie from the beginning, where all is checked: few get beyond that.
    assert!(wrong < 2 * seeds, "{wrong} wrong results counted");
}

#[test]
fn a_liar_without_a_trusted_worker_is_found_by_other_volunteers() {
    for seed in 0..10 {
        let report =
            simulate(&Scenario { workers: 8, lent: 8, liars: (1, 500_000), ..fleet(seed) });
        assert_eq!((report.counted.len(), report.wrong), (4_000, 0), "seed {seed}");
        assert_eq!(report.excluded, ["v7"], "seed {seed}");
    }
}

#[test]
fn who_drops_results_is_found_and_others_play_those_matches() {
    for seed in 0..10 {
        // Long enough to be sure: in a short run it takes too few batches.
        let fleet = Scenario { matches: 16_000, ..fleet(seed) };
        let report = simulate(&Scenario { droppers: (1, 200_000), loss: 2_000, ..fleet });
        assert_eq!((report.counted.len(), report.wrong), (16_000, 0), "seed {seed}");
        assert_eq!(report.excluded, ["v4"], "seed {seed}");
    }
}

#[test]
fn native_bots_on_volunteers_cost_twice_the_matches() {
    let report = simulate(&Scenario { is_repeatable: false, ..fleet(1) });
    assert_eq!(report.counted.len(), 4_000);
    assert!((5_000..8_100).contains(&report.played), "{}", report.played);
}

#[test]
fn who_tells_of_what_it_never_had_disturbs_nobody() {
    let seeds = std::env::var("AGON_SEEDS").map_or(30, |n| n.parse().unwrap());
    let mut wrong = 0;
    for seed in 0..seeds {
        let meddlers = (1 + seed as usize % 2, 200_000);
        let scenario = Scenario { meddlers, lacking: 1_000, loss: 2_000, ..fleet(seed) };
        let report = simulate(&scenario);
        assert_eq!(report.counted.len(), 4_000, "seed {seed}: {:?}", report.quarantined);
        assert!(report.counted.values().all(|count| *count == 1), "seed {seed}");
        // The last ones are the meddlers.
        let is_honest = |name: &String| !["v11", "v10"][..meddlers.0].contains(&name.as_str());
        assert!(!report.excluded.iter().any(is_honest), "seed {seed}: {:?}", report.excluded);
        wrong += report.wrong;
    }
    // They lie with each tenth message, and with several classes they send more of them.
    assert!(wrong < 4 * seeds, "{wrong} wrong results counted");
}

#[test]
fn honest_volunteers_on_a_slow_network_or_a_busy_machine_are_not_excluded() {
    let times = [(5_000_000, 0), (20_000_000, 0), (5_000, 10_000_000), (5_000, 20_000_000)];
    for seed in 0..10 {
        for (most, results_late) in times {
            let scenario = Scenario {
                workers: 4,
                lent: 3,
                matches: 400,
                service: (300_000, 100_000),
                delay: (500, most),
                results_late,
                ..fleet(seed)
            };
            let report = simulate(&scenario);
            assert_eq!(report.counted.len(), 400, "seed {seed}, {most}, {results_late}");
            assert_eq!(report.excluded, [] as [String; 0], "seed {seed}, {most}, {results_late}");
        }
    }
}
