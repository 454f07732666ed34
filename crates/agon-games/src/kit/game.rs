//! [`Kit`]: makes a whole [`Game`] out of a [`SmallGame`]. It keeps settings, seed and open
//! decisions; the small game has the rules. [`View`] is what built-in bots see.
//!
//! Numbered actions for games of the kit: an action is the number of an answer in
//! [`SmallGame::answers`].

use std::{fmt, sync::Arc};

use agon_core::{
    ActionError, ActionMask, Builtin, Decision, DecodeError, Game, LegalActions, Meta, Outcome,
    Player, PlayerStanding, Policy, Progress, Rng, Seed, SetupError, Standing, error::Problems,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::SmallGame;
use crate::{BuiltinBots, Preset, Presets, any::GameKind};

/// A whole game, made of a [`SmallGame`].
pub struct Kit<S: SmallGame> {
    settings: S::Settings,
    seed: Seed,
    state: S,
    /// [`SmallGame::answers`], which all copies of a match share.
    answers: Arc<[S::Answer]>,
    decisions: Vec<Decision>,
}

impl<S: SmallGame> Kit<S> {
    pub(crate) fn with(settings: &S::Settings, seed: Seed, state: S) -> Kit<S> {
        let decisions = state.decisions(settings);
        let answers = S::answers(settings, state.players()).into();
        Kit { settings: settings.clone(), seed, state, answers, decisions }
    }

    /// Returns the state.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns all answers that could ever be legal, in the order of their action numbers.
    pub fn answers(&self) -> &[S::Answer] {
        &self.answers
    }

    /// Returns the answers that are legal now, in the order of their action numbers.
    pub fn legal_answers(&self, decision: Decision) -> impl Iterator<Item = &S::Answer> {
        self.answers.iter().filter(move |answer| self.illegal(decision, answer).is_none())
    }
}

/// The number of players and the settings of a match.
fn check_settings<S: SmallGame>(settings: &S::Settings, players: usize) -> Result<(), SetupError> {
    let mut problems = Problems::new();
    problems.range("players", players, S::META.min_players..=S::META.max_players);
    problems.finish()?;

    let mut problems = Problems::new();
    S::check_settings(settings, players, &mut problems);
    problems.finish()
}

impl<S: SmallGame> Game for Kit<S> {
    const META: Meta = S::META;

    type Rules = S::Settings;
    type Position = S;
    type View<'a> = View<'a, S>;
    type Answer = S::Answer;

    fn new(settings: &S::Settings, players: usize, seed: Seed) -> Result<Kit<S>, SetupError> {
        check_settings::<S>(settings, players)?;
        Ok(Kit::with(settings, seed, S::start(settings, players, seed)))
    }

    fn from_position(settings: &S::Settings, seed: Seed, state: S) -> Result<Kit<S>, SetupError> {
        check_settings::<S>(settings, state.players())?;
        let mut problems = Problems::new();
        state.check(settings, &mut problems);
        problems.finish()?;
        Ok(Kit::with(settings, seed, state))
    }

    fn position(&self) -> S {
        self.state.clone()
    }

    fn rules(&self) -> &S::Settings {
        &self.settings
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        self.state.players()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn view(&self, decision: Decision) -> View<'_, S> {
        assert!(self.decisions.binary_search(&decision).is_ok(), "{decision:?} is not wanted now");
        View { game: self, decision }
    }

    fn step(&mut self, answers: &[S::Answer]) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        let pairs: Vec<_> = self.decisions.iter().copied().zip(answers.iter().cloned()).collect();
        self.state.step(&self.settings, self.seed, &pairs);
        self.decisions = self.state.decisions(&self.settings);
    }

    fn illegal(&self, decision: Decision, answer: &S::Answer) -> Option<String> {
        self.state.illegal(&self.settings, decision, answer)
    }

    /// Draws a legal answer, now and then any answer or the default one.
    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> S::Answer {
        match rng.below(16) {
            0 => S::Answer::default(),
            1 => self.answers[rng.index(self.answers.len())].clone(),
            _ => self.random_legal(decision, rng),
        }
    }

    fn meta(&self) -> Meta {
        self.state.kind().map_or(S::META, GameKind::meta)
    }

    fn failure(&self) -> Option<String> {
        self.state.failure()
    }

    fn progress(&self) -> Progress {
        self.state.progress(&self.settings)
    }

    fn is_out(&self, player: Player) -> bool {
        self.state.is_out(player)
    }

    fn standing(&self) -> Standing {
        let (state, settings) = (&self.state, &self.settings);
        if let Some(standing) = state.standing(settings) {
            return standing;
        }
        let row = |player| {
            let measures = state.measures(settings, player);
            PlayerStanding::new(state.score(settings, player), &measures, self.is_out(player))
        };
        let players = Player::all(self.players());
        let ranks: Vec<_> = players.clone().map(|player| state.rank(settings, player)).collect();
        let mut standing = Standing::ranked(players.map(row).collect(), &ranks, None);
        if self.decisions.is_empty() {
            let reason = self.state.ending(&self.settings);
            standing.outcome = Some(match self.players() {
                1 => Outcome::alone(reason),
                _ => Outcome::new(standing.leaders(), reason),
            });
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        self.state.hash()
    }
}

impl<S: SmallGame> Clone for Kit<S> {
    fn clone(&self) -> Kit<S> {
        Kit {
            settings: self.settings.clone(),
            seed: self.seed,
            state: self.state.clone(),
            answers: self.answers.clone(),
            decisions: self.decisions.clone(),
        }
    }
}

impl<S: SmallGame> fmt::Debug for Kit<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kit { settings, seed, state, .. } = self;
        f.debug_struct(S::META.id)
            .field("settings", settings)
            .field("seed", seed)
            .field("state", state)
            .finish()
    }
}

/// Decisions and answers follow from the rest.
impl<S: SmallGame> PartialEq for Kit<S> {
    fn eq(&self, other: &Kit<S>) -> bool {
        (&self.settings, self.seed, &self.state) == (&other.settings, other.seed, &other.state)
    }
}

/// Settings hold no floats, see the contract of [`SmallGame`].
impl<S: SmallGame> Eq for Kit<S> {}

/// What one decision sees, for built-in bots.
#[derive(Debug)]
pub struct View<'a, S: SmallGame> {
    game: &'a Kit<S>,
    decision: Decision,
}

impl<'a, S: SmallGame> View<'a, S> {
    /// Returns the decision.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns the settings of the match.
    pub fn settings(&self) -> &'a S::Settings {
        &self.game.settings
    }

    /// Returns what the game shows.
    pub fn seen(&self) -> S::View {
        self.game.state.view(&self.game.settings, self.decision)
    }

    /// Returns the legal answers.
    pub fn legal_answers(&self) -> impl Iterator<Item = &'a S::Answer> + use<'a, S> {
        self.game.legal_answers(self.decision)
    }

    /// Draws a legal answer, all with the same chance.
    pub fn random_legal(&self, rng: &mut Rng) -> S::Answer {
        self.game.random_legal(self.decision, rng)
    }

    pub(super) fn legal_mask(&self, legal: &mut ActionMask) {
        self.game.legal_actions(self.decision, 0, legal);
    }
}

/// An answer as people write it: its JSON, without quotes around a word.
pub(super) fn answer_text(answer: &impl Serialize) -> String {
    match serde_json::to_value(answer).expect("answers survive JSON") {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

impl<S: SmallGame> LegalActions for Kit<S> {
    fn action_count(&self) -> usize {
        self.answers().len()
    }

    fn action_name(&self, action: usize) -> String {
        answer_text(&self.answers()[action])
    }

    fn legal_actions(&self, decision: Decision, _: usize, legal: &mut ActionMask) {
        legal.clear(self.answers().len());
        for (action, answer) in self.answers().iter().enumerate() {
            if self.illegal(decision, answer).is_none() {
                legal.insert(action);
            }
        }
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<S::Answer, ActionError> {
        let action = ActionError::check_single(actions, self.answers().len())?;
        Ok(self.answers()[action].clone())
    }

    fn actions_of(&self, _: Decision, answer: &S::Answer) -> Option<Vec<usize>> {
        let action = self.answers().iter().position(|known| known == answer)?;
        Some(vec![action])
    }
}

/// Plays a random legal answer.
struct Random;

impl<S: SmallGame> Policy<Kit<S>> for Random {
    fn decide(&mut self, view: &View<'_, S>, rng: &mut Rng) -> S::Answer {
        view.random_legal(rng)
    }
}

/// Returns the built-in bot `random`, which every game of the kit has unless it lists its own.
pub const fn random_bot<S: SmallGame>() -> Builtin<Kit<S>> {
    Builtin {
        name: "random",
        version: 1,
        summary: "Gives any legal answer.",
        params: &[],
        make: |_| Ok(Box::new(Random)),
    }
}

impl<S: SmallGame> BuiltinBots for Kit<S> {
    const BUILTINS: &'static [Builtin<Kit<S>>] = S::BOTS;
    const SHOW: &'static [&'static str] = S::SHOW;
}

impl<S: SmallGame> Presets for Kit<S> {
    const PRESETS: &'static [Preset] = S::PRESETS;
    const SHORT: &'static [&'static str] = S::SHORT;
    const TINY: &'static str = S::TINY;

    fn kind_of_match(&self) -> Option<&'static dyn GameKind> {
        self.state.kind()
    }
}

/// Writes the answers of a game to replays with postcard: `agon_games::postcard_codec!(Answer);`.
#[macro_export]
macro_rules! postcard_codec {
    ($answer:ty) => {
        impl ::agon_core::Codec for $answer {
            fn encode(&self, out: &mut Vec<u8>) {
                $crate::kit::encode_postcard(self, out);
            }

            fn decode(input: &mut &[u8]) -> Result<$answer, ::agon_core::DecodeError> {
                $crate::kit::decode_postcard(input)
            }
        }
    };
}

/// Appends a value.
///
/// # Panics
/// If postcard cannot write it, such as maps and sequences of unknown length.
pub fn encode_postcard(value: &impl Serialize, out: &mut Vec<u8>) {
    let bytes = postcard::to_stdvec(value).expect("answers survive postcard");
    out.extend(bytes);
}

/// Takes a value from the front of `input`.
///
/// # Errors
/// If the bytes end too early or mean nothing.
pub fn decode_postcard<T: DeserializeOwned>(input: &mut &[u8]) -> Result<T, DecodeError> {
    let first = input.first().copied();
    match postcard::take_from_bytes(input) {
        Ok((value, rest)) => {
            *input = rest;
            Ok(value)
        }
        Err(postcard::Error::DeserializeUnexpectedEnd) => Err(DecodeError::Truncated),
        Err(_) => Err(first.map_or(DecodeError::Truncated, DecodeError::Unknown)),
    }
}
