//! `agon submit`: hands in a folder as a version of a bot.
//!

use std::{io::Write, thread, time::Duration};

use agon_console::{BAD, BOLD, DIM, GOOD, client_options::SubmitArgs};
use agon_core::text::escape;
use agon_core::text::number::{duration, plural, space};
use agon_ladder::api::{Arena, ArenaSummary, Bot, Phase, Stage, StageState, Version, VersionState};
use agon_match::spec::Digest;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::http::{Body, Call, Client};
use crate::show::{self, bot_name, elo, print_json};
use crate::{Exit, api, nonces, packed::Packed, session::Session};

/// The server takes an upload of two minutes.
const UPLOAD: Duration = Duration::from_secs(150);

/// The most bytes of a message, as the server takes it.
const MAX_MESSAGE: usize = 2_000;

/// Hands in a version, and watches until it can play.
pub(super) fn submit(args: &SubmitArgs, out: &mut impl Write) -> Result<Exit> {
    ensure!(
        args.message.len() <= MAX_MESSAGE,
        "--message has {} bytes; {MAX_MESSAGE} are the most",
        args.message.len()
    );
    let packed = match args.folder.is_file() {
        true => Packed::of_file(&args.folder)?,
        false => Packed::of(&args.folder)?,
    };
    if args.dry_run {
        if args.json {
            packed.print_json(out)?;
        } else {
            packed.print(out)?;
        }
        return Ok(Exit::Done);
    }
    let session = Session::signed_in(&args.server)?;
    let client = &session.client;
    let arena = choose(client, args.arena.as_deref(), packed.game())?;
    packed.check_limits(&arena.limits)?;
    let arena = arena.summary.slug;
    say!(
        "handing in {} to {} at {}: {}, {}",
        escape(&packed.name),
        escape(&arena),
        client.address(),
        plural(packed.files.len() as u64, "file"),
        space(packed.files.bytes())
    );
    let (nonce, is_new) = nonces::nonce(&session, &arena)?;
    let version = hand_in(client, &arena, packed, args, nonce).inspect_err(|error| {
        // A reply that was lost may be an acceptance; a refusal is none.
        if is_new && api::code(error).is_some() {
            nonces::forget(&session, |nonce| nonce.arena == arena);
        }
    })?;
    let (number, name) = (version.summary.number, escape(&version.bot.name));
    match version.same_files {
        true => {
            say!("these are the files of version {number} of {name}: there is no new version");
            // It keeps the secret number that it came with, or has none.
            if is_new {
                nonces::forget(&session, |nonce| nonce.arena == arena);
            }
        }
        false => say!("version {number} of {name}"),
    }
    if args.no_wait {
        if args.json {
            print_json(&version, out)?;
        } else {
            writeln!(out, "{}", escape(&version.page))?;
        }
        return Ok(Exit::Done);
    }
    watch(client, version, args.json, out)
}

fn hand_in(
    client: &Client,
    arena: &str,
    packed: Packed,
    args: &SubmitArgs,
    nonce: Digest,
) -> Result<Version> {
    // The server names a bot that is a single file by its author: many are called `bot.py`.
    let own = packed.manifest.map(|_| packed.name);
    let name = args.name.clone().or(own).unwrap_or_default();
    let path = api::path(&["arenas", arena, "versions"]);
    let call = Call::post(path, Body::Archive(packed.archive))
        .query("name", &name)
        .query("message", &args.message)
        .query("nonce", &nonce.to_string())
        .patient();
    // If the connection ends and the archive is sent again, it makes one version.
    let call = Call { key: Some(fresh_key()?), time: UPLOAD, ..call };
    api::fetch(client, &call)
}

/// Returns a key that no other request has.
fn fresh_key() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the arena for a bot. A bot without `agon.toml` does not say its game.
fn choose(client: &Client, name: Option<&str>, game: Option<agon_games::GameId>) -> Result<Arena> {
    let all = api::arenas(client)?;
    let slug = match (name, game) {
        (Some(name), Some(game)) => named(&all, name, game.meta().id)?,
        (None, Some(game)) => by_game(&all, game.meta().id)?,
        (name, None) => {
            let slugs: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
            api::pick("arena", name, &slugs)?
        }
    };
    api::get(client, &["arenas", &slug])
}

fn named(all: &[ArenaSummary], name: &str, game: &str) -> Result<String> {
    let slugs: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
    let slug = api::pick("arena", Some(name), &slugs)?;
    match all.iter().find(|arena| arena.slug == slug) {
        Some(arena) if arena.game != game => bail!(
            "the bot is for {game}, as its agon.toml says, and {} plays {}",
            escape(&slug),
            escape(&arena.game)
        ),
        _ => Ok(slug),
    }
}

fn by_game(all: &[ArenaSummary], game: &str) -> Result<String> {
    let of_game: Vec<&ArenaSummary> = all.iter().filter(|arena| arena.game == game).collect();
    let open: Vec<&ArenaSummary> = of_game
        .iter()
        .copied()
        .filter(|arena| matches!(arena.phase, Phase::Open | Phase::Paused))
        .collect();
    match (open.as_slice(), of_game.as_slice()) {
        ([only], _) | ([], [only]) => Ok(only.slug.clone()),
        ([], []) => bail!("no arena of this server plays {game}"),
        (several, _) => {
            let shown = if several.is_empty() { &of_game } else { &open };
            let names: Vec<_> = shown.iter().take(8).map(|arena| escape(&arena.slug)).collect();
            bail!("several arenas play {game}: name one with --arena: {}", names.join(", "))
        }
    }
}

/// How often to look at first, and later.
const SOON: Duration = Duration::from_millis(300);
const LATER: Duration = Duration::from_secs(2);

/// Watches a version until it can play or has failed.
fn watch(client: &Client, version: Version, json: bool, out: &mut impl Write) -> Result<Exit> {
    let number = version.summary.number.to_string();
    let path =
        api::path(&["arenas", &version.arena, "bots", &version.bot.slug, "versions", &number]);
    let call = Call::get(path).patient();
    let mut shown: Option<VersionState> = None;
    let mut pause = SOON;
    let version = loop {
        let object: Value = api::fetch(client, &call)?;
        let now: Version = serde_json::from_value(object.clone())?;
        if shown != Some(now.summary.state) {
            if json {
                print_json(&object, out)?;
            } else {
                tell(&now);
            }
            shown = Some(now.summary.state);
        }
        if !now.summary.state.is_open() {
            break now;
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(LATER);
    };
    let is_ready = version.summary.state != VersionState::Failed;
    if !json {
        if is_ready {
            print_ready(client, &version, out)?;
        } else {
            print_failed(&version, out)?;
        }
    }
    Ok(if is_ready { Exit::Done } else { Exit::Negative })
}

/// Says how far a version is that is not ready yet.
fn tell(version: &Version) {
    let note = version.stages.iter().find(|stage| stage.state == StageState::Running);
    let note = note.filter(|stage| !stage.note.is_empty());
    let note = note.map(|stage| format!(" ({})", escape(&stage.note))).unwrap_or_default();
    match version.summary.state {
        VersionState::Queued => say!("waits for its build{note}; Ctrl-C ends only the watching"),
        VersionState::Building => say!("is being built{note}"),
        VersionState::Checking => say!("is being examined{note}"),
        VersionState::Ready | VersionState::Failed | VersionState::Retired => {}
    }
}

fn print_ready(client: &Client, version: &Version, out: &mut impl Write) -> Result<()> {
    let name = version_name(version);
    let took = version.report.as_ref().map(|report| Duration::from_millis(report.ms));
    let took = took.map(|took| format!(" {DIM}({}){DIM:#}", duration(took))).unwrap_or_default();
    writeln!(out, "{BOLD}{name}{BOLD:#} {GOOD}can play{GOOD:#}{took}")?;
    if let Some(report) = &version.report {
        // Warnings are worth reading, the rest has passed.
        let mut warnings = report.clone();
        let is_warning = |status| status == agon_ladder::api::ExaminationStatus::Warning;
        warnings.examinations.retain(|examination| is_warning(examination.status));
        show::report(&warnings, out)?;
    }
    let bot: Bot = api::get(client, &["arenas", &version.arena, "bots", &version.bot.slug])?;
    let place = escape(&version.arena);
    match (&bot.waiting, bot.summary.rank) {
        (Some(why), _) => writeln!(out, "it does not play in {place} yet: {}", escape(why))?,
        (None, Some(rank)) => {
            let rating = elo(bot.summary.rating);
            writeln!(out, "it plays in {place}: rank {rank}, rating {rating} so far")?;
        }
        (None, None) if bot.summary.owed > 0 => {
            let matches = plural(bot.summary.owed, "more match");
            writeln!(out, "it plays in {place}, and has a rank after {matches}")?;
        }
        (None, None) => writeln!(out, "it plays in {place}")?,
    }
    writeln!(out, "{}", escape(&version.page))?;
    Ok(())
}

fn print_failed(version: &Version, out: &mut impl Write) -> Result<()> {
    let stage = version.stages.iter().find(|stage| stage.state == StageState::Failed);
    let stage = stage.map(|Stage { name, .. }| format!(" at {}", escape(name)));
    let name = version_name(version);
    writeln!(out, "{BOLD}{name}{BOLD:#} {BAD}failed{BAD:#}{}", stage.unwrap_or_default())?;
    if let Some(report) = &version.report {
        if let Some(reason) = &report.reason {
            writeln!(out, "{}", escape(reason))?;
        }
        writeln!(out)?;
        show::report(report, out)?;
    }
    writeln!(out, "\n{DIM}the version before it, if there is one, continues to play{DIM:#}")?;
    writeln!(out, "{}", escape(&version.page))?;
    Ok(())
}

/// Returns the name of a version for people.
fn version_name(version: &Version) -> String {
    let mut bot = version.bot.clone();
    bot.version = Some(version.summary.number);
    bot_name(&bot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(slug: &str, game: &str, phase: Phase) -> ArenaSummary {
        ArenaSummary { slug: slug.into(), game: game.into(), phase, ..ArenaSummary::default() }
    }

    #[test]
    fn the_game_decides_if_one_arena_plays_it() {
        let all = [
            arena("spring", "chess", Phase::Over),
            arena("autumn", "chess", Phase::Open),
            arena("go", "go", Phase::Frozen),
        ];
        assert_eq!(by_game(&all, "chess").unwrap(), "autumn");
        // The server says why it takes no version.
        assert_eq!(by_game(&all, "go").unwrap(), "go");
        assert!(by_game(&all, "shogi").unwrap_err().to_string().contains("no arena"));
        let two = [all[1].clone(), arena("club", "chess", Phase::Paused)];
        let error = by_game(&two, "chess").unwrap_err().to_string();
        assert!(error.ends_with("--arena: autumn, club"), "{error}");
    }
}
