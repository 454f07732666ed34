//! The host of built-in bots, which come with a game. They run in the arena's own thread.

use agon_core::{Fault, Params, Purpose, QuickStreams, Seed, did_you_mean};
use agon_games::any::{AnswersMut, AnyPolicy, GameKind};

use crate::{BatchPart, Bot, OpenError, Progress};

/// The remedy for a wrong name or parameter.
const LISTED: &str = "`agon bots GAME` lists the built-in bots";

/// A built-in bot in a match: a policy with a random stream for every decision.
pub struct BuiltinBot {
    policy: Box<dyn AnyPolicy>,
    streams: QuickStreams,
}

impl BuiltinBot {
    /// Makes a bot that plays a policy.
    pub fn new(policy: Box<dyn AnyPolicy>) -> BuiltinBot {
        BuiltinBot { policy, streams: QuickStreams::new(Seed(0), Purpose::Bot(0)) }
    }

    /// Makes the bot with this name from a game's list.
    pub fn find(
        kind: &dyn GameKind,
        name: &str,
        params: &[(String, String)],
    ) -> Result<BuiltinBot, OpenError> {
        let builtins = kind.builtins();
        let Some(builtin) = builtins.iter().find(|builtin| builtin.name == name) else {
            let known: Vec<_> = builtins.iter().map(|builtin| builtin.name).collect();
            let proposal = match did_you_mean(name, known.iter().copied()) {
                Some(meant) => format!("; did you mean `builtin:{meant}`?"),
                None => format!(" (there are: {})", known.join(", ")),
            };
            let why = format!("{} has no built-in bot `{name}`{proposal}", kind.meta().id);
            return Err(OpenError::Unfit(why, LISTED));
        };
        let given = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Params::new(builtin.params, given)
            .and_then(|params| kind.policy(name, &params))
            .map(BuiltinBot::new)
            .map_err(|error| OpenError::Unfit(format!("builtin:{name}: {error}"), LISTED))
    }
}

impl Bot for BuiltinBot {
    fn collect(
        &mut self,
        part: BatchPart<'_>,
        answers: AnswersMut<'_>,
        _: &mut Vec<Fault>,
    ) -> Progress {
        // Streams depend on step and unit only: the split into batches does not change the numbers.
        let (seed, purpose) = (part.game.seed(), Purpose::Bot(part.player.0));
        if !self.streams.are_of(seed, purpose) {
            self.streams = QuickStreams::new(seed, purpose);
        }
        let BatchPart { game, step, decisions, .. } = part;
        self.policy.decide(game, step, decisions, &mut self.streams, answers);
        Progress::Done
    }

    fn thinks_here(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Player, runs_by_player};
    use agon_games::any::{AnyAnswers, AnyGame, kind_of};
    use agon_testkit::{
        bare::Bare,
        toy::{Toy, ToyAnswer, ToyRules},
    };

    use super::*;

    fn find(name: &str, params: &[(&str, &str)]) -> Result<BuiltinBot, OpenError> {
        let params: Vec<_> = params.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        BuiltinBot::find(kind_of::<Bare<Toy>>(), name, &params)
    }

    fn message(name: &str, params: &[(&str, &str)]) -> String {
        find(name, params).err().unwrap().to_string()
    }

    #[test]
    fn answers_do_not_depend_on_how_decisions_are_batched() {
        let game = AnyGame::of(Bare(Toy::new(&ToyRules::default(), 2, Seed(3)).unwrap()));
        let (player, range) = runs_by_player(game.decisions()).next().unwrap();
        let decisions = &game.decisions()[range];
        let collect = |step, decisions| {
            let none = vec![ToyAnswer::default(); <[_]>::len(decisions)];
            let mut answers = AnyAnswers::of::<Bare<Toy>>(none);
            let part = BatchPart { game: &game, step, player, decisions };
            find("dice", &[]).unwrap().finish(part, answers.as_mut(), &mut Vec::new());
            answers.as_slice::<Bare<Toy>>().unwrap().to_vec()
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
