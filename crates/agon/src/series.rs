//! Many matches of one game: from what was typed to a runner.

use std::{path::Path, sync::Arc};

use agon_bots::{Beyond, BotKind, BotSpec, HostOptions, HostedGame};
use agon_runner::{BotEntry, RunError, Runner, RunnerOptions};
use agon_tournament::{Plan, plan::SandboxLevel};
use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};

use crate::{
    arena::host_options,
    cli::{Confine, HostArgs, SandboxArgs, SeriesArgs},
    output::DIM,
    settings,
};

/// The runner of a game with the settings that were typed.
///
/// # Errors
/// Names the setting and what would fit.
pub(crate) fn runner<G: HostedGame>(args: &SeriesArgs) -> Result<Runner<G>> {
    let rules = settings::load::<G>(args.rules.as_deref(), &args.sets)?;
    // Nobody sits in a debugger while hundreds of matches are played.
    let host = HostOptions { time_peers: true, ..host_options(&args.host) };
    let options = RunnerOptions { host, jobs: args.jobs, ..RunnerOptions::default() };
    Ok(Runner::new(rules, options))
}

/// How the bots of a plan are run.
pub(crate) fn host_of_plan(plan: &Plan) -> HostOptions {
    let time = &plan.time;
    let sandbox = &plan.sandbox;
    // Paths in a plan start in its folder.
    let folder = plan.file.parent().unwrap_or(Path::new(""));
    let paths = |texts: &[String]| texts.iter().map(|text| folder.join(text)).collect();
    let host = host_options(&HostArgs {
        no_clock: !time.clock,
        time: time.limit,
        bank: time.bank,
        sandbox: SandboxArgs {
            sandbox: match sandbox.level {
                SandboxLevel::Strict => Confine::Strict,
                SandboxLevel::Default => Confine::Default,
                SandboxLevel::Off => Confine::Off,
            },
            bot_memory: sandbox.memory,
            allow_read: paths(&sandbox.read),
            allow_write: paths(&sandbox.write),
        },
        wasm: sandbox.wasm,
        wasm_memory: sandbox.wasm_memory,
        share_jvm: sandbox.share_jvm,
    });
    HostOptions { time_peers: true, ..host }
}

/// A bot for many matches under this name, or its own, as it is now.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen, or a file
/// cannot be read.
pub(crate) fn entry(text: &str, name: Option<&str>, host: &HostOptions) -> Result<Arc<BotEntry>> {
    let spec = spec(text, name)?.read(host, &[])?;
    tell_what_was_read(&spec);
    Ok(BotEntry::of(spec)?)
}

/// The text of a bot for many matches under this name, or its own.
///
/// # Errors
/// If the text names no bot, or one that cannot play without somebody at the screen.
pub(crate) fn spec(text: &str, name: Option<&str>) -> Result<BotSpec> {
    let spec: BotSpec = text.parse()?;
    if spec.kind() == BotKind::Human {
        bail!("`{text}`: people play single matches, with `agon play`");
    }
    Ok(name.map_or(spec.clone(), |name| spec.named(name)))
}

/// What is known of the content of a bot: results hold as long as it is the same.
pub(crate) fn known_content<G: HostedGame>(bot: &BotEntry) -> Value {
    let beyond = match bot.spec.beyond() {
        Beyond::Stamp(stamp) => Some(stamp),
        Beyond::Nothing | Beyond::Unknown => None,
    };
    json!([bot.spec.version::<G>(), bot.info.digest, bot.info.covers, beyond])
}

/// Tells what a person should know of a bot that has been read, and keeps outputs from taking its
/// place.
pub(crate) fn tell_what_was_read(spec: &BotSpec) {
    spec.files().iter().for_each(|file| agon_files::protect(file));
    for notice in spec.notices() {
        say!("{DIM}note: {}: {notice}{DIM:#}", spec.name());
    }
}

/// All that keeps bots from being opened, as one error.
pub(crate) fn cannot_open(errors: &[RunError]) -> anyhow::Error {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    anyhow!("{}", lines.join("\n"))
}
