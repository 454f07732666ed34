//! Questions to people: what they are, where a viewer gets them, and the queue in which a match
//! asks.
//!
//! The match asks in its own thread, through the host of people in `agon-bots`. The person's viewer
//! takes the questions in another thread. If the person plays in a browser, `agon-show` listens to
//! the queue and passes questions and orders on. The page has a queue of its own, in which
//! `agon-web` opens the questions that arrive.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::{fmt, time::Duration};

use agon_core::{Decision, Game, Player, PromptOutcome, Prompter};
use agon_games::human::Gesture;

/// A question to a person: decisions on one state.
#[derive(Clone, Debug)]
pub struct Prompt<G: Game> {
    /// The number of the question in the match.
    pub number: u64,
    /// The state.
    pub game: G,
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
#[derive(Clone)]
pub struct PromptQueue<G: Game>(Arc<Shared<G>>);

struct Shared<G: Game> {
    state: Mutex<State<G>>,
    changed: Condvar,
    listener: OnceLock<Listener<G>>,
}

/// Receives prompts in the thread of the match: each new prompt with its time limit.
///
/// It gets `None` when the match does not wait any more.
pub type Listener<G> = Box<dyn Fn(Option<(&Prompt<G>, Option<Duration>)>) + Send + Sync>;

struct State<G: Game> {
    question: Option<Prompt<G>>,
    answers: Option<Vec<G::Answer>>,
    /// The person's gestures that gave these answers, until somebody takes them.
    acts: Option<Vec<Gesture>>,
    /// Orders for later questions of a turn, with their player and turn.
    orders: Vec<(Player, u64, CarryOut<G>)>,
    /// The number of questions so far, so that an answer belongs to one of them.
    number: u64,
    has_left: bool,
    is_over: bool,
}

/// Answers decisions by a person's orders.
pub type CarryOut<G> = Box<dyn Fn(&G, Decision) -> <G as Game>::Answer + Send>;

impl<G: Game> fmt::Debug for PromptQueue<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PromptQueue")
    }
}

impl<G: Game> Default for PromptQueue<G> {
    fn default() -> PromptQueue<G> {
        let state = State {
            question: None,
            answers: None,
            acts: None,
            orders: vec![],
            number: 0,
            has_left: false,
            is_over: false,
        };
        let state = Mutex::new(state);
        let changed = Condvar::new();
        let listener = OnceLock::new();
        PromptQueue(Arc::new(Shared { state, changed, listener }))
    }
}

impl<G: Game> PromptQueue<G> {
    /// Sets the listener.
    ///
    /// # Panics
    /// If the queue already has a listener.
    pub fn listen(&self, listener: Listener<G>) {
        assert!(self.0.listener.set(listener).is_ok(), "a prompt queue has one listener");
    }

    fn tell(&self, open: Option<(&Prompt<G>, Option<Duration>)>) {
        if let Some(listener) = self.0.listener.get() {
            listener(open);
        }
    }

    /// Returns the question that waits for an answer.
    pub fn question(&self) -> Option<Prompt<G>> {
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
    pub fn give(&self, number: u64, acts: Vec<Gesture>, carry_out: CarryOut<G>) -> bool {
        let mut state = self.lock();
        let Some(Prompt { game, player, decisions, .. }) = state.waiting(number) else {
            return false;
        };
        let answers = decisions.iter().map(|&decision| carry_out(game, decision)).collect();
        let of = (*player, game.progress().turn);
        (state.answers, state.acts) = (Some(answers), Some(acts));
        state.orders.push((of.0, of.1, carry_out));
        self.0.changed.notify_all();
        true
    }

    /// Lets a question of another program wait. Orders for its turn are kept there.
    pub fn open(&self, question: Prompt<G>) {
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

    fn lock(&self) -> std::sync::MutexGuard<'_, State<G>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Game> State<G> {
    /// Returns question `number` if it waits for an answer.
    fn waiting(&self, number: u64) -> Option<&Prompt<G>> {
        let is_it = |question: &&Prompt<G>| question.number == number;
        self.question.as_ref().filter(is_it).filter(|_| self.answers.is_none())
    }

    fn open(&mut self, question: Prompt<G>) {
        (self.question, self.answers, self.acts) = (Some(question), None, None);
    }
}

impl<G: Game> Prompter<G> for PromptQueue<G> {
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
        game: &G,
        step: u64,
        player: Player,
        decisions: &[Decision],
        limit: Option<Duration>,
    ) -> PromptOutcome<G::Answer> {
        let Shared { changed, .. } = &*self.0;
        let mut state = self.lock();
        let turn = game.progress().turn;
        state.orders.retain(|(whose, of, _)| *whose != player || *of == turn);
        if let Some((.., carry_out)) =
            state.orders.iter().find(|(whose, ..)| *whose == player && !state.has_left)
        {
            return PromptOutcome::Answers(
                decisions.iter().map(|&decision| carry_out(game, decision)).collect(),
            );
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
        let is_open = |state: &mut State<G>| state.answers.is_none() && !state.has_left;
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
