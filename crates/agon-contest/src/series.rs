//! Plays many matches of one game under the same conditions. Comparisons, tunings and tournaments
//! use it.
//!
//! The functions here read the bots of such matches, and describe bots and settings for journals.

use std::path::{Path, PathBuf};
use std::{marker::PhantomData, num::NonZero, sync::Arc, sync::atomic::AtomicBool};

use agon_arena::{
    BotEntry, End, JobSource, Pool, PoolOptions, WaitWatcher, drawn_seed, host_options, play_all,
    try_open,
};
use agon_bots::{Beyond, BotKind, BotSpec, HostOptions};
use agon_core::{Seed, text::escape_json};
use agon_files::line_log::{LineLog, LogError, LogFormat, LogProblem, SyncPolicy, read_lines};
use agon_games::GameId;
use agon_match::spec::{MatchSettings, MatchSpec, SandboxLevel, SandboxSettings};
use agon_remote::{RemoteOptions, RemoteQueue};
use anyhow::{Context, Error, Result, anyhow, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{Notice, Plan, Tell, report::listed};

/// Where matches are played.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Matches at a time on this machine; `None` for one on each core.
    pub workers: Option<NonZero<usize>>,
    /// The other machines that play instead of this one.
    pub remote: Option<RemoteOptions>,
}

/// Matches of one game, all with the same rules and settings.
#[derive(Debug)]
pub struct Series {
    /// A match without bots.
    pub base: MatchSpec,
    /// How bots are run.
    host: HostOptions,
    pool: Pool,
    remote: Option<RemoteOptions>,
}

impl Series {
    /// Makes a series of matches like `base`, which are played in a place. `machine` has what
    /// depends on the installation, and `waits` follows long waits for bots.
    pub fn new(
        base: MatchSpec,
        machine: &HostOptions,
        place: &Place,
        waits: Option<Arc<dyn WaitWatcher>>,
    ) -> Series {
        // Bots at an address have time limits, too: nobody debugs them during hundreds of matches.
        let machine = HostOptions { time_peers: true, ..machine.clone() };
        let host = host_options(&base.settings, &machine);
        let Place { workers, remote } = place.clone();
        let pool = Pool::new(PoolOptions { machine, workers, waits, ..PoolOptions::default() });
        Series { base, host, pool, remote }
    }

    /// Opens each bot once, to find bots that cannot play before the first match.
    ///
    /// # Errors
    /// With all bots that cannot be opened.
    pub fn try_open<'a>(&self, bots: impl IntoIterator<Item = &'a BotEntry>) -> Result<()> {
        try_open(self.base.game, bots, &self.host).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            anyhow!("{}", lines.join("\n"))
        })
    }

    /// Plays the matches of a source until it has no more, or `stop` is set.
    pub fn run<S: JobSource>(
        &self,
        source: &mut S,
        stop: Arc<AtomicBool>,
    ) -> Result<End, S::Error> {
        match &self.remote {
            None => self.pool.client(stop).run(source),
            Some(remote) => {
                let announce = |line: &str| {
                    if let Some(watcher) = &remote.watcher {
                        watcher.note(line);
                    }
                };
                let mut queue = RemoteQueue::open(remote.clone(), stop, &announce)?;
                play_all(&mut queue, source)
            }
        }
    }
}

/// Returns the match settings of a tournament's plan.
pub fn settings_of_plan(plan: &Plan) -> MatchSettings {
    // Paths in a plan start in its folder.
    let folder = plan.file.parent().unwrap_or(Path::new(""));
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| folder.join(path)).collect();
    let sandbox = SandboxSettings {
        read: paths(&plan.sandbox.read),
        write: paths(&plan.sandbox.write),
        ..plan.sandbox.clone()
    };
    MatchSettings { time: plan.time.clone(), sandbox, ..MatchSettings::default() }
}

/// Reads a bot for many matches, and gives it `name` if there is one.
///
/// Its files are read now. Later changes to them have no effect.
pub fn entry(
    text: &str,
    name: Option<&str>,
    host: &HostOptions,
    tell: Tell<'_>,
) -> Result<Arc<BotEntry>> {
    let spec = spec(text, name)?.read(host, &[])?;
    tell_what_was_read(&spec, tell);
    Ok(BotEntry::of(spec)?)
}

/// Parses the text of a bot for many matches, and gives it `name` if there is one.
pub fn spec(text: &str, name: Option<&str>) -> Result<BotSpec> {
    let spec: BotSpec = text.parse()?;
    if spec.kind() == BotKind::Human {
        bail!("`{text}`: people play single matches, with `agon play`");
    }
    Ok(name.map_or(spec.clone(), |name| spec.named(name)))
}

/// Returns what is known of the content of a bot, for the first line of a journal.
///
/// The results in the journal hold as long as it is the same.
pub fn known_content(game: GameId, bot: &BotEntry) -> Value {
    let beyond = match bot.spec.beyond() {
        Beyond::Stamp(stamp) => Some(stamp),
        Beyond::Nothing | Beyond::Unknown => None,
    };
    json!([bot.version(game), bot.info.digest, bot.info.covers, beyond])
}

/// Reports the notices about a bot that was read, and protects its files from being overwritten.
pub fn tell_what_was_read(spec: &BotSpec, tell: Tell<'_>) {
    spec.files().iter().for_each(|file| agon_files::protect(file));
    for notice in spec.notices() {
        tell(Notice::Note(format!("{}: {notice}", spec.name())));
    }
}

/// Returns the time limits in the form of journals of comparisons and tunings.
pub(crate) fn time_in_journal(settings: &MatchSettings) -> Value {
    let time = &settings.time;
    let mut all = vec![json!(time.clock), json!(time.limit), json!(time.bank)];
    // Older journals have no such value.
    all.extend(time.strikes.map(|strikes| json!(strikes)));
    all.extend(time.start_up.map(|start_up| json!({ "start_up": start_up })));
    Value::Array(all)
}

/// Returns the sandbox in the form of journals of comparisons and tunings.
///
/// The form never changes: a run with another text in its journal cannot continue.
pub(crate) fn sandbox_in_journal(settings: &MatchSettings) -> String {
    let SandboxSettings { level, memory, read, write, env, .. } = &settings.sandbox;
    let level = match level {
        SandboxLevel::Strict => "Strict",
        SandboxLevel::Default => "Default",
        SandboxLevel::Off => "Off",
    };
    // Older journals have no such names.
    let env = if env.is_empty() { String::new() } else { format!(", allow_env: {env:?}") };
    format!(
        "SandboxArgs {{ sandbox: {level}, bot_memory: {memory:?}, allow_read: {read:?}, \
         allow_write: {write:?}{env} }}"
    )
}

/// Returns the seed of a run: that of its journal in `path` if it continues, or the given one, or
/// one that is drawn.
pub(crate) fn settle_seed(path: Option<&Path>, given: Option<Seed>) -> Result<Seed> {
    match (path.and_then(seed_in), given) {
        (Some(begun), None) => Ok(begun),
        // Journals of older versions have seeds of another kind.
        (Some(begun), Some(given)) if begun.number() == given.number() => Ok(begun),
        (_, Some(given)) => Ok(given),
        (None, None) => Ok(drawn_seed()?),
    }
}

/// Returns the seed in the first line of a journal. What is wrong with the file, its opening says.
fn seed_in(path: &Path) -> Option<Seed> {
    #[derive(Deserialize)]
    struct Peek {
        seed: Seed,
    }
    let bytes = agon_files::input::read_regular(path).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    Some(serde_json::from_slice::<Peek>(line).ok()?.seed)
}

/// The kind of a journal: how it looks in the file, and the words for messages about it.
#[derive(Clone, Copy, Debug)]
pub struct JournalKind {
    /// The key of the first line whose value is the version.
    pub key: &'static str,
    /// The name of such a run, such as `comparison`.
    pub noun: &'static str,
    /// The first bytes of the line of an entry.
    pub entry: &'static [u8],
    /// What to do about a damaged line.
    pub remedy: &'static str,
    /// The flag that names the folder.
    pub flag: &'static str,
}

/// A [`LineLog`] of results. The first line describes the run, and each other line is an entry.
///
/// Older versions of Agon wrote such files without checksums; runs continue from these, too.
pub struct SeriesJournal<E> {
    log: LineLog,
    entry: PhantomData<E>,
}

impl<E: Serialize + DeserializeOwned> SeriesJournal<E> {
    /// Opens a journal or starts one, and returns its entries. Cuts off a torn tail.
    pub fn open(
        path: &Path,
        kind: &JournalKind,
        header: &Value,
    ) -> Result<(SeriesJournal<E>, Vec<E>)> {
        let failed = |error| message(error, path, kind);
        let (mut log, bytes) = LineLog::open(path, SyncPolicy::Never).map_err(failed)?;
        let own = escape_json(&serde_json::to_vec(header)?);
        let format = LogFormat {
            // The brace comes after the checksum.
            header: own.strip_suffix(b"}").unwrap_or(&own),
            record: kind.entry,
            may_lack_sums: true,
        };
        let damaged = |number: usize| {
            format!("{}:{number}: this line is damaged; {}", path.display(), kind.remedy)
        };
        let mut is_new = true;
        let mut entries = Vec::new();
        let read = read_lines(&bytes, &format, |number, line| {
            if number == 1 {
                is_new = false;
                return check_header(line, &own, kind, path);
            }
            entries.push(serde_json::from_slice(line).with_context(|| damaged(number))?);
            Ok(())
        });
        let (whole, _) = read.map_err(|problem| match problem {
            LogProblem::NoLog => anyhow!(
                "{} is not a journal of this {}; give another folder with {}, or move the file \
                 away",
                path.display(),
                kind.noun,
                kind.flag
            ),
            LogProblem::Damaged { line } => anyhow!(damaged(line)),
            LogProblem::Refused(error) => error,
        })?;
        log.keep(whole).map_err(failed)?;
        if is_new {
            log.append(header).map_err(failed)?;
        }
        Ok((SeriesJournal { log, entry: PhantomData }, entries))
    }

    /// Returns the path of its file.
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Writes an entry. When this returns, the entry survives the end of this process.
    pub fn append(&mut self, entry: &E) -> Result<()> {
        self.log.append(entry).map_err(|error| self.cannot_write(error))
    }

    /// Waits until everything is on the disk.
    pub fn synchronise(&mut self) -> Result<()> {
        self.log.synchronise().map_err(|error| self.cannot_write(error))
    }

    fn cannot_write(&self, error: LogError) -> Error {
        let name = self.path().display();
        match error {
            LogError::Io(source) => Error::new(source).context(format!("cannot write {name}")),
            _ => anyhow!("{name} could not be written to the end of a line earlier; start again"),
        }
    }
}

/// Turns an error from opening the log into a message for people.
fn message(error: LogError, path: &Path, kind: &JournalKind) -> Error {
    let name = path.display();
    match error {
        LogError::Io(source) => Error::new(source).context(format!("cannot write {name}")),
        LogError::Locked => anyhow!(
            "{name} is being written by another process, so this {} is running already; wait for \
             it or stop it",
            kind.noun
        ),
        LogError::NotRegular | LogError::Broken => {
            anyhow!("{name} is not a regular file; give another folder with {}", kind.flag)
        }
    }
}

/// Checks whether the first line is the expected one, `own`.
fn check_header(line: &[u8], own: &[u8], kind: &JournalKind, path: &Path) -> Result<()> {
    let name = path.display();
    let JournalKind { key, noun, flag, .. } = kind;
    let header: Value = serde_json::from_slice(own)?;
    let found: Value = serde_json::from_slice(line).unwrap_or_default();
    if found.get(key).is_none() {
        bail!(
            "{name} is not a journal of a {noun}; give another folder with {flag}, or move the \
             file away"
        );
    }
    if found[key].as_u64() < header[key].as_u64() {
        bail!(
            "{name} was written by an older Agon that noted less, so this {noun} cannot continue \
             there; give another folder with {flag}: the old results stay where they are"
        );
    }
    // Compared as read, since reading may round the last digit of a number.
    let differs = |key: &&String| found.get(key.as_str()) != header.get(key.as_str());
    let keys = header.as_object().into_iter().flat_map(|header| header.keys());
    let other: Vec<&str> = keys.filter(differs).map(String::as_str).collect();
    if !other.is_empty() {
        bail!(
            "{name} belongs to another {noun}, with another {}; give another folder with {flag}, \
             or delete that one",
            listed(&other)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use agon_match::spec::TimeSettings;

    use super::*;

    #[test]
    fn journals_keep_their_text() {
        let text =
            |sandbox| sandbox_in_journal(&MatchSettings { sandbox, ..MatchSettings::default() });
        assert_eq!(
            text(SandboxSettings::default()),
            "SandboxArgs { sandbox: Default, bot_memory: None, allow_read: [], allow_write: [] }"
        );
        let settings = SandboxSettings {
            level: SandboxLevel::Strict,
            memory: Some(64),
            read: vec!["a b".into()],
            write: vec!["c".into(), "d".into()],
            ..SandboxSettings::default()
        };
        let time = |strikes| {
            let time = TimeSettings { strikes, ..TimeSettings::default() };
            time_in_journal(&MatchSettings { time, ..MatchSettings::default() }).to_string()
        };
        assert_eq!(time(None), "[true,null,null]");
        assert_eq!(time(NonZero::new(3)), "[true,null,null,3]");
        assert_eq!(
            text(settings.clone()),
            "SandboxArgs { sandbox: Strict, bot_memory: Some(64), allow_read: [\"a b\"], \
             allow_write: [\"c\", \"d\"] }"
        );
        let settings = SandboxSettings { env: vec!["LC_TIME".to_owned()], ..settings };
        assert!(text(settings).ends_with("\"d\"], allow_env: [\"LC_TIME\"] }"));
    }

    use std::fs;

    use serde_json::json;

    const KIND: JournalKind = JournalKind {
        key: "count",
        noun: "counting",
        entry: b"{\"number\":",
        remedy: "delete it, and its number is counted again",
        flag: "--out",
    };

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        number: u64,
    }

    fn open(path: &Path, header: &Value) -> Result<(SeriesJournal<Entry>, Vec<Entry>)> {
        SeriesJournal::open(path, &KIND, header)
    }

    #[test]
    fn what_was_written_is_there_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1, "game": "cluster" });
        let (mut journal, entries) = open(&path, &header).unwrap();
        assert!(entries.is_empty());
        (0..3).for_each(|number| journal.append(&Entry { number: 12 - number }).unwrap());
        drop(journal);
        let bytes = fs::read(&path).unwrap();
        let header_end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for end in 0..=bytes.len() {
            fs::write(&path, &bytes[..end]).unwrap();
            let (mut journal, entries) = open(&path, &header).unwrap();
            let lines =
                bytes[header_end.min(end)..end].iter().filter(|&&byte| byte == b'\n').count();
            let expected = [12, 11, 10].map(|number| Entry { number });
            assert_eq!(entries, expected[..lines], "cut at {end}");
            journal.append(&Entry { number: 9 }).unwrap();
            drop(journal);
            assert_eq!(open(&path, &header).unwrap().1.last(), Some(&Entry { number: 9 }));
        }
    }

    #[test]
    fn a_flipped_digit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1 });
        let (mut journal, _) = open(&path, &header).unwrap();
        (3..6).for_each(|number| journal.append(&Entry { number }).unwrap());
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"number\":4", "\"number\":7")).unwrap();
        let error = open(&path, &header).err().unwrap().to_string();
        assert!(error.contains("count.jsonl:3: this line is damaged; delete it, and"), "{error}");
        // At the end it may be what a power failure left.
        fs::write(&path, text.replace("\"number\":5", "\"number\":7")).unwrap();
        assert_eq!(open(&path, &header).unwrap().1.len(), 2);
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 2, "game": "cluster", "seed": 1 });
        let error = |text: &str| {
            fs::write(&path, text).unwrap();
            let error = open(&path, &header).err().unwrap().to_string();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            error
        };
        assert!(error("my diary").contains("not a journal of this counting"));
        assert!(error("my diary\n").contains("not a journal of a counting"));
        assert!(error("{\"count\":1}\n").contains("an older Agon"));
        let other = "{\"count\":2,\"game\":\"rezzo\",\"seed\":2}\n";
        assert!(error(other).contains("another game and seed"), "{}", error(other));
        let damaged = format!("{header}\n[0,\n");
        assert!(error(&damaged).contains("count.jsonl:2: this line is damaged; delete it, and"));
    }

    #[test]
    fn journals_of_older_versions_are_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1, "game": "cluster" });
        let older = format!("{header}\n{{\"number\":4}}\n{{\"number\":5}}\n{{\"num");
        fs::write(&path, &older).unwrap();
        let entries =
            |numbers: &[u64]| numbers.iter().map(|&number| Entry { number }).collect::<Vec<_>>();
        let (mut journal, found) = open(&path, &header).unwrap();
        assert_eq!(found, entries(&[4, 5]));
        let running = open(&path, &header).err().unwrap().to_string();
        assert!(running.contains("this counting is running already"), "{running}");
        journal.append(&Entry { number: 6 }).unwrap();
        drop(journal);
        assert_eq!(open(&path, &header).unwrap().1, entries(&[4, 5, 6]));
    }
}
