//! Errors in settings, positions and plans that list all problems at once.
//!
//! Games return them when a match cannot be set up. [`did_you_mean`] suggests the right word for a
//! misspelt one.

use std::fmt;

/// One problem of a set-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The part with the problem: a setting (`width`), a part of a position (`cells[3].owner`), or
    /// `players`.
    pub what: String,
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// All reasons why a match cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupError {
    /// Never empty. If there are thousands, the last one says how many are left out.
    pub problems: Vec<Problem>,
}

impl SetupError {
    /// Makes an error with one reason.
    pub fn new(what: impl Into<String>, reason: impl Into<String>) -> SetupError {
        SetupError { problems: vec![Problem { what: what.into(), reason: reason.into() }] }
    }

    /// Returns `Ok` if there are no problems.
    ///
    /// # Errors
    /// With all the problems otherwise.
    pub fn check(problems: Vec<Problem>) -> Result<(), SetupError> {
        if problems.is_empty() { Ok(()) } else { Err(SetupError { problems }) }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{}: {}", problem.what, problem.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupError {}

/// The most problems that are listed. A position with millions of wrong cells must not take
/// gigabytes of errors.
const MAX_LISTED: usize = 1_000;

/// Collects the problems of a set-up.
#[derive(Debug, Default)]
pub struct Problems {
    told: Vec<Problem>,
    left_out: u64,
}

impl Problems {
    /// Starts without problems.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Notes a problem with `what` unless `fine`.
    ///
    /// Pass `format_args!` instead of a text: nearly all cells of a position are fine and need no
    /// text.
    pub fn require(
        &mut self,
        fine: bool,
        what: impl fmt::Display,
        reason: impl FnOnce() -> String,
    ) {
        if fine {
            return;
        }
        if self.told.len() == MAX_LISTED {
            self.left_out += 1;
        } else {
            self.told.push(Problem { what: what.to_string(), reason: reason() });
        }
    }

    /// Notes a problem if `value` is outside of `range`.
    pub fn range<T: PartialOrd + fmt::Display>(
        &mut self,
        what: impl fmt::Display,
        value: T,
        range: std::ops::RangeInclusive<T>,
    ) {
        self.require(range.contains(&value), what, || {
            format!("{value} is not between {} and {}", range.start(), range.end())
        });
    }

    /// Returns `Ok` if there were no problems.
    ///
    /// # Errors
    /// With all problems otherwise.
    pub fn finish(mut self) -> Result<(), SetupError> {
        if self.left_out > 0 {
            let reason = format!("{} are left out", self.left_out);
            self.told.push(Problem { what: "more problems".to_owned(), reason });
        }
        SetupError::check(self.told)
    }
}

/// Returns the candidate most like `word`, if one is similar enough to be meant.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |candidate: &&str| strsim::jaro_winkler(&word, &candidate.to_lowercase());
    candidates
        .into_iter()
        .filter(|candidate| likeness(candidate) > 0.75)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_told() {
        let mut problems = Problems::new();
        problems.range("width", 0, 1..=9);
        problems.range("height", 5, 1..=9);
        problems.require(false, "players", || "3 given, but 2 play".into());
        let error = problems.finish().unwrap_err();
        assert_eq!(
            error.to_string(),
            "width: 0 is not between 1 and 9; players: 3 given, but 2 play"
        );
    }

    #[test]
    fn thousands_of_problems_are_counted() {
        let mut problems = Problems::new();
        (0..5_000).for_each(|i| problems.range(format_args!("cells[{i}]"), 9, 1..=4));
        let error = problems.finish().unwrap_err();
        assert_eq!(error.problems.len(), 1_001);
        assert!(
            error.to_string().ends_with(
                "cells[999]: 9 is not between 1 and 4; more problems: 4000 are left out"
            )
        );
    }

    #[test]
    fn suggestions_are_near_or_absent() {
        let games = ["cellhack", "cluster", "amoebas"];
        assert_eq!(did_you_mean("cellhck", games), Some("cellhack"));
        assert_eq!(did_you_mean("Ameobas", games), Some("amoebas"));
        assert_eq!(did_you_mean("xyz", games), None);
    }
}
