//! Bots that are folders: `agon.toml` in the folder says how the bot is built and run.
//!
//! Reading such a bot copies its files, builds it in the copy, and makes the bot that plays there.
//! So the folder stays as it is, and the bot sees its files at home and in a class alike.

mod error;
mod files;
mod ignore;
mod kept_build;
pub(crate) mod manifest;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_games::GameId;
use agon_match::spec::{BotManifest, MANIFEST};
use kept_build::KeptBuild;

use crate::sandbox::{installed, libraries};
use crate::snapshot::{CopyFolder, Snapshot, copy_error};
use crate::{BotSpec, HostOptions, OpenError, build_in, spec::CopiedBot};

pub use error::FolderError;
pub use files::{FolderFile, is_left_behind};

/// Returns the game that a folder's bot is for, as its manifest says.
pub fn folder_game(folder: &Path) -> Result<GameId, FolderError> {
    manifest::read(folder).map(|manifest| manifest.game)
}

/// Reads the manifest of a folder and the files that belong to its bot, in byte order of their
/// paths. Nothing is built.
pub fn read_folder(folder: &Path) -> Result<(BotManifest, Vec<FolderFile>), FolderError> {
    let manifest = manifest::read(folder)?;
    let files = files::list(folder, &manifest, None)?;
    Ok((manifest, files::read(folder, files)?))
}

/// Reads the bot of a folder, and builds it. Returns the bot in the copy, which lasts as long as
/// the snapshot.
pub(crate) fn read(
    place: &Path,
    options: &HostOptions,
) -> Result<(Snapshot, CopiedBot), OpenError> {
    let manifest = manifest::read_for(place, options.game)?;
    // Before a build, which may take long.
    if let Some(game) = options.game {
        check_game(place, manifest.game, game.meta().id)?;
    }
    let installed = installed(&options.sandbox);
    let files = files::list(place, &manifest, Some(&installed))?;
    let prepare = |source| OpenError::unprepared("the copy of the bot's folder", source);
    let launcher = options.sandbox.launcher().map_err(prepare)?;
    let mut copy = CopyFolder::new(&launcher).map_err(prepare)?;
    let folder = copy.path();
    let digest = files::copy(place, &files, Some(&folder)).map_err(|error| match error {
        FolderError::Read { path, source } => copy_error(&path, source),
        error => error.into(),
    })?;
    if let Some(line) = &manifest.build {
        copy = built(place, line, &folder, &digest, options, &installed)?;
    }
    let folder = copy.path();
    let text = manifest.spec();
    let run = |why: String| {
        FolderError::Run(format!("{}/{MANIFEST}: run = \"{text}\": {why}", place.display()))
    };
    let spec = BotSpec::of_folder_with(&folder, &text, &installed);
    let spec = spec.map_err(|error| run(error.to_string()))?;
    let spec = spec.ok_or_else(|| run(no_bot(&manifest.run)))?;
    let named = vec![place.join(MANIFEST)];
    let others =
        libraries(&options.sandbox.env).into_iter().chain(options.sandbox.read.iter().cloned());
    let snapshot = Snapshot::of_copied_folder(Arc::new(copy), digest, named, others.collect());
    let bot = CopiedBot { spec, game: manifest.game, place: place.to_owned(), folder };
    Ok((snapshot, bot))
}

/// Says why a command line names no bot of the folder.
fn no_bot(run: &str) -> String {
    let words = shlex::split(run).unwrap_or_default();
    let first = words.first().map(Path::new).filter(|first| first.is_absolute());
    match first.and_then(Path::file_name) {
        Some(name) if words.len() > 1 => format!(
            "`{}` lies in no folder of the system and in no runtime that bots see; write `{}`, \
             which is then found on PATH",
            words[0],
            name.display()
        ),
        _ => "it names no file of the folder".to_owned(),
    }
}

/// Builds in the copy `folder`, whose files have this digest, with the manifest's line, and returns
/// a copy of what the build leaves: there may be links to anywhere and closed folders in the first.
///
/// The same files are built once.
fn built(
    place: &Path,
    line: &str,
    folder: &Path,
    digest: &blake3::Hash,
    options: &HostOptions,
    installed: &[PathBuf],
) -> Result<CopyFolder, OpenError> {
    let prepare = |source| OpenError::unprepared("the copy of the bot's folder", source);
    let launcher = options.sandbox.launcher().map_err(prepare)?;
    let copied = |built: &Path| -> Result<CopyFolder, OpenError> {
        let files = files::list_built(place, built, line, installed)?;
        let copy = CopyFolder::new(&launcher).map_err(prepare)?;
        files::copy_built(built, &files, &copy.path())
            .map_err(|source| copy_error(place, source))?;
        Ok(copy)
    };
    let kept = KeptBuild::of(digest, line, options);
    let known = kept.as_ref().and_then(|kept| kept.find());
    // Another process may remove it meanwhile.
    if let Some(Ok(copy)) = known.map(|known| copied(&known)) {
        return Ok(copy);
    }
    options.announce(&format!("building {} with `{line}`", place.display()));
    build_in(folder, line, options)?;
    let copy = copied(folder)?;
    if let Some(kept) = kept {
        kept.keep(&copy.path(), &files::list_built(place, &copy.path(), line, installed)?);
    }
    Ok(copy)
}

/// Checks that the bot of a folder plays `game`.
pub(crate) fn check_game(place: &Path, own: GameId, game: &'static str) -> Result<(), FolderError> {
    let own = own.meta().id;
    if own == game {
        return Ok(());
    }
    Err(FolderError::Manifest(format!(
        "`{}` is a bot for {own}, as its {MANIFEST} says, not for {game}",
        place.display()
    )))
}

/// Returns the digest of a folder that has not been read, without a build.
pub(crate) fn digest(place: &Path) -> Result<blake3::Hash, FolderError> {
    let manifest = manifest::read(place)?;
    // Whether links lead to programs that bots see shows when the folder is read.
    let files = files::list(place, &manifest, Some(&[PathBuf::from("/")]))?;
    files::copy(place, &files, None)
}
