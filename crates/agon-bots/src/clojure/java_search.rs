//! Finds Java and Clojure on this machine, and compiles the arena's own Clojure code once.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf, absolute},
    process::Command,
    sync::Mutex,
};

use tempfile::TempDir;

use super::{
    archive,
    java::Java,
    lock::lock,
    requirements::{
        CLASSPATH_VARIABLE, CLOJURE_PACKAGE, JAVA_PACKAGE, JAVA_VARIABLE, OPTIONS_VARIABLE,
    },
};
use crate::{
    HostOptions, OpenError, cache,
    sandbox::is_system,
    tools::{Found, Tool, examine, version_in},
};

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
    ///
    /// # Errors
    /// If one of them is missing, or the cache cannot be written.
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
            return Err(OpenError::NoClojure);
        }
        let text = words.to_string_lossy();
        let bad_quotes =
            || io::Error::other(format!("a quote is not closed in {OPTIONS_VARIABLE}={text}"));
        let options_given = shlex::split(&text)
            .ok_or_else(bad_quotes)
            .map_err(|source| OpenError::Prepare { what: "Java", source })?;
        let cache = cache::open(options)?;
        let folder = compiled(program, &version, clojure, &cache, options)?;
        let class_path = joined(&[folder.join(JAR).as_os_str(), clojure]);
        let mut java =
            Java { program: program.clone(), class_path, options: options_given, archive: None };
        java.archive = archive::find(&java, &folder, options);
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
    let missing = |source| OpenError::NoJava { java: java.to_owned(), source };
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
    let error = |source| OpenError::Cache { path: cache.to_owned(), source };
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
        let class_path = clojure.to_string_lossy().into_owned();
        return Err(OpenError::BadClojure { class_path, said });
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
