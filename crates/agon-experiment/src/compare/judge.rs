//! The statistical test of a comparison: whether the results so far show an improvement.
//!
//! `agon-rating` has the tests. This file turns places in matches into the numbers that they take.

use agon_rating::{
    Decision, DuelReport, DuelRun, DuelTest, PairedReport, PairedRun, PairedTest, Pentanomial,
    RatingError, Record, differences,
};
use anyhow::{Result, anyhow, bail};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Design, NEW, OLD, TestOptions};

/// A test with the results so far.
#[derive(Clone, Debug)]
pub struct Judge {
    design: Design,
    test: Test,
    tally: Tally,
}

#[derive(Clone, Debug)]
enum Test {
    /// On pairs of matches.
    Duel { test: DuelTest, run: DuelRun },
    /// On differences of scores.
    Paired { test: PairedTest, run: PairedRun },
}

/// The hypotheses of a test, and the probabilities of its errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Question {
    /// On the difference in Elo points.
    Duel(DuelTest),
    /// On the difference of scores.
    Paired(PairedTest),
}

/// How the matches of the new version ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Tally {
    /// It was alone in the first place.
    pub wins: u64,
    /// It shared the first place.
    pub ties: u64,
    /// All other matches.
    pub losses: u64,
}

/// The state of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Of pairs of matches.
    #[serde(rename = "sprt")]
    Duel {
        /// How many pairs brought the new version 0, ½, 1, 1½, 2 points.
        pairs: Pentanomial,
        /// The state of the test.
        #[serde(flatten)]
        report: DuelReport,
    },
    /// Of differences of scores.
    Paired(PairedReport),
}

impl Judge {
    /// Makes the test that the options ask for.
    ///
    /// # Errors
    /// If a number does not fit, or belongs to another design.
    pub fn new(design: Design, args: &TestOptions) -> Result<Judge> {
        let test = match design {
            Design::Mirror => {
                if args.score1.is_some() {
                    bail!(
                        "--score1 is for --against, or --players above 2; two versions that play \
                         each other are told apart by --elo0 and --elo1"
                    );
                }
                let (elo0, elo1) = args.bounds(design);
                let test = DuelTest::new(elo0, elo1, args.alpha, args.beta, args.model());
                let test = test.map_err(of_flag)?;
                Test::Duel { test, run: test.run() }
            }
            Design::Field { .. } | Design::Pool { .. } => {
                if args.elo0.is_some() || args.elo1.is_some() || args.normalized {
                    bail!(
                        "--elo0, --elo1 and --normalized are for two versions that play each \
                         other; with --against, or --players above 2, give --score1"
                    );
                }
                let (score0, score1) = args.bounds(design);
                let test =
                    PairedTest::new(score0, score1, args.alpha, args.beta).map_err(of_flag)?;
                Test::Paired { test, run: test.run() }
            }
        };
        Ok(Judge { design, test, tally: Tally::default() })
    }

    /// Counts the matches of one seed: who sat where, and which places they took.
    ///
    /// # Errors
    /// If these are not the matches of the design.
    pub fn count(&mut self, seatings: &[Vec<usize>], places: &[Vec<u32>]) -> Result<()> {
        let matches = seatings.iter().zip(places);
        let records: Vec<Record> =
            matches.map(|(seats, places)| Record::new(seats, places).clustered(0)).collect();
        let own = records.iter().filter(|record| record.players.contains(&NEW));
        own.for_each(|record| self.tally.add(record));
        match &mut self.test {
            Test::Duel { run, .. } => {
                let (counts, alone) = Pentanomial::of(&records, NEW, OLD);
                let points = counts.0.iter().position(|&count| count > 0);
                let Some(points) = points.filter(|_| alone == 0) else {
                    bail!("a seed has matches that are not a pair");
                };
                run.push(points)?;
            }
            Test::Paired { run, .. } => run.push(difference(self.design, &records)?)?,
        }
        Ok(())
    }

    /// Returns the question.
    pub fn question(&self) -> Question {
        match &self.test {
            Test::Duel { test, .. } => Question::Duel(*test),
            Test::Paired { test, .. } => Question::Paired(*test),
        }
    }

    /// Returns the state of the test after the matches so far.
    pub fn report(&self) -> Report {
        match &self.test {
            Test::Duel { run, .. } => Report::Duel { pairs: *run.pairs(), report: run.report() },
            Test::Paired { run, .. } => Report::Paired(run.report()),
        }
    }

    /// Returns whether to play on, or how the test has decided.
    pub fn decision(&self) -> Decision {
        match &self.test {
            Test::Duel { run, .. } => run.decision(),
            Test::Paired { run, .. } => run.decision(),
        }
    }

    /// The interval of the score that agrees with the test; `None` in a duel, whose report has one.
    pub fn interval(&self) -> Option<(f64, f64)> {
        match &self.test {
            Test::Duel { .. } => None,
            Test::Paired { run, .. } => Some(run.interval()),
        }
    }

    /// Wins, ties and losses of the new version.
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

/// Returns how much better the new version did than the old one on a seed, from -1 to 1.
fn difference(design: Design, records: &[Record]) -> Result<f64> {
    let difference = match design {
        // Copies of the old version alone would have a mean score of ½, since they share all points
        // among them. So these matches need not be played.
        Design::Field { .. } => {
            let scores: Vec<f64> = records.iter().filter_map(|record| record.score(NEW)).collect();
            (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64 - 0.5)
        }
        Design::Mirror | Design::Pool { .. } => differences(records, NEW, OLD).first().copied(),
    };
    difference.ok_or_else(|| anyhow!("a seed lacks matches of one version"))
}

impl Tally {
    fn add(&mut self, record: &Record) {
        let first = record.tiers().first().cloned().unwrap_or_default();
        match first.as_slice() {
            [NEW] => self.wins += 1,
            tied if tied.contains(&NEW) => self.ties += 1,
            _ => self.losses += 1,
        }
    }
}

/// Names the flag of a wrong option; both have the same name.
fn of_flag(error: RatingError) -> anyhow::Error {
    match error {
        RatingError::Option { name, value, remedy } => {
            anyhow!("--{} {value}: {remedy}", name.replace(" + ", " + --"))
        }
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> TestOptions {
        TestOptions::default()
    }

    fn message(players: usize, pool: usize, args: &TestOptions) -> String {
        Judge::new(Design::new(players, pool), args).unwrap_err().to_string()
    }

    #[test]
    fn flags_that_do_not_fit_are_named() {
        let error = message(2, 0, &TestOptions { elo0: Some(30.0), ..args() });
        assert_eq!(error, "--elo0 30: give a number below elo1");
        let error = message(2, 0, &TestOptions { alpha: 0.6, beta: 0.5, ..args() });
        assert!(error.starts_with("--alpha + --beta 1.1"), "{error}");
        assert!(message(2, 0, &TestOptions { score1: Some(0.1), ..args() }).contains("--elo1"));
        assert!(message(2, 3, &TestOptions { elo1: Some(9.0), ..args() }).contains("--score1"));
        assert!(message(3, 0, &TestOptions { normalized: true, ..args() }).contains("--score1"));
    }

    #[test]
    fn pairs_are_counted_by_their_points() {
        let mut judge = Judge::new(Design::Mirror, &args()).unwrap();
        let seatings = Design::Mirror.seatings(agon_core::Seed(0));
        // New wins both; each wins from the first seat; a tie and a loss.
        for places in [[[1, 2], [2, 1]], [[1, 2], [1, 2]], [[1, 1], [1, 2]]] {
            judge.count(&seatings, &places.map(|match_| match_.to_vec())).unwrap();
        }
        let Report::Duel { pairs, .. } = judge.report() else { panic!("a test of pairs") };
        assert_eq!(pairs, Pentanomial([0, 1, 1, 0, 1]));
        assert_eq!(judge.tally(), Tally { wins: 3, ties: 1, losses: 2 });
    }

    #[test]
    fn a_field_is_compared_with_copies_alone() {
        let design = Design::Field { players: 3 };
        let mut judge = Judge::new(design, &args()).unwrap();
        // In the seats 0, 1, 2 new is first, second, and level with one for the first place: 1, ½,
        // ¾.
        let places = [vec![1, 2, 3], vec![1, 2, 3], vec![1, 3, 1]];
        judge.count(&design.seatings(agon_core::Seed(0)), &places).unwrap();
        let Report::Paired(report) = judge.report() else { panic!("a test of differences") };
        assert_eq!((report.pairs, report.mean), (1, 0.25));
        assert_eq!(judge.tally(), Tally { wins: 1, ties: 1, losses: 1 });
    }

    #[test]
    fn a_pool_is_played_by_both() {
        let design = Design::Pool { players: 2, pool: 1 };
        let mut judge = Judge::new(design, &args()).unwrap();
        let seatings = design.seatings(agon_core::Seed(0));
        assert_eq!(seatings, [[0, 2], [1, 2], [2, 0], [2, 1]]);
        // New wins both, old loses and ties.
        let places = [vec![1, 2], vec![2, 1], vec![2, 1], vec![1, 1]];
        judge.count(&seatings, &places).unwrap();
        let Report::Paired(report) = judge.report() else { panic!("a test of differences") };
        assert_eq!(report.mean, 0.75);
    }
}
