//! Where Java and Clojure are on this machine, and the arena's own Clojure code, compiled once.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf, absolute},
    process::Command,
};

use agon_jail::INHERITED;
use tempfile::TempDir;

use crate::{
    HostOptions, OpenError, cache,
    process::Launch,
    tools::{Found, Tool, examine, version_in},
};

/// Names the program `java`; without it, that of `JAVA_HOME` or the one on `PATH` is taken.
pub(crate) const JAVA_VARIABLE: &str = "AGON_JAVA";

/// More arguments for `java`, such as `-Xmx2g`, with the quoting of a shell.
pub(crate) const OPTIONS_VARIABLE: &str = "AGON_JAVA_OPTS";

/// The class path with Clojure and whatever species need besides, divided by `:`.
pub(crate) const CLASSPATH_VARIABLE: &str = "AGON_CLOJURE";

/// How Clojure is called as a tool.
const JARS_NAME: &str = "clojure.jar";

/// The Debian packages.
pub(crate) const CLOJURE_PACKAGE: &str = "clojure";
pub(crate) const JAVA_PACKAGE: &str = "default-jre-headless";

/// Where Debian and its relatives keep Clojure, newest first: of each row the first that exists is needed.
const FOLDER: &str = "/usr/share/java";
const JARS: [&[&str]; 3] = [
    &["clojure-1.12.jar", "clojure-1.11.jar", "clojure-1.10.jar", "clojure.jar"],
    &["spec.alpha.jar"],
    &["core.specs.alpha.jar"],
];

/// The arena's own namespaces.
const SOURCES: [(&str, &str); 12] = [
    ("amoebas/defs.clj", include_str!("clj/amoebas/defs.clj")),
    ("amoebas/lib.clj", include_str!("clj/amoebas/lib.clj")),
    ("amoebas/util.clj", include_str!("clj/amoebas/util.clj")),
    ("amoebas/simulation.clj", include_str!("clj/amoebas/simulation.clj")),
    ("amoebas/run.clj", include_str!("clj/amoebas/run.clj")),
    ("amoebas/examples.clj", include_str!("clj/amoebas/examples.clj")),
    ("agon/chance.clj", include_str!("clj/agon/chance.clj")),
    ("agon/env.clj", include_str!("clj/agon/env.clj")),
    ("agon/log.clj", include_str!("clj/agon/log.clj")),
    ("agon/objects.clj", include_str!("clj/agon/objects.clj")),
    ("agon/species.clj", include_str!("clj/agon/species.clj")),
    ("agon/decide.clj", include_str!("clj/agon/decide.clj")),
];
const MAIN: (&str, &str) = ("agon/host.clj", include_str!("clj/agon/host.clj"));

/// The namespace with the main function.
const MAIN_CLASS: &str = "agon.host";

/// Always: answers come from one thread, and a small heap ends a species that hogs memory soon.
const FLAGS: [&str; 10] = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xmn64m",
    // Loops without an end can be stopped, exceptions keep their stack traces, no temporary file is left.
    "-XX:+UseCountedLoopSafepoints",
    "-XX:LoopStripMiningIter=1",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
];

/// Java with Clojure and the arena's own code.
#[derive(Clone, Debug)]
pub(super) struct Java {
    program: PathBuf,
    class_path: OsString,
    options: Vec<String>,
}

impl Java {
    /// Finds Java and Clojure, and compiles the arena's own code unless that has been done before.
    ///
    /// # Errors
    /// If one of them is not there, or the cache cannot be written.
    pub(super) fn find(options: &HostOptions) -> Result<Java, OpenError> {
        let program = program();
        let version = version(&program)?;
        let clojure = match variable(CLASSPATH_VARIABLE) {
            Some(path) => path,
            None => system_clojure().ok_or(OpenError::NoClojure)?,
        };
        let words = variable(OPTIONS_VARIABLE).unwrap_or_default();
        let text = words.to_string_lossy();
        let bad_quotes = || io::Error::other(format!("a quote is not closed in {OPTIONS_VARIABLE}={text}"));
        let options_given = shlex::split(&text)
            .ok_or_else(bad_quotes)
            .map_err(|source| OpenError::Prepare { what: "Java", source })?;
        let cache = cache::open(options)?;
        let classes = compiled(&program, &version, &clojure, &cache)?;
        let class_path = joined(&[classes.as_os_str(), &clojure]);
        Ok(Java { program, class_path, options: options_given })
    }

    /// A JVM that shares memory under the descriptor that it inherits, and may read these files and folders.
    pub(super) fn launch(&self, read: Vec<PathBuf>, options: &HostOptions) -> Launch {
        let mut args: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
        args.extend(self.options.iter().map(OsString::from));
        args.extend(["-cp".into(), self.class_path.clone(), MAIN_CLASS.into()]);
        args.push(INHERITED.to_string().into());
        let mut launch = Launch::new(&self.program, &args).with(options);
        let classes = env::split_paths(&self.class_path).map(|path| absolute(&path).unwrap_or(path));
        launch.needs.read = read.into_iter().chain(classes).collect();
        launch
    }
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The program `java`.
fn program() -> PathBuf {
    match (variable(JAVA_VARIABLE), variable("JAVA_HOME")) {
        (Some(java), _) => java.into(),
        (None, Some(home)) => Path::new(&home).join("bin/java"),
        (None, None) => PathBuf::from("java"),
    }
}

/// What `java -version` says.
fn version(java: &Path) -> Result<Vec<u8>, OpenError> {
    let missing = |source| OpenError::NoJava { java: java.to_owned(), source };
    let output = Command::new(java).arg("-version").output().map_err(missing)?;
    if output.status.success() {
        return Ok(output.stderr);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(missing(io::Error::other(format!("`-version` fails: {said}"))))
}

/// Java and Clojure, as far as they are here.
pub(crate) fn tools(options: &HostOptions) -> Vec<Tool> {
    let java = examine(&program(), options);
    let remedy = match [JAVA_VARIABLE, "JAVA_HOME"].into_iter().find(|name| variable(name).is_some()) {
        Some(name) => format!("correct the environment variable {name}, or unset it"),
        None => format!("apt install {JAVA_PACKAGE}"),
    };
    let (clojure, jars_remedy) = match variable(CLASSPATH_VARIABLE) {
        Some(path) => (path, format!("correct the environment variable {CLASSPATH_VARIABLE}, or unset it")),
        None => (system_clojure().unwrap_or_default(), format!("apt install {CLOJURE_PACKAGE}")),
    };
    vec![Tool::new("java", remedy, java), Tool::new(JARS_NAME, jars_remedy, jars(&clojure))]
}

/// The first of the jars, all of which must be there.
fn jars(class_path: &OsStr) -> Result<Found, String> {
    let all: Vec<PathBuf> = env::split_paths(class_path).collect();
    if let Some(gone) = all.iter().find(|path| !path.as_os_str().is_empty() && !path.exists()) {
        return Err(format!("there is no `{}`", gone.display()));
    }
    let first = all.into_iter().find(|path| !path.as_os_str().is_empty());
    let path = first.ok_or_else(|| format!("`{JARS_NAME}` is not in {FOLDER}"))?;
    // Debian's name is short, and leads to one with the whole version.
    let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
    let version = whole.file_stem().and_then(|name| version_in(&name.to_string_lossy()));
    Ok(Found { path, version })
}

fn system_clojure() -> Option<OsString> {
    let find =
        |names: &&[&str]| names.iter().map(|name| Path::new(FOLDER).join(name)).find(|path| path.is_file());
    let jars: Vec<PathBuf> = JARS.iter().map(find).collect::<Option<_>>()?;
    Some(joined(&jars))
}

fn joined(parts: &[impl AsRef<OsStr>]) -> OsString {
    parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(OsStr::new(":"))
}

/// The folder with the arena's own code as classes. They are not linked to each other for good ("direct linking"),
/// so that the functions for random numbers can be replaced for them as well. Several processes may compile at once: each does so in a folder
/// of its own, and the first renames it.
fn compiled(java: &Path, version: &[u8], clojure: &OsStr, cache: &Path) -> Result<PathBuf, OpenError> {
    let error = |source| OpenError::Cache { path: cache.to_owned(), source };
    let cache = absolute(cache).map_err(error)?;
    let folder = cache.join(format!("clojure-{}", key(version, clojure)));
    if folder.is_dir() {
        return Ok(folder);
    }
    let work = TempDir::new_in(&cache).map_err(error)?;
    let (sources, classes) = (work.path().join("sources"), work.path().join("classes"));
    fs::create_dir(&classes).map_err(error)?;
    for (name, text) in SOURCES.into_iter().chain([MAIN]) {
        let path = sources.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(error)?;
    }
    let mut compile = Command::new(java);
    compile.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    let mut target = OsString::from("-Dclojure.compile.path=");
    target.push(&classes);
    compile.arg(target);
    compile.arg("-cp").arg(joined(&[sources.as_os_str(), classes.as_os_str(), clojure]));
    let output = compile.args(["clojure.lang.Compile", MAIN_CLASS]).output().map_err(error)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let class_path = clojure.to_string_lossy().into_owned();
        return Err(OpenError::BadClojure { class_path, said });
    }
    match fs::rename(&classes, &folder) {
        // Somebody else was faster.
        Err(_) if folder.is_dir() => Ok(folder),
        result => result.map(|()| folder).map_err(error),
    }
}

/// Everything that the classes depend on: our code, Java, Clojure.
fn key(version: &[u8], clojure: &OsStr) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    };
    SOURCES.into_iter().chain([MAIN]).for_each(|(name, text)| {
        add(name.as_bytes());
        add(text.as_bytes());
    });
    add(version);
    add(clojure.as_encoded_bytes());
    for path in env::split_paths(clojure) {
        // Which file it is shows in its length and time; one that is not there fails later.
        if let Ok(facts) = fs::metadata(&path) {
            add(&facts.len().to_le_bytes());
            let time = facts.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            add(&time.unwrap_or_default().as_nanos().to_le_bytes());
        }
    }
    hasher.finalize()
}
