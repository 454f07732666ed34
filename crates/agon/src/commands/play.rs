//! `agon play GAME BOT...`

use std::io::Write;

use agon_bots::HostedGame;
use agon_film::Recorder;
use agon_games::{GameId, human::HumanInput, with_game};
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::{
    Exit,
    arena::{MatchEvent, Setup},
    cellhack_file::CellhackFile,
    cli::PlayArgs,
    film::print_films,
    interrupts::complete_films,
    output::{MatchInfo, exit_of, print_result},
    settings, show,
};

/// Plays a match and shows its result.
pub(crate) fn play(args: &PlayArgs, out: &mut (impl Write + Send)) -> Result<Exit> {
    let id: GameId = args.game.as_deref().context("no game is named")?.parse()?;
    with_game!(id, G => play_game::<G>(args, out))
}

fn play_game<G: HostedGame + HumanInput>(
    args: &PlayArgs,
    out: &mut (impl Write + Send),
) -> Result<Exit> {
    let rules = settings::load::<G>(args.rules.as_deref(), &args.sets)?;
    let mut setup = Setup::<G>::new(rules, &args.bots, &args.game_args)?;
    setup.max_turns = args.turns;
    let json = args.json;
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    let films = args.film.outputs()?;
    let watch = &args.game_args.watch;
    for path in [&setup.replay, &args.replay_cellhack].into_iter().flatten() {
        let is_film = films.iter().any(|film| film.path == *path);
        ensure!(!is_film, "{} is named for a film and for the replay", path.display());
    }
    if watch.theme.is_some() && !watch.is_watched() && films.is_empty() && setup.people.is_empty() {
        bail!(
            "--theme is for a match that is watched or filmed: add `--view` or a film such as \
             `--gif FILE`"
        );
    }
    let film =
        (!films.is_empty()).then(|| args.film.recorder::<G>(films, watch.theme, names.clone()));
    let mut film = film.transpose()?;
    if json {
        let data = json!({
            "game": G::META.id, "rules_version": G::META.rules_version, "rules": setup.rules,
            "seed": setup.seed, "players": names
        });
        writeln!(out, "{}", json!({ "type": "match", "data": data }))?;
    }
    let file = args.replay_cellhack.as_deref().map(|path| CellhackFile::new(path, names));
    let mut file = file.transpose()?;
    let replay = setup.replay.clone();
    let played = show::play(setup, None, watch, |seen| {
        let moment = match seen {
            MatchEvent::State(moment) => moment,
            MatchEvent::Restarted { attempt, void } => {
                if json {
                    writeln!(
                        out,
                        "{}",
                        json!({ "type": "void", "data": { "attempt": attempt, "void": void } })
                    )?;
                }
                file.as_mut().into_iter().for_each(CellhackFile::begin_anew);
                film.as_mut().into_iter().for_each(Recorder::begin_anew);
                return Ok(());
            }
        };
        if json {
            for fault in moment.faults {
                writeln!(out, "{}", json!({ "type": "fault", "data": fault }))?;
            }
        }
        film.as_mut().map_or(Ok(()), |film| film.state(moment.game, moment.led_by))?;
        file.as_mut().map_or(Ok(()), |file| file.push(moment.game))
    })?;
    if film.is_some() {
        complete_films();
    }
    file.map_or(Ok(()), CellhackFile::finish)?;
    if json {
        writeln!(out, "{}", json!({ "type": "result", "data": played.result }))?;
    } else {
        let info = MatchInfo::of::<G>(replay.as_deref());
        print_result(&played.result, &info, out)?;
    }
    if let Some(film) = film {
        print_films(film, json, out)?;
    }
    Ok(exit_of(&played.result))
}
