//! Play of a person by the kit, with more answers than keys.

use agon_core::{Decision, Game, Meta, Player, Seed, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kit, Orders, SmallGame};
use crate::human::{ArrowKey, Gesture, HumanInput, Reaction};

/// No settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NoSettings {}

/// Both players bid in turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Bidding {
    bids: u64,
}

/// What a player says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Answer {
    #[default]
    Liar,
    Bid {
        count: u8,
        face: u8,
    },
}

crate::postcard_codec!(Answer);

impl SmallGame for Bidding {
    const META: Meta = Meta {
        id: "bidding",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "bid",
        summary: "Players bid.",
        page: "# bidding\n",
    };

    const LABELS: &'static [(&'static str, &'static str)] = &[("LIAR", "call a lie")];

    type Settings = NoSettings;
    type Answer = Answer;
    type View = u64;

    fn check_settings(_: &NoSettings, _: usize, _: &mut Problems) {}

    fn check(&self, _: &NoSettings, _: &mut Problems) {}

    fn start(_: &NoSettings, _: usize, _: Seed) -> Bidding {
        Bidding { bids: 0 }
    }

    fn players(&self) -> usize {
        2
    }

    fn turn(&self) -> u64 {
        self.bids
    }

    fn decisions(&self, _: &NoSettings) -> Vec<Decision> {
        vec![Decision::new(Player((self.bids % 2) as u16), 0)]
    }

    fn answers(_: &NoSettings, _: usize) -> Vec<Answer> {
        let bids = (1..=10).flat_map(|count| (1..=6).map(move |face| Answer::Bid { count, face }));
        [Answer::Liar].into_iter().chain(bids).collect()
    }

    fn view(&self, _: &NoSettings, _: Decision) -> u64 {
        self.bids
    }

    fn step(&mut self, _: &NoSettings, _: Seed, _: &[(Decision, Answer)]) {
        self.bids += 1;
    }

    fn score(&self, _: &NoSettings, _: Player) -> i64 {
        0
    }

    fn ending(&self, _: &NoSettings) -> String {
        "never".into()
    }
}

type Bids = Kit<Bidding>;

fn game() -> Bids {
    Kit::new(&NoSettings {}, 2, Seed(1)).unwrap()
}

/// Returns the labels of the entries that are shown, and of the one under the cursor.
fn shown(game: &Bids, orders: &Orders<Answer>) -> (Vec<String>, Option<String>) {
    let choices = game.hints(orders).choices;
    let entries = choices.iter().filter(|choice| matches!(choice.act, Gesture::Choose(_)));
    let chosen = choices.iter().find(|choice| choice.chosen);
    (
        entries.map(|choice| choice.label.clone()).collect(),
        chosen.map(|choice| choice.label.clone()),
    )
}

fn answer(game: &Bids, orders: &Orders<Answer>) -> Answer {
    game.carry_out(orders, Decision::new(Player(0), 0))
}

#[test]
fn all_of_61_answers_can_be_reached_with_arrow_keys() {
    let game = game();
    let mut orders = game.orders(Player(0));
    let mut seen = Vec::new();
    for _ in 0..61 {
        let (entries, chosen) = shown(&game, &orders);
        assert!(entries.len() <= 20 && entries.contains(chosen.as_ref().unwrap()));
        seen.extend(chosen);
        game.act(&mut orders, Gesture::Go(ArrowKey::Down));
    }
    assert_eq!((seen[0].as_str(), seen[60].as_str()), ("call a lie", "bid: count 10, face 6"));
    seen.dedup();
    assert_eq!(seen.len(), 61);
    game.act(&mut orders, Gesture::Go(ArrowKey::Left));
    assert_eq!(shown(&game, &orders).1.unwrap(), seen[40]);
    assert_eq!(game.act(&mut orders, Gesture::Confirm), Reaction::Submitted);
    assert_eq!(answer(&game, &orders), Answer::Bid { count: 7, face: 4 });
}

#[test]
fn a_list_can_be_searched_and_its_cursor_stays() {
    let game = game();
    let mut orders = game.orders(Player(0));
    for letter in "2 FACE 3".chars() {
        assert_eq!(game.act(&mut orders, Gesture::Type(letter)), Reaction::Changed);
    }
    let (entries, chosen) = shown(&game, &orders);
    assert_eq!(entries, ["bid: count 2, face 3", "bid: count 3, face 2"]);
    assert_eq!(chosen.as_deref(), Some("bid: count 2, face 3"));
    assert!(matches!(game.act(&mut orders, Gesture::Type('x')), Reaction::Refused(_)));
    game.act(&mut orders, Gesture::Go(ArrowKey::Down));
    assert_eq!(game.act(&mut orders, Gesture::Cancel), Reaction::Changed);
    let (_, chosen) = shown(&game, &orders);
    assert_eq!(chosen.as_deref(), Some("bid: count 3, face 2"), "the cursor stays");

    let cursor = game.hints(&orders).cursor.unwrap();
    let mut later = game.orders(Player(0));
    assert_eq!(game.act(&mut later, Gesture::Point(cursor)), Reaction::Changed);
    assert_eq!(shown(&game, &later).1, chosen);
    let mut clicked = game.orders(Player(0));
    assert_eq!(game.act(&mut clicked, Gesture::Choose(60)), Reaction::Submitted);
    assert_eq!(answer(&game, &clicked), Answer::Bid { count: 10, face: 6 });
    assert_eq!(game.act(&mut later, Gesture::Choose(61)), Reaction::Ignored);
}
