//! The actions of a game as a fixed, numbered set: what hints, random bots and learners choose
//! from.

use std::fmt;

use thiserror::Error;

use crate::{Decision, Game, Rng};

/// A game whose answers are made of numbered actions.
///
/// A decision consists of one or more independent choices. For each choice, one action is taken
/// from `0..action_count()`. Most games have one choice per decision. A game in which one answer
/// commands many units has one choice per unit.
///
/// # Legal and effective
/// An action is **legal** exactly if [`Game::illegal`] has nothing to say about the answer made of
/// it. Faults and resignations are answers, but no actions.
///
/// Some legal actions are certain to do exactly what another action of the same choice does: in
/// amoebas, a move onto an occupied cell is a rest. [`LegalActions::effective_actions`] leaves them
/// out, where the game can tell before anybody has answered.
///
/// # Contract
/// - The number of actions and their names stay the same for the whole match.
/// - The masks show nothing that the decision's view hides.
/// - Every choice has at least one legal and one effective action.
/// - Whether an action is legal does not depend on the actions of the other choices.
/// - [`LegalActions::actions_of`] returns the actions of which [`LegalActions::answer_of`] made an
///   answer, legal or not.
///
/// The conformance kit (`agon_games::conformance`) checks this.
///
/// Methods may panic if a decision is not one of [`Game::decisions`], or has no such choice.
pub trait LegalActions: Game {
    /// Returns the number of actions of a choice. It depends on nothing but rules and players.
    fn action_count(&self) -> usize;

    /// Returns a short name for people: "place color 2 in column 3". No two actions share one.
    ///
    /// # Panics
    /// If there is no such action.
    fn action_name(&self, action: usize) -> String;

    /// Returns the number of choices of a decision, at least 1.
    fn choices(&self, decision: Decision) -> usize {
        let _ = decision;
        1
    }

    /// Returns what a choice is about, for people: "cell (4, 3)". Empty where a decision has only
    /// one choice.
    fn choice_name(&self, decision: Decision, choice: usize) -> String {
        let _ = (decision, choice);
        String::new()
    }

    /// Makes `legal` the mask of the legal actions of a choice, whatever was in it.
    fn legal_actions(&self, decision: Decision, choice: usize, legal: &mut ActionMask);

    /// Makes `effective` the mask of the legal actions without those that are certain to do what
    /// another one in the mask does.
    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        self.legal_actions(decision, choice, effective);
    }

    /// Returns the answer made of one action per choice, whether they are legal or not.
    ///
    /// The answer carries nothing else: no data in amoebas, no memory in cellhack.
    ///
    /// # Errors
    /// If there is not one action per choice, or an action does not exist.
    fn answer_of(&self, decision: Decision, actions: &[usize])
    -> Result<Self::Answer, ActionError>;

    /// Returns the action of each choice of which an answer consists. What the answer carries
    /// besides is ignored. `None` if the answer is no action, such as a fault.
    fn actions_of(&self, decision: Decision, answer: &Self::Answer) -> Option<Vec<usize>>;

    /// Draws an answer: for each choice one of the legal actions, all with the same chance.
    ///
    /// # Panics
    /// If a choice has no legal action, which the contract forbids.
    fn random_legal(&self, decision: Decision, rng: &mut Rng) -> Self::Answer {
        let mut legal = ActionMask::default();
        let draw = |choice| {
            self.legal_actions(decision, choice, &mut legal);
            legal.draw(rng).expect("every choice has a legal action")
        };

        let actions: Vec<usize> = (0..self.choices(decision)).map(draw).collect();
        self.answer_of(decision, &actions).expect("legal actions make an answer")
    }
}

/// Why a list of actions makes no answer, for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ActionError(String);

impl ActionError {
    /// Checks that there is one action for each of `choices`, all of them below `action_count`.
    ///
    /// # Errors
    /// Names the first action that does not exist, or both numbers if they differ.
    pub fn check(
        actions: &[usize],
        choices: usize,
        action_count: usize,
    ) -> Result<(), ActionError> {
        let given = actions.len();
        if given != choices {
            let plural = if choices == 1 { "" } else { "s" };
            return Err(ActionError(format!(
                "{given} actions given for the {choices} choice{plural} of this decision"
            )));
        }
        match actions.iter().enumerate().find(|(_, action)| **action >= action_count) {
            None => Ok(()),
            Some((choice, action)) => {
                let last = action_count.saturating_sub(1);
                Err(ActionError(format!(
                    "choice {choice}: there is no action {action}; actions are numbered from 0 to \
                     {last}"
                )))
            }
        }
    }

    /// Returns the action of a decision with a single choice.
    ///
    /// # Errors
    /// As [`ActionError::check`] for one choice.
    pub fn check_single(actions: &[usize], action_count: usize) -> Result<usize, ActionError> {
        ActionError::check(actions, 1, action_count).map(|()| actions[0])
    }
}

/// A set of actions out of `0..len()`, a bit each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ActionMask {
    /// 64 actions a word, the first one in the lowest bit; bits from `len` on are 0.
    words: Vec<u64>,
    len: usize,
}

impl ActionMask {
    /// Makes the mask of `len` actions with none in it.
    pub fn none(len: usize) -> ActionMask {
        ActionMask { words: vec![0; len.div_ceil(64)], len }
    }

    /// Makes the mask of `len` actions with all in it.
    pub fn all(len: usize) -> ActionMask {
        let mut mask = ActionMask::none(len);
        mask.fill(len);
        mask
    }

    /// Makes this the mask of `len` actions with none in it. Keeps its memory.
    pub fn clear(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.len = len;
    }

    /// Makes this the mask of `len` actions with all in it. Keeps its memory.
    pub fn fill(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), u64::MAX);
        self.len = len;
        if let Some(last) = self.words.last_mut()
            && !len.is_multiple_of(64)
        {
            *last >>= 64 - len % 64;
        }
    }

    /// Puts an action in.
    ///
    /// # Panics
    /// If there is no such action.
    pub fn insert(&mut self, action: usize) {
        self.require(action);
        self.words[action / 64] |= 1 << (action % 64);
    }

    /// Takes an action out.
    ///
    /// # Panics
    /// If there is no such action.
    pub fn remove(&mut self, action: usize) {
        self.require(action);
        self.words[action / 64] &= !(1 << (action % 64));
    }

    /// Returns whether an action is in it; false for actions that do not exist.
    pub fn contains(&self, action: usize) -> bool {
        self.words.get(action / 64).is_some_and(|word| word >> (action % 64) & 1 == 1)
    }

    /// Returns the number of actions that could be in it.
    #[expect(clippy::len_without_is_empty, reason = "`is_none` is the question about its bits")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of actions in it.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no action is in it.
    pub fn is_none(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns whether each of its actions is in `other`, too.
    pub fn is_subset_of(&self, other: &ActionMask) -> bool {
        self.iter().all(|action| other.contains(action))
    }

    /// Iterates over the actions in it, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                bit.map(|bit| number * 64 + bit)
            })
        })
    }

    /// Draws one of the actions in it, all with the same chance; `None` if there are none.
    pub fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        self.iter().nth(rng.index(count))
    }

    /// Returns its bits, 64 actions a word, the first one in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    fn require(&self, action: usize) {
        assert!(action < self.len, "there is no action {action} among {}", self.len);
    }
}

impl fmt::Debug for ActionMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of {}: ", self.len)?;
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Seed};

    #[test]
    fn errors_name_the_numbers() {
        let error = |actions: &[usize], choices| {
            ActionError::check(actions, choices, 5).unwrap_err().to_string()
        };
        assert_eq!(error(&[0, 0], 1), "2 actions given for the 1 choice of this decision");
        assert_eq!(error(&[], 3), "0 actions given for the 3 choices of this decision");
        assert_eq!(
            error(&[4, 5], 2),
            "choice 1: there is no action 5; actions are numbered from 0 to 4"
        );
        assert_eq!(ActionError::check(&[4, 0], 2, 5), Ok(()));
        assert_eq!(ActionError::check_single(&[4], 5), Ok(4));
    }

    #[test]
    fn actions_go_in_and_out() {
        for len in [1, 63, 64, 65, 200] {
            let mut mask = ActionMask::all(len);
            assert_eq!((mask.len(), mask.count()), (len, len));
            assert!(mask.iter().eq(0..len) && !mask.contains(len));
            mask.remove(len - 1);
            assert_eq!((mask.count(), mask.contains(len - 1)), (len - 1, false));
            mask.clear(len);
            assert!(mask.is_none() && mask == ActionMask::none(len));
            mask.insert(len - 1);
            assert_eq!(mask.iter().collect::<Vec<_>>(), [len - 1]);
        }
    }

    #[test]
    fn what_was_in_a_mask_leaves_no_trace() {
        let mut mask = ActionMask::all(200);
        mask.fill(70);
        assert_eq!(mask, ActionMask::all(70));
        mask.clear(3);
        assert_eq!((mask.words(), mask.len()), (&[0][..], 3));
        mask.clear(0);
        assert_eq!(mask, ActionMask::default());
    }

    #[test]
    fn subsets() {
        let mut small = ActionMask::none(100);
        small.insert(70);
        assert!(small.is_subset_of(&ActionMask::all(100)));
        assert!(!ActionMask::all(100).is_subset_of(&small));
        assert!(ActionMask::none(100).is_subset_of(&small));
    }

    #[test]
    fn all_actions_are_drawn_equally_often() {
        let mut mask = ActionMask::none(130);
        [3, 64, 129].into_iter().for_each(|action| mask.insert(action));
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let mut drawn = [0; 130];
        (0..3_000).for_each(|_| drawn[mask.draw(&mut rng).unwrap()] += 1);
        assert_eq!(drawn.iter().sum::<u32>(), drawn[3] + drawn[64] + drawn[129]);
        assert!([3, 64, 129].iter().all(|&a| (900..1_100).contains(&drawn[a])), "{drawn:?}");
        assert_eq!(ActionMask::none(130).draw(&mut rng), None);
    }

    #[test]
    #[should_panic(expected = "there is no action 5 among 5")]
    fn actions_that_do_not_exist_cannot_go_in() {
        ActionMask::none(5).insert(5);
    }
}
