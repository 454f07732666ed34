//! The arena's questions to people who play in a page, and their orders on the way back.
//!
//! `receiver` puts questions in. The page's viewer takes them as from any [`PromptSource`], and the
//! page sends the orders to the arena.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_games::human::{Gesture, HumanInput};
use agon_view::{Prompt, PromptSource};

use super::Orders;

/// The arena from the view of a page's people: it asks, and gets orders. Clones share one state.
#[derive(Clone)]
pub(super) struct RemotePrompts<G: HumanInput>(Arc<Mutex<State<G>>>);

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
    pub(super) fn ask(&self, question: Prompt<G>) {
        let mut state = self.lock();
        (state.question, state.is_given, state.outgoing) = (Some(question), false, None);
    }

    /// Removes the question that waits.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        (state.question, state.outgoing) = (None, None);
    }

    /// Ends the match.
    pub(super) fn end(&self) {
        self.close();
        self.lock().is_over = true;
    }

    /// Takes the orders to send.
    pub(super) fn take(&self) -> Option<Orders> {
        self.lock().outgoing.take()
    }

    /// Asks a person again, because their orders did not arrive, if the question still waits.
    pub(super) fn ask_again(&self) {
        self.lock().is_given = false;
    }
}

impl<G: HumanInput> RemotePrompts<G> {
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
