//! Bots that are folders: `agon.toml` in the folder says how the bot is built and run.
//!
//! Reading such a bot copies its files, builds it in the copy, and makes the bot that plays there.
//! So the folder stays as it is, and the bot sees its files at home and in a class alike.

mod error;
mod files;
mod ignore;
pub(crate) mod manifest;

use std::{path::Path, sync::Arc};

use agon_games::GameId;
use agon_spec::BotManifest;

pub use error::FolderError;
pub use files::{FolderFile, is_left_behind};

use crate::{
    BotSpec, HostOptions, OpenError, build_in,
    sandbox::libraries,
    snapshot::{CopyFolder, Snapshot, copy_error},
    spec::CopiedBot,
};

/// Returns the game that a folder's bot is for, as its manifest says.
///
/// # Errors
/// If the folder has no valid manifest.
pub fn folder_game(folder: &Path) -> Result<GameId, FolderError> {
    manifest::read(folder).map(|manifest| manifest.game)
}

/// Reads the manifest of a folder and the files that belong to its bot, in byte order of their
/// paths. Nothing is built.
///
/// # Errors
/// If the folder is no bot, or a file cannot be read.
pub fn read_folder(folder: &Path) -> Result<(BotManifest, Vec<FolderFile>), FolderError> {
    let manifest = manifest::read(folder)?;
    let files = files::list(folder, &manifest)?;
    Ok((manifest, files::read(folder, files)?))
}

/// Reads the bot of a folder, and builds it. Returns the bot in the copy, which lasts as long as
/// the snapshot.
///
/// # Errors
/// If the folder is no bot, a file cannot be read, or the build fails.
pub(crate) fn read(
    place: &Path,
    options: &HostOptions,
) -> Result<(Snapshot, CopiedBot), OpenError> {
    let manifest = manifest::read_for(place, options.game)?;
    // Before a build, which may take long.
    if let Some(game) = options.game {
        check_game(place, manifest.game, game.meta().id)?;
    }
    let files = files::list(place, &manifest)?;
    let prepare = |source| OpenError::unprepared("the copy of the bot's folder", source);
    let launcher = options.sandbox.launcher().map_err(prepare)?;
    let mut copy = CopyFolder::new(&launcher).map_err(prepare)?;
    let folder = copy.path();
    let digest = files::copy(place, &files, Some(&folder)).map_err(|error| match error {
        FolderError::Read { path, source } => copy_error(&path, source),
        error => error.into(),
    })?;
    if let Some(line) = &manifest.build {
        options.announce(&format!("building {} with `{line}`", place.display()));
        build_in(&folder, line, options)?;
        // What plays is a new copy: the build may have left links to anywhere and closed folders.
        let built = files::list_built(place, &folder, line)?;
        let whole = CopyFolder::new(&launcher).map_err(prepare)?;
        files::copy_built(&folder, &built, &whole.path())
            .map_err(|source| copy_error(place, source))?;
        copy = whole;
    }
    let folder = copy.path();
    let text = manifest.spec();
    let run = |why| FolderError::Run { folder: place.to_owned(), run: text.clone(), why };
    let spec = BotSpec::of_folder(&folder, &text).map_err(|error| run(error.to_string()))?;
    let spec = spec.ok_or_else(|| run("it names no file of the folder".to_owned()))?;
    let named = vec![place.join(agon_spec::MANIFEST)];
    let others =
        libraries(&options.sandbox.env).into_iter().chain(options.sandbox.read.iter().cloned());
    let snapshot = Snapshot::of_copied_folder(Arc::new(copy), digest, named, others.collect());
    let bot = CopiedBot { spec, game: manifest.game, place: place.to_owned(), folder };
    Ok((snapshot, bot))
}

/// Checks that the bot of a folder plays `game`.
///
/// # Errors
/// If its own game is another one.
pub(crate) fn check_game(place: &Path, own: GameId, game: &'static str) -> Result<(), FolderError> {
    let own = own.meta().id;
    if own == game {
        return Ok(());
    }
    Err(FolderError::OtherGame { folder: place.to_owned(), own, game })
}

/// Returns the digest of a folder that has not been read, without a build.
///
/// # Errors
/// If the folder is no bot, or a file cannot be read.
pub(crate) fn digest(place: &Path) -> Result<blake3::Hash, FolderError> {
    let manifest = manifest::read(place)?;
    let files = files::list(place, &manifest)?;
    files::copy(place, &files, None)
}
