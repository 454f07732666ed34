//! Finds the bots of a match spec that was read from JSON: built-in ones, and those in a store.
//!
//! A ladder server finds the bots of its authors with it; `agon` itself plays bots of its own
//! machine.

use std::sync::Arc;

use agon_bots::{
    BotSpec, CopyFolder, HostOptions, OpenError, ParseSpecError, build_in, is_left_behind,
};
use agon_core::BotInfo;
use agon_games::with_game;
use agon_match::spec::{BlobSeat, BuiltinSeat, MatchSpec, NotPortable, SeatBot, SpecError};
use thiserror::Error;
use tracing::debug;

use crate::{BlobStore, BotEntry, Bundle, BundleError, StoreError, host_options};

/// Why the bots of a spec cannot play here.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The spec does not fit this Agon.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The spec is about another machine.
    #[error(transparent)]
    NotPortable(#[from] NotPortable),
    /// A bot's blob is missing or damaged.
    #[error("{name}: {source}")]
    Store {
        /// The bot's name.
        name: String,
        /// Why.
        source: StoreError,
    },
    /// A bot's blob is no bundle, or cannot be unpacked.
    #[error("{name}: {source}")]
    Bundle {
        /// The bot's name.
        name: String,
        /// Why.
        source: BundleError,
    },
    /// The `run` of a seat names no bot.
    #[error("{name}: {source}")]
    Run {
        /// The bot's name.
        name: String,
        /// Why.
        source: ParseSpecError,
    },
    /// A bot has no files in its folder.
    #[error(
        "{name}: `{run}` has no files below the bot's folder; a bot in a store is a file, or a \
         program with its files there"
    )]
    Kind {
        /// The bot's name.
        name: String,
        /// How it is run.
        run: String,
    },
    /// A built-in bot has another version here.
    #[error(
        "{name}: the match is for version {wanted} of the built-in bot `{bot}`, but this Agon has \
         {}",
        .own.map_or("no such bot".to_owned(), |own| format!("version {own}"))
    )]
    Version {
        /// The bot's name in the match.
        name: String,
        /// The built-in bot.
        bot: String,
        /// The version in the spec.
        wanted: u32,
        /// The version of this Agon.
        own: Option<u32>,
    },
    /// A bot cannot be built or read.
    #[error("{name}: {source}")]
    Open {
        /// The bot's name.
        name: String,
        /// Why.
        source: OpenError,
    },
    /// There is no room for the files of a bot.
    #[error("cannot make a folder for the files of {name}: {source}")]
    Folder {
        /// The bot's name.
        name: String,
        /// Why.
        source: std::io::Error,
    },
}

impl ResolveError {
    /// Returns whether the cause is the bot, not a lack of this machine.
    pub fn is_of_the_bot(&self) -> bool {
        match self {
            ResolveError::Run { .. } | ResolveError::Kind { .. } => true,
            ResolveError::Open { source, .. } => !source.is_lack_of_the_machine(),
            ResolveError::Bundle { source: BundleError::Io { source, .. }, .. } => {
                // A path of it is too long here.
                source.kind() == std::io::ErrorKind::InvalidFilename
            }
            ResolveError::Bundle { .. } => true,
            _ => false,
        }
    }
}

/// Finds the bots of a spec without local seats. Those in the store are unpacked, built and read
/// once, however many seats they have.
///
/// # Errors
/// If the spec cannot be played here, or a bot is missing, damaged or cannot be built.
pub fn resolve(
    spec: &MatchSpec,
    store: &BlobStore,
    machine: &HostOptions,
) -> Result<Vec<Arc<BotEntry>>, ResolveError> {
    spec.check()?;
    spec.check_portable()?;
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
            SeatBot::Local(local) => return Err(local.reason().into()),
        };
        bots.push(Arc::new(bot));
    }
    Ok(bots)
}

fn built_in(spec: &MatchSpec, name: &str, seat: &BuiltinSeat) -> Result<BotEntry, ResolveError> {
    let params = seat.params.iter().map(|(param, value)| (param.clone(), value.clone()));
    let bot = BotSpec::of_builtin(&seat.bot, params.collect());
    let own = with_game!(spec.game, G => bot.version::<G>());
    if own != Some(seat.version) {
        let bot = seat.bot.clone();
        return Err(ResolveError::Version {
            name: name.to_owned(),
            bot,
            wanted: seat.version,
            own,
        });
    }
    let info = bot.info().map_err(|source| open_error(name, source))?;
    let entry = BotEntry { spec: bot, info: BotInfo { version: own, ..info }, folder: None };
    Ok(entry.named(name))
}

/// Unpacks a bot of the store into a folder of its own, builds it and reads it.
///
/// # Errors
/// If the bot is missing, damaged, or cannot be built or read.
pub fn unpacked(
    name: &str,
    seat: &BlobSeat,
    store: &BlobStore,
    host: &HostOptions,
) -> Result<BotEntry, ResolveError> {
    let bytes = store
        .get(seat.digest)
        .map_err(|source| ResolveError::Store { name: name.to_owned(), source })?;
    let in_bundle = |source| ResolveError::Bundle { name: name.to_owned(), source };
    let bundle = Bundle::from_bytes(&bytes).map_err(in_bundle)?;
    let unpack = |bundle: &Bundle| -> Result<CopyFolder, ResolveError> {
        let folder = CopyFolder::temporary(&host.sandbox)
            .map_err(|source| ResolveError::Folder { name: name.to_owned(), source })?;
        bundle.unpack(&folder.path()).map_err(in_bundle)?;
        debug!(name, digest = %seat.digest, folder = ?folder.path(), "unpacks a bot");
        Ok(folder)
    };
    let mut folder = unpack(&bundle)?;
    if let Some(line) = &seat.build {
        build_in(&folder.path(), line, host).map_err(|source| open_error(name, source))?;
        // What plays is unpacked anew: the build may have left links to anywhere.
        let built = Bundle::pack_without(&folder.path(), is_left_behind).map_err(in_bundle)?;
        folder = unpack(&built)?;
    }
    let place = folder.path();
    let host = HostOptions { folder: Some(place.clone()), ..host.clone() };
    let run = BotSpec::of_folder(&place, &seat.run)
        .map_err(|source| ResolveError::Run { name: name.to_owned(), source })?;
    let kind = || ResolveError::Kind { name: name.to_owned(), run: seat.run.clone() };
    let run = run.ok_or_else(kind)?;
    let run = run.named(name).read(&host, &[]).map_err(|source| open_error(name, source))?;
    let info = run.info().map_err(|source| open_error(name, source))?;
    // Replays name what was handed in, not where it was unpacked.
    let info = BotInfo { spec: agon_core::text::escape(&seat.run).into_owned(), ..info };
    Ok(BotEntry { spec: run, info, folder: Some(Arc::new(folder)) })
}

fn open_error(name: &str, source: OpenError) -> ResolveError {
    ResolveError::Open { name: name.to_owned(), source }
}
