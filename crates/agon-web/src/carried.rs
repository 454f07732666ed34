//! Replays of games that the page does not know, but whose rules they carry. A worker of the page
//! plays them again, so that rules that do not end stop nobody.

use agon_games::GameId;
use agon_games::file::{Archive, Caller, FileKind};
use agon_match::replay::{Replay, Verdict};
use anyhow::{Context, Result};

use crate::message::{self, REPLAY, SHOWN};
use crate::scenes::{self, Scenes};
use crate::session::VerifiedSoFar;

/// Returns the replay in a file, if it carries rules that are not Agon's own.
pub fn replay(mut file: &[u8]) -> Option<&[u8]> {
    let mut bytes = file;
    if file.first() == Some(&SHOWN) {
        bytes = std::iter::from_fn(|| message::take(&mut file))
            .find_map(|(kind, contents)| (kind == REPLAY).then_some(contents))?;
    }
    let replay = Replay::open(bytes.to_vec()).ok()?;
    replay.carried().is_some().then_some(bytes)
}

/// Plays a replay with the rules that it carries: what shows it, and whether it is proven.
///
/// # Errors
/// If it carries none, or they cannot be started.
pub fn play<C: Caller + 'static>(
    file: Vec<u8>,
    start: fn(&[u8]) -> Result<C, String>,
) -> Result<(Scenes, VerifiedSoFar)> {
    let replay = Replay::open(file.clone())?;
    let name = &replay.header().game;
    let archive = Archive::unpack(replay.carried().context("this replay carries no rules")?)?;
    archive.check_name(name).map_err(anyhow::Error::msg)?;
    let manifest = archive.read_manifest().map_err(anyhow::Error::msg)?;
    let caller = Box::new(start(&archive.module).map_err(anyhow::Error::msg)?);
    let kind = FileKind::new(&archive, Vec::new(), manifest, caller).map_err(anyhow::Error::msg)?;
    let game = GameId::of_file(kind)?;
    let (steps, problem) = match replay.verify(game.kind()) {
        Verdict::Proven { steps, .. } => (steps, None),
        Verdict::Unproven { good_steps, reason, .. } => (good_steps, Some(reason.to_string())),
    };
    Ok((scenes::of(&replay, &file, game)?, VerifiedSoFar { steps, done: true, problem }))
}
