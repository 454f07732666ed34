//! Finds a program of Agon's own, such as `agon-window-host`, or has it built.

use std::{
    env,
    path::{Path, PathBuf},
};

use tracing::debug;

use crate::{PartError, checkout::Checkout, packaged::is_packaged};

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
        PartError::Missing { program: self.program, remedy: self.remedy() }
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

#[cfg(test)]
mod tests {
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
}
