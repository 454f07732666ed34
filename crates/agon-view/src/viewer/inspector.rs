//! The panel about a selected place: facts, what its bot was shown, and what it answered.
//!
//! A click on the board opens it. `painting` paints its lines; a terminal writes them.
//! Below the facts it reports the faults and the output of all bots at the step that is shown.

mod reports;

use agon_core::{Decision, Player};
use agon_games::any::AnyAnswers;
use agon_games::scene::{Fact, Place};
use reports::Item;
use serde_json::Value;

use super::notes::{Notes, name_of, with_names};
use crate::{Playback, Redraw, StateError, StateSource};

/// A panel about one place of the board.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    pub(super) selected: Option<Place>,
    /// Whether it is shown even without a selection.
    pub(super) is_open: bool,
    /// What its text is about.
    pub(super) said_of: Option<Subject>,
    items: Vec<Item>,
    /// What a person who plays saw besides the board when the game asked last.
    seen: Option<(Player, Vec<Item>)>,
    /// Faults and output of the bots at the step that is shown.
    reports: Vec<Item>,
    pub(super) scrolled: usize,
    /// The number of lines that did not fit in the last picture.
    pub(super) hidden: usize,
}

/// What the text of an inspector is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Subject {
    place: Option<Place>,
    step: u64,
    /// The number of steps while the answer is missing.
    newest: Option<u64>,
    is_at_end: bool,
}

impl Inspector {
    /// Selects a place; the selected place again closes it.
    pub(super) fn select(&mut self, place: Place) {
        if self.is_open && self.selected == Some(place) {
            self.close();
            return;
        }
        (self.selected, self.is_open, self.scrolled) = (Some(place), true, 0);
    }

    pub(super) fn close(&mut self) {
        (self.selected, self.is_open) = (None, false);
    }

    pub(super) fn toggle(&mut self) {
        if self.is_open {
            self.close();
        } else {
            self.is_open = true;
        }
    }

    pub(super) fn scroll(&mut self, lines: i32) -> Redraw {
        let scrolled = self.scrolled.saturating_add_signed(lines as isize).min(self.hidden);
        let moved = scrolled != self.scrolled;
        self.scrolled = scrolled;
        if moved { Redraw::Yes } else { Redraw::No }
    }

    /// Moves the selection to another place.
    pub(super) fn follow(&mut self, place: Place) {
        if self.selected.is_some() {
            self.selected = Some(place);
        }
    }

    /// Collects the facts about the shown state.
    pub(super) fn look_at(&mut self, playback: &Playback, notes: &Notes) {
        let place = self.selected.filter(|_| self.is_open);
        if place.is_some_and(|place| place as usize >= playback.scene().board.places()) {
            // Another player sees the match now, or everything is visible.
            self.close();
            return self.look_at(playback, notes);
        }
        // The answers on the newest state come later.
        let step = playback.step();
        let newest = (step == playback.steps()).then(|| playback.steps());
        let is_at_end = playback.is_at_end();
        let subject = Subject { place, step, newest, is_at_end };
        if self.said_of == Some(subject) {
            return;
        }
        self.said_of = Some(subject);
        self.items = items(playback, place, notes);
        if place.is_none() {
            self.remember(playback);
        }
        self.reports = match playback.eyes {
            None => reports::at(notes, playback.players(), step, is_at_end),
            Some(_) => vec![],
        };
    }

    /// Keeps what a person sees besides the board, and shows it until the game asks them again:
    /// only a question says what a player may see.
    fn remember(&mut self, playback: &Playback) {
        let eyes = playback.eyes.filter(|_| playback.following && !playback.is_covered);
        let Some(player) = eyes else { return };
        if !playback.game().seen_beside(player).is_empty() {
            self.seen = Some((player, self.items.clone()));
        } else if let Some((_, seen)) = self.seen.as_ref().filter(|(whose, _)| *whose == player) {
            self.items = vec![Item::Heading("When you were asked last".into())];
            self.items.extend_from_slice(seen);
        }
    }

    /// Returns the reports, as lines without breaks.
    pub(super) fn reports(&self) -> Vec<String> {
        self.reports.iter().map(Item::line).collect()
    }

    /// Returns everything in the order in which it is shown.
    ///
    /// A hint is less important than a report.
    fn all_items(&self) -> impl Iterator<Item = &Item> {
        let (first, second) = match self.selected {
            Some(_) => (&self.items, &self.reports),
            None => (&self.reports, &self.items),
        };
        first.iter().chain(second)
    }

    /// Returns the whole text, without line breaks.
    pub(super) fn text(&self) -> Vec<String> {
        if self.is_open { self.items.iter().map(Item::line).collect() } else { vec![] }
    }

    /// Returns lines of `columns` characters for this space, without scrolling beyond the last one.
    pub(super) fn fit(&mut self, columns: usize, room: usize) -> Vec<(String, bool)> {
        let lines = self.lines(columns);
        self.hidden = lines.len().saturating_sub(room);
        self.scrolled = self.scrolled.min(self.hidden);
        lines
    }

    /// Returns the text in lines of `columns` characters, and whether they are headings.
    pub(super) fn lines(&self, columns: usize) -> Vec<(String, bool)> {
        let widest = self.all_items().filter_map(Item::name_length);
        let widest = widest.max().unwrap_or(0).min(columns / 2);
        let mut lines = Vec::new();
        self.all_items().for_each(|item| item.write(columns, widest, &mut lines));
        lines
    }
}

/// Returns the facts about a place in the shown state; without a place, what a person who plays
/// sees besides the board.
fn items(playback: &Playback, place: Option<Place>, notes: &Notes) -> Vec<Item> {
    let game = playback.game();
    let facts = match (place, playback.eyes) {
        _ if playback.is_covered => Vec::new(),
        (Some(place), None) => game.inspect(place),
        (Some(place), Some(player)) => game.inspect_for(player, place),
        (None, Some(player)) => game.seen_beside(player),
        (None, None) => Vec::new(),
    };
    let names = playback.players();
    let value = |name: &str, value: String| match (name, value.parse::<usize>()) {
        ("player", Ok(player)) if player < names.len() => format!("{} ({player})", names[player]),
        _ => with_names(&value, names),
    };
    let fact = |fact: Fact| {
        let value = value(&fact.name, fact.value);
        Item::Fact(fact.name, value)
    };
    let mut items: Vec<Item> = facts.into_iter().map(fact).collect();
    let (Some(place), None) = (place, playback.eyes) else {
        if items.is_empty() && place.is_none() {
            items.push(Item::Text("Click on a cell to look into it.".into()));
        }
        return items;
    };
    let asked = match asked_about(playback, place) {
        Ok(asked) => asked,
        Err(error) => {
            items.push(Item::Text(error.to_string()));
            return items;
        }
    };
    if let Some(asked) = &asked {
        items.extend(decision_items(asked, playback));
    }
    // The reports have the faults of the step that is shown.
    if let Some(asked) = asked.filter(|asked| asked.step != playback.step()) {
        let here = |fault: &&agon_core::Fault| {
            fault.step == asked.step && fault.player == asked.decision.player
        };
        for fault in notes.faults.iter().filter(here) {
            items.push(Item::Heading(format!("fault of {}", name_of(names, fault.player))));
            items.push(Item::Text(fault.to_string()));
        }
    }
    items
}

fn decision_items(asked: &Asked, playback: &Playback) -> Vec<Item> {
    let name = &playback.players()[asked.decision.player.index()];
    let when = if asked.step == playback.step() {
        String::new()
    } else {
        format!(" in step {}", asked.step)
    };
    let mut items = vec![];
    match &asked.answer {
        None => items.push(Item::Heading(format!("{name} is being asked{when}"))),
        Some(answer) => {
            items.push(Item::Heading(format!("{name} answered{when}")));
            items.push(match answer.reply(0) {
                Some(reply) => Item::Json(reply),
                None => Item::Text(format!("{:?}", answer.debug(0))),
            });
        }
    }
    items.push(Item::Heading("it was shown".into()));
    items.push(Item::Json(asked.view.clone()));
    items
}

/// A bot's question about a unit, with the answer.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The step.
    pub(super) step: u64,
    /// The decision.
    pub(super) decision: Decision,
    /// The bot's view, in the JSON Lines protocol.
    pub(super) view: Value,
    /// A list of the answer; `None` if it is not known yet.
    pub(super) answer: Option<AnyAnswers>,
}

/// Returns the decision about the unit at `place`.
///
/// It is the one of the shown state, or else the next one in this turn, or else the first one of
/// the turn. If a turn has many batches, each unit is asked in one of them.
pub(super) fn asked_about(playback: &Playback, place: Place) -> Result<Option<Asked>, StateError> {
    let mut states = playback.states().fork();
    let turn = playback.turn();
    let here = playback.step();
    if let Some(asked) = search(&mut *states, place, turn, playback.steps())? {
        return Ok(Some(asked));
    }
    let first = playback.turn_start()?;
    if first == here {
        return Ok(None);
    }
    states.seek(first)?;
    search(&mut *states, place, turn, here)
}

/// Plays until a unit at `place` is asked, at most to the end of the turn and to step `last`.
fn search(
    states: &mut dyn StateSource,
    place: Place,
    turn: u64,
    last: u64,
) -> Result<Option<Asked>, StateError> {
    while states.game().progress().turn == turn {
        // Even earlier it may be known that a unit will be asked in a later batch.
        let now = |decision: &Decision| states.game().decisions().binary_search(decision).is_ok();
        if let Some(decision) = states.game().decision_at(place).filter(now) {
            return asked(states, decision).map(Some);
        }
        if states.step() >= last || !states.advance()? {
            break;
        }
    }
    Ok(None)
}

fn asked(states: &mut dyn StateSource, decision: Decision) -> Result<Asked, StateError> {
    let index = states.game().decisions().binary_search(&decision).ok();
    let answer = states.answers()?.and_then(|answers| index.map(|at| answers.part(at..at + 1)));
    let view = states.game().observation_json(decision).ok();
    let view = view.and_then(|view| serde_json::from_str(&view).ok()).unwrap_or(Value::Null);
    Ok(Asked { step: states.step(), decision, view, answer })
}
