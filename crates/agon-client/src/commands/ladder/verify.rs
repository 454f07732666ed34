//! `agon ladder verify`: checks a whole log.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use agon_console::client_options::VerifyArgs;
use agon_core::Seed;
use agon_ladder::api::ArenaSummary;
use agon_ladder::ledger::{
    Audit, AuditError, Finding, Folder, Progress, Remembered, Report, Sample, Source, audit_with,
};
use agon_text::escape;
use anyhow::{Context, Result, anyhow, bail};

use super::{
    ARENAS,
    answers::{ArenaNames, BotReport},
    nearest::no_such_version,
    own_bot::OwnBot,
    progress::Teller,
    report,
};
use crate::{
    exit::Exit,
    http::Client,
    log::{self, ServedLog},
    places,
    servers::{Address, KnownServer, ServersFile},
    show::print_json,
};

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
    let arenas = || places::arenas(&client);
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
        Err(AuditError::Follow(error)) if log::failed(&error).is_some() => {
            bail!("cannot read the log: {}", escape(&error.to_string()))
        }
        Err(AuditError::NoSuchFiles { versions }) if let Some(bot) = &bot => {
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
        bot => report::print(&report, remembered, bot.as_ref().map(|bot| (bot, &names)), out)?,
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
) -> Result<Report, AuditError> {
    let mut teller = Teller::new();
    let watch = |progress| match progress {
        Progress::Entries(done, all) => teller.tell("entries", done, all),
        Progress::Matches(done, all) => teller.tell("matches played again", done, all),
        Progress::Parts(done, all) => teller.tell("parts of a final's seed", done, all),
    };
    audit_with(source, options, watch, |proven| {
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
    let slug = places::pick("arena", Some(name), &names)?;
    let arena = arenas.iter().find(|arena| arena.slug == slug);
    let id = arena.and_then(|arena| u64::try_from(arena.id).ok());
    id.ok_or_else(|| anyhow!("the arena `{}` has no number", escape(&slug)))
}

/// Returns the arenas that a copy names.
fn arenas_of_copy(folder: &Path) -> Result<Vec<ArenaSummary>> {
    let path = folder.join(ARENAS);
    let text = agon_text::read_text(&path)?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))
}
