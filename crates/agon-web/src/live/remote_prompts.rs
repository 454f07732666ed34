//! A question that comes from elsewhere, and the orders that go back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_games::human::{Gesture, HumanInput};
use agon_view::{Prompt, PromptSource};

use super::Orders;

/// The arena as the people at a page know it: it asks, and gets orders. Clones are the same.
#[derive(Clone)]
pub(super) struct RemotePrompts<G: HumanInput>(Arc<Mutex<State<G>>>);

struct State<G: HumanInput> {
    question: Option<Prompt<G>>,
    /// Whether orders for it have been given.
    is_given: bool,
    /// Orders that are to be sent.
    outgoing: Option<Orders>,
    is_over: bool,
}

impl<G: HumanInput> Default for RemotePrompts<G> {
    /// Nobody is asked yet.
    fn default() -> RemotePrompts<G> {
        let state = State { question: None, is_given: false, outgoing: None, is_over: false };
        RemotePrompts(Arc::new(Mutex::new(state)))
    }
}

impl<G: HumanInput> RemotePrompts<G> {
    /// A question waits, and no other one any more.
    pub(super) fn ask(&self, question: Prompt<G>) {
        let mut state = self.lock();
        (state.question, state.is_given, state.outgoing) = (Some(question), false, None);
    }

    /// No question waits any more.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        (state.question, state.outgoing) = (None, None);
    }

    /// The match is over.
    pub(super) fn end(&self) {
        self.close();
        self.lock().is_over = true;
    }

    /// Takes orders that are to be sent.
    pub(super) fn take(&self) -> Option<Orders> {
        self.lock().outgoing.take()
    }

    /// The orders that were given did not arrive: whoever gave them is asked again, if the question
    /// still waits.
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

    /// The arena waits on: another page may be opened.
    fn leave(&self) {}
}
