//! `agon replay info|verify|ask|export|chart FILE`

mod ask;
mod bot;
mod chart;
mod export;
mod info;
mod open;

use std::{io::Write, path::Path};

use agon_contest::events::ReplayVerdict;
use anyhow::Result;

use self::open::open;
use crate::{
    Exit,
    cli::ReplayCommand,
    output::{BAD, GOOD, print_event},
};

/// Carries out `agon replay ...`.
pub(crate) fn replay(command: &ReplayCommand, out: &mut impl Write) -> Result<Exit> {
    match command {
        ReplayCommand::Info { file, bot: None, json, .. } => {
            info::info(file, *json, out).map(|()| Exit::Done)
        }
        ReplayCommand::Info { file, bot: Some(name), json, stderr } => {
            bot::bot(file, name, *stderr, *json, out).map(|()| Exit::Done)
        }
        ReplayCommand::Verify { file, json } => verify(file, *json, out),
        ReplayCommand::Ask(args) => ask::run(args, out),
        ReplayCommand::Export(args) => export::run(args, out),
        ReplayCommand::Chart(args) => chart::run(args, out).map(|()| Exit::Done),
    }
}

fn verify(file: &Path, json: bool, out: &mut impl Write) -> Result<Exit> {
    let (replay, id) = open(file)?;
    let verdict = agon_match::verify(&replay, id);
    let proven = verdict.is_proven();
    if json {
        print_event(ReplayVerdict { proven, text: verdict.to_string() }, out)?;
    } else {
        let style = if proven { GOOD } else { BAD };
        writeln!(out, "{style}{}{style:#} {verdict}", if proven { "✓" } else { "✗" })?;
    }
    Ok(if proven { Exit::Done } else { Exit::Negative })
}
