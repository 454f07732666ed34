//! The header of a replay: game, rules, seed, players and start.
//!
//! The writer puts it first. A reader takes everything from it that is known before the first
//! answer.

use agon_core::text::{MAX_NAME, escape, shown_name};
use agon_core::{BotInfo, Game, Seed};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;

/// The most bytes of the rules' text, and of the players'.
///
/// The largest hand-drawn map takes half as much.
const MAX_PART: usize = 16 << 20;

/// The most players: each needs a number.
const MAX_PLAYERS: usize = u16::MAX as usize;

/// The most steps before a match.
///
/// Every reader of JSON keeps this number exactly, and steps can be added to it.
const MAX_STEPS_BEFORE: u64 = 1 << 53;

/// The header of a replay.
///
/// Rules and start remain text until a game reads them. As a tree of values, a foreign file's text
/// could take more memory than there is.
#[derive(Clone, Debug, Deserialize)]
pub struct Header {
    /// The game's id.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The version of Agon that recorded it.
    #[serde(deserialize_with = "word")]
    pub agon: String,
    /// The settings of the match, as JSON.
    #[serde(deserialize_with = "rules")]
    pub rules: Box<RawValue>,
    /// The seed.
    pub seed: Seed,
    /// The players' bots, in order of player number.
    #[serde(deserialize_with = "players")]
    pub players: Vec<BotInfo>,
    /// The position at the start of the match, as JSON, if it is not the game's own start.
    pub start: Option<Box<RawValue>>,
    /// Steps of an earlier match that led to the start.
    ///
    /// Its bots were asked in these steps as well, and counted them: for them the first step of the
    /// file had this number.
    #[serde(default, deserialize_with = "steps_before")]
    pub steps_before: u64,
    /// The hash of the first state.
    #[serde(with = "crate::replay::hex")]
    pub state_hash: u64,
}

/// Reads a word for people.
fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(shown_name(&String::deserialize(deserializer)?).into_owned())
}

/// Reads the rules as one line: line ends are just blanks in JSON.
fn rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    let text = part("rules", deserializer)?.get();
    RawValue::from_string(text.replace(['\n', '\r', '\t'], " ")).map_err(de::Error::custom)
}

/// Reads the players, with texts that can be shown.
fn players<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<BotInfo>, D::Error> {
    let text = part("players", deserializer)?.get();
    let mut players: Vec<BotInfo> = serde_json::from_str(text).map_err(de::Error::custom)?;
    if players.len() > MAX_PLAYERS {
        let text = format_args!("players: {} are more than {MAX_PLAYERS}", players.len());
        return Err(de::Error::custom(text));
    }
    for (number, bot) in players.iter_mut().enumerate() {
        for (what, length) in [("name", bot.name.len()), ("kind", bot.kind.len())] {
            if length > MAX_NAME {
                let text = format_args!(
                    "players[{number}].{what}: {length} bytes are more than {MAX_NAME}"
                );
                return Err(de::Error::custom(text));
            }
        }
        for text in [&mut bot.name, &mut bot.kind] {
            *text = shown_name(text).into_owned();
        }
        bot.spec = escape(&bot.spec).into_owned();
        bot.digest = bot.digest.take().map(|digest| shown_name(&digest).into_owned());
    }
    Ok(players)
}

/// Returns the text of a part of the header that is never large.
fn part<'de, D: Deserializer<'de>>(what: &str, deserializer: D) -> Result<&'de RawValue, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?;
    match text.get().len() {
        0..=MAX_PART => Ok(text),
        length => {
            Err(de::Error::custom(format_args!("{what}: {length} bytes are more than {MAX_PART}")))
        }
    }
}

fn steps_before<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let steps = u64::deserialize(deserializer)?;
    if steps > MAX_STEPS_BEFORE {
        let text = format_args!("steps_before: {steps} is more than {MAX_STEPS_BEFORE}");
        return Err(de::Error::custom(text));
    }
    Ok(steps)
}

/// The header as it is written.
///
/// Rules and start are turned into text directly, so that their fields keep their order.
#[derive(Serialize)]
struct HeaderText<'a, G: Game> {
    game: &'static str,
    rules_version: u32,
    agon: &'static str,
    rules: &'a G::Rules,
    seed: Seed,
    players: &'a [BotInfo],
    start: Option<G::Position>,
    #[serde(skip_serializing_if = "is_zero")]
    steps_before: u64,
    #[serde(with = "crate::replay::hex")]
    state_hash: u64,
}

/// Returns the JSON text of a match's header.
pub(crate) fn header_text<G: Game>(
    game: &G,
    players: &[BotInfo],
    steps_before: u64,
) -> Result<Vec<u8>, serde_json::Error> {
    let at_start =
        G::new(game.rules(), game.players(), game.seed()).is_ok_and(|start| start == *game);
    serde_json::to_vec(&HeaderText::<G> {
        game: G::META.id,
        rules_version: G::META.rules_version,
        agon: env!("CARGO_PKG_VERSION"),
        rules: game.rules(),
        seed: game.seed(),
        players,
        start: (!at_start).then(|| game.position()),
        steps_before,
        state_hash: game.state_hash(),
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The parts of a header's text, for copies. Those that stay are not read.
#[derive(Deserialize, Serialize)]
struct Parts<'a> {
    #[serde(borrow)]
    game: &'a RawValue,
    #[serde(borrow)]
    rules_version: &'a RawValue,
    #[serde(borrow)]
    agon: &'a RawValue,
    #[serde(borrow)]
    rules: &'a RawValue,
    #[serde(borrow)]
    seed: &'a RawValue,
    players: Vec<BotInfo>,
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    steps_before: Option<&'a RawValue>,
    #[serde(borrow)]
    state_hash: &'a RawValue,
}

/// Returns the text of a header with other names.
pub(crate) fn renamed(text: &[u8], names: &[String]) -> Result<Vec<u8>, serde_json::Error> {
    let mut parts: Parts<'_> = serde_json::from_slice(text)?;
    for (player, name) in parts.players.iter_mut().zip(names) {
        player.name.clone_from(name);
    }
    serde_json::to_vec(&parts)
}

/// Returns what a header says of the match: all but the names of the bots, and what people would
/// type to have them play.
pub(crate) fn record(text: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut parts: Parts<'_> = serde_json::from_slice(text)?;
    for player in &mut parts.players {
        (player.name, player.spec) = (String::new(), String::new());
    }
    serde_json::to_vec(&parts)
}
