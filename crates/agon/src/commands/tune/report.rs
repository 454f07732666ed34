//! The report at the end.

use std::{ffi::OsString, io::Write};

use agon_arena::End;
use agon_contest::events::{EloDifference, Event, TunedBot, TunedParam, TuningVerdict};
use agon_contest::tune::{Duels, Field, Template};
use agon_core::Seed;
use agon_rating::tune::Tuner;
use anyhow::Result;
use clap::{ArgMatches, CommandFactory, parser::ValueSource};

use crate::cli::{Cli, TuneArgs};
use crate::output::{
    BAD, BOLD, DIM, GOOD, grouped, print_event, print_table, shell_word, table_of,
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
        let best = self.tuner().best();
        let means = self.tuner().last_means();
        let params = self.tuner().params.iter().enumerate().map(|(number, param)| TunedParam {
            name: &param.name,
            range: param.to_string(),
            start: param.text(self.start[number]),
            best: param.text(best[number]),
            mean: param.mean_text(means[number]),
            deviation: (),
        });
        let verdict = self.duels.verdict().map(|verdict| {
            let [mean, low, high] = verdict.elo();
            TuningVerdict {
                duels: verdict.duels,
                matches: verdict.duels as u64 * self.field.matches(),
                difference: verdict.mean,
                low: verdict.low,
                high: verdict.high,
                // Against others the versions are not on one scale.
                elo: self.field.others.is_empty().then_some(EloDifference { mean, low, high }),
            }
        });
        TunedBot {
            game: self.game,
            seed: self.seed,
            bot: self.template.text(&best),
            params: params.collect(),
            matches: self.duels.counts.matches,
            faulty_matches: self.duels.counts.faulty,
            tuned_with: self.tuner().done() * self.field.matches(),
            interrupted: end == End::Interrupted,
            verdict,
        }
    }

    fn print_words(&self, end: End, out: &mut impl Write) -> Result<()> {
        let matches = grouped(self.tuner().done() * self.field.matches());
        writeln!(
            out,
            "{BOLD}{}{BOLD:#} · {} · tuned with {matches} matches · seed {}\n",
            self.game, self.args.options.bot, self.seed
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
            let faulty = grouped(counts.faulty);
            let all = grouped(counts.matches);
            writeln!(
                out,
                "{BAD}faults{BAD:#}: the bot made mistakes in {faulty} of {all} matches; `agon \
                 check {}` examines it",
                self.game
            )?;
        }
        let folder = self.args.options.out.display();
        writeln!(out, "{DIM}chart: {folder}/tune.svg · results: {folder}/tune.jsonl{DIM:#}")?;
        Ok(())
    }

    /// A row for each parameter: where it was in the course of the tuning.
    fn print_params(&self, out: &mut impl Write) -> Result<()> {
        let header = ["", "start", "25 %", "50 %", "75 %", "end", "last quarter", "best", "range"];
        let mut rows = table_of(header, 1..header.len());
        let course = &self.tuner().course;
        let last = self.tuner().last_means();
        for (number, param) in self.tuner().params.iter().enumerate() {
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
        Ok(print_table(&rows, out)?)
    }

    /// Which parameters may want a wider range.
    fn print_edges(&self, out: &mut impl Write) -> Result<()> {
        for (param, best) in self.tuner().params.iter().zip(self.tuner().best()) {
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
        let matches = grouped(verdict.duels as u64 * self.field.matches());
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

/// Flags of both commands that a comparison has of its own.
const OWN: [&str; 5] = ["game", "jobs", "json", "out", "seed"];

/// The command that compares `bots` as the tuning did whose command was `typed`: in the same game,
/// with the same settings, opponents, limits and sandbox.
pub(super) fn comparison(
    game: &str,
    bots: [String; 2],
    typed: impl IntoIterator<Item = OsString>,
) -> String {
    let mut words: Vec<OsString> = ["agon", "compare", "--game", game].map(OsString::from).to_vec();
    words.extend(bots.map(OsString::from));
    if let Ok(matches) = Cli::command().try_get_matches_from(typed)
        && let Some(("tune", tune)) = matches.subcommand()
    {
        words.extend(shared_flags(tune));
    }
    words.iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

/// The flags that were given and that `agon compare` has, too.
fn shared_flags(tune: &ArgMatches) -> Vec<OsString> {
    let cli = Cli::command();
    let compare = cli.find_subcommand("compare").expect("there is such a command");
    let mut words = Vec::new();
    for arg in compare.get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = || {
            tune.try_contains_id(id).is_ok()
                && tune.value_source(id) == Some(ValueSource::CommandLine)
        };
        let Some(long) = arg.get_long().filter(|_| !OWN.contains(&id) && is_given()) else {
            continue;
        };
        let flag = OsString::from(format!("--{long}"));
        if !arg.get_action().takes_values() {
            words.push(flag);
            continue;
        }
        for occurrence in tune.get_raw_occurrences(id).into_iter().flatten() {
            words.push(flag.clone());
            words.extend(occurrence.map(OsString::from));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_about_the_same_matches() {
        let typed = "agon tune --game rezzo builtin:x --param a=1..2 --seed 4 --matches 20 --set \
                     a=1 --set b=2 --against one two --players 3 --time 50 --sandbox strict \
                     --allow-read x --no-clock -j 2";
        let bots = || ["new?a=1".to_owned(), "old".to_owned()];
        let asked = comparison("rezzo", bots(), typed.split_whitespace().map(OsString::from));
        assert_eq!(
            asked,
            "agon compare --game rezzo 'new?a=1' old --against one two --players 3 --set a=1 --set \
             b=2 --no-clock --time 50 --sandbox strict --allow-read x"
        );
        // It can be typed.
        Cli::command()
            .try_get_matches_from(asked.replace('\'', "").split_whitespace())
            .expect("it is a command");
        let plain = comparison("rezzo", bots(), ["agon", "tune"].map(OsString::from));
        assert_eq!(plain, "agon compare --game rezzo 'new?a=1' old");
    }
}
