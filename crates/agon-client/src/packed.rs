//! The files of a bot's folder, as an archive, and their digest in the log.

use std::io::{self, Write};
use std::{ffi::OsStr, fs, path::Path};

use agon_arena::Bundle;
use agon_bots::read_folder;
use agon_console::{BOLD, DIM, print_table, table};
use agon_core::text::escape;
use agon_core::text::number::{plural, space};
use agon_games::GameId;
use agon_ladder::api::Limits;
use agon_ladder::archive::{Files, is_archive};
use agon_match::spec::{BotManifest, Digest};
use anyhow::{Context, Result, bail, ensure};
use comfy_table::CellAlignment;
use serde_json::json;

use crate::show::print_json;

/// A bot that can be sent.
#[derive(Debug)]
pub(crate) struct Packed {
    /// What its `agon.toml` says; `None` of a single file, which the server completes by a starter
    /// kit.
    pub(crate) manifest: Option<BotManifest>,
    /// Its name: that of the manifest, or that of the folder; of a single file, the file's.
    pub(crate) name: String,
    /// The files that belong to it.
    pub(crate) files: Files,
    /// The same, as a gzipped tar archive.
    pub(crate) archive: Vec<u8>,
}

impl Packed {
    /// Packs a bot that is a single file, without `agon.toml`.
    pub(crate) fn of_file(path: &Path) -> Result<Packed> {
        let contents =
            fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        ensure!(
            !is_archive(&contents),
            "`{}` is an archive; unpack it, and name the folder of the bot",
            path.display()
        );
        let name = utf8(path.file_name(), path)?;
        let mut files = Files::default();
        files.add(name, contents, false)?;
        let archive = agon_ladder::archive::pack(&files).context("cannot pack the file")?;
        let name = agon_core::text::shown_name(name).into_owned();
        Ok(Packed { manifest: None, name, files, archive })
    }

    /// Packs the files that belong to the bot of a folder.
    pub(crate) fn of(folder: &Path) -> Result<Packed> {
        ensure!(
            folder.is_dir(),
            "`{}` is no folder; name the folder of the bot, in which its agon.toml is",
            folder.display()
        );
        let (manifest, all) = read_folder(folder)?;
        let mut files = Files::default();
        for file in all {
            files.add(
                utf8(Some(file.path.as_os_str()), &file.path)?,
                file.contents,
                file.is_executable,
            )?;
        }
        let archive = agon_ladder::archive::pack(&files).context("cannot pack the files")?;
        let name = match &manifest.name {
            Some(name) => name.clone(),
            None => name_of(folder)?,
        };
        Ok(Packed { manifest: Some(manifest), name, files, archive })
    }

    /// Returns the game that its `agon.toml` names.
    pub(crate) fn game(&self) -> Option<GameId> {
        self.manifest.as_ref().map(|manifest| manifest.game)
    }

    /// Returns the digest of the files, as the public log names a hand-in.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&Bundle::of_files(self.files.parts()).to_bytes())
    }

    /// Checks that an arena takes so much.
    pub(crate) fn check_limits(&self, limits: &Limits) -> Result<()> {
        let (bytes, files) = (self.files.bytes(), self.files.len() as u64);
        if bytes > limits.bytes || files > limits.files.into() {
            bail!(
                "the bot has {} in {}; this arena takes {} in {}. Name in .agonignore what the bot \
                 does not need; `agon submit --dry-run` lists the files",
                space(bytes),
                plural(files, "file"),
                space(limits.bytes),
                plural(limits.files.into(), "file")
            );
        }
        Ok(())
    }

    /// Prints what would be sent, as JSON.
    pub(crate) fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        let file = |(path, file): (&str, &agon_ladder::archive::File)| {
            json!({
                "path": path,
                "bytes": file.contents.len(),
                "is_executable": file.is_executable,
            })
        };
        let all = json!({
            "name": self.name,
            "game": self.game().map(|game| game.meta().id),
            "build": self.manifest.as_ref().and_then(|manifest| manifest.build.as_ref()),
            "run": self.manifest.as_ref().map(|manifest| &manifest.run),
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "bytes": self.files.bytes(),
            "packed_bytes": self.archive.len(),
        });
        print_json(&all, out)
    }

    /// Prints what would be sent.
    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Packed { manifest, name, files, archive } = self;
        let how = match manifest {
            Some(BotManifest { game, build, run, .. }) => {
                let build = build.as_deref().map(|line| format!(" · build `{}`", escape(line)));
                format!("{game}{} · run `{}`", build.unwrap_or_default(), escape(run))
            }
            None => "a single file, which the server completes by a starter kit".to_owned(),
        };
        writeln!(out, "{BOLD}{}{BOLD:#} · {how}\n", escape(name))?;
        let mut rows = table();
        for (path, file) in files.iter() {
            let note = if file.is_executable { "executable" } else { "" };
            let bytes = file.contents.len().to_string();
            rows.add_row([bytes, path.to_owned(), format!("{DIM}{note}{DIM:#}")]);
        }
        let sizes = rows.column_iter_mut().take(1);
        sizes.for_each(|sizes| sizes.set_cell_alignment(CellAlignment::Right));
        print_table(&rows, out)?;
        writeln!(
            out,
            "\n{}, {}; {} packed. Nothing was sent.",
            plural(files.len() as u64, "file"),
            space(files.bytes()),
            space(archive.len() as u64)
        )
    }
}

fn utf8<'a>(part: Option<&'a OsStr>, path: &Path) -> Result<&'a str> {
    let part = part.and_then(OsStr::to_str);
    part.with_context(|| format!("the name of `{}` is not UTF-8; rename the file", path.display()))
}

/// Returns the name of a folder, also of `.`.
fn name_of(folder: &Path) -> Result<String> {
    let whole =
        folder.canonicalize().with_context(|| format!("cannot read {}", folder.display()))?;
    let name = whole.file_name().map(|name| name.to_string_lossy());
    Ok(agon_core::text::shown_name(&name.unwrap_or("bot".into())).into_owned())
}
