//! Finds the bots of a match spec that was read from JSON: built-in ones, and those in a store.
//!
//! Workers on other machines find all bots of a match with it; a ladder server unpacks each version
//! by itself ([`unpacked`]).

use std::{io::ErrorKind, sync::Arc};

use agon_bots::{BotSpec, CopyFolder, HostOptions, OpenError, build_in, is_left_behind};
use agon_core::BotInfo;
use agon_match::spec::{BlobSeat, BuiltinSeat, MatchSpec, SeatBot};
use thiserror::Error;
use tracing::debug;

use crate::{BlobStore, BotEntry, Bundle, BundleError, host_options};

/// Why the bots of a spec cannot play here.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ResolveError {
    message: String,
    /// Whether the cause is a bot, not a lack of this machine.
    pub is_of_the_bot: bool,
}

impl ResolveError {
    /// An error of this machine, its store, or the spec.
    fn of_the_machine(message: impl ToString) -> ResolveError {
        ResolveError { message: message.to_string(), is_of_the_bot: false }
    }

    fn open(name: &str, error: &OpenError) -> ResolveError {
        let is_of_the_bot = !error.is_lack_of_the_machine();
        ResolveError { message: format!("{name}: {error}"), is_of_the_bot }
    }

    fn bundle(name: &str, error: &BundleError) -> ResolveError {
        let is_of_the_bot = match error {
            // A path of it is too long here.
            BundleError::Io { source, .. } => source.kind() == ErrorKind::InvalidFilename,
            BundleError::Refused(_) => true,
        };
        ResolveError { message: format!("{name}: {error}"), is_of_the_bot }
    }
}

/// Finds the bots of a spec without local seats. Those in the store are unpacked, built and read
/// once, however many seats they have.
pub fn resolve(
    spec: &MatchSpec,
    store: &BlobStore,
    machine: &HostOptions,
) -> Result<Vec<Arc<BotEntry>>, ResolveError> {
    let checked = spec.check().and_then(|()| spec.check_portable());
    checked.map_err(ResolveError::of_the_machine)?;
    let host = host_options(&spec.settings, machine);
    let mut read: Vec<(&BlobSeat, BotEntry)> = Vec::new();
    let mut bots = Vec::new();
    for seat in &spec.seats {
        let name = &seat.name;
        let bot = match &seat.bot {
            SeatBot::Builtin(builtin) => built_in(spec, name, builtin)?,
            SeatBot::Blob(blob) => {
                let known = read.iter().find(|(other, _)| *other == blob);
                let entry = match known {
                    Some((_, entry)) => entry.clone(),
                    None => {
                        let entry = unpacked(name, blob, store, &host)?;
                        read.push((blob, entry.clone()));
                        entry
                    }
                };
                entry.named(name)
            }
            SeatBot::Local(local) => return Err(ResolveError::of_the_machine(local.reason())),
        };
        bots.push(Arc::new(bot));
    }
    Ok(bots)
}

fn built_in(spec: &MatchSpec, name: &str, seat: &BuiltinSeat) -> Result<BotEntry, ResolveError> {
    let params = seat.params.iter().map(|(param, value)| (param.clone(), value.clone()));
    let bot = BotSpec::of_builtin(&seat.bot, params.collect());
    let own = bot.version(spec.game.kind());
    if own != Some(seat.version) {
        let own = own.map_or("no such bot".to_owned(), |own| format!("version {own}"));
        return Err(ResolveError::of_the_machine(format!(
            "{name}: the match is for version {} of the built-in bot `{}`, but this Agon has {own}",
            seat.version, seat.bot
        )));
    }
    let info = bot.info().map_err(|error| ResolveError::open(name, &error))?;
    let entry = BotEntry { spec: bot, info: BotInfo { version: own, ..info }, folder: None };
    Ok(entry.named(name))
}

/// Unpacks a bot of the store into a folder of its own, builds it and reads it.
pub fn unpacked(
    name: &str,
    seat: &BlobSeat,
    store: &BlobStore,
    host: &HostOptions,
) -> Result<BotEntry, ResolveError> {
    let bytes = store
        .get(seat.digest)
        .map_err(|error| ResolveError::of_the_machine(format!("{name}: {error}")))?;
    let in_bundle = |error: BundleError| ResolveError::bundle(name, &error);
    let bundle = Bundle::from_bytes(&bytes).map_err(in_bundle)?;
    let unpack = |bundle: &Bundle| -> Result<CopyFolder, ResolveError> {
        let folder = CopyFolder::temporary(&host.sandbox).map_err(|error| {
            let message = format!("cannot make a folder for the files of {name}: {error}");
            ResolveError::of_the_machine(message)
        })?;
        bundle.unpack(&folder.path()).map_err(in_bundle)?;
        debug!(name, digest = %seat.digest, folder = ?folder.path(), "unpacks a bot");
        Ok(folder)
    };
    let mut folder = unpack(&bundle)?;
    if let Some(line) = &seat.build {
        build_in(&folder.path(), line, host).map_err(|error| ResolveError::open(name, &error))?;
        // What plays is unpacked anew: the build may have left links to anywhere.
        let built = Bundle::pack_without(&folder.path(), is_left_behind).map_err(in_bundle)?;
        folder = unpack(&built)?;
    }
    let place = folder.path();
    let host = HostOptions { folder: Some(place.clone()), ..host.clone() };
    let of_the_bot = |message| ResolveError { message, is_of_the_bot: true };
    let run = BotSpec::of_folder(&place, &seat.run)
        .map_err(|error| of_the_bot(format!("{name}: {error}")))?;
    let run = run.ok_or_else(|| {
        of_the_bot(format!(
            "{name}: `{}` has no files below the bot's folder; a bot in a store is a file, or a \
             program with its files there",
            seat.run
        ))
    })?;
    let run = run.named(name).read(&host, &[]).map_err(|error| ResolveError::open(name, &error))?;
    let info = run.info().map_err(|error| ResolveError::open(name, &error))?;
    // Replays name what was handed in, not where it was unpacked.
    let info = BotInfo { spec: agon_core::text::escape(&seat.run).into_owned(), ..info };
    Ok(BotEntry { spec: run, info, folder: Some(Arc::new(folder)) })
}
