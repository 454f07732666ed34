//! Tests that the rules of amoebas reproduce recordings of the game's well-known implementation.
//!
//! Every file of `data/amoebas_*` is one kind of recording; the functions below say what is in it.
//! Data of amoebas are JSON values there; here they are carried as their JSON text, and `null` is
//! none.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use std::collections::BTreeMap;

use agon_core::{Blob, Game, GameExt as _, Seed};
use agon_games::amoebas::{
    Amoeba, Amoebas, Answer, Baggage, Command, Dir, Dirs, Offset, Position, Rules, View, helpers,
};
use agon_games::{amoebas::bots::Target, jsonl::JsonGame};
use serde_json::{Value, json};

const SPECIES: [&str; 3] = ["red", "blue", "green"];

fn number(value: &Value) -> u32 {
    value.as_u64().expect("a number") as u32
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn species(value: &Value) -> u32 {
    SPECIES.iter().position(|name| *name == text(value)).expect("a known species") as u32
}

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

/// Values of the functions that Clojure species call: some tables, then `environments`, each a
/// window of 7×7 with what the functions say of it.
#[test]
fn helper_functions() {
    let recorded: Value = serde_json::from_str(include_str!("data/amoebas_lib.json")).unwrap();
    constants_and_tables(&recorded);
    let environments = list(&recorded["environments"]);
    assert!(environments.len() >= 150);
    for environment in environments {
        let game = game_of_environment(environment);
        let what = format!("environment {}", environment["id"]);
        let view = game.view(game.decisions()[0]);
        neighbors_and_sections(&view, environment, &what);
        targets(&view, environment, &what);
    }
}

fn offsets(list_of: &Value) -> Vec<Offset> {
    let coordinate = |value: &Value| value.as_i64().expect("a number") as i32;
    list(list_of).iter().map(|at| (coordinate(&at[0]), coordinate(&at[1]))).collect()
}

fn dirs(list_of: &Value) -> Vec<Dir> {
    list(list_of).iter().map(|dir| Dir::from_answer(dir.as_i64().unwrap()).unwrap()).collect()
}

fn constants_and_tables(recorded: &Value) {
    let rules = Rules::default();
    let constants = BTreeMap::from([
        ("AttackEnergy", rules.hit_energy),
        ("DivideEnergyLoss", rules.divide_energy_loss),
        ("HitLoss", rules.hit_loss),
        ("MaxAmoebaEnergy", rules.max_amoeba_energy),
        ("MaxAmoebaHealth", rules.max_amoeba_health),
        ("MaxCellEnergy", rules.max_cell_energy),
        ("MaxFuelingEnergy", rules.max_fueling_energy),
        ("MinDivideEnergy", rules.min_divide_energy),
        ("MoveEnergy", rules.move_energy),
        ("RecoveryGain", rules.recovery_gain),
        ("RestEnergy", rules.rest_energy),
        ("SunEnergy", rules.sun_energy),
        ("ViewDistance", rules.view_distance),
        ("WorldSize", rules.world_size),
    ]);
    assert_eq!(recorded["constants"], json!(constants));
    assert_eq!(Dir::ALL.map(Dir::offset).to_vec(), offsets(&recorded["Neighbors"]));
    assert_eq!(helpers::environment(3).collect::<Vec<_>>(), offsets(&recorded["Environment"]));
    for (dir, section) in Dir::ALL.into_iter().zip(list(&recorded["Env_Sections"])) {
        assert_eq!(helpers::section(dir, 3).collect::<Vec<_>>(), offsets(section), "section {dir}");
    }
    energy_levels(&rules, recorded);
}

/// Ours takes whole percents of the recorded fractions.
fn energy_levels(rules: &Rules, recorded: &Value) {
    let mut levels = 0;
    for case in list(&recorded["above_division_energy_level"]) {
        let percent = case[0].as_f64().unwrap_or(-1.0) * 100.0;
        if percent >= 0.0 && (percent - percent.round()).abs() < 1e-9 {
            let level = helpers::above_division_energy_level(rules, percent.round() as u32);
            assert_eq!(level, number(&case[1]), "{percent} % above");
            levels += 1;
        }
    }
    assert!(levels > 0);
}

/// A world with this window; `occupants` are `[dx, dy, species, energy, health]`, the one at 0, 0
/// is asked.
fn game_of_environment(environment: &Value) -> Amoebas {
    let rules = Rules::default();
    let size = rules.world_size as i32;
    let place = |dx: i32, dy: i32| {
        let pos = offsets(&json!([environment["pos"]]))[0];
        ((pos.0 + dx).rem_euclid(size) as u32, (pos.1 + dy).rem_euclid(size) as u32)
    };
    let mut fuel = vec![0; rules.cells()];
    let window = (-3..=3).flat_map(|dy| (-3..=3).map(move |dx| (dx, dy)));
    for ((dx, dy), value) in window.zip(list(&environment["fuel_rowmajor_dy_dx"])) {
        let (x, y) = place(dx, dy);
        fuel[(y * rules.world_size + x) as usize] = number(value);
    }
    let amoeba = |o: &Value| {
        let (dx, dy) = offsets(&json!([o]))[0];
        let (x, y) = place(dx, dy);
        let energy = number(&o[3]);
        let health = number(&o[4]);
        let acted = (dx, dy) != (0, 0);
        Amoeba { x, y, species: species(&o[2]), energy, health, data: None, function: None, acted }
    };
    let amoebas = list(&environment["occupants"]).iter().map(amoeba).collect();
    Amoebas::from_position(&rules, Seed(0), Position { players: 3, round: 0, fuel, amoebas })
        .unwrap()
}

fn neighbors_and_sections(view: &View<'_>, recorded: &Value, what: &str) {
    assert!(view.cell(4, 0).is_none() && view.cell(0, -4).is_none());
    let empty = helpers::empty_neighbors(view).iter().collect::<Vec<_>>();
    assert_eq!(empty, dirs(&recorded["empty_neighbors"]), "{what}: empty neighbours");
    let hostile: Vec<Offset> = helpers::hostile_neighbors(view).iter().map(Dir::offset).collect();
    assert_eq!(hostile, offsets(&recorded["hostiles_Neighbors"]), "{what}: hostile neighbours");
    let window = || (-3..=3).flat_map(|dy| (-3..=3).map(move |dx| (dx, dy)));
    let all_empty: Vec<bool> = window().map(|at| helpers::is_empty(view, at)).collect();
    assert_eq!(json!(all_empty), recorded["cell_empty_rowmajor"], "{what}: empty cells");
    let friendly: Vec<Offset> =
        helpers::environment(3).filter(|&at| helpers::contains_friendly(view, at)).collect();
    assert_eq!(friendly, offsets(&recorded["friendlies_Environment"]), "{what}: friendlies");
    assert_eq!(json!(view.fuel_by_section()), recorded["total_fuel_sections"], "{what}: fuel");
    for (dir, recorded) in Dir::ALL.into_iter().zip(list(&recorded["cells_in_section_fuel"])) {
        let fuel = view.section(dir).iter().map(|&(x, y)| view.cell(x, y).unwrap().fuel());
        assert_eq!(json!(fuel.collect::<Vec<_>>()), *recorded, "{what}, section {dir}");
    }
    let richest = helpers::richest(view, Dir::ALL.into_iter().collect());
    assert_eq!(richest, dirs(&recorded["sections_by_fuel_all"]).pop(), "{what}: richest");
}

fn targets(view: &View<'_>, recorded: &Value, what: &str) {
    let mut rng = Seed(0).stream(agon_core::Purpose::Bot(0), 0);
    let hostiles = helpers::hostile_neighbors(view);
    let targets = [
        ("weakest", Target::Weakest),
        ("strongest", Target::Strongest),
        ("most-energy", Target::MostEnergy),
        ("most-energy-and-fuel", Target::MostEnergyAndFuel),
    ];
    for (name, target) in targets {
        let expected = recorded["targets"][name]
            .is_array()
            .then(|| offsets(&json!([recorded["targets"][name]]))[0]);
        let got = target.select(view, hostiles, &mut rng).map(Dir::offset);
        assert_eq!(got, expected, "{what}: {name}");
    }
    let any = Target::Random.select(view, hostiles, &mut rng);
    assert_eq!(any.is_some(), !hostiles.is_empty(), "{what}: random");
    assert!(any.is_none_or(|dir| hostiles.iter().any(|h| h == dir)), "{what}: random");
}

/// What is asked for often has ways of its own, inside of the world and across its edges, near and
/// far.
#[test]
fn shortcuts_say_what_single_cells_do() {
    for (world_size, view_distance) in [(12, 3), (4, 3), (9, 2), (13, 5), (3, 1)] {
        let rules = Rules { world_size, view_distance, rounds: 40, ..Rules::default() };
        let mut game = Amoebas::new(&rules, 3, Seed(5)).unwrap();
        for step in 0..200 {
            for &decision in game.decisions() {
                let view = game.view(decision);
                let cell = |(x, y): Offset| view.cell(x, y).unwrap();
                let fuel = |dir| view.section(dir).iter().map(|&at| cell(at).fuel()).sum::<u32>();
                let sums = Dir::ALL.map(fuel);
                assert_eq!(view.fuel_by_section(), sums, "size {world_size}, step {step}");
                let which = |test: &dyn Fn(Offset) -> bool| -> Dirs {
                    Dir::ALL.into_iter().filter(|dir| test(dir.offset())).collect()
                };
                let empty = which(&|at| helpers::is_empty(&view, at));
                let is_hostile = |at: Offset| {
                    cell(at).occupant().is_some_and(|other| other.species() != view.species())
                };
                let hostile = which(&is_hostile);
                assert_eq!(helpers::empty_neighbors(&view), empty);
                assert_eq!(helpers::hostile_neighbors(&view), hostile);
            }
            game.step(&game.scripted_answers(Seed(6), step));
        }
    }
}
