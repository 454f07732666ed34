//! The bots of a plan, ready to play.

use std::sync::Arc;

use agon_bots::BotKind;
use agon_runner::Contender;
use agon_tournament::{Match, MatchKey, Plan};
use anyhow::{Context, Result};

use crate::series;

/// The bots of a plan, in its order.
#[derive(Debug)]
pub(super) struct Bots {
    contenders: Vec<Arc<Contender>>,
    /// What each consists of, for keys.
    contents: Vec<String>,
}

impl Bots {
    /// Reads the files of the bots.
    ///
    /// # Errors
    /// If one is not there, or is a person.
    pub(super) fn of(plan: &Plan) -> Result<Bots> {
        let mut bots = Bots { contenders: Vec::new(), contents: Vec::new() };
        for bot in &plan.bots {
            let contender = series::contender(&bot.spec, Some(&bot.name));
            let contender =
                contender.with_context(|| format!("{}: the bot {}", plan.file.display(), bot.name))?;
            // Replays say what stands in the plan, wherever it lies.
            let mut contender = Arc::unwrap_or_clone(contender);
            contender.info.spec.clone_from(&bot.text);
            let version = env!("CARGO_PKG_VERSION");
            let digest = contender.info.digest.as_deref().unwrap_or(version);
            bots.contents.push(format!("{} {} {digest}", contender.info.kind, bot.text));
            bots.contenders.push(Arc::new(contender));
        }
        Ok(bots)
    }

    /// All, in order of the plan.
    pub(super) fn all(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().map(|bot| &**bot)
    }

    /// Who plays a match.
    pub(super) fn seats(&self, game: &Match) -> Vec<Arc<Contender>> {
        game.seats.iter().map(|entrant| Arc::clone(&self.contenders[entrant.index()])).collect()
    }

    /// What the result of a match depends on.
    pub(super) fn key(&self, plan: &Plan, game: &Match) -> MatchKey {
        MatchKey::new(plan, game, &self.contents)
    }

    /// Whether the key of a match tells all: of a program that runs elsewhere nobody knows what it is today.
    pub(super) fn are_known(&self, game: &Match) -> bool {
        let is_known = |bot: &Contender| bot.spec.kind() != BotKind::Connect;
        game.seats.iter().all(|entrant| is_known(&self.contenders[entrant.index()]))
    }
}
