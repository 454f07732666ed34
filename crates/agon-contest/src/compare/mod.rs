//! Finds out whether the new version of a bot is better than the old one, for `agon compare`.
//!
//! | module | contents |
//! | --- | --- |
//! | `judge` | what is asked, which matches each seed has, and the statistical test |
//! | `trial` | the matches in planned order: what is next, what counts; hands them to a pool |
//! | `simulation` | tests that trials err as rarely as they promise |
//! | `results` | what is kept of matches: the journal, replays, faults |

mod judge;
mod results;
#[cfg(test)]
mod simulation;
mod trial;

use std::{fs, path::Path, sync::Arc, sync::atomic::AtomicBool};

use agon_arena::{BotEntry, End};
use agon_bots::{HostOptions, folder_game, hosting, unique_names};
use agon_core::{BotInfo, Meta, Seed};
use agon_games::GameId;
use agon_match::spec::{MatchSettings, MatchSpec, Recording};
use anyhow::{Result, bail};
use serde_json::{Value, json};

use self::results::{Journal, SeedEntry, VERSION, journal_path, open_journal};
use crate::series::{
    Place, Series, entry, known_content, sandbox_in_journal, settle_seed, time_in_journal,
};
use crate::{Notice, Tell, plan::BotPattern};

pub use judge::{
    CompareOptions, Design, Judge, NEW, OLD, Question, Report, Tally, TestOptions, Verdict,
};
pub use results::{
    Arrival, BotFaults, FaultCase, FaultCount, FaultList, Played, Replays, Sameness, SeatFaults,
};
pub use trial::{Comparison, Counted, Results, Standing, Trial, Watcher};

/// All that does not change while matches are played.
pub struct Setup {
    /// What is asked for.
    pub options: CompareOptions,
    /// The seed from which those of all matches follow.
    pub seed: Seed,
    /// Which matches each seed has.
    pub design: Design,
    judge: Judge,
    /// Both versions and the pool.
    pub bots: Bots,
    /// The matches.
    pub series: Series,
}

/// The files of a comparison.
#[derive(Default)]
pub struct Files {
    /// The journal with the seeds that count already.
    journal: Option<(Journal, Vec<SeedEntry>)>,
    replays: Option<Replays>,
}

impl Setup {
    /// Checks the options.
    pub fn new(
        game: GameId,
        rules: Value,
        settings: MatchSettings,
        bots: Bots,
        options: CompareOptions,
        (machine, place): (&HostOptions, &Place),
    ) -> Result<Setup> {
        let design = design(&game.meta(), &options, bots.others().len())?;
        let seed = settle_seed(options.out.as_deref().map(journal_path).as_deref(), options.seed)?;
        game.kind().start(&rules, design.players(), seed)?;
        let judge = Judge::new(design, &options.test)?;
        let recording = Recording { replay: options.replays.is_some(), ..settings.recording };
        let settings = MatchSettings { recording, ..settings };
        let base = MatchSpec::new(game, rules, settings);
        let series = Series::new(base, machine, place, None);
        let bots = bots.in_game(game).for_design(design);
        Ok(Setup { options, seed, design, judge, bots, series })
    }

    /// Returns what the test asks.
    pub fn question(&self) -> Question {
        self.judge.question()
    }

    /// Opens the files. It makes no files before all bots can play: a broken bot must leave no
    /// journal behind, which would not fit the repaired one.
    pub fn open_files(&self) -> Result<Files> {
        let is_new = !self.options.out.as_deref().is_some_and(|out| journal_path(out).exists());
        if is_new {
            self.try_bots()?;
        }
        let open = |out| open_journal(out, &self.header(), self.design);
        let journal = self.options.out.as_deref().map(open).transpose()?;
        let seeds = journal.as_ref().map_or(0, |(_, entries)| entries.len() as u64);
        let replays = self.options.replays.as_deref().map(|folder| match is_new {
            true => Replays::create(folder),
            false => Replays::resume(folder, seeds, self.design.matches_each()),
        });
        Ok(Files { journal, replays: replays.transpose()? })
    }

    fn try_bots(&self) -> Result<()> {
        self.series.try_open(self.bots.all().iter().map(<Arc<BotEntry>>::as_ref))
    }

    /// Returns all that results depend on, for the first line of the journal.
    fn header(&self) -> Value {
        let base = &self.series.base;
        let settings = &base.settings;
        let bot = |number: usize| {
            json!([self.bots.info(number).spec, known_content(base.game, &self.bots.all()[number])])
        };
        let bots: Vec<Value> = (0..self.bots.all().len()).map(bot).collect();
        let mut header = json!({
            "compare": VERSION, "game": base.game, "rules": base.rules_version,
            "settings": base.rules, "seed": self.seed,
            "design": self.design,
            "new": bots[NEW], "old": bots[OLD], "against": bots[OLD + 1..],
            "time": time_in_journal(settings),
            "sandbox": sandbox_in_journal(settings),
            "wasm": [json!(settings.sandbox.wasm), json!(settings.sandbox.wasm_memory)],
            "share_jvm": settings.sandbox.share_jvm,
        });
        // Each flag of the test has its own key, so that a message can name the one that differs.
        let question = json!(self.judge.question());
        for (key, value) in question.as_object().into_iter().flatten() {
            header[key] = value.clone();
        }
        header
    }

    /// Makes the comparison before its first match, or after the seeds in the files.
    pub fn begin<'a>(
        &'a self,
        files: Files,
        watcher: &'a mut dyn Watcher,
        tell: Tell<'_>,
    ) -> Result<Comparison<'a>> {
        let Setup { options, seed, design, judge, bots, series, .. } = self;
        let trial: Trial<Arrival> = Trial::new(*design, judge.clone(), *seed, options.test.max);
        let mut comparison = Comparison::new(trial, bots, &series.base, watcher);
        if let Some((journal, entries)) = files.journal {
            comparison.resume(journal, entries, tell)?;
        }
        comparison.results.replays = files.replays;
        Ok(comparison)
    }

    /// Plays until it is decided, or `stop` is set.
    pub fn play(&self, comparison: &mut Comparison<'_>, stop: Arc<AtomicBool>) -> Result<End> {
        if comparison.is_over() {
            return Ok(End::Done);
        }
        if comparison.results.trial.seeds > 0 {
            self.try_bots()?;
        }
        let end = self.series.run(comparison, stop)?;
        comparison.close()?;
        Ok(end)
    }

    /// Returns whether species in Clojure share a JVM, in which they can reach each other.
    pub fn shares_jvm(&self) -> bool {
        let base = &self.series.base;
        let has_species = hosting(base.game.kind()).clojure.is_some();
        base.settings.sandbox.share_jvm && has_species
    }
}

/// Chooses the design that the options ask for.
fn design(game: &Meta, options: &CompareOptions, pool: usize) -> Result<Design> {
    let Meta { id, min_players, max_players, .. } = *game;
    let players = options.players.unwrap_or(min_players.max(2));
    let allowed = min_players.max(2)..=max_players;
    if !allowed.contains(&players) {
        let (least, most) = (allowed.start(), allowed.end());
        bail!("--players {players}: {id} is played by {least} to {most} players");
    }
    if pool > 0 && pool < players - 1 {
        let others = players - 1;
        bail!(
            "--players {players} needs {others} others in each match, but --against names {pool}; \
             name more, or give --players {}",
            pool + 1
        );
    }
    let design = Design::new(players, pool);
    let each = design.matches_each();
    if let Some(max) = options.test.max.filter(|max| *max < each) {
        bail!("--max {max}: each seed has {each} matches, so give {each} or more");
    }
    Ok(design)
}

/// Both versions, then the pool. The place of a bot is its number in a [`Design`].
#[derive(Clone, Debug)]
pub struct Bots(Vec<Arc<BotEntry>>);

impl Bots {
    /// Reads the bots that were typed.
    pub fn new(
        new: &str,
        old: &str,
        pool: &[String],
        host: &HostOptions,
        tell: Tell<'_>,
    ) -> Result<Bots> {
        let mut texts = vec![new.to_owned(), old.to_owned()];
        for text in pool {
            texts.extend(expand(text)?);
        }
        // A folder of another game is noticed before anything is built.
        let folder = |text: &String| folder_game(Path::new(text)).ok();
        let game = host.game.or_else(|| texts.iter().find_map(folder));
        let host = &HostOptions { game, ..host.clone() };
        let bots: Vec<Arc<BotEntry>> =
            texts.iter().map(|text| entry(text, None, host, tell)).collect::<Result<_>>()?;
        let mut names: Vec<String> = bots.iter().map(|bot| bot.info.name.clone()).collect();
        if names[NEW] == names[OLD] {
            // Of `v1/bot.py` and `v2/bot.py`, `bot` and `bot-2` would not show which is which.
            names[NEW] = "new".to_owned();
            names[OLD] = "old".to_owned();
        }
        Ok(Bots(bots).named(names))
    }

    /// Adds the copies of the old version that a design needs.
    pub fn for_design(self, design: Design) -> Bots {
        let copies = vec![Arc::clone(&self.0[OLD]); design.copies()];
        let bots = Bots(self.0.into_iter().chain(copies).collect());
        let names = bots.0.iter().map(|bot| bot.info.name.clone()).collect();
        bots.named(names)
    }

    /// Adds the versions of built-in bots, which belong to a game.
    pub fn in_game(self, game: GameId) -> Bots {
        Bots(self.0.iter().map(|bot| Arc::new(bot.in_game(game))).collect())
    }

    fn named(self, names: Vec<String>) -> Bots {
        let rename = |(bot, name): (Arc<BotEntry>, String)| {
            if bot.info.name == name { bot } else { Arc::new(bot.named(&name)) }
        };
        Bots(self.0.into_iter().zip(unique_names(names)).map(rename).collect())
    }

    /// Returns both versions, then the pool.
    pub fn all(&self) -> &[Arc<BotEntry>] {
        &self.0
    }

    /// Returns the bots beside both versions.
    pub fn others(&self) -> &[Arc<BotEntry>] {
        &self.0[OLD + 1..]
    }

    /// Returns what is known of a bot.
    pub fn info(&self, bot: usize) -> &BotInfo {
        &self.0[bot].info
    }

    /// Warns if both versions seem to be the same.
    pub fn warn_of_the_same(&self, tell: Tell<'_>) {
        if self.are_the_same() {
            let [new, old] = [NEW, OLD].map(|bot| &self.info(bot).name);
            tell(Notice::Warning(format!(
                "{new} and {old} seem to be the same bot, with the same files and arguments"
            )));
        }
    }

    /// Returns whether both versions have the same files and arguments. Modules that these files
    /// load may still differ.
    pub fn are_the_same(&self) -> bool {
        let (new, old) = (self.info(NEW), self.info(OLD));
        (&new.kind, &new.digest) == (&old.kind, &old.digest) && arguments(new) == arguments(old)
    }
}

/// Returns the words of a bot's text that are no files.
fn arguments(info: &BotInfo) -> Vec<String> {
    let text = info.spec.trim_start_matches("jsonl:").trim_start_matches("http:");
    let text = text.trim_start_matches("wasm:");
    if info.digest.is_some() && Path::new(text).is_file() {
        return Vec::new();
    }
    let words = shlex::split(text).unwrap_or_else(|| vec![text.to_owned()]);
    words.into_iter().filter(|word| info.digest.is_none() || !Path::new(word).is_file()).collect()
}

/// Returns the text itself, or a text for each file that its word with `*` finds, in order of their
/// names.
fn expand(text: &str) -> Result<Vec<String>> {
    let here = Path::new("");
    let Some(pattern) = BotPattern::of(text, here) else { return Ok(vec![text.to_owned()]) };
    match pattern.files(here, usize::MAX) {
        Ok(files) => Ok(files.iter().map(|file| pattern.text_of(file)).collect()),
        Err(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            bail!("--against: {}", errors.join("\n"))
        }
    }
}

/// Returns the game that was named, or else the only one that all bots can play, as far as they
/// show it.
pub fn game<'a>(
    named: Option<&str>,
    bots: impl IntoIterator<Item = &'a BotInfo>,
) -> Result<GameId> {
    if let Some(name) = named {
        return agon_bots::game_file::find(name).map_err(anyhow::Error::msg);
    }
    let mut games = GameId::all();
    for bot in bots {
        let own = games_of(bot);
        games.retain(|game| own.contains(game));
    }
    match games.as_slice() {
        [game] => Ok(*game),
        _ => {
            let names = GameId::names();
            bail!("the bots do not tell which game they are for; add `--game GAME`, one of {names}")
        }
    }
}

/// Returns the games that a bot may be for. Built-in bots belong to games, Clojure to amoebas, and
/// a folder's manifest names the game. A file of a bot made by `agon new` has a recorded
/// conversation of its game beside it.
fn games_of(bot: &BotInfo) -> Vec<GameId> {
    if let Some(name) = bot.spec.strip_prefix("builtin:") {
        let name = name.split('?').next().unwrap_or_default();
        return GameId::all().into_iter().filter(|&id| has_builtin(id, name)).collect();
    }
    if bot.kind == "clojure" {
        return vec![GameId::Amoebas];
    }
    if let Ok(game) = folder_game(Path::new(&bot.spec)) {
        return vec![game];
    }
    let words = shlex::split(&bot.spec).unwrap_or_default();
    let file = |word: &String| {
        let path = Path::new(word.split_once(':').map_or(word.as_str(), |(_, path)| path));
        fs::canonicalize(path).ok().filter(|path| path.is_file())
    };
    let files = words.iter().filter_map(file);
    let kit =
        files.flat_map(|file| file.ancestors().skip(1).take(4).filter_map(kit_in).next()).next();
    kit.map_or_else(GameId::all, |game| vec![game])
}

fn has_builtin(id: GameId, name: &str) -> bool {
    id.kind().builtins().iter().any(|builtin| builtin.name == name)
}

/// Returns the game of the starter kit in this folder, if there is one.
fn kit_in(folder: &Path) -> Option<GameId> {
    let golden = |id: &GameId| folder.join(format!("golden/{id}.arena.jsonl")).is_file();
    GameId::all().into_iter().find(golden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bots: &Bots) -> Vec<&str> {
        bots.all().iter().map(|bot| bot.info.name.as_str()).collect()
    }

    #[test]
    fn versions_of_one_name_are_new_and_old() {
        let bots = Bots::new(
            "builtin:a?x=1",
            "builtin:a",
            &["builtin:b".to_owned(), "builtin:b".to_owned()],
            &HostOptions::default(),
            &|_| {},
        );
        assert_eq!(names(&bots.unwrap()), ["new", "old", "b", "b-2"]);
        let bots = Bots::new("v2=builtin:a", "builtin:a", &[], &HostOptions::default(), &|_| {})
            .unwrap()
            .for_design(Design::Field { players: 4 });
        assert_eq!(names(&bots), ["v2", "a", "a-2", "a-3"]);
        assert_eq!(bots.others()[1].spec.to_string(), "a-3=builtin:a");
    }

    #[test]
    fn patterns_stand_for_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.py", "a b.py", "c.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let path = folder.path().display();
        let found = expand(&format!("jsonl:python3 {path}/*.py --fast")).unwrap();
        let expected = [
            format!("jsonl:python3 '{path}/a b.py' --fast"),
            format!("jsonl:python3 {path}/b.py --fast"),
        ];
        assert_eq!(found, expected);
        assert_eq!(expand(&format!("{path}/*.txt")).unwrap(), [format!("{path}/c.txt")]);
        let error = expand(&format!("{path}/*.c")).unwrap_err().to_string();
        assert!(error.contains("finds no file"), "{error}");
        assert_eq!(expand("builtin:a?b=*").unwrap(), ["builtin:a?b=*"]);
        // People who may put a file there choose no other file of this machine.
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("d.txt")).unwrap();
        let error = expand(&format!("{path}/*.txt")).unwrap_err().to_string();
        assert!(error.contains("d.txt, a link that leads elsewhere"), "{error}");
    }

    #[test]
    fn the_same_bot_twice_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.sh", "b.sh"] {
            fs::write(folder.path().join(name), "#!/bin/sh\n").unwrap();
        }
        let same = |new: &str, old: &str| {
            let path = |text: &str| text.replace("DIR", &folder.path().display().to_string());
            Bots::new(&path(new), &path(old), &[], &HostOptions::default(), &|_| {})
                .unwrap()
                .are_the_same()
        };
        assert!(same("sh DIR/a.sh", "sh DIR/b.sh") && same("sh DIR/a.sh -x", "sh DIR/b.sh -x"));
        assert!(
            !same("sh DIR/a.sh", "sh DIR/b.sh -x") && !same("sh DIR/a.sh", "jsonl:sh DIR/b.sh")
        );
        assert!(same("builtin:a?x=1", "rosa=builtin:a?x=1") && !same("builtin:a?x=1", "builtin:a"));
    }

    fn bot(kind: &str, spec: &str) -> BotInfo {
        BotInfo { spec: spec.to_owned(), ..BotInfo::new("a", kind) }
    }

    #[test]
    fn bots_tell_their_game() {
        let guess = |bots: &[BotInfo]| game(None, bots).map_err(|error| error.to_string());
        let tumbler = bot("builtin", "builtin:tumbler?width=8");
        let random = bot("builtin", "builtin:random");
        assert_eq!(guess(&[tumbler.clone(), random.clone()]), Ok(GameId::Cluster));
        assert_eq!(
            guess(&[bot("clojure", "x.clj?fn=a"), bot("program", "x")]),
            Ok(GameId::Amoebas)
        );
        let unclear = guess(&[random]).unwrap_err();
        assert!(unclear.contains("--game") && unclear.contains("cellhack, cluster"), "{unclear}");
        assert!(guess(&[tumbler, bot("clojure", "x.clj")]).is_err(), "no game has both");
        assert_eq!(game(Some("rezzo"), []).unwrap(), GameId::Rezzo);
        assert!(game(Some("reszo"), []).unwrap_err().to_string().contains("did you mean `rezzo`"));
    }

    #[test]
    fn a_kit_stands_beside_its_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::create_dir_all(file("golden")).unwrap();
        fs::create_dir_all(file("src")).unwrap();
        fs::write(file("golden/rezzo.arena.jsonl"), "").unwrap();
        fs::write(file("src/bot.py"), "").unwrap();
        let spec = format!("jsonl:python3 -u {}", file("src/bot.py").display());
        assert_eq!(games_of(&bot("jsonl", &spec)), [GameId::Rezzo]);
        let manifest = "game = \"cellhack\"\nrun = \"bot.c\"\n";
        fs::write(file("agon.toml"), manifest).unwrap();
        let spec = folder.path().display().to_string();
        assert_eq!(games_of(&bot("c", &spec)), [GameId::Cellhack]);
    }
}
