//! Reads the files of a bot: copies and digests them, so that later changes have no effect.

use std::{ffi::OsString, sync::Arc};

use crate::{
    BotSpec, HostOptions, OpenError, Snapshot, folder_bot, program::Program, spec::BotSource,
};

impl BotSpec {
    /// Reads all files of the bot now, so that later changes do not affect it.
    ///
    /// Bots without files do not change. `builtins` are names of bots that the person may
    /// have meant.
    ///
    /// # Errors
    /// If a file is missing or cannot be read, or there is no room for a copy.
    pub fn read(
        self,
        options: &HostOptions,
        builtins: &[&'static str],
    ) -> Result<BotSpec, OpenError> {
        if let BotSource::Folder(folder) = self.source() {
            let (snapshot, bot) = folder_bot::read(folder, options)?;
            return Ok(self.with_snapshot(Some(Arc::new(snapshot)), Some(Arc::new(bot))));
        }
        let snapshot =
            Snapshot::take(self.source(), self.home(), options, builtins, true)?.map(Arc::new);
        Ok(self.with_snapshot(snapshot, None))
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
        let shared = match (self.source(), other.source(), other.snapshot()) {
            (own, others, Some(snapshot)) if own == others => Some(Arc::clone(snapshot)),
            (
                BotSource::Program { words: own, .. },
                BotSource::Program { words: others, .. },
                Some(snapshot),
            )
            | (
                BotSource::Json { words: own, .. },
                BotSource::Json { words: others, .. },
                Some(snapshot),
            ) if own.len() > 1 && own[0] == others[0] => {
                let args = own[1..].iter().map(OsString::from).collect();
                let program = snapshot.program().map(|program| Program { args, ..program.clone() });
                program.and_then(|program| snapshot.with_program(program, options)).map(Arc::new)
            }
            _ => None,
        };
        match shared {
            Some(snapshot) => Ok(self.with_snapshot(Some(snapshot), other.shared_copy())),
            None => self.read(options, &[]),
        }
    }
}
