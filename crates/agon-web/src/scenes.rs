//! What shows a replay in a page that does not know its game.

use agon_core::BotInfo;
use agon_games::GameId;
use agon_match::replay::{ReadError, Replay};

use crate::{live, message};

/// The most bytes about the states of a replay, which a page holds in memory.
const MAX_SCENES: usize = 64 << 20;

/// What shows a replay in a page that does not know its game.
#[derive(Debug)]
pub struct Scenes {
    /// The messages for the page, with the replay itself.
    pub messages: Vec<u8>,
    /// Why they do not show all of it.
    pub problem: Option<String>,
}

/// Plays a replay (`file`) for a page that does not know its game.
///
/// # Errors
/// If the match cannot be set up.
pub fn of(replay: &Replay, file: &[u8], game: GameId) -> Result<Scenes, ReadError> {
    // Nobody plays, so nobody has a view of their own.
    let bots = replay.header().players.iter().map(|bot| BotInfo::new(&bot.name, ""));
    let bots: Vec<BotInfo> = bots.collect();
    let mut cursor = replay.cursor(game.kind())?;
    let mut messages = live::begin_shown(cursor.game(), &bots, 0);
    let mut problem = None;
    while problem.is_none() && cursor.step() < replay.steps() {
        if messages.len() > MAX_SCENES {
            problem = Some(format!("step {} is the last that fits", cursor.step()));
            break;
        }
        let answers = cursor.frame().map(|frame| frame.given.clone());
        match answers.and_then(|answers| cursor.advance().map(|_| answers)) {
            Ok(answers) => messages.extend(live::step_shown(&answers, cursor.game(), &bots)),
            Err(error) => problem = Some(error.to_string()),
        }
    }
    messages.extend(message::message(message::REPLAY, file));
    messages.extend(message::end());
    Ok(Scenes { messages, problem })
}
