//! Measures the ladder server under load: with a large ladder, many uploads, many spectators.
//!
//! ```text
//! cargo bench -p agon-server --bench load -- generate --data /var/tmp/ladder
//! cargo bench -p agon-server --bench load -- pages --data /var/tmp/ladder
//! ```
//!
//! Without a command, or with `--test`, each runs once in a small form, for what it checks.
//! `docs/performance.md` has the figures.
#![allow(clippy::print_stdout, reason = "figures are its results")]

mod generate;
mod pages;
mod rate;
mod site;
mod spectators;
#[allow(dead_code, unused_imports, reason = "it is for tests, which do more")]
#[allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]
#[path = "../../tests/support/mod.rs"]
mod support;
mod uploads;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};

/// Measures the ladder server under load.
#[derive(Debug, Parser)]
#[command(name = "load", max_term_width = 100)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// Run each command once in a small form, for what it checks; so without a command.
    #[arg(long)]
    test: bool,
    /// What cargo adds to all benchmarks.
    #[arg(long, hide = true, global = true)]
    bench: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Generate),
    Pages(pages::Pages),
    Uploads(uploads::Uploads),
    Spectators(spectators::Spectators),
    Rate(rate::Rate),
}

fn main() -> Result<()> {
    match Options::parse().command {
        Some(Command::Generate(options)) => generate::run(&options),
        Some(Command::Pages(options)) => pages::run(&options).map(drop),
        Some(Command::Uploads(options)) => uploads::run(&options).map(drop),
        Some(Command::Spectators(options)) => spectators::run(&options).map(drop),
        Some(Command::Rate(options)) => rate::run(&options),
        None => test(),
    }
}

/// Runs all in a small form.
fn test() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("ladder");
    generate::run(&generate::Generate {
        data: data.clone(),
        bots: 60,
        matches: 3_000,
        arena: "cluster".to_owned(),
        seed: 1,
    })?;
    let found = pages::run(&pages::Pages { data, requests: 3, clients: 2, json: false })?;
    ensure!(found == 3_000, "the server counts {found} matches of 3000");
    let options = uploads::Uploads { uploads: 2, authors: 2, json: false };
    let uploaded = uploads::run(&options)?;
    ensure!(uploaded == 2, "{uploaded} of 2 uploads were rated");
    let options = spectators::Spectators { viewers: 20, seconds: 3, json: false };
    let heard = spectators::run(&options)?;
    ensure!(heard == 20, "{heard} of 20 pages heard of a table");
    rate::test()
}
