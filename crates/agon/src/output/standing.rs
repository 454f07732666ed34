//! The result of a match as people read it.

use std::{io::Write, path::Path};

use agon_core::{Fault, FaultKind, Game, Meta, Player, PlayerStanding};
use agon_match::replay::End;
use agon_match::{MatchResult, STOPPED_FOR_TIMEOUTS};
use anyhow::Result;

use super::{
    BAD, BOLD, DIM, GOOD, evidence::print_evidence, grouped, plural, print_table, shell_word, table,
};
use crate::Exit;

/// What a result does not say itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchInfo<'a> {
    /// The game's facts.
    pub(crate) meta: Meta,
    /// Where the replay was written.
    pub(crate) replay: Option<&'a Path>,
    /// The preset with the settings, as the heading names it.
    pub(crate) preset: Option<&'a str>,
}

impl<'a> MatchInfo<'a> {
    /// The facts of game `G`, and where the replay was written.
    pub(crate) fn of<G: Game>(replay: Option<&'a Path>) -> MatchInfo<'a> {
        MatchInfo { meta: G::META, replay, preset: None }
    }
}

/// The exit code that a match ends with.
pub(crate) fn exit_of(result: &MatchResult) -> Exit {
    match result.end {
        End::Interrupted => Exit::Interrupted,
        End::Over | End::Limit if result.void.is_some() || result.unanswered => Exit::Negative,
        End::Over | End::Limit => Exit::Done,
    }
}

/// Prints places and scores, the outcome, the faults and where the replay is.
pub(crate) fn print_result(
    result: &MatchResult,
    info: &MatchInfo<'_>,
    out: &mut impl Write,
) -> Result<()> {
    let turns = plural(result.turns, info.meta.turn_name);
    let preset = info.preset.map(|name| format!(" · preset {name}")).unwrap_or_default();
    writeln!(out, "{BOLD}{}{BOLD:#}{preset} · {turns} · seed {}\n", result.game, result.seed)?;
    print_standing(result, out)?;
    let style = if result.end == End::Over { GOOD } else { BAD };
    writeln!(out, "\n{style}{}{style:#}", result.headline())?;
    print_faults(result, info, out)
}

/// A row per player, the best first.
fn print_standing(result: &MatchResult, out: &mut impl Write) -> Result<()> {
    let rows = &result.standing.players;
    let mut order: Vec<Player> = Player::all(rows.len()).collect();
    order.sort_by_key(|p| rows[p.index()].place);
    let with_score =
        rows.iter().any(|row| row.measures.first().is_none_or(|(_, first)| *first != row.score));
    let mut table = table();
    let names =
        rows.first().into_iter().flat_map(|row| &row.measures).map(|(name, _)| name.as_str());
    let header = ["", "bot"].into_iter().chain(with_score.then_some("score")).chain(names);
    table.set_header(header.map(|name| format!("{DIM}{}{DIM:#}", name.replace('_', " "))));
    for player in order {
        table.add_row(row(result.name(player), &rows[player.index()], with_score));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    Ok(print_table(&table, out)?)
}

/// Place, name, score (unless it is the first measure), measures, whether the player is out.
fn row(name: &str, standing: &PlayerStanding, with_score: bool) -> Vec<String> {
    let name = if standing.place == 1 { format!("{BOLD}{name}{BOLD:#}") } else { name.to_owned() };
    let mut cells = vec![standing.place.to_string(), name];
    cells.extend(with_score.then(|| grouped(standing.score)));
    cells.extend(standing.measures.iter().map(|(_, value)| grouped(*value)));
    cells.extend(standing.out.then(|| format!("{DIM}out{DIM:#}")));
    cells
}

/// What a person can do about a match that the machine disturbed.
pub(crate) const VOID_HELP: &str = "it helps to end other programs that keep the machine busy, and \
                                    to give bots more time (`--time MS`)";

/// The faults, by player and kind: how often, and the first one with its evidence; then where the
/// replay is.
pub(crate) fn print_faults(
    result: &MatchResult,
    info: &MatchInfo<'_>,
    out: &mut impl Write,
) -> Result<()> {
    if let Some(void) = result.void {
        writeln!(out, "{BAD}void{BAD:#}: {void}; the result counts for nothing; {VOID_HELP}")?;
    }
    if result.shared_process {
        writeln!(
            out,
            "{DIM}species in Clojure shared a JVM, in which they can reach each other{DIM:#}"
        )?;
    }
    if result.unanswered {
        writeln!(
            out,
            "{BAD}no valid answer{BAD:#}: no bot gave one in the whole match; the result says \
             nothing"
        )?;
    }
    if result.players.iter().any(|p| !p.faults.is_empty()) {
        writeln!(out, "\n{BAD}faults{BAD:#}")?;
    }
    for (player, row) in Player::all(result.players.len()).zip(&result.players) {
        for (&kind, &count) in &row.faults {
            let times = if count == 1 {
                String::new()
            } else {
                format!(", {} times", grouped(count as i64))
            };
            writeln!(out, "  {BOLD}{}{BOLD:#} {}{times}", row.bot.name, kind.words())?;
            if let Some(fault) = first_fault(result, player, kind) {
                print_evidence(fault, out)?;
            }
            if let Some(last) = last_strike(result, player, kind) {
                writeln!(out, "    step {}: {}", last.step, last.detail)?;
            }
        }
    }
    if let Some(path) = info.replay {
        let word = shell_word(path);
        let path = path.display();
        writeln!(out, "\n{DIM}replay: {path} · prove it with: agon replay verify {word}{DIM:#}")?;
    }
    Ok(())
}

/// The fault with which a bot was stopped because of timeouts, if it is not the first one.
fn last_strike(result: &MatchResult, player: Player, kind: FaultKind) -> Option<&Fault> {
    let mut own = result.faults.iter().filter(|f| f.player == player && f.kind == kind).skip(1);
    own.find(|fault| fault.detail.contains(STOPPED_FOR_TIMEOUTS))
}

fn first_fault(result: &MatchResult, player: Player, kind: FaultKind) -> Option<&Fault> {
    result.faults.iter().find(|f| f.player == player && f.kind == kind)
}
