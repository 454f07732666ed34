//! The languages of bots that Agon compiles, with their compilers and packages.

use std::{fmt, path::Path};

/// A language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// C: `x.c`.
    C,
    /// C++: `x.cpp`, `x.cc`.
    Cpp,
}

impl Language {
    /// Returns the language of a file with this name, if it is a source.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" | "cc" => Some(Language::Cpp),
            _ => None,
        }
    }

    /// Returns the first compiler to try, and the environment variable that names another.
    ///
    /// It is the one for native libraries.
    pub(crate) fn compiler(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("cc", "CC"),
            Language::Cpp => ("c++", "CXX"),
        }
    }

    /// Returns the Debian packages with a compiler.
    pub(crate) fn packages(self) -> &'static str {
        match self {
            Language::C => "gcc libc6-dev",
            Language::Cpp => "g++",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::C => "C",
            Language::Cpp => "C++",
        })
    }
}
