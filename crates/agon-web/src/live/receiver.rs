//! Browser side of a live match: decodes the arena's messages and plays them again to show them.
//!
//! The page's session feeds it all bytes that arrive. It makes the viewer of the match, compares
//! each state with the arena's hash, and hands questions to people who play in the page.

use agon_core::{BotInfo, DecodeError, Player, codec};
use agon_games::GameId;
use agon_games::any::{AnyAnswers, AnyGame, shown};
use agon_games::human::{Gesture, Hints};
use agon_match::replay::{End, Replay, Writer};
use agon_view::{
    App, HumanPlayer, LiveStates, Notes, Prompt, PromptQueue, SharedStates, StateSource, Viewer,
    paint::Appearance,
};
use anyhow::{Result, anyhow, bail};

use super::{Orders, Question};
use crate::message::{
    self, ALIVE, BEGIN, CLOSED, END, HINTS, QUESTION, REPLAY, SHOWN, SHOWN_STEP, STEP,
};
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
        let mut app = None;
        while let Some((kind, contents)) = message::take(&mut input) {
            if matches!(kind, BEGIN | STEP | CLOSED | END | SHOWN | SHOWN_STEP) {
                self.question = None;
            }
            let steps = self.verified.steps;
            match (kind, &mut self.following) {
                (BEGIN | SHOWN, _) => {
                    let following = match kind {
                        BEGIN => LiveMatch::of_replay(&Replay::open(contents)?)?,
                        _ => LiveMatch::of_shown(contents)?,
                    };
                    let notes = Notes::default();
                    app = Some(following.viewer(self.appearance, self.follow, notes));
                    self.following = Some(following);
                    self.verified = VerifiedSoFar::default();
                }
                (SHOWN_STEP, Some(following)) => {
                    let answers = shown::next(&following.game, contents)?;
                    following.push(&answers);
                }
                (REPLAY, Some(LiveMatch { shown: Some(shown), .. })) => {
                    shown.replay = Some(contents.to_vec());
                }
                (STEP, Some(following)) if following.shown.is_none() => {
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
                (HINTS, Some(following)) => following.hint(contents)?,
                (CLOSED, Some(following)) => following.close(),
                (ALIVE, _) => {}
                _ => bail!(
                    "a message of kind {kind} came out of place: page and arena are of different \
                     versions"
                ),
            }
        }
        self.rest = input.to_vec();
        Ok(app)
    }
}

/// A match whose game this page does not know.
#[derive(Default)]
pub(crate) struct ShownMatch {
    /// The question that waits, first for hints and then for the person.
    asked: Option<Prompt>,
    /// The person's gestures on it that the arena has.
    acts: Vec<Gesture>,
    /// The replay that this shows, in a file.
    pub(crate) replay: Option<Vec<u8>>,
    /// What a worker of the page has verified, with the rules that the replay carries.
    pub(crate) proof: Option<VerifiedSoFar>,
}

/// A match that is followed.
pub(crate) struct LiveMatch {
    /// `None` if this page plays the match again, and verifies it.
    pub(crate) shown: Option<ShownMatch>,
    states: SharedStates,
    game: AnyGame,
    /// Steps of the match before the first one here.
    steps_before: u64,
    pub(crate) steps: u64,
    /// The question of the arena. When a person leaves the page, the arena continues to wait,
    /// because another page may be opened.
    prompts: PromptQueue,
    players: Vec<BotInfo>,
}

impl LiveMatch {
    fn of_replay(replay: &Replay) -> Result<LiveMatch> {
        let header = replay.header();
        let start = replay.start(header.game.parse::<GameId>()?.kind())?;
        Ok(LiveMatch::new(start, header.players.clone(), header.steps_before))
    }

    fn of_shown(contents: &[u8]) -> Result<LiveMatch> {
        let (start, players, steps_before) = shown::open(contents)?;
        let shown = Some(ShownMatch::default());
        Ok(LiveMatch { shown, ..LiveMatch::new(start, players, steps_before) })
    }

    fn new(game: AnyGame, players: Vec<BotInfo>, steps_before: u64) -> LiveMatch {
        let states = SharedStates::new(game.clone());
        let prompts = PromptQueue::default();
        LiveMatch { shown: None, states, game, steps_before, steps: 0, prompts, players }
    }

    /// Returns what shows the match.
    pub(crate) fn viewer(
        &self,
        appearance: Appearance,
        follow: bool,
        notes: Notes,
    ) -> Box<dyn App> {
        let bots = &self.players;
        let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
        let people: Vec<Player> =
            Player::all(bots.len()).filter(|player| bots[player.index()].kind == "human").collect();
        let states = LiveStates::new(self.states.clone(), names.clone());
        let mut app = Viewer::new(states, notes).with_appearance(appearance);
        if !people.is_empty() {
            app = app.with_person(HumanPlayer::new(self.prompts.clone(), names, people));
        } else if !follow {
            app.playback().play_from_start();
        }
        Box::new(app)
    }

    /// Plays a step.
    fn push(&mut self, answers: &AnyAnswers) {
        self.close();
        self.game.step(answers);
        self.states.push(answers, &self.game);
        self.steps += 1;
    }

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
        let prompt = Prompt { number, game: self.game.clone(), step, player, decisions };
        match &mut self.shown {
            Some(shown) => shown.asked = Some(prompt),
            None => self.prompts.open(prompt),
        }
        Ok(())
    }

    fn close(&mut self) {
        self.prompts.close();
        self.shown.iter_mut().for_each(|shown| shown.asked = None);
    }

    /// Takes the orders to send to the arena. In a game that this page does not know, these are all
    /// gestures so far: the arena composes the orders, and answers with hints.
    pub(crate) fn take_orders(&self) -> Option<Orders> {
        let (question, acts) = self.prompts.take_acts()?;
        let before = self.shown.as_ref().map_or(&[][..], |shown| &shown.acts[..]);
        Some(Orders { question, acts: [before, &acts[..]].concat() })
    }

    /// Lets the person continue with the arena's hints for the gestures so far.
    fn hint(&mut self, contents: &[u8]) -> Result<()> {
        let Some(ShownMatch { asked: Some(prompt), acts, .. }) = &mut self.shown else {
            return Ok(());
        };
        let (given, hints): (Vec<Gesture>, Hints) = serde_json::from_slice(contents)?;
        *acts = given;
        let game = shown::with_hints(&prompt.game, hints);
        self.prompts.open(Prompt { game, ..prompt.clone() });
        Ok(())
    }

    /// Asks a person again, because their orders did not arrive.
    pub(crate) fn ask_again(&self) {
        self.prompts.ask_again();
    }

    /// Makes the replay of a match that is over; an error is text for people.
    ///
    /// Plays the match once more, because only some of its states are kept.
    pub(crate) fn replay(&self) -> Result<Vec<u8>, String> {
        if let Some(shown) = &self.shown {
            let missing = "only the arena can save this match: `agon play --replay FILE` does";
            return shown.replay.clone().ok_or_else(|| missing.to_owned());
        }
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
