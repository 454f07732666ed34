//! The arguments of `agon play` and `check`, and of everything that plays matches.

use std::{fmt, num::NonZero, path::PathBuf, str::FromStr, sync::Arc};

use agon_contest::{plan::MAX_JOBS, series::Place, settings::Sources};
use agon_core::{Seed, did_you_mean, text::escape};
use agon_games::presets;
use agon_match::spec::settings::MAX_MS;
use agon_match::spec::{MatchSettings, SandboxLevel, SandboxSettings, TimeSettings};
use agon_remote::RemoteArgs;
use agon_show::film::{FilmOptions, FilmStyle, Format, Output};
use agon_show::{PersonOptions, ViewOptions};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::output::RemoteBoard;

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
  http:PROGRAM                   a web server, which Agon starts (battlesnake)
  http://127.0.0.1:8000          one that runs already, on this machine
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

/// Flags of everything that runs bots.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct HostArgs {
    /// Give bots all the time they want; for debugging.
    #[arg(long)]
    pub(crate) no_clock: bool,
    /// Time limit of a bot's answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// Time for the whole match in milliseconds that a bot may draw on when an answer takes longer
    /// than its limit [default: 0 with --time; as the game says otherwise].
    #[arg(long, value_name = "MS")]
    pub(crate) bank: Option<u64>,
    /// The least time for a bot's first answer in milliseconds, because programs have to start
    /// [default: 10000 with JSON Lines, as the game says otherwise].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MAX_MS))]
    pub(crate) start_up: Option<u64>,
    /// Stop a bot after so many timeouts in a row; the rest of the match goes on without it.
    #[arg(long, value_name = "N", conflicts_with = "no_clock")]
    pub(crate) strikes: Option<NonZero<u32>>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Compile C sources to WebAssembly instead of native libraries (needs clang and
    /// `agon-wasm-host`).
    #[arg(long)]
    pub(crate) wasm: bool,
    /// The most memory of a WebAssembly bot in MiB [default: 256].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) wasm_memory: Option<u32>,
    /// Have all species in Clojure of a match live in one JVM: it starts sooner, but they can reach
    /// each other there.
    #[arg(long)]
    pub(crate) share_jvm: bool,
}

/// Flags of everything that starts programs.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SandboxArgs {
    /// How bots are confined.
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Sandbox")]
    pub(crate) sandbox: Confine,
    /// The most memory of a bot with all its processes, in MiB [default: 1024].
    #[arg(
        long,
        value_name = "MIB",
        help_heading = "Sandbox",
        value_parser = clap::value_parser!(u32).range(16..)
    )]
    pub(crate) bot_memory: Option<u32>,
    /// A folder or file that bots may read beside their own; may be given several times.
    #[arg(long, value_name = "PATH", help_heading = "Sandbox")]
    pub(crate) allow_read: Vec<PathBuf>,
    /// A folder that bots may write to; may be given several times.
    #[arg(long, value_name = "DIR", help_heading = "Sandbox")]
    pub(crate) allow_write: Vec<PathBuf>,
    /// An environment variable that bots get beside the usual ones; may be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Sandbox")]
    pub(crate) allow_env: Vec<String>,
}

impl HostArgs {
    /// What the flags say.
    pub(crate) fn settings(&self) -> MatchSettings {
        MatchSettings {
            time: TimeSettings {
                clock: !self.no_clock,
                limit: self.time,
                bank: self.bank,
                start_up: self.start_up,
                strikes: self.strikes,
                ..TimeSettings::default()
            },
            sandbox: SandboxSettings {
                wasm: self.wasm,
                wasm_memory: self.wasm_memory,
                share_jvm: self.share_jvm,
                ..self.sandbox.settings()
            },
            ..MatchSettings::default()
        }
    }
}

impl SandboxArgs {
    /// What the flags say.
    pub(crate) fn settings(&self) -> SandboxSettings {
        SandboxSettings {
            level: match self.sandbox {
                Confine::Strict => SandboxLevel::Strict,
                Confine::Default => SandboxLevel::Default,
                Confine::Off => SandboxLevel::Off,
            },
            memory: self.bot_memory,
            read: self.allow_read.clone(),
            write: self.allow_write.clone(),
            env: self.allow_env.clone(),
            ..SandboxSettings::default()
        }
    }
}

/// How bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Confine {
    /// Fully, or they are not started; they see only runtimes that they name.
    Strict,
    /// As well as this machine can (`agon doctor` tells).
    #[default]
    Default,
    /// Not at all.
    Off,
}

/// Flags of films.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Films")]
pub(crate) struct FilmArgs {
    /// Write a PNG file for each turn into this new or empty folder; in cluster seven more between
    /// two turns, which --smooth 0 leaves out.
    #[arg(long, value_name = "DIR")]
    pub(crate) png: Option<PathBuf>,
    /// Write a GIF.
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,
    /// Write an animated PNG.
    #[arg(long, value_name = "FILE")]
    pub(crate) apng: Option<PathBuf>,
    /// Write an MP4 (needs ffmpeg).
    #[arg(long, value_name = "FILE")]
    pub(crate) mp4: Option<PathBuf>,
    /// Write a WebM (needs ffmpeg).
    #[arg(long, value_name = "FILE")]
    pub(crate) webm: Option<PathBuf>,
    /// The first turn in films [default: 0].
    #[arg(long, value_name = "TURN")]
    pub(crate) from: Option<u64>,
    /// The last turn in films [default: the last of the match].
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<u64>,
    /// Show every so many turns, or steps with --steps [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: Option<u64>,
    /// Show every step (batch of decisions), not every turn.
    #[arg(long)]
    pub(crate) steps: bool,
    /// Turns a second, or steps with --steps [default: 12.5; in cluster 2.5].
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "fps")]
    pub(crate) speed: Option<f64>,
    /// Pictures a second [default: as --speed says].
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) fps: Option<f64>,
    /// So many more pictures between two turns, in which things move [default: 0; in cluster 7].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=60))]
    pub(crate) smooth: Option<u32>,
    /// Pixels of a cell [default: as large as fits into 960x720].
    #[arg(long, value_name = "PIXELS", conflicts_with = "size", value_parser = zoom)]
    pub(crate) zoom: Option<f32>,
    /// As large as fits into a picture of so many pixels.
    #[arg(long, value_name = "WxH")]
    pub(crate) size: Option<Size>,
    /// Give a player another colour, as a name or #rrggbb; may be given several times.
    #[arg(long, value_name = "PLAYER=COLOR")]
    pub(crate) player_color: Vec<String>,
    /// Leave out what stands beside the board.
    #[arg(long)]
    pub(crate) no_caption: bool,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u32, pub(crate) u32);

/// More pixels than this in a row or column are a mistake.
const MAX_SIDE: u32 = 16_384;

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Size, &'static str> {
        let sides =
            text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
        let sides = sides.filter(|&(width, height)| fits(width) && fits(height));
        sides
            .map(|(w, h)| Size(w, h))
            .ok_or("a size is width and height from 1 to 16384, as in 640x480")
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse().ok().filter(|rate| (0.1..=240.0).contains(rate));
    rate.ok_or("a number from 0.1 to 240")
}

fn zoom(text: &str) -> Result<f32, &'static str> {
    let zoom = text.parse::<u16>().ok().filter(|zoom| (1..=500).contains(zoom));
    zoom.map(f32::from).ok_or("a whole number of pixels from 1 to 500")
}

impl FilmArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> FilmOptions {
        let named = [
            (Format::Pictures, &self.png),
            (Format::Gif, &self.gif),
            (Format::Apng, &self.apng),
            (Format::Mp4, &self.mp4),
            (Format::WebM, &self.webm),
        ];
        let films = named.into_iter().filter_map(|(format, path)| {
            Some(Output { format, path: path.clone()?, overwrite: false })
        });
        let style = FilmStyle {
            from: self.from,
            to: self.to,
            every: self.every,
            steps: self.steps,
            speed: self.speed,
            fps: self.fps,
            smooth: self.smooth,
            zoom: self.zoom,
            size: self.size.map(|Size(width, height)| (width, height)),
            bare: self.no_caption,
            ..FilmStyle::default()
        };
        FilmOptions { films: films.collect(), style, player_colors: self.player_color.clone() }
    }
}

/// How many matches of one game are played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SeriesArgs {
    /// Play so many matches at a time, each on a processor core of its own
    /// [default: one on each core].
    #[arg(short, long, value_name = "N", value_parser = jobs, conflicts_with = "on")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// The seed from which those of all matches follow, decimal or 0x hexadecimal
    /// [default: drawn anew, and shown; a run that continues keeps its seed].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Start from the settings of a preset; `agon rules GAME` lists them
    /// [default: the documents' settings].
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}

impl SeriesArgs {
    /// Where the settings of the game come from.
    pub(crate) fn sources(&self) -> Sources<'_> {
        let SeriesArgs { preset, rules, sets, .. } = self;
        Sources { preset: preset.as_deref(), file: rules.as_deref(), sets }
    }
}

impl SeriesArgs {
    /// Where the matches are played. `title` is what people call them.
    pub(crate) fn place(&self, title: &str) -> Place {
        let remote = self.remote.options(title, Arc::new(RemoteBoard));
        Place { workers: self.jobs, remote }
    }
}

/// How many matches are played at a time, as in plans.
pub(super) fn jobs(text: &str) -> Result<NonZero<usize>, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZero<usize>| jobs.get() <= MAX_JOBS);
    jobs.ok_or_else(|| format!("a whole number from 1 to {MAX_JOBS}"))
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Ten points: whether the bot opens, starts, answers for the first time, answers legally, and keeps \
the protocol; its time and memory; whether it ends with its input and gives the same answers \
again; and how much it writes to stderr. It plays matches of two against built-in bots, in both \
seats.

Examples:
  agon check cluster \"python3 my_bot.py\"
  agon check cellhack my_cell.c --games 8 --full
  agon check ./my-bot                             # a folder with an agon.toml
  agon check rezzo ./my_bot --memory 256 --json

Exit codes: 0 passed, 1 failed, 2 the examination could not be made.")]
pub(crate) struct CheckArgs {
    /// The game; or only the bot, if it is a folder whose agon.toml names the game.
    pub(crate) game: String,
    /// The bot, named as for `agon play`.
    pub(crate) bot: Option<String>,
    /// So many matches; one more repeats the first with the same seed.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) games: u32,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Time limit of an answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// The most memory that may be resident, in MiB [default: any].
    #[arg(long, value_name = "MIB")]
    pub(crate) memory: Option<u64>,
    /// The seed of the first match [default: drawn anew, and shown].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Play with the game's own settings, not on small boards; matches may take long.
    #[arg(long)]
    pub(crate) full: bool,
    /// Play with the settings of a preset; `agon rules GAME` lists them.
    #[arg(long, value_name = "NAME", conflicts_with = "full")]
    pub(crate) preset: Option<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file, as with --full.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    /// Stop matches after so many turns, whatever the rules say.
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u64>,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!("640x480".parse(), Ok(Size(640, 480)));
        for text in ["640", "640x", "0x5", "640x480x2", "99999x5", "-1x5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn as_many_matches_at_a_time_as_plans_allow() {
        assert_eq!(["1", "4096"].map(|text| jobs(text).unwrap().get()), [1, 4096]);
        for text in ["0", "4097", "30000", "-1", "x", "99999999999999999999"] {
            assert_eq!(jobs(text).unwrap_err(), "a whole number from 1 to 4096", "{text}");
        }
    }
}
