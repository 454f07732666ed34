//! The long job `contributor`: repeats the path of a contributor in a clone.
//!
//! `docs/transcripts.md` has its commands.

use anyhow::Result;

use crate::run::{self, cargo, step};

pub(super) fn run() -> Result<()> {
    let name = "the_path_of_a_contributor_prints_what_its_page_shows";
    let mut test = cargo(&["test", "--quiet", "--package", "agon", "--test", "all", name]);
    // What other stages have built is for other sources.
    step(test.env("AGON_CONTRIBUTORS_TARGET", run::target()?.join("contributor")))
}
