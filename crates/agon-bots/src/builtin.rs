//! The host of built-in bots, which come with a game. They run in the arena's own thread.

use agon_core::{Builtin, Fault, Game, Params, Policy, Purpose, QuickStreams, Seed, did_you_mean};

use crate::{BatchPart, Bot, OpenError, Progress};

/// The remedy for a wrong name or parameter.
const LISTED: &str = "`agon bots GAME` lists the built-in bots";

/// A built-in bot in a match: a policy with a random stream for every decision.
pub struct BuiltinBot<G: Game> {
    policy: Box<dyn Policy<G>>,
    streams: QuickStreams,
}

impl<G: Game> BuiltinBot<G> {
    /// Makes a bot that plays a policy.
    pub fn new(policy: Box<dyn Policy<G>>) -> BuiltinBot<G> {
        BuiltinBot { policy, streams: QuickStreams::new(Seed(0), Purpose::Bot(0)) }
    }

    /// Makes the bot with this name from a game's list.
    pub fn find(
        builtins: &'static [Builtin<G>],
        name: &str,
        params: &[(String, String)],
    ) -> Result<BuiltinBot<G>, OpenError> {
        let Some(builtin) = builtins.iter().find(|builtin| builtin.name == name) else {
            let known: Vec<_> = builtins.iter().map(|builtin| builtin.name).collect();
            let proposal = match did_you_mean(name, known.iter().copied()) {
                Some(meant) => format!("; did you mean `builtin:{meant}`?"),
                None => format!(" (there are: {})", known.join(", ")),
            };
            let why = format!("{} has no built-in bot `{name}`{proposal}", G::META.id);
            return Err(OpenError::Unfit(why, LISTED));
        };
        let given = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Params::new(builtin.params, given)
            .and_then(|params| (builtin.make)(&params))
            .map(BuiltinBot::new)
            .map_err(|error| OpenError::Unfit(format!("builtin:{name}: {error}"), LISTED))
    }
}

impl<G: Game> Bot<G> for BuiltinBot<G> {
    fn collect(
        &mut self,
        part: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        _: &mut Vec<Fault>,
    ) -> Progress {
        // Streams depend on step and unit only: the split into batches does not change the numbers.
        let (seed, purpose) = (part.game.seed(), Purpose::Bot(part.player.0));
        if !self.streams.are_of(seed, purpose) {
            self.streams = QuickStreams::new(seed, purpose);
        }
        for (&decision, answer) in part.decisions.iter().zip(answers) {
            let mut rng = self.streams.of_unit(part.step, decision.unit);
            *answer = self.policy.decide(&part.game.view(decision), &mut rng);
        }
        Progress::Done
    }

    fn thinks_here(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Param, Player, Rng, Seed, runs_by_player};
    use agon_testkit::toy::{Toy, ToyAnswer, ToyRules};

    use super::*;

    struct Dice {
        sides: u8,
    }

    impl Policy<Toy> for Dice {
        fn decide(&mut self, _: &<Toy as Game>::View<'_>, rng: &mut Rng) -> ToyAnswer {
            ToyAnswer(rng.below(u64::from(self.sides)) as u8)
        }
    }

    const BUILTINS: &[Builtin<Toy>] = &[Builtin {
        name: "dice",
        version: 1,
        summary: "Rolls dice.",
        params: &[Param { name: "sides", default: "100", summary: "Number of sides, 1 to 100." }],
        make: |params| Ok(Box::new(Dice { sides: params.number("sides", 1..=100)? })),
    }];

    fn find(name: &str, params: &[(&str, &str)]) -> Result<BuiltinBot<Toy>, OpenError> {
        let params: Vec<_> = params.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        BuiltinBot::find(BUILTINS, name, &params)
    }

    fn message(name: &str, params: &[(&str, &str)]) -> String {
        find(name, params).err().unwrap().to_string()
    }

    #[test]
    fn answers_do_not_depend_on_how_decisions_are_batched() {
        let game = Toy::new(&ToyRules::default(), 2, Seed(3)).unwrap();
        let (player, range) = runs_by_player(game.decisions()).next().unwrap();
        let decisions = &game.decisions()[range];
        let collect = |step, decisions| {
            let mut answers = vec![ToyAnswer::default(); <[_]>::len(decisions)];
            let part = BatchPart { game: &game, step, player, decisions };
            find("dice", &[]).unwrap().finish(part, &mut answers, &mut Vec::new());
            answers
        };
        let together = collect(5, decisions);
        let apart: Vec<_> = decisions.chunks(1).flat_map(|decision| collect(5, decision)).collect();
        assert_eq!(together, apart);
        assert_eq!(together, collect(5, decisions));
        let rolls: Vec<_> = (0..20).flat_map(|step| collect(step, decisions)).collect();
        assert!(rolls.iter().any(|roll| *roll != rolls[0]), "every step and unit rolls anew");
        assert_eq!(player, Player(0));
    }

    #[test]
    fn errors_name_what_there_is() {
        assert_eq!(
            message("dise", &[]),
            "toy has no built-in bot `dise`; did you mean `builtin:dice`?"
        );
        assert_eq!(message("xyz", &[]), "toy has no built-in bot `xyz` (there are: dice)");
        assert_eq!(
            message("dice", &[("side", "6")]),
            "builtin:dice: there is no parameter `side`; did you mean `sides`?"
        );
        let error = message("dice", &[("sides", "0")]);
        assert!(error.starts_with("builtin:dice: ") && error.contains("sides"), "{error}");
    }
}
