//! The matches of `cargo xtask soak`: bots of every kind that has a clock, most of them fast.
//!
//! The soak plays them in turn.

use std::path::Path;

use anyhow::Result;

use super::compiler::compile;
use crate::run::root;

/// A kind of match.
#[derive(Debug)]
pub(super) struct Lineup {
    pub(super) name: &'static str,
    pub(super) game: &'static str,
    /// The bots, and flags.
    pub(super) args: Vec<String>,
    pub(super) sets: &'static [&'static str],
}

/// Compiles the bots into `folder`.
///
/// One match in twenty has a bot in Python, whose start takes as long as ten other matches.
pub(super) fn lineups(folder: &Path) -> Result<Vec<Lineup>> {
    let program = |source: &str, name: &str| {
        let program = compile(&root().join(source), &folder.join(name))?;
        anyhow::Ok(program.display().to_string())
    };
    let blocker = program("examples/bots/cluster/blocker.c", "blocker")?;
    let wander = program("examples/bots/rezzo/wander.c", "wander")?;
    let json = format!("jsonl:{}", program("xtask/soak/json.c", "json")?);
    let runner = program("xtask/soak/runner.c", "runner")?;
    let twice = |bot: &str| vec![bot.to_owned(), bot.to_owned()];
    let quick = || {
        [
            Lineup {
                name: "cluster, C",
                game: "cluster",
                args: twice(&blocker),
                sets: &["side=5"],
            },
            Lineup {
                name: "rezzo, C",
                game: "rezzo",
                args: twice(&wander),
                sets: &["width=40", "height=40", "max_ticks=100"],
            },
            Lineup {
                name: "rezzo, JSON Lines",
                game: "rezzo",
                args: twice(&json),
                sets: &["width=40", "height=40", "max_ticks=50"],
            },
            Lineup {
                name: "cellhack, native",
                game: "cellhack",
                args: twice("examples/bots/cellhack/drifter.c"),
                sets: &["width=20", "height=20", "turns=20"],
            },
            Lineup {
                name: "binfection, runner",
                game: "binfection",
                args: twice(&runner),
                sets: &["field_width=8", "field_height=8", "turns_limit=5"],
            },
        ]
    };
    let mut lineups: Vec<Lineup> = (0..4).flat_map(|_| quick()).collect();
    let python = vec!["python3 examples/bots/cluster/greedy.py".to_owned(), blocker.clone()];
    lineups[0] =
        Lineup { name: "cluster, Python", args: python, game: "cluster", sets: &["side=5"] };
    Ok(lineups)
}
