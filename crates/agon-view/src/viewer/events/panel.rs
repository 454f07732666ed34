//! Decides which events of the list are visible: those around the step that is shown, or those to
//! which a person has scrolled.
//!
//! The viewer calls it for the wheel, and `painting` and the terminal for each picture.

use super::log::Event;

/// The list of events of a viewer.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::viewer) struct EventsPanel {
    /// The first visible event, and the step at which a person scrolled to it.
    scrolled: Option<(usize, u64)>,
}

/// The visible part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::viewer) struct VisibleEvents {
    /// The first visible event.
    pub(in crate::viewer) first: usize,
    /// The number of visible events.
    pub(in crate::viewer) count: usize,
    /// The last event up to the step that is shown.
    pub(in crate::viewer) current: Option<usize>,
}

impl EventsPanel {
    /// Returns the part of the events with space for `room` of them while `step` is shown.
    pub(in crate::viewer) fn visible(
        &self,
        events: &[Event],
        step: u64,
        room: usize,
    ) -> VisibleEvents {
        let past = events.partition_point(|event| event.step <= step);
        let most = events.len().saturating_sub(room);
        let first = match self.scrolled {
            Some((first, at)) if at == step => first,
            // Some of the next events are visible as well.
            _ => past.saturating_sub(room - room / 3),
        };
        let first = first.min(most);
        let count = room.min(events.len() - first);
        VisibleEvents { first, count, current: past.checked_sub(1) }
    }

    /// Scrolls by some events, until another step is shown.
    pub(in crate::viewer) fn scroll(&mut self, events: &[Event], step: u64, room: usize, by: i32) {
        let first = self.visible(events, step, room).first;
        let most = events.len().saturating_sub(room);
        self.scrolled = Some((first.saturating_add_signed(by as isize).min(most), step));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;

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
            let VisibleEvents { first, count, current } = panel.visible(&events, step, 6);
            (first, count, current)
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
            let VisibleEvents { first, count, .. } = panel.visible(&two, 9, room);
            assert!(first + count <= 2 && count <= room, "{room}");
            panel.scroll(&two, 9, room, -5);
        }
        let none = VisibleEvents { first: 0, count: 0, current: None };
        assert_eq!(panel.visible(&[], 0, 5), none);
    }
}
