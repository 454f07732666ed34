//! The people who play in a match: who they are, how they are asked, and how long Agon waits.
//!
//! The bots named `human` on the command line become these people.

use std::time::Duration;

use agon_bots::{Bot, BotKind, BotSpec, HumanBot, Patience};
use agon_core::{Game, Player};
use agon_games::human::HumanInput;
use agon_view::{HumanPlayer, PromptQueue};
use anyhow::{Result, bail};

use crate::PersonOptions;

/// The people of a match. Clones ask on the same screen.
#[derive(Clone, Debug)]
pub struct People<G: Game> {
    prompts: PromptQueue<G>,
    players: Vec<Player>,
    limit: Option<Duration>,
    /// Whether time goes on while they think.
    pub real_time: bool,
    /// How long a turn then lasts; `None` for as long as the game says.
    pub tick: Option<Duration>,
}

impl<G: Game> Default for People<G> {
    /// Nobody.
    fn default() -> People<G> {
        People {
            prompts: PromptQueue::default(),
            players: vec![],
            limit: None,
            real_time: false,
            tick: None,
        }
    }
}

impl<G: Game> People<G> {
    /// The people among these.
    ///
    /// # Errors
    /// If there are none, but flags for them.
    pub fn among(bots: &[BotSpec], options: &PersonOptions) -> Result<People<G>> {
        let is_person = |player: &Player| bots[player.index()].kind() == BotKind::Human;
        let players: Vec<Player> = Player::all(bots.len()).filter(is_person).collect();
        if players.is_empty() && *options != PersonOptions::default() {
            let flag = if options.real_time { "--real-time" } else { "--human-time" };
            bail!("{flag}: nobody here is a person; name one `human` in place of a bot");
        }
        let PersonOptions { time_limit: limit, real_time } = *options;
        Ok(People { players, limit, real_time, ..People::default() })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Where they are asked.
    pub(crate) fn prompts(&self) -> &PromptQueue<G> {
        &self.prompts
    }

    /// The bot that asks, if it is a person who is named.
    pub fn sit_down(&self, spec: &BotSpec) -> Option<Box<dyn Bot<G>>> {
        let patience = match (self.real_time, self.tick, self.limit) {
            (true, Some(tick), _) => Patience::Tick(tick),
            (_, _, Some(limit)) => Patience::Limit(limit),
            _ => Patience::Endless,
        };
        let person = || Box::new(HumanBot::new(self.prompts.clone(), patience)) as Box<dyn Bot<G>>;
        (spec.kind() == BotKind::Human).then(person)
    }
}

impl<G: HumanInput> People<G> {
    /// How long a turn lasts if time goes on while they think, in a match that begins with `start`.
    ///
    /// # Errors
    /// If it cannot, in this game or with so many people.
    pub(crate) fn tick_of(&mut self, start: &G) -> Result<Option<Duration>> {
        if !self.real_time || self.is_empty() {
            return Ok(None);
        }
        let Some(milliseconds) = start.turn_ms() else {
            bail!("--real-time: a turn of {} lasts as long as its players think", G::META.id);
        };
        if self.players.len() > 1 {
            bail!(
                "--real-time: several people at one screen take turns, which takes longer than a \
                 tick"
            );
        }
        let tick = self.tick.unwrap_or(Duration::from_millis(milliseconds.into()));
        self.tick = Some(tick);
        Ok(Some(tick))
    }

    /// What they see and do in a viewer of the match; `names` are those of all players.
    pub(crate) fn overlay(&self, names: &[String]) -> Option<Box<HumanPlayer<G>>> {
        let person = || {
            Box::new(HumanPlayer::new(self.prompts.clone(), names.to_vec(), self.players.clone()))
        };
        (!self.is_empty()).then(person)
    }
}
