//! The panel about a selected place: facts, what its bot was shown, and what it answered.
//!
//! A click on the board opens it. `inspector_painting` paints its lines; a terminal writes them.

mod decision;

use agon_core::Fault;
use agon_games::{
    jsonl::JsonGame,
    scene::{Place, Render},
};
use serde_json::Value;

use super::{json, theme_painter::wrapped};
use crate::{Playback, Redraw};
use decision::{Asked, asked_about};

/// A panel about one place of the board.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    selected: Option<Place>,
    /// Whether it is shown even without a selection.
    is_open: bool,
    /// The place and the step of its text, and the number of steps while the answer is missing.
    said_of: Option<(Place, u64, Option<u64>)>,
    items: Vec<Item>,
    pub(super) scrolled: usize,
    /// The number of lines that did not fit in the last picture.
    pub(super) hidden: usize,
}

/// A part of its text.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Heading(String),
    Text(String),
    Fact(&'static str, String),
    Json(Value),
}

impl Inspector {
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn selected(&self) -> Option<Place> {
        self.selected
    }

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

    /// Forgets the text, which is outdated.
    pub(super) fn forget(&mut self) {
        self.said_of = None;
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

    /// Collects the facts about the shown state.
    pub(super) fn look_at<G: Render + JsonGame>(
        &mut self,
        playback: &Playback<G>,
        faults: &[Fault],
    ) {
        let Some(place) = self.selected.filter(|_| self.is_open) else {
            (self.said_of, self.items) =
                (None, vec![Item::Text("Click on a cell to look into it.".into())]);
            return;
        };
        // The answers on the newest state come later.
        let newest = (playback.step() == playback.steps()).then(|| playback.steps());
        let about = Some((place, playback.step(), newest));
        if place as usize >= playback.scene().board.places() {
            // Another player sees the match now, or everything is visible.
            self.close();
            return;
        }
        if self.said_of == about {
            return;
        }
        self.said_of = about;
        self.items = items(playback, place, faults);
    }

    /// Returns the whole text, without line breaks.
    pub(super) fn text(&self) -> Vec<String> {
        let line = |item: &Item| match item {
            Item::Heading(text) | Item::Text(text) => text.clone(),
            Item::Fact(name, value) => format!("{name}: {value}"),
            Item::Json(value) => value.to_string(),
        };
        if self.is_open { self.items.iter().map(line).collect() } else { vec![] }
    }

    /// Returns lines of `columns` characters for this space, without scrolling beyond the last one.
    pub(super) fn fit(&mut self, columns: usize, room: usize) -> Vec<(String, bool)> {
        let lines = self.lines(columns);
        self.hidden = lines.len().saturating_sub(room);
        self.scrolled = self.scrolled.min(self.hidden);
        lines
    }

    /// Returns the number of lines before the first visible one.
    pub(super) fn scrolled(&self) -> usize {
        self.scrolled
    }

    /// Returns the text in lines of `columns` characters, and whether they are headings.
    pub(super) fn lines(&self, columns: usize) -> Vec<(String, bool)> {
        let mut lines = Vec::new();
        let widest = self.items.iter().filter_map(|item| match item {
            Item::Fact(name, _) => Some(name.len()),
            _ => None,
        });
        let widest = widest.max().unwrap_or(0).min(columns / 2);
        for item in &self.items {
            match item {
                Item::Heading(text) => lines.push((text.clone(), true)),
                Item::Text(text) => {
                    lines.extend(wrapped(text, columns).into_iter().map(|line| (line, false)))
                }
                Item::Fact(name, value) => lines.push((format!("{name:<widest$} {value}"), false)),
                Item::Json(value) => {
                    lines.extend(json::lines(value, columns).into_iter().map(|line| (line, false)))
                }
            }
        }
        lines
    }
}

/// Returns the facts about a place in the shown state.
fn items<G: Render + JsonGame>(
    playback: &Playback<G>,
    place: Place,
    faults: &[Fault],
) -> Vec<Item> {
    let facts = match playback.eyes() {
        None => playback.game().inspect(place),
        Some(player) => playback.game().inspect_for(player, place),
    };
    let mut items: Vec<Item> =
        facts.into_iter().map(|fact| Item::Fact(fact.name, fact.value)).collect();
    if playback.eyes().is_some() {
        return items;
    }
    let asked = match asked_about(playback, place) {
        Ok(asked) => asked,
        Err(error) => {
            items.push(Item::Text(error.to_string()));
            return items;
        }
    };
    if let Some(asked) = &asked {
        items.extend(decision_items::<G>(asked, playback));
    }
    let step = asked.as_ref().map_or(playback.step(), |asked| asked.step);
    let here = faults.iter().filter(|fault| fault.step == step);
    let here = here
        .filter(|fault| asked.as_ref().is_none_or(|asked| fault.player == asked.decision.player));
    for fault in here {
        let name = &playback.players()[fault.player.index()];
        items.push(Item::Heading(format!("fault of {name}")));
        items.push(Item::Text(fault.to_string()));
    }
    items
}

fn decision_items<G: Render + JsonGame>(
    asked: &Asked<G::Answer>,
    playback: &Playback<G>,
) -> Vec<Item> {
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
            items.push(match G::reply_for(answer.clone()).map(serde_json::to_value) {
                Some(Ok(reply)) => Item::Json(reply),
                _ => Item::Text(format!("{answer:?}")),
            });
        }
    }
    items.push(Item::Heading("it was shown".into()));
    items.push(Item::Json(asked.view.clone()));
    items
}
