//! A ladder works at its edges: few entrants, one owner, ties, huge costs, versions that leave. So
//! does its table: order, versions that have not played, splitting of the input, wrong results.

use agon_core::Seed;
use agon_ladder::{
    CountedResults, Entrant, Ladder, Played, PublishOptions, Published, PublishedRow, VersionId,
};
use agon_rating::Footing;

fn ladder(count: u64, owner: impl Fn(u64) -> u64) -> Ladder {
    let mut ladder = Ladder::new(2, Seed::plain(7));
    (1..=count).for_each(|number| ladder.enter(Entrant::new(VersionId(number), owner(number))));
    ladder
}

/// Plays match `number` with these places by seat; each player thinks `us`.
fn play(ladder: &mut Ladder, number: u64, places: [u32; 2], us: u64) -> Vec<Entrant> {
    let players = ladder.next(number).expect("two can play");
    ladder.begun(&players);
    let (wall_us, thinking_us) = (us.saturating_mul(2), vec![us; 2]);
    ladder.played(&Played { players, places: places.to_vec(), wall_us, thinking_us }).unwrap()
}

#[test]
fn too_few_or_the_same_owner_cannot_play() {
    assert_eq!(ladder(0, |n| n).next(0), None);
    assert_eq!(ladder(1, |n| n).next(0), None);
    assert_eq!(ladder(50, |_| 3).next(0), None);
    assert!(ladder(2, |n| n).next(0).is_some());
}

#[test]
fn a_single_other_owner_is_found_among_very_many_versions() {
    let mut ladder = ladder(2_000, |n| u64::from(n == 1_234));
    for number in 0..50 {
        let players = ladder.next(number).unwrap();
        assert!(players.contains(&VersionId(1_234)), "{players:?}");
        ladder.begun(&players);
        ladder.gave_up(&players);
    }
}

#[test]
fn ties_wins_and_extreme_costs_are_fine() {
    for (places, us) in [([1, 1], 0), ([1, 2], 1), ([2, 1], 1_000), ([1, 2], u64::MAX)] {
        let mut ladder = ladder(5, |n| n);
        for number in 0..300 {
            for entrant in play(&mut ladder, number, places, us) {
                assert!(entrant.skill.mu.is_finite() && entrant.skill.sigma > 0.0, "{entrant:?}");
            }
        }
        let matches: Vec<u64> = ladder.entrants().map(|entrant| entrant.matches).collect();
        assert!(matches.iter().all(|count| (80..160).contains(count)), "{us}: {matches:?}");
    }
}

#[test]
fn the_first_matches_of_two_unknown_versions_do_not_pile_up() {
    let mut ladder = ladder(2, |n| n);
    for number in 0..2 {
        let players = ladder.next(number).unwrap();
        ladder.begun(&players);
    }
    assert_eq!(ladder.next(2), None);
}

#[test]
fn versions_that_left_still_get_their_results() {
    let mut ladder = ladder(3, |n| n);
    let players = ladder.next(0).unwrap();
    ladder.begun(&players);
    let [gone, stays] = players[..] else { panic!("{players:?}") };
    let before = ladder.leave(gone).unwrap();
    assert_eq!((before.matches, ladder.leave(gone)), (0, None));
    assert_eq!(ladder.get(gone), None);
    let played = Played { players, places: vec![1, 2], wall_us: 10, thinking_us: vec![1, 1] };
    let changed = ladder.played(&played).unwrap();
    assert_eq!(changed.len(), 2);
    assert!(changed[0].id == gone && changed[0].skill.mu > before.skill.mu);
    // Nobody remembers it now; the next result counts for the other alone, without a lesson.
    let mu = ladder.get(stays).unwrap().skill.mu;
    let changed = ladder.played(&played).unwrap();
    assert!(changed.len() == 1 && changed[0].matches == 2 && changed[0].skill.mu == mu);
}

#[test]
fn a_version_that_returns_gets_no_time_for_its_absence() {
    let mut ladder = ladder(4, |n| n);
    (0..100).for_each(|number| drop(play(&mut ladder, number, [1, 2], 1_000)));
    let paused = ladder.leave(VersionId(2)).unwrap();
    (100..2_000).for_each(|number| drop(play(&mut ladder, number, [1, 2], 1_000)));
    let least = ladder.entrants().map(|entrant| entrant.pass).min().unwrap();
    ladder.enter(paused.clone());
    let back = ladder.get(VersionId(2)).unwrap();
    assert!(back.pass == least && back.pass > paused.pass && back.matches == paused.matches);
}

#[test]
fn a_restart_from_the_database_changes_no_facts() {
    let mut ladder = ladder(10, |n| n);
    (0..300).for_each(|number| drop(play(&mut ladder, number, [1, 2], number)));
    let players = ladder.next(300).unwrap();
    ladder.begun(&players);
    let mut again = Ladder::new(2, Seed::plain(7));
    ladder.entrants().cloned().for_each(|entrant| again.enter(entrant));
    again.begun(&players);
    assert!(again.next(301).is_some());
    assert!(ladder.entrants().eq(again.entrants()));
}

#[test]
fn wrong_results_change_nothing() {
    let mut ladder = ladder(2, |n| n);
    let before: Vec<Entrant> = ladder.entrants().cloned().collect();
    let players = vec![VersionId(1), VersionId(1)];
    let wrong = Played { players, places: vec![1, 2], wall_us: 1, thinking_us: vec![1, 1] };
    ladder.played(&wrong).unwrap_err();
    assert!(ladder.entrants().eq(&before));
}

#[test]
fn more_players_than_two_have_different_owners_and_even_seats() {
    let mut ladder = Ladder::new(4, Seed::plain(1));
    (0..30).for_each(|number| ladder.enter(Entrant::new(VersionId(number), number / 3)));
    for number in 0..600 {
        let players = ladder.next(number).unwrap();
        ladder.begun(&players);
        let mut owners: Vec<u64> = players.iter().map(|id| id.0 / 3).collect();
        owners.sort_unstable();
        owners.dedup();
        assert_eq!(owners.len(), 4);
        let places = vec![1, 2, 2, 4];
        ladder.played(&Played { players, places, wall_us: 5, thinking_us: vec![0; 4] }).unwrap();
    }
    for entrant in ladder.entrants() {
        let seats = &entrant.seats;
        assert!(seats.iter().max().unwrap() - seats.iter().min().unwrap() <= 3, "{seats:?}");
    }
}

#[test]
fn ten_thousand_entrants_are_fine() {
    let mut ladder = ladder(10_000, |n| n / 3);
    (0..500).for_each(|number| drop(play(&mut ladder, number, [1, 2], 1_000)));
    let matches: u64 = ladder.entrants().map(|entrant| entrant.matches).sum();
    assert_eq!(matches, 1_000);
}

#[test]
fn the_same_calls_give_the_same_ladder() {
    let run = || {
        let mut ladder = ladder(30, |n| n);
        (0..200).for_each(|number| drop(play(&mut ladder, number, [2, 1], 10 + number)));
        ladder.entrants().cloned().collect::<Vec<Entrant>>()
    };
    assert_eq!(run(), run());
}

/// The usual field of a course at its begin: a few bots, of which one beats all others, and some
/// are a hundred times slower than others.
#[test]
fn all_pairs_of_a_small_field_meet() {
    for (count, slow) in [(2, 0), (3, 1), (4, 0), (4, 2), (5, 4), (6, 3)] {
        let mut ladder = ladder(count, |id| id);
        let mut met = std::collections::BTreeMap::new();
        for number in 0..1_500 {
            let players = ladder.next(number).unwrap();
            ladder.begun(&players);
            let mut two = [players[0].0, players[1].0];
            // The one with the smaller number always wins.
            let places = if two[0] < two[1] { vec![1, 2] } else { vec![2, 1] };
            let cost = |id: u64| if id > count - slow { 100_000 } else { 1_000 };
            let thinking_us = two.map(cost).to_vec();
            let wall_us = thinking_us.iter().sum();
            ladder.played(&Played { players, places, wall_us, thinking_us }).unwrap();
            two.sort_unstable();
            *met.entry(two).or_insert(0) += 1;
        }
        let pairs = (count * (count - 1) / 2) as usize;
        assert_eq!(met.len(), pairs, "{count} bots, {slow} slow: {met:?}");
        assert!(slow == 0 || met[&[count - 1, count]] > 0, "{met:?}");
    }
}

/// Players, their places, and how often.
type Duel = ([u64; 2], [u32; 2], u64);

fn publish(duels: &[Duel]) -> Published {
    let mut results = CountedResults::default();
    for (players, places, times) in duels {
        results.add(&players.map(VersionId), places, *times).unwrap();
    }
    results.published(&PublishOptions::default()).unwrap()
}

/// A circle of three, one who lost to one of them, and two who are only named.
const DUELS: [Duel; 6] = [
    ([70, 50], [1, 2], 20),
    ([50, 90], [1, 2], 20),
    ([90, 70], [1, 2], 10),
    ([70, 90], [1, 1], 5),
    ([30, 90], [2, 1], 4),
    ([95, 10], [1, 2], 0),
];

#[test]
fn rows_are_ranked_and_idle_versions_come_last() {
    let table = publish(&DUELS);
    let order: Vec<u64> = table.rows.iter().map(|row| row.version.0).collect();
    assert_eq!(order, [70, 50, 90, 30, 10, 95]);
    assert_eq!(table.groups, 1);
    let ratings: Vec<_> = table.rows.iter().map_while(|row| row.rating).collect();
    assert_eq!(ratings.iter().map(|rating| rating.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(ratings.iter().all(|rating| rating.low < rating.elo && rating.elo < rating.high));
    assert_eq!(ratings[3].footing, Footing::OpenBelow);
    assert!(table.rows[4].rating.is_none() && table.rows[4].tally.matches == 0);
    let tally = &table.rows[0].tally;
    assert_eq!([tally.matches, tally.wins, tally.ties, tally.losses], [35, 20, 5, 10]);
}

#[test]
fn order_and_splitting_of_the_input_do_not_matter() {
    let table = publish(&DUELS);
    let mut other = DUELS.to_vec();
    other[0].2 -= 1;
    other.reverse();
    other.push(([50, 70], [2, 1], 1));
    other.push(([50, 70], [2, 1], 0));
    let again = publish(&other);
    assert_eq!(again.rows.len(), table.rows.len());
    for (one, other) in table.rows.iter().zip(&again.rows) {
        assert_eq!((one.version, &one.tally), (other.version, &other.tally));
        let elo = |row: &PublishedRow| row.rating.map_or(0.0, |rating| rating.elo);
        assert!((elo(one) - elo(other)).abs() < 1e-9);
    }
}

#[test]
fn an_empty_ladder_has_a_table() {
    let empty = publish(&[]);
    assert_eq!((empty.rows.len(), empty.groups), (0, 0));
}

#[test]
fn wrong_results_are_refused() {
    let wrong = |players: &[u64], places: &[u32]| {
        let players: Vec<VersionId> = players.iter().copied().map(VersionId).collect();
        CountedResults::default().add(&players, places, 1).unwrap_err().to_string()
    };
    assert!(wrong(&[1, 1], &[1, 2]).contains("twice"), "{}", wrong(&[1, 1], &[1, 2]));
    assert!(wrong(&[1, 2], &[1]).contains("1 places"));
}
