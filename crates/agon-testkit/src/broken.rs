//! Games broken on purpose, one defect each: what the conformance kit must find.
//!
//! The tests of the kit run it on each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agon_core::{
    ActionError, ActionMask, Decision, Game, LegalActions, Meta, Player, Progress, Rng, Seed,
    SetupError, Standing,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::toy::{Toy, ToyAnswer, ToyPosition, ToyRules};

/// A defect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Defect {
    /// Two games with the same seed and answers differ: it uses a counter of the whole process.
    #[default]
    NotDeterministic,
    /// Clones share state.
    ClonesShare,
    /// The default answer panics.
    RefusesFaults,
    /// It continues beyond its limit.
    NeverEnds,
    /// The hash leaves out the counters.
    HashTooSmall,
    /// The hash counts calls, which are no part of the state.
    HashTooLarge,
    /// The position forgets the turn.
    Forgets,
    /// Decisions come in reverse order.
    Unsorted,
    /// An outcome is named from the start.
    EndsEarly,
    /// Any number of players is accepted.
    AnyPlayers,
    /// The number of the seed is ignored when a position is loaded.
    LosesSeed,
    /// Looking at a unit changes the hash.
    LookChanges,
    /// A player that decides is called out.
    OutButPlaying,
    /// Every turn adds an action.
    CountGrows,
    /// Two actions share a name.
    NamesTwice,
    /// The names of actions depend on the turn.
    NamesChange,
    /// From the third turn on, no action is legal.
    NothingLegal,
    /// An action that breaks the rules is called legal.
    LegalBreach,
    /// An action that breaks no rule is not called legal.
    ForbidsTooMuch,
    /// What was in a mask before stays in it.
    DirtyMasks,
    /// An effective action is not legal.
    EffectiveBreach,
    /// An action that does what no other does is not called effective.
    UnlikeAnyOther,
    /// Any list of actions makes an answer.
    TakesAnyList,
    /// The answer made of an action is said to be another action.
    LosesActions,
    /// The answer made of an action is said to be none, but for the first turn.
    ForgetsActions,
}

/// The settings of a game with a defect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BrokenRules {
    /// What is broken.
    pub defect: Defect,
    /// The settings of the toy game.
    pub toy: ToyRules,
}

/// The toy game with a defect.
#[derive(Clone, Debug)]
pub struct Broken {
    rules: BrokenRules,
    toy: Toy,
    decisions: Vec<Decision>,
    shared: Arc<AtomicU64>,
    hidden: u64,
}

static CALLS: AtomicU64 = AtomicU64::new(0);

impl PartialEq for Broken {
    fn eq(&self, other: &Broken) -> bool {
        self.toy == other.toy
    }
}

impl Eq for Broken {}

impl Broken {
    fn wrap(rules: &BrokenRules, toy: Toy) -> Broken {
        let mut broken = Broken {
            rules: rules.clone(),
            toy,
            decisions: Vec::new(),
            shared: Arc::default(),
            hidden: 0,
        };
        broken.ask();
        broken
    }

    fn is(&self, defect: Defect) -> bool {
        self.rules.defect == defect
    }

    fn ask(&mut self) {
        self.decisions = self.toy.decisions().to_vec();
        if self.is(Defect::Unsorted) {
            self.decisions.reverse();
        }
    }

    fn twist(&mut self, answers: &mut [ToyAnswer]) {
        let offset = match self.rules.defect {
            Defect::NotDeterministic => CALLS.fetch_add(1, Ordering::Relaxed),
            Defect::ClonesShare => self.shared.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
        if let Some(first) = answers.first_mut() {
            first.0 = (offset % 4) as u8;
        }
    }
}

impl Game for Broken {
    const META: Meta = Meta { max_players: 4, ..Toy::META };

    type Rules = BrokenRules;
    type Position = ToyPosition;
    type View<'a> = u32;
    type Answer = ToyAnswer;

    fn new(rules: &BrokenRules, players: usize, seed: Seed) -> Result<Self, SetupError> {
        if players > Self::META.max_players && rules.defect != Defect::AnyPlayers {
            return Err(SetupError::new("players", format!("{players} are too many")));
        }
        Toy::new(&rules.toy, players, seed).map(|toy| Self::wrap(rules, toy))
    }

    fn from_position(
        rules: &BrokenRules,
        seed: Seed,
        position: ToyPosition,
    ) -> Result<Self, SetupError> {
        let seed = if rules.defect == Defect::LosesSeed { Seed(0) } else { seed };
        Toy::from_position(&rules.toy, seed, position).map(|toy| Self::wrap(rules, toy))
    }

    fn position(&self) -> ToyPosition {
        let mut position = self.toy.position();
        if self.is(Defect::Forgets) {
            position.turn = 0;
        }
        position
    }

    fn rules(&self) -> &BrokenRules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.toy.seed()
    }

    fn players(&self) -> usize {
        self.toy.players()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn view(&self, decision: Decision) -> u32 {
        if self.is(Defect::LookChanges) {
            self.shared.fetch_add(1, Ordering::Relaxed);
        }
        self.toy.view(decision)
    }

    fn step(&mut self, answers: &[ToyAnswer]) {
        let mut answers = answers.to_vec();
        assert!(
            !self.is(Defect::RefusesFaults) || answers.iter().any(|a| a.0 > 0),
            "this game wants to be played"
        );
        self.twist(&mut answers);
        let before = self.toy.clone();
        self.toy.step(&answers);
        if self.is(Defect::NeverEnds) && self.toy.decisions().is_empty() {
            self.toy = before;
        }
        self.hidden += 1;
        self.ask();
    }

    fn illegal(&self, decision: Decision, answer: &ToyAnswer) -> Option<String> {
        self.toy.illegal(decision, answer)
    }

    fn random_answer(&self, decision: Decision, rng: &mut Rng) -> ToyAnswer {
        self.toy.random_answer(decision, rng)
    }

    fn progress(&self) -> Progress {
        self.toy.progress()
    }

    fn is_out(&self, player: Player) -> bool {
        self.is(Defect::OutButPlaying) || self.toy.is_out(player)
    }

    fn standing(&self) -> Standing {
        let mut standing = self.toy.standing();
        if self.is(Defect::EndsEarly) {
            standing.outcome = Some(agon_core::Outcome::new(vec![Player(0)], "impatience"));
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        match self.rules.defect {
            Defect::HashTooSmall => self.toy.progress().turn.min(1),
            Defect::HashTooLarge => self.toy.state_hash() ^ CALLS.fetch_add(1, Ordering::Relaxed),
            Defect::LookChanges => self.toy.state_hash() ^ self.shared.load(Ordering::Relaxed),
            _ => self.toy.state_hash(),
        }
    }
}

impl LegalActions for Broken {
    fn action_count(&self) -> usize {
        let more = if self.is(Defect::CountGrows) { self.toy.progress().turn as usize } else { 0 };
        self.toy.action_count() + more
    }

    fn action_name(&self, action: usize) -> String {
        match self.rules.defect {
            Defect::NamesTwice => self.toy.action_name(action.min(3)),
            Defect::NamesChange => format!("{action} in turn {}", self.toy.progress().turn),
            _ => self.toy.action_name(action),
        }
    }

    fn legal_actions(&self, decision: Decision, choice: usize, legal: &mut ActionMask) {
        let was_there = legal.contains(4);
        self.toy.legal_actions(decision, choice, legal);
        match self.rules.defect {
            Defect::NothingLegal if self.toy.progress().turn > 2 => legal.clear(5),
            Defect::LegalBreach => legal.fill(5),
            Defect::ForbidsTooMuch => legal.remove(2),
            Defect::DirtyMasks if was_there => legal.insert(4),
            _ => {}
        }
    }

    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        self.legal_actions(decision, choice, effective);
        match self.rules.defect {
            Defect::EffectiveBreach => effective.insert(4),
            Defect::UnlikeAnyOther => effective.remove(3),
            _ => {}
        }
    }

    fn answer_of(&self, decision: Decision, actions: &[usize]) -> Result<ToyAnswer, ActionError> {
        if self.is(Defect::TakesAnyList) {
            return Ok(ToyAnswer(actions.first().map_or(0, |&action| action as u8)));
        }
        self.toy.answer_of(decision, actions)
    }

    fn actions_of(&self, decision: Decision, answer: &ToyAnswer) -> Option<Vec<usize>> {
        match (self.rules.defect, answer.0) {
            (Defect::LosesActions, 1) => Some(vec![2]),
            (Defect::ForgetsActions, 1) if self.toy.progress().turn > 0 => None,
            _ => self.toy.actions_of(decision, answer),
        }
    }
}
