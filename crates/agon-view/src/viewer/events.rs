//! Finds the events of a match, and decides which of them the list beside the board shows.
//!
//! The events are moves, losses, changes of the lead, players who are out, and faults. The pass
//! through the match that collects the curves of the chart finds them.

use std::ops::Range;

use agon_core::{Decision, Fault, FaultKind, Player};
use agon_games::any::AnyAnswers;
use serde_json::Value;

use super::notes::{ResultText, name_of};
use crate::{EventKind, StateError, StateSource};

/// The most events of kinds of which a match may have very many.
const MAX_COMMON: usize = 4096;

/// The most faults and groups of faults.
const MAX_FAULTS: usize = 4096;

/// The longest text of a move.
const MAX_MOVE: usize = 80;

/// An event of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Steps before the state that shows it.
    pub(super) step: u64,
    /// The turn of that state.
    pub(super) turn: u64,
    pub(super) player: Option<Player>,
    pub(super) kind: EventKind,
    pub(super) text: String,
}

/// Faults of a bot of one kind, without another fault of this bot between them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FaultGroup {
    player: Player,
    kind: FaultKind,
    first: u64,
    last: u64,
    count: u64,
}

/// The events that have been found so far, and what is needed to find more.
#[derive(Clone, Debug, Default)]
pub(super) struct EventLog {
    /// In order of step.
    pub(super) events: Vec<Event>,
    /// Events of common kinds so far, and how many of them are left out.
    common: usize,
    pub(super) left_out: u64,
    /// Groups of faults by their first step, and how many of them are already events.
    faults: Vec<FaultGroup>,
    told_faults: usize,
    is_out: Vec<bool>,
    leader: Option<Player>,
    /// The values of the first series in the turn before.
    values: Vec<i64>,
    /// Whether players do not move one after the other, so that moves are not listed.
    is_simultaneous: bool,
    is_over: bool,
}

impl EventLog {
    /// Starts with a match of which nothing is known but its faults.
    pub(super) fn new(faults: &[Fault]) -> EventLog {
        EventLog { faults: grouped(faults), ..EventLog::default() }
    }

    /// Starts again with the first state.
    pub(super) fn restart(&mut self) {
        *self = EventLog { faults: std::mem::take(&mut self.faults), ..EventLog::default() };
    }

    /// Returns the move on the current state, if players move one after the other: the decision and
    /// a list of its answer.
    pub(super) fn next_move(
        &mut self,
        states: &mut dyn StateSource,
    ) -> Result<Option<(Decision, AnyAnswers)>, StateError> {
        if self.is_simultaneous {
            return Ok(None);
        }
        let &[decision] = states.game().decisions() else {
            self.is_simultaneous |= !states.game().decisions().is_empty();
            return Ok(None);
        };
        if decision.unit != 0 || states.game().players() < 2 {
            self.is_simultaneous = true;
            return Ok(None);
        }
        Ok(states.answers()?.map(|answers| (decision, answers.clone())))
    }

    /// Notes a move that led to this state.
    pub(super) fn moved(
        &mut self,
        states: &dyn StateSource,
        (decision, answer): (Decision, AnyAnswers),
    ) {
        let text = match answer.reply(0) {
            Some(reply) => words(&reply),
            None => format!("{:?}", answer.debug(0)),
        };
        let text = text.chars().take(MAX_MOVE).collect();
        self.add(states, Some(decision.player), EventKind::Move, text);
    }

    /// Notes the faults up to the current state.
    pub(super) fn arrive(&mut self, states: &dyn StateSource) {
        while let Some(group) = self.faults.get(self.told_faults)
            && group.first <= states.step()
        {
            self.told_faults += 1;
            let FaultGroup { player, kind, last, count, .. } = *group;
            let text = if count == 1 {
                kind.words().to_owned()
            } else {
                format!("{} {count} times, up to step {last}", kind.words())
            };
            self.add(states, Some(player), EventKind::Fault, text);
        }
    }

    /// Notes what is new at the start of a turn or at the end of the match.
    ///
    /// `values` are those of the first series, by player.
    pub(super) fn begin_turn(&mut self, states: &dyn StateSource, values: &[i64]) {
        let game = states.game();
        self.is_out.resize(game.players(), false);
        for player in Player::all(game.players()) {
            let index = player.index();
            if game.is_out(player) == Ok(true) {
                if !std::mem::replace(&mut self.is_out[index], true) {
                    self.add(states, Some(player), EventKind::Out, "is out".to_owned());
                }
            } else if let (Some(&before), Some(&now)) = (self.values.get(index), values.get(index))
                && self.is_simultaneous
                && is_loss(before, now)
            {
                let lost = before - now;
                let what = game.kind().series().first().map_or("", |series| series.title);
                let text = format!("loses {lost} of {before} {what}");
                self.add(states, Some(player), EventKind::Loss, text);
            }
        }
        self.values.clear();
        self.values.extend_from_slice(values);
        let standing = game.standing();
        if let &[leader] = game.leaders().as_slice()
            && self.leader != Some(leader)
            && game.players() > 1
        {
            self.leader = Some(leader);
            if standing.outcome.is_none() {
                self.add(states, Some(leader), EventKind::Lead, "takes the lead".to_owned());
            }
        }
        if let Some(outcome) = &standing.outcome
            && !std::mem::replace(&mut self.is_over, true)
        {
            let result = ResultText::of(outcome, states.players());
            let text = format!("{}: {}", result.headline, result.reason);
            self.add(states, None, EventKind::End, text);
        }
    }

    fn add(
        &mut self,
        states: &dyn StateSource,
        player: Option<Player>,
        kind: EventKind,
        text: String,
    ) {
        if matches!(kind, EventKind::Move | EventKind::Lead | EventKind::Loss) {
            if self.common == MAX_COMMON {
                self.left_out += 1;
                return;
            }
            self.common += 1;
        }
        let text = match player {
            Some(player) => format!("{} {text}", name_of(states.players(), player)),
            None => text,
        };
        let turn = states.game().progress().turn;
        self.events.push(Event { step: states.step(), turn, player, kind, text });
    }
}

/// Returns whether a player loses a fifth or more of what it has.
fn is_loss(before: i64, now: i64) -> bool {
    before > 0 && now < before && (before - now).saturating_mul(5) >= before
}

/// Joins faults of the same bot and kind that follow each other.
fn grouped(faults: &[Fault]) -> Vec<FaultGroup> {
    let mut groups: Vec<FaultGroup> = Vec::new();
    // The last group of each player.
    let mut last: std::collections::BTreeMap<Player, usize> = Default::default();
    for fault in faults {
        let same = last.get(&fault.player).copied().filter(|&at| groups[at].kind == fault.kind);
        if let Some(at) = same {
            groups[at].last = groups[at].last.max(fault.step);
            groups[at].count = groups[at].count.saturating_add(fault.count);
            continue;
        }
        if groups.len() == MAX_FAULTS {
            break;
        }
        last.insert(fault.player, groups.len());
        let Fault { player, kind, step, count, .. } = *fault;
        groups.push(FaultGroup { player, kind, first: step, last: step, count });
    }
    groups.sort_by_key(|group| group.first);
    groups
}

/// Returns the names and values of a reply without the signs of JSON: "place column 2 color 0".
///
/// A text needs no name, because it says what is done.
fn words(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let words = map.iter().map(|(key, value)| match value {
                Value::Null => key.clone(),
                Value::String(_) => words(value),
                value => format!("{key} {}", words(value)),
            });
            words.collect::<Vec<_>>().join(" ")
        }
        Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(" "),
        Value::String(text) => text.to_lowercase(),
        other => other.to_string(),
    }
}

/// The list of events of a viewer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventsPanel {
    /// The first visible event, and the step at which a person scrolled to it.
    scrolled: Option<(usize, u64)>,
}

impl EventsPanel {
    /// Returns the events with space for `room` of them while `step` is shown, and the last event
    /// up to that step.
    pub(super) fn visible(
        &self,
        events: &[Event],
        step: u64,
        room: usize,
    ) -> (Range<usize>, Option<usize>) {
        let past = events.partition_point(|event| event.step <= step);
        let most = events.len().saturating_sub(room);
        let first = match self.scrolled {
            Some((first, at)) if at == step => first,
            // Some of the next events are visible as well.
            _ => past.saturating_sub(room - room / 3),
        };
        let first = first.min(most);
        (first..events.len().min(first + room), past.checked_sub(1))
    }

    /// Scrolls by some events, until another step is shown.
    pub(super) fn scroll(&mut self, events: &[Event], step: u64, room: usize, by: i32) {
        let first = self.visible(events, step, room).0.start;
        let most = events.len().saturating_sub(room);
        self.scrolled = Some((first.saturating_add_signed(by as isize).min(most), step));
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Evidence;
    use serde_json::json;

    use super::*;
    use crate::EventKind;

    fn fault(player: u16, step: u64, kind: FaultKind) -> Fault {
        let (player, evidence) = (Player(player), Evidence::default());
        Fault { player, step, kind, detail: String::new(), evidence, count: 1 }
    }

    #[test]
    fn replies_are_read_as_words() {
        let place = json!({ "action": "PLACE", "column": 2, "to": [1, null, { "x": -1 }] });
        assert_eq!(words(&place), "place column 2 to 1 null x -1");
        assert_eq!(words(&json!("ROCK")), "rock");
        assert_eq!(words(&json!({ "pass": null })), "pass");
    }

    #[test]
    fn faults_in_a_row_are_one_event() {
        use FaultKind::{Crash, Timeout};
        let faults = [
            fault(0, 1, Timeout),
            fault(1, 1, Crash),
            fault(0, 2, Timeout),
            fault(0, 5, Crash),
            fault(0, 6, Timeout),
        ];
        let groups = grouped(&faults);
        let seen =
            groups.iter().map(|group| (group.player.0, group.first, group.last, group.count));
        let seen: Vec<_> = seen.collect();
        assert_eq!(seen, [(0, 1, 2, 2), (1, 1, 1, 1), (0, 5, 5, 1), (0, 6, 6, 1)]);
    }

    #[test]
    fn endlessly_many_faults_are_limited() {
        let kinds = [FaultKind::Crash, FaultKind::Timeout];
        let faults: Vec<Fault> =
            (0..20_000).map(|step| fault(0, step, kinds[step as usize % 2])).collect();
        assert_eq!(grouped(&faults).len(), MAX_FAULTS);
    }

    #[test]
    fn a_fifth_is_a_loss() {
        let losses = [(5, 4), (6, 5), (1, 0), (0, 0), (3, 9), (-5, -9), (i64::MAX, 0)];
        let losses = losses.map(|(before, now)| is_loss(before, now));
        assert_eq!(losses, [true, false, true, false, false, false, true]);
    }

    fn events(steps: &[u64]) -> Vec<Event> {
        let event = |&step| Event {
            step,
            turn: step,
            player: None,
            kind: EventKind::Move,
            text: String::new(),
        };
        steps.iter().map(event).collect()
    }

    #[test]
    fn the_list_follows_the_match_until_somebody_scrolls() {
        let events = events(&(1..=20).collect::<Vec<_>>());
        let mut panel = EventsPanel::default();
        let seen = |panel: &EventsPanel, step| {
            let (visible, current) = panel.visible(&events, step, 6);
            (visible.start, visible.len(), current)
        };
        assert_eq!(seen(&panel, 0), (0, 6, None));
        assert_eq!(seen(&panel, 10), (6, 6, Some(9)));
        assert_eq!(seen(&panel, 20), (14, 6, Some(19)));
        panel.scroll(&events, 10, 6, -4);
        assert_eq!(seen(&panel, 10), (2, 6, Some(9)));
        panel.scroll(&events, 10, 6, 1000);
        assert_eq!(seen(&panel, 10), (14, 6, Some(9)));
        assert_eq!(seen(&panel, 11), (7, 6, Some(10)), "the next step is followed again");
    }

    #[test]
    fn short_lists_and_no_room_are_fine() {
        let two = events(&[3, 3]);
        let mut panel = EventsPanel::default();
        for room in 0..4 {
            let (visible, _) = panel.visible(&two, 9, room);
            assert!(visible.end <= 2 && visible.len() <= room, "{room}");
            panel.scroll(&two, 9, room, -5);
        }
        assert_eq!(panel.visible(&[], 0, 5), (0..0, None));
    }
}
