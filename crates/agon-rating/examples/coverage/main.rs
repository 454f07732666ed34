//! Counts how often a table's 95 % intervals, rank ranges and verdicts are right.
//!
//! It simulates tournaments of bots with known strengths, and prints the table of
//! `docs/ratings.md`. Run `cargo run --release -p agon-rating --example coverage -- [RUNS]`. It
//! fails if a goal is missed.

#![allow(clippy::print_stdout, reason = "an example prints")]

mod fields;
mod judged;

use std::process::ExitCode;

use agon_core::Seed;
use agon_rating::{Anchor, Options, Table, table};
use fields::{FIELDS, Field, Tournament};
use judged::{Judged, judged};

/// The default number of runs of each field.
const RUNS: u64 = 1_000;

/// The probability from which a report calls a bot the strongest (`agon_contest::report`).
const SURE: f64 = 0.975;

/// Counts over all runs of a field.
#[derive(Debug, Default)]
struct Counts {
    bots: u64,
    held: u64,
    /// The count for each place in the true order, the best first.
    held_at: Vec<u64>,
    ranks: u64,
    /// The error of estimates away from 0, in Elo points.
    out: f64,
    /// Runs that called a bot the strongest, and the share of them that was wrong.
    verdicts: u64,
    wrong: u64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let wanted = arguments.next();
    println!(
        "| field | intervals hold | best and worst bot | ranks hold | one called the strongest | \
         wrongly | bias |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let chosen = |field: &&Field| wanted.as_ref().is_none_or(|wanted| field.name.contains(wanted));
    let missed: Vec<&str> = FIELDS
        .iter()
        .filter(chosen)
        .filter(|field| !examine(field, runs))
        .map(|field| field.name)
        .collect();
    if missed.is_empty() { ExitCode::SUCCESS } else { fail(&missed) }
}

fn fail(missed: &[&str]) -> ExitCode {
    println!("\nmissed: {}", missed.join(", "));
    ExitCode::FAILURE
}

/// Returns whether the field's intervals hold as often as they should.
fn examine(field: &Field, runs: u64) -> bool {
    let mut counts = Counts::default();
    for run in 0..runs {
        let tournament = (field.play)(Seed::plain(run));
        let options = Options {
            players: tournament.strengths.len(),
            anchor: Anchor::Firm,
            samples: if field.ranks { 1_000 } else { 0 },
            seed: Seed::plain(run),
            ..Options::default()
        };
        match table(&tournament.records, &options) {
            Ok(table) => counts.add(&tournament, &table),
            Err(error) => println!("{}: {error}", field.name),
        }
    }
    let part = |count: u64, all: u64| 100.0 * count as f64 / all.max(1) as f64;
    let held = part(counts.held, counts.bots);
    let last = counts.held_at.len() - 1;
    let [best, worst] = [0, last].map(|at| part(counts.held_at[at], runs));
    println!(
        "| {} | {held:.1} % | {best:.1} %, {worst:.1} % | {:.1} % | {:.1} % | {:.1} % | {:+.1} |",
        field.name,
        part(counts.ranks, counts.bots),
        part(counts.verdicts, runs),
        part(counts.wrong, runs),
        counts.out / counts.bots as f64,
    );
    (93.0..=field.most).contains(&held)
}

impl Counts {
    fn add(&mut self, tournament: &Tournament, table: &Table) {
        let strengths = &tournament.strengths;
        self.held_at.resize(strengths.len(), 0);
        for (place, Judged { row, truth, holds }) in
            judged(strengths, table).into_iter().enumerate()
        {
            let player = row.player;
            self.bots += 1;
            self.held += u64::from(holds);
            self.held_at[place] += u64::from(holds);
            self.out += (row.elo - truth) * truth.signum();
            let better = strengths.iter().filter(|&&other| other > strengths[player]).count();
            let equal = strengths.iter().filter(|&&other| other == strengths[player]).count();
            self.ranks += u64::from(row.rank_low <= better + equal && better < row.rank_high);
        }
        let best = &table.rows[0];
        if best.rank_probabilities.first().is_some_and(|&sure| sure >= SURE) {
            self.verdicts += 1;
            let is_best = strengths.iter().all(|&other| other <= strengths[best.player]);
            let alone =
                strengths.iter().filter(|&&other| other == strengths[best.player]).count() == 1;
            self.wrong += u64::from(!(is_best && alone));
        }
    }
}
