//! `cargo xtask soak`: many short matches on an overloaded machine, which must not harm any bot.
//!
//! As many arenas as the machine has cores play side by side, while busy programs take most of the
//! processor time. Each match has its own process, as on a command line. The bots are well-behaved,
//! so any fault is the fault of the machine or the arena.

use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, env, fs, path::Path, thread};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xtask::{cargo, in_parallel, root, step, text_of};

/// The default number of matches.
const MATCHES: u64 = 20_000;

/// The default number of busy programs per core.
const LOAD: usize = 2;

/// The number of matches in `cargo xtask test`.
const SHORT: u64 = 300;

/// The amount of evidence that ends a soak.
const MAX_EVIDENCE: usize = 5;

/// Parses `[--matches N] [--load K]`.
fn plan(args: &[&str]) -> Result<(u64, usize)> {
    let (mut matches, mut load) = (MATCHES, LOAD);
    for pair in args.chunks(2) {
        let &[flag, value] = pair else { bail!("{} needs a number", pair[0]) };
        let number =
            || value.parse().with_context(|| format!("{flag} {value}: expected a whole number"));
        match flag {
            "--matches" => matches = number()?,
            "--load" => load = number()? as usize,
            _ => bail!("unknown flag `{flag}`; there are --matches N and --load K"),
        }
    }
    if matches == 0 {
        bail!("--matches 0: there is nothing to play");
    }
    Ok((matches, load))
}

/// Builds the arena with all optimisations and soaks it.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let plan = plan(args)?;
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    soak(plan, &xtask::target()?.join("release").join("agon"))
}

/// Runs a short soak of the arena that the tests have built, beside this program.
pub(crate) fn short() -> Result<()> {
    let own = env::current_exe()?;
    soak((SHORT, LOAD), &own.with_file_name("agon"))
}

fn soak((matches, load): (u64, usize), agon: &Path) -> Result<()> {
    let folder = root().join("target").join("soak");
    fs::create_dir_all(&folder)?;
    let lineups = lineups(&folder)?;
    let arenas = thread::available_parallelism()?.get();
    let busy = load * arenas;
    eprintln!("\n==> soak: {matches} matches, {arenas} arenas, {busy} busy programs");
    let _load = Load::start(busy)?;
    let evidence = AtomicUsize::new(0);
    let begun = Instant::now();
    let played = in_parallel(arenas, (0..matches).collect(), |number| -> Result<_> {
        if evidence.load(Relaxed) >= MAX_EVIDENCE {
            return Ok(None);
        }
        let lineup = &lineups[(number % lineups.len() as u64) as usize];
        let played = play(agon, lineup, number)?;
        evidence.fetch_add(usize::from(played.evidence.is_some()), Relaxed);
        Ok(Some((lineup.name, played)))
    });
    let played = played.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>>>()?;
    match report(&played, begun.elapsed()) {
        0 => Ok(()),
        _ => bail!("the machine cost bots something, see above"),
    }
}

/// Plays a match like a person on the command line.
fn play(agon: &Path, lineup: &Lineup, seed: u64) -> Result<Played> {
    let mut command = Command::new(agon);
    command.args(["play", lineup.game, "--json", "--seed", &seed.to_string()]).args(&lineup.bots);
    command.args(lineup.settings.split(' ').flat_map(|set| ["--set", set]));
    command.current_dir(root()).stdin(Stdio::null());
    let begun = Instant::now();
    let output = command.output().with_context(|| format!("cannot run {}", agon.display()))?;
    Ok(Played::of(&command, &output, begun.elapsed()))
}

/// A kind of match.
#[derive(Clone, Debug)]
struct Lineup {
    name: &'static str,
    game: &'static str,
    bots: [String; 2],
    settings: &'static str,
}

/// Compiles the bots into `folder`; returns bots of every kind that has a clock, most of them fast.
///
/// One match in twenty has a bot in Python, whose start takes as long as ten other matches.
fn lineups(folder: &Path) -> Result<Vec<Lineup>> {
    let program = |source: &str, name: &str| {
        let program = folder.join(name);
        let mut compile = Command::new("cc");
        text_of(compile.args(["-O2", "-o"]).arg(&program).arg(root().join(source)))?;
        anyhow::Ok(program.display().to_string())
    };
    let blocker = program("examples/bots/cluster/blocker.c", "blocker")?;
    let wander = program("examples/bots/rezzo/wander.c", "wander")?;
    let json = format!("jsonl:{}", program("xtask/soak/json.c", "json")?);
    let runner = program("xtask/soak/runner.c", "runner")?;
    let drifter = "examples/bots/cellhack/drifter.c".to_owned();
    let quick = [
        ("cluster, C", "cluster", &blocker, "side=5"),
        ("rezzo, C", "rezzo", &wander, "width=40 height=40 max_ticks=100"),
        ("rezzo, JSON Lines", "rezzo", &json, "width=40 height=40 max_ticks=50"),
        ("cellhack, native", "cellhack", &drifter, "width=20 height=20 turns=20"),
        ("binfection, runner", "binfection", &runner, "field_width=8 field_height=8 turns_limit=5"),
    ];
    let quick = quick.map(|(name, game, bot, settings)| {
        let bots = [bot.clone(), bot.clone()];
        Lineup { name, game, bots, settings }
    });
    let mut lineups = [quick.as_slice(); 4].concat();
    let [python, c] = &mut lineups[0].bots;
    (*python, *c) = ("python3 examples/bots/cluster/greedy.py".to_owned(), blocker);
    lineups[0].name = "cluster, Python";
    Ok(lineups)
}

/// Counts, and now and then checks that the program with the given number still runs.
const BUSY: &str = "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + \
    1)); done; done";

/// Busy programs. Dropping this ends them.
///
/// They also end soon after any other end of this program.
#[derive(Debug)]
struct Load(Vec<Child>);

impl Load {
    fn start(count: usize) -> Result<Load> {
        let mut load = Load(Vec::new());
        for _ in 0..count {
            let mut shell = Command::new("sh");
            shell.args(["-c", BUSY, &std::process::id().to_string()]).stdin(Stdio::null());
            load.0.push(shell.spawn().context("cannot run sh")?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended already.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// A completed match.
#[derive(Debug, Default)]
struct Played {
    took: Duration,
    decisions: u64,
    stall_ms: u64,
    /// The number of its void attempts.
    voids: u64,
    /// The problem, with everything that is known of it.
    evidence: Option<String>,
}

impl Played {
    /// Reads the output of `agon play --json`.
    fn of(command: &Command, output: &Output, took: Duration) -> Played {
        let text = String::from_utf8_lossy(&output.stdout);
        let talk = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut played = Played { took, ..Played::default() };
        let mut faults = 0;
        let mut result = None;
        for line in &lines {
            match line["type"].as_str() {
                Some("fault") => faults += 1,
                // Earlier events do not count, faults included.
                Some("void") => (played.voids, faults) = (played.voids + 1, 0),
                Some("result") => result = Some(&line["data"]),
                _ => {}
            }
        }
        let over = result.is_some_and(|result| result["end"] == "over" && result["void"].is_null());
        if let Some(result) = result {
            played.decisions = result["decisions"].as_u64().unwrap_or(0);
            played.stall_ms = result["longest_stall_ms"].as_u64().unwrap_or(0);
        }
        if faults > 0 || !over || !output.status.success() {
            played.evidence = Some(format!("{command:?}\n{}\n{text}{talk}", output.status));
        }
        played
    }
}

/// Prints for each kind of match its counts and the worst delays, and the evidence of problems.
/// Returns how many matches have evidence.
fn report(played: &[(&str, Played)], took: Duration) -> usize {
    let mut kinds: BTreeMap<&str, Vec<&Played>> = BTreeMap::new();
    for (kind, played) in played {
        kinds.entry(*kind).or_default().push(played);
    }
    eprintln!(
        "\n{:<20}{:>9}{:>12}{:>6}{:>12}{:>15}",
        "", "matches", "answers", "void", "slowest", "worst stall"
    );
    for (name, all) in kinds {
        let matches = all.len();
        let answers: u64 = all.iter().map(|played| played.decisions).sum();
        let voids: u64 = all.iter().map(|played| played.voids).sum();
        let slowest = all.iter().map(|played| played.took.as_millis()).max().unwrap_or_default();
        let stall = all.iter().map(|played| played.stall_ms).max().unwrap_or_default();
        let counts = format!("{matches:>9}{answers:>12}{voids:>6}");
        eprintln!("{name:<20}{counts}{slowest:>9} ms{stall:>12} ms");
    }
    let evidence: Vec<&String> = played.iter().filter_map(|(_, it)| it.evidence.as_ref()).collect();
    let (matches, failed, seconds) = (played.len(), evidence.len(), took.as_secs_f64());
    eprintln!(
        "\n{matches} matches in {seconds:.0} s, {:.1} a second; {failed} with a fault",
        matches as f64 / seconds
    );
    evidence.iter().for_each(|evidence| eprintln!("\n{evidence}"));
    failed
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    use super::*;

    #[test]
    fn flags_are_read_or_refused() {
        assert_eq!(plan(&[]).unwrap(), (MATCHES, LOAD));
        assert_eq!(plan(&["--load", "5", "--matches", "7"]).unwrap(), (7, 5));
        for args in [&["--load"][..], &["--matches", "x"], &["--matches", "0"], &["--laod", "1"]] {
            assert!(plan(args).is_err(), "{args:?}");
        }
    }

    fn played(stdout: &str, status: i32) -> Played {
        let output = Output {
            status: ExitStatus::from_raw(status << 8),
            stdout: stdout.into(),
            stderr: b"talk".to_vec(),
        };
        Played::of(&Command::new("agon"), &output, Duration::ZERO)
    }

    const GOOD: &str =
        r#"{"type":"result","data":{"end":"over","decisions":40,"longest_stall_ms":3}}"#;
    const FAULT: &str = r#"{"type":"fault","data":{"kind":"timeout"}}"#;

    #[test]
    fn a_match_without_faults_is_good() {
        let good = played(GOOD, 0);
        assert_eq!((good.evidence, good.decisions, good.stall_ms), (None, 40, 3));
    }

    #[test]
    fn faults_and_failures_are_evidence() {
        for (text, status) in
            [(format!("{FAULT}\n{GOOD}"), 0), (GOOD.to_owned(), 1), (String::new(), 0)]
        {
            let evidence = played(&text, status).evidence.unwrap();
            assert!(evidence.contains("talk") && evidence.contains(&text), "{evidence}");
        }
        let void = GOOD.replace("\"end\"", "\"void\":{\"reason\":\"stall\"},\"end\"");
        assert!(played(&void, 1).evidence.is_some());
    }

    #[test]
    fn what_was_void_does_not_count() {
        let again = played(&format!("{FAULT}\n{{\"type\":\"void\",\"data\":{{}}}}\n{GOOD}"), 0);
        assert_eq!((again.voids, again.evidence), (1, None));
    }
}
