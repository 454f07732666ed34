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
    /// Whether the match does not wait while they think.
    pub real_time: bool,
    /// The duration of a turn in that case; `None` leaves it to the game.
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
    /// Returns the people among these bots.
    ///
    /// # Errors
    /// If there are none, but options for them.
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

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Returns the queue in which they are asked.
    pub(crate) fn prompts(&self) -> &PromptQueue<G> {
        &self.prompts
    }

    /// Makes the bot that asks a person, if `spec` names a person.
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
    /// Returns the duration of a turn if the match does not wait for people.
    ///
    /// `start` is the first state of the match.
    ///
    /// # Errors
    /// If the match has to wait, because of the game or because there are several people.
    pub fn tick_of(&mut self, start: &G) -> Result<Option<Duration>> {
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

    /// Makes the part of a viewer with which they play; `names` are those of all players.
    pub(crate) fn player(&self, names: &[String]) -> Option<HumanPlayer<G>> {
        let person =
            || HumanPlayer::new(self.prompts.clone(), names.to_vec(), self.players.clone());
        (!self.is_empty()).then(person)
    }
}
