//! The folder of a tournament, with its plan, journal, bots and replays.
//!
//! `agon tournament` writes it, and `agon tournament report` reads it.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io, str::FromStr};

use agon_arena::drawn_seed;
use agon_core::{BotInfo, text::escape_json};
use anyhow::{Context, Result, anyhow, bail};

use crate::plan::{FormatPlan, SavedPlan};
use crate::{MatchId, PairingId, Plan};

/// A part of a tournament, for one of several machines: `2/5` is the second of five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 0.
    index: u32,
    /// How many there are.
    count: u32,
}

impl Shard {
    /// Returns whether a match of a plan belongs to this part. Matches on one seed stay together.
    pub(super) fn has(self, plan: &Plan, id: MatchId) -> bool {
        let PairingId { round, group, pairing } = id.pairing;
        let seed = u64::from(id.number) / plan.players as u64;
        let place = seed + [round, group, pairing].map(u64::from).iter().sum::<u64>();
        place % u64::from(self.count) == u64::from(self.index)
    }

    /// Returns it as it is written: `2/5`.
    fn text(self) -> String {
        format!("{}/{}", self.index + 1, self.count)
    }

    /// Checks that all machines know the same matches beforehand.
    pub(super) fn check(self, plan: &Plan) -> Result<()> {
        if !matches!(plan.format, FormatPlan::RoundRobin { .. } | FormatPlan::Gauntlet { .. }) {
            bail!(
                "--shard: in this format later matches depend on the results of earlier ones, so \
                 that it has no parts; `--on` plays it on several machines"
            );
        }
        Ok(())
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let read = || {
            let (number, count) = text.split_once('/')?;
            let (number, count) = (number.parse::<u32>().ok()?, count.parse().ok()?);
            (1..=count).contains(&number).then(|| Shard { index: number - 1, count })
        };
        read().ok_or("a part is written like 2/5, the second of five")
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part {} of {}", self.index + 1, self.count)
    }
}

/// A folder in which a tournament is kept.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder of a tournament, or takes one that is there already.
    pub fn begin(path: &Path) -> Result<Folder> {
        let folder = Folder(path.to_owned());
        let is_foreign = |entry: io::Result<fs::DirEntry>| match entry {
            Ok(entry) => !is_own(&entry.file_name().to_string_lossy()),
            Err(_) => true,
        };
        // A run that was killed at the very beginning has left no plan.
        if !folder.plan_file().exists()
            && let Ok(mut entries) = fs::read_dir(path)
            && entries.any(is_foreign)
        {
            bail!(
                "{} holds other things than a tournament; name a folder that is new or empty with \
                 --out",
                path.display()
            );
        }
        let replays = folder.replays();
        fs::create_dir_all(&replays)
            .with_context(|| format!("cannot create {}", replays.display()))?;
        Ok(folder)
    }

    /// Opens the folder of a tournament that has begun.
    pub fn open(path: &Path) -> Result<Folder> {
        let folder = Folder(path.to_owned());
        if !folder.plan_file().is_file() {
            let what = if path.is_dir() { "is no folder of a tournament" } else { "is no folder" };
            bail!("{} {what}; `agon tournament FILE.toml` begins one", path.display());
        }
        Ok(folder)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the saved plan.
    pub fn plan_file(&self) -> PathBuf {
        self.0.join(Plan::SAVED)
    }

    /// Reads the saved plan.
    pub fn plan(&self) -> Result<SavedPlan> {
        Plan::load_saved(&self.plan_file())
    }

    /// Gives a plan from a file its seed and schedule version: those of the tournament which has
    /// begun in this folder, unless the file says another seed or all is played anew. A plan
    /// without a seed takes that of the first of `others`, whose results it can use then, or gets
    /// one that is drawn.
    pub fn settle_seed(&self, plan: &mut Plan, others: &[Folder], fresh: bool) -> Result<()> {
        let begun = if self.plan_file().exists() { Some(self.plan()?.plan) } else { None };
        // Bots could compute all chance of matches with the plain seeds of older versions.
        let begun = begun.filter(|begun| !(fresh && begun.seed.is_plain()));
        let other = others.first().map(Folder::plan).transpose()?.map(|saved| saved.plan);
        let other = other.filter(|other| !other.seed.is_plain());
        let says_seed = std::mem::replace(&mut plan.says_seed, true);
        let is_same = |known: &Plan| !says_seed || known.seed.number() == plan.seed.number();
        match begun.filter(is_same).or(other.filter(is_same)) {
            Some(known) => {
                plan.seed = known.seed;
                // The results that are known have the seeds of this version.
                if !fresh {
                    plan.schedule_version = known.schedule_version;
                }
            }
            None if !says_seed => plan.seed = drawn_seed()?,
            None => {}
        }
        Ok(())
    }

    /// Returns the path of the journal: the results, a line for each match.
    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// Returns which part of a tournament it has, if it has only one.
    pub fn part(&self) -> Result<Option<Shard>> {
        let path = self.0.join("part");
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let part = text.trim().parse().map_err(|error: &str| anyhow!("{error}"));
        part.map(Some).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Notes which part it has, or that it has all.
    pub(super) fn set_part(&self, part: Option<Shard>) -> Result<()> {
        let path = self.0.join("part");
        if let Some(part) = part {
            return Ok(agon_files::write_whole(&path, format!("{}\n", part.text()).as_bytes())?);
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done.with_context(|| format!("cannot remove {}", path.display())),
        }
    }

    /// Returns the path of the folder of replays.
    pub fn replays(&self) -> PathBuf {
        self.0.join("replays")
    }

    fn bots(&self) -> PathBuf {
        self.0.join("bots.json")
    }

    /// Returns the files that reports are made from, which no output may overwrite.
    pub fn kept(&self) -> Vec<PathBuf> {
        [self.old_journals(), vec![self.plan_file(), self.journal(), self.bots()]].concat()
    }

    /// Returns whether it has a file about the contents of the bots.
    pub fn has_bots(&self) -> bool {
        self.bots().is_file()
    }

    /// Writes what is known of the bots: names, digests, versions.
    pub fn write_bots(&self, bots: &[BotInfo]) -> Result<()> {
        Ok(agon_files::write_whole(&self.bots(), &escape_json(&serde_json::to_vec(bots)?))?)
    }

    /// Reads what is known of the bots. The list is empty if an older version of Agon played the
    /// tournament.
    pub fn read_bots(&self) -> Result<Vec<BotInfo>> {
        let path = self.bots();
        let Some(bytes) = read_if_there(&path)? else { return Ok(Vec::new()) };
        serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
    }

    /// Returns the names of journals that are put aside.
    fn aside(&self) -> impl Iterator<Item = PathBuf> + '_ {
        (1u32..).map(|number| self.0.join(format!("journal.{number}.jsonl")))
    }

    /// Renames the journal, so that a new one can be started. Returns the new name.
    pub fn put_journal_aside(&self) -> Result<PathBuf> {
        let free = self.aside().find(|name| !name.exists());
        let free = free.expect("there are more numbers than files");
        let journal = self.journal();
        fs::rename(&journal, &free)
            .with_context(|| format!("cannot rename {}", journal.display()))?;
        Ok(free)
    }

    /// Returns the journals that were put aside, the latest first.
    pub fn old_journals(&self) -> Vec<PathBuf> {
        let mut old: Vec<PathBuf> = self.aside().take_while(|name| name.exists()).collect();
        old.reverse();
        old
    }

    /// Writes a replay, which is there as a whole or not at all.
    pub fn write_replay(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.replays().join(name);
        Ok(agon_files::write_whole(&path, bytes)?)
    }

    /// Copies a replay from another tournament. Returns whether it is here now.
    pub fn take_replay(&self, from: &Folder, name: &str) -> Result<bool> {
        let source = from.replays().join(name);
        let path = self.replays().join(name);
        if source == path || path.exists() {
            return Ok(path.exists());
        }
        let bytes = read_if_there(&source)?;
        bytes.as_ref().map(|bytes| self.write_replay(name, bytes)).transpose()?;
        Ok(bytes.is_some())
    }
}

/// Reads a file; `None` if there is none.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match agon_files::input::read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Whether a file or folder has a name that tournaments give to their own files.
fn is_own(name: &str) -> bool {
    name == "replays"
        || name == "part"
        || name.starts_with("plan.") && name.ends_with(".part")
        || name.starts_with("bots.")
        // Older versions wrote it.
        || name.starts_with("results.sqlite")
        || (name.starts_with("journal.") && name.ends_with(".jsonl"))
}
