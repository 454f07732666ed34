//! Tests of binfection: worked cases, a second implementation, fixed hashes of random games, and
//! the conformance kit.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "reference/binfection.rs"]
mod reference;

use agon_core::{Decision, Game, GameExt, Player, Seed};
use agon_games::binfection::{
    Answer, Binfection, Cell, Direction, Fallen, Move, Phases, Position, ResultFile, Rules,
    render_text,
};
use proptest::prelude::*;
use serde::Deserialize;

use crate::{every_game::keeps_promises, walks};

const CASES: &str = include_str!("data/binfection_cases.json");
const WALKS: &str = include_str!("data/binfection.walk");

/// A case worked out by hand from the rules: a field, the moves of a turn and the cells after the
/// moves, before growth. Cells are `[x, y, owner, units]`, moves `[x, y, direction, owner]`.
#[derive(Deserialize)]
struct Case {
    title: String,
    width: u32,
    height: u32,
    limit: i64,
    cells: Vec<(u32, u32, String, u64)>,
    moves: Vec<(u32, u32, Direction, String)>,
    after: Vec<(u32, u32, String, u64)>,
}

const NAMES: [&str; 3] = ["alice", "bob", "witness"];

fn player(name: &str) -> Player {
    Player::from_index(NAMES.iter().position(|&n| n == name).unwrap())
}

impl Case {
    fn rules(&self) -> Rules {
        Rules {
            field_width: self.width,
            field_height: self.height + 2,
            warriors_limit: self.limit,
            ..Rules::default()
        }
    }

    /// Somebody two rows below watches, because a bot alone would have won before it moves.
    fn position(&self) -> Position {
        let mut cells = cells(&self.cells);
        cells.push(Cell { x: 0, y: self.height + 1, owner: Some(player("witness")), units: 1 });
        Position { turn: 0, players: 3, cells, fallen: Vec::new() }
    }

    fn answer(&self, decision: &Decision) -> Answer {
        let own = self.moves.iter().filter(|(.., owner)| player(owner) == decision.player);
        Answer { moves: own.map(|&(x, y, direction, _)| Move { x, y, direction }).collect() }
    }

    fn is_watched(&self, cell: &Cell) -> bool {
        cell.y < self.height
    }
}

fn cells(list: &[(u32, u32, String, u64)]) -> Vec<Cell> {
    let cell = |(x, y, owner, units): &(u32, u32, String, u64)| Cell {
        x: *x,
        y: *y,
        owner: Some(player(owner)),
        units: *units,
    };
    list.iter().map(cell).collect()
}

#[test]
fn worked_cases() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert_eq!(cases.len(), 19);
    for case in cases {
        let mut game = Binfection::from_position(&case.rules(), Seed(0), case.position()).unwrap();
        let mut expect = cells(&case.after);
        expect.sort_by_key(|cell| (cell.y, cell.x));
        if game.is_over() {
            // Only a stack of nobody: there is no move to make.
            assert_eq!(
                (expect.as_slice(), case.title.as_str()),
                (&[][..], "24 zero-unit cell moved into an empty cell")
            );
            continue;
        }
        let answers: Vec<Answer> =
            game.decisions().iter().map(|decision| case.answer(decision)).collect();
        let Phases { moved, grown } = game.phases(&answers);
        let watched: Vec<Cell> =
            moved.iter().copied().filter(|cell| case.is_watched(cell)).collect();
        assert_eq!(watched, expect, "{}", case.title);
        game.step(&answers);
        assert_eq!(game.cells().collect::<Vec<_>>(), grown, "{}", case.title);
        let doubled = moved.iter().map(|cell| (cell.units * 2).min(case.limit as u64));
        assert!(grown.iter().map(|cell| cell.units).eq(doubled), "{}", case.title);
    }
}

/// Rules of small fields on which bots meet at once, some of them with rows longer than a word of
/// bits.
fn any_rules() -> impl Strategy<Value = Rules> {
    let size = prop_oneof![5 => (2u32..9, 2u32..9), 1 => (60u32..200, 2u32..4)];
    let limit = prop_oneof![Just(-1i64), 1i64..12, Just(100)];
    let turns = prop_oneof![Just(-1i64), 1i64..40];
    (size, 0u32..2, 1u32..3, 1u64..20, limit, turns, 1u64..4).prop_map(
        |((w, h), distance, spawns_number, init, warriors_limit, turns_limit, grow_coefficient)| {
            Rules {
                turns_limit,
                field_width: w,
                field_height: h,
                spawn_border_gap: 0,
                spawns_distance: distance,
                spawns_number,
                warriors_init_number: init,
                warriors_limit,
                grow_coefficient,
            }
        },
    )
}

fn assert_same(game: &Binfection, position: &Position) {
    assert_eq!(game.position(), *position);
    let rules = game.rules();
    assert_eq!(game.decisions(), reference::decisions(rules, position));
    let again = Binfection::from_position(rules, game.seed(), position.clone()).unwrap();
    assert_eq!(again, *game);
    assert_eq!(again.state_hash(), game.state_hash());
    let winners = game.standing().outcome.map(|outcome| outcome.winners);
    assert_eq!(winners, game.is_over().then(|| reference::winners(position)));
}

/// Plays a scripted game on both implementations.
fn play_both(rules: &Rules, players: usize, seed: u64, steps: u64) {
    let Ok(mut game) = Binfection::new(rules, players, Seed(seed)) else { return };
    let mut position = game.position();
    for step in 0..steps {
        assert_same(&game, &position);
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(Seed(seed), step);
        let Phases { moved, grown } = game.phases(&answers);
        let turn = reference::turn(rules, &position, &answers);
        assert_eq!((moved, grown), (turn.moved, turn.grown));
        position = reference::step(rules, &position, &answers);
        game.step(&answers);
    }
    assert_same(&game, &position);
}

proptest! {
    #[test]
    fn a_plain_implementation_plays_the_same(
        rules in any_rules(),
        players in 2usize..6,
        seed: u64,
    ) {
        play_both(&rules, players, seed, 60);
    }
}

/// A line of the walk file: the rules it names, and what is played on them.
struct Walk {
    rules: Rules,
    players: usize,
    seed: u64,
    plies: u64,
}

fn walks() -> Vec<Walk> {
    let mut rules = Rules::default();
    let mut players = 2;
    let mut walks = Vec::new();
    for line in WALKS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').unwrap();
        match word {
            "rules" => rules = serde_json::from_str(rest).unwrap(),
            "players" => players = rest.parse().unwrap(),
            "walk" => {
                let numbers: Vec<u64> =
                    rest.split(' ').map(|n| n.parse::<Seed>().unwrap().number()).collect();
                let [seed, plies, _] = numbers[..] else { panic!("not a walk: {line}") };
                walks.push(Walk { rules: rules.clone(), players, seed, plies });
            }
            _ => panic!("not understood: {line}"),
        }
    }
    walks
}

#[test]
fn walks_give_the_recorded_hashes() {
    assert!(walks().len() >= 8);
    let mut walks = walks().into_iter();
    walks::agree("binfection.walk", |line| {
        line.strip_prefix("walk ")?;
        let Walk { rules, players, seed, plies, .. } = walks.next().expect("a walk in each line");
        let seed = Seed::plain(seed);
        let found = Binfection::new(&rules, players, seed).unwrap().walk(seed, plies);
        Some(format!("{found:#018x}"))
    });
}

#[test]
fn small_walks_are_confirmed_by_the_plain_implementation() {
    let small = walks().into_iter().filter(|walk| walk.rules.field_width <= 50);
    assert!(
        small.map(|walk| play_both(&walk.rules, walk.players, walk.seed, walk.plies)).count() >= 6
    );
}

#[test]
fn promises_of_every_game() {
    let small = Rules { field_width: 7, field_height: 6, turns_limit: 25, ..Rules::default() };
    keeps_promises::<Binfection>(&small, 2, 0..4, 30);
    let crowd =
        Rules { field_width: 20, field_height: 20, warriors_limit: -1, turns_limit: 40, ..small };
    keeps_promises::<Binfection>(&crowd, 5, 0..2, 50);
}

/// Two owners with stacks of 4 at (0, 0) and (3, 0) of a 4x1 field.
fn line_of_four() -> Binfection {
    let rules = Rules { field_width: 4, field_height: 1, ..Rules::default() };
    let cell = |x, owner| Cell { x, y: 0, owner: Some(Player(owner)), units: 4 };
    let cells = vec![cell(0, 0), cell(3, 1)];
    Binfection::from_position(
        &rules,
        Seed(0),
        Position { turn: 0, players: 2, cells, fallen: Vec::new() },
    )
    .unwrap()
}

#[test]
fn of_two_moves_the_last_counts_and_foreign_ones_do_not() {
    let game = line_of_four();
    let order = |x, direction| Move { x, y: 0, direction };
    let moves = vec![
        order(0, Direction::Left),
        order(3, Direction::Left),
        order(9, Direction::Up),
        order(0, Direction::Right),
    ];
    let answer = Answer { moves };
    let units =
        |cells: Vec<Cell>| cells.iter().map(|cell| (cell.x, cell.units)).collect::<Vec<_>>();
    assert_eq!(
        units(game.phases(&[answer.clone(), Answer::default()]).moved),
        [(0, 2), (1, 2), (3, 4)]
    );
    let told = game.illegal(game.decisions()[0], &answer);
    assert_eq!(
        told.as_deref(),
        Some("moved cell (3, 0), which is not its own, and 1 more like it")
    );
    assert_eq!(game.illegal(game.decisions()[0], &Answer::default()), None);
}

#[test]
fn a_bot_without_cells_is_out_and_not_asked() {
    let rules = Rules { field_width: 9, field_height: 1, ..Rules::default() };
    let cell = |x, owner| Cell { x, y: 0, owner: Some(Player(owner)), units: 4 };
    let fallen = vec![Fallen { player: Player(1), turn: 2 }];
    let position = Position { turn: 3, players: 3, cells: vec![cell(0, 0), cell(5, 2)], fallen };
    let game = Binfection::from_position(&rules, Seed(0), position).unwrap();
    assert_eq!(game.decisions(), [Decision::new(Player(0), 0), Decision::new(Player(2), 0)]);
    assert!(game.is_out(Player(1)) && !game.is_out(Player(0)));
}

#[test]
fn a_whole_match_goes_into_a_result_file_and_back() {
    let rules = Rules { field_width: 6, field_height: 6, turns_limit: 8, ..Rules::default() };
    let names = ["alice", "bob"].map(str::to_owned);
    let mut game = Binfection::new(&rules, 2, Seed(3)).unwrap();
    let mut file = ResultFile::new();
    file.push(game.cells(), &names);
    while !game.is_over() {
        let answers = game.scripted_answers(Seed(3), game.progress().turn);
        let Phases { moved, grown } = game.phases(&answers);
        file.push(moved, &names);
        file.push(grown, &names);
        game.step(&answers);
    }
    assert_eq!(file.snapshots.len() as u64, 1 + 2 * game.progress().turn);
    let read = ResultFile::from_json(file.to_json().as_bytes()).unwrap();
    assert_eq!(read, file);
    let last: u64 = read.snapshots.last().unwrap().iter().map(|entry| entry.units).sum();
    let standing = game.standing();
    assert_eq!(last as i64, standing.players.iter().map(|player| player.score).sum::<i64>());
    assert!(render_text(&game, &names).contains("alice"));
}

#[test]
fn a_turn_does_not_visit_the_empty_field() {
    // 10 000 turns of two single stacks that stay: 10^10 cells if the whole field were visited.
    let rules = Rules { turns_limit: 10_000, ..Rules::default() };
    let mut game = Binfection::new(&rules, 2, Seed(1)).unwrap();
    while !game.is_over() {
        game.step(&[Answer::default(), Answer::default()]);
    }
    let standing = game.standing();
    assert_eq!(standing.outcome.unwrap().reason, "as many units and cells after 10000 turns");
    assert!(standing.players.iter().all(|player| player.score == 100));
}
