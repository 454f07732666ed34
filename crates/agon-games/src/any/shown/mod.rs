//! A match for a program that does not know its game, such as a page in a browser.
//!
//! [`begin`] and [`step`] make bytes where the match is played: what is to be seen of each state.
//! [`open`] and [`next`] read them elsewhere as states of an [`AnyGame`], which viewers show like
//! any other. They verify nothing, and all that was not sent is empty: bots' questions, facts about
//! places, things on their way.
//!
//! The bytes are foreign: sizes are limited, and texts have no hidden characters.

mod game;

use std::sync::Arc;

use agon_core::{BotInfo, Decision, Player, Progress, Standing, text::escape};
use serde::{Deserialize, Serialize};

use super::{AnyAnswers, AnyGame, Result, wrong};
use crate::human::Hints;
use crate::scene::{Board, Fact, Place, Scene};
use game::{SentStep, ShownGame, ShownKind};

/// The most bytes about a state. They limit all lists in it.
const MAX_BYTES: usize = 4 << 20;

/// The most numbers of charts in a state. A viewer keeps them for thousands of turns.
const MAX_SAMPLES: usize = 2048;

/// The most characters of a text.
const MAX_TEXT: usize = 4096;

/// The greatest turn, so that viewers can count on.
const MAX_TURN: u64 = 1 << 53;

/// What is to be seen of a state.
#[derive(Debug, Serialize, Deserialize)]
struct Sent {
    /// What everybody sees, then what each person sees.
    scenes: Vec<Scene>,
    /// What each person sees besides, and whether others must not look.
    beside: Vec<(Vec<Fact>, bool)>,
    turn: u64,
    limit: Option<u64>,
    standing: Standing,
    leaders: Vec<Player>,
    /// At most two of each player: viewers only tell one from many.
    decisions: Vec<Decision>,
    /// Series by series, player by player.
    samples: Vec<i64>,
    /// The answer that led here, if there was only one.
    answer: String,
}

impl Sent {
    fn of(game: &AnyGame, bots: &[BotInfo], answer: String) -> Sent {
        let people = Player::all(bots.len()).filter(|player| bots[player.index()].kind == HUMAN);
        let own = |player| game.scene_for(player).expect("the match has this player");
        let beside = |player| (game.seen_beside(player), game.has_secrets(player));
        let mut samples = Vec::new();
        (0..game.kind().series().len()).for_each(|series| game.sample(series, &mut samples));
        let by_player = game.decisions().chunk_by(|one, other| one.player == other.player);
        let Progress { turn, limit } = game.progress();
        Sent {
            scenes: [game.scene()].into_iter().chain(people.clone().map(own)).collect(),
            beside: people.map(beside).collect(),
            turn,
            limit,
            standing: game.standing(),
            leaders: game.leaders(),
            decisions: by_player.flat_map(|own| &own[..own.len().min(2)]).copied().collect(),
            samples,
            answer,
        }
    }

    /// Checks a state that has arrived, and makes its texts harmless.
    fn checked(mut self, kind: &ShownKind, before: Option<&Sent>) -> Result<Arc<Sent>> {
        let players = kind.bots.len();
        let people = kind.people().count();
        let is_early = before.is_some_and(|before| self.turn < before.turn);
        let is_nobody = |decision: &Decision| decision.player.index() >= players;
        if (self.scenes.len(), self.beside.len()) != (1 + people, people)
            || !self.scenes.iter().all(|scene| is_sound(scene, players))
            || self.samples.len() != kind.series.len() * players
            || self.decisions.iter().any(is_nobody)
            || is_early
            || self.turn > MAX_TURN
        {
            return wrong("a state does not fit its board or the match");
        }
        for scene in &mut self.scenes {
            clean(&mut scene.title);
            scene.players.iter_mut().for_each(|line| clean(&mut line.score));
        }
        for fact in self.beside.iter_mut().flat_map(|(facts, _)| facts) {
            clean(fact.name.to_mut());
            clean(&mut fact.value);
        }
        self.standing.outcome.iter_mut().for_each(|outcome| clean(&mut outcome.reason));
        clean(&mut self.answer);
        Ok(Arc::new(self))
    }
}

/// Returns whether all places of a scene have an ink, and all things are on its board.
fn is_sound(scene: &Scene, players: usize) -> bool {
    let places = match &scene.board {
        Board::Grid { width, height, .. } => u64::from(*width) * u64::from(*height),
        Board::Hexagon { cells, .. } => cells.len() as u64,
    };
    let is_on = |place: Place| u64::from(place) < places;
    places > 0
        && scene.cells.len() as u64 == places
        && scene.marks.iter().all(|mark| is_on(mark.place))
        && scene.pieces.iter().all(|piece| is_on(piece.place))
        && scene.players.len() == players
}

/// Shortens a text, and makes hidden characters visible.
fn clean(text: &mut String) {
    let short: String = text.chars().take(MAX_TEXT).collect();
    *text = escape(&short).into_owned();
}

/// The kind of a bot that is a person, who has a view of their own.
const HUMAN: &str = "human";

/// Returns the bytes for [`open`]: the current state of a match of these bots, after `steps_before`
/// steps.
pub fn begin(game: &AnyGame, bots: &[BotInfo], steps_before: u64) -> Vec<u8> {
    let kind = ShownKind::of(game, bots, steps_before);
    encode(&(encode(&kind), Sent::of(game, bots, String::new())))
}

/// Returns the bytes for [`next`]: `answers` have led to `after`.
pub fn step(answers: &AnyAnswers, after: &AnyGame, bots: &[BotInfo]) -> Vec<u8> {
    let said = |at| match answers.reply(at) {
        Some(reply) => reply.to_string(),
        None => format!("{:?}", answers.debug(at)),
    };
    encode(&Sent::of(after, bots, if answers.len() == 1 { said(0) } else { String::new() }))
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("scenes survive postcard")
}

fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let read = (bytes.len() <= MAX_BYTES).then(|| postcard::take_from_bytes(bytes));
    match read {
        Some(Ok((value, []))) => Ok(value),
        _ => wrong(format_args!("a state of {} bytes cannot be read", bytes.len())),
    }
}

/// Returns the first state of a match, the players' bots (name and kind), and the number of steps
/// before. The facts about the game stay in memory for ever.
///
/// # Errors
/// If the bytes mean nothing, or are too many.
pub fn open(bytes: &[u8]) -> Result<(AnyGame, Vec<BotInfo>, u64)> {
    let (facts, sent): (Vec<u8>, Sent) = decode(bytes)?;
    let mut kind: ShownKind = decode(facts.leak())?;
    let players = kind.bots.len();
    // There are inks for 256 players.
    if !(1..=256).contains(&players) || kind.series.len() * players > MAX_SAMPLES {
        return wrong("a match has too many players or charts");
    }
    kind.bots.iter_mut().for_each(|(name, _)| clean(name));
    let kind: &'static ShownKind = Box::leak(Box::new(kind));
    let game = ShownGame { kind, state: sent.checked(kind, None)?, hints: Arc::default() };
    let bots = kind.bots.iter().map(|(name, how)| BotInfo::new(name, how)).collect();
    Ok((AnyGame(Box::new(game)), bots, kind.steps_before))
}

/// Returns what stands for the answers that led from a state of an opened match to the next one.
///
/// # Errors
/// If the bytes mean nothing after this state, or are too many.
pub fn next(game: &AnyGame, bytes: &[u8]) -> Result<AnyAnswers> {
    let Some(shown) = ShownGame::of(game) else { return wrong("the game is known here") };
    let after = decode::<Sent>(bytes)?.checked(shown.kind, Some(&shown.state))?;
    Ok(AnyAnswers::of_list(SentStep { after: Some(after), memory: 2 * bytes.len(), count: 1 }))
}

/// Returns the state of an opened match with hints for the person who is asked. Each of the
/// person's gestures submits the orders: the program that plays the match composes them.
pub fn with_hints(game: &AnyGame, mut hints: Hints) -> AnyGame {
    let Some(shown) = ShownGame::of(game) else { return game.clone() };
    hints.choices.iter_mut().for_each(|choice| clean(&mut choice.label));
    clean(&mut hints.message);
    AnyGame(Box::new(ShownGame { hints: Arc::new(hints), ..shown.clone() }))
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::GameId;
    use crate::scene::Ink;

    /// The bytes about a short match, in which the first player is a person, and its states.
    fn sent(id: GameId) -> (Vec<Vec<u8>>, Vec<AnyGame>) {
        let kind = id.kind();
        let mut game = kind.start(&kind.default_rules(), 2, Seed(3)).unwrap();
        let bots = [HUMAN, "builtin"].map(|how| BotInfo::new("bot", how));
        let (mut sent, mut states) = (vec![begin(&game, &bots, 7)], vec![game.clone()]);
        for turn in 0..12 {
            let answers = game.scripted_answers(Seed(3), turn);
            game.step(&answers);
            sent.push(step(&answers, &game, &bots));
            states.push(game.clone());
        }
        (sent, states)
    }

    /// What viewers ask of a state.
    fn seen(game: &AnyGame) -> impl PartialEq + use<> {
        let person = Player(0);
        let mut samples = Vec::new();
        (0..game.kind().series().len()).for_each(|series| game.sample(series, &mut samples));
        let scenes = [game.scene(), game.scene_for(person).unwrap()];
        assert!(scenes.iter().all(|scene| is_sound(scene, game.players())));
        let beside = (game.seen_beside(person), game.has_secrets(person), game.leaders());
        (scenes, beside, game.standing(), game.progress(), game.is_over(), samples)
    }

    #[test]
    fn states_of_all_games_arrive() {
        for id in GameId::OWN {
            let (sent, states) = sent(id);
            let (mut shown, bots, steps_before) = open(&sent[0]).unwrap();
            assert_eq!((bots[0].kind.as_str(), steps_before), (HUMAN, 7));
            assert_eq!(shown.kind().legend(), id.kind().legend());
            assert!(seen(&shown) == seen(&states[0]), "{id}");
            for (bytes, game) in sent[1..].iter().zip(&states[1..]) {
                let answers = next(&shown, bytes).unwrap();
                shown.step(&answers);
                assert!(seen(&shown) == seen(game), "{id}");
            }
            assert!(next(&states[0], &sent[1]).is_err(), "it has the rules");
        }
    }

    /// A game may lie, and a network may lose bytes.
    #[test]
    fn damaged_bytes_are_refused_or_harmless() {
        for id in [GameId::Cluster, GameId::Rezzo] {
            let (sent, _) = sent(id);
            let (good, ..) = open(&sent[0]).unwrap();
            let mut rng = Seed(1).stream(agon_core::Purpose::Script, 0);
            for round in 0..4000 {
                let mut bytes = sent[round % 2].clone();
                let at = rng.index(bytes.len());
                match rng.below(3) {
                    0 => bytes.truncate(at),
                    1 => bytes[at] = rng.below(256) as u8,
                    _ => bytes[at] ^= 1_u8 << rng.below(8),
                }
                let mut game = good.clone();
                match round % 2 {
                    0 => game = open(&bytes).map_or(game, |(game, ..)| game),
                    _ => next(&good, &bytes).iter().for_each(|answers| game.step(answers)),
                }
                seen(&game);
            }
        }
    }

    #[test]
    fn lies_are_refused() {
        let (sent, _) = sent(GameId::Cluster);
        let (mut good, ..) = open(&sent[0]).unwrap();
        let tell = |lie: fn(&mut Sent)| {
            let mut state: Sent = decode(&sent[1]).unwrap();
            lie(&mut state);
            next(&good, &encode(&state))
        };
        let lies: [fn(&mut Sent); 6] = [
            |sent| sent.scenes[0].cells.push(Ink::GROUND),
            |sent| {
                let (width, height) = (1 << 31, 1 << 31);
                sent.scenes[1].board = Board::Grid { width, height, wraps: true };
            },
            |sent| sent.scenes[0].players.clear(),
            |sent| sent.beside.clear(),
            |sent| sent.decisions.push(Decision::new(Player(u16::MAX), 0)),
            |sent| sent.turn = u64::MAX,
        ];
        for (number, &lie) in lies.iter().enumerate() {
            assert!(tell(lie).is_err(), "lie {number}");
        }
        assert!(next(&good, &vec![0; MAX_BYTES + 1]).is_err());
        let long = tell(|sent| sent.scenes[0].title = "\u{202e}".repeat(2 * MAX_TEXT)).unwrap();
        good.step(&long);
        assert_eq!(good.scene().title, "\\u202e".repeat(MAX_TEXT));
    }
}
