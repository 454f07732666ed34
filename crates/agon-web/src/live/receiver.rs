//! Browser side of a live match: decodes the arena's messages and plays them again to show them.
//!
//! The page's session feeds it all bytes that arrive. It makes the viewer of the match, compares
//! each state with the arena's hash, and hands questions to people who play in the page.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_core::{BotInfo, Codec, DecodeError, Game, Player, codec};
use agon_games::{
    GameId, UnknownGame,
    human::{Gesture, HumanInput},
    jsonl::JsonGame,
    with_game,
};
use agon_match::replay::{End, OpenError, ReadError, Replay, Writer};
use agon_view::paint::Appearance;
use agon_view::{
    App, HumanPlayer, LiveStates, Notes, Prompt, PromptSource, SharedStates, StateSource, Viewer,
};
use thiserror::Error;

use super::{Orders, Question};
use crate::{
    page::message::{self, ALIVE, BEGIN, CLOSED, END, QUESTION, STEP},
    verification::VerifiedSoFar,
};

/// The reason why a match cannot be followed any further.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LiveError {
    /// A message of another kind, or in a wrong place.
    #[error("a message of kind {0} came out of place: page and arena are of different versions")]
    Kind(u8),
    /// The beginning cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is a match of an unknown game.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// The match cannot be set up.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A step cannot be read.
    #[error("step {step} cannot be read: {source}")]
    Decode {
        /// Steps before it.
        step: u64,
        /// The problem.
        source: DecodeError,
    },
    /// A question cannot be read.
    #[error("a question cannot be read: {0}")]
    Question(#[from] serde_json::Error),
    /// A step does not follow from the rules.
    #[error("step {step}: {what}; the arena and this page do not play by the same rules")]
    Differs {
        /// Steps before it.
        step: u64,
        /// The difference.
        what: &'static str,
    },
}

/// Accepts the stream of messages in chunks of any size.
pub(crate) struct Receiver {
    appearance: Appearance,
    follow: bool,
    rest: Vec<u8>,
    following: Option<Box<dyn AnyLiveMatch>>,
}

impl Receiver {
    /// Starts without any message.
    pub(crate) fn new(appearance: Appearance, follow: bool) -> Receiver {
        Receiver { appearance, follow, rest: Vec::new(), following: None }
    }

    /// Takes more bytes. Returns the new viewer when a match has begun.
    ///
    /// # Errors
    /// If they do not fit together, or the match continues against the rules.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Option<Box<dyn App>>, LiveError> {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let mut input = all.as_slice();
        let mut shown = None;
        while let Some((kind, contents)) = message::take(&mut input) {
            match (kind, &mut self.following) {
                (BEGIN, _) => {
                    let replay = Replay::open(contents)?;
                    let game: GameId = replay.header().game.parse()?;
                    let (following, begun) =
                        with_game!(game, G => begin::<G>(&replay, self.appearance, self.follow)?);
                    (self.following, shown) = (Some(following), Some(begun));
                }
                (STEP, Some(following)) => following.step(contents)?,
                (END, Some(following)) => following.end(),
                (QUESTION, Some(following)) => following.ask(serde_json::from_slice(contents)?)?,
                (CLOSED, Some(following)) => following.close(),
                (ALIVE, _) => {}
                _ => return Err(LiveError::Kind(kind)),
            }
        }
        self.rest = input.to_vec();
        Ok(shown)
    }

    /// Returns the question that waits, in its received form.
    pub(crate) fn question(&self) -> Option<&Question> {
        self.following.as_ref()?.question()
    }

    /// Returns the verified part of the match.
    pub(crate) fn proven(&self) -> VerifiedSoFar {
        self.following.as_ref().map_or_else(VerifiedSoFar::default, |following| following.proven())
    }

    /// Takes the orders to send to the arena.
    pub(crate) fn take_orders(&mut self) -> Option<Orders> {
        self.following.as_ref()?.take_orders()
    }

    /// Makes the replay of a match that is over.
    ///
    /// # Errors
    /// If it is not over, or cannot be written; the text is for people.
    pub(crate) fn replay(&self) -> Result<Vec<u8>, String> {
        self.following.as_ref().ok_or("the match has not begun")?.replay()
    }

    /// Asks a person again, because their orders did not arrive.
    pub(crate) fn ask_again(&mut self) {
        self.following.iter().for_each(|following| following.ask_again());
    }
}

/// A match that arrives, and what shows it.
type Begun = (Box<dyn AnyLiveMatch>, Box<dyn App>);

fn begin<G: HumanInput + JsonGame>(
    replay: &Replay,
    appearance: Appearance,
    follow: bool,
) -> Result<Begun, LiveError> {
    let start: G = replay.start()?;
    let bots = &replay.header().players;
    let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
    let people: Vec<Player> =
        Player::all(bots.len()).filter(|player| bots[player.index()].kind == "human").collect();
    let states = SharedStates::new(start.clone());
    let remote = RemotePrompts::default();
    let mut app = Viewer::new(LiveStates::new(states.clone(), names.clone()), Notes::default())
        .with_appearance(appearance);
    if !people.is_empty() {
        app = app.with_person(HumanPlayer::new(remote.clone(), names, people));
    } else if !follow {
        app.playback().play_from_start();
    }
    let steps_before = replay.header().steps_before;
    Ok((
        Box::new(LiveMatch {
            states,
            game: start,
            steps_before,
            steps: 0,
            proven: VerifiedSoFar::default(),
            remote,
            question: None,
            players: bots.clone(),
        }),
        Box::new(app),
    ))
}

/// A match that is followed.
trait AnyLiveMatch: Send {
    fn step(&mut self, contents: &[u8]) -> Result<(), LiveError>;
    fn end(&mut self);
    fn ask(&mut self, question: Question) -> Result<(), LiveError>;
    fn close(&mut self);
    fn question(&self) -> Option<&Question>;
    fn take_orders(&self) -> Option<Orders>;
    fn ask_again(&self);
    fn proven(&self) -> VerifiedSoFar;
    fn replay(&self) -> Result<Vec<u8>, String>;
}

struct LiveMatch<G: HumanInput> {
    states: SharedStates<G>,
    game: G,
    /// Steps of the match before the first one here.
    steps_before: u64,
    steps: u64,
    /// The verified part: each step is verified when it comes.
    proven: VerifiedSoFar,
    remote: RemotePrompts<G>,
    question: Option<Question>,
    players: Vec<BotInfo>,
}

impl<G: HumanInput> AnyLiveMatch for LiveMatch<G> {
    fn step(&mut self, contents: &[u8]) -> Result<(), LiveError> {
        self.close();
        let result = self.checked_step(contents);
        let problem = result.as_ref().err().map(ToString::to_string);
        self.proven = VerifiedSoFar { steps: self.steps, done: problem.is_some(), problem };
        result
    }

    fn end(&mut self) {
        self.question = None;
        self.remote.end();
        self.states.complete();
        self.proven = VerifiedSoFar { steps: self.steps, done: true, problem: None };
    }

    fn ask(&mut self, asked: Question) -> Result<(), LiveError> {
        let number = asked.question;
        let step = asked.step;
        let player = Player(asked.player);
        let of_player = self.game.decisions().iter().filter(|decision| decision.player == player);
        let decisions: Vec<_> = of_player.copied().collect();
        if step != self.steps_before + self.steps || decisions.is_empty() {
            let what = "a player is asked who has nothing to decide";
            return Err(LiveError::Differs { step: self.steps, what });
        }
        self.remote.ask(Prompt { number, game: self.game.clone(), step, player, decisions });
        self.question = Some(asked);
        Ok(())
    }

    fn close(&mut self) {
        self.question = None;
        self.remote.close();
    }

    fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    fn take_orders(&self) -> Option<Orders> {
        self.remote.take()
    }

    fn ask_again(&self) {
        self.remote.ask_again();
    }

    fn proven(&self) -> VerifiedSoFar {
        self.proven.clone()
    }

    /// Plays the match once more, because only some of its states are kept.
    fn replay(&self) -> Result<Vec<u8>, String> {
        let names = self.players.iter().map(|bot| bot.name.clone()).collect();
        let mut states = LiveStates::new(self.states.clone(), names);
        if !states.is_complete() {
            return Err("the match is not over yet".to_owned());
        }
        let start = states.game();
        // A match that takes too much memory has begun again with a later state.
        let before = self.steps_before + (self.steps - states.steps().min(self.steps));
        let writer = Writer::continuing(Vec::new(), start, &self.players, before);
        let mut writer = writer.map_err(|error| error.to_string())?;
        while let Some(answers) = states.answers().map_err(|error| error.to_string())? {
            let answers = answers.to_vec();
            states.advance().map_err(|error| error.to_string())?;
            writer.step(&answers, states.game()).map_err(|error| error.to_string())?;
        }
        let last = states.game();
        let end = if last.decisions().is_empty() { End::Over } else { End::Interrupted };
        writer.finish(last, end, &[]).map_err(|error| error.to_string())
    }
}

impl<G: HumanInput> LiveMatch<G> {
    fn checked_step(&mut self, contents: &[u8]) -> Result<(), LiveError> {
        let step = self.steps;
        let (answers, hash) =
            decode::<G>(contents).map_err(|source| LiveError::Decode { step, source })?;
        let differs = |what| LiveError::Differs { step, what };
        if answers.len() != self.game.decisions().len() {
            return Err(differs("the game asks for another number of decisions"));
        }
        self.game.step(&answers);
        if self.game.state_hash() != hash {
            return Err(differs("the state is another"));
        }
        self.states.push(&answers, &self.game);
        self.steps += 1;
        Ok(())
    }
}

fn decode<G: Game>(mut input: &[u8]) -> Result<(Vec<G::Answer>, u64), DecodeError> {
    let count = codec::take_varint(&mut input)?;
    let answers = (0..count).map(|_| G::Answer::decode(&mut input)).collect::<Result<_, _>>()?;
    let hash = codec::take_bytes(&mut input, 8)?.try_into().expect("eight bytes were taken");
    Ok((answers, u64::from_le_bytes(hash)))
}

/// The arena from the view of a page's people: it asks, and gets orders. Clones share one state.
#[derive(Clone)]
struct RemotePrompts<G: HumanInput>(Arc<Mutex<State<G>>>);

struct State<G: HumanInput> {
    question: Option<Prompt<G>>,
    /// Whether orders for it have been given.
    is_given: bool,
    /// Orders to send.
    outgoing: Option<Orders>,
    is_over: bool,
}

impl<G: HumanInput> Default for RemotePrompts<G> {
    /// Starts without a question.
    fn default() -> RemotePrompts<G> {
        let state = State { question: None, is_given: false, outgoing: None, is_over: false };
        RemotePrompts(Arc::new(Mutex::new(state)))
    }
}

impl<G: HumanInput> RemotePrompts<G> {
    /// Replaces the question that waits.
    fn ask(&self, question: Prompt<G>) {
        let mut state = self.lock();
        (state.question, state.is_given, state.outgoing) = (Some(question), false, None);
    }

    /// Removes the question that waits.
    fn close(&self) {
        let mut state = self.lock();
        (state.question, state.outgoing) = (None, None);
    }

    /// Ends the match.
    fn end(&self) {
        self.close();
        self.lock().is_over = true;
    }

    /// Takes the orders to send.
    fn take(&self) -> Option<Orders> {
        self.lock().outgoing.take()
    }

    /// Asks a person again, because their orders did not arrive, if the question still waits.
    fn ask_again(&self) {
        self.lock().is_given = false;
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: HumanInput> PromptSource<G> for RemotePrompts<G> {
    fn question(&self) -> Option<Prompt<G>> {
        let state = self.lock();
        state.question.as_ref().filter(|_| !state.is_given).cloned()
    }

    fn is_open(&self, number: u64) -> bool {
        let state = self.lock();
        !state.is_given && state.question.as_ref().is_some_and(|question| question.number == number)
    }

    fn give(&self, number: u64, acts: Vec<Gesture>, _: G::Orders) {
        if self.is_open(number) {
            let mut state = self.lock();
            (state.is_given, state.outgoing) = (true, Some(Orders { question: number, acts }));
        }
    }

    fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Does nothing: the arena continues to wait, because another page may be opened.
    fn leave(&self) {}
}
