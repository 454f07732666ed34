//! Tests of the kit, with a sample game: it has no board, and every player has two units.

#![cfg(test)]

use agon_core::{
    ActionMask, Codec, Decision, Game, GameExt, LegalActions, Meta, Player, Purpose, Seed,
    error::Problems,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Grid, Kit, KitAnswer, KitQuestion, Orders, SmallGame};
use crate::any::{AnyGame, kind_of};
use crate::batch::{self, Batch, Record, Unusable};
use crate::conformance::{self, Options};
use crate::human::{ArrowKey, Gesture, HumanInput, Reaction};
use crate::jsonl::{self, JsonGame};
use crate::scene::{Board, Hue, Ink, Place, Render, Shape};
use crate::{BuiltinBots, jsonl::message::write_decide};

/// The settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Turns until the end.
    turns: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { turns: 4 }
    }
}

/// What a unit adds to the score of its player. A bonus is illegal in the first turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Answer {
    #[default]
    Nothing,
    One,
    Bonus(u8),
}

crate::postcard_codec!(Answer);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Adding {
    turn: u64,
    scores: Vec<i64>,
    /// How often each player added one.
    ones: Vec<i64>,
}

pub(crate) type Sum = Kit<Adding>;

impl SmallGame for Adding {
    const META: Meta = Meta {
        id: "adding",
        rules_version: 1,
        min_players: 1,
        max_players: 3,
        turn_name: "turn",
        summary: "Units add.",
        page: "# adding\n",
    };

    type Settings = Settings;
    type Answer = Answer;
    type View = i64;

    fn check_settings(settings: &Settings, _: usize, problems: &mut Problems) {
        problems.range("turns", settings.turns, 1..=100);
    }

    fn check(&self, settings: &Settings, problems: &mut Problems) {
        problems.range("turn", self.turn, 0..=settings.turns);
    }

    fn start(_: &Settings, players: usize, _: Seed) -> Adding {
        Adding { turn: 0, scores: vec![0; players], ones: vec![0; players] }
    }

    fn players(&self) -> usize {
        self.scores.len()
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn limit(settings: &Settings) -> Option<u64> {
        Some(settings.turns)
    }

    fn decisions(&self, settings: &Settings) -> Vec<Decision> {
        if self.turn >= settings.turns {
            return Vec::new();
        }
        let units = |player| [0, 1].map(|unit| Decision::new(player, unit));
        Player::all(self.players()).flat_map(units).collect()
    }

    fn answers(_: &Settings, _: usize) -> Vec<Answer> {
        vec![Answer::Nothing, Answer::One, Answer::Bonus(7)]
    }

    fn illegal(&self, _: &Settings, _: Decision, answer: &Answer) -> Option<String> {
        let is_early = matches!(answer, Answer::Bonus(_)) && self.turn == 0;
        is_early.then(|| "no bonus in the first turn".into())
    }

    fn view(&self, _: &Settings, decision: Decision) -> i64 {
        self.scores[decision.player.index()]
    }

    fn step(&mut self, _: &Settings, _: Seed, answers: &[(Decision, Answer)]) {
        for (decision, answer) in answers {
            let added = match *answer {
                Answer::Bonus(bonus) if self.turn > 0 => i64::from(bonus),
                Answer::One => 1,
                _ => 0,
            };
            self.scores[decision.player.index()] += added;
            self.ones[decision.player.index()] += i64::from(*answer == Answer::One);
        }
        self.turn += 1;
    }

    fn score(&self, _: &Settings, player: Player) -> i64 {
        self.scores[player.index()]
    }

    fn rank(&self, settings: &Settings, player: Player) -> Vec<i64> {
        vec![self.score(settings, player), self.ones[player.index()]]
    }

    fn measures(&self, _: &Settings, player: Player) -> Vec<(&'static str, i64)> {
        vec![("ones", self.ones[player.index()])]
    }

    fn ending(&self, settings: &Settings) -> String {
        format!("most points after {} turns", settings.turns)
    }

    fn gesture(&self, _: &Settings, _: Decision, answer: &Answer) -> Option<Gesture> {
        (*answer == Answer::One).then_some(Gesture::Go(ArrowKey::Up))
    }
}

fn game() -> Sum {
    Sum::new(&Settings::default(), 2, Seed(1)).unwrap()
}

fn later() -> Sum {
    let mut game = game();
    game.step_with(|_, _| Answer::One);
    game
}

#[test]
fn games_of_the_kit_keep_the_promises_of_games() {
    let game = kind_of::<Sum>();
    let options = Options { points: conformance::RULES, ..Options::tiny(game) };
    conformance::require(game, &options);
}

#[test]
fn settings_players_and_positions_are_checked() {
    let error = |settings, players| Sum::new(&settings, players, Seed(1)).unwrap_err().to_string();
    assert_eq!(error(Settings { turns: 0 }, 2), "turns: 0 is not between 1 and 100");
    assert_eq!(error(Settings::default(), 4), "players: 4 is not between 1 and 3");
    let position = Adding { turn: 5, scores: vec![0, 0], ones: vec![0, 0] };
    let error = Sum::from_position(&Settings::default(), Seed(1), position).unwrap_err();
    assert_eq!(error.to_string(), "turn: 5 is not between 0 and 4");
}

#[test]
fn the_highest_score_wins_and_nobody_wins_alone() {
    let mut game = game();
    game.step_with(|_, decision| [Answer::One, Answer::Nothing][decision.player.index()]);
    assert_eq!(game.standing().players[1].place, 2);
    assert_eq!(game.standing().outcome, None);
    while !game.is_over() {
        game.step_with(|_, _| Answer::default());
    }
    let outcome = game.standing().outcome.unwrap();
    assert_eq!(
        (outcome.winners, outcome.reason.as_str()),
        (vec![Player(0)], "most points after 4 turns")
    );

    // Seven ones beat a bonus of seven.
    let position = Adding { turn: 4, scores: vec![7, 7], ones: vec![0, 7] };
    let tied = Sum::from_position(&Settings::default(), Seed(1), position).unwrap();
    assert_eq!(tied.standing().leaders(), [Player(1)]);
    assert_eq!(tied.standing().players[1].measures, [("ones".to_owned(), 7)]);

    let mut alone = Sum::new(&Settings { turns: 1 }, 1, Seed(1)).unwrap();
    alone.step_with(|_, _| Answer::One);
    assert!(alone.standing().outcome.unwrap().winners.is_empty());
}

#[test]
fn answers_are_numbered_and_named_as_in_json() {
    let game = game();
    let names: Vec<_> = (0..game.action_count()).map(|action| game.action_name(action)).collect();
    assert_eq!(names, ["NOTHING", "ONE", r#"{"BONUS":7}"#]);
    let mut legal = ActionMask::default();
    game.legal_actions(game.decisions()[0], 0, &mut legal);
    assert_eq!(legal.iter().collect::<Vec<_>>(), [0, 1]);
    let decision = game.decisions()[0];
    assert_eq!(game.actions_of(decision, &Answer::Bonus(7)), Some(vec![2]));
    assert_eq!(game.actions_of(decision, &Answer::Bonus(8)), None);
}

#[test]
fn questions_list_what_is_allowed() {
    let game = later();
    let mut line = Vec::new();
    write_decide(&game, 1, &game.decisions()[..2], &mut line);
    let line: serde_json::Value = serde_json::from_slice(&line).unwrap();
    let legal = json!(["NOTHING", "ONE", { "BONUS": 7 }]);
    let decisions = json!([
        { "unit": 0, "legal": legal, "view": 2 },
        { "unit": 1, "legal": legal, "view": 2 },
    ]);
    let expected = json!({ "type": "decide", "step": 1, "turn": 1, "decisions": decisions });
    assert_eq!(line, expected);

    let schema = jsonl::schema::<Sum>();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&line));
    assert_eq!(Sum::reply_for(Sum::answer_from(Answer::One)), Some(Answer::One));
}

#[test]
fn replies_play_a_game_of_any_kind() {
    let mut any = AnyGame::of(later());
    let mut answers = any.kind().no_answers();
    answers.reset(4);
    for (at, reply) in [(0, r#""ONE""#), (1, r#"{"BONUS": 7}"#), (3, r#""NOTHING""#)] {
        answers.as_mut().set_reply(at, reply).unwrap();
    }
    any.step(&answers);
    assert_eq!(any.as_game::<Sum>().unwrap().state().scores, [10, 2]);
}

#[test]
fn flat_memory_has_numbers_and_the_view() {
    let game = later();
    let decisions = &game.decisions()[..2];
    let mut question = Vec::new();
    batch::question(&game, 1, decisions, &mut question);
    let start = batch::Question::SIZE;
    let first = KitQuestion::get(&question[start..start + KitQuestion::SIZE]);
    assert_eq!((first.unit, first.answers), (0, 3));
    let legal = first.legal as usize;
    assert_eq!(question[legal..legal + 3], [1, 1, 1]);
    assert_eq!(first.view.of(&question).unwrap(), Some(&b"2"[..]));

    let mut answered = Vec::new();
    KitAnswer { answered: 1, pad: [0; 3], answer: 2 }.append(&mut answered);
    KitAnswer { answered: 1, pad: [0; 3], answer: 3 }.append(&mut answered);
    let mut answers = [Answer::default(); 2];
    let mut wrong = Vec::new();
    game.read_answers(decisions, &answered, &mut answers, &mut |at, why| wrong.push((at, why)));
    assert_eq!(answers, [Answer::Bonus(7), Answer::Nothing]);
    assert_eq!(wrong, [(1, Unusable::Garbage("there is no answer 3".into()))]);
}

#[test]
fn without_a_board_players_are_squares_with_the_position() {
    let scene = later().scene();
    assert_eq!(scene.board, Board::Grid { width: 2, height: 1, wraps: false });
    assert_eq!(scene.cells, [Ink::player(Player(0)), Ink::player(Player(1))]);
    assert_eq!(scene.players[1].score, "2");
    let facts = later().inspect(1);
    assert!(facts.iter().any(|fact| fact.value.trim() == r#""turn": 1,"#), "{facts:?}");
    let own = later().inspect_for(Player(1), 0);
    assert!(own.iter().all(|fact| fact.name != "position"), "{own:?}");
    let seen = later().seen_beside(Player(1));
    assert_eq!(seen.iter().filter(|fact| fact.name == "you see" && fact.value == "2").count(), 2);
    assert!(own.ends_with(&seen) && later().has_secrets(Player(1)));
    assert_eq!(later().decision_at(1), None, "both units decide");
    let mut scores = Vec::new();
    (Sum::SERIES[0].sample)(&later(), &mut scores);
    assert_eq!(scores, [2, 2]);
}

#[test]
fn squares_have_colours_and_shapes() {
    let mut grid = Grid::new(3, 2).wrapping();
    grid.fill(2, 1, Ink::new(Hue::Wall));
    assert_eq!(grid.place(2, 1), 5);
    assert_eq!(grid.cells[5], Ink::new(Hue::Wall));
    assert!(std::panic::catch_unwind(move || grid.fill(3, 0, Ink::GROUND)).is_err());
}

#[test]
fn a_person_answers_unit_by_unit() {
    let game = later();
    let mut orders = game.orders(Player(1));
    let hints = game.hints(&orders);
    assert_eq!(hints.message, "Choose an answer for unit 0");
    let labels: Vec<_> = hints.choices.iter().map(|choice| choice.label.as_str()).collect();
    assert_eq!(labels, ["nothing", "one", "bonus 7"]);

    assert_eq!(game.act(&mut orders, Gesture::Type('9')), Reaction::Ignored);
    assert!(matches!(game.act(&mut orders, Gesture::Undo), Reaction::Refused(_)));
    assert_eq!(game.act(&mut orders, Gesture::Type('2')), Reaction::Changed);
    assert_eq!(game.act(&mut orders, Gesture::Undo), Reaction::Changed);
    assert_eq!(game.act(&mut orders, Gesture::Go(ArrowKey::Up)), Reaction::Changed);
    assert_eq!(game.act(&mut orders, Gesture::Type('2')), Reaction::Submitted);
    let own = [Decision::new(Player(1), 0), Decision::new(Player(1), 1)];
    let answers = own.map(|decision| game.carry_out(&orders, decision));
    assert_eq!(answers, [Answer::One, Answer::Bonus(7)]);
}

#[test]
fn the_random_bot_gives_every_legal_answer_and_no_other() {
    let mut bot = (Sum::BUILTINS[0].make)(&agon_core::Params::new(&[], []).unwrap()).unwrap();
    for (game, expected) in [(game(), 2), (later(), 3)] {
        let view = game.view(game.decisions()[0]);
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let mut given: Vec<String> =
            (0..100).map(|_| format!("{:?}", bot.decide(&view, &mut rng))).collect();
        given.sort();
        given.dedup();
        assert_eq!(given.len(), expected, "{given:?}");
    }
}

#[test]
fn encoded_answers_come_back_and_nonsense_is_refused() {
    let mut bytes = Vec::new();
    let answers = [Answer::One, Answer::Bonus(200), Answer::Nothing];
    Answer::encode_all(&answers, &mut bytes);
    let mut read = Vec::new();
    Answer::decode_all(&mut bytes.as_slice(), 3, &mut read).unwrap();
    assert_eq!(read, answers);
    assert_eq!(Answer::decode(&mut [9].as_slice()), Err(agon_core::DecodeError::Unknown(9)));
    assert_eq!(Answer::decode(&mut [2].as_slice()), Err(agon_core::DecodeError::Truncated));
}

/// No settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NoSettings {}

/// Players mark squares of a board, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Marking {
    /// The player who marked each square.
    squares: [Option<u16>; 9],
}

/// The square to mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Square(u32);

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

/// Both players bid in turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Bidding {
    bids: u64,
}

/// What a player says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Said {
    #[default]
    Liar,
    Bid {
        count: u8,
        face: u8,
    },
}

crate::postcard_codec!(Said);

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
    type Answer = Said;
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

    fn answers(_: &NoSettings, _: usize) -> Vec<Said> {
        let bids = (1..=10).flat_map(|count| (1..=6).map(move |face| Said::Bid { count, face }));
        [Said::Liar].into_iter().chain(bids).collect()
    }

    fn view(&self, _: &NoSettings, _: Decision) -> u64 {
        self.bids
    }

    fn step(&mut self, _: &NoSettings, _: Seed, _: &[(Decision, Said)]) {
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

fn bids() -> Bids {
    Kit::new(&NoSettings {}, 2, Seed(1)).unwrap()
}

/// Returns the labels of the entries that are shown, and of the one under the cursor.
fn shown(game: &Bids, orders: &Orders<Said>) -> (Vec<String>, Option<String>) {
    let choices = game.hints(orders).choices;
    let entries = choices.iter().filter(|choice| matches!(choice.act, Gesture::Choose(_)));
    let chosen = choices.iter().find(|choice| choice.chosen);
    (
        entries.map(|choice| choice.label.clone()).collect(),
        chosen.map(|choice| choice.label.clone()),
    )
}

fn answer(game: &Bids, orders: &Orders<Said>) -> Said {
    game.carry_out(orders, Decision::new(Player(0), 0))
}

#[test]
fn all_of_61_answers_can_be_reached_with_arrow_keys() {
    let game = bids();
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
    assert_eq!(answer(&game, &orders), Said::Bid { count: 7, face: 4 });
}

#[test]
fn a_list_can_be_searched_and_its_cursor_stays() {
    let game = bids();
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
    assert_eq!(answer(&game, &clicked), Said::Bid { count: 10, face: 6 });
    assert_eq!(game.act(&mut later, Gesture::Choose(61)), Reaction::Ignored);
}
