//! The bots of a tournament's plan, and the keys of their matches.
//!
//! A tournament reuses a known result if its match has the same key.

use std::sync::Arc;

use agon_arena::BotEntry;
use agon_bots::{Beyond, HostOptions};
use agon_core::BotInfo;
use agon_games::with_game;
use agon_tournament::{Match, MatchKey, Plan, PlanBot};
use anyhow::Result;

use crate::{Tell, series::entry};

/// Stands for the content of a bot that forfeits, in keys.
const FORFEIT: &str = "forfeit";

/// A bot whose files were read.
#[derive(Clone, Debug)]
pub(super) struct ReadBot {
    entry: Arc<BotEntry>,
    /// Describes its content, for keys.
    content: String,
    /// The same as older versions of Agon wrote it: digests did not cover folders, and built-in
    /// bots had no versions.
    old_content: String,
    /// Whether `content` covers everything that the bot can read.
    known: bool,
}

impl ReadBot {
    /// Reads the files of a bot. Later changes to them have no effect.
    ///
    /// # Errors
    /// If it cannot be read, or is a person.
    pub(super) fn read(
        plan: &Plan,
        bot: &PlanBot,
        host: &HostOptions,
        tell: Tell<'_>,
    ) -> Result<ReadBot> {
        let entry = entry(&bot.spec, Some(&bot.name), host, tell)?;
        // Replays show the text in the plan, without the plan's folder.
        let mut entry = Arc::unwrap_or_clone(entry);
        entry.info.spec.clone_from(&bot.text);
        entry.info.version = with_game!(plan.game, G => entry.spec.version::<G>());
        let (beyond, known) = match entry.spec.beyond() {
            Beyond::Nothing => (String::new(), true),
            Beyond::Stamp(stamp) => (format!(" beside {stamp}"), true),
            Beyond::Unknown => (String::new(), false),
        };
        let kind = &entry.info.kind;
        let old = entry.spec.named_digest().unwrap_or(env!("CARGO_PKG_VERSION"));
        Ok(ReadBot {
            content: content(&entry.info, &bot.text) + &beyond,
            old_content: format!("{kind} {} {old}", bot.text),
            known,
            entry: Arc::new(entry),
        })
    }

    pub(super) fn entry(&self) -> &BotEntry {
        &self.entry
    }
}

/// A bot of a tournament.
#[derive(Debug)]
pub(super) enum Participant {
    /// It plays.
    Plays(ReadBot),
    /// It forfeits all matches that are open.
    Forfeits {
        /// Why.
        reason: String,
        /// What is known of it.
        info: BotInfo,
        /// Its content, if its files can be read or are known from an earlier run.
        content: Option<String>,
    },
}

impl Participant {
    /// Makes a bot that forfeits all open matches. `before` is what an earlier run knew of it.
    pub(super) fn forfeits(
        bot: &PlanBot,
        reason: String,
        read: Option<ReadBot>,
        before: Option<&BotInfo>,
    ) -> Participant {
        let (info, known) = match (read, before) {
            (Some(read), None) => (read.entry.info.clone(), Some(read.content)),
            (Some(read), Some(info)) if read.entry.info == *info => {
                (info.clone(), Some(read.content))
            }
            // What it was when it played counts, whatever has become of its files since.
            (_, Some(info)) => (info.clone(), Some(content(info, &bot.text))),
            (None, None) => {
                (BotInfo { spec: bot.text.clone(), ..BotInfo::new(&bot.name, "unknown") }, None)
            }
        };
        Participant::Forfeits { reason, info, content: known }
    }
}

/// The bots of a plan, in its order.
#[derive(Debug)]
pub struct Bots(Vec<Participant>);

impl Bots {
    pub(super) fn new(participants: Vec<Participant>) -> Bots {
        Bots(participants)
    }

    /// Has a bot forfeit all matches that are open. Returns whether it played until now.
    pub(super) fn forfeit(&mut self, number: usize, bot: &PlanBot, reason: String) -> bool {
        let Participant::Plays(read) = &self.0[number] else { return false };
        self.0[number] = Participant::forfeits(bot, reason, Some(read.clone()), None);
        true
    }

    /// Returns how many bots play.
    pub(super) fn playing(&self) -> usize {
        self.0.iter().filter(|bot| matches!(bot, Participant::Plays(_))).count()
    }

    /// Returns the seats of a match, from 0, whose bots forfeit it.
    pub(super) fn forfeits(&self, game: &Match) -> Vec<usize> {
        let forfeits = |seat: &usize| {
            matches!(self.0[game.seats[*seat].index()], Participant::Forfeits { .. })
        };
        (0..game.seats.len()).filter(forfeits).collect()
    }

    /// Returns the names of bots that forfeit, with the reasons.
    pub(super) fn out(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|bot| match bot {
            Participant::Plays(_) => None,
            Participant::Forfeits { reason, info, .. } => Some((&*info.name, &**reason)),
        })
    }

    /// Returns the bots of a match in which nobody forfeits, in order of seats.
    pub(super) fn seats(&self, game: &Match) -> Vec<Arc<BotEntry>> {
        let entry = |bot: &Participant| match bot {
            Participant::Plays(bot) => Arc::clone(&bot.entry),
            Participant::Forfeits { info, .. } => panic!("{} forfeits", info.name),
        };
        game.seats.iter().map(|entrant| entry(&self.0[entrant.index()])).collect()
    }

    /// Returns the key of a match that is played: a hash of all that its result depends on.
    pub(super) fn key(&self, plan: &Plan, game: &Match) -> MatchKey {
        let content = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.content.clone(),
            Participant::Forfeits { content, .. } => content.clone().unwrap_or_default(),
        };
        MatchKey::new(plan, game, &self.0.iter().map(content).collect::<Vec<_>>())
    }

    /// Returns the key of a match that the bots forfeit who forfeit now.
    pub(super) fn forfeit_key(&self, plan: &Plan, game: &Match) -> MatchKey {
        let content = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.content.clone(),
            Participant::Forfeits { .. } => FORFEIT.to_owned(),
        };
        MatchKey::new(plan, game, &self.0.iter().map(content).collect::<Vec<_>>())
    }

    /// Returns the key that older versions of Agon gave to the match.
    pub(super) fn old_key(&self, plan: &Plan, game: &Match) -> MatchKey {
        let content = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.old_content.clone(),
            Participant::Forfeits { .. } => String::new(),
        };
        MatchKey::new(plan, game, &self.0.iter().map(content).collect::<Vec<_>>())
    }

    /// Returns whether the key of a match covers everything that its bots can read.
    ///
    /// A program that runs elsewhere, or that can read other files, may have changed unnoticed.
    pub(super) fn are_known(&self, game: &Match) -> bool {
        let known = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.known,
            Participant::Forfeits { content, .. } => content.is_some(),
        };
        game.seats.iter().all(|entrant| known(&self.0[entrant.index()]))
    }

    /// Returns what is known of each bot, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        let info = |bot: &Participant| match bot {
            Participant::Plays(bot) => bot.entry.info.clone(),
            Participant::Forfeits { info, .. } => info.clone(),
        };
        self.0.iter().map(info).collect()
    }
}

/// Describes the content of a bot, as far as it is known.
fn content(info: &BotInfo, text: &str) -> String {
    let BotInfo { kind, digest, covers, version, .. } = info;
    let content = match (version, digest, covers) {
        (Some(version), ..) => format!("version {version}"),
        (None, Some(digest), Some(covers)) => format!("{covers} {digest}"),
        (None, ..) => "none".to_owned(),
    };
    format!("{kind} {text} {content}")
}

#[cfg(test)]
mod tests {
    use agon_core::Coverage;

    use super::*;

    #[test]
    fn a_new_version_of_a_built_in_bot_has_another_content() {
        let builtin = |version| BotInfo { version: Some(version), ..BotInfo::new("a", "builtin") };
        assert_eq!(content(&builtin(1), "builtin:greedy"), "builtin builtin:greedy version 1");
        assert_ne!(content(&builtin(2), "builtin:greedy"), content(&builtin(1), "builtin:greedy"));
        let program = |digest: Option<&str>, covers| {
            let digest = digest.map(str::to_owned);
            content(
                &BotInfo { digest, covers: Some(covers), ..BotInfo::new("a", "program") },
                "./a",
            )
        };
        assert_eq!(program(Some("12"), Coverage::Folder), "program ./a folder 12");
        assert_ne!(program(Some("12"), Coverage::File), program(Some("12"), Coverage::Folder));
        assert_eq!(program(None, Coverage::None), "program ./a none");
    }
}
