//! Builds a bot in the sandbox, packs what plays, and examines it as `agon check` does.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io, sync::Arc, time::Instant};

use agon_arena::{BlobStore, Bundle, host_options};
use agon_bots::{BotKind, BotSpec, CopyFolder, HostOptions, build_in, is_left_behind};
use agon_contest::check::{Examination, Examiner, Status, Watcher, examine};
use agon_core::Progress;
use agon_ladder::{api::ExaminationStatus, archive::Files};
use agon_match::Void;
use agon_match::spec::{BotManifest, Digest, MANIFEST};
use anyhow::{Context, Result, ensure};

use crate::store::arenas::ArenaSettings;
use crate::store::versions::{Check, Report};

/// Matches of the examination; one more repeats the first.
const MATCHES: u32 = 2;

/// The matches of the examination end after so many turns, if not before.
const TURNS: u64 = 100;

/// The longest output of a build or a bot that is kept, in bytes.
const OUTPUT: usize = 16 << 10;

/// What came of a version.
#[derive(Debug)]
pub(crate) struct Built {
    /// The files that play; `None` if the version was refused.
    pub(crate) built: Option<Digest>,
    pub(crate) report: Report,
}

/// How far a version is, for its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Building,
    Checking,
}

/// Where and how bots are built.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    /// A folder for the files of bots.
    pub(crate) folder: PathBuf,
    /// What depends on the installation.
    pub(crate) machine: HostOptions,
    /// Where the files that play are kept.
    pub(crate) blobs: BlobStore,
}

impl Workshop {
    /// Builds and examines a bot for an arena. `stage` hears how far it is. It ends soon after
    /// `stop` is set.
    ///
    /// # Errors
    /// If the server lacks something, or it was stopped; the bot is not to blame then.
    pub(crate) fn build(
        &self,
        files: &Files,
        manifest: &BotManifest,
        arena: &ArenaSettings,
        name: &str,
        stage: &dyn Fn(Stage),
        stop: &Arc<AtomicBool>,
    ) -> Result<Built> {
        let began = Instant::now();
        let try_build = || -> Result<(Vec<u8>, Vec<Check>), Failure> {
            stage(Stage::Building);
            let folder = self.new_folder()?;
            let bundle = self.make(&folder, files, manifest, arena, stop)?;
            check_goes_on(stop)?;
            stage(Stage::Checking);
            // What is examined is what will play: the bundle, unpacked anew.
            drop(folder);
            let folder = self.new_folder()?;
            let place = &folder.path();
            let bytes = bundle.to_bytes();
            bundle.unpack(place).context("the bundle of a bot cannot be unpacked")?;
            let spec = BotSpec::of_folder(place, &manifest.spec()).map_err(Failure::bot)?;
            let unknown = || {
                format!(
                    "`{}` names no file of the bot: correct `run` in {MANIFEST}, or hand in that \
                     file, too",
                    manifest.run
                )
            };
            let spec = spec.ok_or_else(|| Failure::bot(unknown()))?.named(name);
            let host = self.host(place, arena, stop);
            let is_compiled = matches!(spec.kind(), BotKind::C | BotKind::Clojure);
            let checks = check(spec, host, arena, stop)?;
            let checks = checks.iter().map(|check| of_examination(check, place, manifest));
            let checks: Vec<Check> = checks.collect();
            // Agon compiles them when it opens them: that belongs to the build.
            let opened = checks.first().filter(|_| is_compiled);
            if let Some(Check { found, .. }) =
                opened.filter(|check| check.status == ExaminationStatus::Failed)
            {
                let (why, output) = found.split_once('\n').unwrap_or((found, ""));
                let (why, output) = (why.trim_end_matches(':').to_owned(), output.to_owned());
                return Err(Failure::Bot { why, output });
            }
            Ok((bytes, checks))
        };
        let tried = try_build();
        check_goes_on(stop)?;
        let (built, report) = match tried {
            Ok((bundle, checks)) => {
                let failed = checks.iter().find(|check| check.status == ExaminationStatus::Failed);
                let refused = failed.map(|check| format!("{}: {}", check.topic, check.found));
                // Only what plays is kept.
                let built = match refused {
                    None => Some(self.blobs.put_durable(&bundle)?),
                    Some(_) => None,
                };
                (built, Report { refused, checks, ..Report::default() })
            }
            Err(Failure::Bot { why, output }) => {
                (None, Report { refused: Some(why), output, ..Report::default() })
            }
            Err(Failure::Server(problem)) => return Err(problem),
        };
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Built { built, report: Report { ms, ..report } })
    }

    /// Builds a bot in a folder, and packs what plays. It ends soon after `stop` is set.
    pub(crate) fn make(
        &self,
        folder: &CopyFolder,
        files: &Files,
        manifest: &BotManifest,
        arena: &ArenaSettings,
        stop: &Arc<AtomicBool>,
    ) -> Result<Bundle, Failure> {
        let folder = &folder.path();
        match files.write(folder) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(Failure::bot("a file and a folder have the same name"));
            }
            written => written.context("the files of a bot cannot be written")?,
        }
        let host = self.host(folder, arena, stop);
        if let Some(line) = &manifest.build
            && let Err(error) = build_in(folder, line, &host)
        {
            return Err(match error {
                agon_bots::OpenError::Build { message, .. } => {
                    Failure::Bot { why: format!("`{line}` fails"), output: shown(&message, folder) }
                }
                error => Failure::Server(error.into()),
            });
        }
        Bundle::pack_without(folder, is_left_behind)
            .map_err(|error| Failure::bot(shown(&error.to_string(), folder)))
    }

    fn host(&self, folder: &Path, arena: &ArenaSettings, stop: &Arc<AtomicBool>) -> HostOptions {
        HostOptions {
            stop: Some(Arc::clone(stop)),
            folder: Some(folder.to_owned()),
            game: Some(arena.game),
            announce: None,
            ..host_options(&arena.matches, &self.machine)
        }
    }

    /// Makes a folder for the files of a bot.
    pub(crate) fn new_folder(&self) -> Result<CopyFolder> {
        fs::create_dir_all(&self.folder).context("the folder for bots cannot be made")?;
        CopyFolder::in_place(&self.folder).context("the folder for a bot cannot be made")
    }
}

/// Why a bot was not built.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The author is to blame.
    Bot {
        /// In a sentence.
        why: String,
        /// What the build wrote.
        output: String,
    },
    /// The server lacks something, or was told to stop.
    Server(anyhow::Error),
}

impl Failure {
    fn bot(why: impl ToString) -> Failure {
        Failure::Bot { why: why.to_string(), output: String::new() }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(problem: anyhow::Error) -> Failure {
        Failure::Server(problem)
    }
}

/// Checks that nobody has stopped a build.
fn check_goes_on(stop: &AtomicBool) -> Result<()> {
    ensure!(!stop.load(Ordering::Relaxed), "the build was stopped");
    Ok(())
}

fn check(
    spec: BotSpec,
    host: HostOptions,
    arena: &ArenaSettings,
    stop: &AtomicBool,
) -> Result<Vec<Examination>> {
    let kind = arena.game.kind();
    let examiner = Examiner {
        kind,
        spec,
        rules: kind.full_rules(&arena.rules).context("the arena's settings")?,
        host: HostOptions { examine: true, time_peers: true, ..host },
        seed: agon_arena::drawn_seed()?,
        games: MATCHES,
        max_turns: Some(arena.max_turns.map_or(TURNS, |most| most.min(TURNS))),
        stop,
        watcher: &Unwatched,
    };
    let memory = arena.matches.sandbox.memory.map(u64::from);
    let examined = examine(&examiner, memory)?;
    Ok(examined.map(|(_, examinations)| examinations).unwrap_or_default())
}

/// Nobody follows the examination's matches.
struct Unwatched;

impl Watcher for Unwatched {
    fn show(&self, _: Progress) {}

    fn ended(&self) {}

    fn void(&self, _: u32, _: Void, _: u32) {}
}

fn of_examination(examination: &Examination, folder: &Path, manifest: &BotManifest) -> Check {
    let Examination { topic, status, found, remedy, cases, seen, figures: _ } = examination;
    let mut evidence = String::new();
    for case in cases {
        evidence.push_str(&format!("match {}: {}\n", case.number, case.fault));
        evidence.push_str(&case.fault.evidence.stderr_tail);
        if !case.fault.evidence.last_output.is_empty() {
            evidence.push_str(&format!("\nanswer: {}\n", case.fault.evidence.last_output));
        }
    }
    evidence.push_str(&seen.stderr_tail);
    let (evidence, of_evidence) = in_manifest(&evidence, manifest);
    let of_remedy = remedy.as_ref().and_then(|remedy| in_manifest(remedy, manifest).1);
    Check {
        number: topic.number(),
        topic: topic.name().to_owned(),
        status: match status {
            Status::Passed => ExaminationStatus::Passed,
            Status::Warning => ExaminationStatus::Warning,
            Status::Failed => ExaminationStatus::Failed,
            Status::NotApplicable => ExaminationStatus::NotApplicable,
        },
        found: shown(found, folder),
        remedy: of_evidence.or(of_remedy).or_else(|| remedy.clone()),
        evidence: shown(&evidence, folder),
    }
}

/// Replaces the proposal of another command line, which `agon play` would take, by that of another
/// protocol in the manifest. Says what to do if one was proposed.
fn in_manifest(text: &str, manifest: &BotManifest) -> (String, Option<String>) {
    let BotManifest { game, run, .. } = manifest;
    for (protocol, prefix) in [("game", ""), ("jsonl", "jsonl:")] {
        let proposal = format!("did you mean `{prefix}{run}`?");
        if text.contains(&proposal) {
            let instead = format!("did you mean `protocol = \"{protocol}\"` in {MANIFEST}?");
            let remedy = format!(
                "{instead} If you handed in no {MANIFEST}, add one with `game = \"{game}\"`, \
                 `protocol = \"{protocol}\"` and `run = \"{run}\"`: Agon took the one of the \
                 starter kit"
            );
            return (text.replace(&proposal, &instead), Some(remedy));
        }
    }
    (text.to_owned(), None)
}

/// Makes a text of a build or a bot readable: without the place where the server keeps it, and not
/// too long.
pub(crate) fn shown(text: &str, folder: &Path) -> String {
    let text = text.replace(&format!("{}/", folder.display()), "");
    let text = text.replace(&folder.display().to_string(), ".");
    let from = text.len().saturating_sub(OUTPUT);
    agon_core::text::escape_lines(&text[text.ceil_char_boundary(from)..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_leaves_behind_is_left_out_and_nothing_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["target/release/deps", "target/release/keep", "src/deps", "src/__pycache__"] {
            fs::create_dir_all(place(name)).unwrap();
            fs::write(place(name).join("file"), "x").unwrap();
        }
        let bundle = Bundle::pack_without(folder.path(), is_left_behind).unwrap();
        let paths: Vec<&str> = bundle.paths().collect();
        assert_eq!(paths, ["src/deps/file", "target/release/keep/file"]);
        // A build may have put links there.
        fs::create_dir_all(other.path().join("release/deps")).unwrap();
        fs::remove_dir_all(place("target")).unwrap();
        std::os::unix::fs::symlink(other.path(), place("target")).unwrap();
        assert!(Bundle::pack_without(folder.path(), is_left_behind).is_err());
        assert!(other.path().join("release/deps").is_dir());
    }
}
