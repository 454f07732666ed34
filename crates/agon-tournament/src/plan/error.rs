//! Errors in the plan of a tournament, each with its line and column.

use std::{fmt::Write, path::PathBuf};

use agon_text::TextError;
use thiserror::Error;

/// Something that is wrong in a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanProblem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The file cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// All that is wrong with it, in order of lines; never empty.
    #[error("{}", list(.file, .problems))]
    Problems {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        problems: Vec<PlanProblem>,
    },
}

/// A line for each problem: `plan.toml:3:1: ...`.
fn list(file: &std::path::Path, problems: &[PlanProblem]) -> String {
    let mut text = String::new();
    for (number, PlanProblem { line, column, reason }) in problems.iter().enumerate() {
        let break_ = if number == 0 { "" } else { "\n" };
        // Writing to a string does not fail.
        let _ = write!(text, "{break_}{}:{line}:{column}: {reason}", file.display());
    }
    text
}
