//! A game of any kind behind one type. It is for programs that use this crate as a library and
//! learn only at run time which game they play, such as programs that train bots.
//!
//! [`AnyGame`] owns a game; [`DynGame`] lists what it can do. Settings, positions, questions and
//! answers have different types in each game, so they go in and out as JSON text or bytes. The
//! arena itself uses the games' own types.

use std::ops::{self, Range};
use std::{any::Any, fmt};

use agon_core::{
    ActionMask, Decision, Game, GameExt, LegalActions, Meta, Player, Progress, Seed, Standing,
    runs_by_player,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};
use thiserror::Error;

use crate::batch::{self, Batch, Unusable};
use crate::scene::{Render, Scene};
use crate::{GameId, jsonl::JsonGame, jsonl::message::write_decide, settings, with_game};

/// A game of any kind at some point of a match. Its methods are those of [`DynGame`].
///
/// ```
/// use agon_core::Seed;
/// use agon_games::{GameId, any::AnyGame};
///
/// let mut game = AnyGame::new(GameId::Cluster, r#"{"side": 4}"#, 2, Seed(1))?;
/// game.step_json(r#"["ROTATE 2"]"#)?;
/// assert_eq!(game.progress().turn, 1);
/// let wrong = game.step_json(r#"["ROTATE two"]"#).unwrap_err().to_string();
/// assert!(wrong.starts_with("player 1, unit 0: "), "{wrong}");
/// # Ok::<(), agon_games::any::AnyGameError>(())
/// ```
pub struct AnyGame(Box<dyn DynGame>);

impl AnyGame {
    /// Sets up a match. `rules` is a JSON object with the settings that differ from the default.
    ///
    /// # Errors
    /// Names the settings that do not fit, and a number of players that the rules do not allow.
    pub fn new(id: GameId, rules: &str, players: usize, seed: Seed) -> Result<AnyGame> {
        with_game!(id, G => {
            let rules = read_rules::<G>(rules)?;
            <G as Game>::new(&rules, players, seed).map(AnyGame::of).or_else(wrong)
        })
    }

    /// Sets up a match at any point. `rules` is as for [`AnyGame::new`], `position` is JSON as
    /// [`DynGame::position_json`] writes it.
    ///
    /// # Errors
    /// Names the settings that do not fit, and the parts of the position that contradict the rules
    /// or each other.
    pub fn from_position(id: GameId, rules: &str, seed: Seed, position: &str) -> Result<AnyGame> {
        with_game!(id, G => {
            let rules = read_rules::<G>(rules)?;
            match serde_json::from_str(position) {
                Ok(position) => {
                    let game = <G as Game>::from_position(&rules, seed, position);
                    game.map(AnyGame::of).or_else(wrong)
                }
                Err(error) => wrong(format_args!("position of {id}: {error}")),
            }
        })
    }

    /// Wraps a game.
    pub fn of<G: Batch + JsonGame + Render + LegalActions>(game: G) -> AnyGame {
        AnyGame(Box::new(game))
    }

    /// Returns the game as its own type; `None` if it is of another one.
    pub fn as_game<G: Game>(&self) -> Option<&G> {
        let game: &dyn Any = &*self.0;
        game.downcast_ref()
    }
}

/// Reads settings; those that the text leaves out keep their defaults.
fn read_rules<G: Game>(text: &str) -> Result<G::Rules> {
    let error = match serde_json::from_str(text) {
        Ok(rules) => return Ok(rules),
        Err(error) => error,
    };
    // Setting them one by one finds the wrong one.
    if let Ok(values) = serde_json::from_str::<Map<String, Value>>(text) {
        let mut rules = G::Rules::default();
        for (key, value) in values {
            settings::set::<G>(&mut rules, &key, value).or_else(wrong)?;
        }
    }
    wrong(format_args!("rules of {}: {error}", G::META.id))
}

impl ops::Deref for AnyGame {
    type Target = dyn DynGame;

    fn deref(&self) -> &(dyn DynGame + 'static) {
        &*self.0
    }
}

impl ops::DerefMut for AnyGame {
    fn deref_mut(&mut self) -> &mut (dyn DynGame + 'static) {
        &mut *self.0
    }
}

impl Clone for AnyGame {
    fn clone(&self) -> AnyGame {
        AnyGame(self.0.clone_boxed())
    }
}

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for AnyGame {
    fn eq(&self, other: &AnyGame) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Eq for AnyGame {}

/// Why a game of any kind cannot be set up, asked or stepped. A game is unchanged after an error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AnyGameError(String);

type Result<T, E = AnyGameError> = std::result::Result<T, E>;

/// Makes an error with this text.
fn wrong<T>(text: impl ToString) -> Result<T> {
    Err(AnyGameError(text.to_string()))
}

/// Makes an error about the answer to a decision.
fn wrong_answer(decision: Decision, reason: impl fmt::Display) -> AnyGameError {
    AnyGameError(format!("player {}, unit {}: {reason}", decision.player, decision.unit))
}

/// The range of a player's decisions in the batch.
fn range_of<G: Game>(game: &G, player: Player) -> Result<Range<usize>> {
    require_player(game, player)?;
    match runs_by_player(game.decisions()).find(|(other, _)| *other == player) {
        Some((_, range)) => Ok(range),
        None => wrong(format_args!("player {player} has no decision to make now")),
    }
}

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

/// Checks the number of things given for a step. If none are wanted, the game is over.
fn require_count(what: &str, expected: usize, given: usize) -> Result<()> {
    match expected {
        0 => wrong("the game is over"),
        _ if given == expected => Ok(()),
        _ => wrong(format_args!("{given} {what} given, but {expected} are wanted")),
    }
}

/// Reads one answer, or one reply, from its JSON.
fn read_answer<T: DeserializeOwned>(decision: Decision, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| wrong_answer(decision, error))
}

/// Reads a JSON list of `T`, one per decision.
fn read_list<G: Game, T: DeserializeOwned>(game: &G, text: &str) -> Result<Vec<T>> {
    let list: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(list) => list,
        Err(error) => return wrong(format_args!("answers: {error}")),
    };
    require_count("answers", game.decisions().len(), list.len())?;

    let read = |(&decision, text): (&Decision, &RawValue)| read_answer(decision, text.get());
    game.decisions().iter().zip(list).map(read).collect()
}

/// A game without its types. Every game with the traits for JSON, flat memory, pictures and actions
/// implements it. Callers hold it as an [`AnyGame`].
///
/// Methods fail if there is no such player, nothing is asked of it, or a decision is not wanted
/// now. Steps also fail if the game is over, or there is not one usable answer (or list, or
/// message) for each that is wanted.
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
    fn is_out(&self, player: Player) -> Result<bool>;

    /// Returns what one decision sees, as the JSON Lines protocol writes it.
    fn observation_json(&self, decision: Decision) -> Result<String>;

    /// Returns the question about all decisions of a player: the line `decide` of the JSON Lines
    /// protocol, with its end. `step` counts the steps of the match, from 0.
    fn question_json(&self, step: u64, player: Player) -> Result<String>;

    /// Writes the question about all decisions of a player into `out` as flat memory, see
    /// [`batch`]. `out` is emptied first.
    fn question_bytes(&self, step: u64, player: Player, out: &mut Vec<u8>) -> Result<()>;

    /// Returns the most bytes that a player's answers take in flat memory.
    fn answer_room(&self, player: Player) -> Result<usize>;

    /// Returns why an answer breaks the rules, if it does. `answer` is JSON as for
    /// [`DynGame::step_json`].
    fn illegal_json(&self, decision: Decision, answer: &str) -> Result<Option<String>>;

    /// Plays one step. `answers` is a JSON list with the answer to each decision, in the same
    /// order, written as in replays: faults have a form, too.
    fn step_json(&mut self, answers: &str) -> Result<()>;

    /// Plays one step. `replies` is a JSON list with the reply to each decision, in the same order,
    /// as bots write them in the JSON Lines protocol. `null` is no reply, which is a fault.
    fn step_replies(&mut self, replies: &str) -> Result<()>;

    /// Plays one step with one list of actions per decision, in the same order: an action for each
    /// choice.
    fn step_actions(&mut self, actions: &[Vec<usize>]) -> Result<()>;

    /// Plays one step with one message of flat memory per deciding player, in order of player.
    ///
    /// Returns the decisions without a usable answer. They count as faults.
    fn step_bytes(&mut self, messages: &[&[u8]]) -> Result<Vec<(Decision, Unusable)>>;

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

    /// Returns the state as a picture.
    fn scene(&self) -> Scene;

    /// Returns what a person who plays `player` sees of it.
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
    require_decision(game, decision)?;
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
        require_player(self, player)?;
        Ok(Game::is_out(self, player))
    }

    fn observation_json(&self, decision: Decision) -> Result<String> {
        require_decision(self, decision)?;
        let mut out = Vec::new();
        G::write_observation(&self.view(decision), &mut out);
        Ok(text(out))
    }

    fn question_json(&self, step: u64, player: Player) -> Result<String> {
        let range = range_of(self, player)?;
        let mut out = Vec::new();
        write_decide(self, step, &Game::decisions(self)[range], &mut out);
        Ok(text(out))
    }

    fn question_bytes(&self, step: u64, player: Player, out: &mut Vec<u8>) -> Result<()> {
        let range = range_of(self, player)?;
        batch::question(self, step, &Game::decisions(self)[range], out);
        Ok(())
    }

    fn answer_room(&self, player: Player) -> Result<usize> {
        let range = range_of(self, player)?;
        Ok(Batch::answer_room(self, &Game::decisions(self)[range]))
    }

    fn illegal_json(&self, decision: Decision, answer: &str) -> Result<Option<String>> {
        require_decision(self, decision)?;
        Ok(self.illegal(decision, &read_answer(decision, answer)?))
    }

    fn step_json(&mut self, answers: &str) -> Result<()> {
        let answers: Vec<G::Answer> = read_list(self, answers)?;
        self.step(&answers);
        Ok(())
    }

    fn step_replies(&mut self, replies: &str) -> Result<()> {
        let replies: Vec<Option<G::Reply>> = read_list(self, replies)?;
        let answer =
            |reply: Option<G::Reply>| reply.map_or_else(G::Answer::default, G::answer_from);
        let answers: Vec<G::Answer> = replies.into_iter().map(answer).collect();
        self.step(&answers);
        Ok(())
    }

    fn step_actions(&mut self, actions: &[Vec<usize>]) -> Result<()> {
        let decisions = Game::decisions(self);
        require_count("lists of actions", decisions.len(), actions.len())?;
        let answer = |(&decision, actions): (&Decision, &Vec<usize>)| {
            self.answer_of(decision, actions).map_err(|error| wrong_answer(decision, error))
        };
        let answers = decisions.iter().zip(actions).map(answer).collect::<Result<Vec<_>>>()?;
        self.step(&answers);
        Ok(())
    }

    fn step_bytes(&mut self, messages: &[&[u8]]) -> Result<Vec<(Decision, Unusable)>> {
        let decisions = Game::decisions(self);
        require_count("messages", runs_by_player(decisions).count(), messages.len())?;

        let mut answers = vec![G::Answer::default(); decisions.len()];
        let mut unusable = Vec::new();
        for ((_, range), message) in runs_by_player(decisions).zip(messages) {
            let own = &decisions[range.clone()];
            self.read_answers(own, message, &mut answers[range], &mut |index, why| {
                unusable.push((own[index], why));
            });
        }
        self.step(&answers);
        Ok(unusable)
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

    fn scene(&self) -> Scene {
        Render::scene(self)
    }

    fn scene_for(&self, player: Player) -> Result<Scene> {
        require_player(self, player)?;
        Ok(Render::scene_for(self, player))
    }
}
