//! Counts how often the 95 % intervals of a ladder's ratings hold the truth, for each matchmaker.
//!
//! It prints the table of `docs/ratings.md` about ladders. Run `cargo run --release -p
//! agon-contest --example ladder_coverage -- [RUNS [MOST]]`, for ladders with at most MOST bots
//! times matches. It fails if a goal is missed.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints what it finds")]

#[path = "../../agon-rating/examples/coverage/judged.rs"]
mod judged;

use std::process::ExitCode;

use agon_contest::format::{AdaptiveMatchmaker, Ladder, LadderRules, Matchmaker, RandomMatchmaker};
use agon_contest::{Games, Outcome, Schedule};
use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Anchor, ELO_PER_NAT, Options, Record, Table, table};
use judged::{Judged, judged};

/// Runs of each ladder if nothing else is said.
const RUNS: u64 = 1_000;

/// The standard deviation of strengths, and Davidson's odds of a tie.
const SPREAD: f64 = 200.0 / ELO_PER_NAT;
const TIES: f64 = 0.5;

/// Bots of a ladder, and matches of each.
const LADDERS: [(usize, u64); 7] =
    [(6, 40), (12, 10), (12, 60), (12, 200), (40, 10), (40, 40), (100, 40)];

#[derive(Debug, Default)]
struct Counts {
    bots: u64,
    held: u64,
    /// Of the best two and the worst two.
    ends: u64,
    ranks: u64,
    /// How far the best two and the worst two are rated too far out, in Elo points.
    out: f64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let most = arguments.next().and_then(|bots| bots.parse().ok()).unwrap_or(usize::MAX);
    println!(
        "| ladder | chosen | intervals hold | best and worst two | their Elo too far out | ranks \
         hold |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let mut missed = false;
    for (bots, each) in LADDERS.into_iter().filter(|ladder| ladder.0 * ladder.1 as usize <= most) {
        for adaptive in [false, true] {
            let mut counts = Counts::default();
            (0..runs).for_each(|run| play(bots, each, adaptive, Seed(run), &mut counts));
            let part = |count: u64, all: u64| 100.0 * count as f64 / all as f64;
            let held = part(counts.held, counts.bots);
            let ends = part(counts.ends, 4 * runs);
            let who = if adaptive { "adaptive" } else { "by lot" };
            let out = counts.out / (4 * runs) as f64;
            let ranks = part(counts.ranks, counts.bots);
            println!(
                "| {bots} bots, {each} matches each | {who} | {held:.1} % | {ends:.1} % | \
                 {out:+.0} | {ranks:.1} % |"
            );
            missed |= held < 93.0 || ends < 90.0;
        }
    }
    if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

fn play(bots: usize, each: u64, adaptive: bool, seed: Seed, counts: &mut Counts) {
    let mut rng = seed.stream(Purpose::Sample, 5);
    let strength = |rng: &mut Rng| SPREAD * ((0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0);
    let strengths: Vec<f64> = (0..bots).map(|_| strength(&mut rng)).collect();
    let maker: Box<dyn Matchmaker> =
        if adaptive { Box::<AdaptiveMatchmaker>::default() } else { Box::new(RandomMatchmaker) };
    let games = Games { matches: 2, mirrored: true };
    let limit = Some(bots as u64 * each / 2);
    let rules = LadderRules { entrants: bots, size: 2, wave: 16, limit, floor: 100, games, seed };
    let mut schedule = Schedule::new(Box::new(Ladder::new(rules, maker)), seed);
    let mut records: Vec<Record> = Vec::new();
    while !schedule.is_finished() {
        for game in schedule.missing() {
            let seats: Vec<usize> = game.seats.iter().map(|entrant| entrant.index()).collect();
            let root = ((strengths[seats[0]] - strengths[seats[1]]) / 2.0).exp();
            let at = uniform(&mut rng) * (root + TIES + 1.0 / root);
            let places = match at {
                at if at < root => vec![1, 2],
                at if at < root + TIES => vec![1, 1],
                _ => vec![2, 1],
            };
            let scores = places.iter().map(|&place| -i64::from(place)).collect();
            records.push(Record::new(&seats, &places).clustered(game.seed.number()));
            schedule.record(game.id, Outcome::new(places, scores)).expect("it was called for");
        }
    }
    let widen = if adaptive { AdaptiveMatchmaker::widening(bots) } else { 1.0 };
    let options = Options {
        players: bots,
        widen,
        anchor: Anchor::Firm,
        samples: 500,
        seed,
        ..Options::default()
    };
    counts.add(&strengths, &table(&records, &options).expect("ratings are finite"));
}

impl Counts {
    fn add(&mut self, strengths: &[f64], table: &Table) {
        for (place, Judged { row, truth, holds }) in
            judged(strengths, table).into_iter().enumerate()
        {
            self.bots += 1;
            self.held += u64::from(holds);
            self.ranks += u64::from((row.rank_low..=row.rank_high).contains(&(place + 1)));
            if place < 2 || place + 2 >= strengths.len() {
                self.ends += u64::from(holds);
                self.out += (row.elo - truth) * if place < 2 { 1.0 } else { -1.0 };
            }
        }
    }
}
