//! Plays a scenario: returns its states one after another.

use agon_core::{Decision, Game, Standing};
use serde::Serialize;

use super::{Entry, EntryProblem, ScenarioError};

/// A printed state of a scenario. Its position can be the `position` of another scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(bound = "")]
pub struct Snapshot<G: Game> {
    /// Steps played.
    pub step: u64,
    /// Turns of the game that are over.
    pub turn: u64,
    /// The decisions asked for.
    pub decisions: Vec<Decision>,
    /// The state.
    pub position: G::Position,
    /// How the players stand.
    pub standing: Standing,
    /// The state's hash.
    #[serde(with = "agon_replay::hex")]
    pub state_hash: u64,
}

/// A scenario being played: an iterator of its states, which ends after the first error.
#[derive(Clone, Debug)]
pub struct Playing<G: Game> {
    game: G,
    steps: Vec<Vec<Entry<G::Answer>>>,
    /// The number of the next state.
    next: usize,
    failed: bool,
}

impl<G: Game> Playing<G> {
    pub(super) fn new(game: G, steps: Vec<Vec<Entry<G::Answer>>>) -> Playing<G> {
        Playing { game, steps, next: 0, failed: false }
    }

    /// Returns the last state that the iterator returned; before that, the first state.
    pub fn game(&self) -> &G {
        &self.game
    }

    fn play_step(&mut self, step: usize) -> Result<(), ScenarioError> {
        if self.game.decisions().is_empty() {
            return Err(ScenarioError::Over { step });
        }
        let mut answers = vec![None; self.game.decisions().len()];
        for (number, entry) in self.steps[step].iter().enumerate() {
            let place = place_of(self.game.decisions(), entry, &answers);
            let place =
                place.map_err(|problem| ScenarioError::Entry { step, entry: number, problem })?;
            answers[place] = Some(entry.answer.clone());
        }
        let answers: Vec<_> = answers.into_iter().map(Option::unwrap_or_default).collect();
        self.game.step(&answers);
        Ok(())
    }

    fn snapshot(&self, step: u64) -> Snapshot<G> {
        Snapshot {
            step,
            turn: self.game.progress().turn,
            decisions: self.game.decisions().to_vec(),
            position: self.game.position(),
            standing: self.game.standing(),
            state_hash: self.game.state_hash(),
        }
    }
}

impl<G: Game> Iterator for Playing<G> {
    type Item = Result<Snapshot<G>, ScenarioError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.next > self.steps.len() {
            return None;
        }
        let state = self.next;
        self.next += 1;
        if let Some(Err(error)) = state.checked_sub(1).map(|step| self.play_step(step)) {
            self.failed = true;
            return Some(Err(error));
        }
        Some(Ok(self.snapshot(state as u64)))
    }
}

/// Returns the index of the decision that an entry answers.
fn place_of<A>(
    decisions: &[Decision],
    entry: &Entry<A>,
    answers: &[Option<A>],
) -> Result<usize, EntryProblem> {
    let Entry { player, unit, .. } = *entry;
    let first = decisions.partition_point(|decision| decision.player < player);
    let own = &decisions[first..]
        [..decisions[first..].partition_point(|decision| decision.player == player)];
    let not_asked = || EntryProblem::NotAsked { player, unit, asked: list(decisions) };
    let place = match (unit, own) {
        (Some(unit), _) => {
            own.iter().position(|decision| decision.unit == unit).ok_or_else(not_asked)?
        }
        (None, []) => return Err(not_asked()),
        (None, [_]) => 0,
        (None, _) => return Err(EntryProblem::WhichUnit { player, asked: list(own) }),
    };
    match answers[first + place] {
        None => Ok(first + place),
        Some(_) => Err(EntryProblem::Twice(own[place])),
    }
}

/// Lists decisions as text.
fn list(decisions: &[Decision]) -> String {
    const SHOWN: usize = 8;
    let one = |decision: &Decision| format!("player {} unit {}", decision.player, decision.unit);
    let mut text = decisions.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    if decisions.len() > SHOWN {
        text.push_str(&format!(" and {} more", decisions.len() - SHOWN));
    }
    text
}
