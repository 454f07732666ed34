//! The arguments of matches.

use std::path::PathBuf;

use agon_contest::settings::Sources;
use agon_core::text::escape;
use agon_core::{Seed, did_you_mean};
use agon_games::presets;
use agon_match::spec::{MatchSettings, settings::MAX_MS};
use agon_show::{PersonOptions, ViewOptions};
use anyhow::{Result, bail};
use clap::Args;

use super::{FilmArgs, HostArgs};

/// Flags of everything that plays a match.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchArgs {
    /// The seed of all random choices, decimal or 0x hexadecimal [default: drawn anew, and shown].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Write a replay to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write what bots cost, say and do wrong, turn by turn, into this new or empty folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) log: Option<PathBuf>,
    /// Do not play a match again that is void because the machine stalled.
    #[arg(long)]
    pub(crate) keep_void: bool,
    /// Another `--time` for one bot; may be given several times.
    #[arg(long, value_name = "BOT=MS", value_parser = bot_ms)]
    pub(crate) bot_time: Vec<(String, u64)>,
    /// Another `--start-up` for one bot; may be given several times.
    #[arg(long, value_name = "BOT=MS", value_parser = bot_ms)]
    pub(crate) bot_start_up: Vec<(String, u64)>,
    #[command(flatten)]
    pub(crate) watch: ViewOptions,
    #[command(flatten)]
    pub(crate) person: PersonOptions,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}

impl MatchArgs {
    /// What the flags say about a match of bots with these names.
    ///
    /// # Errors
    /// If no bot has the name that a flag names.
    pub(crate) fn settings(&self, names: &[String]) -> Result<MatchSettings> {
        let mut settings = self.host.settings();
        let times = self.bot_time.iter().map(|(name, ms)| ("--bot-time", name, ms, true));
        let starts = self.bot_start_up.iter().map(|(name, ms)| ("--bot-start-up", name, ms, false));
        for (flag, name, &ms, is_time) in times.chain(starts) {
            if !names.contains(name) {
                let known = names.iter().map(String::as_str);
                let hint = did_you_mean(name, known)
                    .map_or_else(|| names.join(", "), |known| format!("did you mean `{known}`?"));
                bail!("{flag}: no bot has the name `{}`; {hint}", escape(name));
            }
            let own = settings.time.bots.entry(name.clone()).or_default();
            *(if is_time { &mut own.limit } else { &mut own.start_up }) = Some(ms);
        }
        Ok(settings)
    }
}

/// Reads `BOT=MS`. The name may hold `=`.
fn bot_ms(text: &str) -> Result<(String, u64), String> {
    let (name, ms) =
        text.rsplit_once('=').ok_or("expected the name of a bot, `=`, milliseconds")?;
    match ms.parse() {
        Ok(ms) if ms <= MAX_MS => Ok((name.to_owned(), ms)),
        _ => Err(format!("`{}` is no number of milliseconds up to {MAX_MS}", escape(ms))),
    }
}

#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "\
A bot is
  builtin:NAME?param=value&...   a built-in one (`agon bots GAME` lists them)
  bot.c, bot.cpp, bot.so         native code: `agon_decide`, or cellhack's function for a cell
  bot.wasm, wasm:bot.c           WebAssembly
  bot.clj, bot.clj?fn=NAME       a Clojure function (amoebas; AGON_JAVA, AGON_CLOJURE and
                                 AGON_JAVA_OPTS name Java, Clojure and arguments for Java)
  my-bot                         a folder with `agon.toml`, as `agon new` writes it
  jsonl:PROGRAM                  a program in any language that speaks JSON Lines
  connect:ADDRESS                one that runs already and listens: localhost:4000, ./bot.sock
  human                          a person, in a window (--view: elsewhere); several take turns
  anything else                  a program or a quoted command line that speaks the game's protocol
and may have a name in front: `rosa=python3 bot.py`.

Examples:
  agon play
  agon play rezzo --seed 7 --replay night.agon
  agon play rezzo --preset classic
  agon play cluster ./my-bot
  agon play cluster human builtin:searcher
  agon play cluster --gif match.gif --size 640x480
  agon play cellhack builtin:hunter my_cell.c --set width=40 --set height=40 --turns 200")]
pub(crate) struct PlayArgs {
    /// The game; without one a short demonstration is played.
    pub(crate) game: Option<String>,
    /// The bots; without any, good built-in ones play. If one is missing, Agon adds an opponent.
    pub(crate) bots: Vec<String>,
    /// Play with the settings of a preset; `agon rules GAME` lists them
    /// [default: `default`; with --set or --rules, the documents' settings, which are `classic`].
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the result file that other cellhack tools read (only cellhack).
    #[arg(long, value_name = "FILE")]
    pub(crate) replay_cellhack: Option<PathBuf>,
    /// Stop after so many turns, whatever the rules say.
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u64>,
    #[command(flatten)]
    pub(crate) film: FilmArgs,
    #[command(flatten)]
    pub(crate) game_args: MatchArgs,
}

impl PlayArgs {
    /// The preset to start from. A command that changes settings starts from the documents'
    /// defaults, as it did before there were presets.
    pub(crate) fn preset(&self) -> Option<&str> {
        self.preset.as_deref().or((!self.has_changes()).then_some(presets::DEFAULT))
    }

    /// The preset in words, which say if the command changes it.
    pub(crate) fn preset_with_changes(&self) -> Option<String> {
        let changed = if self.has_changes() { ", changed" } else { "" };
        self.preset().map(|name| format!("{name}{changed}"))
    }

    fn has_changes(&self) -> bool {
        !self.sets.is_empty() || self.rules.is_some()
    }

    /// Where the settings of the game come from.
    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources { preset: self.preset(), file: self.rules.as_deref(), sets: &self.sets }
    }
}
