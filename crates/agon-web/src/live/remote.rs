//! A question that comes from elsewhere, and the orders that go back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agon_games::hand::{Act, Hand};
use agon_view::{Asker, Question};

use super::Orders;

/// The arena as the people at a page know it: it asks, and gets orders. Clones are the same.
#[derive(Clone)]
pub(super) struct Remote<G: Hand>(Arc<Mutex<State<G>>>);

struct State<G: Hand> {
    question: Option<Question<G>>,
    /// Whether orders for it have been given.
    is_given: bool,
    /// Orders that are to be sent.
    outgoing: Option<Orders>,
    is_over: bool,
}

impl<G: Hand> Default for Remote<G> {
    /// Nobody is asked yet.
    fn default() -> Remote<G> {
        let state = State { question: None, is_given: false, outgoing: None, is_over: false };
        Remote(Arc::new(Mutex::new(state)))
    }
}

impl<G: Hand> Remote<G> {
    /// A question waits, and no other one any more.
    pub(super) fn ask(&self, question: Question<G>) {
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

impl<G: Hand> Remote<G> {
    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Hand> Asker<G> for Remote<G> {
    fn question(&self) -> Option<Question<G>> {
        let state = self.lock();
        state.question.as_ref().filter(|_| !state.is_given).cloned()
    }

    fn is_open(&self, number: u64) -> bool {
        let state = self.lock();
        !state.is_given && state.question.as_ref().is_some_and(|question| question.number == number)
    }

    fn give(&self, number: u64, acts: Vec<Act>, _: G::Orders) {
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
