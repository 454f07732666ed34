//! `agon` with a game of its own, the smallest that is one: nim. `docs/your-game.md` builds a whole
//! one, step by step.

use agon_core::{Decision, Meta, Player, Seed, error::Problems};
use agon_games::kit::{Kit, SmallGame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn main() -> std::process::ExitCode {
    agon::run(agon::games![Kit<Heap>])
}

/// What people may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Rules {
    /// Sticks at the start, from 1 to 1000.
    sticks: u32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { sticks: 21 }
    }
}

/// How many sticks a player takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Take {
    #[default]
    One,
    Two,
    Three,
}

agon_games::postcard_codec!(Take);

/// The heap that two players take sticks from in turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct Heap {
    turn: u64,
    sticks: u32,
}

impl SmallGame for Heap {
    const META: Meta = Meta {
        id: "nim",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "turn",
        summary: "Two players take one to three sticks in turn; the last stick wins.",
        page: "# nim\n\nTake `\"one\"`, `\"two\"` or `\"three\"` sticks. The last stick wins.\n",
    };

    type Settings = Rules;
    type Answer = Take;
    type View = Heap;

    fn check_settings(rules: &Rules, _: usize, problems: &mut Problems) {
        problems.range("sticks", rules.sticks, 1..=1000);
    }

    fn check(&self, rules: &Rules, problems: &mut Problems) {
        problems.range("sticks", self.sticks, 0..=rules.sticks);
        let taken = rules.sticks.saturating_sub(self.sticks);
        problems.range("turn", self.turn, 0..=u64::from(taken));
    }

    fn start(rules: &Rules, _: usize, _: Seed) -> Heap {
        Heap { turn: 0, sticks: rules.sticks }
    }

    fn players(&self) -> usize {
        2
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn limit(rules: &Rules) -> Option<u64> {
        Some(u64::from(rules.sticks))
    }

    fn decisions(&self, _: &Rules) -> Vec<Decision> {
        let next = Decision::new(Player((self.turn % 2) as u16), 0);
        if self.sticks > 0 { vec![next] } else { Vec::new() }
    }

    fn answers(_: &Rules, _: usize) -> Vec<Take> {
        vec![Take::One, Take::Two, Take::Three]
    }

    fn illegal(&self, _: &Rules, _: Decision, take: &Take) -> Option<String> {
        (*take as u32 >= self.sticks).then(|| format!("{} sticks are left", self.sticks))
    }

    fn view(&self, _: &Rules, _: Decision) -> Heap {
        self.clone()
    }

    fn step(&mut self, rules: &Rules, _: Seed, answers: &[(Decision, Take)]) {
        for &(decision, take) in answers {
            let is_legal = self.illegal(rules, decision, &take).is_none();
            self.sticks -= if is_legal { take as u32 + 1 } else { 1 };
        }
        self.turn += 1;
    }

    fn score(&self, _: &Rules, player: Player) -> i64 {
        let is_next = self.turn % 2 == u64::from(player.0);
        i64::from(self.sticks == 0 && !is_next)
    }

    fn ending(&self, _: &Rules) -> String {
        "the last stick is taken".into()
    }
}
