//! The bots of a plan, ready to play.

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
    /// What each consists of, for keys.
    contents: Vec<String>,
    /// The same as it was written down before digests covered folders and built-in bots had
    /// versions.
    old_contents: Vec<String>,
    /// Whether what each consists of is all that is known of it.
    known: Vec<bool>,
}

impl Bots {
    /// Reads the files of the bots: from now on they play as they are. The tournament is kept in
    /// `folder`.
    ///
    /// # Errors
    /// If one is not there, or is a person.
    pub fn of(plan: &Plan, folder: &Path, machine: &HostOptions, tell: Tell<'_>) -> Result<Bots> {
        let (entries, contents, old_contents, known) = Default::default();
        let mut bots = Bots { entries, contents, old_contents, known };
        let foreign = vec![plan.file.clone(), folder.to_owned()];
        let sees_folder = with_game!(plan.game, G => <G as HostedGame>::SEES_FOLDER);
        let machine = HostOptions { time_peers: true, ..machine.clone() };
        let host = host_options(&settings_of_plan(plan), &machine);
        let host = HostOptions { foreign, sees_folder, ..host };
        for bot in &plan.bots {
            let entry = entry(&bot.spec, Some(&bot.name), &host, tell);
            let entry =
                entry.with_context(|| format!("{}: the bot {}", plan.file.display(), bot.name))?;
            // Replays say what stands in the plan, wherever it lies.
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

    /// All, in order of the plan.
    pub fn all(&self) -> impl Iterator<Item = &BotEntry> {
        self.entries.iter().map(|bot| &**bot)
    }

    /// Who plays a match.
    pub fn seats(&self, game: &Match) -> Vec<Arc<BotEntry>> {
        game.seats.iter().map(|entrant| Arc::clone(&self.entries[entrant.index()])).collect()
    }

    /// What the result of a match depends on.
    pub fn key(&self, plan: &Plan, game: &Match) -> MatchKey {
        MatchKey::new(plan, game, &self.contents)
    }

    /// What older versions of Agon noted down instead of the key.
    pub fn old_key(&self, plan: &Plan, game: &Match) -> MatchKey {
        MatchKey::new(plan, game, &self.old_contents)
    }

    /// Whether the key of a match tells all: of a program that runs elsewhere, or that can read
    /// more than anybody looks at, nobody knows what it is today.
    pub fn are_known(&self, game: &Match) -> bool {
        game.seats.iter().all(|entrant| self.known[entrant.index()])
    }

    /// What is known of all, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        self.all().map(|bot| bot.info.clone()).collect()
    }
}

/// What a bot of this text consists of, as far as that is known.
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
