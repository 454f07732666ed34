//! Finds good values of a bot's parameters, for `agon tune`.
//!
//! It plays duels between two versions of the bot; `agon_rating::tune` chooses their values. At the
//! end the best values play the starting ones: the verification.

mod duels;

use std::collections::{BTreeMap, VecDeque};
use std::{cell::OnceCell, fs, path::PathBuf, sync::Arc, sync::atomic::AtomicBool};

use agon_arena::{ArenaError, BotEntry, End, Job, JobSource, Next};
use agon_bots::{BotKind, BotSpec, HostOptions, hosting, unique_names};
use agon_core::{FaultKind, Meta, Seed};
use agon_games::GameId;
use agon_match::Control;
use agon_match::spec::{MatchOutcome, MatchSettings, MatchSpec};
use agon_rating::tune::{Gains, Param, Tuner};
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use self::duels::{Course, Journal, KIND, MINUS, MatchEntry, PLUS};
use crate::series::{
    Place, Series, entry, known_content, sandbox_in_journal, settle_seed, spec, tell_what_was_read,
    time_in_journal,
};
use crate::{Notice, Tell};

pub use duels::{Counts, Duels, Field, Watcher};

/// Options of a tuning beside the settings of the game: flags of `agon tune`.
#[derive(Args, Clone, Debug)]
pub struct TuneOptions {
    /// The bot, named as for `agon play`.
    pub bot: String,
    /// A parameter and its range, whole numbers or multiples of STEP; may be given several times.
    #[arg(long = "param", value_name = "NAME=LOW..HIGH[:STEP]", required = true)]
    pub params: Vec<Param>,
    /// The value to begin with; may be given several times
    /// [default: the built-in bot's own; of other bots the middle of the range].
    #[arg(long = "start", value_name = "NAME=VALUE")]
    pub starts: Vec<String>,
    /// Let both versions play these bots on the same seeds instead of each other; may be given
    /// several times.
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub against: Vec<String>,
    /// So many players in a match, with --against [default: 2].
    #[arg(
        long,
        value_name = "N",
        requires = "against",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub players: Option<u16>,
    /// Play so many matches while the values are looked for; a few thousand are usual.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2_000,
        value_parser = clap::value_parser!(u64).range(1..=10_000_000)
    )]
    pub matches: u64,
    /// Then play so many between the values found and the starting ones
    /// [default: a quarter of --matches].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    pub verify: Option<u64>,
    /// The folder for results and chart: new, or that of the same tuning, which then goes on.
    #[arg(long, value_name = "DIR", default_value = "agon-tune")]
    pub out: PathBuf,
    /// The seed from which those of all matches follow; `None` for that of the journal in `out`, or
    /// for a new one.
    #[arg(skip)]
    pub seed: Option<Seed>,
}

/// The version of the journal, and of the method that makes matches from results.
const VERSION: u32 = 2;

/// The default length of the verification: the matches divided by this.
const VERIFICATION: u64 = 4;

/// All that does not change while matches are played.
pub struct Setup {
    /// What is asked for.
    pub options: TuneOptions,
    /// The seed from which those of all matches follow.
    pub seed: Seed,
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
            sees_folder: hosting(game.kind()).sees_folder,
            ..agon_arena::host_options(&settings, machine)
        };
        let template = Template::new(&options.bot, &options.params, host.clone())?;
        let start = template.start(game, &options.starts)?;
        let field = field(&game.meta(), &options, &host, tell)?;
        let seed = settle_seed(Some(&journal_in(&options)), options.seed)?;
        game.kind().start(&rules, field.players, seed)?;
        let matches = options.matches;
        let tuning = duels(matches, &field).with_context(|| format!("--matches {matches}"))?;
        let verification = match options.verify.unwrap_or(matches / VERIFICATION) {
            0 => 0,
            matches if options.verify.is_none() => matches / field.matches(),
            matches => duels(matches, &field).with_context(|| format!("--verify {matches}"))?,
        };
        let series = Series::new(MatchSpec::new(game, rules, settings), machine, place, None);
        Ok(Setup { options, seed, series, template, field, start, tuning, verification })
    }

    /// Returns the number of matches of tuning and verification.
    pub fn matches(&self) -> u64 {
        (self.tuning + self.verification) * self.field.matches()
    }

    /// Checks that all bots can play, and opens the journal. Returns the duels before their first
    /// match.
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
        let (journal, entries) = Journal::open(&path, &KIND, &header)?;
        let known: BTreeMap<u64, MatchEntry> =
            entries.into_iter().map(|entry: MatchEntry| (entry.number, entry)).collect();
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
            start,
            seed: *seed,
            tuning: self.tuning,
            verification: self.verification,
            tell,
        };
        Ok(Duels::new(course, tuner, journal, known, watcher))
    }

    /// Plays until all is played, or `stop` is set.
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
        trial(&self.series, &self.template, values, (self.seed, stop), tell)
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
    let players = usize::from(options.players.unwrap_or(2));
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

/// Opens the bot with the starting, the least and the greatest values.
///
/// Unless the bot is built in, the least and the greatest values then play a match each against the
/// starting ones: a program may look at its arguments only then.
fn trial(
    series: &Series,
    template: &Template,
    (start, greatest): (&[i64], &[i64]),
    (seed, stop): (Seed, Arc<AtomicBool>),
    tell: Tell<'_>,
) -> Result<()> {
    let lowest = vec![0; start.len()];
    let all = [start, &lowest, greatest];
    for steps in all {
        // Under its own name: `tuned-plus` would mean nothing in an error.
        let version = template.entry(steps, None, tell)?;
        series.try_open([version.as_ref()])?;
    }
    let versions = all.map(|steps| template.entry(steps, Some(PLUS), tell));
    let versions: Vec<Arc<BotEntry>> = versions.into_iter().collect::<Result<_>>()?;
    if template.is_builtin() {
        return Ok(());
    }
    let start = template.entry(start, Some(MINUS), tell)?;
    let jobs = versions[1..].iter().zip(0..).map(|(version, ticket)| {
        Job::new(ticket, &series.base, seed, vec![version.clone(), start.clone()])
    });
    let mut trial = ValueTrial { jobs: jobs.collect(), refusal: None };
    series.run(&mut trial, stop)?;
    match trial.refusal {
        Some(refusal) => {
            bail!("{refusal}; let it take all values of the ranges, or give narrower ones")
        }
        None => Ok(()),
    }
}

/// The matches of the trial, as a source for a pool.
struct ValueTrial {
    jobs: VecDeque<Job>,
    refusal: Option<String>,
}

/// The faults of a program that rejects its arguments.
const REFUSALS: [FaultKind; 4] =
    [FaultKind::Start, FaultKind::Crash, FaultKind::Closed, FaultKind::Exception];

impl JobSource for ValueTrial {
    type Error = ArenaError;

    fn next(&mut self) -> Result<Next, ArenaError> {
        Ok(self.jobs.pop_front().map_or(Next::Done, Next::Job))
    }

    fn over(
        &mut self,
        _: u64,
        outcome: MatchOutcome,
        _: Option<Vec<u8>>,
    ) -> Result<Control, ArenaError> {
        let result = outcome.result;
        let Some(fault) = result.faults.iter().find(|fault| REFUSALS.contains(&fault.kind)) else {
            return Ok(Control::Continue);
        };
        let spec = &result.players[fault.player.index()].bot.spec;
        let said = fault.evidence.stderr_tail.lines().rfind(|line| !line.trim().is_empty());
        let said = said.map_or(String::new(), |line| format!(" (stderr: {})", line.trim()));
        self.refusal = Some(format!("`{spec}` {}: {}{said}", fault.kind.words(), fault.detail));
        Ok(Control::Stop)
    }
}

/// The text of the tuned bot, with its parameters.
pub struct Template {
    text: String,
    params: Vec<Param>,
    is_builtin: bool,
    host: HostOptions,
    /// The first version that was read. Later versions play with the same files.
    first: OnceCell<BotSpec>,
}

impl Template {
    /// Parses the text of a bot.
    pub fn new(text: &str, params: &[Param], host: HostOptions) -> Result<Template> {
        for (number, param) in params.iter().enumerate() {
            if params[..number].iter().any(|other| other.name == param.name) {
                bail!("--param {param}: `{}` is there twice", param.name);
            }
        }
        let template = Template {
            text: text.trim().to_owned(),
            params: params.to_vec(),
            is_builtin: false,
            host,
            first: OnceCell::new(),
        };
        // With values in it, since braces could be part of a file name.
        let lowest: Vec<i64> = vec![0; params.len()];
        let spec: BotSpec = template.text(&lowest).parse()?;
        if spec.kind() == BotKind::Builtin {
            return Ok(Template { is_builtin: true, ..template });
        }
        for param in params {
            let place = format!("{{{}}}", param.name);
            if !template.text.contains(&place) {
                bail!(
                    "--param {param}: the bot `{text}` does not say where the value goes; put \
                     `{place}` there, as in \"./my_bot --{} {place}\"",
                    param.name
                );
            }
        }
        Ok(template)
    }

    /// Returns whether it is a built-in bot, whose parameters are known.
    pub fn is_builtin(&self) -> bool {
        self.is_builtin
    }

    /// Returns the bot with these values, in steps, as a person would type it.
    pub fn text(&self, steps: &[i64]) -> String {
        let values =
            self.params.iter().zip(steps).map(|(param, &steps)| (&param.name, param.text(steps)));
        if !self.is_builtin {
            return values.fold(self.text.clone(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), &value)
            });
        }
        let (bot, given) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let is_tuned = |given: &&str| self.params.iter().any(|param| name_of(given) == param.name);
        let kept = given
            .split('&')
            .filter(|given| !given.is_empty() && !is_tuned(given))
            .map(str::to_owned);
        let all: Vec<String> =
            kept.chain(values.map(|(name, value)| format!("{name}={value}"))).collect();
        format!("{bot}?{}", all.join("&"))
    }

    /// Returns the bot with these values, under `name` if there is one.
    ///
    /// The first call reads the bot's files; later calls use the same ones, even if they changed.
    pub fn entry(
        &self,
        steps: &[i64],
        name: Option<&str>,
        tell: Tell<'_>,
    ) -> Result<Arc<BotEntry>> {
        let spec = spec(&self.text(steps), name)?;
        if let Some(first) = self.first.get() {
            return Ok(BotEntry::of(spec.read_like(first, &self.host)?)?);
        }
        let spec = spec.read(&self.host, &[])?;
        tell_what_was_read(&spec, tell);
        Ok(BotEntry::of(self.first.get_or_init(|| spec).clone())?)
    }

    /// Returns the starting values, in steps.
    ///
    /// A typed value goes first, then the one in the text of a built-in bot, then its default.
    /// Other bots start in the middle of each range.
    pub fn start(&self, game: GameId, typed: &[String]) -> Result<Vec<i64>> {
        for given in typed {
            let (name, _) = given.split_once('=').with_context(|| {
                format!("--start {given}: expected NAME=VALUE, as in --start low=12")
            })?;
            if !self.params.iter().any(|param| param.name == name) {
                bail!("--start {given}: there is no --param {name}=LOW..HIGH");
            }
        }
        self.params.iter().map(|param| self.start_of(game, param, typed)).collect()
    }

    fn start_of(&self, game: GameId, param: &Param, typed: &[String]) -> Result<i64> {
        let value_in = |given: &str| given.split_once('=').map(|(_, value)| value.to_owned());
        let is_it = |given: &&str| name_of(given) == param.name;
        let typed = typed.iter().map(String::as_str).rfind(is_it).and_then(value_in);
        if let Some(value) = typed {
            let error =
                || format!("--start {}={value}: that is no value of --param {param}", param.name);
            return param.steps_of(&value).with_context(error);
        }
        if !self.is_builtin {
            return Ok(param.steps() / 2);
        }
        let in_text =
            self.text.split_once('?').and_then(|(_, given)| given.split('&').rfind(is_it));
        let Some(value) = in_text.and_then(value_in).or_else(|| self.default_of(game, param))
        else {
            // Opening the bot reports the unknown parameter.
            return Ok(param.steps() / 2);
        };
        let name = &param.name;
        let text = &self.text;
        param.steps_of(&value).with_context(|| {
            format!(
                "--param {param}: {text} begins with {name}={value}, which is no value of that \
                 range; widen it, or begin elsewhere with --start {name}=VALUE"
            )
        })
    }

    fn default_of(&self, game: GameId, param: &Param) -> Option<String> {
        let (bot, _) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let (_, name) = bot.rsplit_once("builtin:")?;
        let builtins = game.kind().builtins();
        let builtin = builtins.iter().find(|builtin| builtin.name == name.trim())?;
        let known = builtin.params.iter().find(|known| known.name == param.name)?;
        Some(known.default.to_owned())
    }
}

fn name_of(given: &str) -> &str {
    given.split_once('=').map_or(given, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str, params: &[&str]) -> Result<Template> {
        let params: Vec<Param> = params.iter().map(|text| text.parse().unwrap()).collect();
        Template::new(text, &params, HostOptions::default())
    }

    #[test]
    fn values_go_where_they_belong() {
        let bot = template(
            "a=builtin:slightly-brainy?low=9&target=weakest",
            &["low=5..40", "divide=30..90:10"],
        );
        let bot = bot.unwrap();
        assert_eq!(bot.text(&[0, 2]), "a=builtin:slightly-brainy?target=weakest&low=5&divide=50");
        assert_eq!(bot.start(GameId::Amoebas, &[]).unwrap(), [4, 4]);
        assert_eq!(bot.start(GameId::Amoebas, &["low=7".into()]).unwrap(), [2, 4]);
        let bot =
            template("python3 'my bot.py' {x} --y={y} {x}", &["x=0..1:0.25", "y=-3..3"]).unwrap();
        assert_eq!(bot.text(&[1, 0]), "python3 'my bot.py' 0.25 --y=-3 0.25");
        assert_eq!(bot.start(GameId::Amoebas, &[]).unwrap(), [2, 3]);
        assert!(!bot.is_builtin());
    }

    #[test]
    fn errors_name_the_remedy() {
        let error = |text: &str, params: &[&str]| template(text, params).err().unwrap().to_string();
        assert!(error("./bot {x}", &["x=0..9", "y=0..9"]).contains("put `{y}` there"));
        assert!(error("builtin:nasty", &["x=0..9", "x=1..9"]).contains("`x` is there twice"));
        let start = |typed: &str| {
            let bot = template("builtin:slightly-brainy", &["divide=30..60"]).unwrap();
            bot.start(GameId::Amoebas, &[typed.to_owned()]).unwrap_err().to_string()
        };
        assert!(start("low=5").contains("there is no --param low"));
        assert!(start("divide=61").contains("no value of --param divide=30..60"));
        let bot = template("builtin:slightly-brainy", &["divide=30..60"]).unwrap();
        assert!(
            bot.start(GameId::Amoebas, &[])
                .unwrap_err()
                .to_string()
                .contains("begins with divide=70")
        );
    }
}
