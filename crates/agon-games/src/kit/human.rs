//! Lets a person play games of the kit: every legal answer gets a key, a click or a button. Screens
//! (window, terminal, browser) pass the gestures on to this file.

use agon_core::{Decision, Game, GameExt, Player};

use super::{Kit, SmallGame, scene};
use crate::human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction};
use crate::scene::{Board, Hue, Ink, Mark, Place, Render, Shape};

/// Keys for answers to which the game assigns no gesture.
const KEYS: &str = "123456789abcdefghijklmnopqrstuvwxyz";

/// The entries of a list that are shown at a time.
const PAGE: usize = 20;

/// What a person has chosen in a turn.
#[derive(Clone, Debug)]
pub struct Orders<A> {
    player: Player,
    /// The units that have an answer, in the order in which they were given.
    answers: Vec<(u32, A)>,
    /// The square that the arrow keys have moved to.
    cursor: Option<Place>,
    /// The number of the answer that the arrow keys have moved to in the list.
    entry: u32,
    /// What has been typed to search the list.
    search: String,
}

/// The answers that have neither keys nor clicks of their own, because there are too many.
struct List {
    /// Number and label of each answer that has all words of the search.
    found: Vec<(u32, String)>,
    /// The place of the cursor among them.
    at: usize,
    /// Whether arrow keys and Return are for the list, and not for the board.
    has_keys: bool,
}

impl<S: SmallGame> Kit<S> {
    /// The next decision without an answer.
    fn waiting(&self, orders: &Orders<S::Answer>) -> Option<Decision> {
        let is_answered = |unit| orders.answers.iter().any(|(known, _)| *known == unit);
        let mut own = self.decisions().iter().filter(|decision| decision.player == orders.player);
        own.find(|decision| !is_answered(decision.unit)).copied()
    }

    /// The legal answers with their keys and clicks. If there are more than keys, those without a
    /// gesture of the game are entries of a list.
    fn gestures(&self, decision: Decision) -> Vec<(Gesture, &S::Answer)> {
        let gesture = |answer| self.state().gesture(self.rules(), decision, answer);
        let is_legal = |answer: &S::Answer| self.illegal(decision, answer).is_none();
        let numbered = (0..).zip(self.answers()).filter(|(_, answer)| is_legal(answer));
        let own: Vec<_> =
            numbered.map(|(number, answer)| (number, gesture(answer), answer)).collect();
        let is_list = own.iter().filter(|(_, own, _)| own.is_none()).count() > KEYS.len();
        let mut keys = KEYS.chars().map(Gesture::Type);
        let with_gesture = |(number, own, answer): (u32, Option<Gesture>, _)| {
            let key = || if is_list { None } else { keys.next() };
            (own.or_else(key).unwrap_or(Gesture::Choose(number)), answer)
        };
        own.into_iter().map(with_gesture).collect()
    }

    /// The list, if there is one: with its cursor where the arrow keys have left it.
    fn list(&self, orders: &Orders<S::Answer>, gestures: &[(Gesture, &S::Answer)]) -> Option<List> {
        let words: Vec<String> = orders.search.split_whitespace().map(str::to_lowercase).collect();
        let mut is_list = false;
        let mut found = Vec::new();
        for (gesture, answer) in gestures {
            if let Gesture::Choose(number) = gesture {
                is_list = true;
                let label = self.label(answer);
                let lower = label.to_lowercase();
                if words.iter().all(|word| lower.contains(word)) {
                    found.push((*number, label));
                }
            }
        }
        let at = found.partition_point(|(number, _)| *number < orders.entry);
        let at = at.min(found.len().saturating_sub(1));
        let has_keys = !words.is_empty() || self.cursor(orders, gestures).is_none();
        is_list.then_some(List { found, at, has_keys })
    }

    /// Reacts to a gesture with which a person searches the list or moves in it.
    fn act_in_list(&self, orders: &mut Orders<S::Answer>, list: &List, act: Gesture) -> Reaction {
        let last = list.found.len().saturating_sub(1);
        let to = match act {
            Gesture::Type(letter) if letter.is_alphanumeric() || letter == ' ' => {
                orders.search.push(letter);
                let decision = self.waiting(orders).expect("somebody searches");
                let gestures = self.gestures(decision);
                let is_found =
                    self.list(orders, &gestures).is_some_and(|list| !list.found.is_empty());
                if is_found {
                    return Reaction::Changed;
                }
                let search = orders.search.clone();
                orders.search.pop();
                return Reaction::Refused(format!("no answer has `{search}`"));
            }
            Gesture::Cancel if !orders.search.is_empty() => {
                orders.search.clear();
                return Reaction::Changed;
            }
            Gesture::Go(ArrowKey::Up) => list.at.saturating_sub(1),
            Gesture::Go(ArrowKey::Down) => (list.at + 1).min(last),
            Gesture::Go(ArrowKey::Left) => list.at.saturating_sub(PAGE),
            Gesture::Go(ArrowKey::Right) => (list.at + PAGE).min(last),
            _ => return Reaction::Ignored,
        };
        orders.entry = list.found[to].0;
        Reaction::Changed
    }

    /// Adds the page of the list that has the cursor.
    fn add_list(&self, orders: &Orders<S::Answer>, list: &List, hints: &mut Hints) {
        let first = list.at / PAGE * PAGE;
        let page = list.found.iter().enumerate().skip(first).take(PAGE);
        if list.has_keys {
            let (number, label) = &list.found[list.at];
            hints.cursor = Some(*number);
            hints.choices.push(Choice::new(Gesture::Confirm, label.clone()));
        }
        hints.choices.extend(page.map(|(at, (number, label))| {
            let choice = Choice::new(Gesture::Choose(*number), label.clone());
            choice.chosen_if(list.has_keys && at == list.at)
        }));
        let turn = |key, label: &str| Choice { way: None, ..Choice::new(Gesture::Go(key), label) };
        if list.has_keys && first > 0 {
            hints.choices.push(turn(ArrowKey::Left, "before these"));
        }
        if list.has_keys && first + PAGE < list.found.len() {
            hints.choices.push(turn(ArrowKey::Right, "after these"));
        }
        let many = list.found.len();
        hints.message += &match orders.search.as_str() {
            "" => format!(": type to search {many} answers, or arrow keys and Return"),
            search => format!(": {many} with `{search}`"),
        };
        if !orders.search.is_empty() {
            hints.choices.push(Choice::new(Gesture::Cancel, "search no more"));
        }
    }

    /// An answer as people read it.
    fn label(&self, answer: &S::Answer) -> String {
        scene::line(&serde_json::to_value(answer).expect("answers survive JSON"), S::LABELS)
    }

    /// Returns the square that Return picks; `None` if no click gives an answer.
    fn cursor(
        &self,
        orders: &Orders<S::Answer>,
        gestures: &[(Gesture, &S::Answer)],
    ) -> Option<Place> {
        let mut places = gestures.iter().filter_map(|(gesture, _)| match gesture {
            Gesture::Pick(place) => Some(*place),
            _ => None,
        });
        let first = places.next()?;
        Some(orders.cursor.unwrap_or(first))
    }

    /// Moves the cursor of the board or of the list.
    fn point(&self, orders: &mut Orders<S::Answer>, on_board: bool, to: u32) -> Reaction {
        let places = self.scene_for(orders.player).board.places();
        match on_board {
            true if to as usize >= places => return Reaction::Ignored,
            true => orders.cursor = Some(to),
            false => orders.entry = to,
        }
        Reaction::Changed
    }

    /// Returns the next square in a direction; the same one at the edge.
    fn next_square(&self, player: Player, from: Place, way: ArrowKey) -> Place {
        let Board::Grid { width, height, wraps } = self.scene_for(player).board else {
            return from;
        };
        if width == 0 || height == 0 {
            return from;
        }
        let (right, down) = way.step();
        let step = |from: u32, by: i32, size: u32| {
            let (to, size) = (i64::from(from) + i64::from(by), i64::from(size));
            let to = if wraps { to.rem_euclid(size) } else { to.clamp(0, size - 1) };
            u32::try_from(to).expect("it lies between 0 and the size")
        };
        step(from / width, down, height) * width + step(from % width, right, width)
    }
}

/// Returns the answer that a gesture gives.
fn answer_of<A: Clone>(gestures: &[(Gesture, &A)], act: Gesture) -> Option<A> {
    let found = gestures.iter().find(|(gesture, _)| *gesture == act);
    found.map(|(_, answer)| (*answer).clone())
}

impl<S: SmallGame> HumanInput for Kit<S> {
    type Orders = Orders<S::Answer>;

    fn orders(&self, player: Player) -> Orders<S::Answer> {
        Orders { player, answers: Vec::new(), cursor: None, entry: 0, search: String::new() }
    }

    fn act(&self, orders: &mut Orders<S::Answer>, act: Gesture) -> Reaction {
        let Some(decision) = self.waiting(orders) else { return Reaction::Ignored };
        if act == Gesture::Undo {
            return match (orders.search.pop(), orders.answers.is_empty()) {
                (None, true) => Reaction::Refused("there is no order to take back".into()),
                (None, false) => {
                    orders.answers.pop();
                    Reaction::Changed
                }
                (Some(_), _) => Reaction::Changed,
            };
        }

        let act = match act {
            Gesture::Type(key) => Gesture::Type(key.to_ascii_lowercase()),
            other => other,
        };
        let gestures = self.gestures(decision);
        let cursor = self.cursor(orders, &gestures);
        let list = self.list(orders, &gestures);
        let keys_of_list = list.as_ref().filter(|list| list.has_keys);
        // Answers may use the arrow keys or Return themselves.
        let answer = match (answer_of(&gestures, act), act) {
            (Some(answer), _) => answer,
            (None, Gesture::Point(to)) => return self.point(orders, cursor.is_some(), to),
            (None, Gesture::Confirm) => {
                let act = match (keys_of_list, cursor) {
                    (Some(list), _) => Gesture::Choose(list.found[list.at].0),
                    (None, Some(at)) => Gesture::Pick(at),
                    (None, None) => return Reaction::Ignored,
                };
                match answer_of(&gestures, act) {
                    Some(answer) => answer,
                    None => return Reaction::Refused("move to a marked square first".into()),
                }
            }
            (None, Gesture::Go(way)) if keys_of_list.is_none() => {
                let Some(at) = cursor else { return Reaction::Ignored };
                orders.cursor = Some(self.next_square(orders.player, at, way));
                return Reaction::Changed;
            }
            _ => match &list {
                Some(list) => return self.act_in_list(orders, list, act),
                None => return Reaction::Ignored,
            },
        };
        orders.answers.push((decision.unit, answer));
        orders.search.clear();
        match self.waiting(orders) {
            Some(_) => Reaction::Changed,
            None => Reaction::Submitted,
        }
    }

    fn hints(&self, orders: &Orders<S::Answer>) -> Hints {
        let Some(decision) = self.waiting(orders) else { return Hints::default() };
        let mut hints = Hints { message: "Choose an answer".into(), ..Hints::default() };
        let own = self.decisions().iter().filter(|other| other.player == decision.player);
        if own.count() > 1 {
            hints.message = format!("Choose an answer for unit {}", decision.unit);
        }

        let gestures = self.gestures(decision);
        let list = self.list(orders, &gestures);
        let has_board_keys = list.as_ref().is_none_or(|list| !list.has_keys);
        if let Some(place) = self.cursor(orders, &gestures) {
            hints.cursor = Some(place);
            if has_board_keys {
                hints.message.push_str(": arrow keys and Return, or a click");
                let answer = answer_of(&gestures, Gesture::Pick(place));
                let label =
                    answer.map_or_else(|| "nothing here".into(), |answer| self.label(&answer));
                if answer_of(&gestures, Gesture::Confirm).is_none() {
                    hints.choices.push(Choice::new(Gesture::Confirm, label));
                }
            }
            // Terminals without colours write a cross, but no ring.
            let ink = Ink::new(Hue::Accent);
            hints.marks.push(Mark { place, shape: Shape::Cross, ink });
        }
        if let Some(list) = list {
            self.add_list(orders, &list, &mut hints);
        }
        for (gesture, answer) in gestures {
            match gesture {
                Gesture::Pick(place) => {
                    let ink = Ink::faded(Hue::Accent, Ink::FULL / 3);
                    hints.marks.push(Mark { place, shape: Shape::Disc(30), ink });
                }
                Gesture::Choose(_) => {}
                _ => hints.choices.push(Choice::new(gesture, self.label(answer))),
            }
        }
        if !orders.answers.is_empty() {
            hints.choices.push(Choice::new(Gesture::Undo, "take back"));
        }
        hints
    }

    fn carry_out(&self, orders: &Orders<S::Answer>, decision: Decision) -> S::Answer {
        debug_assert!(!self.is_over(), "a game that is over asks nobody");
        let given = orders.answers.iter().find(|(unit, _)| *unit == decision.unit);
        given.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }
}
