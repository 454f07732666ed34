//! Tables in particular cases.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use agon_core::{Purpose, Seed};
use agon_rating::{
    Anchor, Footing, HeadToHead, Options, Record, Table, cycle_confidence, cycles, table,
};

fn rate(records: &[Record]) -> Table {
    table(records, &Options::default()).unwrap()
}

#[test]
fn an_unbeaten_player_has_a_finite_rating() {
    let mut records = vec![Record::win(0, 1), Record::win(1, 2), Record::win(2, 0)];
    records.extend([Record::win(3, 0), Record::win(3, 1), Record::win(3, 2), Record::win(0, 4)]);
    let table = rate(&records);
    let row = table.row(3).unwrap();
    assert_eq!((row.footing, row.rank, row.tally.wins), (Footing::OpenAbove, 1, 3));
    assert!(row.elo.is_finite() && row.elo > 200.0 && row.high > row.elo + 500.0, "{row:?}");
    assert_eq!(table.row(4).unwrap().footing, Footing::OpenBelow);
    assert_eq!(table.row(0).unwrap().footing, Footing::Firm);
}

#[test]
fn only_ties_are_no_harm() {
    let table = rate(&vec![Record::tie(0, 1); 30]);
    assert!(table.rows.iter().all(|row| row.elo.abs() < 1e-9 && row.footing == Footing::Firm));
}

#[test]
fn groups_that_never_met_are_rated_on_their_own() {
    let records = [
        Record::win(0, 1),
        Record::win(1, 0),
        Record::win(3, 4),
        Record::win(4, 3),
        Record::win(4, 5),
        Record::win(5, 4),
    ];
    let table = rate(&records);
    assert_eq!(table.groups.iter().map(|group| group.matches).collect::<Vec<_>>(), [4, 2, 0]);
    assert_eq!(table.row(2).unwrap().group, 2);
    assert_eq!(table.superiority(0, 3), None);
    assert!(table.superiority(0, 1).is_some() && table.row(6).is_none());
}

#[test]
fn nothing_makes_an_empty_table() {
    let table = rate(&[]);
    assert!(table.rows.is_empty() && table.groups.is_empty());
    let idle = agon_rating::table(&[], &Options { players: 2, ..Options::default() }).unwrap();
    assert_eq!(
        idle.rows.iter().map(|row| (row.elo, row.low, row.high)).collect::<Vec<_>>(),
        [(0.0, 0.0, 0.0); 2]
    );
}

#[test]
fn wrong_options_and_records_are_named() {
    let records = [Record::win(0, 1)];
    let message =
        |records: &[Record], options: Options| table(records, &options).unwrap_err().to_string();
    let default = Options::default;
    assert_eq!(
        message(&records, Options { widen: 0.0, ..default() }),
        "widen is 0: give a number above 0, such as 1"
    );
    let confidence = message(&records, Options { confidence: 95.0, ..default() });
    assert!(confidence.contains("between 0 and 1"), "{confidence}");
    let error = message(&[Record::win(0, 1), Record::win(3, 3)], default());
    assert_eq!(error, "match 1 names player 3 twice");
}

#[test]
fn the_same_seed_gives_the_same_table_and_another_one_other_samples() {
    let records: Vec<Record> =
        (0..40).map(|i| Record::new(&[i % 3, 3, 4], &[1 + i as u32 % 2, 1, 2])).collect();
    let with =
        |seed| table(&records, &Options { seed: Seed::plain(seed), ..Options::default() }).unwrap();
    assert_eq!(with(1), with(1));
    let ranks = |seed| with(seed).rows.into_iter().map(|row| row.rank_probabilities);
    assert!(ranks(1).ne(ranks(2)));
}

#[test]
fn a_large_group_has_no_rank_probabilities_but_still_answers() {
    let records: Vec<Record> = (0..30)
        .flat_map(|i| [Record::win(i, (i + 1) % 30), Record::win((i + 1) % 30, i)])
        .collect();
    let table = table(&records, &Options { matrices: 10, ..Options::default() }).unwrap();
    assert!(table.rows[0].rank_probabilities.is_empty());
    assert!((table.superiority(3, 20).unwrap() - 0.5).abs() < 1e-6);
    assert!(table.rows[0].rank_low < 5 && table.rows[0].rank_high > 25, "{:?}", table.rows[0]);
}

/// Stone, paper and scissors have equal ratings; only the cycle shows the problem.
#[test]
fn chance_makes_cycles_in_few_tournaments_of_equals() {
    const PLAYERS: usize = 40;
    let with_cycle = |confidence: f64| {
        let has_cycle = |run: &u64| {
            let mut rng = Seed::plain(*run).stream(Purpose::Sample, 0);
            let mut records = Vec::new();
            for one in 0..PLAYERS {
                for other in 0..one {
                    let mut duel = || if rng.chance(1, 2) { [one, other] } else { [other, one] };
                    records
                        .extend((0..12).map(|_| duel()).map(|[won, lost]| Record::win(won, lost)));
                }
            }
            !cycles(&HeadToHead::new(&records).unwrap(), confidence, 1).is_empty()
        };
        (0..60).filter(has_cycle).count()
    };
    assert!(with_cycle(cycle_confidence(PLAYERS)) <= 6);
    assert!(with_cycle(0.95) > 6, "without care there are many");
}

#[test]
fn a_cycle_is_invisible_in_ratings() {
    let mut records = Vec::new();
    for player in 0..3 {
        records.extend(vec![Record::win(player, (player + 1) % 3); 12]);
    }
    assert!(rate(&records).rows.iter().all(|row| row.elo.abs() < 1e-6));
    let found = cycles(&HeadToHead::new(&records).unwrap(), 0.99, 5);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].players, [0, 1, 2]);
    let name = |player| format!("bot-{player}");
    assert!(found[0].warning(name).starts_with("bot-0 beats bot-1 (100 %), "));
}

/// One bot lost every match.
///
/// It widens the others' intervals if all share the zero, but not if the zero is theirs.
#[test]
fn who_lost_every_match_does_not_blur_the_others() {
    let mut records = Vec::new();
    for _ in 0..10 {
        records.extend([
            Record::win(0, 1),
            Record::win(1, 2),
            Record::win(2, 0),
            Record::win(1, 0),
        ]);
        records.extend([Record::win(0, 3), Record::win(1, 3), Record::win(2, 3)]);
    }
    let rate = |anchor| table(&records, &Options { anchor, ..Options::default() }).unwrap();
    let width = |table: &Table, player| {
        let row = table.rows.iter().find(|row| row.player == player).unwrap();
        row.high - row.low
    };
    let mean = rate(Anchor::Mean);
    let firm = rate(Anchor::Firm);
    for player in 0..3 {
        assert!(width(&firm, player) < 0.7 * width(&mean, player), "{firm:?}");
    }
    let sum: f64 = firm.rows.iter().filter(|row| row.player < 3).map(|row| row.elo).sum();
    assert!(sum.abs() < 1e-9);
    // Differences stay the same.
    let gap = |table: &Table| table.rows[0].elo - table.rows[1].elo;
    assert!((gap(&mean) - gap(&firm)).abs() < 1e-9);
    // If nobody is firm, the zero is the group's.
    let only = [Record::win(0, 1)];
    let both = [Anchor::Mean, Anchor::Firm]
        .map(|anchor| table(&only, &Options { anchor, ..Options::default() }).unwrap().rows);
    assert_eq!(both[0], both[1]);
}
