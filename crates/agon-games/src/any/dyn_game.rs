//! [`DynGame`]: what a match of any game can do.

use std::{any::Any, fmt, ops::Range};

use agon_core::{
    ActionMask, Decision, Game, GameExt, LegalActions, Meta, Player, Progress, Seed, Standing,
};
use serde::Serialize;
use serde_json::Value;

use super::answers::{AnswersMut, AnyAnswers, List};
use super::{AnyOrders, FullGame, GameKind, Result, kind_of, wrong, wrong_answer};
use crate::batch::{self, Batch, Unusable};
use crate::human::{Gesture, Hints, HumanInput, Reaction};
use crate::jsonl::message::{self, write_decide, write_line};
use crate::scene::{Fact, Place, Render, Scene, Travel};
use crate::settings;

/// Checks that the match has such a player.
fn require_player<G: Game>(game: &G, player: Player) -> Result<()> {
    let last = game.players() - 1;
    if player.index() <= last {
        return Ok(());
    }
    wrong(format_args!("there is no player {player}; players are numbered from 0 to {last}"))
}

/// Checks that a decision is wanted now.
fn require_decision<G: Game>(game: &G, decision: Decision) -> Result<()> {
    if game.decisions().binary_search(&decision).is_ok() {
        return Ok(());
    }
    let Decision { player, unit } = decision;
    wrong(format_args!("player {player} has no decision to make for unit {unit} now"))
}

/// A game without its types. Every game with the traits for JSON, flat memory, pictures and actions
/// implements it. Callers hold it as an [`AnyGame`](super::AnyGame).
///
/// Methods fail if there is no such player, nothing is asked of it, or a decision is not wanted
/// now. Steps also fail if the game is over, or there is not one usable answer (or list, or
/// message) for each that is wanted.
pub trait DynGame: Any + fmt::Debug + Send + Sync {
    /// Returns a copy.
    fn clone_boxed(&self) -> Box<dyn DynGame>;

    /// Returns whether `other` is an equal game of the same type.
    fn is_same(&self, other: &dyn DynGame) -> bool;

    /// Returns the game itself.
    fn kind(&self) -> &'static dyn GameKind;

    /// Returns the facts about the game that do not depend on settings.
    fn meta(&self) -> Meta;

    /// Returns why the rules themselves have failed, see [`Game::failure`].
    fn failure(&self) -> Option<String>;

    /// Returns all settings of the match as a JSON object.
    fn rules(&self) -> Value;

    /// Returns all settings of the match as the text of a JSON object.
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

    /// Returns the whole state in the form of replays.
    ///
    /// # Errors
    /// If the game's position cannot be written so, which is a mistake in the game.
    fn position_bytes(&self) -> Result<Vec<u8>>;

    /// Returns whether this is the state in which a match with these settings, players and seed
    /// starts.
    fn is_start(&self) -> bool;

    /// Returns the decisions wanted now, sorted by player, then unit; empty when the game is over.
    fn decisions(&self) -> &[Decision];

    /// Returns whether the game is over.
    fn is_over(&self) -> bool;

    /// Returns whether a player can never decide again.
    fn is_out(&self, player: Player) -> Result<bool>;

    /// Plays one step, with one answer per decision in the same order.
    ///
    /// # Panics
    /// If the number of answers differs from the number of decisions, or they are of another game.
    fn step(&mut self, answers: &AnyAnswers);

    /// Returns which answers to the decisions in `part` break the rules: the first of them with the
    /// reason, and how many there are. Default answers do not count: Agon plays them after faults.
    ///
    /// # Panics
    /// If there is not one answer of this game for each decision.
    fn breaches(&self, part: Range<usize>, answers: &AnyAnswers)
    -> Option<(Decision, String, u64)>;

    /// Returns why one of some answers breaks the rules, if it does, even a default one.
    ///
    /// # Panics
    /// If there is no such answer, or it is of another game.
    fn illegal(
        &self,
        decision: Decision,
        answers: &AnyAnswers,
        at: usize,
    ) -> Result<Option<String>>;

    /// Draws the answers of a scripted playout, see [`GameExt::scripted_answers`].
    fn scripted_answers(&self, script: Seed, step: u64) -> AnyAnswers;

    /// Appends the first message of the JSON Lines protocol to `player`, with its line end. `names`
    /// has the names of all players.
    fn write_start(&self, player: Player, names: &[String], out: &mut Vec<u8>);

    /// Appends the question about `decisions`, all of one player, as a line of the JSON Lines
    /// protocol.
    ///
    /// # Panics
    /// If one of them is not wanted now.
    fn write_question(&self, step: u64, decisions: &[Decision], out: &mut Vec<u8>);

    /// Writes the question about `decisions`, all of one player, as flat memory into `out`, which
    /// is emptied first. Returns the most bytes that the answers take.
    ///
    /// # Panics
    /// If there are none, or one of them is not wanted now.
    fn write_batch(&self, step: u64, decisions: &[Decision], out: &mut Vec<u8>) -> usize;

    /// Returns the most bytes that the answers to `decisions` take in flat memory.
    fn room_for(&self, decisions: &[Decision]) -> usize;

    /// Reads answers in flat memory, see [`Batch::read_answers`](crate::batch::Batch).
    ///
    /// # Panics
    /// If the answers are of another game.
    fn read_batch(
        &self,
        decisions: &[Decision],
        answered: &[u8],
        answers: AnswersMut<'_>,
        unusable: &mut dyn FnMut(usize, Unusable),
    );

    /// Returns what one decision sees, as the JSON Lines protocol writes it.
    fn observation_json(&self, decision: Decision) -> Result<String>;

    /// Returns the name of each action, see [`LegalActions`].
    fn action_names(&self) -> Vec<String>;

    /// Returns what each choice of a decision is about; empty texts where there is only one.
    fn choice_names(&self, decision: Decision) -> Result<Vec<String>>;

    /// Returns the legal actions of each choice of a decision.
    fn legal_actions(&self, decision: Decision) -> Result<Vec<ActionMask>>;

    /// Returns the effective actions of each choice of a decision: the legal ones without those
    /// that do what another one does.
    fn effective_actions(&self, decision: Decision) -> Result<Vec<ActionMask>>;

    /// Makes `legal` the legal actions of one choice, without taking new memory.
    fn legal_actions_of(
        &self,
        decision: Decision,
        choice: usize,
        legal: &mut ActionMask,
    ) -> Result<()>;

    /// Makes the first of `answers` the answer made of one action per choice, legal or not.
    ///
    /// # Panics
    /// If there is none, or it is of another game.
    fn set_actions(
        &self,
        decision: Decision,
        actions: &[usize],
        answers: AnswersMut<'_>,
    ) -> Result<()>;

    /// Returns the action of each choice of which an answer to a decision consists; `None` if it is
    /// no action, such as a fault.
    ///
    /// # Panics
    /// If there is no such answer, or it is of another game.
    fn actions_of(
        &self,
        decision: Decision,
        answers: &AnyAnswers,
        at: usize,
    ) -> Result<Option<Vec<usize>>>;

    /// Returns the state as a picture.
    fn scene(&self) -> Scene;

    /// Returns what a person who plays `player` sees of it.
    fn scene_for(&self, player: Player) -> Result<Scene>;

    /// Returns what moves if the open decisions get these answers.
    ///
    /// # Panics
    /// If there is not one answer of this game for each decision.
    fn travels(&self, answers: &AnyAnswers) -> Vec<Travel>;

    /// Returns the uppermost place of each numbered column with its number.
    fn columns(&self) -> Vec<(Place, u32)>;

    /// Returns facts about a place, the most important first.
    ///
    /// # Panics
    /// If the scene has no such place.
    fn inspect(&self, place: Place) -> Vec<Fact>;

    /// Returns the facts that the person who plays `player` may know about a place.
    ///
    /// # Panics
    /// If that person's scene has no such place.
    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact>;

    /// Returns what the person who plays `player` sees besides the scene.
    fn seen_beside(&self, player: Player) -> Vec<Fact>;

    /// Returns whether others must not look at the screen of the person who plays `player`.
    fn has_secrets(&self, player: Player) -> bool;

    /// Returns who leads in the eyes of a spectator.
    fn leaders(&self) -> Vec<Player>;

    /// Returns the open decision of the unit on a place; `None` if there is none.
    fn decision_at(&self, place: Place) -> Option<Decision>;

    /// Appends a number for each player to `values`: of the series with this number in
    /// [`GameKind::series`].
    ///
    /// # Panics
    /// If there is no such series.
    fn sample(&self, series: usize, values: &mut Vec<i64>);

    /// Returns empty orders of a person, for a turn.
    fn orders(&self, player: Player) -> AnyOrders;

    /// Applies a gesture to orders.
    ///
    /// # Panics
    /// If they are of another game, here and below.
    fn act(&self, orders: &mut AnyOrders, gesture: Gesture) -> Reaction;

    /// Returns what the screen shows for orders.
    fn hints(&self, orders: &AnyOrders) -> Hints;

    /// Carries out submitted orders: the first of `answers` becomes the answer to the open
    /// decision.
    fn carry_out(&self, orders: &AnyOrders, decision: Decision, answers: AnswersMut<'_>);

    /// Returns the board after submitted orders, if they alone decide about it.
    fn preview(&self, orders: &AnyOrders) -> Option<Scene>;

    /// Returns how long a turn lasts for bots, in milliseconds, if that is fixed.
    fn turn_ms(&self) -> Option<u32>;
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
    require_decision(game, decision)?;
    let mask = |choice| {
        let mut mask = ActionMask::default();
        fill(game, decision, choice, &mut mask);
        mask
    };
    Ok((0..game.choices(decision)).map(mask).collect())
}

impl<G: FullGame> DynGame for G {
    fn clone_boxed(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn DynGame) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn kind(&self) -> &'static dyn GameKind {
        self.kind_of_match().unwrap_or_else(kind_of::<G>)
    }

    fn meta(&self) -> Meta {
        Game::meta(self)
    }

    fn failure(&self) -> Option<String> {
        Game::failure(self)
    }

    fn rules(&self) -> Value {
        Value::Object(settings::to_map::<G>(Game::rules(self)))
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

    fn position_bytes(&self) -> Result<Vec<u8>> {
        postcard::to_stdvec(&Game::position(self)).or_else(wrong)
    }

    fn is_start(&self) -> bool {
        G::new(Game::rules(self), Game::players(self), Game::seed(self))
            .is_ok_and(|start| start == *self)
    }

    fn decisions(&self) -> &[Decision] {
        Game::decisions(self)
    }

    fn is_over(&self) -> bool {
        GameExt::is_over(self)
    }

    fn is_out(&self, player: Player) -> Result<bool> {
        require_player(self, player)?;
        Ok(Game::is_out(self, player))
    }

    fn step(&mut self, answers: &AnyAnswers) {
        Game::step(self, List::<G>::of(answers.list()));
    }

    fn breaches(
        &self,
        part: Range<usize>,
        answers: &AnyAnswers,
    ) -> Option<(Decision, String, u64)> {
        let default = G::Answer::default();
        let decisions = &Game::decisions(self)[part.clone()];
        let mut breaches = decisions
            .iter()
            .zip(&List::<G>::of(answers.list())[part])
            .filter(|(_, answer)| **answer != default)
            .filter_map(|(&at, answer)| Some((at, Game::illegal(self, at, answer)?)));
        let (decision, reason) = breaches.next()?;
        Some((decision, reason, 1 + breaches.count() as u64))
    }

    fn illegal(
        &self,
        decision: Decision,
        answers: &AnyAnswers,
        at: usize,
    ) -> Result<Option<String>> {
        require_decision(self, decision)?;
        Ok(Game::illegal(self, decision, &List::<G>::of(answers.list())[at]))
    }

    fn scripted_answers(&self, script: Seed, step: u64) -> AnyAnswers {
        AnyAnswers::of::<G>(GameExt::scripted_answers(self, script, step))
    }

    fn write_start(&self, player: Player, names: &[String], out: &mut Vec<u8>) {
        write_line(&message::Start::new(self, player, names), out);
    }

    fn write_question(&self, step: u64, decisions: &[Decision], out: &mut Vec<u8>) {
        write_decide(self, step, decisions, out);
    }

    fn write_batch(&self, step: u64, decisions: &[Decision], out: &mut Vec<u8>) -> usize {
        batch::question(self, step, decisions, out);
        Batch::answer_room(self, decisions)
    }

    fn room_for(&self, decisions: &[Decision]) -> usize {
        Batch::answer_room(self, decisions)
    }

    fn read_batch(
        &self,
        decisions: &[Decision],
        answered: &[u8],
        mut answers: AnswersMut<'_>,
        unusable: &mut dyn FnMut(usize, Unusable),
    ) {
        self.read_answers(decisions, answered, answers.of_game::<G>(), unusable);
    }

    fn observation_json(&self, decision: Decision) -> Result<String> {
        require_decision(self, decision)?;
        let mut out = Vec::new();
        G::write_observation(&self.view(decision), &mut out);
        Ok(text(out))
    }

    fn action_names(&self) -> Vec<String> {
        (0..self.action_count()).map(|action| self.action_name(action)).collect()
    }

    fn choice_names(&self, decision: Decision) -> Result<Vec<String>> {
        require_decision(self, decision)?;
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
        require_decision(self, decision)?;
        let choices = self.choices(decision);
        if choice >= choices {
            let reason = format!("there is no choice {choice} among {choices}");
            return Err(wrong_answer(decision, reason));
        }
        LegalActions::legal_actions(self, decision, choice, legal);
        Ok(())
    }

    fn set_actions(
        &self,
        decision: Decision,
        actions: &[usize],
        mut answers: AnswersMut<'_>,
    ) -> Result<()> {
        require_decision(self, decision)?;
        let made = self.answer_of(decision, actions);
        answers.of_game::<G>()[0] = made.map_err(|error| wrong_answer(decision, error))?;
        Ok(())
    }

    fn actions_of(
        &self,
        decision: Decision,
        answers: &AnyAnswers,
        at: usize,
    ) -> Result<Option<Vec<usize>>> {
        require_decision(self, decision)?;
        Ok(LegalActions::actions_of(self, decision, &List::<G>::of(answers.list())[at]))
    }

    fn scene(&self) -> Scene {
        Render::scene(self)
    }

    fn scene_for(&self, player: Player) -> Result<Scene> {
        require_player(self, player)?;
        Ok(Render::scene_for(self, player))
    }

    fn travels(&self, answers: &AnyAnswers) -> Vec<Travel> {
        Render::travels(self, List::<G>::of(answers.list()))
    }

    fn columns(&self) -> Vec<(Place, u32)> {
        Render::columns(self)
    }

    fn inspect(&self, place: Place) -> Vec<Fact> {
        Render::inspect(self, place)
    }

    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact> {
        Render::inspect_for(self, player, place)
    }

    fn seen_beside(&self, player: Player) -> Vec<Fact> {
        Render::seen_beside(self, player)
    }

    fn has_secrets(&self, player: Player) -> bool {
        Render::has_secrets(self, player)
    }

    fn leaders(&self) -> Vec<Player> {
        Render::leaders(self)
    }

    fn decision_at(&self, place: Place) -> Option<Decision> {
        Render::decision_at(self, place)
    }

    fn sample(&self, series: usize, values: &mut Vec<i64>) {
        (G::SERIES[series].sample)(self, values);
    }

    fn orders(&self, player: Player) -> AnyOrders {
        AnyOrders::of(HumanInput::orders(self, player))
    }

    fn act(&self, orders: &mut AnyOrders, gesture: Gesture) -> Reaction {
        HumanInput::act(self, orders.get_mut(), gesture)
    }

    fn hints(&self, orders: &AnyOrders) -> Hints {
        HumanInput::hints(self, orders.get())
    }

    fn carry_out(&self, orders: &AnyOrders, decision: Decision, mut answers: AnswersMut<'_>) {
        answers.of_game::<G>()[0] = HumanInput::carry_out(self, orders.get(), decision);
    }

    fn preview(&self, orders: &AnyOrders) -> Option<Scene> {
        HumanInput::preview(self, orders.get())
    }

    fn turn_ms(&self) -> Option<u32> {
        HumanInput::turn_ms(self)
    }
}
