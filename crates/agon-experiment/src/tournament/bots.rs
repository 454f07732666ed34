//! Reads the bots of a tournament's plan, and computes the keys of their matches.
//!
//! A tournament reuses a known result if its match has the same key.

use std::{path::Path, sync::Arc};

use agon_arena::{BotEntry, host_options};
use agon_bots::{Beyond, HostOptions, HostedGame};
use agon_core::BotInfo;
use agon_games::with_game;
use agon_tournament::{Match, MatchKey, Plan};
use anyhow::{Context, Result};

use crate::{
    Tell,
    series::{entry, settings_of_plan},
};

/// The bots of a plan, in its order.
#[derive(Debug)]
pub struct Bots {
    entries: Vec<Arc<BotEntry>>,
    /// A text for each bot that describes its content, for keys.
    contents: Vec<String>,
    /// The same as older versions of Agon wrote it: digests did not cover folders, and built-in
    /// bots had no versions.
    old_contents: Vec<String>,
    /// Whether the text covers everything that the bot can read.
    known: Vec<bool>,
}

impl Bots {
    /// Reads the files of the bots. Later changes to them have no effect.
    ///
    /// The tournament is kept in `folder`.
    ///
    /// # Errors
    /// If a bot cannot be read, or is a person.
    pub fn of(plan: &Plan, folder: &Path, machine: &HostOptions, tell: Tell<'_>) -> Result<Bots> {
        let mut bots = Bots {
            entries: Vec::new(),
            contents: Vec::new(),
            old_contents: Vec::new(),
            known: Vec::new(),
        };
        let foreign = vec![plan.file.clone(), folder.to_owned()];
        let sees_folder = with_game!(plan.game, G => <G as HostedGame>::SEES_FOLDER);
        let machine = HostOptions { time_peers: true, ..machine.clone() };
        let host = host_options(&settings_of_plan(plan), &machine);
        let host = HostOptions { foreign, sees_folder, ..host };
        for bot in &plan.bots {
            let entry = entry(&bot.spec, Some(&bot.name), &host, tell);
            let entry =
                entry.with_context(|| format!("{}: the bot {}", plan.file.display(), bot.name))?;
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
            bots.contents.push(content(&entry.info, &bot.text) + &beyond);
            let old = entry.spec.named_digest().unwrap_or(env!("CARGO_PKG_VERSION"));
            bots.old_contents.push(format!("{kind} {} {old}", bot.text));
            bots.known.push(known);
            bots.entries.push(Arc::new(entry));
        }
        Ok(bots)
    }

    /// Returns all bots, in order of the plan.
    pub fn all(&self) -> impl Iterator<Item = &BotEntry> {
        self.entries.iter().map(|bot| &**bot)
    }

    /// Returns the bots of a match, in order of seats.
    pub fn seats(&self, game: &Match) -> Vec<Arc<BotEntry>> {
        game.seats.iter().map(|entrant| Arc::clone(&self.entries[entrant.index()])).collect()
    }

    /// Returns the key of a match: a hash of all that its result depends on.
    pub fn key(&self, plan: &Plan, game: &Match) -> MatchKey {
        MatchKey::new(plan, game, &self.contents)
    }

    /// Returns the key that older versions of Agon gave to the match.
    pub fn old_key(&self, plan: &Plan, game: &Match) -> MatchKey {
        MatchKey::new(plan, game, &self.old_contents)
    }

    /// Returns whether the key of a match covers everything that its bots can read.
    ///
    /// A program that runs elsewhere, or that can read other files, may have changed unnoticed.
    pub fn are_known(&self, game: &Match) -> bool {
        game.seats.iter().all(|entrant| self.known[entrant.index()])
    }

    /// Returns what is known of each bot, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        self.all().map(|bot| bot.info.clone()).collect()
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
