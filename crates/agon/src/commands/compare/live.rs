//! The progress of a comparison, in a line on a terminal.

use std::time::{Duration, Instant};

use agon_contest::compare::{Report, Standing, Tally};
use indicatif::{HumanDuration, ProgressBar};

use super::words::{number, signed, signed_to};
use crate::output::{bar_style, keep_drawn, shown_on_stderr, tell_above};

/// How often it is written where nobody sees it: into the log of a server.
const LINES: Duration = Duration::from_secs(60);

/// Cells of the bar.
const CELLS: usize = 8;

/// So many seeds say something of how many more it takes.
const ENOUGH: f64 = 20.0;

/// The line, on stderr; now and then a new one if that is no terminal.
#[derive(Debug)]
pub(super) struct Live {
    bar: ProgressBar,
    begun: Instant,
    /// When the last line was written.
    line: Instant,
}

impl Live {
    pub(super) fn new() -> Live {
        let bar = ProgressBar::new_spinner().with_style(bar_style("{spinner} {wide_msg}"));
        keep_drawn(&bar, Duration::ZERO);
        tell_above(&bar);
        Live { bar, begun: Instant::now(), line: Instant::now() }
    }

    /// Shows how the comparison stands.
    pub(super) fn show(&mut self, standing: &Standing) {
        if !self.bar.is_hidden() {
            let line = line(standing, self.begun.elapsed());
            self.bar.set_message(shown_on_stderr(&line));
        } else if self.line.elapsed() >= LINES {
            self.line = Instant::now();
            say!("{}", line(standing, self.begun.elapsed()));
        }
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A comparison in a line, after this time.
fn line(standing: &Standing, time: Duration) -> String {
    let Tally { wins, ties, losses } = standing.tally;
    let result = match standing.report {
        Report::Duel { report, .. } => {
            let elo = report.estimate.map_or_else(String::new, |estimate| {
                let [elo, low, high] =
                    [estimate.elo, estimate.elo_low, estimate.elo_high].map(signed);
                format!("Elo {elo} ({low} to {high})")
            });
            let lower = number(report.lower, 2);
            let upper = number(report.upper, 2);
            let bar = bar((report.llr - report.lower) / (report.upper - report.lower));
            let llr = number(report.llr, 2);
            format!("pairs, +{wins} ={ties} −{losses}  LLR {llr} ({lower} {bar} {upper})  {elo}")
        }
        Report::Paired(report) => {
            let mean = format!("score {}", signed_to(report.mean, 3));
            let [new, old] = [report.evidence_against_h0, report.evidence_against_h1];
            format!("seeds, +{wins} ={ties} −{losses}  {mean}  for {new:.1}, against {old:.1}")
        }
    };
    let rate = standing.matches as f64 / time.as_secs_f64().max(1e-3);
    let left = seeds_left(standing).map(|seeds| seeds * standing.each as f64 / rate);
    let left = left.filter(|seconds| *seconds < 1e6 && *seconds >= 1.0);
    let left = left.map_or_else(String::new, |seconds| {
        format!(", about {:#} left", HumanDuration(Duration::from_secs_f64(seconds)))
    });
    format!("{} {result}  {rate:.0}/s{left}", standing.seeds)
}

/// How many seeds more it takes if the test goes on as it went, but not more than there may be.
/// `None` if that cannot be said.
fn seeds_left(standing: &Standing) -> Option<f64> {
    let seeds = standing.seeds as f64;
    let test = match standing.report {
        _ if seeds < ENOUGH => None,
        Report::Duel { report, .. } => {
            let bound = if report.llr > 0.0 { report.upper } else { report.lower };
            // As long as it wavers around 0 it says nothing.
            (report.llr / bound > 0.2).then(|| seeds * (bound / report.llr - 1.0))
        }
        Report::Paired(_) => None,
    };
    let most = standing.most.map(|most| most as f64 - seeds);
    test.into_iter().chain(most).reduce(f64::min).map(|left| left.max(0.0))
}

/// A bar that is full to this part.
fn bar(part: f64) -> String {
    let full = (part.clamp(0.0, 1.0) * CELLS as f64).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(CELLS - full))
}

#[cfg(test)]
mod tests {
    use agon_rating::{DuelTest, EloModel, PairedTest, Pentanomial};

    use super::*;

    fn standing(counts: [u64; 5], most: Option<u64>) -> Standing {
        let pairs = Pentanomial(counts);
        let mut run = DuelTest::new(0.0, 20.0, 0.05, 0.05, EloModel::Logistic).unwrap().run();
        // By turns: the test looks at the order.
        for turn in 0..counts.into_iter().max().unwrap() {
            let points = (0..5).filter(|&points| counts[points] > turn);
            points.for_each(|points| run.push(points).unwrap());
        }
        let seeds = counts.iter().sum();
        let tally = Tally { wins: 30, ties: 4, losses: 26 };
        let report = Report::Duel { pairs, report: run.report() };
        Standing { report, tally, seeds, most, matches: 2 * seeds, each: 2 }
    }

    #[test]
    fn the_line_says_how_it_stands() {
        let shown = line(&standing([5, 4, 10, 4, 7], None), Duration::from_secs(6));
        assert!(shown.starts_with("30 pairs, +30 =4 −26  LLR "), "{shown}");
        assert!(shown.contains(" (−3.00 ████░░░░ 3.00)  Elo +"), "{shown}");
        assert!(shown.ends_with("10/s"), "{shown}");
        let shown = line(&standing([5, 4, 10, 4, 7], Some(180)), Duration::from_secs(6));
        assert!(shown.ends_with("10/s, about 30s left"), "{shown}");
        let shown = line(&standing([14, 30, 62, 40, 20], None), Duration::from_secs(40));
        assert!(shown.contains("left"), "{shown}");
    }

    #[test]
    fn differences_have_a_line_of_their_own() {
        let report =
            PairedTest::new(0.0, 0.05, 0.05, 0.05).unwrap().decide(&[0.5, 0.0, 0.25]).unwrap();
        let paired = Standing { report: Report::Paired(report), ..standing([1, 0, 2, 0, 0], None) };
        let shown = line(&paired, Duration::from_secs(1));
        assert!(shown.starts_with("3 seeds, +30 =4 −26  score +0.250  for "), "{shown}");
    }
}
