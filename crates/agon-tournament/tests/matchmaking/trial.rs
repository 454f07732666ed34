//! Simulates many ladders, and measures how soon they find the true order.

use std::fmt;

use agon_core::Seed;
use agon_rating::Record;
use agon_tournament::{
    Games, Schedule,
    format::{AdaptiveMatchmaker, Ladder, LadderRules, Matchmaker, RandomMatchmaker},
};

use super::{
    others::{Nearest, OwnOrder, Turns},
    world::{Strengths, World},
};

/// Who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Random,
    RoundRobin,
    Adaptive,
    Nearest,
    OwnOrder,
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub bots: usize,
    pub size: usize,
    pub strengths: Strengths,
    /// The most matches that a bot may be behind.
    pub floor: u32,
    /// Matches of a run.
    pub budget: u64,
}

/// One run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Kendall's tau after an eighth, a half, and all of the budget.
    pub taus: Vec<f64>,
    /// The number of matches from which on tau is at least 0.95; `None` if that is not so in the
    /// end.
    pub order: Option<u64>,
    /// The same for the best five, whatever their order.
    pub five: Option<u64>,
}

impl Trial {
    fn games(&self) -> Games {
        Games { matches: self.size as u32, mirrored: true }
    }

    fn matchmaker(&self, who: Who, number: u64) -> Box<dyn Matchmaker> {
        match who {
            Who::Random => Box::new(RandomMatchmaker),
            Who::RoundRobin => Box::new(Turns::new(self.bots, self.size, self.games(), number)),
            Who::Adaptive => Box::<AdaptiveMatchmaker>::default(),
            Who::Nearest => Box::<Nearest>::default(),
            Who::OwnOrder => Box::<OwnOrder>::default(),
        }
    }

    fn run(&self, who: Who, number: u64) -> Run {
        let &Trial { bots, size, strengths, floor, budget } = self;
        let mut world = World::new(bots, strengths, number);
        let games = self.games();
        let limit = Some(budget);
        let seed = Seed(number);
        let rules = LadderRules { entrants: bots, size, wave: 16, limit, floor, games, seed };
        let mut schedule =
            Schedule::new(Box::new(Ladder::new(rules, self.matchmaker(who, number))), seed);
        let mut records: Vec<Record> = Vec::new();
        let mut run = Run::default();
        let mut stops = [budget / 8, budget / 2, budget].into_iter().peekable();
        // The table is made now and then; from one time to the next there are a tenth more matches.
        let mut next = 2 * bots as u64;
        while !schedule.is_finished() {
            for game in schedule.missing() {
                let outcome = world.play(&game);
                let players: Vec<usize> =
                    game.seats.iter().map(|entrant| entrant.index()).collect();
                records.push(Record::new(&players, &outcome.places));
                schedule.record(game.id, outcome).expect("it was called for");
            }
            let played = records.len() as u64;
            let stop = stops.next_if(|&stop| played >= stop).is_some();
            if stop || played >= next {
                let ratings = world.rate(&records);
                let tau = world.tau(&ratings);
                if stop {
                    run.taus.push(tau);
                }
                run.order = if tau >= 0.95 { run.order.or(Some(played)) } else { None };
                run.five = if world.best_five(&ratings) { run.five.or(Some(played)) } else { None };
                next = played + played / 10;
            }
        }
        run
    }

    /// So many runs, each in a world of its own.
    pub fn runs(&self, who: Who, runs: u64) -> Runs {
        Runs((0..runs).map(|number| self.run(who, number)).collect())
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Runs(Vec<Run>);

impl Runs {
    /// The mean of tau at a stop, and its standard error.
    pub fn tau(&self, stop: usize) -> (f64, f64) {
        let n = self.0.len() as f64;
        let mean = self.0.iter().map(|run| run.taus[stop]).sum::<f64>() / n;
        let variance =
            self.0.iter().map(|run| (run.taus[stop] - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    /// The number of matches after which a part of the runs have found something for good; `None`
    /// if they have not.
    fn quantile(&self, part: f64, of: impl Fn(&Run) -> Option<u64>) -> Option<u64> {
        let mut found: Vec<u64> = self.0.iter().map(|run| of(run).unwrap_or(u64::MAX)).collect();
        found.sort_unstable();
        Some(found[(part * (found.len() - 1) as f64).round() as usize])
            .filter(|&count| count < u64::MAX)
    }

    /// Matches until the order is found, in half of the runs.
    pub fn order(&self) -> Option<u64> {
        self.quantile(0.5, |run| run.order)
    }
}

/// A row of a table in Markdown, from the third column on.
impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stop in 0..3 {
            let (mean, error) = self.tau(stop);
            write!(f, " {mean:.3} ± {error:.3} |")?;
        }
        for of in [|run: &Run| run.order, |run: &Run| run.five] {
            let text =
                |part| self.quantile(part, of).map_or("–".to_owned(), |count| count.to_string());
            write!(f, " {} ({} to {}) |", text(0.5), text(0.25), text(0.75))?;
        }
        Ok(())
    }
}
