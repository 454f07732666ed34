//! `rate`: matches a second on one slot of a ladder, beside `agon tournament` with the same bots.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use agon_console::kits::Kit;
use agon_games::GameId;
use anyhow::{Context, Result, ensure};
use clap::Args;
use rusqlite::Connection;
use serde_json::json;

use crate::site::{self, now};
use crate::support::wait_for;

/// Measures matches a second on one slot of a ladder, with every part of the server at work, and
/// of `agon tournament -j 1` with the same bots in Python. Needs `agon`:
/// `cargo build --release -p agon`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Rate {
    /// How long the ladder is measured with each kind of bots.
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub(crate) seconds: u64,
    /// How many matches the tournament has.
    #[arg(long, value_name = "N", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub(crate) matches: u32,
    /// Print lines of JSON instead of sentences.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The game, as the arena plays it.
const GAME: GameId = GameId::Cluster;

/// Matches of the tournament that shows how long its beginning and end take.
const SHORT: u32 = 2;

/// Measures and prints the rates.
pub(crate) fn run(options: &Rate) -> Result<()> {
    let agon = agon().with_context(
        || "the program `agon` is not beside the server; `cargo build --release -p agon` builds it",
    )?;
    let long = Duration::from_secs(options.seconds);
    let python = ladder(&[], &["ada", "bob"], long)?;
    say(options, "ladder, bots in Python", python, None);
    let alone = tournament(&agon, options.matches)?;
    say(options, "agon tournament, bots in Python", alone, Some(("the ladder", python / alone)));
    let built_in = ladder(&["random", "greedy"], &[], long)?;
    say(options, "ladder, built-in bots", built_in, None);
    Ok(())
}

/// Plays a little of each, as far as the programs are there.
pub(crate) fn test() -> Result<()> {
    let options = Rate { seconds: 2, matches: 4, json: false };
    if agon().is_some() {
        return run(&options);
    }
    println!("rate: no program `agon` is beside the server, so that no tournament is played");
    let built_in = ladder(&["random", "greedy"], &[], Duration::from_secs(2))?;
    say(&options, "ladder, built-in bots", built_in, None);
    Ok(())
}

fn say(options: &Rate, what: &str, rate: f64, share: Option<(&str, f64)>) {
    if options.json {
        let line = json!({"what": what, "matches_per_s": rate, "share": share.map(|of| of.1)});
        println!("{line}");
        return;
    }
    let share = share.map(|(whose, share)| format!("; {whose} has {:.0} % of it", 100.0 * share));
    println!("{what}: {rate:.1} matches/s{}", share.unwrap_or_default());
}

/// Returns the program `agon` of the same build.
fn agon() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_BIN_EXE_agon-server")).with_file_name("agon");
    path.is_file().then_some(path)
}

/// Returns how many matches a second a ladder with one slot plays.
fn ladder(bosses: &[&str], authors: &[&str], long: Duration) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let game = GAME.meta().id;
    let flags = ["--pace", "0", "--slots", "1"];
    let (server, mut root) = site::start(folder.path(), game, bosses, &flags)?;
    for name in authors {
        let mut author = server.author(&mut root, name);
        let path = site::hand_in(&mut author, game)?;
        site::until_ready(&mut author, &path)?;
    }
    let first = now();
    let file = folder.path().join("agon.db");
    // The first matches read the bots' files.
    wait_for("matches", || (played(&file, first, i64::MAX).ok()? > 5).then_some(()));
    let begin = now();
    thread::sleep(long);
    let end = now();
    ensure!(server.stop(), "the server does not end well");
    let count = played(&file, begin, end)?;
    ensure!(count > 0, "the ladder played nothing");
    Ok(count as f64 * 1e3 / (end - begin) as f64)
}

/// Returns how many matches were over between two times.
fn played(file: &Path, from: i64, to: i64) -> Result<u64> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let sql = "SELECT count(*) FROM matches
        WHERE state = 'played' AND played >= ?1 AND played < ?2";
    let count: i64 = connection.query_row(sql, [from, to], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Returns how many matches a second a tournament plays, without its beginning and end.
fn tournament(agon: &Path, matches: u32) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let kit = Kit::find("python")?;
    for name in ["ada", "bob"] {
        for (path, text) in kit.files(GAME, name) {
            let path = folder.path().join(name).join(path);
            fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            fs::write(path, text)?;
        }
    }
    let short = play(agon, folder.path(), SHORT)?;
    let long = play(agon, folder.path(), SHORT + matches)?;
    let rest = long.saturating_sub(short).as_secs_f64();
    ensure!(rest > 0.0, "so few matches take no time: take more");
    Ok(f64::from(matches) / rest)
}

/// Plays a tournament of so many matches, and returns how long it took.
fn play(agon: &Path, folder: &Path, matches: u32) -> Result<Duration> {
    // Arenas have five strikes, too.
    let plan = format!(
        "game = \"{}\"\nmatches = {matches}\nbots = [\"ada\", \"bob\"]\n\n\
         [format]\nkind = \"round-robin\"\n\n[time]\nstrikes = 5\n",
        GAME.meta().id
    );
    let plan_path = folder.join(format!("{matches}.toml"));
    fs::write(&plan_path, plan)?;
    let began = Instant::now();
    let output = Command::new(agon)
        .arg("tournament")
        .arg(&plan_path)
        .args(["-j", "1", "--out"])
        .arg(folder.join(format!("{matches}-results")))
        .stdin(Stdio::null())
        .output()?;
    let took = began.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the tournament fails: {said}");
    Ok(took)
}
