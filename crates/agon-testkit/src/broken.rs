//! Games broken on purpose, one defect each: what the conformance kit must find.
//!
//! The tests of the kit run it on each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agon_core::{
    ActionError, ActionMask, Decision, Game, LegalActions, Meta, Player, Progress, Rng, Seed,
    SetupError, Standing,
};

use crate::toy::{Toy, ToyAnswer, ToyPosition, ToyRules};

/// The toy game with the defect number `D`.
#[derive(Clone, Debug)]
pub struct Broken<const D: u8> {
    toy: Toy,
    decisions: Vec<Decision>,
    shared: Arc<AtomicU64>,
    hidden: u64,
}

/// Two games with the same seed and answers differ: it uses a counter of the whole process.
pub const NOT_DETERMINISTIC: u8 = 0;
/// Clones share state.
pub const CLONES_SHARE: u8 = 1;
/// The default answer panics.
pub const REFUSES_FAULTS: u8 = 2;
/// It continues beyond its limit.
pub const NEVER_ENDS: u8 = 3;
/// The hash leaves out the counters.
pub const HASH_TOO_SMALL: u8 = 4;
/// The hash counts calls, which are no part of the state.
pub const HASH_TOO_LARGE: u8 = 5;
/// The position forgets the turn.
pub const FORGETS: u8 = 6;
/// Decisions come in reverse order.
pub const UNSORTED: u8 = 7;
/// An outcome is named from the start.
pub const ENDS_EARLY: u8 = 8;
/// Any number of players is accepted.
pub const ANY_PLAYERS: u8 = 9;
/// The number of the seed is ignored when a position is loaded.
pub const LOSES_SEED: u8 = 10;
/// Looking at a unit changes the hash.
pub const LOOK_CHANGES: u8 = 11;
/// A player that decides is called out.
pub const OUT_BUT_PLAYING: u8 = 12;

/// Every turn adds an action.
pub const COUNT_GROWS: u8 = 13;
/// Two actions share a name.
pub const NAMES_TWICE: u8 = 14;
/// The names of actions depend on the turn.
pub const NAMES_CHANGE: u8 = 15;
/// From the third turn on, no action is legal.
pub const NOTHING_LEGAL: u8 = 16;
/// An action that breaks the rules is called legal.
pub const LEGAL_BREACH: u8 = 17;
/// An action that breaks no rule is not called legal.
pub const FORBIDS_TOO_MUCH: u8 = 18;
/// What was in a mask before stays in it.
pub const DIRTY_MASKS: u8 = 19;
/// An effective action is not legal.
pub const EFFECTIVE_BREACH: u8 = 20;
/// An action that does what no other does is not called effective.
pub const UNLIKE_ANY_OTHER: u8 = 21;
/// Any list of actions makes an answer.
pub const TAKES_ANY_LIST: u8 = 22;
/// The answer made of an action is said to be another action.
pub const LOSES_ACTIONS: u8 = 23;
/// The answer made of an action is said to be none, but for the first turn.
pub const FORGETS_ACTIONS: u8 = 24;

/// How many defects there are: `0..DEFECTS`.
pub const DEFECTS: u8 = 25;

static CALLS: AtomicU64 = AtomicU64::new(0);

impl<const D: u8> PartialEq for Broken<D> {
    fn eq(&self, other: &Broken<D>) -> bool {
        self.toy == other.toy
    }
}

impl<const D: u8> Eq for Broken<D> {}

impl<const D: u8> Broken<D> {
    fn wrap(toy: Toy) -> Broken<D> {
        let mut broken = Broken { toy, decisions: Vec::new(), shared: Arc::default(), hidden: 0 };
        broken.ask();
        broken
    }

    fn ask(&mut self) {
        self.decisions = self.toy.decisions().to_vec();
        if D == UNSORTED {
            self.decisions.reverse();
        }
    }

    fn twist(&mut self, answers: &mut [ToyAnswer]) {
        let offset = match D {
            NOT_DETERMINISTIC => CALLS.fetch_add(1, Ordering::Relaxed),
            CLONES_SHARE => self.shared.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
        if let Some(first) = answers.first_mut() {
            first.0 = (offset % 4) as u8;
        }
    }
}

impl<const D: u8> Game for Broken<D> {
    const META: Meta =
        Meta { min_players: 1, max_players: if D == ANY_PLAYERS { 4 } else { 8 }, ..Toy::META };

    type Rules = ToyRules;
    type Position = ToyPosition;
    type View<'a> = u32;
    type Answer = ToyAnswer;

    fn new(rules: &ToyRules, players: usize, seed: Seed) -> Result<Self, SetupError> {
        Toy::new(rules, players, seed).map(Self::wrap)
    }

    fn from_position(
        rules: &ToyRules,
        seed: Seed,
        position: ToyPosition,
    ) -> Result<Self, SetupError> {
        let seed = if D == LOSES_SEED { Seed(0) } else { seed };
        Toy::from_position(rules, seed, position).map(Self::wrap)
    }

    fn position(&self) -> ToyPosition {
        let mut position = self.toy.position();
        if D == FORGETS {
            position.turn = 0;
        }
        position
    }

    fn rules(&self) -> &ToyRules {
        self.toy.rules()
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
        if D == LOOK_CHANGES {
            self.shared.fetch_add(1, Ordering::Relaxed);
        }
        self.toy.view(decision)
    }

    fn step(&mut self, answers: &[ToyAnswer]) {
        let mut answers = answers.to_vec();
        assert!(
            D != REFUSES_FAULTS || answers.iter().any(|a| a.0 > 0),
            "this game wants to be played"
        );
        self.twist(&mut answers);
        let before = self.toy.clone();
        self.toy.step(&answers);
        if D == NEVER_ENDS && self.toy.decisions().is_empty() {
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
        D == OUT_BUT_PLAYING || self.toy.is_out(player)
    }

    fn standing(&self) -> Standing {
        let mut standing = self.toy.standing();
        if D == ENDS_EARLY {
            standing.outcome = Some(agon_core::Outcome::new(vec![Player(0)], "impatience"));
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        match D {
            HASH_TOO_SMALL => self.toy.progress().turn.min(1),
            HASH_TOO_LARGE => self.toy.state_hash() ^ CALLS.fetch_add(1, Ordering::Relaxed),
            LOOK_CHANGES => self.toy.state_hash() ^ self.shared.load(Ordering::Relaxed),
            _ => self.toy.state_hash(),
        }
    }
}

impl<const D: u8> LegalActions for Broken<D> {
    fn action_count(&self) -> usize {
        let more = if D == COUNT_GROWS { self.toy.progress().turn as usize } else { 0 };
        self.toy.action_count() + more
    }

    fn action_name(&self, action: usize) -> String {
        match D {
            NAMES_TWICE => self.toy.action_name(action.min(3)),
            NAMES_CHANGE => format!("{action} in turn {}", self.toy.progress().turn),
            _ => self.toy.action_name(action),
        }
    }

    fn legal_actions(&self, decision: Decision, choice: usize, legal: &mut ActionMask) {
        let was_there = legal.contains(4);
        self.toy.legal_actions(decision, choice, legal);
        match D {
            NOTHING_LEGAL if self.toy.progress().turn > 2 => legal.clear(5),
            LEGAL_BREACH => legal.fill(5),
            FORBIDS_TOO_MUCH => legal.remove(2),
            DIRTY_MASKS if was_there => legal.insert(4),
            _ => {}
        }
    }

    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        self.legal_actions(decision, choice, effective);
        match D {
            EFFECTIVE_BREACH => effective.insert(4),
            UNLIKE_ANY_OTHER => effective.remove(3),
            _ => {}
        }
    }

    fn answer_of(&self, decision: Decision, actions: &[usize]) -> Result<ToyAnswer, ActionError> {
        if D == TAKES_ANY_LIST {
            return Ok(ToyAnswer(actions.first().map_or(0, |&action| action as u8)));
        }
        self.toy.answer_of(decision, actions)
    }

    fn actions_of(&self, decision: Decision, answer: &ToyAnswer) -> Option<Vec<usize>> {
        match (D, answer.0) {
            (LOSES_ACTIONS, 1) => Some(vec![2]),
            (FORGETS_ACTIONS, 1) if self.toy.progress().turn > 0 => None,
            _ => self.toy.actions_of(decision, answer),
        }
    }
}
