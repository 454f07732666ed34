//! Long matches and their replays.

use agon_core::{BotInfo, Game, GameExt, Player};
use agon_games::amoebas::{self, Amoebas};
use agon_replay::{End, Writer};

#[allow(unused_imports, reason = "each benchmark uses its part")]
pub(crate) use games::{Playout, Script, config, replay};

/// The matches of the games' own benchmarks.
#[path = "../../../agon-games/benches/support/mod.rs"]
mod games;

/// Plays a match again and writes its replay.
pub(crate) fn record<G: Game>(start: &G, script: &Script<G>) -> Vec<u8> {
    let player = |player| BotInfo::new(format!("bot-{player}"), "builtin");
    let players: Vec<_> = Player::all(start.players()).map(player).collect();
    let mut writer = Writer::new(Vec::new(), start, &players).expect("memory can be written");
    let mut game = start.clone();
    for answers in script {
        game.answer(answers);
        writer.step(answers, &game).expect("memory can be written");
    }
    let end = if game.is_over() { End::Over } else { End::Limit };
    writer.finish(&game, end, &[]).expect("memory can be written")
}

/// A thousand rounds, as many as amoebas usually lasts.
pub(crate) fn amoebas_match() -> Playout<Amoebas> {
    let bots = &["slightly-brainy", "mutating", "nasty?target=strongest", "brood"];
    Playout::new(
        "amoebas 200x200, 1000 rounds",
        amoebas::Rules::default(),
        bots,
        (9_560_432, 17_208_705_276_885_422_639),
    )
}
