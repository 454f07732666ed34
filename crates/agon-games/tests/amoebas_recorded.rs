//! Tests that the rules of amoebas reproduce recordings of the game's well-known implementation.
//!
//! Every file of `data/amoebas_*` is one kind of recording; the functions below say what is in it.
//! Data of amoebas are JSON values there; here they are carried as their JSON text, and `null` is
//! none.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use crate::recorded::{list, number, species, text};
use agon_core::{Blob, Game, Seed};
use agon_games::{
    amoebas::{Amoeba, Amoebas, Answer, Baggage, Command, Dir, Position, Rules, View},
    jsonl::JsonGame,
};
use serde_json::{Value, json};

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).expect("a recorded line"))
}

fn blob(value: &Value) -> Option<Blob> {
    (!value.is_null()).then(|| Blob::from(value.to_string().as_str()))
}

/// Fuel of a whole world from `base` and exceptions `[x, y, fuel]`.
fn fuel(rules: &Rules, base: &Value, exceptions: &Value) -> Vec<u32> {
    let mut fuel = vec![number(base); rules.cells()];
    for cell in list(exceptions) {
        fuel[(number(&cell[1]) * rules.world_size + number(&cell[0])) as usize] = number(&cell[2]);
    }
    fuel
}

/// The first differences, because worlds are large.
fn assert_same_fuel(got: &[u32], expected: &[u32], what: &str) {
    let differences: Vec<_> = (0..got.len()).filter(|&c| got[c] != expected[c]).take(5).collect();
    assert_eq!((got.len(), differences), (expected.len(), vec![]), "{what}: cells with other fuel");
}

/// `amoebas` are `[x, y, species, energy, health, data, function]`; the one at `pos` acts, the
/// others have acted. The acting one's function is "A" and everybody's unless a division gives
/// another.
fn before_action(rules: &Rules, case: &Value) -> Position {
    let amoeba = |a: &Value| Amoeba {
        x: number(&a[0]),
        y: number(&a[1]),
        species: species(&a[2]),
        energy: number(&a[3]),
        health: number(&a[4]),
        data: blob(&a[5]),
        function: blob(&a[6]),
        acted: (&a[0], &a[1]) != (&case["pos"][0], &case["pos"][1]),
    };
    Position {
        players: 3,
        round: 0,
        fuel: fuel(rules, &case["base"], &case["fuel"]),
        amoebas: list(&case["amoebas"]).iter().map(amoeba).collect(),
    }
}

/// What an amoeba function returned, as an answer. `throw`: it failed; `value`: it returned
/// something that is no map; commands and directions that are no keywords and numbers are
/// `{"str": ...}` and the like. A function of `false` counts as none.
fn answer(action: &Value) -> Answer {
    let mut action = action.clone();
    let fields = action.as_object_mut().expect("a map");
    for name in ["data", "child-data", "function"] {
        if let Some(value) = fields.get_mut(name) {
            let none = value.is_null() || (name == "function" && *value == json!(false));
            *value = if none { Value::Null } else { Value::String(value.to_string()) };
        }
    }
    serde_json::from_value(action).map(Amoebas::answer_from).unwrap_or_default()
}

/// Single actions. `after`: all amoebas afterwards; `fuel_changed`: fuel that the action changed;
/// `error`: set when the answer could not be used. Without sun, the end of the round changes
/// nothing.
#[test]
fn single_actions() {
    agon_testkit::slow!();
    let rules = Rules { sun_energy: 0, ..Rules::default() };
    let mut cases = 0;
    let mut unusable = 0;
    for case in lines(include_str!("data/amoebas_actions.jsonl")) {
        let id = &case["id"];
        let before = before_action(&rules, &case);
        let mut game = Amoebas::from_position(&rules, Seed(0), before.clone()).unwrap();
        assert_eq!(game.decisions().len(), 1, "case {id}: one amoeba acts");
        let answer = answer(&case["action"]);
        assert_eq!(
            answer == Answer::FAULT,
            !case["error"].is_null(),
            "case {id}: {}",
            case["action"]
        );
        unusable += u32::from(answer == Answer::FAULT);
        game.step(&[answer]);
        let after = game.position();
        let mut expected_fuel = before.fuel;
        for change in list(&case["fuel_changed"]) {
            expected_fuel[(number(&change[1]) * rules.world_size + number(&change[0])) as usize] =
                number(&change[2]);
        }
        assert_same_fuel(&after.fuel, &expected_fuel, &format!("case {id}"));
        let expected = before_action(
            &rules,
            &json!({"pos": [-1, -1], "base": 0, "fuel": [], "amoebas": case["after"]}),
        );
        assert_eq!(sorted(after.amoebas), sorted(expected.amoebas), "case {id}: {case}");
        cases += 1;
    }
    assert!(cases >= 1900 && unusable > 300, "{cases} cases, {unusable} unusable");
}

fn sorted(mut amoebas: Vec<Amoeba>) -> Vec<Amoeba> {
    amoebas.sort_by_key(|a| (a.x, a.y));
    amoebas.iter_mut().for_each(|a| a.acted = false);
    amoebas
}

/// Rounds of amoebas that play a script which they carry as their data: each action keeps the rest
/// of the script as the new data, so an unusable one (direction 9) comes again. `amoebas` are
/// `[x, y, species, energy, health, script]`, in the sequence in which they act; `errors` counts
/// the unusable answers of a round. Each round is played from its recorded start.
#[test]
fn rounds_of_scripted_amoebas() {
    let rules = Rules::default();
    let mut rounds = 0;
    let mut errors = 0;
    for case in lines(include_str!("data/amoebas_rounds.jsonl")) {
        let mut start = &case;
        for (number_of_round, round) in list(&case["rounds"]).iter().enumerate() {
            let what = format!("case {}, round {number_of_round}", case["id"]);
            let mut game =
                Amoebas::from_position(&rules, Seed(0), scripted_position(&rules, start)).unwrap();
            let faults = play_in_sequence(&mut game, list(&start["amoebas"]));
            let after = game.position();
            let expected = scripted_position(&rules, round);
            start = round;
            let known = (number(&case["id"]), number_of_round);
            if ACTED_TWICE.contains(&known) {
                assert_ne!(sorted(after.amoebas), sorted(expected.amoebas), "{what} agrees by now");
                continue;
            }
            assert_eq!(faults, number(&round["errors"]), "{what}: errors");
            assert_eq!(sorted(after.amoebas), sorted(expected.amoebas), "{what}");
            assert_same_fuel(&after.fuel, &expected.fuel, &what);
            (rounds, errors) = (rounds + 1, errors + faults);
        }
    }
    assert!(rounds > 250 && errors > 60, "{rounds} rounds, {errors} errors");
}

/// Cases and rounds in which an amoeba came onto the cell of one that had been killed before its
/// turn. The recorded program asked whoever was there when that turn came, so the newcomer acted a
/// second time. By the manual each amoeba acts once, and that of the killed one is lost.
const ACTED_TWICE: [(u32, usize); 4] = [(78, 1), (140, 1), (150, 1), (200, 0)];

/// Most of these rounds depend on their sequence: whoever is hit before a rest may die, and after
/// it not. Where neither the recorded sequence, nor its reverse, nor others change the outcome, the
/// arena's own must not either.
#[test]
fn rounds_in_the_arenas_own_sequence() {
    agon_testkit::slow!();
    let rules = Rules::default();
    let mut same = 0;
    let mut all = 0;
    for case in lines(include_str!("data/amoebas_rounds.jsonl")) {
        let mut start = &case;
        for round in list(&case["rounds"]) {
            let position = scripted_position(&rules, start);
            let expected = scripted_position(&rules, round);
            if outcome_is_free_of_sequence(&rules, &position, list(&start["amoebas"]), &expected) {
                for seed in 0..3 {
                    let after = play_in_own_sequence(&rules, Seed(seed), position.clone());
                    assert_eq!(
                        sorted(after.amoebas),
                        sorted(expected.amoebas.clone()),
                        "case {}",
                        case["id"]
                    );
                    assert_same_fuel(&after.fuel, &expected.fuel, &format!("case {}", case["id"]));
                }
                same += 1;
            }
            (start, all) = (round, all + 1);
        }
    }
    assert!(all == 257 && same > 100 && same < 130, "{same} of {all}");
}

fn outcome_is_free_of_sequence(
    rules: &Rules,
    position: &Position,
    sequence: &[Value],
    expected: &Position,
) -> bool {
    let mut rng = Seed(7).stream(agon_core::Purpose::Order, 0);
    let mut sequence = sequence.to_vec();
    let wanted = sorted(expected.amoebas.clone());
    (0..16).all(|attempt| {
        let mut game = Amoebas::from_position(rules, Seed(0), position.clone()).unwrap();
        play_in_sequence(&mut game, &sequence);
        if attempt == 0 {
            sequence.reverse()
        } else {
            rng.shuffle(&mut sequence)
        }
        let after = game.position();
        sorted(after.amoebas) == wanted && after.fuel == expected.fuel
    })
}

fn play_in_own_sequence(rules: &Rules, seed: Seed, position: Position) -> Position {
    let mut game = Amoebas::from_position(rules, seed, position).unwrap();
    while game.round() == 0 {
        let answers: Vec<Answer> =
            game.decisions().iter().map(|&d| scripted(&game.view(d))).collect();
        game.step(&answers);
    }
    game.position()
}

fn scripted_position(rules: &Rules, recorded: &Value) -> Position {
    let amoeba = |a: &Value| Amoeba {
        x: number(&a[0]),
        y: number(&a[1]),
        species: species(&a[2]),
        energy: number(&a[3]),
        health: number(&a[4]),
        data: blob(&a[5]),
        function: None,
        acted: false,
    };
    let world = &recorded["world"];
    Position {
        players: 3,
        round: 0,
        fuel: fuel(rules, &world["base"], &world["cells"]),
        amoebas: list(&recorded["amoebas"]).iter().map(amoeba).collect(),
    }
}

/// Returns how many answers were unusable.
fn play_in_sequence(game: &mut Amoebas, sequence: &[Value]) -> u32 {
    let mut faults = 0;
    for amoeba in sequence {
        let cell = number(&amoeba[1]) * game.rules().world_size + number(&amoeba[0]);
        if let Some(decision) = game.waiting(cell) {
            let answer = scripted(&game.view(decision));
            faults += u32::from(answer == Answer::FAULT);
            game.answer_one(decision, &answer);
        }
    }
    assert_eq!(game.round(), 1, "the round ends with its last amoeba");
    faults
}

fn scripted(view: &View<'_>) -> Answer {
    let script = view.data().and_then(|data| data.text()).unwrap_or("[]");
    let script: Vec<Value> = serde_json::from_str(script).expect("a script");
    let Some((action, rest)) = script.split_first() else {
        return Answer::REST;
    };
    let dir = action.get(1).and_then(Value::as_i64).and_then(Dir::from_answer);
    let mut baggage = Baggage { data: blob(&Value::from(rest)), ..Baggage::default() };
    let command = match (text(&action[0]), dir) {
        ("rest", _) => Command::Rest,
        (_, None) => return Answer::FAULT,
        ("move", Some(dir)) => Command::Move { dir },
        ("hit", Some(dir)) => Command::Hit { dir },
        (_, Some(dir)) => {
            baggage.child_data = blob(action.get(2).unwrap_or(&Value::Null));
            Command::Divide { dir }
        }
    };
    Answer::new(command, baggage)
}

/// The end of a round: fuel `before` and `after` it, and which cells are `occupied` (by amoebas
/// that find nothing to eat there because they are full).
#[test]
fn sunshine() {
    let rules = Rules { rest_energy: 0, ..Rules::default() };
    let mut cases = 0;
    for case in lines(include_str!("data/amoebas_sunshine.jsonl")) {
        let amoeba = |place: &Value| Amoeba {
            x: number(&place[0]),
            y: number(&place[1]),
            species: 0,
            energy: rules.max_amoeba_energy,
            health: rules.max_amoeba_health,
            data: None,
            function: None,
            acted: false,
        };
        let position = Position {
            players: 1,
            round: 0,
            fuel: fuel(&rules, &case["before"]["base"], &case["before"]["cells"]),
            amoebas: list(&case["occupied"]).iter().map(amoeba).collect(),
        };
        let mut game = Amoebas::from_position(&rules, Seed(0), position).unwrap();
        while game.round() == 0 {
            let rests = vec![Answer::REST; game.decisions().len()];
            game.step(&rests);
        }
        let expected = fuel(&rules, &case["after"]["base"], &case["after"]["cells"]);
        assert_same_fuel(&game.position().fuel, &expected, &format!("case {}", case["id"]));
        cases += 1;
    }
    assert!(cases >= 75, "{cases} cases");
}
