//! `agon replay info FILE`: what a replay holds.

use std::{borrow::Cow, fs, io::Write, path::Path};

use agon_contest::events::{Event, ReplayFacts};
use agon_core::{Fault, Player};
use agon_match::replay::{Damage, Header, Replay};
use anyhow::Result;

use super::open::open;
use crate::output::{BAD, BOLD, DIM, GOOD, plural, print_event, print_table, table};

/// So many characters of what would let a bot play again are shown.
const MAX_SHOWN: usize = 200;

/// Shows game, players, result and faults.
pub(super) fn info(file: &Path, json: bool, out: &mut impl Write) -> Result<()> {
    let (replay, id) = open(file)?;
    let faults = replay.faults();
    let damage = replay.damage().or(faults.as_ref().err().copied());
    let faults = faults.unwrap_or_default();
    if json {
        return info_json(&replay, &faults, damage, out);
    }
    print_sizes(&replay, fs::metadata(file)?.len(), out)?;
    print_players(&replay, out)?;
    match replay.result() {
        Some(ending) => match &ending.standing.outcome {
            Some(outcome) => writeln!(
                out,
                "{GOOD}{}{GOOD:#}",
                outcome.sentence(|player| name(replay.header(), player))
            )?,
            None => writeln!(
                out,
                "stopped before its end, after {}",
                plural(ending.turns, id.meta().turn_name)
            )?,
        },
        None => writeln!(out, "{BAD}no result{BAD:#}: the recording ends early")?,
    }
    if let Some(void) = replay.result().and_then(|ending| ending.void) {
        writeln!(out, "{BAD}void{BAD:#}: {void}; the result counts for nothing")?;
    }
    writeln!(out, "{DIM}rules: {}{DIM:#}", replay.header().rules)?;
    for fault in &faults {
        writeln!(out, "{BAD}fault{BAD:#} of {}, {fault}", name(replay.header(), fault.player))?;
    }
    if let Some(damage) = damage {
        writeln!(out, "{BAD}damaged:{BAD:#} {damage}")?;
    }
    Ok(())
}

fn info_json(
    replay: &Replay,
    faults: &[Fault],
    damage: Option<Damage>,
    out: &mut impl Write,
) -> Result<()> {
    let header = replay.header();
    let facts = ReplayFacts {
        game: &header.game,
        rules_version: header.rules_version,
        agon: &header.agon,
        rules: &header.rules,
        seed: header.seed,
        players: &header.players,
        steps: replay.steps(),
        decisions: replay.decisions(),
        result: replay.result(),
        faults,
        damage: damage.map(|damage| damage.to_string()),
    };
    Ok(print_event(Event::Replay(facts), out)?)
}

fn print_sizes(replay: &Replay, bytes: u64, out: &mut impl Write) -> Result<()> {
    let header = replay.header();
    let decisions = replay.decisions();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} · rules version {} · seed {}",
        header.game, header.rules_version, header.seed
    )?;
    let share = bytes as f64 / decisions.max(1) as f64;
    let sizes =
        [plural(replay.steps(), "step"), plural(decisions, "decision"), plural(bytes, "byte")];
    writeln!(
        out,
        "{}, {share:.2} bytes a decision; recorded by Agon {}\n",
        sizes.join(", "),
        header.agon
    )?;
    Ok(())
}

fn print_players(replay: &Replay, out: &mut impl Write) -> Result<()> {
    let header = replay.header();
    let mut rows = table();
    for (player, bot) in Player::all(header.players.len()).zip(&header.players) {
        let place = replay.result().and_then(|r| r.standing.players.get(player.index()));
        let place =
            place.map_or_else(String::new, |p| format!("place {}, score {}", p.place, p.score));
        rows.add_row([
            format!(" {BOLD}{}{BOLD:#}", bot.name),
            cut(&bot.spec).into_owned(),
            bot.identity(),
            place,
        ]);
    }
    print_table(&rows, out)?;
    Ok(writeln!(out)?)
}

/// A text, or its beginning if it is so long that a table of it could not be read.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

fn name(header: &Header, player: Player) -> &str {
    header.players.get(player.index()).map_or("?", |bot| bot.name.as_str())
}
