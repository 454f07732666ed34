//! Tests of the JVM process that species live in.

use super::*;

/// Writes a species that prints its JVM's process number, and then plays.
fn tells_its_process(workshop: &Workshop) -> String {
    let path = workshop.path("group");
    workshop.file(
        "tells.clj",
        format!(
            "(ns tells)
             (spit {path:?} (str (.pid (java.lang.ProcessHandle/current)) \"\\n\"))
             (defn Evam [energy health species env data] {{:cmd :rest :data :alive}})"
        ),
    )
}

#[test]
fn a_jvm_that_is_killed_costs_its_species_and_nobody_else() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let tells = tells_its_process(&workshop);
    let specs = [&*tells, &bad("defines"), "builtin:mindless-divider"];
    let options = HostOptions { share_jvm: true, ..patient() };
    let mut arena = Arena::new(new_game::<Amoebas>(&lasting(40), 3), &specs, &options);
    arena.steps(60);
    assert_eq!(arena.faults, []);
    let group = workshop.group();
    std::process::Command::new("kill").args(["-9", &group]).status().unwrap();
    arena.steps(100_000);
    assert!(arena.game.is_over());
    let facts: Vec<_> = arena
        .faults
        .iter()
        .map(|fault| (fault.player.0, fault.kind, fault.evidence.signal))
        .collect();
    let mut players: Vec<_> = facts.iter().map(|fact| fact.0).collect();
    players.sort_unstable();
    assert_eq!(players, [0, 1], "each is told once: {:?}", arena.faults);
    assert!(facts.iter().all(|&(_, kind, signal)| kind == FaultKind::Crash && signal == Some(9)));
    assert!(arena.game.of_game::<Amoebas>().population().size[2] > 0);
    assert_gone(&group);
}

#[test]
fn runtime_halt_is_told_with_its_status() {
    agon_testkit::slow!();
    let arena = play(5, &[&bad("halts")], &patient());
    let fault = arena.expect(FaultKind::Crash);
    assert_eq!(fault.evidence.exit_status, Some(3));
}

#[test]
fn no_jvm_outlives_its_match() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let tells = tells_its_process(&workshop);
    let options = HostOptions { share_jvm: true, ..options(Clock::cpu(Duration::from_millis(50))) };
    let arena = play(3, &[&tells, &bad("stubborn")], &options);
    let group = workshop.group();
    let mut bots = arena.into_bots().into_iter();
    bots.next().unwrap().stop();
    assert!(std::fs::exists(format!("/proc/{group}")).unwrap(), "another species lives there");
    drop(bots);
    assert_gone(&group);
}

#[test]
fn the_processor_time_of_a_species_is_known_and_a_start_takes_less_than_three_seconds_of_it() {
    agon_testkit::slow!();
    let open_bot = || open(GameId::Amoebas.kind(), &spec(&bad("lonely")), &patient()).unwrap();
    // Afterwards it is compiled.
    drop(open_bot());
    let mut bot = open_bot();
    let usage = bot.usage().unwrap();
    let (least, most) = (Duration::from_millis(100), Duration::from_secs(3));
    assert!((least..most).contains(&usage.cpu), "{usage:?}");
    assert!(usage.peak_memory > Some(10 << 20), "{usage:?}");
    assert!(bot.batch_limits().is_some());
    let shutdown = bot.shutdown(AGES).unwrap();
    assert_eq!(shutdown.exit.and_then(|exit| exit.status), Some(0));
}

#[test]
fn what_species_print_and_cost_is_noted_for_each() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let busy = "(let [end (+ 20000000 (System/nanoTime))] (while (< (System/nanoTime) end))) \
                {:cmd :rest}";
    let files = [
        species(&workshop, "talker", "(println \"hello\" energy) {:cmd :rest}"),
        species(&workshop, "thinker", busy),
    ];
    let specs: Vec<&str> = files.iter().map(String::as_str).collect();
    // The JVM starts again for a world of unusual size.
    let rules = Rules { world_size: 30, ..lasting(3) };
    let mut arena = Arena::new(new_game::<Amoebas>(&rules, 2), &specs, &patient());
    arena.steps(1_000);
    assert_eq!(arena.faults, []);
    let turns = std::mem::take(&mut arena.turns);
    let of = |player: usize| {
        turns.iter().filter(move |(_, own, _)| *own == player).map(|(.., turn)| turn)
    };
    assert!(of(0).all(|turn| turn.stderr.text().starts_with("hello ")), "{turns:?}");
    assert!(of(1).count() > 0 && of(1).all(|turn| turn.stderr.total() == 0), "{turns:?}");
    let cpu = |player| of(player).map(|page| page.cost.unwrap().cpu.unwrap()).sum::<Duration>();
    assert!(cpu(1) > Duration::ZERO && cpu(1) > cpu(0) / 2, "{:?} and {:?}", cpu(0), cpu(1));
    let mut bots = arena.into_bots();
    let turn_logs = [0, 1].map(|player| bots[player].turn_log().unwrap());
    bots.iter_mut().for_each(|bot| bot.stop());
    let records = turn_logs.map(|turn_log| turn_log.record());
    let expected = [0, 1].map(|player| (2, Some(cpu(player))));
    assert_eq!(records.map(|record| (record.processes, record.cpu)), expected);
    assert!(records.iter().all(|record| record.peak_memory > Some(10 << 20)), "{records:?}");
}
