//! The rules against recorded behaviour of the game's well-known implementation.
//!
//! Every file of `data/amoebas_*` is one kind of recording; the functions below say what is in it. Data of amoebas
//! are JSON values there; here they are carried as their JSON text, and `null` is none.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use std::collections::BTreeMap;

use agon_core::{Blob, Game, Seed};
use agon_games::amoebas::{
    Amoeba, Amoebas, Answer, Command, Dir, Dirs, Offset, Position, Rules, View, bots::Target, helpers,
    protocol::json,
};
use serde_json::{Value, json};

const SPECIES: [&str; 3] = ["red", "blue", "green"];

fn lines(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).expect("a recorded line"))
}

fn number(value: &Value) -> u32 {
    value.as_u64().expect("a number") as u32
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn blob(value: &Value) -> Option<Blob> {
    (!value.is_null()).then(|| Blob::from(value.to_string().as_str()))
}

fn species(value: &Value) -> u32 {
    SPECIES.iter().position(|name| *name == text(value)).expect("a known species") as u32
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

/// `amoebas` are `[x, y, species, energy, health, data, function]`; the one at `pos` acts, the others have acted.
/// The acting one's function is "A" and everybody's unless a division gives another.
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

/// What an amoeba function returned, as an answer. `throw`: it failed; `value`: it returned something that is no
/// map; commands and directions that are no keywords and numbers are `{"str": ...}` and the like. A function of
/// `false` counts as none.
fn answer(action: &Value) -> Answer {
    let mut action = action.clone();
    let fields = action.as_object_mut().expect("a map");
    for name in ["data", "child-data", "function"] {
        if let Some(value) = fields.get_mut(name) {
            let none = value.is_null() || (name == "function" && *value == json!(false));
            *value = if none { Value::Null } else { Value::String(value.to_string()) };
        }
    }
    if fields.get("cmd") == Some(&json!("rest")) {
        fields.remove("dir");
    }
    json::answer(action).unwrap_or_default()
}

/// Single actions. `after`: all amoebas afterwards; `fuel_changed`: fuel that the action changed; `error`: set when
/// the answer could not be used. Without sun, the end of the round changes nothing.
#[test]
fn single_actions() {
    let rules = Rules { sun_energy: 0, ..Rules::default() };
    let (mut cases, mut unusable) = (0, 0);
    for case in lines(include_str!("data/amoebas_actions.jsonl")) {
        let id = &case["id"];
        let before = before_action(&rules, &case);
        let mut game = Amoebas::from_position(&rules, Seed(0), before.clone()).unwrap();
        assert_eq!(game.decisions().len(), 1, "case {id}: one amoeba acts");
        let answer = answer(&case["action"]);
        assert_eq!(answer == Answer::Fault, !case["error"].is_null(), "case {id}: {}", case["action"]);
        unusable += u32::from(answer == Answer::Fault);
        game.answer(&[answer]);
        let after = game.position();
        let mut expected_fuel = before.fuel;
        for change in list(&case["fuel_changed"]) {
            expected_fuel[(number(&change[1]) * rules.world_size + number(&change[0])) as usize] =
                number(&change[2]);
        }
        assert_same_fuel(&after.fuel, &expected_fuel, &format!("case {id}"));
        let expected =
            before_action(&rules, &json!({"pos": [-1, -1], "base": 0, "fuel": [], "amoebas": case["after"]}));
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

/// Rounds of amoebas that play a script which they carry as their data: each action keeps the rest of the script as
/// the new data, so an unusable one (direction 9) comes again. `amoebas` are `[x, y, species, energy, health, script]`,
/// in the sequence in which they act; `errors` counts the unusable answers of a round. Each round is played from its
/// recorded start.
#[test]
fn rounds_of_scripted_amoebas() {
    let rules = Rules::default();
    let (mut rounds, mut errors) = (0, 0);
    for case in lines(include_str!("data/amoebas_rounds.jsonl")) {
        let mut start = &case;
        for (number_of_round, round) in list(&case["rounds"]).iter().enumerate() {
            let what = format!("case {}, round {number_of_round}", case["id"]);
            let mut game = Amoebas::from_position(&rules, Seed(0), scripted_position(&rules, start)).unwrap();
            let faults = play_in_sequence(&mut game, list(&start["amoebas"]));
            let (after, expected) = (game.position(), scripted_position(&rules, round));
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

/// Cases and rounds in which an amoeba came onto the cell of one that had been killed before its turn. The recorded
/// program asked whoever was there when that turn came, so the newcomer acted a second time. By the manual each
/// amoeba acts once, and that of the killed one is lost.
const ACTED_TWICE: [(u32, usize); 4] = [(78, 1), (140, 1), (150, 1), (200, 0)];

/// Most of these rounds depend on their sequence: whoever is hit before a rest may die, and after it not. Where
/// neither the recorded sequence, nor its reverse, nor others change the outcome, the arena's own must not either.
#[test]
fn rounds_in_the_arenas_own_sequence() {
    let rules = Rules::default();
    let (mut same, mut all) = (0, 0);
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
        let answers: Vec<Answer> = game.decisions().iter().map(|&d| scripted(&game.view(d))).collect();
        game.answer(&answers);
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
            faults += u32::from(answer == Answer::Fault);
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
    let command = match (text(&action[0]), dir) {
        ("rest", _) => Command::Rest,
        (_, None) => return Answer::Fault,
        ("move", Some(dir)) => Command::Move { dir },
        ("hit", Some(dir)) => Command::Hit { dir },
        (_, Some(dir)) => {
            let child_data = blob(action.get(2).unwrap_or(&Value::Null));
            Command::Divide { dir, function: None, child_data }
        }
    };
    Answer::Act { command, data: blob(&Value::from(rest)) }
}

/// The end of a round: fuel `before` and `after` it, and which cells are `occupied` (by amoebas that find nothing to
/// eat there because they are full).
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
            game.answer(&rests);
        }
        let expected = fuel(&rules, &case["after"]["base"], &case["after"]["cells"]);
        assert_same_fuel(&game.position().fuel, &expected, &format!("case {}", case["id"]));
        cases += 1;
    }
    assert!(cases >= 75, "{cases} cases");
}

/// Values of the functions that Clojure species call: some tables, then `environments`, each a window of 7×7 with
/// what the functions say of it.
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
        regions(&view, environment, &what);
        sections(&view, environment, &what);
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
    for pair in list(&recorded["Neighbor_To_Dir"]) {
        assert_eq!(Dir::of(offsets(&json!([pair[0]]))[0]).map(|d| d.number().into()), Some(number(&pair[1])));
    }
    assert_eq!(helpers::environment(3).collect::<Vec<_>>(), offsets(&recorded["Environment"]));
    for (dir, section) in Dir::ALL.into_iter().zip(list(&recorded["Env_Sections"])) {
        assert_eq!(helpers::section(dir, 3).collect::<Vec<_>>(), offsets(section), "section {dir}");
    }
    for case in list(&recorded["distance"]) {
        let [a, b] = [0, 1].map(|index| offsets(&json!([case[index]]))[0]);
        assert_eq!(helpers::distance(a, b), case[2].as_i64().unwrap() as i32);
    }
    turns(recorded);
    energy_levels(&rules, recorded);
}

/// The recording also turns numbers that are no directions.
fn turns(recorded: &Value) {
    let ways = [("CW", 1), ("CCW", -1), ("CW90", 2), ("CCW90", -2), ("AWAY", 4)];
    for (name, eighths) in ways {
        let arguments = list(&recorded["turns_args"]).iter().zip(list(&recorded["turns"][name]));
        for (argument, turned) in arguments {
            if let Some(dir) = Dir::from_answer(argument.as_i64().unwrap()) {
                assert_eq!(u32::from(dir.turned(eighths).number()), number(turned), "{name} {dir}");
            }
        }
    }
}

/// Ours take percents; the recorded fractions that are whole percents agree, except where the recording multiplied
/// in binary fractions and fell just below (0.29, 0.57, 0.58 of 100).
fn energy_levels(rules: &Rules, recorded: &Value) {
    let percents = |name: &str| -> Vec<(u32, u32)> {
        let whole = |case: &Value| {
            let percent = case[0].as_f64()? * 100.0;
            let rounded = percent.round();
            ((percent - rounded).abs() < 1e-9 && rounded >= 0.0).then(|| (rounded as u32, number(&case[1])))
        };
        list(&recorded[name]).iter().filter_map(whole).collect()
    };
    let levels = percents("energy_level");
    assert!(levels.len() > 10);
    for (percent, level) in levels.into_iter().filter(|(percent, _)| ![29, 57, 58].contains(percent)) {
        assert_eq!(helpers::energy_level(rules, percent), level, "{percent} %");
    }
    for (percent, level) in percents("above_division_energy_level") {
        assert_eq!(helpers::above_division_energy_level(rules, percent), level, "{percent} % above");
    }
}

/// A world with this window; `occupants` are `[dx, dy, species, energy, health]`, the one at 0, 0 is asked.
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
        let (energy, health) = (number(&o[3]), number(&o[4]));
        let acted = (dx, dy) != (0, 0);
        Amoeba { x, y, species: species(&o[2]), energy, health, data: None, function: None, acted }
    };
    let amoebas = list(&environment["occupants"]).iter().map(amoeba).collect();
    Amoebas::from_position(&rules, Seed(0), Position { players: 3, round: 0, fuel, amoebas }).unwrap()
}

fn regions(view: &View<'_>, recorded: &Value, what: &str) {
    let neighbors = Dir::ALL.map(Dir::offset);
    let everything: Vec<Offset> = helpers::environment(3).collect();
    assert!(view.cell(4, 0).is_none() && view.cell(0, -4).is_none());
    let empty = helpers::empty_neighbors(view).iter().collect::<Vec<_>>();
    assert_eq!(empty, dirs(&recorded["empty_neighbors"]), "{what}: empty neighbours");
    let all_empty: Vec<bool> = (-3..=3)
        .flat_map(|dy| (-3..=3).map(move |dx| (dx, dy)))
        .map(|at| helpers::is_empty(view, at))
        .collect();
    assert_eq!(json!(all_empty), recorded["cell_empty_rowmajor"], "{what}: empty cells");
    let check = |name: &str, got: Vec<Offset>| assert_eq!(got, offsets(&recorded[name]), "{what}: {name}");
    check("hostiles_Neighbors", helpers::hostiles(view, &neighbors).collect());
    check("friendlies_Neighbors", helpers::friendlies(view, &neighbors).collect());
    check("hostiles_Environment", helpers::hostiles(view, &everything).collect());
    check("friendlies_Environment", helpers::friendlies(view, &everything).collect());
    check("at_least_50_Environment", helpers::at_least_fuel_subregion(view, &everything, 50).collect());
    check("empty_subregion_Neighbors", helpers::empty_subregion(view, &neighbors).collect());
    assert_eq!(helpers::total_fuel(view, &everything), number(&recorded["total_fuel_Environment"]), "{what}");
}

fn sections(view: &View<'_>, recorded: &Value, what: &str) {
    for dir in Dir::ALL {
        let section = view.section(dir);
        let index = usize::from(dir.number());
        let what = format!("{what}, section {dir}");
        let hostiles: Vec<_> = helpers::hostiles(view, section).collect();
        assert_eq!(hostiles, offsets(&recorded["hostiles_per_section"][index]), "{what}");
        let friendlies = helpers::friendlies(view, section).count() as u32;
        assert_eq!(friendlies, number(&recorded["friendlies_count_per_section"][index]), "{what}");
        assert_eq!(
            helpers::total_fuel(view, section),
            number(&recorded["total_fuel_sections"][index]),
            "{what}"
        );
        let empty = json!(helpers::region_is_empty(view, section));
        assert_eq!(empty, recorded["region_empty_sections"][index], "{what}");
        let without_here: Vec<Offset> = section.iter().copied().filter(|&at| at != (0, 0)).collect();
        let empty = json!(helpers::region_is_empty(view, &without_here));
        assert_eq!(empty, recorded["region_empty_sections_without_here"][index], "{what}");
        let fuels: Vec<u32> = section.iter().map(|&(x, y)| view.cell(x, y).unwrap().fuel()).collect();
        assert_eq!(json!(fuels), recorded["cells_in_section_fuel"][index], "{what}");
    }
    for (suffix, given) in [("", dirs(&recorded["dirs_arg"])), ("_all", Dir::ALL.to_vec())] {
        let check = |name: &str, got: Vec<Dir>| {
            assert_eq!(got, dirs(&recorded[format!("{name}{suffix}")]), "{what}: {name}{suffix}");
        };
        check("sections_by_hostiles", helpers::sections_by_hostiles(view, given.clone()));
        check("sections_by_friendlies", helpers::sections_by_friendlies(view, given.clone()));
        check("sections_by_fuel", helpers::sections_by_fuel(view, given.clone()));
        check("sections_by_fuel_density", helpers::sections_by_fuel(view, given.clone()));
    }
    let all: Dirs = Dir::ALL.into_iter().collect();
    assert_eq!(helpers::richest(view, all), dirs(&recorded["sections_by_fuel_all"]).pop(), "{what}");
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
        let expected =
            recorded["targets"][name].is_array().then(|| offsets(&json!([recorded["targets"][name]]))[0]);
        let got = target.select(view, hostiles, &mut rng).map(Dir::offset);
        assert_eq!(got, expected, "{what}: {name}");
    }
    let any = Target::Random.select(view, hostiles, &mut rng);
    assert_eq!(any.is_some(), !hostiles.is_empty(), "{what}: random");
    assert!(any.is_none_or(|dir| hostiles.iter().any(|h| h == dir)), "{what}: random");
}
