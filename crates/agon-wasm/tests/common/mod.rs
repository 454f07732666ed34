//! Helpers of these tests: modules, good and bad, and a small referee.
// Each test program uses a part of this, and a failing test may panic anywhere.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::{fs, path::PathBuf, process::Command, time::Duration};

use agon_bots::{BatchPart, Bot, BotSpec, Clock, HostExecutable, HostOptions, Seat, Timing, open};
use agon_core::{Fault, FaultKind, Game, Player, Seed, runs_by_player};
use agon_games::cellhack::{Action, Answer, Cell, Cellhack, Position, Rules};
use tempfile::TempDir;

pub const REST: Answer = Answer { action: Action::Rest, memory: None };
pub const IDLE: Answer = Answer { action: Action::Nothing, memory: None };

/// A time that only a bug takes, however busy the machine is.
const AGES: Clock = Clock::cpu(Duration::from_secs(300));

/// A folder for the files of a test.
pub struct Workshop(TempDir);

impl Workshop {
    pub fn new() -> Workshop {
        Workshop(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path as text.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes the module that a text describes.
    pub fn module(&self, text: &str) -> String {
        self.file(
            "bot.wasm",
            wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}")),
        )
    }

    pub fn options(&self) -> HostOptions {
        HostOptions { cache: Some(self.path("cache")), ..options() }
    }
}

/// Returns options with this crate's own host, under which no good bot ever times out.
pub fn options() -> HostOptions {
    let host = HostExecutable { path: env!("CARGO_BIN_EXE_agon-wasm-host").into(), args: vec![] };
    HostOptions { timing: Timing::Clock(AGES), wasm_host: Some(host), ..HostOptions::default() }
}

/// Returns a committed module.
pub fn fixture(name: &str) -> String {
    format!("{}/tests/modules/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns an example bot for cellhack.
pub fn example(name: &str) -> String {
    format!("{}/../../examples/bots/cellhack/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns a compiler from C to WebAssembly, if there is one here.
pub fn clang() -> Option<String> {
    let workshop = Workshop::new();
    let links = |clang: &str| {
        let flags =
            ["--target=wasm32", "-nostdlib", "-Wl,--no-entry", "-x", "c", "/dev/null", "-o"];
        let output = Command::new(clang).args(flags).arg(workshop.path("empty.wasm")).output();
        output.is_ok_and(|output| output.status.success())
    };
    let versions = (14..=22).map(|version| format!("clang-{version}"));
    let found = ["clang".to_owned()].into_iter().chain(versions).find(|clang| links(clang));
    if found.is_none() {
        agon_testkit::leave_out("need clang and wasm-ld; `cargo xtask setup` installs them");
    }
    found
}

pub fn spec(text: &str) -> BotSpec {
    text.parse().unwrap()
}

/// Makes a row of distant cells of player 0, numbered in their memory, and a cell of player 1.
pub fn row(cells: u32) -> Cellhack {
    let rules = Rules { width: 2 * cells + 10, height: 9, ..Rules::default() };
    let cell = |n: u32| Cell { x: 2 * n, y: 2, player: 0, energy: 50, memory: n.into() };
    let other = Cell { x: 0, y: 6, player: 1, energy: 50, memory: 0 };
    let cells = (0..cells).map(cell).chain([other]).collect();
    Cellhack::from_position(&rules, Seed(1), Position { players: 2, turn: 0, cells, rocks: vec![] })
        .unwrap()
}

/// A match of a bot against the built-in `random`, step by step.
pub struct Arena {
    pub game: Cellhack,
    pub step: u64,
    pub faults: Vec<Fault>,
    bots: [Box<dyn Bot<Cellhack>>; 2],
}

impl Arena {
    pub fn new(game: Cellhack, bot: &str, options: &HostOptions) -> Arena {
        let mut bots =
            [bot, "builtin:random"].map(|text| open::<Cellhack>(&spec(text), options).unwrap());
        let mut faults = Vec::new();
        let names = ["one", "two"].map(str::to_owned);
        for (player, bot) in Player::all(2).zip(&mut bots) {
            bot.start(Seat { game: &game, player, names: &names }, &mut faults);
        }
        Arena { game, step: 0, faults, bots }
    }

    /// Plays a step and returns all answers, those of player 0 first.
    pub fn step(&mut self) -> Vec<Answer> {
        let game = &self.game;
        let step = self.step;
        let decisions = game.decisions();
        let mut answers = vec![Answer::default(); decisions.len()];
        for (player, range) in runs_by_player(decisions) {
            let turn = BatchPart { game, step, player, decisions: &decisions[range.clone()] };
            let bot = &mut self.bots[player.index()];
            bot.prepare(turn, &mut self.faults);
            bot.ask(turn, &mut self.faults);
            bot.finish(turn, &mut answers[range], &mut self.faults);
        }
        self.game.step(&answers);
        self.step += 1;
        answers
    }

    /// Returns the only fault, which must be of this kind and player 0's.
    #[track_caller]
    pub fn expect(&self, kind: FaultKind) -> &Fault {
        assert_eq!(self.faults.len(), 1, "{:#?}", self.faults);
        let fault = &self.faults[0];
        assert_eq!((fault.kind, fault.player), (kind, Player(0)), "{fault:#?}");
        fault
    }
}

/// Plays a match of two bots: returns the state hash after each step, and all faults.
pub fn play(
    bots: [&str; 2],
    seed: u64,
    turns: u32,
    options: &HostOptions,
) -> (Vec<u64>, Vec<Fault>) {
    let rules = Rules { width: 24, height: 20, turns, ..Rules::default() };
    let game = Cellhack::new(&rules, 2, Seed(seed)).unwrap();
    let seats = bots.map(|text| (spec(text).info().unwrap(), open(&spec(text), options).unwrap()));
    let played =
        agon_match::Match::new(game, seats.into(), agon_match::MatchOptions::default()).unwrap();
    let mut hashes = Vec::new();
    let played = played.run(&mut |event: &agon_match::MatchEvent<'_, Cellhack>| {
        hashes.push(event.game.state_hash());
        agon_match::Control::Continue
    });
    (hashes, played.unwrap().result.faults)
}
