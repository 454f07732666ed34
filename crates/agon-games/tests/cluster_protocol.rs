//! Tests that the messages of cluster's own protocol are those that bots of the original game
//! expect.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::collections::BTreeMap;

use agon_core::{Game, GameExt, Player, Seed};
use agon_games::cluster::protocol::{Session, parse_answer};
use agon_games::cluster::{Answer, Cluster, Rules};
use proptest::prelude::*;

/// Messages of the best-known implementation to player 0, for several sides. It tells a quarter of
/// the number of cells as `maxAmount` although bags hold fewer pellets; that is the one difference
/// wanted.
#[test]
fn the_first_message_is_the_original_one_with_real_amounts() {
    for (side, bag, original) in [
        (2, Some(4), include_str!("data/cluster_init_side2.txt")),
        (3, None, include_str!("data/cluster_init_side3.txt")),
        (12, None, include_str!("data/cluster_init_side12.txt")),
    ] {
        let rules = Rules { side, bag, ..Rules::default() };
        let game = Cluster::new(&rules, 2, Seed(1)).unwrap();
        let amount = rules.bag_size();
        let quarter = rules.cells() / 4;
        let colors = |amount| format!("2\n0 {amount}\n2 {amount}\n2\n1 {amount}\n3 {amount}\n");
        let start =
            original.strip_suffix(&colors(quarter)).expect("the original ends with its colors");
        assert_eq!(
            Session::new(Player(0)).init_message(&game),
            format!("{start}{}", colors(amount))
        );
        let swapped = format!("2\n1 {amount}\n3 {amount}\n2\n0 {amount}\n2 {amount}\n");
        assert_eq!(Session::new(Player(1)).init_message(&game), format!("{start}{swapped}"));
    }
}

/// The example of the page, word for word.
#[test]
fn the_exchange_on_the_page_is_a_real_one() {
    let game =
        Cluster::new(&Rules { side: 2, bag: Some(4), ..Rules::default() }, 2, Seed::plain(25))
            .unwrap();
    let exchange =
        exchange(game, &["PLACE 1 2", "PLACE 1 3", "PLACE 0 0", "ROTATE 3", "PLACE 2 0"]);
    assert!(Cluster::META.page.contains(&exchange), "page.md lacks this:\n{exchange}");
}

/// What player 0 reads and, behind `>`, what it writes.
fn exchange(mut game: Cluster, answers: &[&str]) -> String {
    let mut session = Session::new(Player(0));
    let mut text = session.init_message(&game);
    for answer in answers {
        if game.to_move() == Player(0) {
            text += &session.turn_message(&game);
            text += &format!("> {answer}\n");
        }
        let answer = parse_answer(answer.as_bytes()).unwrap();
        assert_eq!(game.check(&answer), Ok(()), "hand {:?}", game.hand());
        game.step(&[answer]);
    }
    text
}

/// A bot that knows nothing but what it reads.
#[derive(Default)]
struct Mirror {
    me: u8,
    /// Cell, colour and owner of each pellet.
    pellets: BTreeMap<usize, (u16, u8, bool)>,
    gravity: u8,
    columns: Vec<(usize, u16)>,
    hand: Vec<u8>,
}

impl Mirror {
    fn read(&mut self, message: &str) {
        assert!(
            message.ends_with("\n\n") && !message.trim_end().contains("\n\n"),
            "one empty line, at the end"
        );
        let mut lines = message.lines().map(|line| {
            line.split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().unwrap())
                .collect::<Vec<usize>>()
        });
        self.gravity = lines.next().unwrap()[0] as u8;
        let mut block = |width: usize| {
            let count = lines.next().unwrap()[0];
            let rows: Vec<_> = lines.by_ref().take(count).collect();
            assert!(rows.len() == count && rows.iter().all(|row| row.len() == width));
            rows
        };
        self.columns = block(2).iter().map(|row| (row[0], row[1] as u16)).collect();
        for row in block(4) {
            let before = self.pellets.insert(row[0], (row[1] as u16, row[2] as u8, row[3] == 1));
            assert_eq!(before, None, "pellet {} is not new", row[0]);
        }
        for row in block(2) {
            let pellet = self.pellets.get_mut(&row[0]).expect("only known pellets change");
            assert_ne!(pellet.0, row[1] as u16, "pellet {} has not moved", row[0]);
            pellet.0 = row[1] as u16;
        }
        self.hand = block(1).iter().map(|row| row[0] as u8).collect();
    }

    fn assert_agrees(&self, game: &Cluster) {
        assert_eq!(self.gravity, game.gravity());
        assert_eq!(self.columns, game.valid_columns().collect::<Vec<_>>());
        assert_eq!(self.hand, game.hand());
        let pellets: Vec<_> = self.pellets.values().copied().collect();
        let expected: Vec<_> =
            game.pellets().iter().map(|p| (p.cell, p.color, p.color % 2 == self.me)).collect();
        assert_eq!(pellets, expected);
        assert!(self.pellets.keys().copied().eq(0..expected.len()));
    }
}

proptest! {
    /// Rotations are frequent here, right after placements and twice in a row, too.
    #[test]
    fn a_bot_that_only_reads_always_knows_the_board(
        side in 3..=6u32,
        seed: u64,
        rotate_percent in 0..70u64,
    ) {
        let rules = Rules { side, run_length: 60, ..Rules::default() };
        let mut game = Cluster::new(&rules, 2, Seed(seed)).unwrap();
        let mut sessions = [Session::new(Player(0)), Session::new(Player(1))];
        let mut mirrors = [Mirror::default(), Mirror { me: 1, ..Mirror::default() }];
        for step in 0.. {
            let Some(&decision) = game.decisions().first() else { break };
            let player = decision.player.index();
            mirrors[player].read(&sessions[player].turn_message(&game));
            mirrors[player].assert_agrees(&game);
            let mut rng = Seed(seed).stream(agon_core::Purpose::Script, step);
            let answer = if rng.chance(rotate_percent, 100) {
                Answer::Rotate { cycles: rng.between(1, 5) as u8 }
            } else {
                game.random_answer(decision, &mut rng)
            };
            game.step(&[answer]);
        }
    }

    #[test]
    fn foreign_bytes_never_panic(line: Vec<u8>) {
        let _ = parse_answer(&line);
    }
}

/// The opponent of a player that has just placed a pellet rotates: the pellet is new, where it lies
/// by then.
#[test]
fn a_pellet_placed_right_before_a_rotation_is_told() {
    let rules = Rules { side: 3, ..Rules::default() };
    let mut game = Cluster::new(&rules, 2, Seed(1)).unwrap();
    let mut session = Session::new(Player(0));
    session.turn_message(&game);
    let color = game.hand()[0];
    game.step(&[Answer::Place { column: 2, color }]);
    game.step(&[Answer::Rotate { cycles: 3 }]);
    let pellet = game.pellets().get(0);
    let message = session.turn_message(&game);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[..2], ["3", "5"]);
    assert_eq!(lines[7..10], ["1", &format!("0 {} {color} 1", pellet.cell), "0"], "{message}");
    // Told once, it is not told again; once moved, it is changed.
    game.step(&[Answer::Rotate { cycles: 3 }]);
    game.step(&[Answer::Place { column: 0, color: game.hand()[0] }]);
    let message = session.turn_message(&game);
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[7], "1");
    assert!(lines[8].starts_with("1 ") && lines[8].ends_with(" 0"), "{message}");
    assert_eq!(lines[9..11], ["1", &format!("0 {}", game.pellets().get(0).cell)], "{message}");
}

#[test]
fn answers_are_read_with_any_line_break() {
    for line in ["PLACE 3 0", "PLACE 3 0\n", "PLACE 3 0\r\n"] {
        assert_eq!(parse_answer(line.as_bytes()), Ok(Answer::Place { column: 3, color: 0 }));
    }
    assert_eq!(parse_answer(b"ROTATE 5"), Ok(Answer::Rotate { cycles: 5 }));
}

#[test]
fn what_is_no_answer_is_quoted() {
    let error = |line: &[u8]| parse_answer(line).unwrap_err().to_string();
    let expected = "but `PLACE column color` or `ROTATE cycles` was expected";
    assert_eq!(error(b"FORFEIT"), format!("`FORFEIT` came, {expected}"));
    assert_eq!(error(b"\xFFhello\n"), format!("`\u{FFFD}hello` came, {expected}"));
    assert_eq!(error(b"\n"), format!("an empty line came, {expected}"));
    assert_eq!(
        error(b"PLACE 99999 0"),
        "`PLACE 99999 0` came, but its column `99999` is not a number from 0 to 65535"
    );
}

#[test]
fn sessions_survive_a_start_in_the_middle() {
    let rules = Rules { side: 5, run_length: 60, ..Rules::default() };
    let mut game = Cluster::new(&rules, 2, Seed(3)).unwrap();
    game.walk(Seed(3), 20);
    let player = game.to_move();
    let mut mirror = Mirror { me: player.0 as u8, ..Mirror::default() };
    mirror.read(&Session::new(player).turn_message(&game));
    mirror.assert_agrees(&game);
    assert!(game.pellets().len() > 10);
}
