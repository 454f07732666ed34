//! Whatever the carrier, the workers and the coordinator suffer: each match is counted once.

#[allow(dead_code, reason = "the benchmark reads more of a report")]
mod world;

use self::world::{Report, Scenario, simulate};

/// Plays a scenario, and checks that all matches were counted once, and that none but deadly ones
/// was given up.
fn check(scenario: &Scenario) -> Report {
    let report = simulate(scenario);
    let seed = scenario.seed;
    let twice = report.counted.values().filter(|count| **count != 1).count();
    assert_eq!(twice, 0, "seed {seed}: matches were counted twice");
    let ended = report.counted.len() + report.given_up.len();
    assert_eq!(ended, scenario.matches, "seed {seed}: matches are missing after {}", report.took);
    // Where workers die of themselves, it may be in the same match three times.
    let most = scenario.deadly + usize::from(scenario.deaths > 0);
    let given_up = report.given_up.len();
    assert!((scenario.deadly..=most).contains(&given_up), "seed {seed}: {given_up}");
    report
}

#[test]
fn without_trouble_every_match_is_played_once() {
    for classes in [1, 3] {
        let scenario = Scenario { classes, ..Scenario::default() };
        let report = check(&scenario);
        assert_eq!(report.played, scenario.matches as u64);
        assert!(report.busy > 800_000, "the slots were busy for {} of a million", report.busy);
    }
}

#[test]
fn trouble_of_all_kinds_costs_time_and_never_a_match() {
    let seeds = std::env::var("AGON_SEEDS").map_or(24, |n| n.parse().unwrap());
    for seed in 0..seeds {
        let mut scenario = Scenario {
            seed,
            classes: 1 + (seed / 4 % 3) as u32,
            loss: 20_000,
            repeat: 20_000,
            forget: 20_000,
            deaths: 500,
            stalls: 200,
            stragglers: 100_000,
            service: (1_000, 40_000),
            delay: (200, 200_000),
            ..Scenario::default()
        };
        match seed % 4 {
            1 => scenario.wipes = vec![1_500_000, 3_000_000],
            2 => scenario.kills = vec![1_000_000, 2_500_000, 2_600_000],
            3 => (scenario.deadly, scenario.deaths, scenario.stalls) = (3, 0, 0),
            _ => scenario.matches = 3,
        }
        check(&scenario);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let scenario = Scenario { loss: 10_000, deaths: 1_000, ..Scenario::default() };
    let run = || {
        let report = simulate(&scenario);
        (report.took, report.played, report.messages, report.busy)
    };
    assert_eq!(run(), run());
}

#[test]
fn one_worker_or_none_at_first_is_enough() {
    for (workers, slots) in [(1, 1), (1, 16), (40, 1)] {
        check(&Scenario { workers, slots, matches: 300, ..Scenario::default() });
    }
    check(&Scenario { matches: 0, ..Scenario::default() });
}

#[test]
fn long_matches_are_spread_over_all_workers() {
    let service = (60_000_000, 1_000_000);
    let report = check(&Scenario { workers: 20, matches: 40, service, ..Scenario::default() });
    // Each slot has one: nobody holds a second one back.
    assert!(report.took < 90_000_000, "{}", report.took);
}
