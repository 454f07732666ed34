//! Finds Java and Clojure, compiles the arena's own Clojure code, makes an archive of classes, and
//! builds the command line of a JVM.
//!
//! A JVM maps the archive instead of loading classes one by one. Agon makes it once, beside the
//! compiled code. First a JVM plays a question with a typical species and lists its classes. Then
//! another JVM writes them down. If that fails, as with JVMs without archives, a file there gives
//! the reason, and species start more slowly.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::{env, fs, os::fd::AsRawFd, os::unix::fs::PermissionsExt, sync::Mutex};

use agon_core::{Game, Seed};
use agon_games::amoebas::{Amoebas, Rules};
use agon_games::any::AnyGame;
use agon_sandbox::INHERITED;
use tempfile::TempDir;

use super::jvm::{OPTIONS_VARIABLE, lock};
use super::question::{Home, Question};
use crate::process::{Launch, Output};
use crate::tools::{Found, Tool, examine, version_in};
use crate::{BatchPart, HostOptions, OpenError, batch::Area, cache, sandbox::is_system};

/// Names the program `java`; the default is that of `JAVA_HOME`, or the one on `PATH`.
const JAVA_VARIABLE: &str = "AGON_JAVA";

/// The class path with Clojure and other libraries for species, divided by `:`.
const CLASSPATH_VARIABLE: &str = "AGON_CLOJURE";

/// The Debian packages.
const CLOJURE_PACKAGE: &str = "clojure";
const JAVA_PACKAGE: &str = "default-jre-headless";

/// The namespace with the main function.
const MAIN_CLASS: &str = "agon.host";

/// Flags for every JVM.
///
/// Answers come from one thread, and a small heap soon ends a species that hogs memory.
const FLAGS: [&str; 20] = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xmn64m",
    // What an amoeba carries lives for a round, which is longer than several collections of the
    // young generation. Copying it once only takes a third off the time of collecting.
    "-XX:MaxTenuringThreshold=1",
    // Matches are short. Code is compiled for good only after eight times the usual number of runs,
    // and until then nobody counts its calls. So a match of simple species takes half the CPU time,
    // and one of heavy species no more (`docs/performance.md`).
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-C1ProfileCalls",
    "-XX:-C1ProfileVirtualCalls",
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=4800",
    "-XX:Tier4CompileThreshold=120000",
    "-XX:Tier4BackEdgeThreshold=320000",
    // Endless loops can be stopped, exceptions keep their stack traces, and no temporary file
    // is left.
    "-XX:+UseCountedLoopSafepoints",
    "-XX:LoopStripMiningIter=1",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    // Messages of the JVM go to stderr.
    "-XX:+DisplayVMOutputToStderr",
    "-Xlog:all=warning,cds*=off:stderr",
];

/// Java with Clojure and the arena's own code.
#[derive(Clone, Debug)]
pub(super) struct Java {
    pub(super) program: PathBuf,
    pub(super) class_path: OsString,
    pub(super) options: Vec<String>,
    /// An archive of classes, which halves the start-up time, if there can be one.
    pub(super) archive: Option<PathBuf>,
}

impl Java {
    /// Returns whether the files still exist, because somebody may have emptied the cache.
    fn is_there(&self) -> bool {
        let jar = env::split_paths(&self.class_path).next();
        jar.into_iter().chain(self.archive.clone()).all(|file| file.is_file())
    }

    /// Returns all arguments before the main class; `more` come before those of the user.
    fn arguments(&self, more: &[OsString]) -> Vec<OsString> {
        let mut args: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
        args.extend(more.iter().cloned());
        args.extend(self.options.iter().map(OsString::from));
        args.extend(["-cp".into(), self.class_path.clone()]);
        args
    }

    /// Returns the same as a command outside of any sandbox, for the arena's own code alone.
    fn command(&self, more: &[OsString]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.arguments(more));
        command
    }

    /// Describes the start of a JVM that shares memory.
    ///
    /// The shared memory is the first descriptor that it inherits; it replies on the second.
    pub(super) fn launch(&self, options: &HostOptions) -> Launch {
        let archive = self.archive.as_ref().map(|path| flag("-XX:SharedArchiveFile=", path));
        let mut args = self.arguments(&archive.into_iter().collect::<Vec<_>>());
        args.push(MAIN_CLASS.into());
        args.extend([INHERITED, INHERITED + 1].map(|fd| format!("/proc/self/fd/{fd}").into()));
        let mut launch = Launch::new(&self.program, &args).with(options);
        launch.core = options.core;
        launch.output = Output::Apart;
        let classes =
            env::split_paths(&self.class_path).map(|path| absolute(&path).unwrap_or(path));
        launch.needs.read = classes.chain(self.archive.clone()).collect();
        launch
    }
}

/// Returns a flag followed by a path.
fn flag(name: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(name);
    flag.push(path);
    flag
}

/// The name of Clojure as a tool.
const JARS_NAME: &str = "clojure.jar";

/// The folder of Clojure's jars on Debian and its relatives, and the jars, newest first.
///
/// The first jar of each row that exists is needed.
const FOLDER: &str = "/usr/share/java";

const JARS: [&[&str]; 3] = [
    &["clojure-1.12.jar", "clojure-1.11.jar", "clojure-1.10.jar", "clojure.jar"],
    &["spec.alpha.jar"],
    &["core.specs.alpha.jar"],
];

/// The arena's own namespaces.
const SOURCES: [(&str, &str); 19] = [
    ("amoebas/defs.clj", include_str!("clj/amoebas/defs.clj")),
    ("amoebas/lib.clj", include_str!("clj/amoebas/lib.clj")),
    ("amoebas/util.clj", include_str!("clj/amoebas/util.clj")),
    ("amoebas/simulation.clj", include_str!("clj/amoebas/simulation.clj")),
    ("amoebas/display.clj", include_str!("clj/amoebas/display.clj")),
    ("amoebas/run.clj", include_str!("clj/amoebas/run.clj")),
    ("amoebas/examples.clj", include_str!("clj/amoebas/examples.clj")),
    ("agon/chance.clj", include_str!("clj/agon/chance.clj")),
    ("agon/env.clj", include_str!("clj/agon/env.clj")),
    ("agon/log.clj", include_str!("clj/agon/log.clj")),
    ("agon/objects.clj", include_str!("clj/agon/objects.clj")),
    ("agon/species.clj", include_str!("clj/agon/species.clj")),
    ("agon/edn.clj", include_str!("clj/agon/edn.clj")),
    ("agon/pipe.clj", include_str!("clj/agon/pipe.clj")),
    ("agon/seats.clj", include_str!("clj/agon/seats.clj")),
    ("agon/decide.clj", include_str!("clj/agon/decide.clj")),
    ("agon/worker.clj", include_str!("clj/agon/worker.clj")),
    ("agon/host.clj", include_str!("clj/agon/host.clj")),
    (BUILD, include_str!("clj/agon/build.clj")),
];

/// The namespace that compiles them.
const BUILD: &str = "agon/build.clj";

/// The file with all classes.
const JAR: &str = "agon.jar";

/// The settings that identify a Java.
#[derive(Clone, Debug, PartialEq)]
struct Wanted {
    program: PathBuf,
    clojure: OsString,
    options: OsString,
    cache: PathBuf,
}

/// The results so far, because a search takes a moment.
static FOUND: Mutex<Vec<(Wanted, Java)>> = Mutex::new(Vec::new());

impl Java {
    /// Finds Java and Clojure, and compiles the arena's own code unless it is compiled already.
    pub(super) fn find(options: &HostOptions) -> Result<Java, OpenError> {
        let clojure = match variable(CLASSPATH_VARIABLE) {
            Some(path) => path,
            None => system_clojure().unwrap_or_default(),
        };
        let program = program();
        let words = variable(OPTIONS_VARIABLE).unwrap_or_default();
        let cache = cache::place(options);
        let wanted = Wanted { program, clojure, options: words, cache };
        // One at a time: all would compile the same code.
        let mut found = lock(&FOUND);
        let known = found.iter().find(|(known, java)| *known == wanted && java.is_there());
        if let Some((_, java)) = known {
            return Ok(java.clone());
        }
        let java = Java::prepare(&wanted, options)?;
        found.retain(|(known, _)| *known != wanted);
        found.push((wanted, java.clone()));
        Ok(java)
    }

    fn prepare(wanted: &Wanted, options: &HostOptions) -> Result<Java, OpenError> {
        let Wanted { program, clojure, options: words, .. } = wanted;
        let version = version(program)?;
        if clojure.is_empty() {
            return Err(OpenError::Machine(format!(
                "species in Clojure need Clojure, which is not in {FOLDER}; install it (on Debian \
                 and Ubuntu: `apt install {CLOJURE_PACKAGE}`), or name its jars in the environment \
                 variable {CLASSPATH_VARIABLE}, as in {CLASSPATH_VARIABLE}=clojure-1.11.1.jar:\
                 spec.alpha-0.3.218.jar:core.specs.alpha-0.2.62.jar"
            )));
        }
        let text = words.to_string_lossy();
        let options_given = shlex::split(&text).ok_or_else(|| {
            let why = format!("a quote is not closed in {OPTIONS_VARIABLE}={text}");
            OpenError::Machine(format!("cannot prepare Java: {why}"))
        })?;
        let cache = cache::open(options)?;
        let folder = compiled(program, &version, clojure, &cache, options)?;
        let class_path = joined(&[folder.join(JAR).as_os_str(), clojure]);
        let mut java =
            Java { program: program.clone(), class_path, options: options_given, archive: None };
        java.archive = find_archive(&java, &folder, options);
        Ok(java)
    }
}

/// Returns the class path's folders and files that are not the system's: species may load them.
pub(crate) fn libraries() -> Vec<PathBuf> {
    let path = variable(CLASSPATH_VARIABLE).unwrap_or_default();
    let named = env::split_paths(&path).filter(|path| !path.as_os_str().is_empty());
    named.map(|path| absolute(&path).unwrap_or(path)).filter(|path| !is_system(path)).collect()
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the path of `java`.
fn program() -> PathBuf {
    match (variable(JAVA_VARIABLE), variable("JAVA_HOME")) {
        (Some(java), _) => java.into(),
        (None, Some(home)) => Path::new(&home).join("bin/java"),
        (None, None) => PathBuf::from("java"),
    }
}

/// Returns the output of `java -version`.
fn version(java: &Path) -> Result<Vec<u8>, OpenError> {
    let missing = |source: io::Error| {
        OpenError::Machine(format!(
            "species in Clojure need Java, but `{}` cannot be started ({source}); install it (on \
             Debian and Ubuntu: `apt install {CLOJURE_PACKAGE} {JAVA_PACKAGE}`; elsewhere a Java \
             runtime of version 11 or newer, from https://adoptium.net or your system's \
             packages), or name one in the environment variable {JAVA_VARIABLE} or JAVA_HOME",
            java.display()
        ))
    };
    let output = Command::new(java).arg("-version").output().map_err(missing)?;
    if output.status.success() {
        return Ok(output.stderr);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(missing(io::Error::other(format!("`-version` fails: {said}"))))
}

/// Returns Java and Clojure as tools, found or missing.
pub(crate) fn tools(options: &HostOptions) -> Vec<Tool> {
    let java = examine(&program(), options);
    let remedy =
        match [JAVA_VARIABLE, "JAVA_HOME"].into_iter().find(|name| variable(name).is_some()) {
            Some(name) => format!("correct the environment variable {name}, or unset it"),
            None => format!("apt install {JAVA_PACKAGE}"),
        };
    let (clojure, jars_remedy) = match variable(CLASSPATH_VARIABLE) {
        Some(path) => {
            (path, format!("correct the environment variable {CLASSPATH_VARIABLE}, or unset it"))
        }
        None => (system_clojure().unwrap_or_default(), format!("apt install {CLOJURE_PACKAGE}")),
    };
    vec![Tool::new("java", remedy, java), Tool::new(JARS_NAME, jars_remedy, jars(&clojure))]
}

/// Returns the first jar of the class path as a tool; all its jars must exist.
fn jars(class_path: &OsStr) -> Result<Found, String> {
    let all: Vec<PathBuf> = env::split_paths(class_path).collect();
    if let Some(gone) = all.iter().find(|path| !path.as_os_str().is_empty() && !path.exists()) {
        return Err(format!("there is no `{}`", gone.display()));
    }
    let first = all.into_iter().find(|path| !path.as_os_str().is_empty());
    let path = first.ok_or_else(|| format!("`{JARS_NAME}` is not in {FOLDER}"))?;
    // Debian's name is short, and links to one with the whole version.
    let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
    let version = whole.file_stem().and_then(|name| version_in(&name.to_string_lossy()));
    Ok(Found { path, version })
}

fn system_clojure() -> Option<OsString> {
    let find = |names: &&[&str]| {
        names.iter().map(|name| Path::new(FOLDER).join(name)).find(|path| path.is_file())
    };
    let jars: Vec<PathBuf> = JARS.iter().map(find).collect::<Option<_>>()?;
    Some(joined(&jars))
}

fn joined(parts: &[impl AsRef<OsStr>]) -> OsString {
    parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(OsStr::new(":"))
}

/// Returns the folder with the arena's own code as classes in a jar.
///
/// The classes are not linked directly to each other ("direct linking"), so that the functions for
/// random numbers can be replaced for them as well. Several processes may compile at once: each
/// uses a folder of its own, and the first to finish renames it.
fn compiled(
    java: &Path,
    version: &[u8],
    clojure: &OsStr,
    cache: &Path,
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let error = |source: io::Error| OpenError::of_cache(cache, source);
    let cache = absolute(cache).map_err(error)?;
    let folder = cache.join(format!("clojure-{}", key(version, clojure)));
    if folder.is_dir() {
        return Ok(folder);
    }
    options.announce("compiling the arena's Clojure code, once for this machine");
    let work = TempDir::new_in(&cache).map_err(error)?;
    let [sources, classes, result] =
        ["sources", "classes", "result"].map(|name| work.path().join(name));
    fs::create_dir(&classes).and_then(|()| fs::create_dir(&result)).map_err(error)?;
    for (name, text) in SOURCES {
        let path = sources.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(error)?;
    }
    let mut compile = Command::new(java);
    compile.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    compile.arg("-cp").arg(joined(&[sources.as_os_str(), classes.as_os_str(), clojure]));
    compile.arg("clojure.main").args([&sources.join(BUILD), &classes, &result.join(JAR)]);
    let output = compile.output().map_err(error)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(OpenError::Machine(format!(
            "Clojure does not work with the class path {}; {CLASSPATH_VARIABLE} names another \
             one. It says:\n{said}",
            clojure.to_string_lossy()
        )));
    }
    // After a loss of power, the folder has its whole jar or no name.
    for path in [&result.join(JAR), &result] {
        fs::File::open(path).and_then(|file| file.sync_all()).map_err(error)?;
    }
    match fs::rename(&result, &folder) {
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(folder),
        result => result.map(|()| folder).map_err(error),
    }
}

/// Returns a digest of everything that the classes depend on: our code, Java, Clojure.
fn key(version: &[u8], clojure: &OsStr) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    };
    SOURCES.into_iter().for_each(|(name, text)| {
        add(name.as_bytes());
        add(text.as_bytes());
    });
    add(version);
    add(clojure.as_encoded_bytes());
    for path in env::split_paths(clojure) {
        // Length and time identify the file. A missing one fails later.
        if let Ok(facts) = fs::metadata(&path) {
            add(&facts.len().to_le_bytes());
            let time = facts
                .modified()
                .ok()
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            add(&time.unwrap_or_default().as_nanos().to_le_bytes());
        }
    }
    hasher.finalize()
}

/// The species of the rehearsal.
const SPECIES: &str = include_str!("clj/agon/rehearsal.clj");

/// Finds the archive for this Java in the folder with the compiled code, or makes it.
fn find_archive(java: &Java, folder: &Path, options: &HostOptions) -> Option<PathBuf> {
    let name = blake3::hash(format!("{:?}", java.arguments(&[])).as_bytes()).to_hex();
    let [archive, why] = ["jsa", "txt"].map(|end| folder.join(format!("{}.{end}", &name[..16])));
    if archive.is_file() {
        return Some(archive);
    }
    if why.is_file() {
        return None;
    }
    options.announce("making an archive of Java classes, once for this machine");
    match make_archive(java, folder, &archive) {
        Ok(()) => Some(archive),
        Err(error) => {
            // Without this note the next start tries again, which does no harm.
            let _ = fs::write(why, format!("{error}\n"));
            None
        }
    }
}

fn make_archive(java: &Java, folder: &Path, archive: &Path) -> io::Result<()> {
    let work = TempDir::new_in(folder)?;
    let [list, species, made] =
        ["list", "rehearsal.clj", "archive"].map(|name| work.path().join(name));
    fs::write(&species, SPECIES)?;
    let off = OsString::from("-Xshare:off");
    rehearse(java.command(&[off, flag("-XX:DumpLoadedClassList=", &list)]), &species)?;
    let flags = [
        OsString::from("-Xshare:dump"),
        flag("-XX:SharedClassListFile=", &list),
        flag("-XX:SharedArchiveFile=", &made),
    ];
    let output = java.command(&flags).stdin(Stdio::null()).output()?;
    if !output.status.success() || !made.is_file() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // Root's bots run as users of their own.
    fs::set_permissions(&made, fs::Permissions::from_mode(0o644))?;
    fs::rename(made, archive)
}

/// Plays a question.
fn rehearse(mut java: Command, species: &Path) -> io::Result<()> {
    let (area, memory) = Area::create()?;
    let game = Amoebas::new(&Rules::default(), 1, Seed(1)).map_err(io::Error::other)?;
    let game = AnyGame::of(game);
    let decisions = game.decisions();
    let part = BatchPart { game: &game, step: 0, player: decisions[0].player, decisions };
    let mut question = Question::default();
    let mut bytes = Vec::new();
    question.add(part, 1, 0, |_| Home::Here);
    question.write(game.of_game(), &mut bytes);
    area.ask(&bytes, 0);
    // The child opens it by this name, without inheriting it.
    let memory = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
    java.args([MAIN_CLASS, &memory, "/proc/self/fd/1"]);
    java.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = java.spawn()?;
    let commands = format!(
        "[\"load\" {} nil]\n[\"seats\" [[\"a\" 0]]]\ndecide 1 {length}\ndecide 2 {length}\n",
        serde_json::json!(species.to_string_lossy()),
        length = bytes.len()
    );
    // If it ends before it has read everything, its output shows that.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(commands.as_bytes()));
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains("[\"done\",2,") {
        return Ok(());
    }
    Err(io::Error::other(format!("{said}{}", String::from_utf8_lossy(&output.stderr))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_remedy() {
        let error = |program: &str| {
            let wanted = Wanted {
                program: program.into(),
                clojure: OsString::new(),
                options: OsString::new(),
                cache: PathBuf::new(),
            };
            let error = Java::prepare(&wanted, &HostOptions::default()).unwrap_err();
            assert!(error.is_lack_of_the_machine(), "{error:?}");
            error.to_string()
        };
        let java = error("/no/java");
        assert!(java.contains("`apt install clojure default-jre-headless`"), "{java}");
        assert!(java.contains(JAVA_VARIABLE), "{java}");
        // It answers as Java does, and there is no Clojure.
        let clojure = error("true");
        assert!(clojure.contains("`apt install clojure`"), "{clojure}");
        assert!(clojure.contains(CLASSPATH_VARIABLE), "{clojure}");
    }

    /// A wrong descriptor may be any file, even one of the JVM's own.
    #[test]
    fn a_jvm_writes_to_nothing_that_the_arena_has_not_made() {
        agon_testkit::slow!();
        // `target/tmp`, where the other tests have the same compiled code.
        let program = env::current_exe().unwrap();
        let cache = program.ancestors().nth(3).unwrap().join("tmp/clojure");
        let options = HostOptions { cache: Some(cache), ..HostOptions::default() };
        let java = Java::find(&options).unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("precious");
        fs::write(&path, "precious").unwrap();
        let (_area, memory) = Area::create().unwrap();
        let made = format!("/proc/{}/fd/{}", std::process::id(), memory.as_raw_fd());
        for [memory, replies] in
            [[made.as_str(), "/proc/self/fd/1"], ["/proc/self/fd/1", "/proc/self/fd/2"]]
        {
            let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            let mut command = java.command(&[]);
            command.args([MAIN_CLASS, memory, replies]).stdin(Stdio::null()).stdout(file);
            let output = command.stderr(Stdio::piped()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                !output.status.success() && said.contains("not what the arena passes"),
                "{said}"
            );
            assert_eq!(fs::read(&path).unwrap(), b"precious");
        }
    }
}
