//! The promises of numbered actions ([`LegalActions`](agon_core::LegalActions)), and of the legal
//! replies that bots are told.

use std::collections::BTreeSet;

use agon_core::{ActionMask, Decision, Rng, runs_by_player};
use serde_json::Value;

use super::{Exam, FEW_STEPS, Found, State, Stop, breach, ensure_legal, failed};
use crate::any::{AnyAnswers, AnyGame};

/// The most decisions of a state that are looked at, and the most choices of each.
const MAX_LOOKED_AT: usize = 3;

/// If there are more actions than this, only some are tried in each state.
const MAX_TRIED: usize = 512;

/// Every action has a name of its own, which never changes.
pub(super) fn names(exam: &Exam<'_>) -> Found {
    let mut known: Vec<String> = Vec::new();
    exam.walk(exam.options.max_steps, |state| {
        if !state.is_sampled() && !state.game.is_over() {
            return Ok(());
        }
        let names = state.game.action_names();
        if state.step > 0 {
            ensure!(names == known, "the names of actions, or their number, changed");
        }
        let distinct: BTreeSet<&String> = names.iter().filter(|name| !name.is_empty()).collect();
        let are_named = distinct.len() == names.len() && !names.is_empty();
        ensure!(are_named, "not every action has a name of its own: {names:?}");
        known = names;
        Ok(())
    })?;
    Ok(format!("{} actions", known.len()))
}

/// The masks have exactly the actions that break no rule, and actions survive their answer.
pub(super) fn legal_actions(exam: &Exam<'_>) -> Found {
    let mut count = 0;
    let mut check = |state: &State<'_>| {
        if state.step == 0 {
            count = state.game.action_names().len();
        }
        check_state(exam, state, count)
    };
    let most = exam.options.max_steps;
    let scripted = exam.walk(most, &mut check)?;
    let legal = |game: &AnyGame, _, step| legal_answers(game, &mut exam.rng(step));
    let states = scripted + exam.walk_with(most, legal, &mut check)?;
    Ok(format!("{states} states, with scripted answers and with legal actions"))
}

fn check_state(exam: &Exam<'_>, state: &State<'_>, count: usize) -> Found<()> {
    let hash = state.game.state_hash();
    for at in some_of(state.game.decisions().len(), state.step) {
        check_decision(exam, state, at, count)?;
    }
    // Each of these tries takes copies of the game.
    if state.is_sampled() {
        check_effects(state, &mut exam.rng(state.step))?;
    }
    ensure!(state.game.state_hash() == hash, "asking for actions changes the hash of the state");
    Ok(())
}

fn check_decision(exam: &Exam<'_>, state: &State<'_>, at: usize, count: usize) -> Found<()> {
    let game = state.game;
    let decision = game.decisions()[at];
    let names = game.choice_names(decision)?;
    let distinct: BTreeSet<&String> = names.iter().collect();
    let are_named = distinct.len() == names.len() && !names.is_empty();
    ensure!(are_named, "{decision:?} has no choice, or two of the same name: {names:?}");

    let masks = game.legal_actions(decision)?;
    let effective = game.effective_actions(decision)?;
    let looked_at = some_of(names.len(), state.step);
    for &choice in &looked_at {
        let (legal, effective) = (&masks[choice], &effective[choice]);
        let what = || format!("choice {choice} of {decision:?}: {legal:?}, {effective:?}");
        let are_sized = [legal.len(), effective.len()] == [count; 2];
        ensure!(are_sized, "the masks are not those of {count} actions: {}", what());
        ensure!(effective.is_subset_of(legal), "not all effective ones are legal: {}", what());
        ensure!(!effective.is_none(), "no action is legal and effective: {}", what());
        let mut mask = ActionMask::all(count + 70);
        game.legal_actions_of(decision, choice, &mut mask)?;
        ensure!(mask == *legal, "what was in a mask before stays in it: {}", what());
    }

    let actions = draw(&masks, decision, &mut exam.rng(state.step))?;
    looked_at.into_iter().try_for_each(|choice| {
        check_answers(game, at, choice, actions.clone(), &masks[choice])
            .map_err(|stop| stop.within(&format!("choice {choice} of {decision:?}")))
    })
}

/// Checks the answers made of each action of a choice, and of legal actions of the others.
fn check_answers(
    game: &AnyGame,
    at: usize,
    choice: usize,
    mut actions: Vec<usize>,
    legal: &ActionMask,
) -> Found<()> {
    let decision = game.decisions()[at];
    let mut answers = game.kind().no_answers();
    answers.reset(game.decisions().len());
    let mut unknown = actions.clone();
    unknown[choice] = legal.len();
    for list in [[&actions[..], &[0]].concat(), actions[1..].to_vec(), unknown] {
        let made = game.set_actions(decision, &list, answers.part_mut(at..at + 1));
        ensure!(made.is_err(), "{list:?} are no list of actions, but make an answer");
    }
    let stride = legal.len().div_ceil(MAX_TRIED);
    for action in (choice % stride..legal.len()).step_by(stride) {
        actions[choice] = action;
        game.set_actions(decision, &actions, answers.part_mut(at..at + 1))?;
        let answer = answers.debug(at);
        match (legal.contains(action), breach(game, at, &answers)?) {
            (true, Some(reason)) => {
                return failed(format!("{answer:?} is legal, but breaks a rule: {reason}"));
            }
            (false, None) => return failed(format!("{answer:?} is not legal, but breaks no rule")),
            _ => {}
        }
        let back = game.actions_of(decision, &answers, at)?;
        let is_same = back.as_ref() == Some(&actions);
        ensure!(is_same, "{answer:?}, made of {actions:?}, is said to be {back:?}");
    }
    Ok(())
}

/// Draws a legal action for each choice.
fn draw(legal: &[ActionMask], decision: Decision, rng: &mut Rng) -> Found<Vec<usize>> {
    let actions: Option<Vec<usize>> = legal.iter().map(|mask| mask.draw(rng)).collect();
    actions.map_or_else(|| failed(format!("{decision:?} has no legal action")), Ok)
}

fn legal_answers(game: &AnyGame, rng: &mut Rng) -> Found<AnyAnswers> {
    let mut answers = game.kind().no_answers();
    answers.reset(game.decisions().len());
    for (at, &decision) in game.decisions().iter().enumerate() {
        let actions = draw(&game.legal_actions(decision)?, decision, rng)?;
        game.set_actions(decision, &actions, answers.part_mut(at..at + 1))?;
        ensure_legal(game, at, &answers)?;
    }
    Ok(answers)
}

/// Checks that a legal action that is not effective leads to the same state as one that is.
fn check_effects(state: &State<'_>, rng: &mut Rng) -> Found<()> {
    let game = state.game;
    let Some(&at) = some_of(game.decisions().len(), state.step).last() else { return Ok(()) };
    let decision = game.decisions()[at];
    let answers = legal_answers(game, rng)?;
    let Some(actions) = game.actions_of(decision, &answers, at)? else {
        return failed(format!("{:?} is said to be no action", answers.debug(at)));
    };
    let after = |choice: usize, action: usize| -> Found<AnyGame> {
        let (mut actions, mut answers) = (actions.clone(), answers.clone());
        actions[choice] = action;
        game.set_actions(decision, &actions, answers.part_mut(at..at + 1))?;
        let mut game = game.clone();
        game.step(&answers);
        Ok(game)
    };

    let legal = game.legal_actions(decision)?;
    let effective = game.effective_actions(decision)?;
    for choice in some_of(legal.len(), state.step) {
        let left_out = legal[choice].iter().filter(|&action| !effective[choice].contains(action));
        let left_out: Vec<usize> = left_out.collect();
        let Some(&action) = rng.pick(&left_out) else { continue };
        let expected = after(choice, action)?;
        let mut is_found = false;
        for other in effective[choice].iter() {
            is_found = is_found || after(choice, other)? == expected;
        }
        ensure!(is_found, "action {action} does what no effective one does, but is not effective");
    }
    Ok(())
}

/// Replies that messages list as legal are replies, and break no rule.
pub(super) fn legal_replies(exam: &Exam<'_>) -> Found {
    if !exam.kind.lists_legal() {
        return Err(Stop::NotApplicable("its messages list no legal replies".to_owned()));
    }
    let mut count = 0;
    exam.walk(FEW_STEPS, |state| {
        let mut answers = state.answers.clone();
        for (_, range) in runs_by_player(state.game.decisions()) {
            let mut question = Vec::new();
            let decisions = &state.game.decisions()[range.clone()];
            state.game.write_question(state.step, decisions, &mut question);
            let question: Value = serde_json::from_slice(&question)?;
            for (number, at) in range.enumerate() {
                let legal = question["decisions"][number]["legal"].as_array();
                let legal = legal.map_or(&[][..], Vec::as_slice);
                ensure!(!legal.is_empty(), "no reply is legal: {question}");
                for reply in legal {
                    answers.as_mut().set_reply(at, &reply.to_string())?;
                    ensure_legal(state.game, at, &answers)?;
                }
                count += legal.len();
            }
        }
        Ok(())
    })?;
    Ok(format!("{count} replies"))
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
