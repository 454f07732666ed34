//! `agon play GAME BOT...`

use std::io::Write;

use agon_bots::Hosted;
use agon_games::{GameId, with_game};
use agon_match::Moment;
use anyhow::{Context, Result};
use serde_json::json;

use crate::{
    Exit,
    arena::Setup,
    cli::PlayArgs,
    output::{MatchInfo, exit_of, print_result},
    settings,
};

/// Plays a match and shows its result.
pub(crate) fn play(args: &PlayArgs, out: &mut impl Write) -> Result<Exit> {
    let id: GameId = args.game.as_deref().context("no game is named")?.parse()?;
    with_game!(id, G => play_game::<G>(args, out))
}

fn play_game<G: Hosted>(args: &PlayArgs, out: &mut impl Write) -> Result<Exit> {
    let rules = settings::load::<G>(args.rules.as_deref(), &args.sets)?;
    let mut setup = Setup::<G>::new(rules, &args.bots, &args.game_args)?;
    setup.max_turns = args.turns;
    let json = args.game_args.json;
    if json {
        let players: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
        let data = json!({ "game": G::META.id, "rules_version": G::META.rules_version, "rules": setup.rules,
            "seed": setup.seed, "players": players });
        writeln!(out, "{}", json!({ "type": "match", "data": data }))?;
    }
    let replay = setup.replay.clone();
    let played = setup.play(|moment: &Moment<'_, G>| {
        if json {
            for fault in moment.faults {
                writeln!(out, "{}", json!({ "type": "fault", "data": fault }))?;
            }
        }
        Ok(())
    })?;
    if json {
        writeln!(out, "{}", json!({ "type": "result", "data": played.result }))?;
    } else {
        let info = MatchInfo { meta: G::META, replay: replay.as_deref() };
        print_result(&played.result, &info, out)?;
    }
    Ok(exit_of(&played.result))
}
