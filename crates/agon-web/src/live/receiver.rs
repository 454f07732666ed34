//! Browser side of a live match: decodes the arena's messages and plays them again to show them.
//!
//! The page's session feeds it all bytes that arrive. It makes the viewer of the match, compares
//! each state with the arena's hash, and hands questions to people who play in the page.

use agon_core::{BotInfo, Codec, DecodeError, Game, Player, codec};
use agon_games::{GameId, human::HumanInput, jsonl::JsonGame, with_game};
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
    pub(crate) following: Option<Box<dyn AnyLiveMatch>>,
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
                        with_game!(game, G => begin::<G>(&replay, self.appearance, self.follow)?);
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

/// A match that arrives, and what shows it.
type Begun = (Box<dyn AnyLiveMatch>, Box<dyn App>);

fn begin<G: HumanInput + JsonGame>(
    replay: &Replay,
    appearance: Appearance,
    follow: bool,
) -> Result<Begun> {
    let start: G = replay.start()?;
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
    Ok((
        Box::new(LiveMatch {
            states,
            game: start,
            steps_before,
            steps: 0,
            prompts,
            players: bots.clone(),
        }),
        Box::new(app),
    ))
}

/// A match that is followed.
pub(crate) trait AnyLiveMatch: Send {
    fn step(&mut self, contents: &[u8]) -> Result<()>;
    fn end(&mut self);
    fn ask(&mut self, question: &Question) -> Result<()>;
    fn close(&mut self);
    /// Takes the orders to send to the arena.
    fn take_orders(&self) -> Option<Orders>;
    /// Asks a person again, because their orders did not arrive.
    fn ask_again(&self);
    /// Makes the replay of a match that is over; an error is text for people.
    fn replay(&self) -> Result<Vec<u8>, String>;
}

struct LiveMatch<G: HumanInput> {
    states: SharedStates<G>,
    game: G,
    /// Steps of the match before the first one here.
    steps_before: u64,
    steps: u64,
    /// The question of the arena. When a person leaves the page, the arena continues to wait,
    /// because another page may be opened.
    prompts: PromptQueue<G>,
    players: Vec<BotInfo>,
}

impl<G: HumanInput> AnyLiveMatch for LiveMatch<G> {
    fn step(&mut self, contents: &[u8]) -> Result<()> {
        self.close();
        let step = self.steps;
        let unreadable = |error| anyhow!("step {step} cannot be read: {error}");
        let (answers, hash) = decode::<G>(contents).map_err(unreadable)?;
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

    fn take_orders(&self) -> Option<Orders> {
        let (question, acts) = self.prompts.take_acts()?;
        Some(Orders { question, acts })
    }

    fn ask_again(&self) {
        self.prompts.ask_again();
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

/// Returns the error of a step that does not follow from the rules.
fn differs(step: u64, what: &str) -> anyhow::Error {
    anyhow!("step {step}: {what}; the arena and this page do not play by the same rules")
}

fn decode<G: Game>(mut input: &[u8]) -> Result<(Vec<G::Answer>, u64), DecodeError> {
    let count = codec::take_varint(&mut input)?;
    let answers = (0..count).map(|_| G::Answer::decode(&mut input)).collect::<Result<_, _>>()?;
    let hash = codec::take_bytes(&mut input, 8)?.try_into().expect("eight bytes were taken");
    Ok((answers, u64::from_le_bytes(hash)))
}
