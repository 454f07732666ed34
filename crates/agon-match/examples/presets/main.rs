//! Prints how matches of each preset go, as a table in Markdown. `cargo xtask presets` writes it
//! into `docs/presets.md`.
//!
//! ```sh
//! cargo run --release -p agon-match --example presets            # the table
//! cargo run --release -p agon-match --example presets -- \
//!     GAME SETTINGS BOTS SEEDS    # one trial: `width=40,height=40` or @PRESET, `a,b?c=1`, 1..30
//! ```
//!
//! In a trial `-` stands for the documents' defaults, the line-up of the game, and seeds 1 to 30.

#![allow(clippy::print_stdout, reason = "an example prints")]

mod trial;

use std::{ops::RangeInclusive, thread, time::Instant};

use agon_games::{GameId, any::GameKind, presets};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::trial::{Summary, play_all};

/// The seeds for which the table holds. Presets were chosen with other seeds.
const REPORTED: RangeInclusive<u64> = 1001..=1100;

/// The seeds for presets other than `default`, some of which have long matches.
const FEWER: RangeInclusive<u64> = 1001..=1020;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => {
            println!("{HEAD}");
            GameId::OWN.into_iter().try_for_each(|id| report(id.kind()))
        }
        [game] => {
            println!("{HEAD}");
            report(game.parse::<GameId>()?.kind())
        }
        [game, settings, bots, seeds] => {
            try_out(game.parse::<GameId>()?.kind(), settings, bots, seeds)
        }
        _ => bail!("expected nothing, GAME, or GAME SETTINGS BOTS SEEDS"),
    }
}

/// The head of the table.
const HEAD: &str = "\
| game | preset | matches | decided | won by each bot of the line-up | lead changes | \
     turns | margin |
| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |";

/// Prints a row for each preset of a game.
fn report(kind: &dyn GameKind) -> Result<()> {
    for preset in kind.presets() {
        let rules = kind.preset_rules(preset.name)?;
        let seeds = if preset.name == presets::DEFAULT { REPORTED } else { FEWER };
        let summary = summary(kind, &rules, kind.lineup(), seeds)?;
        let percent = |matches| format!("{} %", summary.percent(matches));
        let won = kind.lineup().iter().zip(&summary.won);
        let won = won.map(|(bot, &won)| format!("`{bot}` {}", percent(won)));
        println!(
            "| {} | `{}` | {} | {} | {} | {} | {} | {} % |",
            kind.meta().id,
            preset.name,
            summary.matches,
            percent(summary.won.iter().sum()),
            won.collect::<Vec<_>>().join(", "),
            percent(summary.changes),
            summary.turns,
            summary.margin
        );
    }
    Ok(())
}

/// Prints one line about a trial.
fn try_out(kind: &dyn GameKind, settings: &str, bots: &str, seeds: &str) -> Result<()> {
    let rules = match settings.strip_prefix('@') {
        Some(preset) => kind.preset_rules(preset)?,
        None => {
            let settings: Vec<&str> = settings.split(',').filter(|set| *set != "-").collect();
            kind.changed_rules(&settings)?
        }
    };
    let bots: Vec<&str> = match bots {
        "-" => kind.lineup().to_vec(),
        bots => bots.split(',').collect(),
    };
    let seeds = match seeds {
        "-" => 1..=30,
        seeds => {
            let (first, last) = seeds.split_once("..").context("seeds are FIRST..LAST")?;
            first.parse()?..=last.parse()?
        }
    };
    let began = Instant::now();
    let summary = summary(kind, &rules, &bots, seeds)?;
    let won: Vec<String> =
        summary.won.iter().map(|&won| summary.percent(won).to_string()).collect();
    println!(
        "{settings} {} won {} lead {} fights {} turns {} margin {} s {:.1}",
        bots.join(","),
        won.join("/"),
        summary.percent(summary.changes),
        summary.percent(summary.fights),
        summary.turns,
        summary.margin,
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

fn summary(
    kind: &dyn GameKind,
    rules: &Value,
    bots: &[&str],
    seeds: RangeInclusive<u64>,
) -> Result<Summary> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    Ok(Summary::of(&play_all(kind, rules, bots, seeds, threads)?, bots.len()))
}
