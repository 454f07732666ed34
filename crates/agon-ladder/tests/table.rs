//! Published tables: order, cold start, anchors, versions that are not listed.

use agon_ladder::{Counted, CountedResults, PublishOptions, Published, VersionId, published};
use agon_rating::Footing;

fn duel(one: u64, other: u64, places: [u32; 2], times: u64) -> Counted {
    let players = vec![VersionId(one), VersionId(other)];
    Counted { players, places: places.to_vec(), times }
}

fn publish(counts: &[Counted], versions: &[u64], options: &PublishOptions) -> Published {
    let versions: Vec<VersionId> = versions.iter().copied().map(VersionId).collect();
    published(counts, &versions, options).unwrap()
}

/// A circle of three, and one who lost to one of them.
fn counts() -> Vec<Counted> {
    vec![
        duel(70, 50, [1, 2], 20),
        duel(50, 90, [1, 2], 20),
        duel(90, 70, [1, 2], 10),
        duel(70, 90, [1, 1], 5),
        duel(30, 90, [2, 1], 4),
    ]
}

#[test]
fn rows_are_ranked_and_idle_versions_come_last() {
    let table = publish(&counts(), &[10, 30, 50, 70, 90, 95], &PublishOptions::default());
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
    let versions = [10, 30, 50, 70, 90];
    let table = publish(&counts(), &versions, &PublishOptions::default());
    let mut other = counts();
    other.reverse();
    other[4].times -= 1;
    other.push(duel(50, 70, [2, 1], 1));
    other.push(duel(50, 70, [2, 1], 0));
    let again = publish(&other, &[90, 70, 50, 30, 10, 10], &PublishOptions::default());
    assert_eq!(again.rows.len(), table.rows.len());
    for (one, other) in table.rows.iter().zip(&again.rows) {
        assert_eq!((one.version, &one.tally), (other.version, &other.tally));
        let elo = |row: &agon_ladder::PublishedRow| row.rating.map_or(0.0, |rating| rating.elo);
        assert!((elo(one) - elo(other)).abs() < 1e-9);
    }
}

#[test]
fn versions_that_are_not_listed_are_left_out() {
    let table = publish(&counts(), &[50, 70, 90], &PublishOptions::default());
    assert_eq!(table.rows.len(), 3);
    let matches: u64 = table.rows.iter().map(|row| row.tally.matches).sum();
    assert_eq!(matches, 2 * 55);
}

#[test]
fn an_empty_ladder_has_a_table() {
    let empty = publish(&[], &[], &PublishOptions::default());
    assert_eq!((empty.rows.len(), empty.groups), (0, 0));
}

#[test]
fn collected_results_give_the_same_table_to_the_last_bit() {
    let trio = |players: [u64; 3], places: [u32; 3], times| Counted {
        players: players.map(VersionId).to_vec(),
        places: places.to_vec(),
        times,
    };
    let mut all = counts();
    all.push(trio([90, 30, 70], [2, 1, 2], 7));
    all.push(trio([30, 50, 20], [3, 2, 1], 3));
    // Named, but without a match.
    all.push(duel(40, 50, [1, 2], 0));
    let options = PublishOptions { samples: 50, ..PublishOptions::default() };
    let mut results = CountedResults::default();
    for Counted { players, places, times } in &all {
        results.add(players, places, *times).unwrap();
    }
    let table = results.published(&options).unwrap();
    assert_eq!(table, publish(&all, &[20, 30, 40, 50, 70, 90], &options));
    assert_eq!(table.rows.last().map(|row| row.version.0), Some(40));
    let wrong = |players: &[u64], places: &[u32]| {
        let players: Vec<VersionId> = players.iter().copied().map(VersionId).collect();
        CountedResults::default().add(&players, places, 1).unwrap_err().to_string()
    };
    assert!(wrong(&[1, 1], &[1, 2]).contains("twice"), "{}", wrong(&[1, 1], &[1, 2]));
    assert!(wrong(&[1, 2], &[1]).contains("1 places"));
}
