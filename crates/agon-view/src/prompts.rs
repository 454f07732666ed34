//! Questions to people: what they are, where a viewer gets them, and the queue in which a match
//! asks.
//!
//! The match asks in its own thread, through the host of people in `agon-bots`. The person's viewer
//! takes the questions in another thread. If the person plays in a browser, `agon-show` listens to
//! the queue and passes questions and orders on. The page has a queue of its own, in which
//! `agon-web` opens the questions that arrive.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::{fmt, time::Duration};

use agon_core::{Decision, Player};
use agon_games::any::{AnswersMut, AnyAnswers, AnyGame};
use agon_games::human::{Gesture, PromptOutcome, Prompter};

/// A question to a person: decisions on one state.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The number of the question in the match.
    pub number: u64,
    /// The state.
    pub game: AnyGame,
    /// Steps before it.
    pub step: u64,
    /// The player whose decisions these are.
    pub player: Player,
    /// The decisions, in order.
    pub decisions: Vec<Decision>,
}

/// Passes prompts from a match to a person, and the answers back.
///
/// The person's viewer runs in another thread. Clones share one queue.
#[derive(Clone, Default)]
pub struct PromptQueue(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    listener: OnceLock<Listener>,
}

/// Receives prompts in the thread of the match: each new prompt with its time limit.
///
/// It gets `None` when the match does not wait any more.
pub type Listener = Box<dyn Fn(Option<(&Prompt, Option<Duration>)>) + Send + Sync>;

#[derive(Default)]
struct State {
    question: Option<Prompt>,
    answers: Option<AnyAnswers>,
    /// The person's gestures that gave these answers, until somebody takes them.
    acts: Option<Vec<Gesture>>,
    /// Orders for later questions of a turn, with their player and turn.
    orders: Vec<(Player, u64, CarryOut)>,
    /// The number of questions so far, so that an answer belongs to one of them.
    number: u64,
    has_left: bool,
    is_over: bool,
}

/// Answers a decision by a person's orders: fills in its only answer.
pub type CarryOut = Box<dyn Fn(&AnyGame, Decision, AnswersMut<'_>) + Send>;

/// Returns the answers to some decisions by a person's orders.
fn carried_out(carry_out: &CarryOut, game: &AnyGame, decisions: &[Decision]) -> AnyAnswers {
    let mut answers = game.kind().no_answers();
    answers.reset(decisions.len());
    for (at, &decision) in decisions.iter().enumerate() {
        carry_out(game, decision, answers.part_mut(at..at + 1));
    }
    answers
}

impl fmt::Debug for PromptQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PromptQueue")
    }
}

impl PromptQueue {
    /// Sets the listener.
    ///
    /// # Panics
    /// If the queue already has a listener.
    pub fn listen(&self, listener: Listener) {
        assert!(self.0.listener.set(listener).is_ok(), "a prompt queue has one listener");
    }

    fn tell(&self, open: Option<(&Prompt, Option<Duration>)>) {
        if let Some(listener) = self.0.listener.get() {
            listener(open);
        }
    }

    /// Returns the question that waits for an answer.
    pub fn question(&self) -> Option<Prompt> {
        let state = self.lock();
        state.question.as_ref().filter(|_| state.answers.is_none()).cloned()
    }

    /// Returns whether question `number` still waits.
    pub fn is_open(&self, number: u64) -> bool {
        self.lock().waiting(number).is_some()
    }

    /// Answers question `number` and all others of its turn by orders, which `acts` have composed.
    ///
    /// Returns `false` if it does not wait any more.
    pub fn give(&self, number: u64, acts: Vec<Gesture>, carry_out: CarryOut) -> bool {
        let mut state = self.lock();
        let Some(Prompt { game, player, decisions, .. }) = state.waiting(number) else {
            return false;
        };
        let answers = carried_out(&carry_out, game, decisions);
        let of = (*player, game.progress().turn);
        (state.answers, state.acts) = (Some(answers), Some(acts));
        state.orders.push((of.0, of.1, carry_out));
        self.0.changed.notify_all();
        true
    }

    /// Lets a question of another program wait. Orders for its turn are kept there.
    pub fn open(&self, question: Prompt) {
        let mut state = self.lock();
        state.orders.clear();
        state.open(question);
    }

    /// Ends the wait for the question.
    pub fn close(&self) {
        let mut state = self.lock();
        (state.question, state.answers, state.acts) = (None, None, None);
    }

    /// Takes the gestures that have answered the question, with its number.
    pub fn take_acts(&self) -> Option<(u64, Vec<Gesture>)> {
        let mut state = self.lock();
        let number = state.question.as_ref()?.number;
        Some((number, state.acts.take()?))
    }

    /// Lets an answered question wait again, because its orders did not arrive.
    pub fn ask_again(&self) {
        let mut state = self.lock();
        (state.answers, state.acts) = (None, None);
    }

    /// Ends the match.
    pub fn end(&self) {
        self.lock().is_over = true;
    }

    /// Returns whether the match is over.
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Lets the person leave: no question gets an answer any more.
    pub fn leave(&self) {
        self.lock().has_left = true;
        self.0.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns question `number` if it waits for an answer.
    fn waiting(&self, number: u64) -> Option<&Prompt> {
        let is_it = |question: &&Prompt| question.number == number;
        self.question.as_ref().filter(is_it).filter(|_| self.answers.is_none())
    }

    fn open(&mut self, question: Prompt) {
        (self.question, self.answers, self.acts) = (Some(question), None, None);
    }
}

impl Prompter for PromptQueue {
    fn begin_anew(&self) {
        let mut state = self.lock();
        state.orders.clear();
        state.is_over = false;
    }

    /// Asks, and waits for the answers, at most for `limit`.
    ///
    /// If the person has given orders for this turn, they answer at once.
    fn ask(
        &self,
        game: &AnyGame,
        step: u64,
        player: Player,
        decisions: &[Decision],
        limit: Option<Duration>,
    ) -> PromptOutcome {
        let Shared { changed, .. } = &*self.0;
        let mut state = self.lock();
        let turn = game.progress().turn;
        state.orders.retain(|(whose, of, _)| *whose != player || *of == turn);
        if let Some((.., carry_out)) =
            state.orders.iter().find(|(whose, ..)| *whose == player && !state.has_left)
        {
            return PromptOutcome::Answers(carried_out(carry_out, game, decisions));
        }
        state.number += 1;
        let number = state.number;
        let question =
            Prompt { number, game: game.clone(), step, player, decisions: decisions.to_vec() };
        state.open(question.clone());
        drop(state);
        // Outside of the lock, as the listener may answer at once.
        self.tell(Some((&question, limit)));
        let state = self.lock();
        let is_open = |state: &mut State| state.answers.is_none() && !state.has_left;
        let mut state = match limit {
            None => changed.wait_while(state, is_open).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                changed
                    .wait_timeout_while(state, limit, is_open)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        state.question = None;
        let outcome = match state.answers.take() {
            Some(answers) => PromptOutcome::Answers(answers),
            None if state.has_left => PromptOutcome::Left,
            None => PromptOutcome::TooLate,
        };
        drop(state);
        self.tell(None);
        outcome
    }
}
