//! Many matches of one game: from what was typed to a runner.

use std::sync::Arc;

use agon_bots::{BotKind, BotSpec, Hosted};
use agon_runner::{Contender, RunError, Runner, RunnerOptions};
use anyhow::{Result, anyhow, bail};

use crate::{arena::host_options, cli::SeriesArgs, settings};

/// The runner of a game with the settings that were typed.
///
/// # Errors
/// Names the setting and what would fit.
pub(crate) fn runner<G: Hosted>(args: &SeriesArgs) -> Result<Runner<G>> {
    let rules = settings::load::<G>(args.rules.as_deref(), &args.sets)?;
    let options =
        RunnerOptions { host: host_options(&args.host), jobs: args.jobs, ..RunnerOptions::default() };
    Ok(Runner::new(rules, options))
}

/// A bot for many matches under this name, or its own.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen, or a file cannot be read.
pub(crate) fn contender(text: &str, name: Option<&str>) -> Result<Arc<Contender>> {
    let spec: BotSpec = text.parse()?;
    if spec.kind() == BotKind::Human {
        bail!("`{text}`: people play single matches, with `agon play`");
    }
    Ok(Contender::new(name.map_or(spec.clone(), |name| spec.named(name)))?)
}

/// All that keeps bots from being opened, as one error.
pub(crate) fn cannot_open(errors: &[RunError]) -> anyhow::Error {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    anyhow!("{}", lines.join("\n"))
}
