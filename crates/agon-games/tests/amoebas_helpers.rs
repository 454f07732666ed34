//! Tests that the helper functions of amoebas give the values that the game's well-known
//! implementation gave.

#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use std::collections::BTreeMap;

use crate::recorded::{list, number, species};
use agon_core::{Game, GameExt, Seed};
use agon_games::amoebas::{
    Amoeba, Amoebas, Dir, Dirs, Offset, Position, Rules, View, bots::Target, helpers,
};
use serde_json::{Value, json};

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
        assert_eq!(
            Dir::of(offsets(&json!([pair[0]]))[0]).map(|d| d.number().into()),
            Some(number(&pair[1]))
        );
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

/// Ours take percents; the recorded fractions that are whole percents agree, except where the
/// recording multiplied in binary fractions and fell just below (0.29, 0.57, 0.58 of 100).
fn energy_levels(rules: &Rules, recorded: &Value) {
    let percents = |name: &str| -> Vec<(u32, u32)> {
        let whole = |case: &Value| {
            let percent = case[0].as_f64()? * 100.0;
            let rounded = percent.round();
            ((percent - rounded).abs() < 1e-9 && rounded >= 0.0)
                .then(|| (rounded as u32, number(&case[1])))
        };
        list(&recorded[name]).iter().filter_map(whole).collect()
    };
    let levels = percents("energy_level");
    assert!(levels.len() > 10);
    for (percent, level) in
        levels.into_iter().filter(|(percent, _)| ![29, 57, 58].contains(percent))
    {
        assert_eq!(helpers::energy_level(rules, percent), level, "{percent} %");
    }
    for (percent, level) in percents("above_division_energy_level") {
        assert_eq!(
            helpers::above_division_energy_level(rules, percent),
            level,
            "{percent} % above"
        );
    }
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
    let check =
        |name: &str, got: Vec<Offset>| assert_eq!(got, offsets(&recorded[name]), "{what}: {name}");
    check("hostiles_Neighbors", helpers::hostiles(view, &neighbors).collect());
    check("friendlies_Neighbors", helpers::friendlies(view, &neighbors).collect());
    check("hostiles_Environment", helpers::hostiles(view, &everything).collect());
    check("friendlies_Environment", helpers::friendlies(view, &everything).collect());
    check(
        "at_least_50_Environment",
        helpers::at_least_fuel_subregion(view, &everything, 50).collect(),
    );
    check("empty_subregion_Neighbors", helpers::empty_subregion(view, &neighbors).collect());
    assert_eq!(
        helpers::total_fuel(view, &everything),
        number(&recorded["total_fuel_Environment"]),
        "{what}"
    );
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
        let without_here: Vec<Offset> =
            section.iter().copied().filter(|&at| at != (0, 0)).collect();
        let empty = json!(helpers::region_is_empty(view, &without_here));
        assert_eq!(empty, recorded["region_empty_sections_without_here"][index], "{what}");
        let fuels: Vec<u32> =
            section.iter().map(|&(x, y)| view.cell(x, y).unwrap().fuel()).collect();
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
    assert_eq!(
        helpers::richest(view, all),
        dirs(&recorded["sections_by_fuel_all"]).pop(),
        "{what}"
    );
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
                let sums = Dir::ALL.map(|dir| helpers::total_fuel(&view, view.section(dir)));
                assert_eq!(view.fuel_by_section(), sums, "size {world_size}, step {step}");
                let which = |test: &dyn Fn(Offset) -> bool| -> Dirs {
                    Dir::ALL.into_iter().filter(|dir| test(dir.offset())).collect()
                };
                let empty = which(&|at| helpers::is_empty(&view, at));
                let hostile = which(&|at| helpers::contains_hostile(&view, at));
                assert_eq!(helpers::empty_neighbors(&view), empty);
                assert_eq!(helpers::hostile_neighbors(&view), hostile);
            }
            game.step(&game.scripted_answers(Seed(6), step));
        }
    }
}
