//! Properties of any table, for any results.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use agon_core::{Purpose, Seed};
use agon_rating::{HeadToHead, Options, Record, Table, cycles, table};
use proptest::prelude::*;

const PLAYERS: usize = 6;

/// Generates a match of two to five of the players, with ties.
fn record() -> impl Strategy<Value = Record> {
    let players = Just((0..PLAYERS).collect::<Vec<_>>()).prop_shuffle();
    (players, 2..6usize, prop::collection::vec(1..4u32, 5), 0..4u64).prop_map(
        |(players, count, places, cluster)| {
            let record = Record::new(&players[..count], &places[..count]);
            if cluster > 0 { record.clustered(cluster) } else { record }
        },
    )
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(record(), 1..40)
}

fn options() -> Options {
    Options { players: PLAYERS, samples: 200, ..Options::default() }
}

fn values(table: &Table, player: usize) -> [f64; 3] {
    let row = table.row(player).expect("all players are there");
    [row.elo, row.low, row.high]
}

fn near(one: &[f64; 3], other: &[f64; 3]) -> bool {
    // Standard errors may be thousands of points for unknown strengths.
    one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4 * (1.0 + a.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_order_of_matches_and_seats_does_not_matter(mut records in records(), seed: u64) {
        let options = options();
        let before = table(&records, &options).unwrap();
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
        rng.shuffle(&mut records);
        for record in &mut records {
            let mut seats: Vec<usize> = (0..record.players.len()).collect();
            rng.shuffle(&mut seats);
            let old = record.clone();
            for (seat, &from) in seats.iter().enumerate() {
                record.players[seat] = old.players[from];
                record.places[seat] = old.places[from];
            }
        }
        // Not just close: equal to the last bit, except for sums of the tally.
        let mut after = table(&records, &options).unwrap();
        for (row, old) in after.rows.iter_mut().zip(&before.rows) {
            prop_assert!((row.tally.score - old.tally.score).abs() < 1e-12);
            row.tally = old.tally.clone();
        }
        prop_assert_eq!(before, after);
    }

    #[test]
    fn renumbering_players_renumbers_the_table(records in records(), seed: u64) {
        let mut numbers: Vec<usize> = (0..PLAYERS).collect();
        Seed::plain(seed).stream(Purpose::Sample, 0).shuffle(&mut numbers);
        let renumbered: Vec<Record> = records
            .iter()
            .map(|record| Record {
                players: record.players.iter().map(|&p| numbers[p]).collect(),
                ..record.clone()
            })
            .collect();
        let options = options();
        let before = table(&records, &options).unwrap();
        let after = table(&renumbered, &options).unwrap();
        for (player, &number) in numbers.iter().enumerate() {
            prop_assert!(near(&values(&before, player), &values(&after, number)));
            let (old, new) = (before.row(player).unwrap(), after.row(number).unwrap());
            prop_assert_eq!((&old.tally, old.footing), (&new.tally, new.footing));
        }
        for (one, other) in [(0, 1), (3, 2), (5, 4)] {
            let renumbered = after.superiority(numbers[one], numbers[other]);
            match (before.superiority(one, other), renumbered) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-5),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn another_group_changes_nothing(records in records()) {
        let options = options();
        let alone = table(&records, &options).unwrap();
        let other = records.iter().map(|record| Record {
            players: record.players.iter().map(|player| player + PLAYERS).collect(),
            places: record.places.iter().map(|place| place * place % 3).collect(),
            cluster: record.cluster.map(|cluster| cluster + 10),
            ..record.clone()
        });
        let together: Vec<Record> = records.iter().cloned().chain(other).collect();
        let options = Options { players: 2 * PLAYERS, ..options };
        let both = table(&together, &options).unwrap();
        for player in 0..PLAYERS {
            prop_assert_eq!(values(&alone, player), values(&both, player));
            prop_assert_eq!(both.superiority(player, player + PLAYERS), None);
        }
    }

    #[test]
    fn what_is_said_is_consistent(records in records()) {
        let options = options();
        let table = table(&records, &options).unwrap();
        prop_assert_eq!(table.rows.len(), PLAYERS);
        for number in 0..table.groups.len() {
            let rows: Vec<_> = table.rows.iter().filter(|row| row.group == number).collect();
            // Players who are level except for rounding come in order of their numbers.
            prop_assert!(rows.windows(2).all(|two| two[0].elo >= two[1].elo - 2e-4));
            let mean = rows.iter().map(|row| row.elo).sum::<f64>() / rows.len() as f64;
            prop_assert!(mean.abs() < 1e-6, "the mean is {}", mean);
            for (at, row) in rows.iter().enumerate() {
                let sum: f64 = row.rank_probabilities.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-9 && row.rank == at + 1);
                prop_assert!(row.rank_low <= row.rank_high && row.low <= row.high);
                for other in &rows {
                    let [one, other] = [row.player, other.player];
                    let chances = table.superiority(one, other).zip(table.superiority(other, one));
                    let (chance, reverse) = chances.expect("they are in one group");
                    prop_assert!((chance + reverse - 1.0).abs() < 1e-9);
                }
            }
            for rank in 0..rows.len() {
                let sum: f64 = rows.iter().map(|row| row.rank_probabilities[rank]).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn lopsided_results_have_a_table_too(
        records in records(),
        powers in prop::collection::vec(-3..6i32, 40),
    ) {
        let weighted: Vec<Record> = records
            .into_iter()
            .zip(powers)
            .map(|(record, power)| record.weighted(10f64.powi(power)))
            .collect();
        let table = table(&weighted, &options()).unwrap();
        let mut values = table.rows.iter().flat_map(|row| [row.elo, row.low, row.high]);
        prop_assert!(values.all(f64::is_finite));
    }

    #[test]
    fn cycles_of_three_are_those_of_a_plain_search(
        duels in prop::collection::vec((0..8usize, 1..8usize, 1..6usize), 8..60),
    ) {
        let duels: Vec<Record> = duels
            .into_iter()
            .flat_map(|(one, step, times)| vec![Record::win(one, (one + step) % 8); times])
            .collect();
        let results = HeadToHead::new(&duels).unwrap();
        let beats = |one, other| {
            let is_sure = |met: agon_rating::Meetings| met.confidence() >= 0.9;
            results.get(one, other).is_some_and(|met| met.ahead > met.behind && is_sure(met))
        };
        let mut expected = Vec::new();
        for one in 0..8 {
            for two in one + 1..8 {
                for three in (one + 1..8).filter(|&three| three != two) {
                    if beats(one, two) && beats(two, three) && beats(three, one) {
                        expected.push(vec![one, two, three]);
                    }
                }
            }
        }
        let found = cycles(&results, 0.9, 1_000).into_iter();
        let mut found: Vec<_> = found.map(|cycle| cycle.players).collect();
        found.retain(|players| players.len() == 3);
        found.sort();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn ties_are_symmetric(count in 1..30usize, wins in 0..5usize) {
        // Equally many wins each way, with ties between: equal ratings, for any number of ties.
        let mut records = vec![Record::tie(0, 1); count];
        records.extend(vec![Record::win(0, 1); wins]);
        records.extend(vec![Record::win(1, 0); wins]);
        let table = table(&records, &Options::default()).unwrap();
        prop_assert!(values(&table, 0)[0].abs() < 1e-6);
        prop_assert!((table.superiority(0, 1).unwrap() - 0.5).abs() < 1e-6);
    }
}
