//! The report at the end.

use std::io::Write;

use agon_arena::End;
use agon_contest::events::{EloDifference, Event, TunedBot, TunedParam, TuningVerdict};
use agon_contest::tune::{Duels, Field, Template};
use agon_core::Seed;
use agon_rating::tune::{Param, Tuner, Verdict};
use anyhow::Result;

use super::comparison::comparison;
use crate::{
    cli::TuneArgs,
    output::{BAD, BOLD, DIM, GOOD, grouped, print_event, print_table, shell_word, table},
};

/// A tuning that is over, or was interrupted.
pub(super) struct Report<'a> {
    pub(super) game: &'static str,
    pub(super) seed: Seed,
    pub(super) args: &'a TuneArgs,
    pub(super) template: &'a Template,
    pub(super) field: &'a Field,
    pub(super) start: &'a [i64],
    pub(super) duels: &'a Duels<'a>,
}

impl Report<'_> {
    fn tuner(&self) -> &Tuner {
        &self.duels.tuner
    }

    /// Prints it, as JSON Lines or for people.
    pub(super) fn print(&self, end: End, out: &mut impl Write) -> Result<()> {
        if self.args.json {
            print_event(Event::Tuning(self.event(end)), out)?;
        } else {
            self.print_words(end, out)?;
        }
        if end == End::Interrupted {
            say!("not finished; continue with: {}", self.same_command());
        }
        Ok(())
    }

    fn event(&self, end: End) -> TunedBot<'_> {
        TunedBot {
            game: self.game,
            seed: self.seed,
            bot: self.template.text(&self.tuner().best()),
            params: self.params(),
            matches: self.duels.counts.matches,
            faulty_matches: self.duels.counts.faulty,
            tuned_with: self.tuner().done() * self.field.matches(),
            interrupted: end == End::Interrupted,
            verdict: self.duels.verdict().map(|verdict| self.verdict(&verdict)),
        }
    }

    fn params<'a>(&'a self) -> Vec<TunedParam<'a>> {
        let best = self.tuner().best();
        let means = self.tuner().last_means();
        let param = |(number, param): (usize, &'a Param)| TunedParam {
            name: &param.name,
            range: param.to_string(),
            start: param.text(self.start[number]),
            best: param.text(best[number]),
            mean: param.mean_text(means[number]),
            deviation: (),
        };
        self.tuner().params().iter().enumerate().map(param).collect()
    }

    /// Elo points only where the versions met: against others they are not on one scale.
    fn verdict(&self, verdict: &Verdict) -> TuningVerdict {
        let [mean, low, high] = verdict.elo();
        TuningVerdict {
            duels: verdict.duels,
            matches: verdict.duels as u64 * self.field.matches(),
            difference: verdict.mean,
            low: verdict.low,
            high: verdict.high,
            elo: self.field.others.is_empty().then_some(EloDifference { mean, low, high }),
        }
    }

    fn print_words(&self, end: End, out: &mut impl Write) -> Result<()> {
        let matches = grouped((self.tuner().done() * self.field.matches()) as i64);
        writeln!(
            out,
            "{BOLD}{}{BOLD:#} · {} · tuned with {matches} matches · seed {}\n",
            self.game, self.args.bot, self.seed
        )?;
        self.print_params(out)?;
        writeln!(
            out,
            "\n{DIM}How well the best values are known shows only in runs with other seeds \
             (--seed, --out).{DIM:#}"
        )?;
        let best = self.template.text(&self.tuner().best());
        writeln!(out, "\n{BOLD}{best}{BOLD:#}\n")?;
        if end != End::Interrupted {
            self.print_verdict(out)?;
        }
        self.print_edges(out)?;
        let counts = self.duels.counts;
        if counts.faulty > 0 {
            let faulty = grouped(counts.faulty as i64);
            let all = grouped(counts.matches as i64);
            writeln!(
                out,
                "{BAD}faults{BAD:#}: the bot made mistakes in {faulty} of {all} matches; `agon \
                 check {}` examines it",
                self.game
            )?;
        }
        let folder = self.args.out.display();
        writeln!(out, "{DIM}chart: {folder}/tune.svg · results: {folder}/tune.jsonl{DIM:#}")?;
        Ok(())
    }

    /// A row for each parameter: where it was in the course of the tuning.
    fn print_params(&self, out: &mut impl Write) -> Result<()> {
        let mut rows = table();
        let header = ["", "start", "25 %", "50 %", "75 %", "end", "last quarter", "best", "range"];
        rows.set_header(header.map(|name| format!("{DIM}{name}{DIM:#}")));
        let course = self.tuner().course();
        let last = self.tuner().last_means();
        for (number, param) in self.tuner().params().iter().enumerate() {
            let at = |part: usize| param.mean_text(course[(course.len() - 1) * part / 4][number]);
            let best = param.text(self.tuner().best()[number]);
            let range = param.to_string();
            let range = range.split_once('=').map_or(range.as_str(), |(_, range)| range);
            let mean = param.mean_text(last[number]);
            let cells = [
                format!("{BOLD}{}{BOLD:#}", param.name),
                with_minus(&param.text(self.start[number])),
                with_minus(&at(1)),
                with_minus(&at(2)),
                with_minus(&at(3)),
                with_minus(&at(4)),
                format!("{DIM}{}{DIM:#}", with_minus(&mean)),
                format!("{BOLD}{}{BOLD:#}", with_minus(&best)),
                format!("{DIM}{}{DIM:#}", with_minus(range)),
            ];
            rows.add_row(cells);
        }
        for column in rows.column_iter_mut().skip(1) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
        Ok(print_table(&rows, out)?)
    }

    /// Which parameters may want a wider range.
    fn print_edges(&self, out: &mut impl Write) -> Result<()> {
        for (param, best) in self.tuner().params().iter().zip(self.tuner().best()) {
            if best == 0 || best == param.steps() {
                let name = &param.name;
                let value = param.text(best);
                writeln!(
                    out,
                    "{name}={value} is an end of its range; if the bot allows it, try a wider one."
                )?;
            }
        }
        Ok(())
    }

    fn print_verdict(&self, out: &mut impl Write) -> Result<()> {
        if self.tuner().best() == self.start {
            return Ok(writeln!(out, "The values found are the starting ones.")?);
        }
        let Some(verdict) = self.duels.verdict() else {
            return Ok(writeln!(
                out,
                "The values found did not play the starting ones (--verify 0): they may be worse."
            )?);
        };
        let matches = grouped((verdict.duels as u64 * self.field.matches()) as i64);
        let what = match (verdict.low > 0.0, verdict.high < 0.0) {
            (true, _) => format!("{GOOD}better{GOOD:#} than the starting ones"),
            (_, true) => format!("{BAD}worse{BAD:#} than the starting ones: keep those"),
            _ => "not shown to be better or worse than the starting ones".to_owned(),
        };
        let how = if self.field.others.is_empty() {
            let [mean, low, high] = verdict.elo().map(elo_text);
            let score = |difference: f64| format!("{:.0}", 50.0 + 50.0 * difference);
            let of = score(verdict.mean);
            let from = score(verdict.low);
            let to = score(verdict.high);
            format!("{mean} Elo ({low} to {high}), {of} % of the points ({from} to {to} %)")
        } else {
            let text = |points: f64| with_minus(&format!("{points:+.3}"));
            let [mean, low, high] = [verdict.mean, verdict.low, verdict.high].map(text);
            format!("{mean} points a match ({low} to {high}) against the same opponents")
        };
        writeln!(out, "The values found are {what}.")?;
        writeln!(out, "Measured in {matches} new matches, with 95 % intervals: {how}.")?;
        if verdict.high >= 0.0 {
            writeln!(out, "{DIM}to find out more: {}{DIM:#}", self.comparison())?;
        }
        Ok(())
    }

    /// The command that compares the values found with the starting ones.
    fn comparison(&self) -> String {
        let bots =
            [self.tuner().best(), self.start.to_vec()].map(|values| self.template.text(&values));
        comparison(self.game, bots, std::env::args_os())
    }

    /// What was typed, as the shell takes it.
    fn same_command(&self) -> String {
        let words: Vec<String> = std::env::args_os().skip(1).map(shell_word).collect();
        format!("agon {}", words.join(" "))
    }
}

/// A number with a real minus, as people read it; what they type has a hyphen.
fn with_minus(number: &str) -> String {
    number.replace('-', "−")
}

/// Elo points with their sign; infinite where every point was won or lost.
fn elo_text(elo: f64) -> String {
    let sign = if elo < 0.0 { "−" } else { "+" };
    if elo.is_infinite() { format!("{sign}∞") } else { format!("{sign}{:.0}", elo.abs()) }
}
