//! Helpers of these tests: modules, good and bad, beside those of `agon-bots`.
// Each test program uses a part of this, and a failing test may panic anywhere.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::process::Command;

use agon_bots::{BotSpec, HostOptions, Launcher, open};
use agon_core::{Fault, Game, Seed};
use agon_games::any::AnyGame;
use agon_games::cellhack::{Cellhack, Rules};
use agon_match::{Control, Match, MatchEvent, MatchOptions};

#[path = "../../../agon-bots/tests/common/mod.rs"]
mod bots;

pub use bots::{AGES, Arena, IDLE, REST, Workshop, eventually, row, script, spec};

impl Workshop {
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
    let host = Launcher { path: env!("CARGO_BIN_EXE_agon-wasm-host").into(), args: vec![] };
    let timing = bots::patient().timing;
    HostOptions { timing, wasm_host: Some(host), ..HostOptions::default() }
}

/// Returns a loop that has soon used up any fuel: the compiler leaves out what each turn pays for.
pub fn endless() -> String {
    format!("(loop $l {} (br $l))", "(drop (i32.const 0))".repeat(1000))
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

/// Begins a match of a bot against the built-in `random`.
pub fn duel(game: AnyGame, bot: &str, options: &HostOptions) -> Arena {
    Arena::new(game, &[bot, "builtin:random"], options)
}

/// Plays a match of two bots: returns the state hash after each step, and all faults.
pub fn play(
    bots: [&str; 2],
    game: AnyGame,
    max_turns: Option<u64>,
    options: &HostOptions,
) -> (Vec<u64>, Vec<Fault>) {
    let kind = game.kind();
    let seat = |bot: BotSpec| (bot.info().unwrap(), open(kind, &bot, options).unwrap());
    let seats = bots.map(|text| seat(spec(text)));
    let limits = MatchOptions { max_turns, ..MatchOptions::default() };
    let mut hashes = Vec::new();
    let played = Match::new(game, seats.into(), limits).unwrap();
    let played = played.run(&mut |event: &MatchEvent<'_>| {
        hashes.push(event.game.state_hash());
        Control::Continue
    });
    (hashes, played.unwrap().result.faults)
}

/// Makes a small world of two players for this many turns.
pub fn world(seed: u64, turns: u32) -> AnyGame {
    let rules = Rules { width: 24, height: 20, turns, ..Rules::default() };
    AnyGame::of(Cellhack::new(&rules, 2, Seed(seed)).unwrap())
}
