//! `agon games` and `agon bots`: what there is to play, and with whom.

use std::io::Write;

use agon_contest::events::{BuiltinBot, BuiltinParam, Event, GameFacts, PlayerRange};
use agon_core::Meta;
use agon_games::{BuiltinBots, GameId, with_game};
use anyhow::Result;

use crate::output::{BOLD, DIM, print_event, print_table, table};

/// Lists the games.
pub(crate) fn games(json: bool, out: &mut impl Write) -> Result<()> {
    if json {
        for meta in GameId::ALL.map(GameId::meta) {
            print_event(Event::Game(facts(&meta)), out)?;
        }
        return Ok(());
    }
    let mut rows = table();
    for meta in GameId::ALL.map(GameId::meta) {
        let players = match (meta.min_players, meta.max_players) {
            (min, max) if min == max => format!("{min} players"),
            (min, max) => format!("{min}–{max} players"),
        };
        rows.add_row([format!("{BOLD}{}{BOLD:#}", meta.id), players, meta.summary.to_owned()]);
    }
    print_table(&rows, out)?;
    writeln!(out, "\n{DIM}`agon rules GAME` explains a game, `agon play GAME` plays it.{DIM:#}")?;
    Ok(())
}

fn facts(meta: &Meta) -> GameFacts<'static> {
    GameFacts {
        id: meta.id,
        rules_version: meta.rules_version,
        players: PlayerRange { min: meta.min_players, max: meta.max_players },
        turn: meta.turn_name,
        summary: meta.summary,
    }
}

/// Lists the built-in bots of one game or of all.
pub(crate) fn bots(game: Option<&str>, json: bool, out: &mut impl Write) -> Result<()> {
    let games = match game {
        Some(name) => vec![name.parse::<GameId>()?],
        None => GameId::ALL.to_vec(),
    };
    if json {
        return games.into_iter().try_for_each(|id| with_game!(id, G => bots_json::<G>(out)));
    }
    for (i, id) in games.into_iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        with_game!(id, G => bots_of::<G>(out))?;
    }
    Ok(())
}

fn bots_json<G: BuiltinBots>(out: &mut impl Write) -> Result<()> {
    for bot in G::BUILTINS {
        let params = bot.params.iter().map(|param| BuiltinParam {
            name: param.name,
            default: param.default,
            summary: param.summary,
        });
        let event = BuiltinBot {
            game: G::META.id,
            name: bot.name,
            spec: format!("builtin:{}", bot.name),
            version: bot.version,
            summary: bot.summary,
            params: params.collect(),
        };
        print_event(event, out)?;
    }
    Ok(())
}

fn bots_of<G: BuiltinBots>(out: &mut impl Write) -> Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", G::META.id)?;
    for bot in G::BUILTINS {
        let version = format!("{DIM}version {}{DIM:#}", bot.version);
        writeln!(out, "  {BOLD}builtin:{}{BOLD:#}  {}  {version}", bot.name, bot.summary)?;
        for param in bot.params {
            writeln!(out, "      {}={}  {DIM}{}{DIM:#}", param.name, param.default, param.summary)?;
        }
    }
    Ok(())
}
