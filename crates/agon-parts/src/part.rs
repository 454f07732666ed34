//! Finds a program of Agon's own, such as `agon-window-host`, or has it built.

use std::{env, path::PathBuf};

use crate::{PartError, checkout::Checkout};

/// A program of Agon's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub program: &'static str,
    /// The package that it is built from.
    pub package: &'static str,
    /// The variable that names another place of it; empty, the part is taken as missing.
    pub variable: &'static str,
    /// What needs it, in the plural: "windows".
    pub who: &'static str,
}

impl Part {
    /// Where the program is: named by the environment, beside this program, or on `PATH`.
    pub fn find(&self) -> Option<PathBuf> {
        if let Some(path) = env::var_os(self.variable) {
            return (!path.is_empty()).then(|| path.into());
        }
        self.beside().filter(|path| path.is_file()).or_else(|| on_path(self.program))
    }

    /// Where the program is; if it is missing and this program runs in a checkout, it is built
    /// there, which `announce` is told before.
    ///
    /// # Errors
    /// If it is missing, or cannot be built.
    pub fn find_or_build(&self, announce: impl FnOnce(&str)) -> Result<PathBuf, PartError> {
        match self.find() {
            Some(path) => Ok(path),
            None => self.build(announce)?.ok_or_else(|| self.missing()),
        }
    }

    /// Builds it beside this program, if this is a checkout and the environment names no other
    /// place.
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
        announce(&format!(
            "building `{}`, which {} need: this is done once",
            self.program, self.who
        ));
        checkout.build(self.package, self.program)?;
        Ok(Some(path))
    }

    /// What helps if the program is missing, is of another build, or broken.
    pub fn remedy(&self) -> String {
        match env::var_os(self.variable) {
            Some(_) => format!("correct the environment variable {}, or unset it", self.variable),
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
        // Tests are a folder further down.
        if folder.ends_with("deps") {
            folder.pop();
        }
        Some(folder.join(self.program))
    }
}

/// A program in one of the folders of `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    // The current folder, which an empty entry means, is nobody's place for programs.
    let whole = env::split_paths(&folders).filter(|folder| folder.is_absolute());
    whole.map(|folder| folder.join(program)).find(|path| path.is_file())
}
