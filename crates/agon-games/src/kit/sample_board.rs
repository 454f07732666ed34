//! Play of a person by the kit, with a game whose answers are squares.

use agon_core::{Decision, Game, Meta, Player, Seed, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Grid, Kit, Orders, SmallGame};
use crate::{
    human::{ArrowKey, Gesture, HumanInput, Reaction},
    scene::{Place, Shape},
};

/// No settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NoSettings {}

/// Players mark squares of a board, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Marking {
    /// The player who marked each square.
    squares: [Option<u16>; 9],
}

/// The square to mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Square(u32);

crate::postcard_codec!(Square);

impl SmallGame for Marking {
    const META: Meta = Meta {
        id: "marking",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "move",
        summary: "Players mark squares.",
        page: "# marking\n",
    };

    type Settings = NoSettings;
    type Answer = Square;
    type View = Marking;

    fn check_settings(_: &NoSettings, _: usize, _: &mut Problems) {}

    fn check(&self, _: &NoSettings, _: &mut Problems) {}

    fn start(_: &NoSettings, _: usize, _: Seed) -> Marking {
        Marking { squares: [None; 9] }
    }

    fn players(&self) -> usize {
        2
    }

    fn turn(&self) -> u64 {
        self.squares.iter().flatten().count() as u64
    }

    fn decisions(&self, _: &NoSettings) -> Vec<Decision> {
        let player = Player((self.turn() % 2) as u16);
        if self.turn() < 9 { vec![Decision::new(player, 0)] } else { Vec::new() }
    }

    fn answers(_: &NoSettings, _: usize) -> Vec<Square> {
        (0..9).map(Square).collect()
    }

    fn illegal(&self, _: &NoSettings, _: Decision, answer: &Square) -> Option<String> {
        let is_free = self.squares.get(answer.0 as usize) == Some(&None);
        (!is_free).then(|| "the square has a mark".into())
    }

    fn view(&self, _: &NoSettings, _: Decision) -> Marking {
        self.clone()
    }

    fn step(&mut self, _: &NoSettings, _: Seed, answers: &[(Decision, Square)]) {
        let (decision, Square(square)) = answers[0];
        self.squares[square as usize].get_or_insert(decision.player.0);
    }

    fn score(&self, _: &NoSettings, _: Player) -> i64 {
        0
    }

    fn ending(&self, _: &NoSettings) -> String {
        "the board is full".into()
    }

    fn grid(&self, _: &NoSettings) -> Option<Grid> {
        Some(Grid::new(3, 3))
    }

    fn gesture(&self, _: &NoSettings, _: Decision, answer: &Square) -> Option<Gesture> {
        Some(Gesture::Pick(answer.0))
    }
}

/// Returns the squares with a cross, and what Return gives.
fn cursor(game: &Kit<Marking>, orders: &Orders<Square>) -> (Vec<Place>, String) {
    let hints = game.hints(orders);
    let crosses = hints.marks.iter().filter(|mark| mark.shape == Shape::Cross);
    let confirm = hints.choices.iter().find(|choice| choice.act == Gesture::Confirm);
    (crosses.map(|mark| mark.place).collect(), confirm.unwrap().label.clone())
}

#[test]
fn squares_can_be_chosen_with_the_keyboard_alone() {
    let mut game = Kit::<Marking>::new(&NoSettings {}, 2, Seed(1)).unwrap();
    game.step(&[Square(4)]);
    let mut orders = game.orders(Player(1));
    assert!(game.hints(&orders).message.contains("arrow keys and Return"));
    assert_eq!(cursor(&game, &orders), (vec![0], "0".into()));

    // At the edge an arrow moves nothing.
    for (way, square, label) in
        [(ArrowKey::Up, 0, "0"), (ArrowKey::Right, 1, "1"), (ArrowKey::Down, 4, "nothing here")]
    {
        assert_eq!(game.act(&mut orders, Gesture::Go(way)), Reaction::Changed);
        assert_eq!(cursor(&game, &orders), (vec![square], label.into()));
    }
    assert!(matches!(game.act(&mut orders, Gesture::Confirm), Reaction::Refused(_)));
    game.act(&mut orders, Gesture::Go(ArrowKey::Down));
    assert_eq!(game.act(&mut orders, Gesture::Confirm), Reaction::Submitted);
    let decision = Decision::new(Player(1), 0);
    assert_eq!(game.carry_out(&orders, decision), Square(7));

    let mut clicked = game.orders(Player(1));
    assert_eq!(game.act(&mut clicked, Gesture::Pick(4)), Reaction::Ignored);
    assert_eq!(game.act(&mut clicked, Gesture::Pick(8)), Reaction::Submitted);
    assert_eq!(game.carry_out(&clicked, decision), Square(8));
}
