//! Checks what games promise about their numbered actions ([`LegalActions`]): a part of the
//! conformance kit.

use std::collections::BTreeSet;

use agon_core::{ActionMask, Decision, GameExt as _, LegalActions, Purpose, Rng, Seed};

use super::{Violation, broken, set_up};

/// The most decisions of a state that are looked at, and the most choices of each.
const MAX_LOOKED_AT: usize = 3;

/// If there are more actions than this, only some are tried in each state.
const MAX_TRIED: usize = 512;

const REFUSES: &str = "refuses what is no list of actions";
const SURVIVE: &str = "actions survive their answer";

/// Plays two matches, one with scripted answers and one with legal actions only, and checks the
/// actions in every state.
pub(super) fn check<G: LegalActions>(
    rules: &G::Rules,
    players: usize,
    seed: Seed,
    max_steps: u64,
) -> Result<(), Violation> {
    let game = set_up::<G>(rules, players, seed)?;
    check_names(&game)?;
    for is_scripted in [true, false] {
        Walk { game: game.clone(), count: game.action_count(), seed, is_scripted }
            .check(max_steps)?;
    }
    Ok(())
}

fn names<G: LegalActions>(game: &G) -> Vec<String> {
    (0..game.action_count()).map(|action| game.action_name(action)).collect()
}

fn check_names<G: LegalActions>(game: &G) -> Result<(), Violation> {
    let names = names(game);
    let distinct: BTreeSet<&String> = names.iter().collect();
    if distinct.len() < names.len() || distinct.iter().any(|name| name.is_empty()) {
        return broken("every action has a name of its own", format!("{names:?}"));
    }
    Ok(())
}

/// A match that is being played.
struct Walk<G> {
    game: G,
    /// Actions at the start of the match.
    count: usize,
    seed: Seed,
    is_scripted: bool,
}

impl<G: LegalActions> Walk<G> {
    fn check(mut self, max_steps: u64) -> Result<(), Violation> {
        let names_before = names(&self.game);
        for step in 0..max_steps {
            if self.game.is_over() {
                break;
            }
            self.check_state(step)
                .map_err(|v| Violation { detail: format!("step {step}: {}", v.detail), ..v })?;
            let answers = if self.is_scripted {
                self.game.scripted_answers(self.seed, step)
            } else {
                self.legal_answers(step)?
            };
            self.game.step(&answers);
        }
        if names(&self.game) != names_before {
            return broken("the names of actions never change", "they changed within a match");
        }
        Ok(())
    }

    fn rng(&self, step: u64) -> Rng {
        self.seed.stream(Purpose::Script, !step)
    }

    fn legal_answers(&self, step: u64) -> Result<Vec<G::Answer>, Violation> {
        let mut rng = self.rng(step);
        let answer = |&decision: &Decision| {
            let answer = self.game.random_legal(decision, &mut rng);
            match self.game.illegal(decision, &answer) {
                None => Ok(answer),
                Some(breach) => broken("random legal answers break no rule", breach),
            }
        };
        self.game.decisions().iter().map(answer).collect()
    }

    fn check_state(&self, step: u64) -> Result<(), Violation> {
        let count = self.game.action_count();
        if count != self.count || count == 0 {
            let detail = format!("{} at first, {count} now", self.count);
            return broken("the number of actions is fixed", detail);
        }

        let hash = self.game.state_hash();
        for index in some_of(self.game.decisions().len(), step) {
            self.check_decision(self.game.decisions()[index], step)?;
        }
        if self.game.state_hash() != hash {
            return broken("looking changes nothing", "asking for actions changed the state hash");
        }

        // Each of these tries takes copies of the game.
        if step < 4 || step.is_power_of_two() {
            self.check_effects(step)?;
        }
        Ok(())
    }

    fn check_decision(&self, decision: Decision, step: u64) -> Result<(), Violation> {
        let choices = self.game.choices(decision);
        if choices == 0 {
            return broken("every decision has a choice", format!("{decision:?} has none"));
        }
        let looked_at = some_of(choices, step);
        let names: BTreeSet<String> =
            looked_at.iter().map(|&choice| self.game.choice_name(decision, choice)).collect();
        if names.len() < looked_at.len() {
            return broken("every choice has a name of its own", format!("{names:?}"));
        }

        let masks: Vec<ActionMask> = looked_at
            .iter()
            .map(|&choice| Ok(self.masks(decision, choice)?.0))
            .collect::<Result<_, Violation>>()?;

        let answer = self.game.random_legal(decision, &mut self.rng(step));
        let Some(actions) = self.game.actions_of(decision, &answer) else {
            return broken(SURVIVE, format!("{answer:?} has none"));
        };
        self.check_refusals(decision, &actions)?;
        for (choice, legal) in looked_at.into_iter().zip(&masks) {
            self.check_choice(decision, choice, legal, actions.clone())?;
        }
        Ok(())
    }

    fn check_refusals(&self, decision: Decision, actions: &[usize]) -> Result<(), Violation> {
        let mut unknown = actions.to_vec();
        unknown[actions.len() - 1] = self.count;
        let lists = [[actions, &[0]].concat(), actions[1..].to_vec(), unknown];
        match lists.into_iter().find(|list| self.game.answer_of(decision, list).is_ok()) {
            Some(list) => broken(REFUSES, format!("{list:?} made an answer")),
            None => Ok(()),
        }
    }

    /// Checks all actions of a choice, with `actions` for the other choices.
    fn check_choice(
        &self,
        decision: Decision,
        choice: usize,
        legal: &ActionMask,
        mut actions: Vec<usize>,
    ) -> Result<(), Violation> {
        let stride = self.count.div_ceil(MAX_TRIED);
        for action in (choice % stride..self.count).step_by(stride) {
            actions[choice] = action;
            let name = || format!("choice {choice}, action {action} of {decision:?}");
            let answer = match self.game.answer_of(decision, &actions) {
                Ok(answer) => answer,
                Err(error) => return broken("every action makes an answer", error.to_string()),
            };
            match (legal.contains(action), self.game.illegal(decision, &answer)) {
                (true, Some(breach)) => {
                    return broken("legal actions break no rule", format!("{}: {breach}", name()));
                }
                (false, None) => return broken("illegal actions break a rule", name()),
                _ => {}
            }
            if self.game.actions_of(decision, &answer).as_ref() != Some(&actions) {
                return broken(SURVIVE, format!("{}: {answer:?}", name()));
            }
        }
        Ok(())
    }

    /// Returns the masks of the legal and of the effective actions.
    fn masks(
        &self,
        decision: Decision,
        choice: usize,
    ) -> Result<(ActionMask, ActionMask), Violation> {
        // Earlier contents of a mask must not matter.
        let mut legal = ActionMask::all(self.count + 70);
        self.game.legal_actions(decision, choice, &mut legal);
        let mut effective = ActionMask::all(self.count + 70);
        self.game.effective_actions(decision, choice, &mut effective);

        let detail = || format!("choice {choice} of {decision:?}: {legal:?}, {effective:?}");
        if [legal.len(), effective.len()] != [self.count; 2] {
            return broken("masks have a bit for every action", detail());
        }
        if !effective.is_subset_of(&legal) {
            return broken("effective actions are legal", detail());
        }
        if effective.is_none() {
            return broken("every choice has a legal and effective action", detail());
        }
        Ok((legal, effective))
    }

    /// Checks that a legal action that is not effective leads to the same state as one that is.
    fn check_effects(&self, step: u64) -> Result<(), Violation> {
        let answers = self.legal_answers(step)?;
        let decisions = self.game.decisions();
        let Some(&index) = some_of(decisions.len(), step).last() else { return Ok(()) };
        let decision = decisions[index];
        for choice in some_of(self.game.choices(decision), step) {
            let (legal, effective) = self.masks(decision, choice)?;
            let left_out = legal.iter().filter(|&action| !effective.contains(action));
            let left_out: Vec<usize> = left_out.collect();
            let Some(&action) = self.rng(step).pick(&left_out) else { continue };

            let after = |action| self.after(&answers, index, choice, action);
            let state = after(action)?;
            let mut is_found = false;
            for other in effective.iter() {
                is_found = is_found || after(other)? == state;
            }
            if !is_found {
                let name = self.game.action_name(action);
                return broken("actions without effect do what another one does", name);
            }
        }
        Ok(())
    }

    /// Returns the state after these answers, with another action in one choice of one decision.
    fn after(
        &self,
        answers: &[G::Answer],
        index: usize,
        choice: usize,
        action: usize,
    ) -> Result<G, Violation> {
        let decision = self.game.decisions()[index];
        let Some(mut actions) = self.game.actions_of(decision, &answers[index]) else {
            return broken(SURVIVE, format!("{:?} has none", answers[index]));
        };
        actions[choice] = action;
        let mut answers = answers.to_vec();
        answers[index] = match self.game.answer_of(decision, &actions) {
            Ok(answer) => answer,
            Err(error) => return broken("every action makes an answer", error.to_string()),
        };
        let mut game = self.game.clone();
        game.step(&answers);
        Ok(game)
    }
}

/// Returns the indices of the first and the last of `len` things, and of another one in each step.
fn some_of(len: usize, step: u64) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..len.min(MAX_LOOKED_AT)).collect();
    if let [_, last, between] = &mut indices[..] {
        *last = len - 1;
        *between = 1 + step as usize % (len - 2);
    }
    indices
}
