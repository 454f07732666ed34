//! Matches for the benchmarks, with their known ends, so that a wrong answer cannot look fast.
#![allow(dead_code, reason = "each benchmark uses its part")]

use std::hint::black_box;

use agon_core::{Decision, Fold, Game, GameExt, Params, Policy, Purpose, QuickStreams, Rng, Seed};
use agon_games::BuiltinBots;

/// Matches of built-in bots, each played for `steps` steps or to its end.
pub(crate) struct Playout<G: Game> {
    /// What is measured, with the size of the board.
    pub(crate) name: &'static str,
    /// The settings.
    pub(crate) rules: G::Rules,
    /// The bots, as `NAME?param=value&...`.
    pub(crate) bots: &'static [&'static str],
    /// How many matches, with seeds from 0.
    pub(crate) matches: u64,
    /// How many steps to play of each at most.
    pub(crate) steps: u64,
    /// Decisions of all matches, and their last states' hashes folded.
    pub(crate) known: (u64, u64),
}

impl<G: Game> Playout<G> {
    /// One whole match.
    pub(crate) fn new(
        name: &'static str,
        rules: G::Rules,
        bots: &'static [&'static str],
        known: (u64, u64),
    ) -> Playout<G> {
        Playout { name, rules, bots, matches: 1, steps: u64::MAX, known }
    }
}

/// The answers of a match, step by step.
pub(crate) type Script<G> = Vec<Vec<<G as Game>::Answer>>;

impl<G: BuiltinBots> Playout<G> {
    /// The first states of all matches.
    pub(crate) fn starts(&self) -> Vec<G> {
        let start = |seed| G::new(&self.rules, self.bots.len(), Seed(seed));
        (0..self.matches)
            .map(|seed| start(seed).expect("the settings of a benchmark fit"))
            .collect()
    }

    /// Plays a match, hands on the answers of every step, and returns the last state.
    pub(crate) fn play(&self, start: &G, mut take: impl FnMut(Vec<G::Answer>)) -> G {
        let mut game = start.clone();
        let mut bots: Vec<_> = self.bots.iter().map(|text| policy::<G>(text)).collect();
        let mut streams = Streams::new(&game);
        for step in 0..self.steps {
            if game.is_over() {
                break;
            }
            let decide = |&decision: &Decision| {
                let policy = &mut bots[decision.player.index()];
                policy.decide(&game.view(decision), &mut streams.of(step, decision))
            };
            let answers: Vec<_> = game.decisions().iter().map(decide).collect();
            game.step(&answers);
            take(answers);
        }
        game
    }

    /// The answers of a whole match.
    pub(crate) fn script(&self, start: &G) -> Script<G> {
        let mut script = Vec::new();
        self.play(start, |answers| script.push(answers));
        script
    }

    /// Fails unless all matches together came to their known end.
    pub(crate) fn check(&self, ends: impl IntoIterator<Item = (u64, G)>) {
        let mut decisions = 0;
        let mut fold = Fold::new();
        for (count, game) in ends {
            decisions += count;
            fold.add(game.state_hash());
        }
        let found = (decisions, fold.finish());
        assert_eq!(
            found, self.known,
            "{}: if rules or bots were meant to change, `known` has to",
            self.name
        );
    }
}

/// Plays known answers.
pub(crate) fn replay<G: Game>(start: &G, script: &[Vec<G::Answer>]) -> G {
    let mut game = start.clone();
    for answers in script {
        game.step(black_box(answers));
    }
    game
}

/// Random streams for every decision, as the host of built-in bots draws them.
pub(crate) struct Streams(Vec<QuickStreams>);

impl Streams {
    pub(crate) fn new<G: Game>(game: &G) -> Streams {
        let of = |player: usize| QuickStreams::new(game.seed(), Purpose::Bot(player as u16));
        Streams((0..game.players()).map(of).collect())
    }

    pub(crate) fn of(&mut self, step: u64, decision: Decision) -> Rng {
        self.0[decision.player.index()].of_unit(step, decision.unit)
    }
}

pub(crate) fn policy<G: BuiltinBots>(text: &str) -> Box<dyn Policy<G>> {
    let (name, params) = text.split_once('?').unwrap_or((text, ""));
    let builtin =
        G::BUILTINS.iter().find(|builtin| builtin.name == name).expect("the bot is built in");
    let params = params.split('&').filter_map(|param| param.split_once('='));
    let params = Params::new(builtin.params, params).expect("the bot has these parameters");
    (builtin.make)(&params).expect("the bot takes these values")
}

/// Few samples: the whole of the benchmarks takes minutes, not an hour.
pub(crate) fn config() -> criterion::Criterion {
    let second = std::time::Duration::from_secs(1);
    criterion::Criterion::default()
        .sample_size(10)
        .warm_up_time(second / 4)
        .measurement_time(second)
}
