//! Builds a missing part of Agon with cargo, if this program runs in the checkout that it was built
//! from.
//!
//! An installed `agon` has no checkout; there a person installs the part.

use std::{
    env,
    ffi::OsString,
    fs::{File, TryLockError},
    io::IsTerminal,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{PartError, packaged::is_packaged};

/// The package of the program that has parts.
const ARENA: &str = "agon";

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
        command.current_dir(&self.root).args(["build", "--package", package, "--bin", program]);
        // With the arena's package, shared dependencies get the same features as before. So cargo
        // uses those that are built already.
        command.args(["--package", ARENA]);
        command.args(["--profile", &self.profile]).arg("--target-dir").arg(&self.target);
        if !std::io::stderr().is_terminal() {
            command.arg("--quiet");
        }
        // `cargo run` has set this variable for the arena only.
        command.env_remove("CARGO_MANIFEST_DIR").stdin(Stdio::null()).stdout(Stdio::null());
        let problem = match command.status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => format!("ended with {status}"),
            Err(error) => format!("cannot be started: {error}"),
        };
        let command = format!("cargo build --profile {} -p {}", self.profile, package);
        Err(PartError::Build { program, command, problem })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
}
