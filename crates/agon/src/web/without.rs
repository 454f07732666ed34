//! What is left without the feature `web`: errors that say so.

use std::io::Write;

use agon_bots::Hosted;
use agon_core::BotInfo;
use agon_match::Moment;
use anyhow::{Result, bail};

use crate::{
    Exit,
    cli::{WatchArgs, WebArgs},
};

const MISSING: &str = "this agon was built without the feature `web`, and cannot serve pages";

/// A match that pages follow.
#[derive(Debug)]
pub(crate) enum Live {}

impl Live {
    pub(crate) fn serve(_: Vec<BotInfo>, _: &WebArgs) -> Result<Live> {
        bail!(MISSING)
    }

    pub(crate) fn see<G: Hosted>(&self, _: &Moment<'_, G>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn stay(self, _: &mut impl Write) -> Result<()> {
        match self {}
    }
}

pub(crate) fn watch(_: &WatchArgs, _: &mut impl Write) -> Result<Exit> {
    bail!(MISSING)
}
