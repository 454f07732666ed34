//! A bot that plays many matches, with its files read once.
//!
//! Every match of the arena has such an entry for each seat.

use std::sync::Arc;

use agon_bots::{BotKind, BotSpec, CopyFolder, HostOptions, OpenError};
use agon_core::BotInfo;
use agon_games::{GameId, with_game};
use agon_match::spec::{BuiltinSeat, LocalSeat, Seat, SeatBot, Why};

/// A bot that plays many matches. Its files are read once, not before each match.
#[derive(Clone, Debug)]
pub struct BotEntry {
    /// The description that opens it.
    pub spec: BotSpec,
    /// Its name, kind and identity, as in replays and results; the name is the one in matches.
    pub info: BotInfo,
    /// The folder of its files, if they come from a store. It is removed with the last entry.
    pub(crate) folder: Option<Arc<CopyFolder>>,
}

impl BotEntry {
    /// Reads all files of a bot, which plays this version from now on. Errors of opening it show in
    /// its first match, or in [`try_open`](crate::try_open).
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
        Ok(Arc::new(BotEntry { spec, info, folder: None }))
    }

    /// Returns the same bot under another name.
    #[must_use]
    pub fn named(&self, name: &str) -> BotEntry {
        let info = BotInfo { name: name.to_owned(), ..self.info.clone() };
        BotEntry { spec: self.spec.clone().named(name), info, ..self.clone() }
    }

    /// Returns the same bot with the version that it has in a game, if it is one of its built-in
    /// bots.
    #[must_use]
    pub fn in_game(&self, game: GameId) -> BotEntry {
        let info = BotInfo { version: self.version(game), ..self.info.clone() };
        BotEntry { info, ..self.clone() }
    }

    /// Returns the version of the bot if it is one of a game's built-in bots.
    pub fn version(&self, game: GameId) -> Option<u32> {
        with_game!(game, G => self.spec.version::<G>())
    }

    /// Returns the seat of a bot of this machine in a match of a game.
    pub fn seat(&self, game: GameId) -> Seat {
        let local = |why| SeatBot::Local(LocalSeat { text: self.spec.to_string(), why });
        let bot = match (self.spec.builtin(), self.spec.kind()) {
            (Some((bot, params)), _) => SeatBot::Builtin(BuiltinSeat {
                bot: bot.to_owned(),
                params: params.iter().cloned().collect(),
                // If there is none of this name, opening the bot says so.
                version: self.version(game).unwrap_or_default(),
            }),
            (None, BotKind::Human) => local(Why::Person),
            (None, BotKind::Connect) => local(Why::Address),
            (None, _) => local(Why::Files),
        };
        Seat { name: self.info.name.clone(), bot }
    }
}
