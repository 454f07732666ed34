//! Makes long matches and their replays for the benchmark.

use agon_core::{BotInfo, Player};
use agon_games::amoebas::{self, Amoebas};
use agon_games::any::{AnyAnswers, AnyGame, FullGame};
use agon_match::replay::{End, Writer};

#[allow(unused_imports, reason = "each benchmark uses its part")]
pub(crate) use games::{Playout, Script, config, replay};

/// The matches of the games' own benchmarks.
#[path = "../../../agon-games/benches/support/mod.rs"]
mod games;

/// Plays a match again and writes its replay.
pub(crate) fn record<G: FullGame>(start: &G, script: &Script<G>) -> Vec<u8> {
    let mut game = AnyGame::of(start.clone());
    let mut writer = writer(&game);
    for answers in any::<G>(script) {
        game.step(&answers);
        writer.step(&answers, &game).expect("memory can be written");
    }
    finish(writer, &game)
}

/// Returns the answers of a match without their type.
pub(crate) fn any<G: FullGame>(script: &Script<G>) -> impl Iterator<Item = AnyAnswers> {
    script.iter().map(|answers| AnyAnswers::of::<G>(answers.clone()))
}

/// Writes the answers of a match, all with the same state.
#[allow(dead_code, reason = "each benchmark uses its part")]
pub(crate) fn write(state: &AnyGame, script: &[AnyAnswers]) -> Vec<u8> {
    let mut writer = writer(state);
    for answers in script {
        writer.step(answers, state).expect("memory can be written");
    }
    finish(writer, state)
}

fn writer(start: &AnyGame) -> Writer<Vec<u8>> {
    let player = |player| BotInfo::new(format!("bot-{player}"), "builtin");
    let players: Vec<_> = Player::all(start.players()).map(player).collect();
    Writer::new(Vec::new(), start, &players).expect("memory can be written")
}

fn finish(writer: Writer<Vec<u8>>, game: &AnyGame) -> Vec<u8> {
    let end = if game.is_over() { End::Over } else { End::Limit };
    writer.finish(game, end, &[]).expect("memory can be written")
}

/// Plays a thousand rounds, as many as amoebas usually lasts.
pub(crate) fn amoebas_match() -> Playout<Amoebas> {
    let bots = &["slightly-brainy", "mutating", "nasty?target=strongest", "brood"];
    Playout::new(
        "amoebas 200x200, 1000 rounds",
        amoebas::Rules::default(),
        bots,
        (9_559_727, 8_039_416_101_334_213_725),
    )
}
