//! Tests that cellhack's bots play: the built-in ones, and the C examples through the flat records.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use agon_core::{Decision, Game, GameExt, Params, Policy, Purpose, Seed, runs_by_player};
use agon_games::cellhack::{Answer, Cellhack, Rules, jsonl, protocol};
use agon_games::{BuiltinBots, batch::Batch, presets};
use tempfile::TempDir;

use crate::support::policy;

/// Something that answers one player's part of a batch.
trait Contestant {
    fn answers(&mut self, game: &Cellhack, decisions: &[Decision]) -> Vec<Answer>;
}

struct BuiltIn(Box<dyn Policy<Cellhack>>);

impl Contestant for BuiltIn {
    fn answers(&mut self, game: &Cellhack, decisions: &[Decision]) -> Vec<Answer> {
        let decide = |&d: &Decision| {
            let number = game.progress().turn << 32 | u64::from(d.unit);
            let mut rng = game.seed().stream(Purpose::Bot(d.player.0), number);
            self.0.decide(&game.view(d), &mut rng)
        };
        decisions.iter().map(decide).collect()
    }
}

/// A built-in bot by its name, with parameters: `grower?rich=50`.
fn built_in(spec: &str) -> Box<dyn Contestant> {
    Box::new(BuiltIn(policy(spec)))
}

/// Plays a match and returns the number of cells of each player at its end.
fn play(rules: &Rules, seed: u64, bots: &mut [Box<dyn Contestant>]) -> Vec<u32> {
    let mut game = Cellhack::new(rules, bots.len(), Seed(seed)).unwrap();
    while !game.is_over() {
        let mut answers = Vec::new();
        for (player, range) in runs_by_player(game.decisions()) {
            answers.extend(bots[player.index()].answers(&game, &game.decisions()[range]));
        }
        game.step(&answers);
    }
    game.cell_counts().to_vec()
}

#[test]
fn each_old_built_in_bot_beats_the_one_before() {
    let strongest = Cellhack::BUILTINS.iter().position(|bot| bot.name == "swarm").unwrap();
    for pair in Cellhack::BUILTINS[..=strongest].windows(2) {
        for seed in 1..=2 {
            let weak = pair[0].name;
            let strong = pair[1].name;
            let cells = play(&Rules::default(), seed, &mut [built_in(weak), built_in(strong)]);
            assert!(
                cells[1] > 2 * cells[0],
                "{weak} {}, {strong} {} with seed {seed}",
                cells[0],
                cells[1]
            );
        }
    }
}

#[test]
fn feeder_and_hoarder_beat_all_older_built_in_bots() {
    for champion in ["feeder", "hoarder"] {
        for other in ["random", "grower", "hunter", "swarm"] {
            for seed in 1..=2 {
                let mut bots = [built_in(champion), built_in(other)];
                let cells = play(&Rules::default(), seed, &mut bots);
                assert!(cells[0] > cells[1], "{champion}, {other}, seed {seed}: {cells:?}");
            }
        }
    }
}

#[test]
fn swarm_leaves_nothing_to_chance() {
    for seed in 1..=3 {
        let cells = play(&Rules::default(), seed, &mut [built_in("random"), built_in("swarm")]);
        assert!(cells[0] == 0 && cells[1] > 1000, "seed {seed}: {cells:?}");
    }
}

#[test]
fn the_swarm_has_more_than_twice_the_cells_of_each_other_bot() {
    let mut bots = ["swarm", "hunter", "grower", "random"].map(built_in);
    let cells = play(&Rules::default(), 1, &mut bots);
    assert!(cells[1..].iter().all(|&other| 2 * other < cells[0]), "{cells:?}");
}

#[test]
fn no_bot_of_the_show_is_left_behind() {
    let rules = presets::rules::<Cellhack>(presets::DEFAULT).unwrap();
    for seed in 1..=4 {
        let mut bots: Vec<_> = Cellhack::SHOW.iter().map(|spec| built_in(spec)).collect();
        let cells = play(&rules, seed, &mut bots);
        let most = cells.iter().max().unwrap();
        assert!(cells.iter().all(|other| 4 * other > *most), "seed {seed}: {cells:?}");
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for builtin in Cellhack::BUILTINS {
        for param in builtin.params {
            let params = Params::new(builtin.params, [(param.name, "256")]).unwrap();
            let error = (builtin.make)(&params).err().expect("256 is too much");
            assert!(
                error.to_string().starts_with(&format!("parameter `{}`", param.name)),
                "{error}"
            );
        }
    }
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn cc(args: &[&str], source: &Path, out: &Path) {
    let include = root("crates/agon-games/src/cellhack/include");
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"];
    let output = Command::new("cc")
        .args(strict)
        .arg(&include)
        .args(args)
        .arg(source)
        .arg("-o")
        .arg(out)
        .output()
        .expect("the system has a C compiler, `cc`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A C bot in a process of its own, which a small driver feeds with records.
struct Native {
    child: Child,
    /// Where its program is; removed with it.
    _folder: TempDir,
}

impl Native {
    fn start(bot: &str) -> Native {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let program = folder.path().join("driver");
        let object = folder.path().join("bot.o");
        let driver = root("crates/agon-games/tests/data/cellhack_driver.c");
        let source = root(&format!("examples/bots/cellhack/{bot}.c"));
        cc(&["-c", "-include", protocol::PLAYER_H_PATH], &source, &object);
        cc(&[object.to_str().unwrap()], &driver, &program);
        let child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Native { child: child.expect("the driver starts"), _folder: folder }
    }
}

impl Contestant for Native {
    fn answers(&mut self, game: &Cellhack, decisions: &[Decision]) -> Vec<Answer> {
        let mut questions = Vec::new();
        let mut records = vec![0; game.answer_room(decisions)];
        let size = game.write_decisions(decisions, &mut questions);
        let room = records.len() / decisions.len();
        for (question, record) in questions.chunks(size).zip(records.chunks_mut(room)) {
            self.child.stdin.as_mut().unwrap().write_all(question).unwrap();
            self.child.stdout.as_mut().unwrap().read_exact(record).unwrap();
        }
        let mut answers = vec![Answer::default(); decisions.len()];
        game.read_answers(decisions, &records, &mut answers, &mut |i, why| {
            panic!("answer {i}: {why:?}")
        });
        answers
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap();
        assert!(status.success() || std::thread::panicking(), "the driver ended with {status}");
    }
}

const EXAMPLES: [&str; 3] = ["amoeboid", "drifter", "pioneers"];

#[test]
fn the_examples_in_c_beat_random() {
    let rules = Rules { width: 24, height: 24, turns: 200, ..Rules::default() };
    for bot in EXAMPLES {
        for seed in 1..=2 {
            let cells = play(&rules, seed, &mut [built_in("random"), Box::new(Native::start(bot))]);
            assert!(cells[1] > 10 * cells[0], "{bot}, seed {seed}: {cells:?}");
        }
    }
}

#[test]
fn the_examples_compile_to_shared_objects() {
    for bot in EXAMPLES {
        let source = root(&format!("examples/bots/cellhack/{bot}.c"));
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cellhack-{bot}.so"));
        let included =
            std::fs::read_to_string(&source).unwrap().contains("#include \"cellhack/player.h\"");
        let header: &[&str] = if included { &[] } else { &["-include", protocol::PLAYER_H_PATH] };
        cc(&[&["-shared", "-fPIC"], header].concat(), &source, &out);
        std::fs::remove_file(&out).unwrap();
    }
}

/// The complete bot of the game's page compiles as it stands there.
#[test]
fn the_bot_of_the_page_compiles() {
    let (_, rest) = Cellhack::META.page.split_once("```c\n#include").expect("the page has a bot");
    let (bot, _) = rest.split_once("```").expect("the bot ends");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = dir.join("cellhack-page.c");
    let object = dir.join("cellhack-page.so");
    std::fs::write(&source, format!("#include{bot}")).unwrap();
    cc(&["-shared", "-fPIC"], &source, &object);
}

/// The example exchange of the page in JSON is what the protocol reads and writes.
#[test]
fn the_json_of_the_page_is_understood() {
    let (_, rest) = Cellhack::META.page.split_once("```json\n").expect("the page has an exchange");
    let lines: Vec<&str> = rest.lines().take(2).collect();
    let question: jsonl::Observation = serde_json::from_str(lines[0]).unwrap();
    let same = serde_json::to_value(question).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(lines[0]).unwrap(), same);
    let reply: jsonl::Reply = serde_json::from_str(lines[1]).unwrap();
    assert_eq!(reply.action.byte(), 0x15);
}
