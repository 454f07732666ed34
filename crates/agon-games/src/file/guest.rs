//! The module's side, for games written in Rust: [`Guest`] answers the arena's requests with a
//! [`GameKind`]. [`export_game!`](crate::export_game) makes a module of it.

use std::{collections::BTreeMap, sync::Arc};

use agon_core::{ActionMask, Decision, Player, Seed};
use serde_json::Value;

use super::message::{DEFAULT_ANSWER, Malformed, Op, Reader, Writer};
use crate::any::{AnyAnswers, AnyGame, GameKind};
use crate::scene::{Arrow, Board, Scene, Shape};

/// The rules of a game, with the boards that were played last.
#[derive(Debug)]
pub struct Guest {
    kind: &'static dyn GameKind,
    /// The boards of the last replies by their positions, so that they need not be read again.
    kept: BTreeMap<Vec<u8>, Played>,
    /// The answers of the settings and the number of players before.
    table: Option<(Vec<u8>, usize, Arc<AnyAnswers>)>,
}

/// A match at some point.
#[derive(Debug)]
struct Played {
    front: Vec<u8>,
    game: AnyGame,
    table: Arc<AnyAnswers>,
}

/// The most boards that are kept.
const MAX_KEPT: usize = 4096;

/// Why a request has no reply: for the author of the game, or of a position.
type Refused = String;

/// What a request says about its match.
struct Terms<'a> {
    front: &'a [u8],
    rules: &'a str,
    seed: Seed,
    players: usize,
}

impl Guest {
    /// Makes the guest of a game.
    pub const fn new(kind: &'static dyn GameKind) -> Guest {
        Guest { kind, kept: BTreeMap::new(), table: None }
    }

    /// Answers a request: a byte that is 0 if all went well, then the reply; or 1, then a text that
    /// says what does not fit.
    pub fn call(&mut self, request: &[u8]) -> Vec<u8> {
        let mut out = Writer(vec![0]);
        match self.answer(&mut Reader(request), &mut out) {
            Ok(()) => out.0,
            Err(error) => [&[1], error.as_bytes()].concat(),
        }
    }

    fn answer(&mut self, input: &mut Reader<'_>, out: &mut Writer) -> Result<(), Refused> {
        let op = input.u32().map_err(refused)?;
        let op = *Op::ALL.get(op as usize).ok_or_else(|| format!("there is no request {op}"))?;
        if op == Op::About {
            let schema = self.kind.message_schema();
            let about = serde_json::json!({ "view_schema": inlined(&schema) });
            out.0.extend(about.to_string().into_bytes());
            return Ok(());
        }
        let terms = terms(input).map_err(refused)?;
        match op {
            Op::About => (),
            Op::Answers => {
                let game = self.kind.start(&terms.rules()?, terms.players, Seed(0));
                let game = game.map_err(refused)?;
                let table = table(&game)?;
                out.count(table.len());
                for at in 0..table.len() {
                    let reply = table.reply(at).ok_or("bots cannot give one of the answers")?;
                    out.bytes(reply.to_string().as_bytes());
                }
            }
            Op::Start => {
                let game = self.kind.start(&terms.rules()?, terms.players, terms.seed);
                self.put(&terms, game.map_err(refused)?, out)?;
            }
            Op::Load => {
                let is_json = input.u32().map_err(refused)? != 0;
                let position = input.bytes().map_err(refused)?;
                let game = self.load(&terms, position, is_json)?;
                self.put(&terms, game, out)?;
            }
            Op::Step => {
                for _ in 0..input.count(8).map_err(refused)? {
                    let mut played = self.take(&terms, input)?;
                    let mut answers = self.kind.no_answers();
                    for _ in 0..input.count(4).map_err(refused)? {
                        played.step(&mut answers, input)?;
                        out.u64(played.game.state_hash());
                    }
                    self.keep(played, out)?;
                }
            }
            Op::Look => {
                let played = self.take(&terms, input)?;
                for _ in 0..input.count(8).map_err(refused)? {
                    let (player, unit) = (input.u32().map_err(refused)?, input.u32());
                    let decision = Decision::new(Player(player as u16), unit.map_err(refused)?);
                    let seen = played.game.observation_json(decision).map_err(refused)?;
                    let mut seen: Value = serde_json::from_str(&seen).map_err(refused)?;
                    out.bytes(view_of(&mut seen).to_string().as_bytes());
                }
                self.keep(played, &mut Writer::default())?;
            }
            Op::Standing => {
                let played = self.take(&terms, input)?;
                write_standing(&played.game, out);
                self.keep(played, &mut Writer::default())?;
            }
            Op::Scene => {
                let played = self.take(&terms, input)?;
                let scene = match input.u32().map_err(refused)? {
                    u32::MAX => played.game.scene(),
                    player => played.game.scene_for(Player(player as u16)).map_err(refused)?,
                };
                write_scene(&scene, out);
                self.keep(played, &mut Writer::default())?;
            }
            Op::Json => {
                let played = self.take(&terms, input)?;
                out.bytes(played.game.position_json().as_bytes());
                self.keep(played, &mut Writer::default())?;
            }
        }
        input.end().map_err(refused)
    }

    fn load(&self, terms: &Terms<'_>, position: &[u8], json: bool) -> Result<AnyGame, Refused> {
        let rules = terms.rules()?;
        if json {
            let text = str::from_utf8(position).map_err(refused)?;
            return self.kind.start_from_json(&rules, terms.seed, text).map_err(refused);
        }
        self.kind.start_from_bytes(&rules, terms.seed, position).map_err(refused)
    }

    /// Takes the board of the position that comes next.
    fn take(&mut self, terms: &Terms<'_>, input: &mut Reader<'_>) -> Result<Played, Refused> {
        let position = input.bytes().map_err(refused)?;
        match self.kept.remove(position).filter(|played| played.front == terms.front) {
            Some(played) => Ok(played),
            None => self.played(terms, self.load(terms, position, false)?),
        }
    }

    fn played(&mut self, terms: &Terms<'_>, game: AnyGame) -> Result<Played, Refused> {
        let players = game.players();
        let known = self
            .table
            .as_ref()
            .filter(|(rules, count, _)| rules == terms.rules.as_bytes() && *count == players);
        let table = match known {
            Some((_, _, table)) => table.clone(),
            None => Arc::new(table(&game)?),
        };
        // A match that is over has no decision with which to list the answers.
        if !table.is_empty() {
            self.table = Some((terms.rules.as_bytes().to_vec(), players, table.clone()));
        }
        Ok(Played { front: terms.front.to_vec(), game, table })
    }

    fn put(&mut self, terms: &Terms<'_>, game: AnyGame, out: &mut Writer) -> Result<(), Refused> {
        let played = self.played(terms, game)?;
        self.keep(played, out)
    }

    /// Writes a state, and keeps its board.
    fn keep(&mut self, played: Played, out: &mut Writer) -> Result<(), Refused> {
        let position = played.game.position_bytes().map_err(refused)?;
        write_state(&position, &played, out);
        if self.kept.len() == MAX_KEPT {
            self.kept.clear();
        }
        self.kept.insert(position, played);
        Ok(())
    }
}

impl Terms<'_> {
    fn rules(&self) -> Result<Value, Refused> {
        serde_json::from_str(self.rules).map_err(refused)
    }
}

impl Played {
    /// Plays one step with the numbers of answers that come.
    fn step(&mut self, answers: &mut AnyAnswers, input: &mut Reader<'_>) -> Result<(), Refused> {
        let count = input.count(4).map_err(refused)?;
        let wanted = self.game.decisions().len();
        if count != wanted || count == 0 {
            return Err(format!("{count} answers came for {wanted} decisions"));
        }
        answers.reset(count);
        for at in 0..count {
            let number = input.u32().map_err(refused)?;
            if number != DEFAULT_ANSWER && (number as usize) < self.table.len() {
                answers.copy_one(at, &self.table, number as usize);
            }
        }
        self.game.step(answers);
        Ok(())
    }
}

fn refused(error: impl ToString) -> Refused {
    error.to_string()
}

fn terms<'a>(input: &mut Reader<'a>) -> Result<Terms<'a>, Malformed> {
    let whole = input.0;
    let rules = input.text()?;
    let numbers = input.count(8)?;
    input.take(8 * numbers)?;
    let number = input.u64()?;
    let seed = if input.u32()? != 0 { Seed::plain(number) } else { Seed(number) };
    input.take(32)?;
    let front = &whole[..whole.len() - input.0.len()];
    Ok(Terms { front, rules, seed, players: input.u32()? as usize })
}

/// Returns all answers of a game, in the order of their numbers.
fn table(game: &AnyGame) -> Result<AnyAnswers, Refused> {
    let mut table = game.kind().no_answers();
    let Some(&first) = game.decisions().first() else { return Ok(table) };
    let count = game.action_names().len();
    table.reset(count);
    for action in 0..count {
        let part = table.part_mut(action..action + 1);
        game.set_actions(first, &[action], part).map_err(refused)?;
    }
    Ok(table)
}

/// What a game of the kit shows, without the legal answers, which the arena knows.
fn view_of(seen: &mut Value) -> Value {
    let is_kit = seen.get("legal").is_some() && seen.get("view").is_some();
    if is_kit { seen["view"].take() } else { seen.take() }
}

/// The schema of a view.
fn inlined(schema: &Value) -> Value {
    let seen = &schema["$defs"]["Observation"];
    let view = seen["properties"].get("view").unwrap_or(seen);
    match view["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        Some(name) => schema["$defs"][name].clone(),
        None => view.clone(),
    }
}

/// Writes a position with what the arena knows of it at every step.
fn write_state(position: &[u8], played: &Played, out: &mut Writer) {
    let Played { game, table, .. } = played;
    out.bytes(position);
    out.u64(game.state_hash());
    let progress = game.progress();
    out.u64(progress.turn);
    out.u64(progress.limit.unwrap_or(u64::MAX));
    let players = game.players();
    out.count(players);
    for player in Player::all(players) {
        out.u8(u8::from(game.is_out(player) == Ok(true)));
    }
    out.count(game.decisions().len());
    let mut legal = ActionMask::default();
    for &decision in game.decisions() {
        out.u32(decision.player.0.into());
        out.u32(decision.unit);
        legal.clear(table.len());
        let _ = game.legal_actions_of(decision, 0, &mut legal);
        legal.words().iter().for_each(|&word| out.u64(word));
    }
}

fn write_standing(game: &AnyGame, out: &mut Writer) {
    let standing = game.standing();
    out.count(standing.players.len());
    for player in &standing.players {
        out.u32(player.place);
        out.i64(player.score);
        out.u8(u8::from(player.out));
        out.count(player.measures.len());
        for (name, value) in &player.measures {
            out.bytes(name.as_bytes());
            out.i64(*value);
        }
    }
    let winners = standing.outcome.as_ref().map_or(&[][..], |outcome| &outcome.winners);
    out.count(winners.len());
    winners.iter().for_each(|winner| out.u32(winner.0.into()));
    out.bytes(standing.outcome.map_or_else(String::new, |outcome| outcome.reason).as_bytes());
}

/// Writes a picture of squares; nothing of other boards.
fn write_scene(scene: &Scene, out: &mut Writer) {
    let Board::Grid { width, height, wraps } = scene.board else {
        out.u64(0);
        return;
    };
    out.u32(width);
    out.u32(height);
    out.u32(wraps.into());
    scene.cells.iter().for_each(|&ink| out.u16(ink.into()));
    out.count(scene.marks.len());
    for mark in &scene.marks {
        let (shape, number) = match mark.shape {
            Shape::Disc(diameter) => (0, diameter.into()),
            Shape::Ring => (1, 0),
            Shape::Square => (2, 0),
            Shape::Pointer(Arrow(direction)) => (3, direction.into()),
            Shape::Flag => (4, 0),
            Shape::Cross => (5, 0),
            Shape::Number(number) => (6, number),
        };
        out.u32(mark.place);
        out.u16(shape);
        out.u16(mark.ink.into());
        out.u32(u32::try_from(number).unwrap_or(u32::MAX));
    }
}

/// Makes the module of a game: `agon_games::export_game!(Kit<Tron>);` in a crate of type `cdylib`,
/// for the target `wasm32-unknown-unknown`.
#[macro_export]
macro_rules! export_game {
    ($game:ty) => {
        #[cfg(target_family = "wasm")]
        mod agon_module {
            use std::cell::RefCell;

            use super::*;

            thread_local! {
                static GUEST: RefCell<$crate::file::Guest> =
                    RefCell::new($crate::file::Guest::new($crate::any::kind_of::<$game>()));
                static ROOM: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
            }

            #[unsafe(no_mangle)]
            extern "C" fn agon_abi() -> u32 {
                $crate::file::GAME_ABI
            }

            #[unsafe(no_mangle)]
            extern "C" fn agon_room(size: u32) -> *mut u64 {
                ROOM.with_borrow_mut(|room| {
                    room.resize(size as usize / 8 + 1, 0);
                    room.as_mut_ptr()
                })
            }

            /// The arena gives places in the room that the function above has made.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn agon_decide(
                request: *const u8,
                length: u32,
                reply: *mut u8,
                room: u32,
            ) -> u32 {
                let request = unsafe { std::slice::from_raw_parts(request, length as usize) };
                let made = GUEST.with_borrow_mut(|guest| guest.call(request));
                let fits = made.len() <= room as usize;
                let made = if fits { &made[..] } else { b"\x01the reply is too long" };
                unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), reply, made.len()) };
                made.len() as u32
            }
        }
    };
}
