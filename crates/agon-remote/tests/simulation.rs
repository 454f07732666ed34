//! Whatever the carrier, the workers and the coordinator suffer: each match is counted once.

use agon_remote::fleet::simulation::{Report, Scenario, simulate};

/// Checks that all matches were counted once, and that none but deadly ones was given up.
fn check(scenario: &Scenario, report: &Report) {
    let seed = scenario.seed;
    let twice = report.counted.values().filter(|count| **count != 1).count();
    assert_eq!(twice, 0, "seed {seed}: matches were counted twice");
    let ended = report.counted.len() + report.quarantined.len();
    assert_eq!(ended, scenario.matches, "seed {seed}: matches are missing after {}", report.took);
    // Where workers die of themselves, it may be in the same match three times.
    let more = usize::from(scenario.deaths > 0);
    let most = scenario.deadly + more;
    let quarantined = report.quarantined.len();
    assert!((scenario.deadly..=most).contains(&quarantined), "seed {seed}: {quarantined}");
}

#[test]
fn without_trouble_every_match_is_played_once() {
    for classes in [1, 3] {
        let scenario = Scenario { classes, ..Scenario::default() };
        let report = simulate(&scenario);
        check(&scenario, &report);
        assert_eq!(report.played, scenario.matches as u64);
        assert!(report.busy > 800_000, "the slots were busy for {} of a million", report.busy);
    }
}

#[test]
fn trouble_of_all_kinds_costs_time_and_never_a_match() {
    let seeds = std::env::var("AGON_SEEDS").map_or(60, |n| n.parse().unwrap());
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
        check(&scenario, &simulate(&scenario));
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
        let scenario = Scenario { workers, slots, matches: 300, ..Scenario::default() };
        check(&scenario, &simulate(&scenario));
    }
    let scenario = Scenario { matches: 0, ..Scenario::default() };
    check(&scenario, &simulate(&scenario));
}

#[test]
fn long_matches_are_spread_over_all_workers() {
    let scenario = Scenario {
        workers: 20,
        slots: 2,
        matches: 40,
        service: (60_000_000, 1_000_000),
        ..Scenario::default()
    };
    let report = simulate(&scenario);
    check(&scenario, &report);
    // Each slot has one: nobody holds a second one back.
    assert!(report.took < 90_000_000, "{}", report.took);
}

/// Returns how long twenty runs take together: with slow workers that leave the last matches to
/// others, with slow ones that take whatever there is, and with as many workers as are not slow.
fn with_slow_workers(workers: usize, slots: usize, share: u32, matches: usize) -> [u64; 3] {
    let mut all = [0; 3];
    for seed in 0..20 {
        let scenario = Scenario {
            seed,
            workers,
            slots,
            matches,
            service: (20_000_000, 1_000_000),
            stragglers: share * 10_000,
            ..Scenario::default()
        };
        let quick = workers * (100 - share as usize) / 100;
        let without = Scenario { workers: quick, stragglers: 0, ..scenario.clone() };
        let eager = Scenario { is_eager: true, ..scenario.clone() };
        for (sum, scenario) in all.iter_mut().zip([scenario, eager, without]) {
            let report = simulate(&scenario);
            check(&scenario, &report);
            *sum += report.took;
        }
    }
    all
}

#[test]
fn slow_workers_help_and_do_not_hold_up_the_end() {
    let fleets = [(20, 1, 40, 200), (20, 4, 40, 800), (20, 1, 5, 400), (4, 2, 50, 60)];
    for (workers, slots, share, matches) in fleets {
        let [patient, eager, without] = with_slow_workers(workers, slots, share, matches);
        let case = format!("{workers} workers, {slots} slots, {share} % slow");
        assert!(patient < eager, "{case}: the end comes earlier: {patient} and {eager}");
        assert!(patient < without, "{case}: they help: {patient} and {without}");
    }
}
