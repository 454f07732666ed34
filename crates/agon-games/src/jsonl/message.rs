//! The messages of the JSON Lines protocol, a line of JSON each. The host in `agon-bots` writes and
//! reads them.
//!
//! The arena writes [`Start`] once, [`Decide`] for each batch, and [`End`] at the end. A bot
//! answers every [`Decide`], and nothing else, with [`Answers`].

use agon_core::{Decision, Game, Outcome, Player, Purpose};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{JsonGame, PROTOCOL, list, number};

/// The first message: the match begins.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(bound = "", tag = "type", rename = "start")]
#[schemars(bound = "")]
pub struct Start<'a, G: JsonGame> {
    /// The version of this protocol.
    pub protocol: u32,
    /// The game.
    pub game: &'static str,
    /// The version of its rules.
    pub rules_version: u32,
    /// The settings of the match.
    pub rules: &'a G::Rules,
    /// The names of all players, each once.
    pub players: &'a [String],
    /// The bot's own number, from 0.
    pub player: u16,
    /// A number for the bot's own random choices: the same in every run of the same match.
    pub seed: u64,
    /// What else the game tells once.
    pub setup: G::Setup,
}

impl<'a, G: JsonGame> Start<'a, G> {
    /// The message to `player`.
    pub fn new(game: &'a G, player: Player, names: &'a [String]) -> Start<'a, G> {
        Start {
            protocol: PROTOCOL,
            game: game.meta().id,
            rules_version: game.meta().rules_version,
            rules: game.rules(),
            players: names,
            player: player.0,
            seed: bot_seed(game, player),
            setup: game.setup(player),
        }
    }
}

/// Returns a number for the random choices of a player's bot.
///
/// It comes from a one-way function, so nobody can compute the match's seed from it.
///
/// Below 2^53, which every JSON reader keeps exactly.
pub fn bot_seed(game: &impl Game, player: Player) -> u64 {
    game.seed().stream(Purpose::Number(player.0), u64::MAX).bits() >> 11
}

/// A question: a batch of decisions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(bound = "", tag = "type", rename = "decide")]
#[schemars(bound = "")]
pub struct Decide<'a, G: JsonGame + 'a> {
    /// The step of the match, from 0: every question has a larger one than the one before.
    pub step: u64,
    /// The turn of the game, from 0.
    pub turn: u64,
    /// What each decision sees; never empty.
    pub decisions: Vec<G::Observation<'a>>,
}

impl<'a, G: JsonGame> Decide<'a, G> {
    /// The question about `decisions`, which belong to one player.
    pub fn new(game: &'a G, step: u64, decisions: &[Decision]) -> Decide<'a, G> {
        let observe = |&decision: &Decision| G::observe(&game.view(decision));
        let turn = game.progress().turn;
        Decide { step, turn, decisions: decisions.iter().map(observe).collect() }
    }
}

/// Appends the line of [`Decide::new`] with its end, like [`write_line`], but without building the
/// message first.
pub fn write_decide<G: JsonGame>(game: &G, step: u64, decisions: &[Decision], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"decide\",\"step\":");
    number(step, out);
    out.extend_from_slice(b",\"turn\":");
    number(game.progress().turn, out);
    out.extend_from_slice(b",\"decisions\":");
    list(decisions, out, |&decision, out| G::write_observation(&game.view(decision), out));
    out.extend_from_slice(b"}\n");
}

/// What a bot answers to a question.
// The arena reads the answers as any JSON first, so that a bad one costs one decision and not the
// line.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "answers")]
pub struct Answers<R = Value> {
    /// The `step` of the question.
    pub step: u64,
    /// One answer per decision, in the same order.
    pub answers: Vec<R>,
}

/// The last message: the match is over, or the player is out. No answer is wanted any more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename = "end")]
pub struct End {
    /// The outcome, if the match is over and has one.
    pub outcome: Option<Outcome>,
}

/// A message as a line, with its end.
///
/// # Panics
/// Never: the messages of this module are always JSON.
pub fn line(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_line(message, &mut bytes);
    bytes
}

/// Appends a message as a line, with its end.
///
/// # Panics
/// Never: the messages of this module are always JSON.
pub fn write_line(message: &impl Serialize, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, message)
        .expect("messages are numbers, strings, lists and objects");
    out.push(b'\n');
}

/// The messages of a game as a JSON Schema (draft 2020-12): `start`, `decide`, `answers` and `end`
/// below `$defs`.
///
/// Objects may have more keys than the schema names, in either direction.
pub fn schema<G: JsonGame>() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let messages = [
        generator.subschema_for::<Start<'static, G>>(),
        generator.subschema_for::<Decide<'static, G>>(),
        generator.subschema_for::<Answers<G::Reply>>(),
        generator.subschema_for::<End>(),
    ];
    let mut definitions = generator.take_definitions(true);
    for name in ["start", "decide", "end"] {
        tag(&mut definitions, name);
    }
    definitions.values_mut().for_each(allow_more_keys);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{}: the messages of the JSON Lines protocol", G::META.id),
        "description": "The arena writes start once, decide for every question, and end; the bot \
            writes answers.",
        "oneOf": messages,
        "$defs": definitions,
    })
}

/// Puts the key `type`, which the derived schema lacks, in front of a message's others.
fn tag(definitions: &mut Map<String, Value>, name: &str) {
    let Some(Value::Object(message)) = definitions.get_mut(name) else {
        panic!("the schema of `{name}` is an object");
    };
    let kind = ("type".to_owned(), json!({ "const": name }));
    if let Some(Value::Object(properties)) = message.get_mut("properties") {
        *properties = [kind].into_iter().chain(std::mem::take(properties)).collect();
    }
    if let Some(Value::Array(required)) = message.get_mut("required") {
        required.insert(0, "type".into());
    }
}

/// People must not write unknown settings. But a bot reads them from the arena, which may be newer.
fn allow_more_keys(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.shift_remove("additionalProperties");
            map.values_mut().for_each(allow_more_keys);
        }
        Value::Array(list) => list.iter_mut().for_each(allow_more_keys),
        _ => {}
    }
}
