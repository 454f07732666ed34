//! [`DynGame`]: everything that callers can do with a game whose type they do not know. Every game
//! implements it at once through its other traits.
//!
//! It is the interface of [`AnyGame`](super::AnyGame). Games go in and out as JSON or bytes.

use std::{any::Any, fmt};

use agon_core::{
    ActionMask, Decision, Game, GameExt, LegalActions, Meta, Player, Progress, Seed, Standing,
};
use serde::Serialize;

use crate::{
    batch::{self, Batch, Unusable},
    jsonl::{JsonGame, message::write_decide},
    scene::{Render, Scene},
};

use super::{AnyGameError, steps};

type Result<T> = std::result::Result<T, AnyGameError>;

/// A game without its types. Every game with the traits for JSON, flat memory, pictures and actions
/// implements it. Callers hold it as an [`AnyGame`](super::AnyGame).
pub trait DynGame: Any + fmt::Debug + Send + Sync {
    /// Returns a copy.
    fn clone_boxed(&self) -> Box<dyn DynGame>;

    /// Returns whether `other` is an equal game of the same type.
    fn is_same(&self, other: &dyn DynGame) -> bool;

    /// Returns the facts about the game that do not depend on settings.
    fn meta(&self) -> Meta;

    /// Returns all settings of the match as a JSON object.
    fn rules_json(&self) -> String;

    /// Returns the seed of the match.
    fn seed(&self) -> Seed;

    /// Returns the number of players, the ones that are out included.
    fn players(&self) -> usize;

    /// Returns how far the game has come.
    fn progress(&self) -> Progress;

    /// Returns scores and places now, and the outcome once the game is over.
    fn standing(&self) -> Standing;

    /// Returns a hash of everything that decides the future, except rules and seed.
    fn state_hash(&self) -> u64;

    /// Returns the whole state as JSON.
    fn position_json(&self) -> String;

    /// Returns the decisions wanted now, sorted by player, then unit; empty when the game is over.
    fn decisions(&self) -> &[Decision];

    /// Returns whether the game is over.
    fn is_over(&self) -> bool;

    /// Returns whether a player can never decide again.
    ///
    /// # Errors
    /// If there is no such player.
    fn is_out(&self, player: Player) -> Result<bool>;

    /// Returns what one decision sees, as the JSON Lines protocol writes it.
    ///
    /// # Errors
    /// If the decision is not wanted now.
    fn observation_json(&self, decision: Decision) -> Result<String>;

    /// Returns the question about all decisions of a player: the line `decide` of the JSON Lines
    /// protocol, with its end. `step` counts the steps of the match, from 0.
    ///
    /// # Errors
    /// If there is no such player, or nothing is asked of it.
    fn question_json(&self, step: u64, player: Player) -> Result<String>;

    /// Writes the question about all decisions of a player into `out` as flat memory, see
    /// [`batch`]. `out` is emptied first.
    ///
    /// # Errors
    /// If there is no such player, or nothing is asked of it.
    fn question_bytes(&self, step: u64, player: Player, out: &mut Vec<u8>) -> Result<()>;

    /// Returns the most bytes that a player's answers take in flat memory.
    ///
    /// # Errors
    /// If there is no such player, or nothing is asked of it.
    fn answer_room(&self, player: Player) -> Result<usize>;

    /// Returns why an answer breaks the rules, if it does. `answer` is JSON as for
    /// [`DynGame::step_json`].
    ///
    /// # Errors
    /// If the decision is not wanted now, or the text is no answer.
    fn illegal_json(&self, decision: Decision, answer: &str) -> Result<Option<String>>;

    /// Plays one step. `answers` is a JSON list with the answer to each decision, in the same
    /// order, written as in replays: faults have a form, too.
    ///
    /// # Errors
    /// If the game is over, there is not one answer per decision, or one cannot be read.
    fn step_json(&mut self, answers: &str) -> Result<()>;

    /// Plays one step. `replies` is a JSON list with the reply to each decision, in the same order,
    /// as bots write them in the JSON Lines protocol. `null` is no reply, which is a fault.
    ///
    /// # Errors
    /// As [`DynGame::step_json`].
    fn step_replies(&mut self, replies: &str) -> Result<()>;

    /// Plays one step with one list of actions per decision, in the same order: an action for each
    /// choice.
    ///
    /// # Errors
    /// If the game is over, there is not one list per decision, or one makes no answer.
    fn step_actions(&mut self, actions: &[Vec<usize>]) -> Result<()>;

    /// Plays one step with one message of flat memory per deciding player, in order of player.
    ///
    /// Returns the decisions without a usable answer. They count as faults.
    ///
    /// # Errors
    /// If the game is over, or there is not one message per deciding player.
    fn step_bytes(&mut self, messages: &[&[u8]]) -> Result<Vec<(Decision, Unusable)>>;

    /// Returns the name of each action, see [`LegalActions`].
    fn action_names(&self) -> Vec<String>;

    /// Returns what each choice of a decision is about; empty texts where there is only one.
    ///
    /// # Errors
    /// If the decision is not wanted now.
    fn choice_names(&self, decision: Decision) -> Result<Vec<String>>;

    /// Returns the legal actions of each choice of a decision.
    ///
    /// # Errors
    /// If the decision is not wanted now.
    fn legal_actions(&self, decision: Decision) -> Result<Vec<ActionMask>>;

    /// Returns the effective actions of each choice of a decision: the legal ones without those
    /// that do what another one does.
    ///
    /// # Errors
    /// If the decision is not wanted now.
    fn effective_actions(&self, decision: Decision) -> Result<Vec<ActionMask>>;

    /// Makes `legal` the legal actions of one choice, without taking new memory.
    ///
    /// # Errors
    /// If the decision is not wanted now, or has no such choice.
    fn legal_actions_of(
        &self,
        decision: Decision,
        choice: usize,
        legal: &mut ActionMask,
    ) -> Result<()>;

    /// Returns the state as a picture.
    fn scene(&self) -> Scene;

    /// Returns what a person who plays `player` sees of it.
    ///
    /// # Errors
    /// If there is no such player.
    fn scene_for(&self, player: Player) -> Result<Scene>;
}

/// The JSON of a value that serde can always write.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("settings and positions survive JSON")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// The masks of all choices of a decision, each filled by `fill`.
fn masks<G: LegalActions>(
    game: &G,
    decision: Decision,
    fill: impl Fn(&G, Decision, usize, &mut ActionMask),
) -> Result<Vec<ActionMask>> {
    steps::require_decision(game, decision)?;
    let mask = |choice| {
        let mut mask = ActionMask::default();
        fill(game, decision, choice, &mut mask);
        mask
    };
    Ok((0..game.choices(decision)).map(mask).collect())
}

impl<G: Batch + JsonGame + Render + LegalActions> DynGame for G {
    fn clone_boxed(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn DynGame) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn meta(&self) -> Meta {
        G::META
    }

    fn rules_json(&self) -> String {
        json(Game::rules(self))
    }

    fn seed(&self) -> Seed {
        Game::seed(self)
    }

    fn players(&self) -> usize {
        Game::players(self)
    }

    fn progress(&self) -> Progress {
        Game::progress(self)
    }

    fn standing(&self) -> Standing {
        Game::standing(self)
    }

    fn state_hash(&self) -> u64 {
        Game::state_hash(self)
    }

    fn position_json(&self) -> String {
        json(&Game::position(self))
    }

    fn decisions(&self) -> &[Decision] {
        Game::decisions(self)
    }

    fn is_over(&self) -> bool {
        GameExt::is_over(self)
    }

    fn is_out(&self, player: Player) -> Result<bool> {
        steps::require_player(self, player)?;
        Ok(Game::is_out(self, player))
    }

    fn observation_json(&self, decision: Decision) -> Result<String> {
        steps::require_decision(self, decision)?;
        let mut out = Vec::new();
        G::write_observation(&self.view(decision), &mut out);
        Ok(text(out))
    }

    fn question_json(&self, step: u64, player: Player) -> Result<String> {
        let range = steps::range_of(self, player)?;
        let mut out = Vec::new();
        write_decide(self, step, &Game::decisions(self)[range], &mut out);
        Ok(text(out))
    }

    fn question_bytes(&self, step: u64, player: Player, out: &mut Vec<u8>) -> Result<()> {
        let range = steps::range_of(self, player)?;
        batch::question(self, step, &Game::decisions(self)[range], out);
        Ok(())
    }

    fn answer_room(&self, player: Player) -> Result<usize> {
        let range = steps::range_of(self, player)?;
        Ok(Batch::answer_room(self, &Game::decisions(self)[range]))
    }

    fn illegal_json(&self, decision: Decision, answer: &str) -> Result<Option<String>> {
        steps::require_decision(self, decision)?;
        Ok(self.illegal(decision, &steps::read_answer(decision, answer)?))
    }

    fn step_json(&mut self, answers: &str) -> Result<()> {
        let answers = steps::from_json(self, answers)?;
        self.step(&answers);
        Ok(())
    }

    fn step_replies(&mut self, replies: &str) -> Result<()> {
        let answers = steps::from_replies(self, replies)?;
        self.step(&answers);
        Ok(())
    }

    fn step_actions(&mut self, actions: &[Vec<usize>]) -> Result<()> {
        let answers = steps::from_actions(self, actions)?;
        self.step(&answers);
        Ok(())
    }

    fn step_bytes(&mut self, messages: &[&[u8]]) -> Result<Vec<(Decision, Unusable)>> {
        let (answers, unusable) = steps::from_bytes(self, messages)?;
        self.step(&answers);
        Ok(unusable)
    }

    fn action_names(&self) -> Vec<String> {
        (0..self.action_count()).map(|action| self.action_name(action)).collect()
    }

    fn choice_names(&self, decision: Decision) -> Result<Vec<String>> {
        steps::require_decision(self, decision)?;
        let choices = 0..self.choices(decision);
        Ok(choices.map(|choice| self.choice_name(decision, choice)).collect())
    }

    fn legal_actions(&self, decision: Decision) -> Result<Vec<ActionMask>> {
        masks(self, decision, <G as LegalActions>::legal_actions)
    }

    fn effective_actions(&self, decision: Decision) -> Result<Vec<ActionMask>> {
        masks(self, decision, <G as LegalActions>::effective_actions)
    }

    fn legal_actions_of(
        &self,
        decision: Decision,
        choice: usize,
        legal: &mut ActionMask,
    ) -> Result<()> {
        steps::require_decision(self, decision)?;
        let choices = self.choices(decision);
        if choice >= choices {
            return Err(AnyGameError::NoChoice { decision, choice, choices });
        }
        LegalActions::legal_actions(self, decision, choice, legal);
        Ok(())
    }

    fn scene(&self) -> Scene {
        Render::scene(self)
    }

    fn scene_for(&self, player: Player) -> Result<Scene> {
        steps::require_player(self, player)?;
        Ok(Render::scene_for(self, player))
    }
}
