//! Prepares a tuning: checks the options of `agon tune`, reads the bots, and opens the journal.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{BotEntry, End};
use agon_bots::{BotSpec, HostOptions, HostedGame, unique_names};
use agon_core::{Meta, Seed};
use agon_games::{GameId, any::AnyGame, with_game};
use agon_match::spec::{MatchSettings, MatchSpec};
use agon_rating::tune::{Gains, Param, Tuner};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{
    Duels, Field, Template, TuneOptions, Watcher,
    job_source::{Course, MINUS, PLUS},
    journal, trial,
};
use crate::{
    Notice, Tell,
    journal::settle_seed,
    series::{Place, Series, entry, known_content, sandbox_in_journal, time_in_journal},
};

/// The version of the journal, and of the method that makes matches from results.
const VERSION: u32 = 2;

/// The default length of the verification: the matches divided by this.
const VERIFICATION: u64 = 4;

/// All that does not change while matches are played.
pub struct Setup {
    options: TuneOptions,
    /// The seed from which those of all matches follow.
    seed: Seed,
    series: Series,
    /// The tuned bot.
    pub template: Template,
    /// Who plays whom.
    pub field: Field,
    /// The starting values, in steps.
    pub start: Vec<i64>,
    /// How many duels the tuning has.
    tuning: u64,
    /// How many duels the verification after it has.
    verification: u64,
}

impl Setup {
    /// Checks the options, and reads the bots.
    ///
    /// # Errors
    /// Names the flag that does not fit.
    pub fn new(
        game: GameId,
        rules: Value,
        settings: MatchSettings,
        options: TuneOptions,
        (machine, place): (&HostOptions, &Place),
        tell: Tell<'_>,
    ) -> Result<Setup> {
        let foreign = vec![options.out.clone()];
        let host = HostOptions {
            foreign,
            game: Some(game),
            sees_folder: with_game!(game, G => <G as HostedGame>::SEES_FOLDER),
            ..agon_arena::host_options(&settings, machine)
        };
        let template = Template::new(&options.bot, &options.params, host.clone())?;
        let start = template.start(game, &options.starts)?;
        let field = field(&game.meta(), &options, &host, tell)?;
        let seed = settle_seed(Some(&journal_in(&options)), options.seed)?;
        AnyGame::new(game, &rules.to_string(), field.players, seed)?;
        let matches = options.matches;
        let tuning = duels(matches, &field).with_context(|| format!("--matches {matches}"))?;
        let verification = match options.verify.unwrap_or(matches / VERIFICATION) {
            0 => 0,
            matches if options.verify.is_none() => matches / field.matches(),
            matches => duels(matches, &field).with_context(|| format!("--verify {matches}"))?,
        };
        let series = Series::new(MatchSpec::with_rules(game, rules, settings), machine, place);
        Ok(Setup { options, seed, series, template, field, start, tuning, verification })
    }

    /// Returns the options.
    pub fn options(&self) -> &TuneOptions {
        &self.options
    }

    /// Returns the seed from which those of all matches follow.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the number of matches of tuning and verification.
    pub fn matches(&self) -> u64 {
        (self.tuning + self.verification) * self.field.matches()
    }

    /// Checks that all bots can play, and opens the journal. Returns the duels before their first
    /// match.
    ///
    /// # Errors
    /// If a bot cannot play, does not take all values, or the folder belongs to something else.
    pub fn begin<'a>(
        &'a self,
        stop: Arc<AtomicBool>,
        watcher: &'a mut dyn Watcher,
        tell: Tell<'a>,
    ) -> Result<Duels<'a>> {
        self.prepare(stop, tell)?;
        let Setup { options, seed, template, field, start, series, .. } = self;
        let out = &options.out;
        let path = journal_in(options);
        let header = self.header(tell)?;
        fs::create_dir_all(out)
            .with_context(|| format!("cannot make the folder {}", out.display()))?;
        let (journal, known) = journal::open(&path, &header)?;
        if !known.is_empty() {
            let matches = known.len();
            tell(Notice::Info(format!("going on after {matches} matches in {}", path.display())));
        }
        let gains = Gains::default();
        let tuner = Tuner::new(options.params.clone(), start.clone(), gains, self.tuning, *seed);
        let course = Course {
            template,
            field,
            base: &series.base,
            start: start.clone(),
            seed: *seed,
            tuning: self.tuning,
            verification: self.verification,
        };
        Ok(Duels::new(course, tuner, journal, known, (watcher, tell)))
    }

    /// Plays until all is played, or `stop` is set.
    ///
    /// # Errors
    /// If a match cannot be played or kept.
    pub fn play(&self, duels: &mut Duels<'_>, stop: Arc<AtomicBool>) -> Result<End> {
        let end = self.series.run(duels, stop);
        duels.close()?;
        end
    }

    /// Opens all bots, and tries the extreme values if nothing was played yet.
    fn prepare(&self, stop: Arc<AtomicBool>, tell: Tell<'_>) -> Result<()> {
        self.series.try_open(self.field.others.iter().map(<Arc<BotEntry>>::as_ref))?;
        if journal_in(&self.options).exists() {
            return Ok(());
        }
        let greatest: Vec<i64> = self.options.params.iter().map(Param::steps).collect();
        let values = (self.start.as_slice(), greatest.as_slice());
        trial::trial(&self.series, &self.template, values, (self.seed, stop), tell)
    }

    /// Returns all that results depend on, for the first line of the journal.
    fn header(&self, tell: Tell<'_>) -> Result<Value> {
        let Setup { options, seed, field, start, .. } = self;
        let base = &self.series.base;
        let settings = &base.settings;
        let params: Vec<String> = options.params.iter().map(ToString::to_string).collect();
        let start_text: Vec<String> =
            options.params.iter().zip(start).map(|(param, &steps)| param.text(steps)).collect();
        let program = known_content(base.game, &*self.template.entry(start, Some(PLUS), tell)?);
        let others: Vec<Value> = field
            .others
            .iter()
            .map(|bot| json!([bot.spec.to_string(), known_content(base.game, bot)]))
            .collect();
        Ok(json!({
            "tune": VERSION, "game": base.game, "rules": base.rules_version,
            "settings": base.rules,
            "bot": options.bot, "program": program, "params": params, "start": start_text,
            "against": others, "players": field.players,
            "matches": options.matches, "verify": self.verification * field.matches(),
            "seed": seed,
            "time": time_in_journal(settings),
            "sandbox": sandbox_in_journal(settings),
            "wasm": [json!(settings.sandbox.wasm), json!(settings.sandbox.wasm_memory)],
            "share_jvm": settings.sandbox.share_jvm,
        }))
    }
}

/// The file of results.
fn journal_in(options: &TuneOptions) -> PathBuf {
    options.out.join("tune.jsonl")
}

/// Reads the bots of `--against`, and checks the number of players.
fn field(game: &Meta, options: &TuneOptions, host: &HostOptions, tell: Tell<'_>) -> Result<Field> {
    let players = options.players.unwrap_or(2);
    let least = game.min_players.max(2);
    let most = game.max_players;
    if !(least..=most).contains(&players) {
        bail!("--players {players}: {} is for {least} to {most} players", game.id);
    }
    let specs = options.against.iter().map(|text| text.parse::<BotSpec>());
    let specs = specs.collect::<Result<Vec<_>, _>>()?;
    let taken = [PLUS, MINUS].map(str::to_owned);
    let names = unique_names(taken.into_iter().chain(specs.iter().map(BotSpec::name)));
    let others = options
        .against
        .iter()
        .zip(&names[2..])
        .map(|(text, name)| entry(text, Some(name), host, tell));
    let others = others.collect::<Result<Vec<_>>>()?;
    if !others.is_empty() && others.len() < players - 1 {
        let missing = players - 1;
        bail!(
            "--players {players}: a match needs {missing} bots of --against, but there are {}",
            others.len()
        );
    }
    Ok(Field { others, players })
}

/// Returns how many duels fit into `matches`.
fn duels(matches: u64, field: &Field) -> Result<u64> {
    match matches / field.matches() {
        0 => {
            bail!("two versions are compared by {} matches; give at least as many", field.matches())
        }
        duels => Ok(duels),
    }
}
