//! Bots that are folders: `agon.toml` in the folder says how the bot is built and run.
//!
//! Reading such a bot copies its files, builds it in the copy, and makes the bot that plays there.
//! So the folder stays as it is, and the bot sees its files at home and in a class alike.

mod error;
mod files;
mod ignore;
mod manifest;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_core::Coverage;
use agon_spec::BotManifest;

pub use error::FolderError;

use crate::{
    BotSpec, HostOptions, OpenError, build_in,
    sandbox::libraries,
    snapshot::{CopyFolder, Snapshot},
};

/// A bot that is a folder, when it was read.
#[derive(Debug)]
pub(crate) struct FolderBot {
    manifest: BotManifest,
    /// The folder that was read.
    place: PathBuf,
    /// The bot in the copy.
    spec: BotSpec,
    copy: CopyFolder,
}

impl FolderBot {
    /// Reads the bot of a folder, and builds it.
    ///
    /// # Errors
    /// If the folder is no bot, a file cannot be read, or the build fails.
    pub(crate) fn read(place: &Path, options: &HostOptions) -> Result<Snapshot, OpenError> {
        let manifest = manifest::read(place)?;
        let files = files::list(place, &manifest)?;
        let prepare = |source| OpenError::unprepared("the copy of the bot's folder", source);
        let launcher = options.sandbox.launcher().map_err(prepare)?;
        let copy = CopyFolder::new(&launcher).map_err(prepare)?;
        let folder = copy.path();
        let digest = files::copy(place, &files, Some(&folder))?;
        if let Some(line) = &manifest.build {
            let place = place.display();
            options.announce(&format!("building {place} with `{line}`"));
            build_in(&folder, line, options)?;
        }
        let text = manifest.spec();
        let run = |why| FolderError::Run { folder: place.to_owned(), run: text.clone(), why };
        let spec: BotSpec = text.parse().map_err(|error| run(format!("{error}")))?;
        let outside = || run("it names no file of the folder".to_owned());
        let spec = spec.in_folder(&folder).ok_or_else(outside)?;
        let named = vec![place.join(agon_spec::MANIFEST)];
        let bot = FolderBot { manifest, place: place.to_owned(), spec, copy };
        let others = libraries().into_iter().chain(options.sandbox.read.iter().cloned());
        Ok(Snapshot::of_folder_bot(Arc::new(bot), digest, named, others.collect()))
    }

    /// Returns the facts about a folder that has not been read: its digest, without a build.
    ///
    /// # Errors
    /// If the folder is no bot, or a file cannot be read.
    pub(crate) fn digest(place: &Path) -> Result<(blake3::Hash, Coverage), FolderError> {
        let manifest = manifest::read(place)?;
        let files = files::list(place, &manifest)?;
        Ok((files::copy(place, &files, None)?, Coverage::Folder))
    }

    /// Returns the name of the bot in a folder, if its manifest can be read and has one.
    pub(crate) fn name(place: &Path) -> Option<String> {
        manifest::read(place).ok()?.name
    }

    /// Returns what the manifest of a folder runs, before the folder is read.
    pub(crate) fn unread(place: &Path) -> Option<BotSpec> {
        manifest::read(place).ok()?.spec().parse().ok()
    }

    /// Returns the bot in the copy.
    pub(crate) fn spec(&self) -> &BotSpec {
        &self.spec
    }

    /// Returns the options for the bot in the copy: it starts there, and sees the copy.
    pub(crate) fn options(&self, options: &HostOptions) -> HostOptions {
        let folder = self.copy.path();
        let mut options = HostOptions { folder: Some(folder.clone()), ..options.clone() };
        options.sandbox.read.push(folder);
        options
    }

    /// Checks that the bot plays this game.
    ///
    /// # Errors
    /// If it plays another one.
    pub(crate) fn check_game(&self, game: &'static str) -> Result<(), FolderError> {
        let own = self.manifest.game.meta().id;
        if own == game {
            return Ok(());
        }
        Err(FolderError::OtherGame { folder: self.place.clone(), own, game })
    }
}
