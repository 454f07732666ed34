//! A small game, for tests of code that works with any game.
//!
//! Each player has some counters. Every turn each counter that is not full adds what its player
//! answers for it, plus a bonus of 0 or 1 drawn from the seed. A full counter asks no more. The
//! player with the greatest sum wins.

use agon_core::{
    ActionError, ActionMask, Codec, Decision, DecodeError, Fold, Game, LegalActions, Meta, Outcome,
    Player, PlayerStanding, Progress, Purpose, Rng, Seed, SetupError, Standing, codec::take_byte,
    error::Problems,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The toy game's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToyRules {
    /// Turns until the end.
    pub turns: u64,
    /// Counters of each player.
    pub counters: u32,
    /// The value at which a counter is full.
    pub full: u32,
}

impl Default for ToyRules {
    fn default() -> ToyRules {
        ToyRules { turns: 50, counters: 3, full: 40 }
    }
}

/// The state, for people and files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToyPosition {
    /// Turns that are over.
    pub turn: u64,
    /// The counters of each player.
    pub counters: Vec<Vec<u32>>,
}

/// How much to add: 0 to 3, where the default adds nothing; more is against the rules and adds
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToyAnswer(pub u8);

impl Codec for ToyAnswer {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.0);
    }

    fn decode(input: &mut &[u8]) -> Result<ToyAnswer, DecodeError> {
        take_byte(input).map(ToyAnswer)
    }
}

/// The toy game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toy {
    rules: ToyRules,
    seed: Seed,
    turn: u64,
    counters: Vec<Vec<u32>>,
    decisions: Vec<Decision>,
}

impl Toy {
    fn with(rules: &ToyRules, seed: Seed, position: ToyPosition) -> Toy {
        let ToyPosition { turn, counters } = position;
        let mut toy = Toy { rules: rules.clone(), seed, turn, counters, decisions: Vec::new() };
        toy.ask();
        toy
    }

    fn ask(&mut self) {
        self.decisions.clear();
        if self.turn >= self.rules.turns {
            return;
        }
        for (player, counters) in self.counters.iter().enumerate() {
            let open = (0u32..).zip(counters).filter(|&(_, &value)| value < self.rules.full);
            self.decisions
                .extend(open.map(|(unit, _)| Decision::new(Player::from_index(player), unit)));
        }
    }

    fn sum(&self, player: usize) -> i64 {
        self.counters[player].iter().map(|&c| i64::from(c)).sum()
    }
}

impl Game for Toy {
    const META: Meta = Meta {
        id: "toy",
        rules_version: 1,
        min_players: 1,
        max_players: 8,
        turn_name: "turn",
        summary: "Counters count.",
        page: "# toy\n",
    };

    type Rules = ToyRules;
    type Position = ToyPosition;
    type View<'a> = u32;
    type Answer = ToyAnswer;

    fn new(rules: &ToyRules, players: usize, seed: Seed) -> Result<Toy, SetupError> {
        let counters = vec![vec![0; rules.counters as usize]; players];
        Toy::from_position(rules, seed, ToyPosition { turn: 0, counters })
    }

    fn from_position(
        rules: &ToyRules,
        seed: Seed,
        position: ToyPosition,
    ) -> Result<Toy, SetupError> {
        let mut problems = Problems::new();
        problems.range("players", position.counters.len(), 1..=8);
        problems.range("counters", rules.counters, 1..=100);
        problems.range("turns", rules.turns, 1..=1_000_000);
        problems.finish()?;
        Ok(Toy::with(rules, seed, position))
    }

    fn position(&self) -> ToyPosition {
        ToyPosition { turn: self.turn, counters: self.counters.clone() }
    }

    fn rules(&self) -> &ToyRules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        self.counters.len()
    }

    fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    fn view(&self, decision: Decision) -> u32 {
        self.counters[decision.player.index()][decision.unit as usize]
    }

    fn step(&mut self, answers: &[ToyAnswer]) {
        assert_eq!(answers.len(), self.decisions.len(), "one answer per decision");
        let mut bonus = self.seed.stream(Purpose::Draw, self.turn);
        for (decision, answer) in self.decisions.iter().zip(answers) {
            let added = if answer.0 <= 3 { u32::from(answer.0) } else { 0 };
            self.counters[decision.player.index()][decision.unit as usize] +=
                added + bonus.below(2) as u32;
        }
        self.turn += 1;
        self.ask();
    }

    fn illegal(&self, _: Decision, answer: &ToyAnswer) -> Option<String> {
        (answer.0 > 3).then(|| format!("{} is more than 3", answer.0))
    }

    fn random_answer(&self, _: Decision, rng: &mut Rng) -> ToyAnswer {
        ToyAnswer(rng.below(5) as u8)
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.turn, limit: Some(self.rules.turns) }
    }

    fn is_out(&self, player: Player) -> bool {
        !self.decisions.iter().any(|d| d.player == player)
    }

    fn standing(&self) -> Standing {
        let sums: Vec<i64> = (0..self.players()).map(|p| self.sum(p)).collect();
        let players = Player::all(self.players());
        let rows =
            players.map(|p| PlayerStanding::new(sums[p.index()], &[], self.is_out(p))).collect();
        let mut standing = Standing::ranked(rows, &sums, None);
        if self.decisions.is_empty() {
            standing.outcome = Some(Outcome::new(standing.leaders(), "most counted"));
        }
        standing
    }

    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        fold.add(self.turn);
        self.counters.iter().flatten().for_each(|&c| fold.add(u64::from(c)));
        fold.finish()
    }
}

/// The actions add 0 to 4, the last of which is against the rules.
const ACTIONS: usize = 5;

impl LegalActions for Toy {
    fn action_count(&self) -> usize {
        ACTIONS
    }

    fn action_name(&self, action: usize) -> String {
        format!("add {action}")
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.fill(ACTIONS);
        legal.remove(ACTIONS - 1);
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<ToyAnswer, ActionError> {
        let added = ActionError::check_single(actions, ACTIONS)?;
        Ok(ToyAnswer(added as u8))
    }

    fn actions_of(&self, _: Decision, answer: &ToyAnswer) -> Option<Vec<usize>> {
        let action = usize::from(answer.0);
        (action < ACTIONS).then(|| vec![action])
    }
}
