//! Builds a missing part of Agon with cargo, if this program runs in the checkout that it was built
//! from.
//!
//! An installed `agon` has no checkout; there a person installs the part.

use std::{
    env,
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::IsTerminal,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{PartError, packaged::is_packaged};

/// How long to wait for another cargo, which builds in the same folder.
const LOCK_LIMIT: Duration = Duration::from_secs(300);

/// How long cargo may take. The first build of a slow machine takes half of it.
const BUILD_LIMIT: Duration = Duration::from_secs(30 * 60);

/// The interval between looks at a lock or a process.
const INTERVAL: Duration = Duration::from_millis(50);

/// A checkout with a program that was built in it.
#[derive(Debug)]
pub(crate) struct Checkout {
    /// The root folder of the workspace.
    root: PathBuf,
    /// The folder for cargo's results.
    target: PathBuf,
    /// The profile, as cargo names it.
    profile: String,
}

impl Checkout {
    /// Returns the checkout in which cargo has built this program.
    ///
    /// `None` for an installed program, such as one that was copied out of a checkout.
    pub(crate) fn of_this_program() -> Option<Checkout> {
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
    pub(crate) fn is_locked(&self) -> bool {
        let folder = if self.profile == "dev" { "debug" } else { self.profile.as_str() };
        let lock = File::open(self.target.join(folder).join(".cargo-lock"));
        lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Builds a program of a package, and puts it beside this program.
    ///
    /// # Errors
    /// If cargo is missing or fails.
    pub(crate) fn build(&self, package: &str, program: &'static str) -> Result<(), PartError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).args(["build", "--bin", program]);
        command.args(self.selection(package));
        command.args(["--profile", &self.profile]).arg("--target-dir").arg(&self.target);
        if !std::io::stderr().is_terminal() {
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
        let command = format!("cargo build --profile {} -p {}", self.profile, package);
        Err(PartError::Build { program, command, problem })
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
