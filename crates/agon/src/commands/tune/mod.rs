//! `agon tune BOT`: finds good values of its parameters.
//!
//! | module | noun |
//! | --- | --- |
//! | `template` | a bot whose text takes values |
//! | `field` | who plays whom in a duel |
//! | `trial` | whether the bot takes all values |
//! | `journal` | the file of results |
//! | `job_source` | plays the duels |
//! | `progress` | the progress bar |
//! | `report`, `chart` | what is told at the end |
//! | `comparison` | the command that asks more |

mod chart;
mod comparison;
mod field;
mod job_source;
mod journal;
mod progress;
mod report;
mod template;
mod trial;

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use agon_arena::{BotEntry, End};
use agon_bots::{BotSpec, HostOptions, HostedGame, unique_names};
use agon_games::{GameId, settings::to_map, with_game};
use agon_tune::{Gains, Param, Tuner};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::{
    Exit,
    arena::host_options,
    cli::TuneArgs,
    interrupts::interrupted_between_matches,
    series::{Series, entry, known_content},
    settings,
};
use field::Field;
use job_source::{Course, Duels, MINUS, PLUS};
use report::Report;
use template::Template;

/// The version of the journal, and of the method that makes matches from results.
const VERSION: u32 = 2;

/// The part of the matches that the verification has, unless told otherwise: a quarter.
const VERIFICATION: u64 = 4;

/// Tunes a bot, or goes on with it.
pub(crate) fn tune(args: &TuneArgs, out: &mut impl Write) -> Result<Exit> {
    let id: GameId = args.game.parse()?;
    with_game!(id, G => tune_in::<G>(id, args, out))
}

fn tune_in<G: HostedGame>(id: GameId, args: &TuneArgs, out: &mut impl Write) -> Result<Exit> {
    let foreign = vec![args.out.clone()];
    let sees_folder = G::SEES_FOLDER;
    let host = HostOptions { foreign, sees_folder, ..host_options(&args.series.host) };
    let template = Template::new(&args.bot, &args.params, host.clone())?;
    let start = template.start::<G>(&args.starts)?;
    let series = Series::typed::<G>(id, &args.series, false)?;
    let field = field::<G>(args, &host)?;
    G::new(
        &settings::load::<G>(args.series.rules.as_deref(), &args.series.sets)?,
        field.players,
        args.series.seed,
    )?;
    let tuning =
        duels(args.matches, &field).with_context(|| format!("--matches {}", args.matches))?;
    let verification = match args.verify.unwrap_or(args.matches / VERIFICATION) {
        0 => 0,
        matches if args.verify.is_none() => matches / field.matches(),
        matches => duels(matches, &field).with_context(|| format!("--verify {matches}"))?,
    };
    let stop = interrupted_between_matches();
    let path = args.out.join("tune.jsonl");
    prepare::<G>(args, &series, &template, &start, &field, &path, Arc::clone(&stop))?;
    let header = header::<G>(args, &template, &start, &field, verification * field.matches())?;
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let (journal, known) = journal::open(&path, &header)?;
    if !known.is_empty() {
        say!("going on after {} matches in {}", known.len(), path.display());
    }
    let tuner =
        Tuner::new(args.params.clone(), start.clone(), Gains::default(), tuning, args.series.seed);
    let seed = args.series.seed;
    let course = Course {
        template: &template,
        field: &field,
        base: &series.base,
        start: start.clone(),
        seed,
        tuning,
        verification,
    };
    let mut duels = Duels::new(course, tuner, journal, known);
    let end = series.run(&mut duels, stop);
    duels.close()?;
    let report = Report {
        game: G::META.id,
        args,
        template: &template,
        field: &field,
        start: &start,
        duels: &duels,
    };
    let drawn = chart::write(&report, &args.out.join("tune.svg"));
    // What was found by then is worth something even if a match could not be played.
    report.print(*end.as_ref().unwrap_or(&End::Interrupted), out)?;
    let end = end?;
    drawn?;
    Ok(if end == End::Interrupted { Exit::Interrupted } else { Exit::Done })
}

/// The bots that both versions play against, and how many play together.
fn field<G: HostedGame>(args: &TuneArgs, host: &HostOptions) -> Result<Field> {
    let players = args.players.unwrap_or(2) as usize;
    let (least, most) = (G::META.min_players.max(2), G::META.max_players);
    if !(least..=most).contains(&players) {
        bail!("--players {players}: {} is for {least} to {most} players", G::META.id);
    }
    let specs = args.against.iter().map(|text| text.parse::<BotSpec>());
    let specs = specs.collect::<Result<Vec<_>, _>>()?;
    let taken = [PLUS, MINUS].map(str::to_owned);
    let names = unique_names(taken.into_iter().chain(specs.iter().map(BotSpec::name)));
    let others =
        args.against.iter().zip(&names[2..]).map(|(text, name)| entry(text, Some(name), host));
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

/// How many duels so many matches are.
fn duels(matches: u64, field: &Field) -> Result<u64> {
    match matches / field.matches() {
        0 => {
            bail!("two versions are compared by {} matches; give at least as many", field.matches())
        }
        duels => Ok(duels),
    }
}

/// Finds out what cannot be played, before anything is.
fn prepare<G: HostedGame>(
    args: &TuneArgs,
    series: &Series,
    template: &Template,
    start: &[i64],
    field: &Field,
    journal: &Path,
    stop: Arc<AtomicBool>,
) -> Result<()> {
    series.try_open::<G>(field.others.iter().map(<Arc<BotEntry>>::as_ref))?;
    if journal.exists() {
        return Ok(());
    }
    let greatest: Vec<i64> = args.params.iter().map(Param::steps).collect();
    trial::trial::<G>(series, template, (start, &greatest), (args.series.seed, stop))
}

/// All that results depend on, as the first line of the journal.
fn header<G: HostedGame>(
    args: &TuneArgs,
    template: &Template,
    start: &[i64],
    field: &Field,
    verification: u64,
) -> Result<Value> {
    let series = &args.series;
    let rules = to_map::<G>(&settings::load::<G>(series.rules.as_deref(), &series.sets)?);
    let params: Vec<String> = args.params.iter().map(ToString::to_string).collect();
    let start_text: Vec<String> =
        args.params.iter().zip(start).map(|(param, &steps)| param.text(steps)).collect();
    let program = known_content::<G>(&*template.entry(start, Some(PLUS))?);
    let others: Vec<Value> = field
        .others
        .iter()
        .map(|bot| json!([bot.spec.to_string(), known_content::<G>(bot)]))
        .collect();
    let host = &series.host;
    Ok(json!({
        "tune": VERSION, "game": G::META.id, "rules": G::META.rules_version, "settings": rules,
        "bot": args.bot, "program": program, "params": params, "start": start_text,
        "against": others, "players": field.players,
        "matches": args.matches, "verify": verification, "seed": series.seed,
        "time": [json!(!host.no_clock), json!(host.time), json!(host.bank)],
        "sandbox": host.sandbox.journal_text(),
        "wasm": [json!(host.wasm), json!(host.wasm_memory)],
        "share_jvm": host.share_jvm,
    }))
}
