//! Properties of ladders, with any matchmaker.

use std::collections::{BTreeMap, BTreeSet};

use agon_contest::{Entrant, Games, History, Pairing, PairingSeeds, Played, Schedule, format::*};
use agon_core::Seed;

use crate::common::*;

const RULES: LadderRules = LadderRules {
    entrants: 12,
    size: 2,
    wave: 16,
    limit: None,
    floor: 100,
    games: MIRRORED,
    seed: Seed::plain(1),
};

fn adaptive(rules: LadderRules) -> Ladder {
    Ladder::new(rules, Box::<AdaptiveMatchmaker>::default())
}

/// Plays this many waves, which the lower number always wins, and returns the history.
fn waves(rules: LadderRules, count: usize) -> History {
    let mut schedule = Schedule::new(Box::new(adaptive(rules)), rules.seed);
    while schedule.wave() < count && !schedule.is_finished() {
        for game in schedule.missing() {
            schedule.record(game.id, by_rank(&game, |e| e.0)).unwrap();
        }
    }
    let mut history = schedule.history();
    history.waves.truncate(count);
    history
}

fn next(ladder: &Ladder, history: &History) -> Vec<Pairing> {
    match ladder.next(history) {
        Next::Wave(wave) => wave,
        Next::Finished => Vec::new(),
    }
}

fn members(pairing: &Pairing) -> Vec<Entrant> {
    let mut members = pairing.entrants.clone();
    members.sort_unstable();
    members
}

#[test]
fn choices_depend_on_the_history_alone() {
    let history = waves(RULES, 9);
    let went_along = adaptive(RULES);
    for wave in 0..9 {
        let before = History { waves: history.waves[..wave].to_vec() };
        // The schedule sets the seeds.
        let chosen = |played: &Played| Pairing {
            seeds: PairingSeeds::Place(Seed(0)),
            ..played.pairing.clone()
        };
        let expected: Vec<Pairing> = history.waves[wave].iter().map(chosen).collect();
        assert_eq!(next(&went_along, &before), expected, "wave {wave}");
        assert_eq!(next(&went_along, &before), expected, "wave {wave} asked for again");
        assert_eq!(next(&adaptive(RULES), &before), expected, "wave {wave} from scratch");
    }
    // Another history, which does not continue from what the ladder has learned.
    let other = waves(LadderRules { seed: Seed(2), ..RULES }, 9);
    assert_ne!(other, history);
    assert_eq!(next(&went_along, &other), next(&adaptive(RULES), &other));
    let short = History { waves: history.waves[..4].to_vec() };
    assert_eq!(next(&went_along, &short), next(&adaptive(RULES), &short));
}

#[test]
fn a_wave_does_not_ask_the_same_again_and_again() {
    // Of 16 groups; without regard to the ones before all would be the same.
    for (size, same, different) in [(2, 6, 5), (4, 10, 3)] {
        let games = Games { matches: size as u32, mirrored: true };
        let rules = LadderRules { size, games, ..RULES };
        for count in [0, 1, 5, 20] {
            let wave = next(&adaptive(rules), &waves(rules, count));
            let mut times: BTreeMap<Vec<Entrant>, u32> = BTreeMap::new();
            for pairing in &wave {
                let group = members(pairing);
                assert_eq!((group.len(), pairing.count), (size, size as u32));
                assert!(group.windows(2).all(|two| two[0] < two[1]), "nobody twice: {group:?}");
                *times.entry(group).or_default() += 1;
            }
            let most = times.values().max().unwrap();
            assert!(
                *most <= same && times.len() >= different,
                "{size} of 12 after {count} waves: {times:?}"
            );
        }
    }
    // Before anything is known all are equal: everybody plays.
    let first = next(&adaptive(LadderRules { wave: 6, ..RULES }), &History::default());
    let all: BTreeSet<Entrant> =
        first.iter().flat_map(|pairing| pairing.entrants.clone()).collect();
    assert_eq!(all.len(), 12, "{first:?}");
}

#[test]
fn neighbours_play_each_other_once_they_are_known() {
    let wave = next(&adaptive(RULES), &waves(RULES, 20));
    // The true order is that of the numbers.
    let apart: Vec<u32> =
        wave.iter().map(|pairing| members(pairing)[1].0 - members(pairing)[0].0).collect();
    assert!(apart.iter().all(|&apart| apart <= 2), "{apart:?}");
}

#[test]
fn whoever_has_played_little_plays_first() {
    // All but the last bot play for a while, as if that one had joined afterwards.
    let mut history = waves(LadderRules { entrants: 11, ..RULES }, 20);
    let wave = next(&adaptive(LadderRules { floor: 100_000, ..RULES }), &history);
    let of_new = |wave: &[Pairing]| {
        wave.iter().filter(|pairing| pairing.entrants.contains(&Entrant(11))).count()
    };
    assert!(wave[0].entrants.contains(&Entrant(11)), "{wave:?}");
    assert!(of_new(&wave) >= 4, "{wave:?}");
    // With a floor it plays in every group, as long as it is behind.
    let wave = next(&adaptive(LadderRules { floor: 10, ..RULES }), &history);
    assert_eq!(of_new(&wave), 16);
    // Without results the unknown are still unknown.
    history.waves.clear();
    assert_eq!(of_new(&next(&adaptive(LadderRules { wave: 6, ..RULES }), &history)), 1);
}

#[test]
fn nobody_starves_where_much_is_certain() {
    // The order is certain soon, with nothing left to find out about most.
    for (size, floor) in [(2, 10), (2, 60), (4, 10)] {
        let games = Games { matches: size as u32, mirrored: true };
        let rules = LadderRules { size, floor, games, ..RULES };
        let history = waves(rules, 60);
        let calls = history.calls(12);
        let average = calls.iter().sum::<u32>() / 12;
        let least = *calls.iter().min().unwrap();
        // A group may be scheduled before the next starving one has its turn.
        assert!(least + floor + 2 * size as u32 >= average, "{size} {floor}: {calls:?}");
    }
    let calls = waves(LadderRules { floor: 100_000, ..RULES }, 60).calls(12);
    let average = calls.iter().sum::<u32>() / 12;
    assert!(
        calls.iter().any(|&count| count + 60 < average),
        "the floor is what holds them: {calls:?}"
    );
}

#[test]
fn seats_are_dealt_evenly() {
    let rules = LadderRules { games: SINGLE, limit: Some(2000), ..RULES };
    let mut schedule = Schedule::new(Box::new(adaptive(rules)), Seed(1));
    let all = play(&mut schedule, 0, usize::MAX);
    let seats = seats(&all);
    let counts = counts(&all, 12);
    for entrant in Entrant::all(12) {
        let share = f64::from(seats[&(entrant, 0)]) / f64::from(counts[entrant.index()]);
        assert!((share - 0.5).abs() < 0.15, "{entrant:?}: {share}");
    }
}

#[test]
fn the_table_knows_whom_one_played() {
    let history = waves(RULES, 12);
    let standing = adaptive(RULES).standing(&history);
    let order: Vec<u32> = standing.iter().map(|row| row.entrant.0).collect();
    assert_eq!(order, (0..12).collect::<Vec<_>>());
    assert!(standing[0].reason.starts_with("by rating; "), "{standing:?}");
    assert!(standing[0].reason.ends_with(" points"), "{standing:?}");
    assert!(!standing[0].reason.contains("Elo"), "{standing:?}");
    // Bots that have not played stand last, together.
    let standing = adaptive(LadderRules { entrants: 14, ..RULES }).standing(&history);
    assert_eq!((standing[12].place, standing[13].place), (13, 13));
    assert_eq!(standing[13].reason, "no match yet");
    let standing = adaptive(RULES).standing(&History::default());
    assert!(standing.iter().all(|row| row.place == 1));
}

#[test]
fn a_thousand_bots_are_matched_quickly() {
    let rules = LadderRules { entrants: 1000, wave: 500, ..RULES };
    // Made-up matches of neighbours; how they are chosen does not matter here.
    let mut history = History::default();
    for round in 0..100 {
        let wave = (0..500).map(|pairing| {
            let low = (pairing * 7 + round * 13) % 990;
            let apart = 1 + (pairing + round) % 9;
            let entrants = vec![Entrant(low), Entrant(low + apart)];
            let id = agon_contest::PairingId { round, group: 0, pairing };
            let pairing = Pairing::new(id, entrants, MIRRORED);
            let outcomes = pairing.matches().map(|game| (game.id.number, made_up(&game))).collect();
            Played { pairing, outcomes }
        });
        history.waves.push(wave.collect());
    }
    let ladder = adaptive(rules);
    next(&ladder, &History { waves: history.waves[..99].to_vec() });
    let start = std::time::Instant::now();
    assert_eq!(next(&ladder, &history).len(), 500);
    let took = start.elapsed();
    eprintln!("a wave of 500 groups: {took:?}");
    assert!(took.as_secs() < 20, "{took:?}");
}
