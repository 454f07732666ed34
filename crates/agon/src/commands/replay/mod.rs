//! `agon replay info|verify|ask|export|import|chart FILE`

mod ask;
mod export;
mod info;

use std::{io::Write, path::Path};

use agon_contest::events::{Event, ReplayVerdict, VerdictData};
use agon_games::{GameId, any::GameKind};
use agon_match::replay::Replay;
use anyhow::{Context, Result, bail};

use crate::output::{BAD, GOOD, print_event};
use crate::{Exit, cli::ReplayCommand};

/// Carries out `agon replay ...`.
pub(crate) fn replay(command: &ReplayCommand, out: &mut impl Write) -> Result<Exit> {
    match command {
        ReplayCommand::Info { file, bot: None, json, .. } => {
            info::info(file, *json, out).map(|()| Exit::Done)
        }
        ReplayCommand::Info { file, bot: Some(name), json, stderr } => {
            info::bot(file, name, *stderr, *json, out).map(|()| Exit::Done)
        }
        ReplayCommand::Verify { file, game, json } => {
            let named = super::know(game.as_deref())?;
            verify(file, named, *json, out)
        }
        ReplayCommand::Ask(args) => ask::run(args, out),
        ReplayCommand::Export(args) => export::run(args, out),
        ReplayCommand::Import { file, replay } => {
            export::import(file, replay, out).map(|()| Exit::Done)
        }
        ReplayCommand::Chart(args) => export::chart_of(args, out).map(|()| Exit::Done),
    }
}

fn verify(file: &Path, game: Option<GameId>, json: bool, out: &mut impl Write) -> Result<Exit> {
    let (replay, kind) = open(file)?;
    if let Some(game) = game.filter(|game| game.meta().id != kind.meta().id) {
        bail!("--game: the match is one of {}, not of {game}", kind.meta().id);
    }
    let verdict = replay.verify(kind);
    let proven = verdict.is_proven();
    let mut text = verdict.to_string();
    if !kind.is_proven() {
        text.push_str("; the rules are a program: referee not proven");
    }
    if json {
        let verdict = ReplayVerdict { proven, text };
        print_event(Event::Verdict(VerdictData::Replay(verdict)), out)?;
    } else {
        let style = if proven { GOOD } else { BAD };
        writeln!(out, "{style}{}{style:#} {text}", if proven { "✓" } else { "✗" })?;
    }
    Ok(if proven { Exit::Done } else { Exit::Negative })
}

/// Opens a replay, and finds its game.
fn open(file: &Path) -> Result<(Replay, &'static dyn GameKind)> {
    agon_files::protect(file);
    let replay = Replay::open_file(file).with_context(|| file.display().to_string())?;
    let id = replay.game().with_context(|| file.display().to_string())?;
    Ok((replay, id.kind()))
}
