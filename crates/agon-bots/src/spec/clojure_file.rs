//! The name of a Clojure bot: a file, and perhaps a function in it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A Clojure file with a function that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClojureFile {
    /// The file.
    pub path: PathBuf,
    /// The name of the function; `None` for the amoeba function of the file.
    pub function: Option<String>,
}

impl ClojureFile {
    /// Splits `FILE.clj` or `FILE.clj?fn=NAME`; `None` if it is neither.
    pub(super) fn parse(text: &str) -> Option<ClojureFile> {
        let is_clojure =
            |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "clj");
        if is_clojure(text) {
            return Some(ClojureFile { path: text.into(), function: None });
        }
        let (path, function) = text.rsplit_once("?fn=")?;
        let named = is_clojure(path) && !function.is_empty();
        named.then(|| ClojureFile { path: path.into(), function: Some(function.to_owned()) })
    }
}

impl fmt::Display for ClojureFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.function.iter().try_for_each(|function| write!(f, "?fn={function}"))
    }
}
