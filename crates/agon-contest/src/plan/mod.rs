//! The plan of a tournament: the TOML file that `agon tournament` takes.
//!
//! `docs/tournaments.md` describes it.

mod bots;
mod format;
mod saved;
mod toml_table;

use std::path::{Path, PathBuf};

use agon_core::Seed;
use agon_files::input::read_text;
use agon_games::{GameId, any::GameKind};
use agon_match::spec::{MANIFEST, SandboxSettings, TimeSettings};
use anyhow::Result;
use glob::MatchOptions;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toml::de::DeTable;
use toml_table::{Item, Problems, Section};

use crate::{Games, Match, Schedule, schedule::NEWEST};

pub use bots::{BotAbout, MAX_BOTS, MAX_JOBS, MAX_PAIRED_BOTS, Missing, Out, PlanAbout, PlanBot};
pub use format::{Choose, Draw, FormatPlan};
pub use saved::{Absent, SavedPlan};

/// A checked plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The game.
    pub game: GameId,
    /// All settings of the game with their values, in order of declaration.
    pub settings: Map<String, Value>,
    /// The tournament's seed.
    pub seed: Seed,
    /// How seeds of matches follow from it: 1 by their places in the tournament, as older versions
    /// of Agon wrote plans, 2 by their bots.
    #[serde(skip, default = "crate::schedule::oldest")]
    pub schedule_version: u64,
    /// Whether a file says the seed. Otherwise one is drawn before the first match.
    #[serde(skip)]
    pub says_seed: bool,
    /// Who plays; the order is the seeding.
    pub bots: Vec<PlanBot>,
    /// The format.
    pub format: FormatPlan,
    /// How many play together in a match; at most, in groups.
    pub players: usize,
    /// Matches of a pairing.
    pub matches: u32,
    /// Whether each seed is played with every rotation of the seats.
    pub mirrored: bool,
    /// What time bots have.
    pub time: TimeSettings,
    /// How they are confined.
    pub sandbox: SandboxSettings,
    /// How many matches are played at a time; `None` for as many as fit the machine. No result
    /// depends on it.
    #[serde(skip)]
    pub jobs: Option<usize>,
    /// The file that it comes from.
    #[serde(skip)]
    pub file: PathBuf,
    /// Title, notes, and what happens to bots that cannot be opened.
    #[serde(skip)]
    pub about: PlanAbout,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// If the file cannot be read, or with everything that is wrong with it.
    pub fn load(file: &Path) -> Result<Plan> {
        agon_files::protect(file);
        Plan::parse(&read_text(file)?, file)
    }

    /// Reads a plan from its text; patterns and paths in it start in the folder of `file`.
    pub fn parse(text: &str, file: &Path) -> Result<Plan> {
        let problems = Problems::new(file, text);
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            problems.add(error.span().unwrap_or_default(), error.message().trim());
        }
        if !errors.is_empty() {
            // Missing keys may be in the part that cannot be read.
            problems.finish()?;
            unreachable!("there are problems");
        }
        let plan = read(Section::new("", table.get_ref(), 0..0, &problems), file, &problems);
        problems.finish()?;
        Ok(plan.expect("a part that cannot be read is noted as a problem"))
    }

    /// Returns how many matches a pairing has.
    pub fn games(&self) -> Games {
        Games { matches: self.matches, mirrored: self.mirrored }
    }

    /// Returns the names of the bots of a match, in order of seats.
    pub fn names(&self, game: &Match) -> Vec<String> {
        game.seats.iter().map(|entrant| self.bots[entrant.index()].name.clone()).collect()
    }

    /// Returns the schedule before the first match.
    pub fn schedule(&self) -> Schedule {
        let format = self.format.build(self.bots.len(), self.players, self.games(), self.seed);
        // Seeds of version 1 follow from places in the tournament.
        let has_names = self.schedule_version > 1;
        let names = has_names.then(|| self.bots.iter().map(|bot| bot.name.clone()).collect());
        Schedule::of_bots(format, self.seed, names)
    }

    /// Returns a hash of all that the schedule and the results depend on, as 64 hexadecimal digits.
    /// The contents of the bots' files are not in it, nor the number of matches at a time.
    pub fn digest(&self) -> String {
        let version = self.game.meta().rules_version;
        let kind = format!("agon-plan-{}", self.schedule_version);
        let text =
            serde_json::to_vec(&(kind, version, self)).expect("plans can be written as JSON");
        blake3::hash(&text).to_hex().to_string()
    }
}

fn read(mut top: Section<'_>, file: &Path, problems: &Problems<'_>) -> Option<Plan> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let game = game(&mut top, folder);
    let seed = top.number("seed", 0..=u64::MAX).map(Seed);
    let about = PlanAbout::read(&mut top);
    let bots = bots::read(&mut top, folder, problems);
    let mut section = top.section("format", "[format]");
    let format = FormatPlan::read(&mut section, &bots);
    if format.is_some() {
        section.finish();
    }
    let players = players(&mut top, game, format.as_ref());
    let mirrored = top.boolean("mirrored").unwrap_or(true);
    let matches = matches(&mut top, players, mirrored, format.as_ref());
    let preset = top.get("preset");
    // Without a game, its settings cannot be checked.
    let settings = match game {
        Some(game) => Some(settings(&mut top, game, preset.as_ref(), players)),
        None => top.get("settings").and(None),
    };
    let mut section = top.section("time", "[time]");
    let time = format::time(&mut section, &bots);
    section.finish();
    let mut section = top.section("sandbox", "[sandbox]");
    let sandbox = format::sandbox(&mut section);
    section.finish();
    let jobs = top.number("jobs", 1..=MAX_JOBS as u64).map(|jobs| jobs as usize);
    let most = format.as_ref().map_or(MAX_BOTS, FormatPlan::most_bots);
    if (most + 1..=MAX_BOTS).contains(&bots.len()) {
        let count = bots.len();
        top.problem(format!("in this format {most} bots are the most, but the plan has {count}"));
    }
    let least = format.as_ref().map_or(players, |format| format.fewest_bots(players));
    if bots.len() < least {
        let count = bots.len();
        top.problem(format!(
            "{least} bots are needed at least, but the plan has {count}; `bots` lists them"
        ));
    }
    top.finish();
    let game = game?;
    let format = format?;
    let settings = settings?;
    let file = file.to_owned();
    Some(Plan {
        game,
        settings,
        seed: seed.unwrap_or_default(),
        schedule_version: NEWEST,
        says_seed: seed.is_some(),
        bots,
        format,
        players,
        matches,
        mirrored,
        time,
        sandbox,
        jobs,
        file,
        about,
    })
}

/// Reads the game. The path of its folder or file starts at the folder of the plan.
fn game(top: &mut Section<'_>, folder: &Path) -> Option<GameId> {
    let Some(item) = top.get("game") else {
        top.problem(format!("a plan needs a `game`: one of {}", GameId::names()));
        return None;
    };
    let text = item.string()?;
    #[cfg(feature = "play")]
    let found = agon_bots::game_file::find_beside(folder, &text);
    #[cfg(not(feature = "play"))]
    let found = {
        let _ = folder;
        text.parse::<GameId>()
    };
    found.map_err(|error| item.problem(error.to_string())).ok()
}

/// Returns how many play together.
fn players(top: &mut Section<'_>, game: Option<GameId>, format: Option<&FormatPlan>) -> usize {
    let (least, most) = game.map_or((2, 254), |game| {
        let meta = game.meta();
        (meta.min_players.max(2), meta.max_players)
    });
    let item = top.get("players");
    let given = item
        .and_then(|item| item.number(least as u64..=most as u64))
        .map(|players| players as usize);
    match format {
        Some(FormatPlan::Groups { size, pairs: false, .. }) => {
            if let Some(item) = item {
                item.problem("in groups that play together `size` of [format] says how many play");
            }
            if !(least..=most).contains(size)
                && let Some(section) = top.get("format")
            {
                let fits =
                    if least == most { least.to_string() } else { format!("{least} to {most}") };
                section.problem(format!(
                    "in this game {fits} play together, not {size}: set `size`, or `within = \
                     \"pairs\"`"
                ));
            }
            (*size).clamp(least, most)
        }
        Some(format) if !format.takes_more_than_two() => {
            if given.is_some_and(|players| players > 2) {
                let item = item.expect("it was given");
                item.problem(
                    "in this format two play against each other; round-robin, groups and ladder \
                     take more",
                );
            }
            2
        }
        _ => given.unwrap_or(least),
    }
}

/// Returns the matches of a pairing: a whole number of rotations if seeds are mirrored.
fn matches(
    top: &mut Section<'_>,
    players: usize,
    mirrored: bool,
    format: Option<&FormatPlan>,
) -> u32 {
    // Groups need not have the same size: there the number is rounded up to whole rotations.
    let any_number = matches!(format, Some(FormatPlan::Groups { pairs: false, .. }));
    let fewest = if mirrored && !any_number { players as u32 } else { 1 };
    let Some(item) = top.get("matches") else { return fewest };
    let Some(matches) = item.number(1..=1_000_000).map(|matches| matches as u32) else {
        return fewest;
    };
    if !matches.is_multiple_of(fewest) {
        let up = matches.next_multiple_of(fewest);
        item.problem(format!(
            "`matches` is a multiple of {fewest}, so that everybody plays each seed from every \
             seat: {up}, or set `mirrored = false`"
        ));
    }
    matches
}

/// Returns all settings of the game: those of the preset or the defaults, changed by the plan.
/// Tries them in a game, too.
fn settings(
    top: &mut Section<'_>,
    game: GameId,
    preset: Option<&Item<'_>>,
    players: usize,
) -> Map<String, Value> {
    let mut section = top.section("settings", "[settings]");
    let span = section.span();
    let there = section.exists();
    let kind = game.kind();
    let mut rules = rules_of(kind, preset);
    for (key, place, value) in section.all() {
        if let Err(error) = kind.set_rule(&mut rules, &key, value) {
            section.problem_at(place, error.to_string());
        }
    }
    if let Err(error) = kind.start(&rules, players, Seed(0)) {
        let what = if there { "these settings" } else { "the game" };
        let problem = format!("{what} cannot be played with {players} players: {error}");
        section.problem_at(span, problem);
    }
    let Value::Object(rules) = rules else { panic!("settings are a JSON object, not {rules}") };
    rules
}

/// Returns the settings of the preset that a plan names, or the defaults.
fn rules_of(kind: &dyn GameKind, preset: Option<&Item<'_>>) -> Value {
    let named = preset.and_then(|item| {
        let name = item.string()?;
        kind.preset_rules(&name).map_err(|error| item.problem(error.to_string())).ok()
    });
    named.unwrap_or_else(|| kind.default_rules())
}

/// A text of bots, such as `python3 bots/*.py --fast`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotPattern<'a> {
    /// What stands before the path.
    before: &'a str,
    /// The path with its `*`, without quotes.
    path: &'a str,
    /// What stands behind it.
    behind: &'a str,
}

impl<'a> BotPattern<'a> {
    /// Returns the pattern in the text of bots whose paths start in `folder`; `None` if it names
    /// one bot.
    ///
    /// A path with blanks needs quotes, unless nothing but the path's kind stands before it.
    pub fn of(text: &'a str, folder: &Path) -> Option<BotPattern<'a>> {
        let kinds = ["builtin:", "connect:", "http://", "https://"];
        let takes_none = kinds.iter().any(|kind| text.contains(kind));
        if takes_none || folder.join(text).is_file() {
            return None;
        }
        let star = text.find('*')?;
        let mut quote = None;
        for (at, char) in text[..star].char_indices().filter(|(_, char)| "'\"".contains(*char)) {
            match quote {
                None => quote = Some((at, char)),
                Some((_, open)) if open == char => quote = None,
                Some(_) => {}
            }
        }
        if let Some((at, char)) = quote {
            let end = star + text[star..].find(char)?;
            return Some(BotPattern {
                before: &text[..at],
                path: &text[at + 1..end],
                behind: &text[end + 1..],
            });
        }
        let end = text[star..].find(' ').map_or(text.len(), |at| star + at);
        let after = |chars: &[char], text: &str| text.rfind(chars).map_or(0, |at| at + 1);
        // `my bots/*.py`: a path with blanks, if there is such a folder.
        let first = &text[..text[..star].find(' ').unwrap_or(star)];
        let alone = after(&[':', '='], first);
        let parent = text[alone..star].rfind('/').map(|end| &text[alone..alone + end]);
        let start = match parent {
            Some(parent) if parent.contains(' ') && folder.join(parent).is_dir() => alone,
            _ => after(&[' ', ':', '='], &text[..star]),
        };
        Some(BotPattern { before: &text[..start], path: &text[start..end], behind: &text[end..] })
    }

    /// Returns the files that it finds in `folder`, in order of their names, but no more than
    /// `most`. Hidden files, such as macOS writes beside others, are no bots.
    pub fn files(&self, folder: &Path, most: usize) -> Result<Vec<PathBuf>, Vec<String>> {
        let pattern = self.path;
        let full = if folder.as_os_str().is_empty() || self.path.starts_with('/') {
            self.path.to_owned()
        } else {
            format!("{}/{}", glob::Pattern::escape(&folder.display().to_string()), self.path)
        };
        let options = MatchOptions { require_literal_leading_dot: true, ..Default::default() };
        let found = glob::glob_with(&full, options)
            .map_err(|error| vec![format!("`{pattern}` is no pattern: {error}")])?;
        let mut files = Vec::new();
        let mut errors = Vec::new();
        for path in found {
            if files.len() == most {
                break;
            }
            match path {
                // People who may put a file into a folder could choose any file of the machine.
                Ok(path) if self.leads_out(folder, &path) => errors.push(format!(
                    "`{pattern}` finds {}, a link that leads elsewhere; remove it, or name the bot \
                     without `*`",
                    path.display()
                )),
                Ok(path) if path.is_file() || self.is_bot_folder(&path) => files.push(path),
                Ok(_) => {}
                Err(error) => errors.push(format!("`{pattern}`: {error}")),
            }
        }
        files.sort();
        if files.is_empty() && errors.is_empty() {
            let start = match folder.as_os_str().is_empty() {
                true => "the folder that `agon` was started in".to_owned(),
                false => format!("the plan's folder, {}", folder.display()),
            };
            errors.push(format!("`{pattern}` finds no file; patterns start in {start}"));
        }
        if errors.is_empty() { Ok(files) } else { Err(errors) }
    }

    /// Returns the text of one bot: that of the pattern with a file in its place.
    pub fn text_of(&self, file: &Path) -> String {
        let alone = !self.before.contains(' ') && self.behind.is_empty();
        format!("{}{}{}", self.before, word(file, alone), self.behind)
    }

    /// Returns whether a folder that it finds is a bot: it has a manifest, or the pattern is for
    /// folders only, as in `submissions/*/`.
    fn is_bot_folder(&self, path: &Path) -> bool {
        path.join(MANIFEST).is_file() || self.path.ends_with('/') && path.is_dir()
    }

    /// Returns whether a path that was found lies outside the folder in which the search began,
    /// after all links are resolved.
    fn leads_out(&self, folder: &Path, found: &Path) -> bool {
        let fixed = &self.path[..self.path.find('*').unwrap_or(self.path.len())];
        let start = folder.join(fixed.rfind('/').map_or("", |end| &fixed[..=end]));
        let start = if start.as_os_str().is_empty() { Path::new(".") } else { &start };
        match (start.canonicalize(), found.canonicalize()) {
            (Ok(start), Ok(found)) => !found.starts_with(start),
            _ => true,
        }
    }
}

/// Returns a path as a word of a command line.
pub(super) fn word(path: &Path, alone: bool) -> String {
    let text = path.display().to_string();
    if alone || !text.contains([' ', '\'', '"', '\\']) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The parts of the pattern in a text, whose paths start in a folder that has `my bots`.
    #[track_caller]
    fn parts(text: &str) -> Option<[String; 3]> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("my bots")).unwrap();
        let pattern = BotPattern::of(text, folder.path())?;
        Some([pattern.before, pattern.path, pattern.behind].map(str::to_owned))
    }

    #[test]
    fn patterns_are_single_words_paths_with_blanks_or_quoted() {
        for (text, expected) in [
            ("python3 bots/*.py --fast", ["python3 ", "bots/*.py", " --fast"]),
            ("wasm:bots/*.c", ["wasm:", "bots/*.c", ""]),
            ("my bots/*/", ["", "my bots/*/", ""]),
            ("jsonl:my bots/*.py --fast", ["jsonl:", "my bots/*.py", " --fast"]),
            ("python3 'my bots/*.py' -x", ["python3 ", "my bots/*.py", " -x"]),
            ("python3 \"Bob's bots/*.py\"", ["python3 ", "Bob's bots/*.py", ""]),
            ("your bots/*.py", ["your ", "bots/*.py", ""]),
        ] {
            assert_eq!(parts(text), Some(expected.map(str::to_owned)), "{text}");
        }
        for text in ["builtin:a?b=*", "bots/a.c", "connect:there/*"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
