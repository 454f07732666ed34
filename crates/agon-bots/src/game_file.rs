//! Opens games from files, and runs their rules: each module in a process of its own, confined as a
//! WebAssembly bot.
//!
//! A copy of each game that is opened goes to a store, the folder `games` of the cache. So a name
//! with its digest is enough to play the game again on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;
use std::{fs, io, io::Read, time::Duration};

use agon_core::{Player, text::escape};
use agon_files::input::read_bytes;
use agon_games::GameId;
use agon_games::file::message::MAX_REPLY;
use agon_games::file::{Archive, Caller, FileKind, Manifest};
use agon_sandbox::INHERITED;
use rustix::thread::{CpuSet, sched_getaffinity};

use crate::batch::{Area, behind, load_message, loaded, reply};
use crate::clock::{Clock, Timer};
use crate::game_program::{self, ProgramHost};
use crate::process::{FaultSite, Launch, Process, Sees};
use crate::{HostOptions, Launcher, OpenError, own_launcher};
use crate::{cache, open_beneath, sandbox::Needs, wasm};

/// The ending of an archive.
pub const EXTENSION: &str = "agon-game";

/// The most bytes of a compressed archive.
const MAX_FILE: u64 = 32 << 20;

/// The files of a game's folder.
const MANIFEST: &str = "game.toml";
const PAGE: &str = "page.md";
const MODULE: &str = "rules.wasm";

/// Fuel for a request, and for each step that is played in it.
const FUEL: u64 = 2_000_000_000;
const STEP_FUEL: u64 = 500_000_000;

/// The memory of a module in MiB.
const MEMORY: u32 = 256;

/// The most modules that wait for requests: on each core one for a match, and one that looks on.
static MAX_IDLE: LazyLock<usize> =
    LazyLock::new(|| 2 * available_parallelism().map_or(1, usize::from));

/// How rules are started; by the file `agon-sandbox` in programs without a hidden command for it.
pub(crate) static OWN: OnceLock<Launcher> = OnceLock::new();

/// Lets this program, which has the hidden commands, open games from its store and from replays.
pub(crate) fn install() {
    OWN.get_or_init(own_launcher);
    GameId::open_files_with(|name, carried| {
        let archive = match carried {
            Some(bytes) => Archive::unpack(bytes).map_err(|error| error.to_string())?,
            None => stored(name)?,
        };
        archive.check_name(name)?;
        open_archive(&archive, Path::new(name))
    });
}

/// Finds the game that a person names: one that the program knows, or the folder or archive of one.
///
/// # Errors
/// If there is no such game, or its files do not fit.
pub fn find(text: &str) -> Result<GameId, String> {
    find_beside(Path::new(""), text)
}

/// Does the same for a text in a file, whose paths start at its folder.
///
/// # Errors
/// As [`find`].
pub fn find_beside(folder: &Path, text: &str) -> Result<GameId, String> {
    let known = text.parse::<GameId>();
    let path = &folder.join(text);
    let names_file = text.contains('/') || path.extension().is_some_and(|end| end == EXTENSION);
    match known {
        Err(_) if names_file || path.join(MANIFEST).is_file() => open(path),
        known => known.map_err(|error| error.to_string()),
    }
}

/// Opens the game in a folder or an archive, and makes it known to this program.
///
/// # Errors
/// Names the file that is missing or does not fit.
pub fn open(path: &Path) -> Result<GameId, String> {
    let archive = if path.is_dir() { read_folder(path)? } else { read_archive(path)? };
    let known = |id: &GameId| id.meta().id.rsplit_once('@').map(|(_, digest)| digest);
    let digest = archive.digest();
    if let Some(known) = GameId::all().into_iter().find(|id| known(id) == Some(&digest)) {
        return Ok(known);
    }
    let kind = open_archive(&archive, path)?;
    GameId::of_file(kind).map_err(|error| error.to_string())
}

fn in_file(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// Reads a game's folder.
///
/// # Errors
/// Names the file that is missing or too large.
pub fn read_folder(folder: &Path) -> Result<Archive, String> {
    // The folder may be somebody else's: a link in it would show a file of this machine.
    let read = |name: &str| {
        let mut bytes = Vec::new();
        let opened = open_beneath(folder, Path::new(name));
        let done = opened.and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes));
        match done {
            Ok(length) if length as u64 > MAX_FILE => {
                Err(in_file(&folder.join(name), format!("more than {MAX_FILE} bytes")))
            }
            Ok(_) => Ok(bytes),
            Err(error) if name == MODULE && error.kind() == io::ErrorKind::NotFound => {
                Err(format!("{}: there is no {MODULE}; compile the rules first", folder.display()))
            }
            Err(error) => Err(in_file(&folder.join(name), error)),
        }
    };
    let text = |name: &str| {
        let text = String::from_utf8(read(name)?);
        text.map_err(|_| in_file(&folder.join(name), "it is not UTF-8"))
    };
    let mut archive = Archive { manifest: text(MANIFEST)?, page: text(PAGE)?, module: Vec::new() };
    archive.module = match manifest(&archive, folder)?.program {
        Some(program) => read(&game_program::words(&program)?.1.to_string_lossy())?,
        None => read(MODULE)?,
    };
    archive.check().map_err(|error| in_file(folder, error))?;
    Ok(archive)
}

fn read_archive(path: &Path) -> Result<Archive, String> {
    let bytes = read_bytes(path, MAX_FILE).map_err(|error| error.to_string())?;
    Archive::unpack(&bytes).map_err(|error| in_file(path, error))
}

/// Returns the folder of the store, and makes it.
fn store() -> Result<PathBuf, String> {
    let games = cache::open(&HostOptions::default()).map_err(|error| error.to_string())?;
    let games = games.join("games");
    fs::create_dir_all(&games).map_err(|error| in_file(&games, error))?;
    Ok(games)
}

fn stored(name: &str) -> Result<Archive, String> {
    let digest = name.rsplit_once('@').map_or("", |(_, digest)| digest);
    let is_digest = digest.len() == 32 && digest.chars().all(|c| c.is_ascii_hexdigit());
    let file = store()?.join(format!("{digest}.{EXTENSION}"));
    if !is_digest || !file.is_file() {
        return Err(format!(
            "the rules of {} are not on this machine; name the game's file with `--game`, or play \
             it once",
            escape(name)
        ));
    }
    read_archive(&file)
}

fn manifest(archive: &Archive, path: &Path) -> Result<Manifest, String> {
    archive.read_manifest().map_err(|error| in_file(&path.join(MANIFEST), error))
}

fn open_archive(archive: &Archive, path: &Path) -> Result<&'static FileKind, String> {
    let manifest = manifest(archive, path)?;
    let store = store()?;
    let digest = archive.digest();
    let keep = |path: &Path, bytes: &[u8]| {
        // Whatever lies there under this name may be cut off.
        let is_there = fs::read(path).is_ok_and(|there| there == bytes);
        if is_there { Ok(()) } else { agon_files::write_whole(path, bytes) }
    };
    let keep = |path: &Path, bytes| keep(path, bytes).map_err(|error| error.to_string());
    let packed = archive.pack().map_err(|error| in_file(path, error))?;
    keep(&store.join(format!("{digest}.{EXTENSION}")), &packed)?;
    let host: Box<dyn Caller> = match &manifest.program {
        Some(program) => {
            let (words, file) = game_program::words(program)?;
            let folder = store.join(&digest);
            fs::create_dir_all(&folder).map_err(|error| in_file(&folder, error))?;
            keep(&folder.join(file), &archive.module)?;
            Box::new(ProgramHost { words, folder, running: Mutex::default() })
        }
        None => {
            let module = store.join(format!("{digest}.wasm"));
            keep(&module, &archive.module)?;
            Box::new(ModuleHost { module, idle: Mutex::default() })
        }
    };
    let made = FileKind::new(archive, packed, manifest, host);
    made.map_err(|error| in_file(&path.join(MANIFEST), error))
}

/// Runs a module in processes, one for each request at a time.
struct ModuleHost {
    module: PathBuf,
    idle: Mutex<Vec<Running>>,
}

struct Running {
    /// Where it runs; a call from another core takes four times as long.
    cores: CpuSet,
    process: Process,
    area: Area,
    requests: u64,
}

impl Caller for ModuleHost {
    fn call(&self, request: &[u8], steps: usize) -> Result<Vec<u8>, String> {
        let cores = sched_getaffinity(None).unwrap_or_default();
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let near = idle.iter().position(|running| running.cores == cores);
            near.map(|at| idle.swap_remove(at))
        };
        let mut running = idle.map_or_else(|| Running::start(&self.module, cores), Ok)?;
        let made = running.call(request, FUEL.saturating_add(STEP_FUEL * steps as u64))?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= *MAX_IDLE {
            idle.remove(0);
        }
        idle.push(running);
        Ok(made)
    }
}

impl Running {
    fn start(module: &Path, cores: CpuSet) -> Result<Running, String> {
        let announce: Option<fn(&str)> = Some(|line| eprintln!("{line}"));
        let options = HostOptions { announce, ..HostOptions::default() };
        let failed = |error: OpenError| error.to_string();
        let host = wasm::find(&options).map_err(failed)?;
        let (area, file) = Area::create().map_err(|error| error.to_string())?;
        let memory = MEMORY.to_string();
        let args: [OsString; 4] =
            [INHERITED.to_string().into(), module.into(), memory.into(), "game".into()];
        let mut launch = Launch::new(&host, &args);
        launch.sandbox.launcher = OWN.get().cloned();
        launch.sees = Sees::Itself;
        launch.inherits = Some(file);
        launch.needs = Needs {
            read: vec![module.to_owned()],
            memory: Some((u64::from(MEMORY) << 20) + wasm::RUNTIME),
            ..Needs::default()
        };
        let site = FaultSite::start(Player(0));
        let mut process = Process::start(&launch, site).map_err(|fault| fault.detail)?;
        let timer = Timer::start(Some(behind(0)), true, &process.meter());
        if let Err(trouble) = process.wait(&timer, |process| process.has_line()) {
            let fault = process.end_with_trouble(site, trouble, &timer);
            return Err(load_message(&fault));
        }
        loaded(&process.take_text(), &host)?;
        Ok(Running { cores, process, area, requests: 0 })
    }

    fn call(&mut self, request: &[u8], fuel: u64) -> Result<Vec<u8>, String> {
        self.requests += 1;
        self.area.ask(request, 0);
        let clock: Clock = behind(fuel);
        let timer = Timer::start_with(Some(clock), false, Duration::ZERO, &self.process.meter());
        let (number, length) = (self.requests, request.len());
        let line = format!("decide {number} {length} {MAX_REPLY} 0 {fuel} 0\n");
        self.process.send(line.as_bytes());
        if let Err(trouble) = self.process.wait(&timer, |process| process.has_line()) {
            return Err(self.process.describe(trouble, &timer).1);
        }
        match reply(&self.process.take_text(), number) {
            Some(Ok(length)) if length <= MAX_REPLY => {
                let mut bytes = Vec::new();
                self.area.answered(length, &mut bytes);
                Ok(bytes)
            }
            Some(Err((_, detail))) => Err(detail),
            _ => Err("it says that its reply has no end".to_owned()),
        }
    }
}
