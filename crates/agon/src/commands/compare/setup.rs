//! Preparations for a comparison before its first match.

use std::{io::Write, sync::Arc};

use agon_arena::{BotEntry, End};
use agon_bots::HostedGame;
use agon_games::{GameId, settings::to_map};
use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{
    bots::Bots,
    design::{Design, NEW, OLD},
    job_source::{Comparison, Results},
    journal::{self, Entry, Journal},
    judge::Judge,
    played::Arrival,
    replays::Replays,
    report::{Findings, Question},
    trial::Trial,
    verdict::Verdict,
};
use crate::{
    cli::CompareArgs,
    interrupts::interrupted_between_matches,
    series::{Series, known_content},
    settings,
};

/// All that does not change while matches are played.
pub(super) struct Setup<'a, G: HostedGame> {
    args: &'a CompareArgs,
    design: Design,
    judge: Judge,
    rules: G::Rules,
    pub(super) bots: Bots,
    pub(super) series: Series,
}

/// The files of a comparison.
#[derive(Default)]
pub(super) struct Files {
    /// The journal with the seeds that count already.
    pub(super) journal: Option<(Journal, Vec<Entry>)>,
    pub(super) replays: Option<Replays>,
}

impl<'a, G: HostedGame> Setup<'a, G> {
    /// Checks what was typed.
    ///
    /// # Errors
    /// Names the flag that does not fit.
    pub(super) fn new(game: GameId, args: &'a CompareArgs, bots: Bots) -> Result<Setup<'a, G>> {
        let design = design::<G>(args, bots.others().len())?;
        let rules = settings::load::<G>(args.series.rules.as_deref(), &args.series.sets)?;
        G::new(&rules, design.players(), args.series.seed)?;
        Ok(Setup {
            args,
            design,
            judge: Judge::new(design, &args.test)?,
            rules,
            bots: bots.in_game::<G>().for_design(design),
            series: Series::typed::<G>(game, &args.series, args.replays.is_some())?,
        })
    }

    /// Opens the files. Makes none before all bots can play, so that a bot that is repaired then
    /// finds no journal of the broken one.
    ///
    /// # Errors
    /// If a bot cannot play, or a folder or file does not fit.
    pub(super) fn open_files(&self) -> Result<Files> {
        let is_new = !self.args.out.as_deref().is_some_and(|out| journal::path(out).exists());
        if is_new {
            self.try_bots()?;
        }
        let open = |out| journal::open(out, &self.header(), self.design);
        let journal = self.args.out.as_deref().map(open).transpose()?;
        let seeds = journal.as_ref().map_or(0, |(_, entries)| entries.len() as u64);
        let replays = self.args.replays.as_deref().map(|folder| match is_new {
            true => Replays::create(folder),
            false => Replays::resume(folder, seeds, self.design.matches_each()),
        });
        Ok(Files { journal, replays: replays.transpose()? })
    }

    fn try_bots(&self) -> Result<()> {
        self.series.try_open::<G>(self.bots.all().iter().map(<Arc<BotEntry>>::as_ref))
    }

    /// All that results depend on, as the first line of the journal.
    fn header(&self) -> Value {
        let host = &self.args.series.host;
        let bot = |number: usize| {
            json!([self.bots.info(number).spec, known_content::<G>(&self.bots.all()[number])])
        };
        let bots: Vec<Value> = (0..self.bots.all().len()).map(bot).collect();
        let mut header = json!({
            "compare": journal::VERSION, "game": G::META.id, "rules": G::META.rules_version,
            "settings": to_map::<G>(&self.rules), "seed": self.args.series.seed,
            "design": self.design,
            "new": bots[NEW], "old": bots[OLD], "against": bots[OLD + 1..],
            "time": [json!(!host.no_clock), json!(host.time), json!(host.bank)],
            "sandbox": host.sandbox.journal_text(),
            "wasm": [json!(host.wasm), json!(host.wasm_memory)],
            "share_jvm": host.share_jvm,
        });
        // Each flag of the test by its name, for the message that it differs.
        let question = json!(self.judge);
        for (key, value) in question.as_object().into_iter().flatten() {
            header[key] = value.clone();
        }
        header
    }

    /// The first line of `--json`.
    pub(super) fn json(&self) -> Value {
        let others: Vec<_> = self.bots.others().iter().map(|bot| &bot.info).collect();
        let data = json!({
            "game": G::META.id, "rules_version": G::META.rules_version, "rules": self.rules,
            "seed": self.args.series.seed, "design": self.design, "question": self.judge,
            "new": self.bots.info(NEW), "old": self.bots.info(OLD), "others": others,
            "max": self.args.test.max,
        });
        json!({ "type": "comparison", "data": data })
    }

    /// The comparison before its first match.
    pub(super) fn trial(&self) -> Trial<Arrival> {
        let seed = self.args.series.seed;
        Trial::new(self.design, self.judge.clone(), seed, self.args.test.max)
    }

    /// Plays until it is decided.
    ///
    /// # Errors
    /// If a match cannot be played or kept.
    pub(super) fn play<W: Write>(&self, comparison: &mut Comparison<'_, W>) -> Result<End> {
        if comparison.is_over() {
            return Ok(End::Done);
        }
        if comparison.results.trial.seeds() > 0 {
            self.try_bots()?;
        }
        let end = self.series.run(comparison, interrupted_between_matches())?;
        comparison.close()?;
        Ok(end)
    }

    /// What the comparison found.
    pub(super) fn findings<'b>(&'b self, results: &'b Results, verdict: Verdict) -> Findings<'b> {
        Findings {
            game: G::META.id,
            new: &self.bots.info(NEW).name,
            old: &self.bots.info(OLD).name,
            design: self.design,
            question: Question::new(self.design, &self.args.test),
            seed: self.args.series.seed,
            verdict,
            report: results.trial.report(),
            interval: results.trial.judge().interval(),
            tally: results.trial.judge().tally(),
            seeds: results.trial.seeds(),
            void: results.void,
            sameness: &results.sameness,
            faults: &results.faults,
            replays: results.replays.as_ref().map(Replays::folder),
            results: self.args.out.as_deref(),
            shared_jvm: self.args.series.host.share_jvm && G::CLOJURE.is_some(),
        }
    }
}

/// The design that was asked for.
fn design<G: HostedGame>(args: &CompareArgs, pool: usize) -> Result<Design> {
    let game = G::META.id;
    let players = args.players.map_or(G::META.min_players.max(2), usize::from);
    let allowed = G::META.min_players.max(2)..=G::META.max_players;
    if !allowed.contains(&players) {
        let (least, most) = (allowed.start(), allowed.end());
        bail!("--players {players}: {game} is played by {least} to {most} players");
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
    if let Some(max) = args.test.max.filter(|max| *max < each) {
        bail!("--max {max}: each seed has {each} matches, so give {each} or more");
    }
    Ok(design)
}
