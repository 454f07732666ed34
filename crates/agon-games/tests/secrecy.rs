//! The conformance kit finds games that give away what they hide.

use agon_core::{Builtin, Decision, Meta, Player, Purpose, Seed, error::Problems};
use agon_games::any::kind_of;
use agon_games::conformance::{Options, Status, examine};
use agon_games::kit::{Grid, Kit, SmallGame, random_bot};
use agon_games::postcard_codec;
use agon_games::scene::{Ink, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

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
    let game = kind_of::<Kit<Hands>>();
    let found = |leak: Leak| {
        let rules = json!({ "leak": leak });
        let options = Options { rules, points: 16..=16, ..Options::tiny(game) };
        let secrets = examine(game, &options).next().unwrap();
        (secrets.status, secrets.name, secrets.found)
    };
    assert_eq!(found(Leak::Nothing).0, Status::Passed);
    for leak in [Leak::Picture, Leak::Score] {
        let (status, name, found) = found(leak);
        assert_eq!((status, name), (Status::Failed, "secrets"));
        assert!(found.contains("the picture: player "), "{found}");
    }
}
