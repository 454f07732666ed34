//! Bots that are folders: `agon.toml` in the folder says how the bot is built and run.
//!
//! Reading such a bot copies its files, builds it in the copy, and makes the bot that plays there.
//! So the folder stays as it is, and the bot sees its files at home and in a class alike.

mod error;
mod files;
mod ignore;
mod kept_build;
pub(crate) mod manifest;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_games::GameId;
use agon_match::spec::BotManifest;
use agon_sandbox::Launcher;
use kept_build::KeptBuild;

pub use error::FolderError;
pub use files::{FolderFile, is_left_behind};

use crate::{
    BotSpec, HostOptions, OpenError, build_in,
    sandbox::{installed, libraries},
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
    let files = files::list(folder, &manifest, None)?;
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
        let build = Build { place, line, launcher: &launcher, installed: &installed };
        copy = build.built(&folder, &digest, options)?;
    }
    let folder = copy.path();
    let text = manifest.spec();
    let run = |why| FolderError::Run { folder: place.to_owned(), run: text.clone(), why };
    let spec = BotSpec::of_folder_with(&folder, &text, &installed);
    let spec = spec.map_err(|error| run(error.to_string()))?;
    let spec = spec.ok_or_else(|| run(no_bot(&manifest.run)))?;
    let named = vec![place.join(agon_match::spec::MANIFEST)];
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

/// The build of a folder.
struct Build<'a> {
    /// The folder.
    place: &'a Path,
    /// The line of the manifest.
    line: &'a str,
    launcher: &'a Launcher,
    /// The places of programs that links may lead to.
    installed: &'a [PathBuf],
}

impl Build<'_> {
    /// Builds in the copy `folder`, whose files have this digest, and returns a copy of what the
    /// build leaves: there may be links to anywhere and closed folders in the first.
    ///
    /// The same files are built once.
    fn built(
        &self,
        folder: &Path,
        digest: &blake3::Hash,
        options: &HostOptions,
    ) -> Result<CopyFolder, OpenError> {
        let kept = KeptBuild::of(digest, self.line, options);
        let known = kept.as_ref().and_then(|kept| kept.find());
        // Another process may remove it meanwhile.
        if let Some(Ok(copy)) = known.map(|known| self.copied(&known)) {
            return Ok(copy);
        }
        options.announce(&format!("building {} with `{}`", self.place.display(), self.line));
        build_in(folder, self.line, options)?;
        let copy = self.copied(folder)?;
        if let Some(kept) = kept {
            let files = files::list_built(self.place, &copy.path(), self.line, self.installed)?;
            kept.keep(&copy.path(), &files);
        }
        Ok(copy)
    }

    /// Copies what a build has left.
    fn copied(&self, built: &Path) -> Result<CopyFolder, OpenError> {
        let files = files::list_built(self.place, built, self.line, self.installed)?;
        let copy = CopyFolder::new(self.launcher)
            .map_err(|source| OpenError::unprepared("the copy of the bot's folder", source))?;
        files::copy_built(built, &files, &copy.path())
            .map_err(|source| copy_error(self.place, source))?;
        Ok(copy)
    }
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
    // Whether links lead to programs that bots see shows when the folder is read.
    let files = files::list(place, &manifest, Some(&[PathBuf::from("/")]))?;
    files::copy(place, &files, None)
}
