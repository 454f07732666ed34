//! Properties of formats, on tournaments of all sizes with made-up results.

use std::collections::{BTreeMap, BTreeSet};

use agon_contest::{Entrant, Games, Match, Outcome, Schedule, format::*};
use agon_core::{Purpose, Seed};
use proptest::prelude::*;

use crate::common::*;

fn schedule(n: usize, which: usize, games: Games, seed: u64) -> (&'static str, Schedule) {
    let (name, format) = formats(n, games).swap_remove(which);
    (name, Schedule::new(format, Seed(seed)))
}

fn formats_count() -> usize {
    formats(4, SINGLE).len()
}

fn sorted(matches: &[(Match, Outcome)]) -> Vec<Match> {
    let mut matches: Vec<Match> = matches.iter().map(|(game, _)| game.clone()).collect();
    matches.sort_by_key(|game| game.id);
    matches
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_tournament_taken_up_again_is_the_same(
        n in 3usize..20,
        which in 0..formats_count(),
        stop in 0usize..160,
        order: u64,
    ) {
        let (name, mut whole) = schedule(n, which, MIRRORED, 11);
        let all = play(&mut whole, 0, usize::MAX);
        let (_, mut first) = schedule(n, which, MIRRORED, 11);
        let mut part = play(&mut first, order, stop);
        // What is left of it is read in any order.
        Seed::plain(order).stream(Purpose::Order, 2).shuffle(&mut part);
        let (_, mut again) = schedule(n, which, MIRRORED, 11);
        for (game, outcome) in &part {
            again.record(game.id, outcome.clone()).unwrap();
        }
        prop_assert_eq!(again.strays(), vec![]);
        prop_assert_eq!(again.missing(), first.missing(), "{}", name);
        let rest = play(&mut again, order ^ 1, usize::MAX);
        let both: Vec<_> = part.into_iter().chain(rest).collect();
        prop_assert_eq!(sorted(&both), sorted(&all), "{}", name);
        prop_assert_eq!(again.standing(), whole.standing(), "{}", name);
    }

    #[test]
    fn how_many_matches_there_will_be_is_known(
        n in 2usize..24,
        which in 0..formats_count(),
        mirrored: bool,
        order: u64,
    ) {
        let games = if mirrored { MIRRORED } else { SINGLE };
        let (name, mut whole) = schedule(n, which, games, order);
        let planned = whole.planned().unwrap();
        // The lower number wins always, so that nothing is level.
        better_wins(&mut whole);
        let matches = |schedule: &Schedule| {
            schedule.history().all().map(|p| p.outcomes.len() as u64).sum::<u64>()
        };
        prop_assert_eq!((planned, whole.planned()), (matches(&whole), Some(planned)), "{}", name);
        // With ties it can only grow, and is right in the end.
        let (_, mut whole) = schedule(n, which, games, order);
        let mut before = planned;
        let mut played = 0;
        while let Some(game) = whole.missing().first().cloned() {
            whole.record(game.id, made_up(&game)).unwrap();
            played += 1;
            let now = whole.planned().unwrap();
            prop_assert!(now >= before && now >= played, "{}: {} after {}", name, now, before);
            before = now;
        }
        prop_assert_eq!(before, played, "{}", name);
    }

    #[test]
    fn every_match_has_its_own_id_and_mirrored_seeds(
        n in 3usize..20,
        which in 0..formats_count(),
        seed: u64,
    ) {
        let (name, mut schedule) = schedule(n, which, MIRRORED, seed);
        let all = play(&mut schedule, 0, usize::MAX);
        let ids: BTreeSet<_> = all.iter().map(|(game, _)| game.id).collect();
        prop_assert_eq!(ids.len(), all.len(), "{}", name);
        // On each seed of a pairing, everybody of it has every seat once.
        let mut boards: BTreeMap<_, Vec<&Match>> = BTreeMap::new();
        for (game, _) in &all {
            boards.entry((game.id.pairing, game.seed)).or_default().push(game);
        }
        for board in boards.values() {
            let members: BTreeSet<Entrant> = board[0].seats.iter().copied().collect();
            prop_assert_eq!(board.len(), members.len(), "{}", name);
            for seat in 0..members.len() {
                let there: BTreeSet<Entrant> = board.iter().map(|game| game.seats[seat]).collect();
                prop_assert_eq!(&there, &members, "{}", name);
            }
        }
        let seeds: BTreeSet<_> = boards.keys().map(|(_, seed)| seed).collect();
        prop_assert_eq!(seeds.len(), boards.len(), "{}: other pairings have other seeds", name);
    }

    #[test]
    fn in_a_round_robin_all_meet_equally_often(n in 2usize..30, mirrored: bool) {
        let games = if mirrored { MIRRORED } else { SINGLE };
        let format = RoundRobin::pairs(n, games);
        for round in format.rounds() {
            let members: Vec<Entrant> = round.concat();
            let different: BTreeSet<_> = members.iter().collect();
            prop_assert_eq!(different.len(), members.len(), "nobody plays twice in a round");
        }
        let mut schedule = Schedule::new(Box::new(format), Seed(1));
        let all = play(&mut schedule, 0, usize::MAX);
        let groups: Vec<_> = all.iter().map(|(game, _)| game.seats.clone()).collect();
        let times = games.count(2);
        prop_assert_eq!(meetings(n, &groups), (times, times));
        let seats = seats(&all);
        for entrant in Entrant::all(n) {
            let count = |seat| seats.get(&(entrant, seat)).copied().unwrap_or(0);
            let [first, second] = [0, 1].map(count);
            prop_assert!(first.abs_diff(second) <= u32::from(!mirrored), "{first} and {second}");
        }
    }

    #[test]
    fn everybody_plays_as_often_as_anybody_else(
        n in 3usize..20,
        which in prop::sample::select(vec![0usize, 1, 3, 9]),
        order: u64,
    ) {
        let (name, mut schedule) = schedule(n, which, SINGLE, order);
        let counts = counts(&play(&mut schedule, order, usize::MAX), n);
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        prop_assert!(most - least <= 1, "{}: {:?}", name, counts);
    }

    #[test]
    fn there_is_one_champion(n in 1usize..40, which in 4usize..9, seed: u64, order: u64) {
        let (name, mut schedule) = schedule(n.max(2), which, MIRRORED, seed);
        play(&mut schedule, order, usize::MAX);
        let standing = schedule.standing();
        prop_assert_eq!(standing.len(), n.max(2), "{}", name);
        let first: Vec<_> = standing.iter().filter(|row| row.place == 1).collect();
        prop_assert_eq!(first.len(), 1, "{}: {:?}", name, standing);
        prop_assert!(first[0].reason.starts_with("won"), "{}", first[0].reason);
        prop_assert!(standing.iter().all(|row| !row.reason.contains("still in")), "{:?}", standing);
    }

    #[test]
    fn who_loses_twice_is_out_and_nobody_else(n in 2usize..40, reset: bool, seed: u64) {
        let double = Bracket::double(Entrant::all(n), reset, SINGLE, Ties { more: 0 });
        let mut schedule = Schedule::new(Box::new(double), Seed(1));
        let mut defeats = vec![0; n];
        while let Some(game) = schedule.missing().first().cloned() {
            // Any bot may win.
            let winner = usize::from(game.seed.derive(seed).number() % 2 == 0);
            defeats[game.seats[1 - winner].index()] += 1;
            prop_assert!(game.seats.iter().all(|e| defeats[e.index()] <= 2));
            let places = if winner == 0 { vec![1, 2] } else { vec![2, 1] };
            schedule.record(game.id, Outcome::new(places, vec![0, 0])).unwrap();
        }
        let standing = schedule.standing();
        let second = standing[1].entrant;
        for row in &standing[1..] {
            let fewest = if row.entrant == second && !reset { 1 } else { 2 };
            let lost = defeats[row.entrant.index()];
            prop_assert!((fewest..=2).contains(&lost), "{row:?} {defeats:?}");
        }
        prop_assert!(defeats[standing[0].entrant.index()] <= 1);
    }

    #[test]
    fn nobody_meets_twice_in_a_swiss_while_it_can_be_avoided(
        n in 2usize..11,
        rounds in 1u32..12,
        seed: u64,
    ) {
        let mut schedule = Schedule::new(Box::new(Swiss::new(n, Some(rounds), SINGLE)), Seed(seed));
        play(&mut schedule, 0, usize::MAX);
        let history = schedule.history();
        prop_assert_eq!(history.waves.len(), rounds as usize);
        let mut met = BTreeSet::new();
        for wave in &history.waves {
            let pairs: Vec<(u32, u32)> = wave.iter().map(|played| {
                let entrants = &played.pairing.entrants;
                // A bye is a meeting with nobody.
                let other = entrants.get(1).map_or(n as u32, |e| e.0);
                (entrants[0].0.min(other), entrants[0].0.max(other))
            }).collect();
            let again = pairs.iter().filter(|pair| met.contains(*pair)).count();
            let all: Vec<_> = (0..n.next_multiple_of(2) as u32).collect();
            prop_assert_eq!(again, fewest_again(&all, &met));
            met.extend(pairs);
        }
    }
}

/// The fewest second meetings of a round, by trying all.
fn fewest_again(left: &[u32], met: &BTreeSet<(u32, u32)>) -> usize {
    let Some((&first, others)) = left.split_first() else { return 0 };
    let pair = |at: usize| {
        let mut rest = others.to_vec();
        let other = rest.remove(at);
        usize::from(met.contains(&(first, other))) + fewest_again(&rest, met)
    };
    (0..others.len()).map(pair).min().unwrap()
}

#[test]
fn a_swiss_pairs_equals_and_balances_seats() {
    let mut schedule = Schedule::new(Box::new(Swiss::new(64, None, SINGLE)), Seed(5));
    let first: Vec<Vec<u32>> =
        schedule.missing().iter().map(|game| game.seats.iter().map(|e| e.0).collect()).collect();
    for seats in &first {
        assert_eq!(seats[0].abs_diff(seats[1]), 32, "the upper half meets the lower half");
    }
    let all = play(&mut schedule, 0, usize::MAX);
    assert_eq!(all.len(), 6 * 32);
    let seats = seats(&all);
    for entrant in Entrant::all(64) {
        let [first, second] = [0, 1].map(|seat| seats.get(&(entrant, seat)).copied().unwrap_or(0));
        assert!(first.abs_diff(second) <= 2, "{entrant:?}: {first} and {second}");
    }
}

#[test]
fn a_thousand_bots_play_a_swiss() {
    agon_testkit::slow!();
    let start = std::time::Instant::now();
    let mut schedule = Schedule::new(Box::new(Swiss::new(1001, Some(4), SINGLE)), Seed(5));
    let all = play(&mut schedule, 0, usize::MAX);
    assert_eq!(all.len(), 4 * 500);
    eprintln!("4 rounds of 1001 bots: {:?}", start.elapsed());
    let byes = counts(&all, 1001).into_iter().filter(|count| *count == 3).count();
    assert_eq!(byes, 4, "nobody has two byes");
}

#[test]
fn with_the_better_one_winning_the_bracket_follows_the_seeding() {
    let ties = Ties { more: 1 };
    let mut schedule =
        Schedule::new(Box::new(Bracket::single(Entrant::all(11), MIRRORED, ties)), Seed(1));
    // Byes for the best five of eleven: sixteen places.
    let first: Vec<Match> =
        schedule.missing().into_iter().filter(|game| game.id.pairing.round == 0).collect();
    let first: BTreeSet<u32> = first.iter().flat_map(|game| &game.seats).map(|e| e.0).collect();
    assert_eq!(first, (5..11).collect());
    better_wins(&mut schedule);
    let places: Vec<(u32, u32, String)> =
        schedule.standing().into_iter().map(|row| (row.entrant.0, row.place, row.reason)).collect();
    let text: Vec<String> =
        places.iter().map(|(e, place, reason)| format!("{place} {e} {reason}")).collect();
    assert_eq!(
        text[..5],
        [
            "1 0 won the final",
            "2 1 lost in the final",
            "3 2 lost in the semi-final",
            "3 3 lost in the semi-final",
            "5 4 lost in the quarter-final",
        ]
    );
    assert_eq!(text[8], "9 8 lost in round 1");
}

#[test]
fn in_a_double_elimination_one_defeat_is_not_the_end() {
    let ties = Ties { more: 1 };
    for reset in [false, true] {
        let double = Bracket::double(Entrant::all(8), reset, SINGLE, ties);
        let mut schedule = Schedule::new(Box::new(double), Seed(1));
        // Bot 7 beats the first seed in round 1, which then wins everything.
        let mut matches = 0;
        while let Some(game) = schedule.missing().first().cloned() {
            let upset = game.id.pairing.round == 0 && game.id.pairing.group == 0;
            let rank = |e: &Entrant| if upset && e.0 == 0 { 99 } else { e.0 };
            schedule.record(game.id, by_rank(&game, rank)).unwrap();
            matches += 1;
        }
        let standing = schedule.standing();
        assert_eq!((standing[0].entrant, standing[0].place), (Entrant(0), 1));
        assert_eq!(standing[1].entrant, Entrant(1));
        assert_eq!(
            standing[1].reason,
            if reset { "lost in the second final" } else { "lost in the final" }
        );
        assert_eq!(matches, if reset { 15 } else { 14 });
    }
}

#[test]
fn first_seats_do_not_all_go_to_the_best() {
    for (which, groups) in [(4, 32), (7, 16)] {
        let (name, schedule) = schedule(64, which, SINGLE, 1);
        let best = |game: &&Match| game.seats.iter().min() == Some(&game.seats[0]);
        let count = schedule.missing().iter().filter(best).count();
        let seats = schedule.missing()[0].seats.len();
        assert_eq!((schedule.missing().len(), count), (groups, groups / seats), "{name}");
    }
}

#[test]
fn ties_are_broken_with_more_matches_and_at_last_by_the_seeding() {
    let ties = Ties { more: 2 };
    let mut schedule =
        Schedule::new(Box::new(Bracket::single(Entrant::all(2), MIRRORED, ties)), Seed(1));
    let mut seeds = BTreeSet::new();
    let mut matches = 0;
    while let Some(game) = schedule.missing().first().cloned() {
        seeds.insert(game.seed);
        schedule.record(game.id, Outcome::new(vec![1, 1], vec![0, 0])).unwrap();
        matches += 1;
    }
    assert_eq!((matches, seeds.len()), (6, 3), "two matches, and twice two more on new seeds");
    let standing = schedule.standing();
    assert_eq!(standing[0].entrant, Entrant(0));
    assert_eq!(standing[1].reason, "lost in the final, level on points, by the seeding");
}

#[test]
fn cellhacks_knock_out_of_groups_of_four() {
    let games = SINGLE;
    let seeding = Entrant::all(16);
    let groups = Groups {
        seeding,
        size: 4,
        advance: 1,
        within: Within::Together,
        games,
        ties: Ties { more: 3 },
    };
    let mut schedule = Schedule::new(Box::new(groups), Seed(1));
    assert_eq!(schedule.missing().len(), 4);
    assert!(schedule.missing().iter().all(|game| game.seats.len() == 4));
    better_wins(&mut schedule);
    let standing = schedule.standing();
    let places: Vec<(u32, u32)> = standing.iter().map(|row| (row.entrant.0, row.place)).collect();
    assert_eq!(places[..6], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 5)]);
    assert_eq!(standing[0].reason, "won the last group");
    assert_eq!(standing[4].reason, "place 2 with 2 points in stage 1");
    assert_eq!(standing[0].played, 2);
}

#[test]
fn a_gauntlet_leaves_the_others_alone() {
    let runners = [Entrant(0), Entrant(3)];
    let mut schedule = Schedule::new(Box::new(Gauntlet::new(6, &runners, MIRRORED)), Seed(1));
    let all = play(&mut schedule, 0, usize::MAX);
    assert_eq!(counts(&all, 6), [8, 4, 4, 8, 4, 4]);
    assert!(
        all.iter()
            .all(|(game, _)| runners.contains(&game.seats[0]) != runners.contains(&game.seats[1]))
    );
}

#[test]
fn a_ladder_without_end_goes_on() {
    let (_, mut ladder) = schedule(7, 9, SINGLE, 1);
    play(&mut ladder, 0, usize::MAX);
    let rules = LadderRules {
        entrants: 7,
        size: 3,
        wave: 4,
        limit: None,
        floor: 5,
        games: SINGLE,
        seed: Seed(1),
    };
    let mut schedule =
        Schedule::new(Box::new(Ladder::new(rules, Box::new(RandomMatchmaker))), Seed(1));
    assert_eq!(play(&mut schedule, 0, 3001).len(), 3001);
    assert!(!schedule.is_finished());
    assert_eq!(schedule.planned(), None);
    assert_eq!(schedule.standing().len(), 7);
}

/// The seeds that the bots of each pairing play on, of all formats that have an end.
fn seeds_by_bots(names: &[&str], which: usize) -> BTreeMap<(Vec<String>, u32), Seed> {
    let (_, format) = formats(names.len(), MIRRORED).swap_remove(which);
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut schedule = Schedule::of_bots(format, Seed(1), Some(names.clone()));
    let mut seeds = BTreeMap::new();
    for (game, _) in play(&mut schedule, 0, usize::MAX) {
        assert!(game.seed.number() < 1 << 53);
        let seats = game.seats.iter().map(|entrant| names[entrant.index()].clone()).collect();
        let met = (0..).find(|&met| !seeds.contains_key(&(Vec::clone(&seats), met))).unwrap();
        seeds.insert((seats, met), game.seed);
    }
    seeds
}

#[test]
fn one_more_bot_changes_no_match_of_the_others() {
    let few = seeds_by_bots(&["ada", "bob", "eve", "kim"], 0);
    let more = seeds_by_bots(&["ada", "abe", "bob", "eve", "kim"], 0);
    assert_eq!((few.len(), more.len()), (12, 20));
    let kept: BTreeMap<_, _> =
        more.into_iter().filter(|((seats, _), _)| seats.iter().all(|bot| bot != "abe")).collect();
    assert_eq!(kept, few);
}

#[test]
fn bots_that_meet_again_play_on_other_seeds() {
    for which in 0..formats(4, MIRRORED).len() {
        let seeds = seeds_by_bots(&["ada", "bob", "eve", "kim"], which);
        // Each seed once from every seat.
        let different: BTreeSet<Seed> = seeds.values().copied().collect();
        let seats = seeds.keys().next().unwrap().0.len();
        assert!(different.len() * seats.max(2) >= seeds.len(), "{which}: {seeds:?}");
    }
}

#[test]
fn all_pairs_have_played_before_one_plays_on_its_second_seed() {
    let games = Games { matches: 6, mirrored: true };
    let schedule = Schedule::new(Box::new(RoundRobin::pairs(4, games)), Seed(1));
    let numbers: Vec<u32> = schedule.missing().iter().map(|game| game.id.number).collect();
    let expected: Vec<u32> =
        [[0, 1], [2, 3], [4, 5]].iter().flat_map(|seed| seed.repeat(6)).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let mut schedule = Schedule::new(Box::new(RoundRobin::pairs(3, MIRRORED)), Seed(1));
    let game = schedule.missing()[0].clone();
    let bad = Outcome::new(vec![1], vec![0]);
    let error = schedule.record(game.id, bad).unwrap_err().to_string();
    assert_eq!(
        error,
        "match r0.g0.p0.m0 has 2 seats, but the result is one of 1 places and 1 scores"
    );
    schedule.record(game.id, made_up(&game)).unwrap();
    let error = schedule.record(game.id, made_up(&game)).unwrap_err().to_string();
    assert_eq!(error, "match r0.g0.p0.m0 has a result already");
    schedule.record("r9.g0.p0.m0".parse().unwrap(), made_up(&game)).unwrap();
    assert_eq!(schedule.strays().len(), 1);
}
