//! The process in which species live.

use super::*;

/// A species that tells its JVM's process, and then plays.
fn tells_its_process(workshop: &Workshop) -> String {
    let path = workshop.path("group");
    workshop.file(
        "tells.clj",
        &format!(
            "(ns tells)
             (spit {path:?} (str (.pid (java.lang.ProcessHandle/current)) \"\\n\"))
             (defn Evam [energy health species env data] {{:cmd :rest :data :alive}})"
        ),
    )
}

#[test]
fn a_jvm_that_is_killed_costs_its_species_and_nobody_else() {
    let workshop = Workshop::new();
    let tells = tells_its_process(&workshop);
    let specs = [&*tells, &bad("defines"), "builtin:mindless-divider"];
    let mut arena = Arena::new(new_game::<Amoebas>(&small(100), 3), &specs, &patient());
    arena.steps(60);
    assert_eq!(arena.faults, []);
    let group = workshop.group();
    std::process::Command::new("kill").args(["-9", &group]).status().unwrap();
    arena.steps(100_000);
    assert!(arena.game.is_over());
    let facts: Vec<_> =
        arena.faults.iter().map(|fault| (fault.player.0, fault.kind, fault.evidence.signal)).collect();
    let mut players: Vec<_> = facts.iter().map(|fact| fact.0).collect();
    players.sort_unstable();
    assert_eq!(players, [0, 1], "each is told once: {:?}", arena.faults);
    assert!(facts.iter().all(|&(_, kind, signal)| kind == FaultKind::Crash && signal == Some(9)));
    assert!(arena.game.population().size[2] > 0);
    assert_gone(&group);
}

#[test]
fn runtime_halt_is_told_with_its_status() {
    let mut arena = Arena::new(new_game::<Amoebas>(&small(5), 1), &[&bad("halts")], &patient());
    arena.steps(1000);
    let fault = arena.expect(FaultKind::Crash);
    assert_eq!(fault.evidence.exit_status, Some(3));
}

#[test]
fn no_jvm_outlives_its_match() {
    let workshop = Workshop::new();
    let tells = tells_its_process(&workshop);
    let specs = [&*tells, &bad("stubborn")];
    let clock = Clock::cpu(Duration::from_millis(50));
    let mut arena = Arena::new(new_game::<Amoebas>(&small(3), 2), &specs, &options(clock));
    arena.steps(1000);
    let group = workshop.group();
    let mut bots = arena.into_bots().into_iter();
    bots.next().unwrap().stop();
    assert!(std::fs::exists(format!("/proc/{group}")).unwrap(), "another species lives there");
    drop(bots);
    assert_gone(&group);
}

#[test]
fn the_processor_time_of_a_species_is_known() {
    let mut bot: Box<dyn Bot<Amoebas>> = open(&spec(&bad("defines")), &patient()).unwrap();
    let usage = bot.usage().unwrap();
    assert!(usage.cpu > Duration::from_millis(100) && usage.peak_memory > Some(10 << 20), "{usage:?}");
    assert!(bot.pace().is_some());
    let farewell = bot.farewell(AGES).unwrap();
    assert_eq!(farewell.exit.and_then(|exit| exit.status), Some(0));
}

#[test]
fn a_jvm_starts_in_less_than_three_seconds_of_processor_time() {
    // Compiled by then.
    drop(open::<Amoebas>(&spec(&bad("lonely")), &patient()).unwrap());
    let mut bot = open::<Amoebas>(&spec(&bad("lonely")), &patient()).unwrap();
    let used = bot.usage().unwrap().cpu;
    assert!(used < Duration::from_secs(3), "{used:?}");
}
