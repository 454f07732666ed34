//! What is left without the feature `web`: errors that say so.

use std::io::Write;

use agon_core::{BotInfo, Game};
use agon_games::hand::Hand;
use agon_view::Desk;
use anyhow::{Result, bail};

use crate::{
    arena::Seen,
    cli::{ViewArgs, WatchArgs},
};

const MISSING: &str = "this agon was built without the feature `web`, and cannot serve pages";

/// A match that pages follow.
#[derive(Debug)]
pub(crate) enum Live {}

impl Live {
    pub(crate) fn serve<G: Hand>(_: Vec<BotInfo>, _: Option<&Desk<G>>, _: &ViewArgs) -> Result<Live> {
        bail!(MISSING)
    }

    pub(crate) fn see<G: Game>(&self, _: &Seen<'_, G>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn stay(self) {
        match self {}
    }
}

pub(crate) fn watch(_: &WatchArgs, _: &mut impl Write) -> Result<()> {
    bail!(MISSING)
}
