//! `agon` with a game of its own: the one that `agon game new` writes. `docs/your-game.md` builds
//! another one, step by step.

#[path = "../src/commands/game/new/rust/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "it is a library elsewhere")]
mod coins;

use agon_games::kit::Kit;

fn main() -> std::process::ExitCode {
    agon::run(agon::games![Kit<coins::Coins>])
}
