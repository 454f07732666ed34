//! Finds out whether the new version of a bot is better than the old one, for `agon compare`.
//!
//! | module | contents |
//! | --- | --- |
//! | `bots` | both versions and their opponents, and their game |
//! | `judge` | what is asked, which matches each seed has, and the statistical test |
//! | `trial` | the matches in planned order: what is next, what counts; all of it without playing |
//! | `simulation` | tests that trials err as rarely as they promise |
//! | `results` | what is kept of matches: the journal, replays, faults |
//! | `job_source` | hands the matches of a trial to a pool, and takes the results |

mod bots;
mod job_source;
mod judge;
mod results;
#[cfg(test)]
mod simulation;
mod trial;

pub use bots::{Bots, game};
pub use job_source::{Comparison, Results, Standing, Watcher};
pub use judge::{
    CompareOptions, Design, Judge, NEW, OLD, Question, Report, Tally, TestOptions, Verdict,
};
pub use results::{
    Arrival, BotFaults, FaultCase, FaultCount, FaultList, Played, Replays, Sameness, SeatFaults,
};
pub use trial::{Counted, Trial};

use std::sync::{Arc, atomic::AtomicBool};

use agon_arena::{BotEntry, End};
use agon_bots::{HostOptions, HostedGame};
use agon_core::{Meta, Seed};
use agon_games::{GameId, any::AnyGame, with_game};
use agon_match::spec::{MatchSettings, MatchSpec, Recording};
use anyhow::{Result, bail};
use serde_json::{Value, json};

use self::results::{Journal, SeedEntry, VERSION, journal_path, open_journal};
use crate::{
    Tell,
    series::{Place, Series, known_content, sandbox_in_journal, time_in_journal},
    series_journal::settle_seed,
};

/// All that does not change while matches are played.
pub struct Setup {
    /// What is asked for.
    pub options: CompareOptions,
    /// The seed from which those of all matches follow.
    pub seed: Seed,
    /// Which matches each seed has.
    pub design: Design,
    judge: Judge,
    /// Both versions and the pool.
    pub bots: Bots,
    /// The matches.
    pub series: Series,
}

/// The files of a comparison.
#[derive(Default)]
pub struct Files {
    /// The journal with the seeds that count already.
    journal: Option<(Journal, Vec<SeedEntry>)>,
    replays: Option<Replays>,
}

impl Setup {
    /// Checks the options.
    ///
    /// # Errors
    /// Names the flag that does not fit.
    pub fn new(
        game: GameId,
        rules: Value,
        settings: MatchSettings,
        bots: Bots,
        options: CompareOptions,
        (machine, place): (&HostOptions, &Place),
    ) -> Result<Setup> {
        let design = design(&game.meta(), &options, bots.others().len())?;
        let seed = settle_seed(options.out.as_deref().map(journal_path).as_deref(), options.seed)?;
        AnyGame::new(game, &rules.to_string(), design.players(), seed)?;
        let judge = Judge::new(design, &options.test)?;
        let recording = Recording { replay: options.replays.is_some(), ..settings.recording };
        let settings = MatchSettings { recording, ..settings };
        let base = MatchSpec::with_rules(game, rules, settings);
        let series = Series::new(base, machine, place, None);
        let bots = bots.in_game(game).for_design(design);
        Ok(Setup { options, seed, design, judge, bots, series })
    }

    /// Returns what the test asks.
    pub fn question(&self) -> Question {
        self.judge.question()
    }

    /// Opens the files. It makes no files before all bots can play: a broken bot must leave no
    /// journal behind, which would not fit the repaired one.
    ///
    /// # Errors
    /// If a bot cannot play, or a folder or file does not fit.
    pub fn open_files(&self) -> Result<Files> {
        let is_new = !self.options.out.as_deref().is_some_and(|out| journal_path(out).exists());
        if is_new {
            self.try_bots()?;
        }
        let open = |out| open_journal(out, &self.header(), self.design);
        let journal = self.options.out.as_deref().map(open).transpose()?;
        let seeds = journal.as_ref().map_or(0, |(_, entries)| entries.len() as u64);
        let replays = self.options.replays.as_deref().map(|folder| match is_new {
            true => Replays::create(folder),
            false => Replays::resume(folder, seeds, self.design.matches_each()),
        });
        Ok(Files { journal, replays: replays.transpose()? })
    }

    fn try_bots(&self) -> Result<()> {
        self.series.try_open(self.bots.all().iter().map(<Arc<BotEntry>>::as_ref))
    }

    /// Returns all that results depend on, for the first line of the journal.
    fn header(&self) -> Value {
        let base = &self.series.base;
        let settings = &base.settings;
        let bot = |number: usize| {
            json!([self.bots.info(number).spec, known_content(base.game, &self.bots.all()[number])])
        };
        let bots: Vec<Value> = (0..self.bots.all().len()).map(bot).collect();
        let mut header = json!({
            "compare": VERSION, "game": base.game, "rules": base.rules_version,
            "settings": base.rules, "seed": self.seed,
            "design": self.design,
            "new": bots[NEW], "old": bots[OLD], "against": bots[OLD + 1..],
            "time": time_in_journal(settings),
            "sandbox": sandbox_in_journal(settings),
            "wasm": [json!(settings.sandbox.wasm), json!(settings.sandbox.wasm_memory)],
            "share_jvm": settings.sandbox.share_jvm,
        });
        // Each flag of the test has its own key, so that a message can name the one that differs.
        let question = json!(self.judge.question());
        for (key, value) in question.as_object().into_iter().flatten() {
            header[key] = value.clone();
        }
        header
    }

    /// Makes the comparison before its first match, or after the seeds in the files.
    ///
    /// # Errors
    /// If these seeds are not of such matches, or cannot be shown.
    pub fn begin<'a>(
        &'a self,
        files: Files,
        watcher: &'a mut dyn Watcher,
        tell: Tell<'_>,
    ) -> Result<Comparison<'a>> {
        let Setup { options, seed, design, judge, bots, series, .. } = self;
        let trial: Trial<Arrival> = Trial::new(*design, judge.clone(), *seed, options.test.max);
        let mut comparison = Comparison::new(trial, bots, &series.base, watcher);
        if let Some((journal, entries)) = files.journal {
            comparison.resume(journal, entries, tell)?;
        }
        comparison.results.replays = files.replays;
        Ok(comparison)
    }

    /// Plays until it is decided, or `stop` is set.
    ///
    /// # Errors
    /// If a match cannot be played or kept.
    pub fn play(&self, comparison: &mut Comparison<'_>, stop: Arc<AtomicBool>) -> Result<End> {
        if comparison.is_over() {
            return Ok(End::Done);
        }
        if comparison.results.trial.seeds() > 0 {
            self.try_bots()?;
        }
        let end = self.series.run(comparison, stop)?;
        comparison.close()?;
        Ok(end)
    }

    /// Returns whether species in Clojure share a JVM, in which they can reach each other.
    pub fn shares_jvm(&self) -> bool {
        let base = &self.series.base;
        let has_species = with_game!(base.game, G => G::CLOJURE.is_some());
        base.settings.sandbox.share_jvm && has_species
    }
}

/// Chooses the design that the options ask for.
fn design(game: &Meta, options: &CompareOptions, pool: usize) -> Result<Design> {
    let Meta { id, min_players, max_players, .. } = *game;
    let players = options.players.unwrap_or(min_players.max(2));
    let allowed = min_players.max(2)..=max_players;
    if !allowed.contains(&players) {
        let (least, most) = (allowed.start(), allowed.end());
        bail!("--players {players}: {id} is played by {least} to {most} players");
    }
    if pool > 0 && pool < players - 1 {
        let others = players - 1;
        bail!(
            "--players {players} needs {others} others in each match, but --against names {pool}; \
             name more, or give --players {}",
            pool + 1
        );
    }
    let design = Design::new(players, pool);
    let each = design.matches_each();
    if let Some(max) = options.test.max.filter(|max| *max < each) {
        bail!("--max {max}: each seed has {each} matches, so give {each} or more");
    }
    Ok(design)
}
