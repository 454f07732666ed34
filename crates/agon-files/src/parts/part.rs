//! Finds a program of Agon's own, such as `agon-window-host`, or has it built.

use std::fs::{self, File, TryLockError};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, ffi::OsString, thread};

use thiserror::Error;
use tracing::debug;

/// A program of Agon's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub program: &'static str,
    /// The package that it is built from.
    pub package: &'static str,
    /// The environment variable with another path of it. If it is empty, the part counts as
    /// missing.
    pub variable: &'static str,
    /// The features that need it, in the plural: "windows".
    pub who: &'static str,
}

impl Part {
    /// Returns the program's path: from the environment, beside this program, in the folder for
    /// programs of a package, or on `PATH`.
    pub fn find(&self) -> Option<PathBuf> {
        if let Some(path) = env::var_os(self.variable) {
            return (!path.is_empty()).then(|| path.into());
        }
        let places = [self.beside(), self.in_package()];
        let found = places.into_iter().flatten().find(|path| path.is_file());
        found.or_else(|| on_path(self.program))
    }

    /// Returns the program's path. Builds it if it is missing and this program runs in a checkout.
    ///
    /// Calls `announce` before it builds.
    ///
    /// # Errors
    /// If it is missing, or cannot be built.
    pub fn find_or_build(&self, announce: impl FnOnce(&str)) -> Result<PathBuf, PartError> {
        match self.find() {
            Some(path) => {
                debug!(program = self.program, ?path, "finds a part of Agon");
                Ok(path)
            }
            None => self.build(announce)?.ok_or_else(|| self.missing()),
        }
    }

    /// Builds it beside this program, if this is a checkout and the environment names no path.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn build(&self, announce: impl FnOnce(&str)) -> Result<Option<PathBuf>, PartError> {
        let named = env::var_os(self.variable).is_some();
        let (Some(checkout), Some(path), false) =
            (Checkout::of_this_program(), self.beside(), named)
        else {
            return Ok(None);
        };
        let waits = match checkout.is_locked() {
            true => "; another cargo is building there, so this waits for it",
            false => "",
        };
        announce(&format!(
            "building `{}`, which {} need: this is done once{waits}",
            self.program, self.who
        ));
        checkout.build(self.package, self.program)?;
        Ok(Some(path))
    }

    /// Returns whether [`Part::find_or_build`] would build it if it is missing.
    pub fn is_built_on_demand(&self) -> bool {
        env::var_os(self.variable).is_none() && Checkout::of_this_program().is_some()
    }

    /// Returns the remedy if the program is missing, broken, or from another build.
    pub fn remedy(&self) -> String {
        match env::var_os(self.variable) {
            Some(_) => format!("correct the environment variable {}, or unset it", self.variable),
            None if is_packaged() => "Agon's packages have it, so install yours again".to_owned(),
            None => format!(
                "`cargo build --release -p {0}` in Agon's source builds it beside `agon`, and \
                 `cargo install --path crates/{0}` installs it",
                self.package
            ),
        }
    }

    fn missing(&self) -> PartError {
        PartError::Missing(format!("`{}` is missing: {}", self.program, self.remedy()))
    }

    fn beside(&self) -> Option<PathBuf> {
        let mut folder = env::current_exe().ok()?.parent()?.to_owned();
        // Tests are one folder further down.
        if folder.ends_with("deps") {
            folder.pop();
        }
        Some(folder.join(self.program))
    }

    fn in_package(&self) -> Option<PathBuf> {
        self.of_package(&env::current_exe().ok()?)
    }

    /// Returns its place in the package of a program: `bin/agon` has its parts in `libexec/agon`.
    fn of_package(&self, program: &Path) -> Option<PathBuf> {
        let root = program.parent()?.parent()?;
        Some(root.join("libexec").join("agon").join(self.program))
    }
}

/// Finds a program in the folders of `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    // An empty entry means the current folder, which is not a safe place for programs.
    let whole = env::split_paths(&folders).filter(|folder| folder.is_absolute());
    whole.map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Returns whether `cargo xtask package` has built this program.
pub const fn is_packaged() -> bool {
    option_env!("AGON_PACKAGED").is_some()
}

/// Why a part cannot be used, for people.
#[derive(Debug, Error)]
pub enum PartError {
    /// It was not found.
    #[error("{0}")]
    Missing(String),
    /// It belongs to another build than the arena, or is another program.
    #[error("{0}")]
    Other(String),
    /// It cannot be built or started.
    #[error("{0}")]
    Failed(String),
}

/// How long to wait for another cargo, which builds in the same folder.
const LOCK_LIMIT: Duration = Duration::from_secs(300);

/// How long cargo may take. The first build of a slow machine takes half of it.
const BUILD_LIMIT: Duration = Duration::from_secs(30 * 60);

/// The interval between looks at a lock or a process.
const INTERVAL: Duration = Duration::from_millis(50);

/// A checkout with a program that was built in it.
#[derive(Debug)]
struct Checkout {
    /// The root folder of the workspace.
    root: PathBuf,
    /// The folder for cargo's results.
    target: PathBuf,
    /// The profile, as cargo names it.
    profile: String,
}

/// Returns the folder with the sources of the kit for games: the checkout in which cargo has built
/// this program, or the folder of a package.
pub fn kit() -> Option<PathBuf> {
    let checkout = Checkout::of_this_program().map(|checkout| checkout.root);
    let packaged = || Some(env::current_exe().ok()?.parent()?.parent()?.join(KIT));
    checkout.or_else(packaged).filter(|kit| kit.join("crates/agon-games").is_dir())
}

/// The folder of the kit in packages, with all crates that it needs.
const KIT: &str = "share/agon/kit";

impl Checkout {
    /// Returns the checkout in which cargo has built this program.
    ///
    /// `None` for an installed program, such as one that was copied out of a checkout.
    fn of_this_program() -> Option<Checkout> {
        if is_packaged() {
            return None;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
        Checkout::of(&env::current_exe().ok()?, root)
    }

    fn of(program: &Path, root: &Path) -> Option<Checkout> {
        let mut folder = program.parent()?;
        if folder.ends_with("deps") {
            folder = folder.parent()?;
        }
        let is_cargo_folder = folder.join("deps").is_dir() && folder.join(".fingerprint").is_dir();
        let has_sources = root.join("Cargo.toml").is_file() && root.join("crates").is_dir();
        if !is_cargo_folder || !has_sources {
            return None;
        }
        let profile = match folder.file_name()?.to_str()? {
            "debug" => "dev",
            other => other,
        };
        let root = root.to_owned();
        let target = folder.parent()?.to_owned();
        Some(Checkout { root, target, profile: profile.to_owned() })
    }

    /// Returns whether another cargo builds in the same folder now, so that this one would wait.
    fn is_locked(&self) -> bool {
        File::open(self.lock())
            .is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Builds a program of a package, and puts it beside this program.
    ///
    /// # Errors
    /// If cargo is missing or fails.
    fn build(&self, package: &str, program: &'static str) -> Result<(), PartError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).args(["build", "--bin", program]);
        command.args(self.selection(package));
        command.args(["--profile", &self.profile]).arg("--target-dir").arg(&self.target);
        if !io::stderr().is_terminal() {
            command.arg("--quiet");
        }
        // `cargo run` has set this variable for the arena only.
        command.env_remove("CARGO_MANIFEST_DIR").stdin(Stdio::null()).stdout(Stdio::null());
        let built = wait_for_lock(&self.lock(), LOCK_LIMIT).and_then(|()| {
            let child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
            end_of(child, BUILD_LIMIT)
        });
        let problem = match built {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => format!("ended with {status}"),
            Err(problem) => problem,
        };
        let command = format!("cargo build --profile {} -p {package}", self.profile);
        let why = format!("`{program}` cannot be built: `{command}` {problem}");
        Err(PartError::Failed(why))
    }

    /// Returns the arguments that select a package and those of `cargo run`. All selected packages
    /// decide the features of their dependencies. So cargo uses what `cargo run` has built already.
    fn selection(&self, package: &str) -> Vec<String> {
        let manifest = fs::read_to_string(self.root.join("Cargo.toml")).unwrap_or_default();
        let members = manifest.split_once("default-members = [").map_or("", |(_, rest)| rest);
        let members = members.split(']').next().unwrap_or_default().lines();
        let names =
            members.filter_map(|line| line.trim().strip_prefix("\"crates/")?.strip_suffix("\","));
        names.chain([package]).map(|name| format!("--package={name}")).collect()
    }

    /// Returns the file that a cargo locks while it builds there.
    fn lock(&self) -> PathBuf {
        let folder = if self.profile == "dev" { "debug" } else { &self.profile };
        self.target.join(folder).join(".cargo-lock")
    }
}

/// Waits until no other cargo builds.
fn wait_for_lock(path: &Path, limit: Duration) -> Result<(), String> {
    // Cargo makes the file if it is missing, and says what is wrong with others.
    let Ok(file) = File::open(path) else { return Ok(()) };
    let began = Instant::now();
    while let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
        if began.elapsed() >= limit {
            return Err(format!(
                "cannot start: for {} minutes another cargo has kept {} locked; end it (`ps` shows \
                 it), or wait for its end",
                limit.as_secs() / 60,
                path.display()
            ));
        }
        thread::sleep(INTERVAL);
    }
    Ok(())
}

/// Waits for the end of cargo, and ends it if that takes too long.
fn end_of(mut cargo: Child, limit: Duration) -> Result<ExitStatus, String> {
    let began = Instant::now();
    loop {
        match cargo.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if began.elapsed() < limit => thread::sleep(INTERVAL),
            Ok(None) => break,
            Err(error) => return Err(format!("cannot be waited for: {error}")),
        }
    }
    // It may have ended just now.
    cargo
        .kill()
        .and_then(|()| cargo.wait())
        .map_err(|error| format!("cannot be ended: {error}"))?;
    Err(format!("has not ended in {} minutes; run it yourself to see why", limit.as_secs() / 60))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_package_has_parts_beside_the_folder_of_programs() {
        let part = Part { program: "p", package: "p", variable: "NOT_SET_P", who: "nobody" };
        let place = |program: &str| part.of_package(Path::new(program));
        assert_eq!(place("/usr/bin/agon"), Some("/usr/libexec/agon/p".into()));
        assert_eq!(place("/home/me/arena/bin/agon"), Some("/home/me/arena/libexec/agon/p".into()));
        assert_eq!(place("/"), None);
        assert_eq!(part.find(), None);
        assert!(part.is_built_on_demand(), "tests run in a checkout");
    }

    #[test]
    fn only_where_cargo_builds_is_a_checkout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap();
        let own = Checkout::of_this_program().expect("tests are built by cargo in a checkout");
        assert_eq!(own.root, root);
        let other = tempfile::tempdir().unwrap();
        let folder = other.path().join("release");
        fs::create_dir_all(folder.join("deps")).unwrap();
        assert!(Checkout::of(&folder.join("agon"), root).is_none(), "somebody's folder");
        fs::create_dir_all(folder.join(".fingerprint")).unwrap();
        let built = Checkout::of(&folder.join("agon"), root).unwrap();
        assert_eq!((built.profile.as_str(), built.target.as_path()), ("release", other.path()));
        assert!(Checkout::of(&folder.join("agon"), other.path()).is_none(), "sources are gone");

        let lock = File::create(folder.join(".cargo-lock")).unwrap();
        assert!(!built.is_locked());
        lock.lock().unwrap();
        assert!(built.is_locked());
    }

    /// Otherwise cargo would build shared dependencies again, with other features.
    #[test]
    fn a_part_is_built_with_the_features_of_cargo_run() {
        let own = Checkout::of_this_program().unwrap();
        let features = |selection: &[String]| {
            let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["tree", "--offline", "--edges=no-dev", "--prefix=none"]);
            cargo.args(["--no-dedupe", "--format={p} {f}"]).args(selection);
            let output = cargo.current_dir(&own.root).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let text = String::from_utf8(output.stdout).unwrap();
            text.lines().map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let before = features(&[]);
        let difference = |selection: &[String]| {
            let after = features(selection);
            after.difference(&before).cloned().collect::<Vec<_>>()
        };
        assert_eq!(difference(&own.selection("agon-server")), [""; 0]);
        // The comparison finds what differs.
        let few = ["agon", "agon-server"].map(|name| format!("--package={name}"));
        assert_ne!(difference(&few), [""; 0]);
    }

    #[test]
    fn another_cargo_holds_nobody_up_for_ever() {
        let target = tempfile::tempdir().unwrap();
        let checkout =
            Checkout { root: "/".into(), target: target.path().into(), profile: "dev".into() };
        let path = checkout.lock();
        assert_eq!(wait_for_lock(&path, Duration::ZERO), Ok(()), "nobody has built there");
        fs::create_dir(path.parent().unwrap()).unwrap();
        let other = File::create(&path).unwrap();
        assert_eq!(wait_for_lock(&path, Duration::ZERO), Ok(()));
        other.lock().unwrap();
        let problem = wait_for_lock(&path, Duration::from_millis(120)).unwrap_err();
        assert!(problem.contains("debug/.cargo-lock locked; end it"), "{problem}");
        drop(other);
        assert_eq!(wait_for_lock(&path, Duration::ZERO), Ok(()));
    }

    #[test]
    fn a_cargo_that_hangs_is_ended() {
        let start = |seconds: &str| Command::new("sleep").arg(seconds).spawn().unwrap();
        assert!(end_of(start("0"), BUILD_LIMIT).unwrap().success());
        let problem = end_of(start("1000"), Duration::from_millis(120)).unwrap_err();
        assert!(problem.starts_with("has not ended in 0 minutes; run it yourself"), "{problem}");
    }
}
