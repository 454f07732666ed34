use agon_core::{Game, GameExt, Params, Policy, Purpose, Rng};
use serde_json::json;

use super::*;
use crate::scene::{Mark, Render, drawing::draw};

fn point((x, y): (i16, i16)) -> Point {
    Point { x, y }
}

fn points(squares: &[(i16, i16)]) -> Vec<Point> {
    squares.iter().copied().map(point).collect()
}

/// A board on which nothing appears.
fn board(bodies: &[&[(i16, i16)]], food: &[(i16, i16)], hazards: &[(i16, i16)]) -> Board {
    let snake = |body: &&[(i16, i16)]| Snake { health: 100, body: points(body), eliminated: None };
    Board {
        turn: 0,
        snakes: bodies.iter().map(snake).collect(),
        food: points(food),
        hazards: points(hazards),
        recorded: Some(Vec::new()),
    }
}

/// Plays a turn: a letter for each snake that is left, as in "ul" for up and left.
fn play(board: &mut Board, rules: &Rules, moves: &str) {
    let answer = |letter| match letter {
        'u' => Answer::Up,
        'd' => Answer::Down,
        'l' => Answer::Left,
        'r' => Answer::Right,
        _ => Answer::Ahead,
    };
    let decisions = board.decisions(rules);
    assert_eq!(decisions.len(), moves.len(), "{board:?}");
    let answers: Vec<_> = decisions.into_iter().zip(moves.chars().map(answer)).collect();
    board.step(rules, Seed(1), &answers);
}

fn causes(board: &Board) -> Vec<Option<Cause>> {
    board.snakes.iter().map(|snake| snake.eliminated.map(|out| out.cause)).collect()
}

fn with(ruleset: Ruleset) -> Rules {
    Rules { ruleset, ..Rules::default() }
}

const FIRST: &[(i16, i16)] = &[(3, 3), (3, 2), (3, 1)];
const FAR: &[(i16, i16)] = &[(9, 9), (9, 8), (9, 7)];

#[test]
fn food_fills_health_and_the_body_grows_in_the_next_move() {
    let rules = Rules::default();
    let mut board = board(&[FIRST, FAR], &[(3, 4), (0, 0)], &[]);
    board.snakes[0].health = 1;
    play(&mut board, &rules, "ul");
    assert_eq!(causes(&board), [None, None]);
    assert_eq!((board.snakes[0].health, board.snakes[1].health), (100, 99));
    assert_eq!(board.snakes[0].body, points(&[(3, 4), (3, 3), (3, 2), (3, 2)]));
    assert_eq!(board.food, points(&[(0, 0)]));
    play(&mut board, &rules, "ul");
    assert_eq!(board.snakes[0].body, points(&[(3, 5), (3, 4), (3, 3), (3, 2)]));
}

#[test]
fn without_food_the_last_health_is_lost() {
    let mut board = board(&[FIRST, FAR], &[], &[]);
    board.snakes[0].health = 1;
    play(&mut board, &Rules::default(), "ul");
    assert_eq!(causes(&board), [Some(Cause::OutOfHealth), None]);
    assert_eq!((board.snakes[0].health, board.left()), (0, 1));
}

#[test]
fn a_tail_moves_away_unless_its_snake_grows() {
    let rules = Rules::default();
    let circle: &[(i16, i16)] = &[(3, 3), (4, 3), (4, 2), (3, 2)];
    let mut own_tail = board(&[circle, FAR], &[], &[]);
    play(&mut own_tail, &rules, "dl");
    assert_eq!(causes(&own_tail), [None, None]);

    let fed: &[(i16, i16)] = &[(3, 3), (4, 3), (4, 2), (3, 2), (3, 2)];
    let mut grown = board(&[fed, FAR], &[], &[]);
    play(&mut grown, &rules, "dl");
    assert_eq!(causes(&grown), [Some(Cause::SnakeSelfCollision), None]);

    let behind: &[(i16, i16)] = &[(3, 0), (2, 0), (1, 0)];
    let mut follows = board(&[FIRST, behind], &[], &[]);
    play(&mut follows, &rules, "uu");
    assert_eq!(causes(&follows), [None, None]);
}

#[test]
fn the_longer_of_two_heads_survives_and_equal_ones_do_not() {
    let rules = Rules::default();
    let left: &[(i16, i16)] = &[(3, 5), (2, 5), (1, 5)];
    let right: &[(i16, i16)] = &[(5, 5), (6, 5), (7, 5)];
    let longer: &[(i16, i16)] = &[(5, 5), (6, 5), (7, 5), (8, 5)];
    let mut equal = board(&[left, right, FAR], &[], &[]);
    play(&mut equal, &rules, "rlu");
    let head = Some(Cause::HeadCollision);
    assert_eq!(causes(&equal), [head, head, None]);
    assert!(equal.is_over(&rules));

    let mut unequal = board(&[left, longer, FAR], &[], &[]);
    play(&mut unequal, &rules, "rlu");
    assert_eq!(causes(&unequal), [head, None, None]);
    let out = Elimination { turn: 1, cause: Cause::HeadCollision, by: Some(Player(1)) };
    assert_eq!(unequal.snakes[0].eliminated, Some(out));

    // Food counts before the lengths are compared: both ate it.
    let mut fed = board(&[left, right, FAR], &[(4, 5)], &[]);
    play(&mut fed, &rules, "rlu");
    assert_eq!(causes(&fed), [head, head, None]);
    assert!(fed.food.is_empty());

    // Of three, two are the longest: all are out.
    let above: &[(i16, i16)] = &[(4, 6), (4, 7), (4, 8)];
    let left: &[(i16, i16)] = &[(3, 5), (2, 5), (1, 5), (0, 5)];
    let mut three = board(&[left, longer, above], &[], &[]);
    play(&mut three, &rules, "rld");
    assert_eq!(causes(&three), [head; 3]);
}

#[test]
fn snakes_that_swap_places_run_into_each_other() {
    let left: &[(i16, i16)] = &[(4, 5), (3, 5), (2, 5)];
    let right: &[(i16, i16)] = &[(5, 5), (6, 5), (7, 5), (8, 5)];
    let mut board = board(&[left, right], &[], &[]);
    play(&mut board, &Rules::default(), "rl");
    assert_eq!(causes(&board), [Some(Cause::SnakeCollision); 2]);
    assert_eq!(board.score(&Rules::default(), Player(0)), 0);
}

#[test]
fn who_starves_or_leaves_the_board_is_in_nobodys_way_but_who_collides_is() {
    let rules = Rules::default();
    let edge: &[(i16, i16)] = &[(0, 5), (1, 5), (2, 5), (3, 5)];
    let into: &[(i16, i16)] = &[(1, 4), (1, 3), (1, 2)];
    let mut leaves = board(&[edge, into], &[], &[]);
    play(&mut leaves, &rules, "lu");
    assert_eq!(causes(&leaves), [Some(Cause::WallCollision), None]);

    let mut starves = board(&[edge, into], &[], &[]);
    starves.snakes[0].health = 1;
    play(&mut starves, &rules, "uu");
    assert_eq!(causes(&starves), [Some(Cause::OutOfHealth), None]);

    let mut collides = board(&[edge, into], &[], &[]);
    play(&mut collides, &rules, "ru");
    let expected = [Some(Cause::SnakeSelfCollision), Some(Cause::SnakeCollision)];
    assert_eq!(causes(&collides), expected);
}

#[test]
fn hazards_hurt_except_under_food() {
    let rules = Rules::default();
    let after = |food: &[(i16, i16)], hazards: &[(i16, i16)], health| {
        let mut board = board(&[FIRST, FAR], food, hazards);
        board.snakes[0].health = health;
        play(&mut board, &rules, "ul");
        (board.snakes[0].health, causes(&board)[0])
    };
    assert_eq!(after(&[], &[(3, 4)], 100), (85, None));
    assert_eq!(after(&[], &[(3, 4), (3, 4)], 100), (71, None));
    assert_eq!(after(&[(3, 4)], &[(3, 4)], 5), (100, None));
    assert_eq!(after(&[], &[(3, 4)], 15), (0, Some(Cause::Hazard)));
    assert_eq!(after(&[], &[(3, 3)], 100), (99, None));
}

#[test]
fn faults_continue_ahead_and_start_upwards() {
    let rules = Rules::default();
    let mut coiled = board(&[&[(3, 3); 3], FAR], &[], &[]);
    play(&mut coiled, &rules, "_l");
    assert_eq!(coiled.snakes[0].head(), point((3, 4)));
    play(&mut coiled, &rules, "rl");
    play(&mut coiled, &rules, "_l");
    assert_eq!(coiled.snakes[0].head(), point((5, 4)));
}

#[test]
fn edges_meet_in_wrapped_games() {
    let rules = with(Ruleset::Wrapped);
    let edge: &[(i16, i16)] = &[(0, 5), (1, 5), (2, 5)];
    let top: &[(i16, i16)] = &[(7, 10), (7, 9), (7, 8)];
    let mut board = board(&[edge, top], &[], &[]);
    play(&mut board, &rules, "l_");
    assert_eq!((board.snakes[0].head(), board.snakes[1].head()), (point((10, 5)), point((7, 0))));
    play(&mut board, &rules, "__");
    assert_eq!((board.snakes[0].head(), board.snakes[1].head()), (point((9, 5)), point((7, 1))));
    assert_eq!(causes(&board), [None, None]);
    let mut problems = Problems::new();
    board.check(&rules, &mut problems);
    problems.finish().unwrap();
}

#[test]
fn tails_stay_in_constrictor_games() {
    let rules = with(Ruleset::Constrictor);
    let mut board = board(&[&[(3, 3); 3], &[(9, 9); 3]], &[], &[]);
    let mut lengths = Vec::new();
    for _ in 0..4 {
        play(&mut board, &rules, "ul");
        lengths.push(board.snakes[0].body.len());
        assert_eq!((board.snakes[0].health, board.food.len()), (100, 0));
    }
    assert_eq!(lengths, [3, 4, 5, 6]);
    assert_eq!(board.snakes[0].body.last(), Some(&point((3, 3))));
    play(&mut board, &rules, "dl");
    let out = &board.snakes[0];
    assert!(out.eliminated.is_some());
    assert_eq!((out.health, out.body.len()), (100, 7));
    let game = Battlesnake::new(&rules, 2, Seed(1)).unwrap();
    assert!(game.state().food.is_empty());
}

#[test]
fn royale_shrinks_the_safe_board_a_side_at_a_time() {
    let rules = Rules { turns: 1_000, shrink_every_n_turns: 5, ..with(Ruleset::Royale) };
    let mut board = Board::new(&rules, 2, Seed(7));
    for turn in 1..=10 {
        board.turn = turn;
        let before = board.hazards.len();
        board.appear(&rules, Seed(7));
        let more = board.hazards.len() - before;
        assert_eq!(more >= 10, turn % 5 == 0, "{turn}: {more}");
    }
    for turn in 11..200 {
        board.turn = turn;
        board.appear(&rules, Seed(7));
    }
    assert_eq!(board.hazards.len(), 121);
}

#[test]
fn a_snake_alone_plays_until_it_is_out() {
    let rules = with(Ruleset::Solo);
    let mut two = board(&[FIRST, FAR], &[], &[]);
    play(&mut two, &rules, "du");
    assert_eq!((two.left(), two.is_over(&rules)), (1, false));
    play(&mut two, &rules, "u");
    assert!(two.is_over(&rules));
    let scores = [0, 1].map(|player| two.score(&rules, Player(player)));
    assert_eq!(scores, [0, 1]);

    let game = Battlesnake::new(&Rules::default(), 1, Seed(1)).unwrap();
    assert!(!game.is_over());
}

#[test]
fn recorded_chance_replaces_the_seed_and_no_bot_sees_it() {
    let rules = Rules { minimum_food: 5, ..with(Ruleset::Royale) };
    let later = vec![
        Spawn { turn: 1, food: points(&[(0, 0)]), ..Spawn::default() },
        Spawn { turn: 2, hazards: points(&[(7, 7), (7, 7)]), ..Spawn::default() },
        Spawn { turn: 3, food: points(&[(5, 5)]), gone: points(&[(7, 7)]), ..Spawn::default() },
    ];
    let start = |later: Vec<Spawn>| {
        let start = board(&[FIRST, FAR], &[(1, 1)], &[]);
        let start = Board { recorded: Some(later), ..start };
        Battlesnake::from_position(&rules, Seed(1), start).unwrap()
    };
    let mut game = start(later);
    let view =
        |game: &Battlesnake| serde_json::to_value(game.view(game.decisions()[0]).seen()).unwrap();
    assert_eq!(view(&game), view(&start(Vec::new())));
    let mut counts = Vec::new();
    for _ in 0..3 {
        game.step(&[Answer::Up, Answer::Left]);
        counts.push((game.state().food.len(), game.state().hazards.len()));
    }
    assert_eq!(counts, [(2, 0), (2, 2), (3, 1)]);
}

#[test]
fn pictures_have_up_at_the_top_and_no_snakes_that_are_out() {
    let rules = Rules { width: 5, height: 5, ..Rules::default() };
    let bodies: [&[(i16, i16)]; 2] = [&[(1, 1), (1, 0), (0, 0)], &[(2, 3), (3, 3), (3, 2), (3, 1)]];
    let mut board = board(&bodies, &[(4, 4)], &[(0, 4)]);
    let scene =
        |board: &Board| Battlesnake::from_position(&rules, Seed(1), board.clone()).unwrap().scene();
    let picture = scene(&board);
    assert_eq!(draw(&picture), ["#...:", "..bb.", "...b.", ".a.b.", "aa..."]);
    let way = |place: u32| {
        let pointer = |mark: &Mark| match mark.shape {
            Shape::Pointer(arrow) if mark.place == place => Some(arrow.0),
            _ => None,
        };
        picture.marks.iter().find_map(pointer)
    };
    // The heads, and the last squares of both; a number is behind each head.
    assert_eq!([16, 7, 20, 18].map(way), [Some(0), Some(6), Some(2), Some(0)]);
    assert_eq!([21, 8].map(way), [None, None]);

    let cause = Cause::WallCollision;
    board.snakes[1].eliminated = Some(Elimination { turn: 1, cause, by: None });
    assert_eq!(draw(&scene(&board)), ["#...:", ".....", ".....", ".a...", "aa..."]);
}

#[test]
fn chance_keeps_the_minimum_and_spawns_on_empty_squares() {
    let rules = Rules { minimum_food: 3, food_spawn_chance: 100, ..Rules::default() };
    let mut board = Board::new(&rules, 2, Seed(3));
    board.food.clear();
    board.turn = 1;
    board.appear(&rules, Seed(3));
    assert_eq!(board.food.len(), 3);
    for turn in 2..300 {
        board.turn = turn;
        board.appear(&rules, Seed(3));
    }
    // The two heads, and the squares around them, stay free.
    assert_eq!(board.food.len(), 121 - 2 * 5);
}

/// As in recorded games, in which chance and minimum do not count in a castle.
#[test]
fn food_comes_late_in_a_castle_and_never_on_hazards_there_and_at_bridges() {
    for map in [Map::HzCastleWall, Map::HzCastleWallLg, Map::HzIslandsBridges, Map::HzRiversBridges]
    {
        let size = map.size().unwrap();
        let chance = Rules { food_spawn_chance: 100, minimum_food: 5, ..Rules::default() };
        let rules = Rules { map, width: size, height: size, ..chance };
        let mut board = Board::new(&rules, 4, Seed(2));
        let mut counts = vec![board.food.len()];
        for turn in 1..=20 {
            board.turn = turn;
            board.appear(&rules, Seed(turn));
            counts.push(board.food.len());
        }
        assert!(board.food.iter().all(|food| !board.hazards.contains(food)), "{map:?}");
        if map.is_castle() {
            assert_eq!(counts[..11], [0; 11]);
            assert_eq!(counts[11..], [[1, 2, 2, 2, 2], [2; 5]].concat());
        } else {
            assert_eq!((counts[0], counts[20]), (4, 24), "{map:?}");
        }
    }
}

#[test]
fn recorded_hazards_may_come_and_go_but_not_pile_up() {
    let rules = Rules { width: 5, height: 5, ..Rules::default() };
    let check = |gone: &[(i16, i16)]| {
        let hazards = points(&[(1, 1); 100]);
        let spawn =
            |turn| Spawn { turn, hazards: hazards.clone(), gone: points(gone), ..Spawn::default() };
        let recorded = Some((1..100).map(spawn).collect());
        let board = Board { recorded, ..board(&[&[(3, 3)], &[(1, 3)]], &[], &[]) };
        let mut problems = Problems::new();
        board.check(&rules, &mut problems);
        problems.finish()
    };
    check(&[(1, 1); 100]).unwrap();
    // 25 turns are enough for 100 hazards on each square.
    check(&[(2, 2); 100]).unwrap_err();
    check(&[(1, 1)]).unwrap_err();
}

#[test]
fn all_sizes_and_numbers_of_players_have_a_start() {
    for (width, height) in [(5, 5), (7, 7), (8, 6), (9, 9), (11, 11), (19, 19)] {
        for players in 1..=12 {
            let rules = Rules { width, height, ..Rules::default() };
            let board = Board::new(&rules, players, Seed(players as u64));
            let mut heads: Vec<Point> = board.snakes.iter().map(Snake::head).collect();
            assert!(heads.iter().all(|head| (head.x + head.y) % 2 == 0), "{heads:?}");
            heads.sort_unstable();
            heads.dedup();
            assert_eq!(heads.len(), players);
            assert!(!board.food.is_empty());
        }
    }
}

/// The numbers of hazards that the official program places.
#[test]
fn maps_have_as_many_hazards_as_the_official_ones() {
    let count = |map, size| {
        let rules = Rules { map, width: size, height: size, ..Rules::default() };
        let mut problems = Problems::new();
        Board::check_settings(&rules, 8, &mut problems);
        problems.finish().unwrap();
        Board::new(&rules, 8, Seed(1)).hazards.len()
    };
    assert_eq!([7, 11, 19].map(|size| count(Map::HzColumns, size)), [9, 25, 81]);
    assert_eq!([7, 11, 19].map(|size| count(Map::HzInnerWall, size)), [16, 32, 64]);
    assert_eq!([7, 11, 19].map(|size| count(Map::HzRings, size)), [16, 48, 160]);
    assert_eq!([count(Map::HzCastleWall, 11), count(Map::HzCastleWallLg, 19)], [28, 112]);
    assert_eq!([count(Map::HzIslandsBridges, 11), count(Map::HzIslandsBridgesLg, 19)], [37, 101]);
    assert_eq!([count(Map::HzRiversBridges, 11), count(Map::HzRiversBridgesLg, 19)], [17, 37]);
}

#[test]
fn hazards_of_maps_grow_until_they_cover_the_board() {
    let counts = |map, turns: &[u64]| -> Vec<usize> {
        let rules = Rules { map, width: 7, height: 7, ..Rules::default() };
        let mut board = Board::new(&rules, 2, Seed(4));
        let mut counts = Vec::new();
        for turn in 1..=600 {
            board.turn = turn;
            board.appear(&rules, Seed(4));
            if turns.contains(&turn) {
                counts.push(board.hazards.len());
            }
        }
        let mut all = board.hazards.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!((all.len(), board.hazards.len()), (49, 49), "{map:?}");
        counts
    };
    assert_eq!(counts(Map::HzScatter, &[1, 2, 3, 4]), [0, 1, 1, 2]);
    assert_eq!(counts(Map::HzExpandScatter, &[1, 2, 3, 5]), [1, 1, 2, 3]);
    assert_eq!(counts(Map::HzExpandBox, &[1, 20])[..], [1, 1]);
    assert_eq!(counts(Map::HzGrowBox, &[1, 12, 13]), [1, 1, 2]);
    assert_eq!(counts(Map::HzSpiral, &[2, 3, 6, 9]), [0, 1, 2, 3]);
}

#[test]
fn the_view_is_the_move_request_of_the_official_protocol() {
    let rules = Rules::default();
    let mut board = board(&[FIRST, FAR, &[(5, 5), (5, 4)]], &[(1, 0)], &[(2, 0)]);
    board.snakes[2].health = 1;
    play(&mut board, &rules, "ulu");
    let view = serde_json::to_value(board.view(&rules, Decision::new(Player(1), 0))).unwrap();
    let you = json!({
        "id": "1", "name": "snake 1", "health": 99, "length": 3, "head": {"x": 8, "y": 9},
        "body": [{"x": 8, "y": 9}, {"x": 9, "y": 9}, {"x": 9, "y": 8}],
    });
    assert_eq!(view["you"], you);
    assert_eq!(view["turn"], 1);
    assert_eq!(view["board"]["snakes"][1], you);
    assert_eq!(view["board"]["snakes"].as_array().unwrap().len(), 2);
    assert_eq!(view["board"]["food"], json!([{"x": 1, "y": 0}]));
    let settings = json!({
        "foodSpawnChance": 15, "minimumFood": 1, "hazardDamagePerTurn": 14,
        "royale": {"shrinkEveryNTurns": 25},
    });
    let game = json!({"ruleset": {"name": "standard", "settings": settings}, "map": "standard"});
    assert_eq!(view["game"], game);
    let out = json!([{"id": "2", "turn": 1, "cause": "out-of-health", "by": null}]);
    assert_eq!(view["eliminated"], out);
}

/// Plays a match of built-in bots; returns the final state.
fn play_bots(rules: &Rules, bots: &[&str], seed: u64) -> Battlesnake {
    let policy = |name: &&str| -> Box<dyn Policy<Battlesnake>> {
        let bot = Board::BOTS.iter().find(|bot| bot.name == *name).unwrap();
        (bot.make)(&Params::new(bot.params, []).unwrap()).unwrap()
    };
    let mut policies: Vec<_> = bots.iter().map(policy).collect();
    let mut game = Battlesnake::new(rules, bots.len(), Seed(seed)).unwrap();
    while !game.is_over() {
        let answer = |decision: &Decision| {
            let player = decision.player;
            let turn = game.state().turn;
            let mut rng: Rng = Seed(seed).stream(Purpose::Bot(player.0), turn);
            policies[player.index()].decide(&game.view(*decision), &mut rng)
        };
        let answers: Vec<Answer> = game.decisions().iter().map(answer).collect();
        game.step(&answers);
    }
    game
}

#[test]
fn each_built_in_snake_beats_the_one_before() {
    for pair in [["hungry", "random"], ["careful", "hungry"], ["searcher", "careful"]] {
        let wins = |first: usize| {
            let bots = if first == 0 { pair } else { [pair[1], pair[0]] };
            let is_won = |seed: &u64| {
                play_bots(&Rules::default(), &bots, *seed).standing().leaders()
                    == [Player(first as u16)]
            };
            (0..10).filter(is_won).count()
        };
        let won = wins(0) + wins(1);
        assert!(won >= 13, "{pair:?}: {won} of 20");
    }
}

#[test]
fn bots_play_all_rulesets_and_maps_to_the_end() {
    let rulesets = [
        Ruleset::Standard,
        Ruleset::Solo,
        Ruleset::Royale,
        Ruleset::Constrictor,
        Ruleset::Wrapped,
        Ruleset::WrappedConstrictor,
    ];
    let bots = ["searcher", "careful", "hungry", "random"];
    for ruleset in rulesets {
        for map in [Map::Standard, Map::Empty, Map::HzRiversBridges, Map::HzSpiral] {
            let rules = Rules { ruleset, map, turns: 60, ..Rules::default() };
            let game = play_bots(&rules, &bots, 5);
            assert!(game.standing().outcome.is_some());
            let again = Battlesnake::from_position(&rules, Seed(5), game.position()).unwrap();
            assert_eq!(again, game);
        }
    }
}
