//! A bot that plays many matches.

use std::sync::Arc;

use agon_bots::{BotSpec, HostOptions, OpenError};
use agon_core::BotInfo;

/// A bot, with what is known of it: read once, not before each match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotEntry {
    /// How it is opened.
    pub spec: BotSpec,
    /// What replays and results tell of it; its name is the one in matches.
    pub info: BotInfo,
}

impl BotEntry {
    /// The bot of a text as `agon play` takes it. All files of it are read now, and it plays as it
    /// is now. Whether it can be opened shows in its first match, or by
    /// [`crate::Runner::try_open`].
    ///
    /// # Errors
    /// If a file of it cannot be read.
    pub fn new(spec: BotSpec, options: &HostOptions) -> Result<Arc<BotEntry>, OpenError> {
        BotEntry::of(spec.read(options, &[])?)
    }

    /// The same of a bot that has been read.
    ///
    /// # Errors
    /// If it has not been read, and a file of it cannot be.
    pub fn of(spec: BotSpec) -> Result<Arc<BotEntry>, OpenError> {
        let info = spec.info()?;
        Ok(Arc::new(BotEntry { spec, info }))
    }
}
