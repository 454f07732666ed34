//! A bot that plays many matches.

use std::sync::Arc;

use agon_bots::{BotSpec, HostOptions, OpenError};
use agon_core::BotInfo;

/// A bot that plays many matches. Its files are read once, not before each match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotEntry {
    /// The description that opens it.
    pub spec: BotSpec,
    /// Its name, kind and identity, as in replays and results; the name is the one in matches.
    pub info: BotInfo,
}

impl BotEntry {
    /// Reads all files of a bot. From now on it plays this version. Errors of opening it show in
    /// its first match, or in [`crate::Runner::try_open`].
    ///
    /// # Errors
    /// If a file of it cannot be read.
    pub fn new(spec: BotSpec, options: &HostOptions) -> Result<Arc<BotEntry>, OpenError> {
        BotEntry::of(spec.read(options, &[])?)
    }

    /// Makes an entry of a bot that has been read.
    ///
    /// # Errors
    /// If the bot has not been read, and one of its files cannot be.
    pub fn of(spec: BotSpec) -> Result<Arc<BotEntry>, OpenError> {
        let info = spec.info()?;
        Ok(Arc::new(BotEntry { spec, info }))
    }
}
