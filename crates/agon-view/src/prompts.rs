//! Questions to people: what they are, where a viewer gets them, and the queue in which a match
//! asks.
//!
//! The match asks in its own thread, through the host of people in `agon-bots`. The person's viewer
//! takes the questions in another thread. If the person plays in a browser, `agon-show` listens to
//! the queue and passes questions and orders on.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::{fmt, time::Duration};

use agon_core::{Decision, Game, Player, PromptOutcome, Prompter};
use agon_games::human::{Gesture, HumanInput};

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

/// The source of the prompts for people at a screen.
///
/// It is a match in another thread ([`PromptQueue`](crate::PromptQueue)), or one on
/// another computer.
pub trait PromptSource<G: HumanInput>: Send {
    /// Returns the question that waits for orders.
    fn question(&self) -> Option<Prompt<G>>;

    /// Returns whether question `number` still waits.
    fn is_open(&self, number: u64) -> bool;

    /// Gives orders for question `number`, with `acts`, all gestures that composed them.
    ///
    /// They are ignored if the question does not wait any more.
    fn give(&self, number: u64, acts: Vec<Gesture>, orders: G::Orders);

    /// Returns whether the match is over.
    fn is_over(&self) -> bool;

    /// Reports that nobody is at the screen any more.
    fn leave(&self);
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

    /// Answers question `number` and all others of its turn by orders.
    ///
    /// Returns `false` if it does not wait any more.
    pub fn give(&self, number: u64, carry_out: CarryOut<G>) -> bool {
        let mut state = self.lock();
        let open = state.question.as_ref().filter(|question| question.number == number);
        let Some(Prompt { game, player, decisions, .. }) = open.filter(|_| state.answers.is_none())
        else {
            return false;
        };
        let answers = decisions.iter().map(|&decision| carry_out(game, decision)).collect();
        let of = (*player, game.progress().turn);
        state.answers = Some(answers);
        state.orders.push((of.0, of.1, carry_out));
        self.0.changed.notify_all();
        true
    }

    /// Ends the match.
    pub fn end(&self) {
        self.lock().is_over = true;
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
        state.answers = None;
        let question =
            Prompt { number, game: game.clone(), step, player, decisions: decisions.to_vec() };
        state.question = Some(question.clone());
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

impl<G: HumanInput> PromptSource<G> for PromptQueue<G> {
    fn question(&self) -> Option<Prompt<G>> {
        self.question()
    }

    fn is_open(&self, number: u64) -> bool {
        let state = self.lock();
        state.answers.is_none()
            && state.question.as_ref().is_some_and(|question| question.number == number)
    }

    fn give(&self, number: u64, _: Vec<Gesture>, orders: G::Orders) {
        self.give(number, Box::new(move |game, decision| game.carry_out(&orders, decision)));
    }

    fn is_over(&self) -> bool {
        self.lock().is_over
    }

    fn leave(&self) {
        self.leave();
    }
}
