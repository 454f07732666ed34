//! Tests of rezzo: recorded worlds and games, a second implementation, and fixed hashes.
//!
//! `data/rezzo_*.jsonl` are recordings of an earlier implementation of the game, one JSON object a
//! line:
//!
//! - `rezzo_ca_*`: `world`, `step` (0 = start), `w`, `h`, `cells` (characters), `owners`, `losses`
//!   of the step before (owner numbers), `marks` (pairs of a flag and an enemy's base), `fnv`
//!   (64-bit FNV-1a of cells, then owners). Where a line has `ca_cells`, these are the cells before
//!   the losses were carried out; otherwise losses are only told. `large` shows the cells of steps
//!   0, 1 and 8 only.
//! - `rezzo_actions`: games of 24×20, tick by tick: the messages (`actions`) in the order in which
//!   they were read, the cells `after_actions` and after the generation, `agents` with the
//!   `msg_ack` they get, `damage` digits.
//! - `rezzo_viewport`: start areas for every facing, and what agents see.

use std::collections::HashMap;

use agon_core::{Fold, Game as _, GameExt as _, Player, Seed};
use agon_games::rezzo::protocol::{Inbox, write_message};
use agon_games::rezzo::{
    Ack, Agent, AgentPosition, Answer, BaseOf, Damage, Facing, FlagDissolves, Position, Rezzo,
    Rules, View, World,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{every_game::keeps_promises, walks};

#[path = "reference/rezzo.rs"]
pub(crate) mod reference;
use reference::{Board, Reference};

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object a line"))
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn rows(line: &Value, key: &str) -> Vec<String> {
    let cells: Vec<char> = line[key].as_str().expect("cells").chars().collect();
    cells.chunks(number(&line["w"])).map(|row| row.iter().collect()).collect()
}

fn owner_numbers(value: &Value) -> Vec<u8> {
    let mut owners: Vec<u8> =
        value.as_array().expect("a list").iter().map(|o| number(o) as u8).collect();
    owners.sort_unstable();
    owners
}

/// FNV-1a with the offset that the recordings were made with (one digit short of the usual one).
fn fnv(world: &World) -> String {
    let text = world.to_rows().concat();
    let bytes = text.bytes().chain(world.owners().iter().copied());
    let hash = bytes.fold(1_469_598_103_934_665_603_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Follows recorded worlds step by step; tells in how many steps losers were erased.
fn follow_worlds(text: &str) -> usize {
    let rules = Rules::default();
    let mut worlds: HashMap<usize, (World, Board)> = HashMap::new();
    let mut steps = 0;
    let mut erased = 0;
    for line in lines(text) {
        let name = format!("world {}, step {}", line["world"], line["step"]);
        if line["step"] == 0 {
            let start = rows(&line, "cells");
            let both = (World::from_rows(&start).expect("a world"), Board::of(&start));
            worlds.insert(number(&line["world"]), both);
        } else {
            let (world, board) = worlds.get_mut(&number(&line["world"])).expect("a start");
            let losers = world.generation(&rules);
            let (next, touches) = board.generation(&rules);
            *board = next;
            assert_eq!(
                losers.owners().collect::<Vec<_>>(),
                owner_numbers(&line["losses"]),
                "{name}"
            );
            assert_eq!(touches.len(), number(&line["marks"]), "{name}");
            if line.get("ca_cells").is_some() {
                assert_eq!(world.to_rows(), rows(&line, "ca_cells"), "{name}, before losses");
                world.erase(losers);
                losers.owners().for_each(|owner| board.erase(usize::from(owner) - 1));
                erased += 1;
            }
            steps += 1;
        }
        let (world, board) = &worlds[&number(&line["world"])];
        if line.get("cells").is_some() {
            assert_eq!(world.to_rows(), rows(&line, "cells"), "{name}");
            let owners = line["owners"].as_array().expect("owners");
            assert!(
                world.owners().iter().zip(owners).all(|(&o, w)| usize::from(o) == number(w)),
                "{name}"
            );
        }
        assert_eq!(fnv(world), line["fnv"], "{name}");
        assert_eq!(board.rows(), world.to_rows(), "{name}: reference");
    }
    assert!(steps >= 8, "the recording holds steps");
    erased
}

/// The recordings, and in how many of their steps losers were erased.
#[test]
fn recorded_worlds() {
    for (text, erased) in [
        (include_str!("data/rezzo_ca_small_loss.jsonl"), 32),
        (include_str!("data/rezzo_ca_tiny.jsonl"), 0),
        (include_str!("data/rezzo_ca_medium.jsonl"), 1),
        (include_str!("data/rezzo_ca_large.jsonl"), 0),
    ] {
        assert_eq!(follow_worlds(text), erased);
    }
}

fn damage_list(digits: &str, width: usize) -> Vec<Damage> {
    let hits = digits.bytes().map(|digit| digit - b'0').enumerate().filter(|&(_, hits)| hits > 0);
    hits.map(|(i, hits)| Damage { x: (i % width) as u32, y: (i / width) as u32, hits }).collect()
}

fn recorded_position(line: &Value) -> Position {
    let agent = |agent: &Value| {
        assert_eq!(agent["alive"], 1);
        let acks = [Ack::Ok, Ack::NoMessage, Ack::Invalid, Ack::Garbage, Ack::Several];
        let facing = Facing::ALL[number(&agent["facing"])];
        AgentPosition { facing, at: None, ack: acks[number(&agent["msg_ack"])], lost: None }
    };
    Position {
        tick: line["tick"].as_u64().expect("a number"),
        rows: rows(line, "cells"),
        agents: line["agents"].as_array().expect("agents").iter().map(agent).collect(),
        damage: damage_list(line["damage"].as_str().expect("digits"), number(&line["w"])),
    }
}

/// Feeds the recorded messages to an [`Inbox`] per player, as a host would.
fn recorded_answers(line: &Value, players: usize) -> (Vec<Player>, Vec<Answer>) {
    let mut inboxes = vec![Inbox::default(); players];
    let ts = (number(&line["tick"]) - 1) as u8;
    inboxes.iter_mut().for_each(|inbox| inbox.begin(ts));
    let mut order: Vec<Player> = Vec::new();
    for action in line["actions"].as_array().expect("actions") {
        let player = Player(number(&action["agent"]) as u16 - 1);
        let act = action["act"].as_str().expect("a character").as_bytes()[0];
        inboxes[player.index()].feed(&[number(&action["ts"]) as u8, act]);
        if !order.contains(&player) {
            order.push(player);
        }
    }
    // Whoever sent nothing comes last: its turn has no effect.
    order.extend(Player::all(players).filter(|p| !order.contains(p)).collect::<Vec<_>>());
    (order, inboxes.iter().map(Inbox::answer).collect())
}

#[test]
fn recorded_games() {
    let rules = Rules { width: 24, height: 20, max_ticks: 0, ..Rules::default() };
    let mut play: Option<(Rezzo, Reference)> = None;
    let mut ticks = 0;
    for line in lines(include_str!("data/rezzo_actions.jsonl")) {
        let name = format!("game {}, tick {}", line["game"], line["tick"]);
        let expected = recorded_position(&line);
        let Some((game, reference)) = play.as_mut().filter(|_| line["tick"] != 0) else {
            let game = Rezzo::from_position(&rules, Seed(0), expected.clone()).unwrap();
            play = Some((game, Reference::new(&rules, &expected)));
            continue;
        };
        let (order, answers) = recorded_answers(&line, game.players());
        game.answer_in_order(&order, &answers);
        reference.act(&order, &answers);
        assert_eq!(reference.board.rows(), rows(&line, "after_actions"), "{name}");
        reference.generation(&[]);
        assert_eq!(game.position(), expected, "{name}");
        assert_eq!(reference.position(), expected, "{name}: reference");
        for (player, agent) in line["agents"].as_array().expect("agents").iter().enumerate() {
            let (x, y) = game.world().place(game.agent(Player(player as u16)).unwrap().place);
            assert_eq!((x, y), (number(&agent["x"]), number(&agent["y"])), "{name}");
        }
        ticks += 1;
    }
    assert_eq!(ticks, 240);
}

#[test]
fn recorded_viewports() {
    let mut worlds = HashMap::new();
    let mut viewports = 0;
    for line in lines(include_str!("data/rezzo_viewport.jsonl")) {
        if line["kind"] == "world" {
            let mut world = World::from_rows(rows(&line, "cells")).unwrap();
            for damage in damage_list(line["damage"].as_str().unwrap(), number(&line["w"])) {
                world.set_damage(world.index(damage.x.into(), damage.y.into()), damage.hits);
            }
            worlds.insert(number(&line["id"]), world);
        } else if line["kind"] == "viewport" {
            let world = &worlds[&number(&line["world"])];
            let place = world.index(number(&line["x"]) as i64, number(&line["y"]) as i64);
            let agent = Agent { place, facing: Facing::ALL[number(&line["facing"])] };
            let message = write_message(&View::new(world, agent, 259, Ack::Garbage));
            let (cells, damage) = message[2..].split_at(169);
            let digits: String = damage.iter().map(|&hits| (b'0' + hits) as char).collect();
            assert_eq!(std::str::from_utf8(cells).unwrap(), line["c"], "{line}");
            assert_eq!(digits, line["damage"], "{line}");
            assert_eq!(message[..2], [3, 3], "ack, and the tick's last eight bits");
            viewports += 1;
        }
    }
    assert_eq!(viewports, 96);
}

/// The cells around an agent, row by row from the north.
fn area(game: &Rezzo, player: Player) -> Vec<String> {
    let world = game.world();
    let (x, y) = world.place(game.agent(player).expect("alive").place);
    let cell = |dx, dy| world.cell(world.index(x as i64 + dx, y as i64 + dy)).to_char();
    (-2..=2).map(|dy| (-2..=2).map(|dx| cell(dx, dy)).collect()).collect()
}

#[test]
fn recorded_start_areas() {
    let recorded: HashMap<usize, Vec<String>> = lines(include_str!("data/rezzo_viewport.jsonl"))
        .filter(|line| line["kind"] == "start")
        .map(|line| {
            (number(&line["facing"]), serde_json::from_value(line["area5x5"].clone()).unwrap())
        })
        .collect();
    assert_eq!(recorded.len(), 4);
    // All wire at first, so that the clearing shows.
    let rules = Rules { map: vec![".".repeat(32); 32], ..Rules::default() };
    let mut facings = Vec::new();
    for seed in 0..30 {
        let game = Rezzo::new(&rules, 2, Seed(seed)).unwrap();
        let facing = game.agent(Player(0)).unwrap().facing;
        assert_eq!(area(&game, Player(0)), recorded[&(facing as usize)], "{facing:?}");
        facings.push(facing);
    }
    assert!(Facing::ALL.iter().all(|facing| facings.contains(facing)), "every facing is drawn");
}

fn cell() -> impl Strategy<Value = char> {
    let owned = |first: u8| (0..4u8).prop_map(move |player| (first + player) as char);
    prop_oneof![
        6 => Just(' '), 6 => Just('.'), 2 => Just('*'), 2 => Just(','), 1 => Just('~'),
        1 => owned(b'A'), 1 => owned(b'a'), 1 => owned(b'n'),
    ]
}

/// A crowded world of up to 24×24 with an agent for each of two to four players, and settings for
/// it.
fn crowded() -> impl Strategy<Value = (Rules, Position)> {
    let side = 2..24usize;
    let rule = (1..6u8, any::<bool>(), any::<bool>(), 0..60u64);
    (side.clone(), side, 2..=4usize, rule).prop_flat_map(
        |(w, h, players, (damage_limit, photon, enemy, max_ticks))| {
            let rules = Rules {
                width: w as u32,
                height: h as u32,
                max_ticks,
                damage_limit,
                flag_dissolves: if photon {
                    FlagDissolves::Photon
                } else {
                    FlagDissolves::Electron
                },
                base_of: if enemy { BaseOf::Enemy } else { BaseOf::Any },
                ..Rules::default()
            };
            let cells = prop::collection::vec(cell(), w * h);
            let hits = prop::collection::vec(0..2 * damage_limit, w * h);
            let places =
                prop::sample::subsequence((0..w * h).collect::<Vec<_>>(), players).prop_shuffle();
            (cells, hits, places).prop_map(move |(cells, hits, places)| {
                (rules.clone(), crowded_position(&rules, cells, &hits, &places))
            })
        },
    )
}

fn crowded_position(
    rules: &Rules,
    mut cells: Vec<char>,
    hits: &[u8],
    places: &[usize],
) -> Position {
    for c in &mut cells {
        // Nobody owns cells of players who do not play.
        let foreign = "ABCDabcdnopq".find(*c).is_some_and(|i| i % 4 >= places.len());
        *c = if foreign { '.' } else { *c };
    }
    for (player, &place) in (b'0'..).zip(places) {
        cells[place] = player as char;
    }
    let width = rules.width as usize;
    let hit = hits.iter().enumerate().filter(|&(_, &hits)| hits > 0 && hits < rules.damage_limit);
    Position {
        tick: 0,
        rows: cells.chunks(width).map(|row| row.iter().collect()).collect(),
        agents: (0..places.len())
            .map(|i| AgentPosition {
                facing: Facing::ALL[places[i] % 4],
                ..AgentPosition::default()
            })
            .collect(),
        damage: hit
            .map(|(i, &hits)| Damage { x: (i % width) as u32, y: (i / width) as u32, hits })
            .collect(),
    }
}

/// Plays a game and the reference side by side, to the end or for at most `steps`.
fn play_both(mut game: Rezzo, script: Seed, steps: u64) {
    let mut reference = Reference::new(game.rules(), &game.position());
    for step in 0..steps {
        if game.is_over() {
            let living = reference.living();
            let limit = game.rules().max_ticks;
            assert!(living.len() < 2 || (limit > 0 && game.tick() >= limit), "over too early");
            return;
        }
        let answers = game.scripted_answers(script, step);
        reference.step(&reference.order(game.seed()), &answers);
        game.step(&answers);
        assert_eq!(game.position(), reference.position(), "step {step}");
        let again = Rezzo::from_position(game.rules(), game.seed(), game.position())
            .expect("its own position");
        assert_eq!(
            again.state_hash(),
            game.state_hash(),
            "the hash kept up to date is the hash computed anew"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn crowded_worlds_agree_with_the_reference((rules, position) in crowded(), seed: u64) {
        let game = Rezzo::from_position(&rules, Seed(seed), position).unwrap();
        play_both(game, Seed(seed ^ 1), 80);
    }

    #[test]
    fn whole_games_agree_with_the_reference(
        (width, height) in (24..60u32, 24..60u32),
        players in 2..5usize,
        density_divisor in 1..20u32,
        seed: u64,
    ) {
        let rules = Rules {
            width,
            height,
            density_divisor,
            loop_area: 300,
            max_ticks: 150,
            ..Rules::default()
        };
        play_both(Rezzo::new(&rules, players, Seed(seed)).unwrap(), Seed(seed ^ 2), 200);
    }
}

/// A walk with the reference instead of the game; the answers are the same, because the game draws
/// them.
fn reference_walk(mut game: Rezzo, script: Seed, plies: u64) -> u64 {
    let hash = |reference: &Reference, game: &Rezzo| {
        Rezzo::from_position(game.rules(), game.seed(), reference.position())
            .expect("a position")
            .state_hash()
    };
    let mut reference = Reference::new(game.rules(), &game.position());
    let mut fold = Fold::new();
    fold.add(hash(&reference, &game));
    for step in 0..plies {
        if game.is_over() {
            break;
        }
        let answers = game.scripted_answers(script, step);
        reference.step(&reference.order(game.seed()), &answers);
        game = Rezzo::from_position(game.rules(), game.seed(), reference.position())
            .expect("a position");
        fold.add(hash(&reference, &game));
    }
    fold.finish()
}

#[test]
fn walks_come_out_as_ever() {
    let mut setting: Option<(Rules, usize)> = None;
    let mut walks = 0;
    walks::agree("rezzo.walk", |line| {
        if let Some(game) = line.strip_prefix("game ") {
            let (players, rules) = game.split_once(' ').expect("players and rules");
            setting = Some((serde_json::from_str(rules).unwrap(), players.parse().unwrap()));
            return None;
        }
        let (rules, players) = setting.as_ref().expect("a game before its walks");
        let [seed, plies, _] =
            line.strip_prefix("walk ").unwrap().split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("not a walk: {line}");
        };
        let seed = Seed::plain(seed.parse().unwrap());
        let plies: u64 = plies.parse().unwrap();
        let game = || Rezzo::new(rules, *players, seed).unwrap();
        let walked = game().walk(seed, plies);
        if rules.width * rules.height <= 2_500 {
            assert_eq!(reference_walk(game(), seed, plies), walked, "reference: {line}");
        }
        walks += 1;
        Some(format!("{walked:016x}"))
    });
    assert!(walks >= 8);
}

#[test]
fn keeps_the_promises_of_a_game() {
    let small = Rules { width: 16, height: 14, max_ticks: 120, ..Rules::default() };
    keeps_promises::<Rezzo>(&small, 2, 0..3, 200);
    keeps_promises::<Rezzo>(&small, 1, 0..3, 200);
    let crowded = Rules { width: 40, height: 40, max_ticks: 150, ..Rules::default() };
    keeps_promises::<Rezzo>(&crowded, 10, 0..3, 200);
    // Flags beside bases: somebody loses in the first generation.
    let map = ["0   1   2", " A o  B  ", "  o   p  ", " ~a ,*b  "].map(String::from).to_vec();
    keeps_promises::<Rezzo>(&Rules { map, max_ticks: 50, ..Rules::default() }, 3, 0..3, 60);
}
