//! What is hidden from a player changes nothing that the player gets: no message to the bot, no
//! picture, and no answer of a built-in bot.
//!
//! `every_game` calls [`check`] for all games.

use agon_core::{
    Builtin, Decision, Game, Meta, Params, Player, Purpose, Seed, error::Problems, runs_by_player,
};
use agon_games::batch::{self, Batch};
use agon_games::jsonl::message::{Start, write_decide};
use agon_games::kit::{Grid, Kit, SmallGame, random_bot};
use agon_games::scene::{Ink, Shape};
use agon_games::{BuiltinBots, human::HumanInput, jsonl::JsonGame, postcard_codec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The question to a bot as JSON, and what is recorded for it. It says which states are the same to
/// the bot.
fn told<G: JsonGame>(game: &G, decisions: &[Decision]) -> Vec<u8> {
    let mut question = Vec::new();
    write_decide(game, 1, decisions, &mut question);
    question
}

/// Everything else that the player of a seat gets, by name.
fn others<G: BuiltinBots + JsonGame + Batch + HumanInput>(
    game: &G,
    player: Player,
    decisions: &[Decision],
) -> Vec<(String, String)> {
    let names: Vec<String> = (0..game.players()).map(|player| format!("bot {player}")).collect();
    let start = serde_json::to_value(Start::new(game, player, &names)).unwrap();
    let mut flat = Vec::new();
    batch::question(game, 1, decisions, &mut flat);
    let mut all = vec![
        ("the first message".to_owned(), start["setup"].to_string()),
        ("flat memory".to_owned(), format!("{flat:?}")),
    ];
    for builtin in G::BUILTINS {
        let params = Params::new(builtin.params, []).unwrap();
        let mut bot = (builtin.make)(&params).unwrap();
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let answers: Vec<_> =
            decisions.iter().map(|&decision| bot.decide(&game.view(decision), &mut rng)).collect();
        all.push((format!("the built-in bot {}", builtin.name), format!("{answers:?}")));
    }
    // Of other games people see more than one question says: those to all units of a turn.
    if G::LISTS_LEGAL {
        let scene = game.scene_for(player);
        let facts: Vec<_> =
            (0..scene.board.places() as u32).map(|place| game.inspect_for(player, place)).collect();
        all.extend([
            ("the picture".to_owned(), format!("{scene:?}")),
            ("the inspector".to_owned(), format!("{facts:?}")),
            ("what is beside the board".to_owned(), format!("{:?}", game.seen_beside(player))),
            ("hints".to_owned(), format!("{:?}", game.hints(&game.orders(player)))),
        ]);
    }
    all
}

/// Compares a state with others. Returns how many of them look the same to a bot.
///
/// # Panics
/// If two states look the same to a bot, and its player still gets something that differs.
pub(crate) fn check<G: BuiltinBots + JsonGame + Batch + HumanInput>(
    game: &G,
    states: impl Iterator<Item = G>,
) -> usize {
    let mut compared = 0;
    for other in states {
        for (player, part) in runs_by_player(game.decisions()) {
            let decisions = &game.decisions()[part];
            let is_asked = decisions.iter().all(|decision| other.decisions().contains(decision));
            if !is_asked || told(game, decisions) != told(&other, decisions) {
                continue;
            }
            compared += 1;
            let here = others(game, player, decisions);
            for ((what, here), (_, there)) in
                here.into_iter().zip(others(&other, player, decisions))
            {
                let id = G::META.id;
                assert!(
                    here == there,
                    "{id}: {what} gives player {player} more than its view has:\n{here}\n{there}"
                );
            }
        }
    }
    compared
}

/// What a game gives away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
enum Leak {
    #[default]
    Nothing,
    Picture,
    Score,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Rules {
    leak: Leak,
}

/// Each player has a hidden die.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Hands {
    turn: u64,
    dice: [u8; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Wait;

postcard_codec!(Wait);

impl SmallGame for Hands {
    const META: Meta = Meta {
        id: "hands",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "turn",
        summary: "Hidden dice.",
        page: "# hands\n",
    };

    const BOTS: &'static [Builtin<Kit<Hands>>] = &[random_bot()];

    type Settings = Rules;
    type Answer = Wait;
    type View = u8;

    fn check_settings(_: &Rules, _: usize, _: &mut Problems) {}

    fn check(&self, _: &Rules, _: &mut Problems) {}

    fn start(_: &Rules, _: usize, seed: Seed) -> Hands {
        let mut rng = seed.stream(Purpose::Setup, 0);
        Hands { turn: 0, dice: [(); 2].map(|()| 1 + rng.below(6) as u8) }
    }

    fn players(&self) -> usize {
        2
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn decisions(&self, _: &Rules) -> Vec<Decision> {
        Player::all(2).map(|player| Decision::new(player, 0)).collect()
    }

    fn answers(_: &Rules, _: usize) -> Vec<Wait> {
        vec![Wait]
    }

    fn view(&self, _: &Rules, decision: Decision) -> u8 {
        self.dice[decision.player.index()]
    }

    fn step(&mut self, _: &Rules, _: Seed, _: &[(Decision, Wait)]) {
        self.turn += 1;
    }

    fn score(&self, rules: &Rules, player: Player) -> i64 {
        if rules.leak == Leak::Score { self.dice[player.index()].into() } else { 0 }
    }

    fn ending(&self, _: &Rules) -> String {
        "never".into()
    }

    fn grid(&self, rules: &Rules) -> Option<Grid> {
        let mut grid = Grid::new(2, 1);
        for (x, die) in (0..).zip(self.dice) {
            grid.mark(x, 0, Shape::Number(die.into()), Ink::GROUND);
        }
        (rules.leak == Leak::Picture).then_some(grid)
    }
}

#[test]
fn a_game_that_gives_away_what_it_hides_is_found() {
    let compare = |leak| {
        let state = |seed| Kit::<Hands>::new(&Rules { leak }, 2, Seed(seed)).unwrap();
        std::panic::catch_unwind(|| check(&state(0), (1..100).map(state)))
    };
    assert!(compare(Leak::Nothing).unwrap() > 10);
    for (leak, expected) in [(Leak::Picture, "the picture"), (Leak::Score, "the picture")] {
        let panic = compare(leak).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with(&format!("hands: {expected} gives player")), "{text}");
    }
}
