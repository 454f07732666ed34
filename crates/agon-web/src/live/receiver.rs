//! Browser side of a live match: decodes the arena's messages and plays them again to show them.
//!
//! The page's session feeds it all bytes that arrive. It makes the viewer of the match, compares
//! each state with the arena's hash, and hands questions to people who play in the page.

use agon_core::{BotInfo, DecodeError, Player, codec};
use agon_games::GameId;
use agon_games::any::{AnyAnswers, AnyGame, GameKind};
use agon_match::replay::{End, Replay, Writer};
use agon_view::{
    App, HumanPlayer, LiveStates, Notes, Prompt, PromptQueue, SharedStates, StateSource, Viewer,
    paint::Appearance,
};
use anyhow::{Result, anyhow, bail};

use super::{Orders, Question};
use crate::message::{self, ALIVE, BEGIN, CLOSED, END, QUESTION, STEP};
use crate::session::VerifiedSoFar;

/// Accepts the stream of messages in chunks of any size.
pub(crate) struct Receiver {
    appearance: Appearance,
    follow: bool,
    rest: Vec<u8>,
    pub(crate) following: Option<LiveMatch>,
    /// The question that waits, in its received form.
    pub(crate) question: Option<Question>,
    /// The verified part: each step is verified when it comes.
    pub(crate) verified: VerifiedSoFar,
}

impl Receiver {
    /// Starts without any message.
    pub(crate) fn new(appearance: Appearance, follow: bool) -> Receiver {
        Receiver {
            appearance,
            follow,
            rest: Vec::new(),
            following: None,
            question: None,
            verified: VerifiedSoFar::default(),
        }
    }

    /// Takes more bytes. Returns the new viewer when a match has begun.
    /// Fails if they do not fit together, or the match continues against the rules.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Option<Box<dyn App>>> {
        self.rest.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.rest);
        let mut input = all.as_slice();
        let mut shown = None;
        while let Some((kind, contents)) = message::take(&mut input) {
            if matches!(kind, BEGIN | STEP | CLOSED | END) {
                self.question = None;
            }
            let steps = self.verified.steps;
            match (kind, &mut self.following) {
                (BEGIN, _) => {
                    let replay = Replay::open(contents)?;
                    let game: GameId = replay.header().game.parse()?;
                    let (following, begun) =
                        begin(&replay, game.kind(), self.appearance, self.follow)?;
                    (self.following, shown) = (Some(following), Some(begun));
                    self.verified = VerifiedSoFar::default();
                }
                (STEP, Some(following)) => {
                    let result = following.step(contents);
                    let problem = result.as_ref().err().map(ToString::to_string);
                    let steps = steps + u64::from(problem.is_none());
                    self.verified = VerifiedSoFar { steps, done: problem.is_some(), problem };
                    result?;
                }
                (END, Some(following)) => {
                    following.end();
                    self.verified = VerifiedSoFar { steps, done: true, problem: None };
                }
                (QUESTION, Some(following)) => {
                    let question: Question = serde_json::from_slice(contents)
                        .map_err(|error| anyhow!("a question cannot be read: {error}"))?;
                    following.ask(&question)?;
                    self.question = Some(question);
                }
                (CLOSED, Some(following)) => following.close(),
                (ALIVE, _) => {}
                _ => bail!(
                    "a message of kind {kind} came out of place: page and arena are of different \
                     versions"
                ),
            }
        }
        self.rest = input.to_vec();
        Ok(shown)
    }
}

/// Returns a match that arrives, and what shows it.
fn begin(
    replay: &Replay,
    kind: &'static dyn GameKind,
    appearance: Appearance,
    follow: bool,
) -> Result<(LiveMatch, Box<dyn App>)> {
    let start = replay.start(kind)?;
    let bots = &replay.header().players;
    let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
    let people: Vec<Player> =
        Player::all(bots.len()).filter(|player| bots[player.index()].kind == "human").collect();
    let states = SharedStates::new(start.clone());
    let prompts = PromptQueue::default();
    let mut app = Viewer::new(LiveStates::new(states.clone(), names.clone()), Notes::default())
        .with_appearance(appearance);
    if !people.is_empty() {
        app = app.with_person(HumanPlayer::new(prompts.clone(), names, people));
    } else if !follow {
        app.playback().play_from_start();
    }
    let steps_before = replay.header().steps_before;
    let players = bots.clone();
    let live = LiveMatch { states, game: start, steps_before, steps: 0, prompts, players };
    Ok((live, Box::new(app)))
}

/// A match that is followed.
pub(crate) struct LiveMatch {
    states: SharedStates,
    game: AnyGame,
    /// Steps of the match before the first one here.
    steps_before: u64,
    steps: u64,
    /// The question of the arena. When a person leaves the page, the arena continues to wait,
    /// because another page may be opened.
    prompts: PromptQueue,
    players: Vec<BotInfo>,
}

impl LiveMatch {
    fn step(&mut self, contents: &[u8]) -> Result<()> {
        self.close();
        let step = self.steps;
        let unreadable = |error| anyhow!("step {step} cannot be read: {error}");
        let mut answers = self.game.kind().no_answers();
        let hash = decode(contents, &mut answers).map_err(unreadable)?;
        if answers.len() != self.game.decisions().len() {
            return Err(differs(step, "the game asks for another number of decisions"));
        }
        self.game.step(&answers);
        if self.game.state_hash() != hash {
            return Err(differs(step, "the state is another"));
        }
        self.states.push(&answers, &self.game);
        self.steps += 1;
        Ok(())
    }

    fn end(&mut self) {
        self.close();
        self.prompts.end();
        self.states.complete();
    }

    fn ask(&mut self, asked: &Question) -> Result<()> {
        let &Question { question: number, step, player, .. } = asked;
        let player = Player(player);
        let of_player = self.game.decisions().iter().filter(|decision| decision.player == player);
        let decisions: Vec<_> = of_player.copied().collect();
        if step != self.steps_before + self.steps || decisions.is_empty() {
            return Err(differs(self.steps, "a player is asked who has nothing to decide"));
        }
        self.prompts.open(Prompt { number, game: self.game.clone(), step, player, decisions });
        Ok(())
    }

    fn close(&mut self) {
        self.prompts.close();
    }

    /// Takes the orders to send to the arena.
    pub(crate) fn take_orders(&self) -> Option<Orders> {
        let (question, acts) = self.prompts.take_acts()?;
        Some(Orders { question, acts })
    }

    /// Asks a person again, because their orders did not arrive.
    pub(crate) fn ask_again(&self) {
        self.prompts.ask_again();
    }

    /// Makes the replay of a match that is over; an error is text for people.
    ///
    /// Plays the match once more, because only some of its states are kept.
    pub(crate) fn replay(&self) -> Result<Vec<u8>, String> {
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
            let answers = answers.clone();
            states.advance().map_err(|error| error.to_string())?;
            writer.step(&answers, states.game()).map_err(|error| error.to_string())?;
        }
        let last = states.game();
        let end = if last.decisions().is_empty() { End::Over } else { End::Interrupted };
        writer.finish(last, end, &[]).map_err(|error| error.to_string())
    }
}

/// Returns the error of a step that does not follow from the rules.
fn differs(step: u64, what: &str) -> anyhow::Error {
    anyhow!("step {step}: {what}; the arena and this page do not play by the same rules")
}

/// Reads the contents of a step: its answers, and the hash of the state after it.
fn decode(mut input: &[u8], answers: &mut AnyAnswers) -> Result<u64, DecodeError> {
    let count = codec::take_varint(&mut input)?;
    answers.decode(count, &mut input)?;
    let hash = codec::take_bytes(&mut input, 8)?.try_into().expect("eight bytes were taken");
    Ok(u64::from_le_bytes(hash))
}
