//! The command lines that the games' own programs have.

pub(crate) mod amoebas;
pub(crate) mod binfection;
pub(crate) mod cellhack;
pub(crate) mod cluster;
pub(crate) mod rezzo;
mod runners;

use agon_show::{View, ViewOptions, has_display};
use clap::Args;

use crate::cli::MatchArgs;

/// Flags of every classic command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClassicArgs {
    /// Change a setting of the game; may be given several times (`agon rules GAME` lists them).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    game: MatchArgs,
}

impl ClassicArgs {
    /// Where a match is watched that the original shows in a window: there, if this machine has a
    /// display.
    fn watch_in_window(&self) -> ViewOptions {
        let mut watch = self.game.watch.clone();
        if watch.view.is_none() && has_display() {
            watch.view = Some(View::Window);
            watch.unsolicited = true;
        }
        watch
    }
}
