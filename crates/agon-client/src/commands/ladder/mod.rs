//! `agon ladder`: verifies the public log of a server, or copies it.
//!
//! `agon_ladder::ledger` knows what a log must say. Here are the places that it is read from, and
//! what people see.
//!

mod answers;
mod dump;
mod own_bot;

pub(super) use dump::dump;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agon_console::{BAD, BOLD, DIM, GOOD, client_options::VerifyArgs};
use agon_core::text::number::{grouped, plural};
use agon_core::{Seed, text::escape};
use agon_ladder::api::ArenaSummary;
use agon_ladder::ledger::{
    Audit, Finding, Folder, LogError, Progress, Remembered, Report, Sample, Source, audit,
    fingerprint,
};
use answers::{ArenaNames, BotReport};
use anyhow::{Context, Result, anyhow, bail};
use own_bot::{OwnBot, no_such_version};

use crate::log::{self, ServedLog};
use crate::servers::{Address, KnownServer, ServersFile};
use crate::{Exit, api, http::Client, show::print_json};

/// The file of a copy with the names of arenas, as the API lists them.
const ARENAS: &str = "arenas.json";

/// Returns a number of entries in words.
fn count_entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { plural(count, "entrie") }
}

/// How often to say something.
const INTERVAL: Duration = Duration::from_secs(3);

/// Says how far something is.
#[derive(Debug)]
struct Teller {
    last: Instant,
    is_watched: bool,
}

impl Teller {
    fn new() -> Teller {
        Teller { last: Instant::now(), is_watched: agon_console::is_watched() }
    }

    /// Says that so many of so many are done, if it is time to.
    fn tell(&mut self, what: &str, done: u64, all: u64) {
        if self.is_watched && self.last.elapsed() >= INTERVAL {
            say!("{what}: {} of {}", grouped(done), grouped(all));
            self.last = Instant::now();
        }
    }
}

/// Checks a log, and prints what was found.
///
/// # Errors
/// If the log cannot be read at the moment, or nobody handed in the bot that is to be asked.
pub(in crate::commands) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Exit> {
    let path = Path::new(&args.place);
    if !args.place.contains("://") && path.is_dir() {
        let arenas = || arenas_of_copy(path);
        let place = Place { source: &Folder(path.to_owned()), known: None, client: None };
        return check(args, &place, arenas, out).map(|(exit, _)| exit);
    }
    let address: Address = args
        .place
        .parse()
        .with_context(|| format!("`{}` is neither a folder nor an address", escape(&args.place)))?;
    let file = ServersFile::of_user()?;
    let known = file.read()?.servers.into_iter().find(|known| known.url == address);
    let ca: Option<PathBuf> =
        args.connection.ca.clone().or_else(|| known.as_ref().and_then(|known| known.ca.clone()));
    // Everything here is public: no token is sent.
    let client = Client::new(address, ca.as_deref(), None)?;
    let arenas = || api::arenas(&client);
    let place = Place { source: &ServedLog(&client), known: known.as_ref(), client: Some(&client) };
    let (exit, now) = check(args, &place, arenas, out)?;
    if let Some(now) = now {
        log::remember(&client, place.remembered(), now, &file)?;
    }
    Ok(exit)
}

/// Where a log is, and what is known of it.
struct Place<'a> {
    source: &'a dyn Source,
    known: Option<&'a KnownServer>,
    client: Option<&'a Client>,
}

impl Place<'_> {
    fn remembered(&self) -> Option<&Remembered> {
        self.known.and_then(|known| known.log.as_ref())
    }
}

/// Checks a log. Returns what is to be remembered of it, if it is one.
fn check(
    args: &VerifyArgs,
    place: &Place<'_>,
    arenas: impl FnOnce() -> Result<Vec<ArenaSummary>>,
    out: &mut impl Write,
) -> Result<(Exit, Option<Remembered>)> {
    let mut bot = args.bot.as_deref().map(OwnBot::of).transpose()?;
    let needs_names = args.arena.is_some() || bot.is_some();
    let arenas = if needs_names { arenas()? } else { Vec::new() };
    let arena = args.arena.as_deref().map(|name| arena_id(&arenas, name)).transpose()?;
    let files = bot.as_ref().map(|bot| bot.digest);
    let remembered = place.remembered();
    let options = Audit { remembered: remembered.cloned(), sample: sample(args)?, arena, files };
    let report = match read(place.source, &options, bot.as_mut()) {
        Ok(report) => report,
        Err(LogError::Failed(why)) => bail!("cannot read the log: {}", escape(&why)),
        Err(LogError::NoSuchFiles(versions)) if let Some(bot) = &bot => {
            return Err(no_such_version(bot, versions, place.known, place.client));
        }
        // It is no log, or not the one that it was: that is what was to be found out.
        Err(error) => {
            let finding = Finding { arena: None, number: None, what: error.to_string() };
            Report { findings: vec![finding], ..Report::default() }
        }
    };
    if let Some(bot) = &mut bot {
        bot.done()?;
        bot.versions.clone_from(&report.same_files);
    }
    let names = ArenaNames::of(&arenas);
    match &bot {
        Some(bot) if args.json => print_json(&BotReport::new(&report, bot), out)?,
        None if args.json => print_json(&report, out)?,
        bot => print(&report, remembered, bot.as_ref().map(|bot| (bot, &names)), out)?,
    }
    let is_good = report.findings.is_empty() && bot.as_ref().is_none_or(OwnBot::agrees);
    let exit = if is_good { Exit::Done } else { Exit::Negative };
    Ok((exit, report.remembered))
}

/// Reads a log, and asks the bot about its matches.
fn read(
    source: &dyn Source,
    options: &Audit,
    mut bot: Option<&mut OwnBot<'_>>,
) -> Result<Report, LogError> {
    let mut teller = Teller::new();
    let watch = |progress| match progress {
        Progress::Entries(done, all) => teller.tell("entries", done, all),
        Progress::Matches(done, all) => teller.tell("matches played again", done, all),
        Progress::Parts(done, all) => teller.tell("parts of a final's seed", done, all),
    };
    audit(source, options, watch, |proven| {
        if let Some(bot) = &mut bot {
            bot.ask_about(&proven);
        }
    })
}

/// Returns which matches to play again. The server cannot know which, so it cannot prepare.
fn sample(args: &VerifyArgs) -> Result<Sample> {
    if args.all {
        return Ok(Sample::All);
    }
    let seed = getrandom::u64().context("the system has no random numbers")?;
    Ok(Sample::Some(args.sample as usize, Seed(seed)))
}

fn arena_id(arenas: &[ArenaSummary], name: &str) -> Result<u64> {
    let names: Vec<&str> = arenas.iter().map(|arena| arena.slug.as_str()).collect();
    let slug = api::pick("arena", Some(name), &names)?;
    let arena = arenas.iter().find(|arena| arena.slug == slug);
    let id = arena.and_then(|arena| u64::try_from(arena.id).ok());
    id.ok_or_else(|| anyhow!("the arena `{}` has no number", escape(&slug)))
}

/// Returns the arenas that a copy names.
fn arenas_of_copy(folder: &Path) -> Result<Vec<ArenaSummary>> {
    let path = folder.join(ARENAS);
    let text = agon_files::input::read_text(&path)?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
}

/// The most findings that are shown.
const SHOWN: usize = 50;

/// Prints a report, with what the author's bot answered if one was asked.
fn print(
    report: &Report,
    before: Option<&Remembered>,
    bot: Option<(&OwnBot<'_>, &ArenaNames)>,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(now) = &report.remembered {
        print_log(report, now, before, out)?;
    }
    for Finding { arena, number, what } in report.findings.iter().take(SHOWN) {
        let place = match (arena, number) {
            (Some(arena), Some(number)) => format!("arena {arena}, match {number}: "),
            (Some(arena), None) => format!("arena {arena}: "),
            (None, _) => String::new(),
        };
        writeln!(out, "{BAD}✗{BAD:#} {place}{}", escape(what))?;
    }
    let findings = report.findings.len();
    if findings > SHOWN {
        writeln!(out, "{DIM}and {} more; --json has all{DIM:#}", findings - SHOWN)?;
    }
    if let Some((bot, names)) = bot
        && report.remembered.is_some()
    {
        answers::print(bot, names, out)?;
    }
    let is_same = bot.is_none_or(|(bot, _)| bot.agrees());
    match findings {
        0 if !is_same => {
            writeln!(out, "\n{BAD}the log is verified, the answers of the bot are not{BAD:#}")
        }
        0 => writeln!(out, "\n{GOOD}verified{GOOD:#}"),
        _ => writeln!(out, "\n{BAD}not verified{BAD:#}: {}", plural(findings as u64, "finding")),
    }
}

fn print_log(
    report: &Report,
    now: &Remembered,
    before: Option<&Remembered>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Report { entries, versions, matches, proven, missing, other_rules, tables, .. } = report;
    let good = |out: &mut dyn Write, text: String| writeln!(out, "{GOOD}✓{GOOD:#} {text}");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {}, {}\n{DIM}signed with the key {}{DIM:#}\n",
        count_entries(*entries),
        plural(*versions, "version"),
        plural(*matches, "match"),
        escape(&fingerprint(&now.key))
    )?;
    match before {
        Some(before) if report.grew => {
            good(
                out,
                format!("it begins with the {} that were seen before", count_entries(before.size)),
            )?;
        }
        _ => writeln!(out, "{DIM}–{DIM:#} it was not seen before from here")?,
    }
    good(out, "its entries do not contradict each other".to_owned())?;
    match proven {
        0 => writeln!(out, "{DIM}–{DIM:#} no match was played again")?,
        _ => {
            good(out, format!("{} played again, with the same results", plural(*proven, "match")))?
        }
    }
    match tables {
        0 => writeln!(out, "{DIM}–{DIM:#} it has no published table, or a newer one than the log")?,
        _ => {
            good(out, format!("{} computed again, with the same digits", plural(*tables, "table")))?
        }
    }
    if report.finals > 0 {
        let (finals, parts) = (plural(report.finals, "final"), plural(report.parts, "part"));
        good(out, format!("{finals} as drawn, with {parts} of the seeds computed again"))?;
        if report.unfinished > 0 {
            let those = plural(report.unfinished, "final");
            writeln!(out, "{DIM}–{DIM:#} {those} not played to the end yet")?;
        }
    }
    if *missing > 0 {
        let those = plural(*missing, "replay");
        writeln!(out, "{DIM}–{DIM:#} {those} of the sample are not kept any more")?;
    }
    if *other_rules > 0 {
        let text = "matches and tables are of another version of Agon, which can check them";
        writeln!(out, "{DIM}–{DIM:#} {other_rules} {text}")?;
    }
    Ok(())
}
