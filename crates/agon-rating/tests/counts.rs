//! Counts give the table of the matches that they count.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Anchor, Counts, Options, Record, Table, table};

/// Draws matches with few different results: `sizes` are the numbers of players.
fn matches(seed: u64, players: usize, matches: usize, sizes: [usize; 2]) -> Vec<(Record, u64)> {
    let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
    let one = |rng: &mut Rng| {
        let mut all: Vec<usize> = (0..players).collect();
        rng.shuffle(&mut all);
        all.truncate(sizes[rng.index(2)]);
        let places: Vec<u32> = all.iter().map(|_| 1 + rng.index(3) as u32).collect();
        (Record::new(&all, &places), 1 + rng.below(4))
    };
    (0..matches).map(|_| one(&mut rng)).collect()
}

fn counted(matches: &[(Record, u64)], options: &Options) -> Table {
    let mut counts = Counts::new();
    matches.iter().for_each(|(one, times)| counts.add(&one.players, &one.places, *times).unwrap());
    counts.table(options).unwrap()
}

fn repeated(matches: &[(Record, u64)]) -> Vec<Record> {
    let times = |(record, times): &(Record, u64)| vec![record.clone(); *times as usize];
    matches.iter().flat_map(times).collect()
}

/// Compares everything; numbers of the model up to `error`.
fn assert_same(one: &Table, other: &Table, error: f64) {
    assert_eq!(one.rows.len(), other.rows.len());
    for row in &one.rows {
        let same = other.row(row.player).unwrap();
        let ranks = |row: &agon_rating::Row| (row.group, row.rank, row.rank_low, row.rank_high);
        assert_eq!((ranks(row), row.footing), (ranks(same), same.footing));
        let [one, other] = [&row.tally, &same.tally];
        let whole =
            |tally: &agon_rating::Tally| [tally.matches, tally.wins, tally.ties, tally.losses];
        assert_eq!(whole(one), whole(other));
        let numbers = [
            (row.elo, same.elo),
            (row.low, same.low),
            (row.high, same.high),
            (one.mean_place, other.mean_place),
            (one.score, other.score),
        ];
        for (one, other) in numbers {
            assert!((one - other).abs() <= error * (1.0 + one.abs()), "{row:?} {same:?}");
        }
    }
    for (one, other) in one.groups.iter().zip(&other.groups) {
        assert_eq!(one.matches, other.matches);
        assert!((one.elo_per_nat - other.elo_per_nat).abs() < 1e-6);
    }
}

#[test]
fn counts_are_as_good_as_the_matches_themselves() {
    for sizes in [[2, 2], [2, 4], [3, 5]] {
        for anchor in [Anchor::Mean, Anchor::Firm] {
            let options = Options { anchor, samples: 50, ..Options::default() };
            let matches = matches(3, 9, 30, sizes);
            let exact = table(&repeated(&matches), &options).unwrap();
            assert_same(&counted(&matches, &options), &exact, 1e-7);
        }
    }
}

#[test]
fn groups_idle_players_and_open_ratings_are_the_same() {
    let duel = |one, other, times| (Record::win(one, other), times);
    let matches = [duel(5, 6, 3), duel(6, 5, 1), duel(0, 1, 7), duel(1, 2, 2), duel(9, 5, 4)];
    let options = Options { players: 12, ..Options::default() };
    let exact = table(&repeated(&matches), &options).unwrap();
    assert_same(&counted(&matches, &options), &exact, 1e-7);
    assert_same(&counted(&[], &options), &table(&[], &options).unwrap(), 0.0);
}

#[test]
fn weights_of_records_give_the_same_ratings() {
    let matches = matches(5, 9, 40, [2, 3]);
    let weighted: Vec<Record> =
        matches.iter().map(|(one, times)| one.clone().weighted(*times as f64)).collect();
    let options = Options::default();
    let exact = table(&repeated(&matches), &options).unwrap();
    let weighted = table(&weighted, &options).unwrap();
    for row in &weighted.rows {
        let same = exact.row(row.player).unwrap();
        assert_eq!((row.rank, row.footing), (same.rank, same.footing));
        for (one, other) in [(row.elo, same.elo), (row.low, same.low), (row.high, same.high)] {
            assert!((one - other).abs() < 1e-6, "{row:?} {same:?}");
        }
    }
}

#[test]
fn neither_order_nor_splitting_of_counts_matters() {
    let mut matches = matches(4, 9, 40, [2, 3]);
    let options = Options::default();
    let first = counted(&matches, &options);
    matches.reverse();
    let split: Vec<(Record, u64)> = matches
        .iter()
        .flat_map(|(one, times)| {
            let mut back = one.clone();
            back.players.reverse();
            back.places.reverse();
            [(one.clone(), times - 1), (back, 1)]
        })
        .collect();
    assert_same(&counted(&split, &options), &first, 1e-9);
    assert_eq!(counted(&matches, &options), first);
}

#[test]
fn wrong_counts_are_refused() {
    let mut counts = Counts::new();
    assert!(counts.add(&[1], &[1], 1).is_err());
    assert!(counts.add(&[1, 1], &[1, 2], 1).is_err());
    assert!(counts.add(&[1, 2], &[1], 1).is_err());
    assert!(counts.add(&[1, 1_000_000], &[1, 2], 1).is_err());
    counts.add(&[1, 2], &[1, 2], 0).unwrap();
    assert!(counts.table(&Options::default()).unwrap().rows.is_empty());
}

#[test]
fn players_can_get_their_numbers_afterwards() {
    let all = matches(3, 9, 200, [2, 4]);
    // Another order of the players, so that those of most matches are sorted anew.
    let number = |player: usize| (player * 5 + 2) % 9;
    let mut first = Counts::new();
    let mut then = Counts::new();
    for (one, times) in &all {
        let numbers: Vec<usize> = one.players.iter().map(|&player| number(player)).collect();
        first.add(&numbers, &one.places, *times).unwrap();
        then.add(&one.players, &one.places, *times).unwrap();
    }
    let options = Options { samples: 20, ..Options::default() };
    let then_numbered = then.clone().renumbered(number).unwrap();
    assert_eq!(then_numbered.table(&options).unwrap(), first.table(&options).unwrap());
    let twice = then.clone().renumbered(|_| 0).unwrap_err().to_string();
    assert!(twice.contains("names player 0 twice"), "{twice}");
    assert!(then.renumbered(|player| player + 999_999).is_err());
}
