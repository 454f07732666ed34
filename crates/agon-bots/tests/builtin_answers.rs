//! Compares the answers of all built-in bots with recorded ones.
//!
//! If they differ, the bot needs a new version, because results of the old one do not hold for it
//! any more.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{env, fmt, fs, path::PathBuf};

use agon_bots::{BatchPart, Bot, BotSpec, HostOptions, Progress, open};
use agon_core::{Fold, Seed, runs_by_player};
use agon_games::{
    GameId,
    any::{AnyAnswers, AnyGame},
};
use serde_json::{Value, json};

/// The command that records the answers again.
const RECORD: &str = "AGON_RECORD=1 cargo test -p agon-bots --test all builtin_answers";

/// The seeds of the matches: plain ones, with which the answers were recorded.
const SEEDS: [Seed; 2] = [Seed::plain(1), Seed::plain(7)];

/// The answers of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    game: GameId,
    /// The bot with its parameters, as after `builtin:`.
    bot: String,
    /// Its version.
    version: u32,
    /// The version of the game's rules.
    rules: u32,
    hash: u64,
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answers { game, bot, version, rules, hash } = self;
        write!(f, "{} {bot} version {version} rules {rules} {hash:#018x}", game.meta().id)
    }
}

impl Answers {
    /// Reads a line.
    fn parse(line: &str) -> Answers {
        let words: Vec<&str> = line.split(' ').collect();
        let [game, bot, "version", version, "rules", rules, hash] = words[..] else {
            panic!("not understood: {line}");
        };
        Answers {
            game: game.parse().unwrap(),
            bot: bot.to_owned(),
            version: version.parse().unwrap(),
            rules: rules.parse().unwrap(),
            hash: hash.parse::<Seed>().unwrap().number(),
        }
    }

    /// Returns the same bot's current answers.
    fn today(&self) -> Answers {
        let spec: BotSpec = format!("builtin:{}", self.bot).parse().unwrap();
        let version = spec.version(self.game.kind());
        let version = version.unwrap_or_else(|| panic!("{self}: no such bot"));
        let rules = self.game.meta().rules_version;
        Answers { version, rules, hash: hash(self.game, &self.bot), ..self.clone() }
    }

    /// Describes the problem if the bot's answers are now `today`.
    fn problem(&self, today: &Answers) -> Option<String> {
        let Answers { bot, version, .. } = today;
        let name = format!("{} builtin:{bot}", today.game.meta().id);
        if self == today {
            None
        } else if self.version == *version && self.rules == today.rules {
            Some(format!(
                "{name} answers otherwise than its version {version} did: raise `version` where \
                 the bot is declared (crates/agon-games/src/{}/bots), then run `{RECORD}`",
                today.game.meta().id
            ))
        } else if *version < self.version {
            Some(format!(
                "{name} has the version {version}, but {} is recorded: versions only rise",
                self.version
            ))
        } else {
            Some(format!("{name} or the rules have a new version: run `{RECORD}`"))
        }
    }

    /// Returns whether `today` may replace it.
    fn may_become(&self, today: &Answers) -> bool {
        self == today || today.version > self.version || today.rules > self.rules
    }
}

/// Returns settings that make matches short.
///
/// Two bots of cluster think for long; with less work they play longer matches.
fn small(game: GameId, bot: &str) -> Value {
    match game {
        GameId::Cluster if ["lookahead", "tumbler"].contains(&bot) => {
            json!({ "side": 6, "max_rounds": 3 })
        }
        GameId::Amoebas => json!({ "world_size": 40, "rounds": 60 }),
        GameId::Binfection => json!({ "field_width": 20, "field_height": 20, "turns_limit": 40 }),
        GameId::Cellhack => json!({ "width": 24, "height": 24, "turns": 60 }),
        GameId::Cluster => json!({ "side": 6, "max_rounds": 40 }),
        GameId::Rezzo => json!({ "width": 64, "height": 64, "max_ticks": 1500 }),
        #[allow(unreachable_patterns, reason = "further games have settings for tests")]
        _ => serde_json::from_str(game.kind().trials().tiny).unwrap(),
    }
}

/// Returns a hash of all answers in matches of a bot against itself.
fn hash(id: GameId, bot: &str) -> u64 {
    let kind = id.kind();
    let rules = small(id, bot);
    let players = kind.meta().min_players.max(2);
    let spec = format!("builtin:{bot}").parse().unwrap();
    let mut fold = Fold::new();
    for seed in SEEDS {
        let mut game = kind.start(&rules, players, seed).unwrap();
        let mut bots: Vec<Box<dyn Bot>> = (0..game.players())
            .map(|_| open(kind, &spec, &HostOptions::default()).unwrap())
            .collect();
        for step in 0.. {
            if game.is_over() {
                break;
            }
            let answers = answers(&game, step, &mut bots);
            let mut bytes = Vec::new();
            answers.encode(&mut bytes);
            fold.add_bytes(&bytes);
            game.step(&answers);
        }
    }
    fold.finish()
}

/// Returns the bots' answers to all decisions of a step.
fn answers(game: &AnyGame, step: u64, bots: &mut [Box<dyn Bot>]) -> AnyAnswers {
    let decisions = game.decisions();
    let mut answers = game.kind().no_answers();
    answers.reset(decisions.len());
    for (player, range) in runs_by_player(decisions) {
        let part = BatchPart { game, step, player, decisions: &decisions[range.clone()] };
        let mut faults = Vec::new();
        bots[player.index()].ask(part, &mut faults);
        let progress = bots[player.index()].collect(part, answers.part_mut(range), &mut faults);
        assert!(matches!(progress, Progress::Done));
        assert!(faults.is_empty(), "{faults:?}");
    }
    answers
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/builtin.answers")
}

fn recorded() -> Vec<Answers> {
    let text = fs::read_to_string(file()).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(Answers::parse).collect()
}

#[test]
fn built_in_bots_answer_what_their_versions_did() {
    let pairs: Vec<(Answers, Answers)> =
        recorded().into_iter().map(|old| (old.clone(), old.today())).collect();
    if env::var_os("AGON_RECORD").is_some() {
        let refused: Vec<String> = pairs
            .iter()
            .filter(|(old, today)| !old.may_become(today))
            .filter_map(|(old, today)| old.problem(today))
            .collect();
        assert!(refused.is_empty(), "nothing is recorded:\n{}", refused.join("\n"));
        let text = fs::read_to_string(file()).unwrap();
        let head = text.lines().filter(|line| line.starts_with('#')).map(str::to_owned);
        let lines = head.chain(pairs.iter().map(|(_, today)| today.to_string()));
        fs::write(file(), lines.map(|line| line + "\n").collect::<String>()).unwrap();
        return;
    }
    let problems: Vec<String> =
        pairs.iter().filter_map(|(old, today)| old.problem(today)).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_built_in_bot_is_recorded_with_its_defaults_and_each_parameter() {
    let recorded = recorded();
    let names =
        |id: GameId, text: &str| recorded.iter().any(|line| line.game == id && line.bot == text);
    for id in GameId::OWN {
        // Games of the kit may be recorded, but need not: they live in one folder.
        if id.kind().lists_legal() {
            continue;
        }
        let game = id.meta().id;
        for bot in id.kind().builtins() {
            assert!(names(id, bot.name), "{game} {}: add it to {}", bot.name, file().display());
            for param in bot.params {
                let set = |line: &&Answers| {
                    let (name, params) = line.bot.split_once('?').unwrap_or((&line.bot, ""));
                    let set = format!("{}=", param.name);
                    name == bot.name && params.split('&').any(|given| given.starts_with(&set))
                };
                let name = bot.name;
                let param = param.name;
                let found = recorded.iter().filter(|line| line.game == id).any(|line| set(&line));
                assert!(found, "{game} {name}?{param}=...: add it to {}", file().display());
            }
        }
    }
}

#[test]
fn a_change_of_answers_asks_for_a_new_version() {
    let old =
        Answers { game: GameId::Cluster, bot: "greedy".into(), version: 1, rules: 1, hash: 7 };
    let changed = Answers { hash: 8, ..old.clone() };
    let problem = old.problem(&changed).unwrap();
    assert!(problem.contains("raise `version`") && problem.contains(RECORD), "{problem}");
    assert!(!old.may_become(&changed));
    for raised in
        [Answers { version: 2, ..changed.clone() }, Answers { rules: 2, ..changed.clone() }]
    {
        assert!(old.problem(&raised).unwrap().ends_with(&format!("run `{RECORD}`")));
        assert!(old.may_become(&raised));
    }
    assert!(
        Answers { version: 3, ..old.clone() }.problem(&old).unwrap().contains("versions only rise")
    );
    assert_eq!(old.problem(&old), None);
}
