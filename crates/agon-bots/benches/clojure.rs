//! Species in Clojure: the arena beside a plain engine in Clojure, on one processor core.
//!
//! Both play a match of four slightly brainy species in the same JVM with the same flags, in turn,
//! a few times. The result is the turns of amoebas per second in the second half of the rounds,
//! when the JVM has compiled its code. A last row is the arena with amoebas that only rest: this is
//! the cost of the host. The start is measured first.
//!
//! `cargo bench -p agon-bots --bench clojure -- [RUNS [ROUNDS]]`; with `--test` a short one.
#![allow(clippy::print_stdout, reason = "a benchmark tells its results")]

use std::time::{Duration, Instant};
use std::{env, error::Error, fs, path::Path};

use agon_bots::clojure::{Event, Tournaments};
use agon_bots::{BatchPart, Bot, HostOptions, SandboxOptions, Seat, open};
use agon_core::{Game, Player, Seed, runs_by_player};
use agon_games::amoebas::{Amoebas, Rules};
use agon_games::{GameId, any::AnyGame};

mod support;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/clojure");
const SPECIES: [&str; 4] = ["weakest", "strongest", "random", "mutating"];

/// Turns of amoebas and the time they took.
#[derive(Clone, Copy, Default)]
struct Speed {
    turns: u64,
    time: Duration,
}

impl Speed {
    fn per_second(self) -> f64 {
        self.turns as f64 / self.time.as_secs_f64()
    }

    fn micros(self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.turns as f64
    }

    /// Sums the second half of the rounds.
    fn of(rounds: &[Speed]) -> Speed {
        rounds[rounds.len() / 2..].iter().fold(Speed::default(), |sum, round| Speed {
            turns: sum.turns + round.turns,
            time: sum.time + round.time,
        })
    }
}

/// Plays in the arena; returns the measures of all rounds, and the CPU time of the JVM.
fn arena(game: Amoebas, names: &[&str]) -> Result<(Vec<Speed>, Duration)> {
    let mut game = AnyGame::of(game);
    let options = HostOptions::default();
    let mut bots: Vec<Box<dyn Bot>> = Vec::new();
    for name in names {
        let spec = format!("{FOLDER}/species.clj?fn={name}").parse()?;
        bots.push(open(game.kind(), &spec, &options)?);
    }
    let mut faults = Vec::new();
    let mut rounds = Vec::new();
    let mut step = 0;
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    for (player, bot) in Player::all(bots.len()).zip(&mut bots) {
        bot.start(Seat { game: &game, player, names: &names }, &mut faults);
    }
    let round = |game: &AnyGame| game.of_game::<Amoebas>().round();
    while !game.is_over() {
        let now = round(&game);
        let begun = Instant::now();
        let mut turns = 0;
        while round(&game) == now && !game.is_over() {
            let decisions = game.decisions();
            let mut answers = game.kind().no_answers();
            answers.reset(decisions.len());
            let part = |player, range| BatchPart {
                game: &game,
                step,
                player,
                decisions: &decisions[range],
            };
            for (player, range) in runs_by_player(decisions) {
                bots[player.index()].ask(part(player, range), &mut faults);
            }
            for (player, range) in runs_by_player(decisions) {
                let answers = answers.part_mut(range.clone());
                bots[player.index()].finish(part(player, range), answers, &mut faults);
            }
            turns += answers.len() as u64;
            step += 1;
            game.step(&answers);
        }
        rounds.push(Speed { turns, time: begun.elapsed() });
    }
    assert!(faults.is_empty(), "{faults:?}");
    let cpu = bots[0].usage().map_or(Duration::ZERO, |usage| usage.cpu);
    Ok((rounds, cpu))
}

/// Plays in the plain engine.
fn plain(rounds: u32) -> Result<Vec<Speed>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("play.clj");
    let load = |name| format!("(load-file {:?})\n", Path::new(FOLDER).join(name));
    let text =
        [load("species.clj"), load("plain.clj"), format!("((resolve 'plain/play) {rounds})\n")]
            .concat();
    fs::write(&path, text)?;
    let sandbox = SandboxOptions { read: vec![FOLDER.into()], ..SandboxOptions::default() };
    let options = HostOptions { sandbox, ..HostOptions::default() };
    let mut file = Tournaments::open(&path, None, &Rules::default(), &options)?;
    let mut text = String::new();
    loop {
        match file.next_event()? {
            Event::Say(more) => text.push_str(&more),
            Event::End(_) => break,
            Event::Tournament(_) => return Err("it plays no tournament".into()),
        }
    }
    let round = |line: &str| {
        let (turns, nanos) = line.split_once(' ').ok_or(line.to_owned())?;
        Ok(Speed { turns: turns.parse()?, time: Duration::from_nanos(nanos.parse()?) })
    };
    text.lines().map(round).collect()
}

/// Makes a match of four species.
fn four(rounds: u32) -> Result<Amoebas> {
    Ok(Amoebas::new(&Rules { rounds, ..Rules::default() }, SPECIES.len(), Seed(1))?)
}

/// Makes a world with an amoeba on every fourth cell.
fn resting(rounds: u32) -> Result<Amoebas> {
    let rules = Rules { rounds, ..Rules::default() };
    let mut position = Amoebas::new(&rules, 1, Seed(1))?.position();
    let first = position.amoebas[0].clone();
    let place =
        |n: u32| agon_games::amoebas::Amoeba { x: n % 100 * 2, y: n / 100 * 2, ..first.clone() };
    position.amoebas = (0..10_000).map(place).collect();
    Ok(Amoebas::from_position(&rules, Seed(1), position)?)
}

/// Measures the shortest of a few times until a species is loaded.
///
/// Once with an empty cache, and once with everything compiled.
fn start_up() -> Result<()> {
    let spec = format!("{FOLDER}/species.clj?fn=rests").parse()?;
    let start = |cache: &Path| -> Result<Duration> {
        let options = HostOptions { cache: Some(cache.to_owned()), ..HostOptions::default() };
        let begun = Instant::now();
        drop(open(GameId::Amoebas.kind(), &spec, &options)?);
        Ok(begun.elapsed())
    };
    let mut first = Duration::MAX;
    let mut later = Duration::MAX;
    for _ in 0..5 {
        let cache = tempfile::tempdir()?;
        first = first.min(start(cache.path())?);
        later = later.min(start(cache.path())?);
    }
    println!(
        "start until a species is loaded: {first:.2?} the first time, {later:.2?} later (best of \
         5)\n"
    );
    Ok(())
}

fn main() -> Result<()> {
    let short = env::args().any(|arg| arg == "--test");
    let mut numbers = env::args().skip(1).filter_map(|arg| arg.parse::<u32>().ok());
    let runs = numbers.next().unwrap_or(if short { 1 } else { 3 });
    let rounds = numbers.next().unwrap_or(if short { 20 } else { 400 });
    support::stay_on_one_core();
    println!(
        "{runs} runs of {rounds} rounds, 200×200, four slightly brainy species, on one core\n"
    );
    start_up()?;
    println!("run  engine  turns in all  turns/s  µs a turn");
    let row = |run, engine, rounds: &[Speed]| {
        let speed = Speed::of(rounds);
        let turns = rounds.iter().map(|round| round.turns).sum::<u64>();
        println!(
            "{run:>3}  {engine:<6}  {turns:>12}  {:>7.0}  {:>9.2}",
            speed.per_second(),
            speed.micros()
        );
        speed
    };
    let mut ratios = Vec::new();
    for run in 1..=runs {
        let (ours, cpu) = arena(four(rounds)?, &SPECIES)?;
        let ours_speed = row(run, "arena", &ours);
        let all: Duration = ours.iter().map(|round| round.time).sum();
        println!(
            "     (JVM: {:.1} s of CPU time, start and compilation included; match: {:.1} s)",
            cpu.as_secs_f64(),
            all.as_secs_f64()
        );
        let plain_speed = row(run, "plain", &plain(rounds)?);
        ratios.push(ours_speed.per_second() / plain_speed.per_second());
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "\narena / plain: {:.1} (median of {runs}; {:.1} to {:.1})",
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1]
    );
    println!("\n10 000 amoebas that only rest");
    let (rests, _) = arena(resting(rounds.min(60))?, &["rests"])?;
    row(1, "arena", &rests);
    Ok(())
}
