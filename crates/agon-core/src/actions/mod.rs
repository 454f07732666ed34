//! The actions of a game as a fixed, numbered set: what hints, random bots and learners choose
//! from.

mod error;
mod mask;

pub use error::ActionError;
pub use mask::ActionMask;

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
/// The conformance kit in `agon-testkit` checks all of this but the second.
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
