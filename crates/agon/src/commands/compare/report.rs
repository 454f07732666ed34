//! The result of a comparison, for people and as JSON.

use std::{io::Write, path::Path};

use agon_contest::compare::{
    BotFaults, Design, FaultCount, FaultList, NEW, OLD, Replays, Report, Results, Setup, Tally,
    TestOptions, Verdict,
};
use agon_rating::{DuelEstimate, DuelReport, EloModel, PairedReport, Pentanomial};
use anyhow::Result;
use comfy_table::CellAlignment;

use crate::output::{
    BAD, BOLD, DIM, GOOD, grouped, listed, plural, print_evidence, print_table, table,
};

/// All that is known at the end.
pub(super) struct Findings<'a> {
    pub(super) setup: &'a Setup,
    pub(super) results: &'a Results,
    pub(super) verdict: Verdict,
    pub(super) report: Report,
    question: Question,
}

/// What was asked, with all defaults filled in.
#[derive(Clone, Copy, Debug)]
struct Question {
    lower: f64,
    upper: f64,
    model: EloModel,
    alpha: f64,
    beta: f64,
}

impl Question {
    fn new(design: Design, options: &TestOptions) -> Question {
        let (lower, upper) = options.bounds(design);
        let TestOptions { alpha, beta, .. } = *options;
        Question { lower, upper, model: options.model(), alpha, beta }
    }

    /// An amount of improvement: `20 Elo`.
    fn amount(&self, design: Design, value: f64) -> String {
        let unit = match (design, self.model) {
            (Design::Mirror, EloModel::Logistic) => "Elo",
            (Design::Mirror, EloModel::Normalized) => "normalised Elo",
            (Design::Field { .. } | Design::Pool { .. }, _) => "of the score",
        };
        format!("{} {unit}", plain(value.abs()))
    }
}

impl<'a> Findings<'a> {
    /// What a comparison found.
    pub(super) fn new(setup: &'a Setup, results: &'a Results, verdict: Verdict) -> Findings<'a> {
        let question = Question::new(setup.design, &setup.options.test);
        Findings { setup, results, verdict, report: results.trial.judge.report(), question }
    }

    /// The folder of the replays.
    pub(super) fn replays(&self) -> Option<&Path> {
        self.results.replays.as_ref().map(Replays::folder)
    }

    /// The verdict in one sentence.
    pub(super) fn sentence(&self) -> String {
        let [new, old] = [NEW, OLD].map(|bot| &self.setup.bots.info(bot).name);
        let evidence = self.evidence();
        let Question { lower, upper, alpha, beta, .. } = self.question;
        let amount = |value| self.question.amount(self.setup.design, value);
        let place = match self.setup.design {
            Design::Mirror => String::new(),
            Design::Field { .. } => format!(" among copies of {old}"),
            Design::Pool { .. } => " against this pool".to_owned(),
        };
        // Bets never err more often; the likelihood ratio of normalised Elo is an approximation.
        let limit = if self.question.model == EloModel::Normalized { "about" } else { "at most" };
        let sure = |error| format!("{evidence}, error probability {limit} {}", percent(error));
        match self.verdict {
            Verdict::Better if lower == 0.0 => {
                format!("{new} is better than {old}{place}: {}", sure(alpha))
            }
            Verdict::Better if lower > 0.0 => {
                format!("{new} is more than {} better than {old}: {}", amount(lower), sure(alpha))
            }
            Verdict::Better => {
                format!(
                    "{new} is less than {} worse than {old}, or better: {}",
                    amount(lower),
                    sure(alpha)
                )
            }
            Verdict::NotBetter if upper > 0.0 => {
                format!(
                    "{new} is not better than {old} by {} or more{place}: {}",
                    amount(upper),
                    sure(beta)
                )
            }
            Verdict::NotBetter => {
                format!("{new} is worse than {old}, by more than {}: {}", amount(upper), sure(beta))
            }
            Verdict::Most => format!("not decided: {evidence}; --max allows no more matches"),
            Verdict::Interrupted => format!("not decided: {evidence} when it was interrupted"),
            Verdict::Failed => {
                format!("not decided: {evidence} before a match could not be played")
            }
            Verdict::Same => format!(
                "not decided: {} were played, move for move, with each of {}, and more of them \
                 would say nothing more",
                match self.setup.design {
                    Design::Mirror => "the same two matches".to_owned(),
                    design => format!("the same {}", plural(design.matches_each(), "match")),
                },
                plural(self.results.trial.seeds, "seed")
            ),
        }
    }

    /// How much was seen: `312 pairs, Elo +34 (+18 to +51)`.
    fn evidence(&self) -> String {
        match self.report {
            _ if self.results.trial.seeds == 0 => "no match was played to its end".to_owned(),
            Report::Duel { report, .. } => {
                let pairs = plural(self.results.trial.seeds, "pair");
                report.estimate.map_or(
                    pairs.clone(),
                    |DuelEstimate { elo, elo_low, elo_high, .. }| {
                        let [elo, low, high] = [elo, elo_low, elo_high].map(signed);
                        format!("{pairs}, Elo {elo} ({low} to {high})")
                    },
                )
            }
            Report::Paired(PairedReport { estimate, .. }) => {
                let (low, high) = self.results.trial.judge.interval().unwrap_or((-1.0, 1.0));
                let [estimate, low, high] = [estimate, low, high].map(|value| signed_to(value, 3));
                let each = plural(self.setup.design.matches_each(), "match");
                let seeds = plural(self.results.trial.seeds, "seed");
                format!("{seeds} of {each}, score {estimate} ({low} to {high})")
            }
        }
    }

    /// Prints the verdict and what it rests on.
    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let style = match self.verdict {
            Verdict::Better => GOOD,
            _ => BOLD,
        };
        writeln!(out, "{style}{}{style:#}\n", self.sentence())?;
        let count = plural(self.results.trial.seeds * self.setup.design.matches_each(), "match");
        writeln!(
            out,
            "{} · {count} · seed {}\n",
            self.setup.series.base.game.meta().id,
            self.setup.seed
        )?;
        match self.report {
            Report::Duel { pairs, report } => self.print_duel(pairs, &report, out)?,
            Report::Paired(report) => self.print_paired(&report, out)?,
        }
        let Tally { wins, ties, losses } = self.results.trial.judge.tally();
        let new = &self.setup.bots.info(NEW).name;
        writeln!(
            out,
            "matches of {new}: {wins} won, {ties} tied for the first place, {losses} lost"
        )?;
        if self.results.void > 0 {
            writeln!(
                out,
                "{} played again, because the machine stood still",
                plural(self.results.void, "match")
            )?;
        }
        if self.setup.shares_jvm() {
            writeln!(out, "species in Clojure shared a JVM, in which they can reach each other")?;
        }
        print_faults(&self.results.faults, out)?;
        if let Some(text) = self.warning() {
            writeln!(out, "\n{BAD}warning:{BAD:#} {text}")?;
        }
        if let Some(folder) = self.replays() {
            writeln!(out, "\n{DIM}replays: {}{DIM:#}", folder.display())?;
        }
        if let Some(folder) = &self.setup.options.out {
            writeln!(out, "\n{DIM}results: {}{DIM:#}", folder.display())?;
        }
        Ok(())
    }

    fn print_duel(
        &self,
        pairs: Pentanomial,
        report: &DuelReport,
        out: &mut impl Write,
    ) -> Result<()> {
        self.print_evidence([report.evidence_against_h0, report.evidence_against_h1], out)?;
        if self.question.model == EloModel::Normalized {
            self.print_ratio(report, out)?;
        }
        if let Some(DuelEstimate {
            normalized: Some(middle),
            normalized_low: Some(low),
            normalized_high: Some(high),
            ..
        }) = report.estimate
        {
            let [middle, low, high] = [middle, low, high].map(signed);
            writeln!(out, "normalised Elo about {middle} ({low} to {high})")?;
        }
        self.print_confidence("Elo", out)?;
        let mut rows = table();
        rows.set_header(["points of a pair", "0", "½", "1", "1½", "2"]);
        let counts = pairs.0.iter().map(u64::to_string);
        rows.add_row(std::iter::once("pairs".to_owned()).chain(counts));
        rows.column_iter_mut()
            .skip(1)
            .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        writeln!(out)?;
        print_table(&rows, out)?;
        Ok(writeln!(out)?)
    }

    fn print_paired(&self, report: &PairedReport, out: &mut impl Write) -> Result<()> {
        let PairedReport { evidence_against_h0, evidence_against_h1, .. } = *report;
        self.print_evidence([Some(evidence_against_h0), Some(evidence_against_h1)], out)?;
        self.print_confidence("the score", out)?;
        Ok(writeln!(out)?)
    }

    /// Prints how far the bets of the test are.
    fn print_evidence(&self, evidence: [Option<f64>; 2], out: &mut impl Write) -> Result<()> {
        let [Some(new), Some(old)] = evidence.map(|value| value.map(|value| number(value, 1)))
        else {
            return Ok(());
        };
        let Question { lower, upper, alpha, beta, .. } = self.question;
        let [most_new, most_old] = [alpha, beta].map(|error| number(1.0 / error, 1));
        let amount = |value| self.signed_amount(value);
        let more = if lower == 0.0 {
            "an improvement".to_owned()
        } else {
            format!("more than {}", amount(lower))
        };
        writeln!(out, "evidence of {more}: {new}, enough at {most_new}")?;
        Ok(writeln!(out, "evidence of less than {}: {old}, enough at {most_old}", amount(upper))?)
    }

    /// Prints how far the likelihood ratio is.
    fn print_ratio(&self, report: &DuelReport, out: &mut impl Write) -> Result<()> {
        let Question { lower, upper, .. } = self.question;
        let amount = |value| self.signed_amount(value);
        let [low, high] = [report.lower, report.upper].map(|bound| number(bound, 2));
        let llr = number(report.llr, 2);
        Ok(writeln!(out, "LLR {llr}: {} at {low}, {} at {high}", amount(lower), amount(upper))?)
    }

    /// An amount of improvement, or of the opposite: `−5 Elo`.
    fn signed_amount(&self, value: f64) -> String {
        let minus = if value < 0.0 { "−" } else { "" };
        format!("{minus}{}", self.question.amount(self.setup.design, value))
    }

    fn print_confidence(&self, what: &str, out: &mut impl Write) -> Result<()> {
        let sure = percent(1.0 - self.question.alpha - self.question.beta);
        Ok(writeln!(out, "the interval of {what} holds with {sure}, whenever it stops")?)
    }

    /// What makes the result say less than it seems to.
    pub(super) fn warning(&self) -> Option<String> {
        let different = self.results.sameness.different();
        if self.verdict == Verdict::Same {
            let way = "change the settings, or let both play against others with --against";
            return Some(format!(
                "neither the rules nor the bots draw anything from the seed here; {way}"
            ));
        }
        self.results.sameness.is_frequent().then(|| {
            format!(
                "only {different} of {} seeds led to different matches, so that the result rests \
                 on less than it seems to; other settings may leave more to chance",
                self.results.trial.seeds
            )
        })
    }
}

/// Prints who did what how often, and the first fault of each.
pub(super) fn print_faults(faults: &FaultList, out: &mut impl Write) -> Result<()> {
    let faulty: Vec<&BotFaults> = faults.faulty().collect();
    if faulty.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BAD}faults{BAD:#}")?;
    for bot in faulty {
        let of = plural(bot.matches, "match");
        let kind = |&FaultCount { kind, matches, .. }: &FaultCount| {
            format!("{} in {} of {of}", kind.words(), grouped(matches))
        };
        let kinds: Vec<String> = bot.kinds.iter().map(kind).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        writeln!(out, "  {BOLD}{}{BOLD:#} {}", bot.name, listed(&kinds))?;
        if let Some(case) = &bot.first {
            let seats: Vec<&str> = case.seats.iter().map(String::as_str).collect();
            let seats = listed(&seats);
            writeln!(out, "    {DIM}first:{DIM:#} seed {}, seats {seats}", case.seed)?;
            print_evidence(&case.fault, out)?;
        }
    }
    writeln!(
        out,
        "  {DIM}whoever fails looks weaker than he plays; `agon check` examines a bot{DIM:#}"
    )?;
    Ok(())
}

/// A whole number with its sign: `+34`, `−7`, `0`.
pub(super) fn signed(value: f64) -> String {
    signed_to(value, 0)
}

/// A number with its sign and so many decimals: `+0.12`.
pub(super) fn signed_to(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    match text.parse() {
        Ok(0.0) => text,
        _ if value < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// A number with a minus that is as wide as a plus.
pub(super) fn number(value: f64, decimals: usize) -> String {
    signed_to(value, decimals).replace('+', "")
}

/// A number as it was typed: `20`, `−2.5`.
pub(super) fn plain(value: f64) -> String {
    value.to_string().replace('-', "−")
}

/// A probability: `5 %`, `0.1 %`.
pub(super) fn percent(probability: f64) -> String {
    // Twelve digits, so that 0.07 is 7 and not 7.000000000000001.
    let percent = (probability * 1e14).round() / 1e12;
    format!("{percent} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_signs() {
        assert_eq!([34.4, -6.6, 0.3, -0.3].map(signed), ["+34", "−7", "0", "0"]);
        assert_eq!(signed_to(0.1234, 2), "+0.12");
        assert_eq!(number(-2.944, 2), "−2.94");
        assert_eq!([20.0, -2.5].map(plain), ["20", "−2.5"]);
        assert_eq!([0.05, 0.07, 0.001].map(percent), ["5 %", "7 %", "0.1 %"]);
    }
}
