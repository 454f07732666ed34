//! Bots with their files read, for many matches. Those that have not played for long are dropped.

use std::{collections::BTreeMap, sync::Arc};

use agon_arena::{BotEntry, host_options, unpacked};
use agon_bots::BotSpec;
use agon_match::spec::{BlobSeat, Digest};
use anyhow::{Context, Result};

use crate::{shared::Shared, store::arenas::ArenaSettings};

/// How many bots are kept open. Each may take a few files and megabytes.
const KEPT: usize = 400;

/// What a version plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Files of an author: the built ones, and how they are run.
    Files(Digest, String),
    /// A built-in bot.
    Boss(String),
}

/// Opened bots by version.
#[derive(Debug, Default)]
pub(super) struct Entries {
    open: BTreeMap<i64, (u64, Arc<BotEntry>)>,
    uses: u64,
}

impl Entries {
    /// Forgets opened bots, with the copies of their files.
    pub(super) fn forget(&mut self, versions: &[i64]) {
        versions.iter().for_each(|version| drop(self.open.remove(version)));
    }

    /// Returns the opened bot of a version under a name.
    ///
    /// # Errors
    /// If its files are missing or damaged, or cannot be read.
    pub(super) fn get(
        &mut self,
        shared: &Shared,
        arena: &ArenaSettings,
        version: i64,
        code: &Code,
        name: &str,
    ) -> Result<Arc<BotEntry>> {
        self.uses += 1;
        if let Some((used, entry)) = self.open.get_mut(&version) {
            *used = self.uses;
            if entry.info.name != name {
                *entry = Arc::new(entry.named(name));
            }
            return Ok(Arc::clone(entry));
        }
        let entry = Arc::new(open(shared, arena, code)?.named(name));
        if self.open.len() >= KEPT
            && let Some((&oldest, _)) = self.open.iter().min_by_key(|(_, (used, _))| *used)
        {
            self.open.remove(&oldest);
        }
        self.open.insert(version, (self.uses, Arc::clone(&entry)));
        Ok(entry)
    }
}

fn open(shared: &Shared, arena: &ArenaSettings, code: &Code) -> Result<BotEntry> {
    match code {
        Code::Files(built, run) => {
            let seat = BlobSeat { digest: *built, build: None, run: run.clone(), runtime: None };
            let host = host_options(&arena.matches, &shared.workshop.machine);
            Ok(unpacked("the bot", &seat, &shared.blobs, &host)?)
        }
        Code::Boss(name) => {
            let spec: Option<BotSpec> = format!("builtin:{name}").parse().ok();
            let spec = spec.with_context(|| format!("there is no built-in bot `{name}`"))?;
            Ok(BotEntry::of(spec)?.in_game(arena.game))
        }
    }
}
