//! Reads the files of a bot: copies and digests them, so that later changes have no effect. Tells
//! its name, kind and digest, for replays, reports and the keys of results.
//!
//! The digest shows later whether a bot has changed since a match.

use std::{ffi::OsString, sync::Arc};

use agon_core::{BotInfo, Coverage};
use agon_games::any::GameKind;

use crate::{
    Beyond, BotSpec, HostOptions, OpenError, Snapshot, folder_bot, program::Program,
    spec::BotSource,
};

impl BotSpec {
    /// Returns facts about the bot that can be checked later.
    ///
    /// They are about the snapshot of a bot that has been read, otherwise about its current
    /// files. The digest is BLAKE3 in hexadecimal digits; built-in bots, running programs and
    /// people have none.
    /// - For one file it is the output of `b3sum FILE`.
    /// - For a folder it is the digest of a list with a line for each file, as `b3sum` prints it,
    ///   in order of paths.
    /// - For a bot that is a folder with a manifest it covers paths, executable bits and contents.
    /// - For several files and folders it is the digest of their digests one after another. The
    ///   files that the bot's text names come first, then the folders.
    pub fn info(&self) -> Result<BotInfo, OpenError> {
        if let (BotSource::Folder(folder), None) = (&self.source, &self.snapshot) {
            let digest = folder_bot::digest(folder)?;
            return Ok(self.info_with(Some(digest.to_string()), Some(Coverage::Folder)));
        }
        let now;
        let snapshot = match &self.snapshot {
            Some(snapshot) => Some(&**snapshot),
            None => {
                let options = HostOptions::default();
                now = Snapshot::take(&self.source, self.home(), &options, &[], false)?;
                now.as_ref()
            }
        };
        let (digest, covers) = snapshot.map(Snapshot::digest).unzip();
        let digest = digest.flatten().map(str::to_owned);
        Ok(self.info_with(digest, covers))
    }

    fn info_with(&self, digest: Option<String>, covers: Option<Coverage>) -> BotInfo {
        let spec = agon_core::text::escape(&self.source.to_string()).into_owned();
        BotInfo { spec, digest, covers, ..BotInfo::new(self.name(), self.kind().id()) }
    }

    /// Returns the same for a game, which knows the versions of its built-in bots.
    ///
    /// # Errors
    /// As [`BotSpec::info`].
    pub fn info_in(&self, kind: &dyn GameKind) -> Result<BotInfo, OpenError> {
        Ok(BotInfo { version: self.version(kind), ..self.info()? })
    }

    /// Returns the version of a built-in bot of a game; `None` for other bots.
    pub fn version(&self, kind: &dyn GameKind) -> Option<u32> {
        let BotSource::Builtin { name, .. } = &self.source else { return None };
        let builtins = kind.builtins();
        builtins.iter().find(|builtin| builtin.name == *name).map(|builtin| builtin.version)
    }

    /// Returns the digest of the files that the bot's text names, if it has been read.
    ///
    /// This was the whole digest before digests covered folders.
    pub fn named_digest(&self) -> Option<&str> {
        self.snapshot.as_ref()?.named.as_deref()
    }

    /// Returns notes for the person about the files that were read, a sentence each.
    pub fn notices(&self) -> &[String] {
        self.snapshot.as_ref().map_or(&[], |snapshot| &*snapshot.notices)
    }

    /// Returns the files that the bot can read now and that its digest does not cover.
    pub fn beyond(&self) -> Beyond {
        match (&self.source, &self.snapshot) {
            (_, Some(snapshot)) => snapshot.beyond(),
            (BotSource::Builtin { .. }, None) => Beyond::Nothing,
            (_, None) => Beyond::Unknown,
        }
    }
}

impl BotSpec {
    /// Reads all files of the bot now, so that later changes do not affect it.
    ///
    /// Bots without files do not change. `builtins` are names of bots that the person may
    /// have meant.
    pub fn read(
        self,
        options: &HostOptions,
        builtins: &[&'static str],
    ) -> Result<BotSpec, OpenError> {
        if let BotSource::Folder(folder) = &self.source {
            let (snapshot, bot) = folder_bot::read(folder, options)?;
            let snapshot = Some(Arc::new(snapshot));
            let copied = Some(Arc::new(bot));
            return Ok(BotSpec { snapshot, copied, ..self });
        }
        let snapshot = Snapshot::take(&self.source, self.home(), options, builtins, true)?;
        Ok(BotSpec { snapshot: snapshot.map(Arc::new), copied: None, ..self })
    }

    /// Does the same as [`BotSpec::read`], but shares the files that `other` has read.
    ///
    /// It does so for the same program or file, as far as its arguments name nothing else.
    ///
    /// # Errors
    /// As [`BotSpec::read`].
    pub fn read_like(self, other: &BotSpec, options: &HostOptions) -> Result<BotSpec, OpenError> {
        if self.home().is_some() {
            return self.read(options, &[]);
        }
        let shared = match (&self.source, &other.source, &other.snapshot) {
            (own, others, Some(snapshot)) if own == others => Some(Arc::clone(snapshot)),
            (
                BotSource::Program { words: own, protocol, .. },
                BotSource::Program { words: others, protocol: others_protocol, .. },
                Some(snapshot),
            ) if protocol == others_protocol && own.len() > 1 && own[0] == others[0] => {
                let args = own[1..].iter().map(OsString::from).collect();
                let program =
                    snapshot.program.as_ref().map(|program| Program { args, ..program.clone() });
                program.and_then(|program| snapshot.with_program(program, options)).map(Arc::new)
            }
            _ => None,
        };
        match shared {
            Some(_) => Ok(BotSpec { snapshot: shared, copied: other.copied.clone(), ..self }),
            None => self.read(options, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use agon_core::Coverage;
    use agon_games::GameId;

    use super::*;

    /// Returns the digest of a list of files.
    fn list(files: &[(&str, &str)]) -> blake3::Hash {
        let line =
            |(name, text): &(&str, &str)| format!("{}  {name}\n", blake3::hash(text.as_bytes()));
        blake3::hash(files.iter().map(line).collect::<String>().as_bytes())
    }

    fn joined(digests: &[blake3::Hash]) -> Option<String> {
        let all: Vec<u8> = digests.iter().flat_map(|digest| *digest.as_bytes()).collect();
        Some(blake3::hash(&all).to_string())
    }

    #[test]
    fn the_digest_is_that_of_the_file_and_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("fox.c");
        fs::write(&source, "int x;").unwrap();
        let info =
            || format!("alice={}", source.display()).parse::<BotSpec>().unwrap().info().unwrap();
        assert_eq!((info().name.as_str(), info().kind.as_str()), ("alice", "c"));
        assert_eq!(
            (info().digest, info().covers),
            (
                joined(&[blake3::hash(b"int x;"), list(&[("fox.c", "int x;")])]),
                Some(Coverage::Folder)
            )
        );
        fs::write(folder.path().join("fox.h"), "").unwrap();
        let both = list(&[("fox.c", "int x;"), ("fox.h", "")]);
        assert_eq!(info().digest, joined(&[blake3::hash(b"int x;"), both]));

        let command = format!("sh {} {}", source.display(), source.display());
        let twice = command.parse::<BotSpec>().unwrap().info().unwrap();
        let one = blake3::hash(b"int x;");
        assert_eq!(twice.digest, joined(&[one, one, both]));
    }

    #[test]
    fn a_file_alone_has_the_digest_of_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("fox.wasm");
        fs::write(&module, "wasm").unwrap();
        let info = module.to_str().unwrap().parse::<BotSpec>().unwrap().info().unwrap();
        assert_eq!(
            (info.digest, info.covers),
            (Some(blake3::hash(b"wasm").to_string()), Some(Coverage::File))
        );
    }

    #[test]
    fn built_in_bots_have_a_version_and_no_digest() {
        let spec: BotSpec = "builtin:greedy?low=3".parse().unwrap();
        let info = spec.info_in(GameId::Cluster.kind()).unwrap();
        assert_eq!(
            (info.spec.as_str(), info.digest, info.covers),
            ("builtin:greedy?low=3", None, None)
        );
        assert_eq!(info.version, Some(1));
    }
}
