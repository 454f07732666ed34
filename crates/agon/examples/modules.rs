//! Plays games as files beside the same games as they are compiled here, and measures both.
//! `cargo xtask long modules` compiles the rules and runs this. Each match must be the same.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a check that cannot go on fails")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, time::Instant};

use agon_bots::game_file;
use agon_core::{BotInfo, Purpose, Seed};
use agon_games::GameId;
use agon_games::any::{AnyAnswers, AnyGame, GameKind};
use agon_match::replay::{End, Replay, Writer};
use serde_json::Value;

/// The most steps of a match.
const STEPS: usize = 2000;

/// Matches of which the longest is played.
const MATCHES: u64 = 50;

/// Repetitions of each measurement, of which the fastest counts.
const RUNS: usize = 5;

fn main() {
    let folder = env::args().nth(1).expect("the folder with a folder for each game");
    println!(
        "| game | steps | answers | step, native | as a file | verified, native | as a file | |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: |");
    agon_match::pin::pin_to_core(agon_match::pin::cores().unwrap()[0]).unwrap();
    for id in GameId::OWN {
        let folder = Path::new(&folder).join(id.meta().id);
        let native = id.kind();
        fs::write(folder.join("game.toml"), manifest(native)).unwrap();
        fs::write(folder.join("page.md"), format!("# {}-file\n", id.meta().id)).unwrap();
        let file = game_file::open(&folder).unwrap().kind();
        compare(native, file);
    }
}

/// What `game.toml` says of a game of Agon.
fn manifest(kind: &dyn GameKind) -> String {
    let meta = kind.meta();
    let (least, most) = (meta.min_players, meta.max_players.min(64));
    let mut text = format!(
        "name = \"{}-file\"\nsummary = \"{}\"\nplayers = [{least}, {most}]\nturn = \"{}\"\n",
        meta.id, meta.summary, meta.turn_name
    );
    let rules = kind.default_rules();
    let plain = |value: &Value| value.is_i64() || value.is_u64() || value.is_boolean();
    for (name, value) in rules.as_object().unwrap().iter().filter(|(_, value)| plain(value)) {
        let setting = "\n[[setting]]\nname = \"NAME\"\nabout = \"As in Agon.\"\ndefault = ";
        writeln!(text, "{}{value}", setting.replace("NAME", name)).unwrap();
    }
    text
}

/// A match: its states, the answers between them, and its replay.
struct Played {
    start: AnyGame,
    answers: Vec<AnyAnswers>,
    last: AnyGame,
    replay: Replay,
}

/// Plays a match with legal answers, whose numbers are the same in both kinds. `None` if an answer
/// is more than an action.
fn play(kind: &dyn GameKind, sets: &[&str], seed: Seed) -> Option<Played> {
    let players = kind.meta().min_players.max(2);
    let rules = kind.changed_rules(sets).unwrap();
    let start = kind.start(&rules, players, seed).unwrap();
    let bots: Vec<BotInfo> = (0..players).map(|n| BotInfo::new(n.to_string(), "builtin")).collect();
    let mut writer = Writer::new(Vec::new(), &start, &bots).unwrap();
    let (mut game, mut all) = (start.clone(), Vec::new());
    while !game.is_over() && all.len() < STEPS {
        let mut rng = seed.stream(Purpose::Script, all.len() as u64);
        let mut answers = kind.no_answers();
        answers.reset(game.decisions().len());
        for (at, &decision) in game.decisions().iter().enumerate() {
            let [legal] = &game.legal_actions(decision).unwrap()[..] else { return None };
            let legal: Vec<usize> = legal.iter().collect();
            let action = legal[rng.index(legal.len())];
            game.set_actions(decision, &[action], answers.part_mut(at..at + 1)).unwrap();
        }
        game.step(&answers);
        writer.step(&answers, &game).unwrap();
        all.push(answers);
    }
    let end = if game.is_over() { End::Over } else { End::Limit };
    let replay = writer.finish(&game, end, &[]).unwrap();
    Some(Played { start, answers: all, last: game, replay: Replay::open(replay).unwrap() })
}

/// The shortest time of an action in microseconds per step.
fn time(steps: usize, mut action: impl FnMut()) -> f64 {
    let run = |_| {
        let start = Instant::now();
        action();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min) * 1e6 / steps as f64
}

fn compare(native: &'static dyn GameKind, file: &'static dyn GameKind) {
    let name = native.meta().id;
    let short = native.trials().short;
    let longest = |seed: &Seed| play(native, short, *seed).map(|played| played.answers.len());
    let seed = (0..MATCHES).map(Seed).max_by_key(longest).unwrap();
    let Some(one) = play(native, short, seed) else {
        println!("| {name} | no: an answer of it is more than an action | | | | | | |");
        return;
    };
    let other = play(file, short, seed).unwrap();
    let steps = one.answers.len();
    assert_eq!(steps, other.answers.len(), "{name}");
    assert_eq!(one.last.position_bytes(), other.last.position_bytes(), "{name}");
    assert_eq!(one.last.position_json(), other.last.position_json(), "{name}");
    assert_eq!(one.last.standing(), other.last.standing(), "{name}");
    let (mut ours, mut theirs) = (one.start.clone(), other.start.clone());
    for (step, (a, b)) in one.answers.iter().zip(&other.answers).enumerate() {
        ours.step(a);
        theirs.step(b);
        assert_eq!(ours.state_hash(), theirs.state_hash(), "{name}: step {step}");
    }
    let played = |played: &Played| {
        time(steps, || {
            let mut game = played.start.clone();
            played.answers.iter().for_each(|answers| game.step(answers));
        })
    };
    let verified = |kind: &'static dyn GameKind, played: &Played| {
        time(steps, || assert!(played.replay.verify(kind).is_proven(), "{name}"))
    };
    let answers = one.replay.decisions();
    let us = [played(&one), played(&other)];
    print!("| {name} | {steps} | {answers} | {:.2} µs | {:.2} µs ", us[0], us[1]);
    let us = [verified(native, &one), verified(file, &other)];
    println!("| {:.2} µs | {:.2} µs | {:.0} % |", us[0], us[1], 100.0 * us[0] / us[1]);
}
