//! What a comparison asks, which matches it plays on each seed, and the statistical test: whether
//! the results so far show an improvement.
//!
//! Versions exchange seats, so that neither the luck of a seed nor a seat decides. `agon-rating`
//! has the tests; [`Judge`] turns places in matches into the numbers that they take.

use std::path::PathBuf;

use agon_core::{Purpose, Seed};
use agon_rating::{
    Decision, DuelReport, DuelRun, DuelTest, EloModel, PairedReport, PairedRun, PairedTest,
    Pentanomial, RatingError, Record, differences,
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

/// The default size of an improvement, in Elo points and in score per match.
const ELO1: f64 = 20.0;
const SCORE1: f64 = 0.05;

/// The default probability of an error.
const ERROR: f64 = 0.05;

/// Options of a comparison beside the bots and the settings of the game.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Players in a match; `None` for two, or as many as the game needs.
    pub players: Option<usize>,
    /// The test.
    pub test: TestOptions,
    /// The seed from which those of all matches follow; `None` for that of the journal in `out`, or
    /// for a new one.
    pub seed: Option<Seed>,
    /// The folder for replays of the matches that count.
    pub replays: Option<PathBuf>,
    /// The folder for the results, with which the comparison can be continued.
    pub out: Option<PathBuf>,
}

/// The question of a comparison and the required certainty: flags of `agon compare`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct TestOptions {
    /// No improvement: so many Elo points or fewer [default: 0].
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub elo0: Option<f64>,
    /// An improvement: so many Elo points or more [default: 20].
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub elo1: Option<f64>,
    /// Take --elo0 and --elo1 as normalised Elo, so that many ties do not make the test longer.
    #[arg(long, help_heading = "Test")]
    pub normalized: bool,
    /// An improvement with --against or --players: so much more score in a match [default: 0.05].
    #[arg(long, value_name = "SCORE", value_parser = share, help_heading = "Test")]
    pub score1: Option<f64>,
    /// The probability with which a version that is no improvement may be called better.
    #[arg(
        long,
        value_name = "P",
        default_value_t = ERROR,
        value_parser = share,
        help_heading = "Test"
    )]
    pub alpha: f64,
    /// The probability with which an improvement may be called none.
    #[arg(
        long,
        value_name = "P",
        default_value_t = ERROR,
        value_parser = share,
        help_heading = "Test"
    )]
    pub beta: f64,
    /// Stop undecided after so many matches [default: play until it is decided].
    #[arg(long, value_name = "N", help_heading = "Test")]
    pub max: Option<u64>,
}

fn share(text: &str) -> Result<f64, &'static str> {
    let value: f64 = text.parse().map_err(|_| "expected a number between 0 and 1, such as 0.05")?;
    let fits = value > 0.0 && value < 1.0;
    fits.then_some(value).ok_or("expected a number between 0 and 1, such as 0.05")
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions {
            elo0: None,
            elo1: None,
            normalized: false,
            score1: None,
            alpha: ERROR,
            beta: ERROR,
            max: None,
        }
    }
}

impl TestOptions {
    /// Returns the greatest difference that is no improvement, and the least one that is an
    /// improvement.
    ///
    /// They are in Elo points, or in score per match.
    pub fn bounds(&self, design: Design) -> (f64, f64) {
        match design {
            Design::Mirror => (self.elo0.unwrap_or(0.0), self.elo1.unwrap_or(ELO1)),
            Design::Field { .. } | Design::Pool { .. } => (0.0, self.score1.unwrap_or(SCORE1)),
        }
    }

    /// Returns the scale of Elo points.
    pub fn model(&self) -> EloModel {
        if self.normalized { EloModel::Normalized } else { EloModel::Logistic }
    }
}

/// The number of the new version among the bots of a comparison.
pub const NEW: usize = 0;
/// The number of the old version; all others come after it.
pub const OLD: usize = 1;

/// The matches that are played on each seed, so that neither luck of the draw nor a seat decides.
/// Bots are numbers: [`NEW`], [`OLD`], and from 2 the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// New against old, in both seats.
    Mirror,
    /// New among copies of old, once in each seat.
    Field {
        /// How many play in a match.
        players: usize,
    },
    /// New against a group that is drawn from the pool, once in each seat, and old instead of new.
    Pool {
        /// How many play in a match.
        players: usize,
        /// How many others there are.
        pool: usize,
    },
}

impl Design {
    /// Chooses the design for `players` in a match and `pool` other bots. Without others the
    /// versions play each other.
    pub fn new(players: usize, pool: usize) -> Design {
        match (players, pool) {
            (2, 0) => Design::Mirror,
            (_, 0) => Design::Field { players },
            _ => Design::Pool { players, pool },
        }
    }

    /// Returns how many copies of the old version play beside itself.
    pub fn copies(self) -> usize {
        match self {
            Design::Field { players } => players - 2,
            Design::Mirror | Design::Pool { .. } => 0,
        }
    }

    /// Returns how many play in a match.
    pub fn players(self) -> usize {
        match self {
            Design::Mirror => 2,
            Design::Field { players } | Design::Pool { players, .. } => players,
        }
    }

    /// Returns how many matches each seed has.
    pub fn matches_each(self) -> u64 {
        let matches = match self {
            Design::Mirror => 2,
            Design::Field { players } => players,
            Design::Pool { players, .. } => 2 * players,
        };
        matches as u64
    }

    /// Returns the bots of each match of a seed, in order of seats.
    ///
    /// Each seed draws its own group from the pool, whatever earlier seeds drew. So all seeds have
    /// the same expected difference, the mean over the pool, which the test is about. If the pool
    /// took turns, seeds against strong opponents would have another expected difference than the
    /// rest.
    pub fn seatings(self, seed: Seed) -> Vec<Vec<usize>> {
        match self {
            Design::Mirror => rotations(&[NEW, OLD]),
            Design::Field { players } => rotations(&(0..players).collect::<Vec<_>>()),
            Design::Pool { players, pool } => {
                let mut others: Vec<usize> = (2..2 + pool).collect();
                seed.stream(Purpose::Sample, 0).shuffle(&mut others);
                let group = |version: usize| {
                    let others = others.iter().take(players - 1).copied();
                    rotations(&std::iter::once(version).chain(others).collect::<Vec<_>>())
                };
                group(NEW).into_iter().zip(group(OLD)).flat_map(|(new, old)| [new, old]).collect()
            }
        }
    }
}

/// Returns all rotations; the first has the members in their own order.
fn rotations(members: &[usize]) -> Vec<Vec<usize>> {
    let turned = |by: usize| {
        let mut seats = members.to_vec();
        seats.rotate_right(by);
        seats
    };
    (0..members.len()).map(turned).collect()
}

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

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The new version is better.
    Better,
    /// It is not, or not by as much as was hoped for.
    NotBetter,
    /// The most matches that were allowed have not decided it.
    Most,
    /// All seeds gave the same matches, so that more of them would show nothing new.
    Same,
    /// Somebody stopped it.
    Interrupted,
    /// A match could not be played.
    Failed,
}

impl Verdict {
    /// Returns the verdict of a test, if it has decided.
    pub fn of(decision: Decision) -> Option<Verdict> {
        match decision {
            Decision::Continue => None,
            Decision::AcceptH0 => Some(Verdict::NotBetter),
            Decision::AcceptH1 => Some(Verdict::Better),
        }
    }

    /// Returns whether the test decided: only `Better` and `NotBetter` are decisions.
    pub fn is_decided(self) -> bool {
        matches!(self, Verdict::Better | Verdict::NotBetter)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn versions_exchange_seats() {
        assert_eq!(Design::new(2, 0).seatings(Seed(7)), [[NEW, OLD], [OLD, NEW]]);
        let field = Design::new(3, 0);
        assert_eq!(field.seatings(Seed(7)), [[0, 1, 2], [2, 0, 1], [1, 2, 0]]);
        assert_eq!((field.matches_each(), field.copies()), (3, 1));
    }

    #[test]
    fn both_versions_meet_the_same_groups_in_the_same_seats() {
        let design = Design::new(4, 6);
        for seed in 0..50 {
            let seatings = design.seatings(Seed(seed));
            assert_eq!(seatings.len() as u64, design.matches_each());
            for (at, two) in seatings.chunks(2).enumerate() {
                assert_eq!(two[0].iter().position(|&bot| bot == NEW), Some(at));
                let replaced: Vec<usize> =
                    two[0].iter().map(|&bot| if bot == NEW { OLD } else { bot }).collect();
                assert_eq!(replaced, two[1]);
            }
        }
    }

    #[test]
    fn all_groups_of_a_pool_are_drawn_equally_often() {
        let mut counts: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
        for number in 0..6_000 {
            let first = &Design::new(3, 4).seatings(Seed(1).derive(number))[0];
            let mut group = first[1..].to_vec();
            group.sort_unstable();
            *counts.entry(group).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

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
        let seatings = Design::Mirror.seatings(Seed(0));
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
        judge.count(&design.seatings(Seed(0)), &places).unwrap();
        let Report::Paired(report) = judge.report() else { panic!("a test of differences") };
        assert_eq!((report.pairs, report.mean), (1, 0.25));
        assert_eq!(judge.tally(), Tally { wins: 1, ties: 1, losses: 1 });
    }

    #[test]
    fn a_pool_is_played_by_both() {
        let design = Design::Pool { players: 2, pool: 1 };
        let mut judge = Judge::new(design, &args()).unwrap();
        let seatings = design.seatings(Seed(0));
        assert_eq!(seatings, [[0, 2], [1, 2], [2, 0], [2, 1]]);
        // New wins both, old loses and ties.
        let places = [vec![1, 2], vec![2, 1], vec![2, 1], vec![1, 1]];
        judge.count(&seatings, &places).unwrap();
        let Report::Paired(report) = judge.report() else { panic!("a test of differences") };
        assert_eq!(report.mean, 0.75);
    }
}
