//! The answers of the bots asked, for people and as JSON Lines.

use std::io::Write;

use agon_arena::answer_json;
use agon_console::{cut, difference};
use agon_contest::events::{
    AskedAnswer, AskedAnswers, AskedBot, EarlierAnswers, Event, FirstDifference, RecordedEnd,
};
use agon_core::{BotInfo, Decision, Fault, Meta, Player};
use agon_games::{any::AnyGame, scene::drawing::draw_hexagons};
use agon_match::replay::{Ending, Replay};
use agon_match::{Agreement, Compared, FaultBook, MatchResult};
use anyhow::Result;
use serde_json::Value;

use super::{Place, name};
use crate::output::{
    BAD, BOLD, DIM, GOOD, MatchInfo, grouped, plural, print_event, print_evidence, print_result,
};
use crate::{Exit, cli::AskArgs};

/// So many decisions are shown in detail, those with other answers first.
const SHOWN: usize = 10;

/// So many are shown if all answers are the same.
const SHOWN_SAME: usize = 3;

/// What came of asking a bot.
pub(super) struct Report<'r> {
    pub(super) replay: &'r Replay,
    pub(super) place: Place,
    /// The bots in their seats.
    pub(super) bots: Vec<(Player, BotInfo)>,
    /// The state that it was asked on.
    pub(super) game: AnyGame,
    pub(super) earlier: Agreement,
    /// Its answers in the step.
    pub(super) now: Vec<Compared>,
    pub(super) faults: FaultBook,
}

impl Report<'_> {
    /// Whether its answers in the step are the recorded ones.
    fn agrees(&self) -> bool {
        self.now.iter().all(Compared::agrees)
    }

    pub(super) fn exit(&self) -> Exit {
        if self.agrees() { Exit::Done } else { Exit::Negative }
    }

    pub(super) fn write(&self, json: bool, out: &mut impl Write) -> Result<()> {
        if json { self.write_json(out) } else { self.print(out) }
    }

    fn print(&self, out: &mut impl Write) -> Result<()> {
        let Place { step, turn, player } = self.place;
        let Meta { id: game, turn_name: noun, .. } = self.game.meta();
        let name = name(self.replay, player);
        writeln!(
            out,
            "{BOLD}{game}{BOLD:#} · step {step} · {noun} {turn} · player {player}, {name}\n"
        )?;
        self.print_earlier(out)?;
        self.print_board(out)?;
        self.print_now(out)?;
        self.print_faults(out)
    }

    /// A board of hexagons, which nobody could imagine from a list of its cells.
    fn print_board(&self, out: &mut impl Write) -> Result<()> {
        let scene = self.game.scene_for(self.place.player)?;
        let Some(lines) = draw_hexagons(&scene) else { return Ok(()) };
        for line in lines {
            writeln!(out, "    {line}")?;
        }
        let note = "a, b: first colours of players 0 and 1; A, B: their second ones; things fall \
            downwards";
        Ok(writeln!(out, "{DIM}{note}{DIM:#}\n")?)
    }

    fn print_earlier(&self, out: &mut impl Write) -> Result<()> {
        let Agreement { decisions, agreed, first } = &self.earlier;
        let all = plural(*decisions, "earlier decision");
        let agree = if *decisions == 1 { "agrees" } else { "agree" };
        match first {
            None if *decisions == 0 => writeln!(out, "no earlier decisions")?,
            None => writeln!(out, "{} of {all} {agree}", grouped(*agreed))?,
            Some((step, compared)) => {
                let agreed = grouped(*agreed);
                let unit = compared.decision.unit;
                writeln!(
                    out,
                    "{agreed} of {all} {agree}; first difference in step {step}, unit {unit}"
                )?;
                print_pair(compared, out)?;
            }
        }
        Ok(writeln!(out)?)
    }

    fn print_now(&self, out: &mut impl Write) -> Result<()> {
        let differing = self.now.iter().filter(|compared| !compared.agrees()).count();
        match (differing, self.now.len()) {
            (_, 0) => {
                return Ok(writeln!(out, "{BAD}not asked{BAD:#}: the match was stopped before")?);
            }
            (0, 1) => writeln!(out, "{GOOD}the recorded answer{GOOD:#}")?,
            (0, all) => writeln!(
                out,
                "{GOOD}all {} answers are the recorded ones{GOOD:#}",
                grouped(all as u64)
            )?,
            (1, 1) => writeln!(out, "{BAD}another answer{BAD:#}")?,
            (some, all) => {
                let some = grouped(some as u64);
                let all = plural(all as u64, "answer");
                writeln!(out, "{BAD}{some} of {all} differ{BAD:#}")?;
            }
        }
        let most = if differing == 0 { SHOWN_SAME } else { SHOWN };
        let shown = || self.now.iter().filter(|compared| compared.agrees() == (differing == 0));
        for (i, compared) in shown().take(most).enumerate() {
            writeln!(out, "  {BOLD}unit {}{BOLD:#}", compared.decision.unit)?;
            print_pair(compared, out)?;
            if i == 0 {
                self.print_seen(compared, out)?;
            }
        }
        let left = shown().count().saturating_sub(most);
        if left > 0 {
            writeln!(out, "  {DIM}and {} more; --json shows all{DIM:#}", grouped(left as u64))?;
        }
        Ok(())
    }

    fn print_seen(&self, compared: &Compared, out: &mut impl Write) -> Result<()> {
        let lines = seen_lines(&seen(&self.game, compared.decision)?);
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        writeln!(out, "    {DIM}sees{DIM:#}")?;
        for (name, text) in lines {
            // Rows of text may end with blanks, or have nothing else.
            match text.trim_end() {
                "" if name.is_empty() => writeln!(out)?,
                "" => writeln!(out, "      {DIM}{name}{DIM:#}")?,
                text => writeln!(out, "      {DIM}{name:width$}{DIM:#}  {text}")?,
            }
        }
        Ok(())
    }

    fn print_faults(&self, out: &mut impl Write) -> Result<()> {
        let mut heading = Some("\nfaults");
        for tally in self.faults.tallies() {
            if let Some(heading) = heading.take() {
                writeln!(out, "{BAD}{heading}{BAD:#}")?;
            }
            let times = match tally.count {
                1 => String::new(),
                count => format!(", {} times", grouped(count)),
            };
            let who = self.bot(tally.player).map_or("?", |bot| &bot.name);
            writeln!(out, "  {BOLD}{who}{BOLD:#} {}{times}", tally.kind.words())?;
            let of_kind = |fault: &&Fault| (fault.player, fault.kind) == (tally.player, tally.kind);
            if let Some(fault) = self.faults.kept().iter().find(of_kind) {
                print_evidence(fault, out)?;
            }
        }
        for fault in self.recorded_faults() {
            writeln!(out, "\n{DIM}recorded{DIM:#} {fault}")?;
        }
        Ok(())
    }

    /// Who sits there now, if anybody.
    fn bot(&self, player: Player) -> Option<&BotInfo> {
        self.bots.iter().find(|(seat, _)| *seat == player).map(|(_, info)| info)
    }

    /// The recorded faults of the player in the step, as far as they can be read.
    fn recorded_faults(&self) -> Vec<Fault> {
        let mut faults = self.replay.faults().unwrap_or_default();
        faults.retain(|fault| (fault.player, fault.step) == (self.place.player, self.place.step));
        faults
    }

    fn write_json(&self, out: &mut impl Write) -> Result<()> {
        let Place { step, turn, player } = self.place;
        let asked = AskedBot {
            game: self.game.meta().id,
            step,
            turn,
            player,
            name: name(self.replay, player),
            bot: self.bot(player),
        };
        print_event(Event::Ask(asked), out)?;
        for fault in self.faults.kept() {
            print_event(Event::Fault(fault), out)?;
        }
        for compared in &self.now {
            let answer = AskedAnswer {
                unit: compared.decision.unit,
                recorded: answer_json(&compared.recorded, 0),
                now: answer_json(&compared.now, 0),
                same: compared.agrees(),
                sees: seen(&self.game, compared.decision)?,
            };
            print_event(Event::Decision(answer), out)?;
        }
        let Agreement { decisions, agreed, first } = &self.earlier;
        let first_difference = first.as_ref().map(|(step, compared)| FirstDifference {
            unit: compared.decision.unit,
            recorded: answer_json(&compared.recorded, 0),
            now: answer_json(&compared.now, 0),
            step: *step,
        });
        let answers = AskedAnswers {
            same: self.agrees(),
            decisions: self.now.len(),
            agreed: self.now.iter().filter(|compared| compared.agrees()).count(),
            earlier: EarlierAnswers { decisions: *decisions, agreed: *agreed, first_difference },
            faults: self.faults.tallies(),
            recorded_faults: self.recorded_faults(),
        };
        Ok(print_event(Event::Answers(answers), out)?)
    }

    /// How the match that went on ended, beside the recorded one.
    pub(super) fn write_result(
        &self,
        result: &MatchResult,
        args: &AskArgs,
        out: &mut impl Write,
    ) -> Result<()> {
        let recorded = self.replay.result();
        if args.json {
            print_event(Event::Result(result), out)?;
            let end = RecordedEnd { players: &self.replay.header().players, result: recorded };
            return Ok(print_event(Event::Recorded(end), out)?);
        }
        match recorded {
            Some(ending) => self.print_recorded(ending, out)?,
            None => writeln!(out, "\n{DIM}recorded:{DIM:#} no result, the recording ends early")?,
        }
        writeln!(out, "\nfrom step {} on, which is step 0 here:", self.place.step)?;
        print_result(result, &MatchInfo::of(self.game.meta(), args.replay.as_deref()), out)
    }

    fn print_recorded(&self, ending: &Ending, out: &mut impl Write) -> Result<()> {
        let turns = plural(ending.turns, self.game.meta().turn_name);
        let how = match &ending.standing.outcome {
            Some(outcome) => outcome.sentence(|player| name(self.replay, player)),
            None => "stopped before the end".to_owned(),
        };
        writeln!(out, "\n{DIM}recorded:{DIM:#} {how} ({turns})")?;
        let mut order: Vec<Player> = Player::all(ending.standing.players.len()).collect();
        order.sort_by_key(|player| ending.standing.players[player.index()].place);
        for player in order {
            let standing = &ending.standing.players[player.index()];
            let place = standing.place;
            let score = grouped(standing.score);
            writeln!(out, "  {place} {}, {DIM}score{DIM:#} {score}", name(self.replay, player))?;
        }
        Ok(())
    }
}

fn print_pair(compared: &Compared, out: &mut impl Write) -> Result<()> {
    let recorded = answer_json(&compared.recorded, 0);
    let lines = if compared.agrees() {
        vec![("answer", cut(&recorded.to_string()))]
    } else {
        difference(&recorded, &answer_json(&compared.now, 0))
    };
    let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, text) in lines {
        writeln!(out, "    {DIM}{label:width$}{DIM:#}  {text}")?;
    }
    Ok(())
}

/// What a decision sees.
fn seen(game: &AnyGame, decision: Decision) -> Result<Value> {
    Ok(serde_json::from_str(&game.observation_json(decision)?)?)
}

/// What a decision sees, a line for each of its parts; parts that are rows of text get a line for
/// each row.
pub(super) fn seen_lines(seen: &Value) -> Vec<(String, String)> {
    let Value::Object(parts) = seen else { return vec![(String::new(), cut(&seen.to_string()))] };
    let lines = |(name, value): (&String, &Value)| match rows(value) {
        Some(rows) => {
            let label = |(i, row): (usize, &str)| {
                (if i == 0 { name.clone() } else { String::new() }, row.to_owned())
            };
            rows.into_iter().enumerate().map(label).collect()
        }
        None => vec![(name.clone(), cut(&value.to_string()))],
    };
    parts.iter().flat_map(lines).collect()
}

/// The rows of a value that is a list of texts.
fn rows(value: &Value) -> Option<Vec<&str>> {
    value.as_array().filter(|rows| !rows.is_empty())?.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_of_text_get_lines() {
        let lines = seen_lines(&json!({ "energy": 3, "rows": ["#.", ".."], "damage": [[0]] }));
        let expected = [("energy", "3"), ("rows", "#."), ("", ".."), ("damage", "[[0]]")];
        assert_eq!(lines, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }
}
