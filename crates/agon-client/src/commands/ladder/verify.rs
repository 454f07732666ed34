//! `agon ladder verify`: checks a whole log.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use agon_client_options::VerifyArgs;
use agon_core::Seed;
use agon_ladder_api::ArenaSummary;
use agon_ledger::{
    Audit, AuditError, Finding, Folder, Progress, Remembered, Report, Sample, Source, audit,
};
use agon_text::escape;
use anyhow::{Context, Result, anyhow, bail};

use super::{ARENAS, progress::Teller, report};
use crate::{
    exit::Exit,
    http::Client,
    log::{self, ServedLog},
    places,
    servers::{Address, ServersFile},
    show::print_json,
};

/// Checks a log, and prints what was found.
///
/// # Errors
/// If the log cannot be read at the moment.
pub(in crate::commands) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Exit> {
    let path = Path::new(&args.place);
    if !args.place.contains("://") && path.is_dir() {
        let arenas = || arenas_of_copy(path);
        return check(args, &Folder(path.to_owned()), None, arenas, out).map(|(exit, _)| exit);
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
    let seen = known.and_then(|known| known.log);
    let arenas = || places::arenas(&client);
    let (exit, now) = check(args, &ServedLog(&client), seen.as_ref(), arenas, out)?;
    if let Some(now) = now {
        log::remember(&client, seen.as_ref(), now, &file)?;
    }
    Ok(exit)
}

/// Checks a log. Returns what is to be remembered of it, if it is one.
fn check(
    args: &VerifyArgs,
    source: &dyn Source,
    remembered: Option<&Remembered>,
    arenas: impl FnOnce() -> Result<Vec<ArenaSummary>>,
    out: &mut impl Write,
) -> Result<(Exit, Option<Remembered>)> {
    let arena = args.arena.as_deref().map(|name| arena_id(arenas()?, name)).transpose()?;
    let options = Audit { remembered: remembered.cloned(), sample: sample(args)?, arena };
    let mut teller = Teller::new();
    let watch = |progress| match progress {
        Progress::Entries(done, all) => teller.tell("entries", done, all),
        Progress::Matches(done, all) => teller.tell("matches played again", done, all),
        Progress::Parts(done, all) => teller.tell("parts of a final's seed", done, all),
    };
    let report = match audit(source, &options, watch) {
        Ok(report) => report,
        Err(AuditError::Follow(error)) if log::failed(&error).is_some() => {
            bail!("cannot read the log: {}", escape(&error.to_string()))
        }
        // It is no log, or not the one that it was: that is what was to be found out.
        Err(error) => {
            let finding = Finding { arena: None, number: None, what: error.to_string() };
            Report { findings: vec![finding], ..Report::default() }
        }
    };
    if args.json {
        print_json(&report, out)?;
    } else {
        report::print(&report, remembered, out)?;
    }
    let exit = if report.findings.is_empty() { Exit::Done } else { Exit::Negative };
    Ok((exit, report.remembered))
}

/// Returns which matches to play again. The server cannot know which, so it cannot prepare.
fn sample(args: &VerifyArgs) -> Result<Sample> {
    if args.all {
        return Ok(Sample::All);
    }
    let seed = getrandom::u64().context("the system has no random numbers")?;
    Ok(Sample::Some(args.sample as usize, Seed(seed)))
}

fn arena_id(arenas: Vec<ArenaSummary>, name: &str) -> Result<u64> {
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
