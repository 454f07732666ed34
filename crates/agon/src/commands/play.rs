//! `agon play GAME BOT...`

use std::io::Write;

use agon_bots::Hosted;
use agon_games::{GameId, with_game};
use anyhow::{Context, Result};
use serde_json::json;

use crate::{
    Exit,
    arena::{Seen, Setup},
    cellhack_file::CellhackFile,
    cli::{PlayArgs, View},
    output::{MatchInfo, exit_of, print_result},
    settings,
    web::Live,
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
    let json = args.json;
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    if json {
        let data = json!({ "game": G::META.id, "rules_version": G::META.rules_version, "rules": setup.rules,
            "seed": setup.seed, "players": names });
        writeln!(out, "{}", json!({ "type": "match", "data": data }))?;
    }
    let file = args.replay_cellhack.as_deref().map(|path| CellhackFile::new(path, names));
    let mut file = file.transpose()?;
    let replay = setup.replay.clone();
    let live = args.view.map(|View::Web| {
        let players = setup.bots.iter().map(|spec| Ok(spec.info()?)).collect::<Result<_>>()?;
        Live::serve(players, &args.web_args)
    });
    let live = live.transpose()?;
    let played = setup.play(|seen| {
        let moment = match seen {
            Seen::Moment(moment) => moment,
            Seen::Void { attempt, void } => {
                if json {
                    writeln!(
                        out,
                        "{}",
                        json!({ "type": "void", "data": { "attempt": attempt, "void": void } })
                    )?;
                }
                file.as_mut().into_iter().for_each(CellhackFile::begin_anew);
                return Ok(());
            }
        };
        if json {
            for fault in moment.faults {
                writeln!(out, "{}", json!({ "type": "fault", "data": fault }))?;
            }
        }
        live.as_ref().map_or(Ok(()), |live| live.see(moment))?;
        file.as_mut().map_or(Ok(()), |file| file.push(moment.game))
    })?;
    file.map_or(Ok(()), CellhackFile::finish)?;
    if json {
        writeln!(out, "{}", json!({ "type": "result", "data": played.result }))?;
    } else {
        let info = MatchInfo::of::<G>(replay.as_deref());
        print_result(&played.result, &info, out)?;
    }
    live.map_or(Ok(()), |live| live.stay(out))?;
    Ok(exit_of(&played.result))
}
