//! A bot that plays many matches.

use std::sync::Arc;

use agon_bots::{BotSpec, OpenError};
use agon_core::BotInfo;

/// A bot, with what is known of it: read once, not before each match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    /// How it is opened.
    pub spec: BotSpec,
    /// What replays and results tell of it; its name is the one in matches.
    pub info: BotInfo,
}

impl Contender {
    /// The bot of a text as `agon play` takes it. Whether it can be opened shows in its first match, or by
    /// [`crate::Runner::try_open`].
    ///
    /// # Errors
    /// If a file of it cannot be read.
    pub fn new(spec: BotSpec) -> Result<Arc<Contender>, OpenError> {
        let info = spec.info()?;
        Ok(Arc::new(Contender { spec, info }))
    }
}
