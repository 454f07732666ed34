//! [`UnitGame`] and [`UnitOrders`]: play of a person who commands many units. They choose some
//! units, give them an order, and can take it back. The `human.rs` of games with many units says
//! what the units and their orders are.

use std::collections::BTreeMap;

use agon_core::{Decision, Player};

use super::{Choice, Gesture, Hints, HumanInput, Reaction};
use crate::scene::{Hue, Ink, Mark, Place, Render, Shape};

/// An order that needs no direction, with its key and its name.
pub type PlainOrder<G> = (char, <G as UnitGame>::Order, &'static str);

/// An order that needs a direction, with its key and its name.
pub type AimedOrder<G> = (char, fn(<G as UnitGame>::Way) -> <G as UnitGame>::Order, &'static str);

/// A game in which a person commands many units, each named by its place.
pub trait UnitGame: Render {
    /// The order of a unit.
    type Order: Copy + std::fmt::Debug + Send + 'static;

    /// A direction of an order.
    type Way: Copy + 'static;

    /// The units, in the plural.
    const NOUN: &'static str;

    /// The answer to an order while no unit is chosen.
    const CHOOSE_FIRST: &'static str;

    /// The orders that need no direction.
    const PLAIN: &'static [PlainOrder<Self>] = &[];

    /// The orders that need a direction.
    const AIMED: &'static [AimedOrder<Self>] = &[];

    /// Returns the player's units that can get orders now, sorted.
    fn units(&self, player: Player) -> Vec<Place>;

    /// Returns the places that the next order of a unit may aim at, with their directions.
    fn ways(&self, unit: Place) -> Vec<(Self::Way, Place)>;

    /// Returns the direction that a gesture stands for.
    fn way_of(act: Gesture) -> Option<Self::Way>;

    /// Returns whether a pick of a place beside a chosen unit chooses the unit there, instead of
    /// being a direction.
    fn is_chosen_first(&self, player: Player, place: Place) -> bool;

    /// Refuses to choose the unit on a place of the board.
    fn may_choose(&self, player: Player, place: Place) -> Result<(), String>;

    /// Returns the order that a direction alone stands for. `unit` is the chosen one, if it is a
    /// single one.
    fn usual(
        &self,
        player: Player,
        unit: Option<Place>,
        way: Self::Way,
    ) -> Result<Self::Order, String>;

    /// Refuses an order that the unit cannot carry out, whatever others do.
    fn can(&self, unit: Place, order: Self::Order) -> Result<(), String>;

    /// Returns what to do now, in a sentence.
    fn message(&self, orders: &UnitOrders<Self::Order>, units: &[Place]) -> String;

    /// Returns the directions that can be typed for the chosen units, of which there is at least
    /// one.
    fn way_choices(&self, orders: &UnitOrders<Self::Order>) -> Vec<Choice>;

    /// Returns an order in words: "move up".
    fn order_name(order: Self::Order) -> String;

    /// Returns marks that show the orders given so far.
    fn order_marks(&self, orders: &UnitOrders<Self::Order>) -> Vec<Mark>;

    /// See [`HumanInput::carry_out`].
    fn answer(&self, orders: &UnitOrders<Self::Order>, decision: Decision) -> Self::Answer;

    /// Returns the order that waits for a direction.
    fn aimed(verb: Option<char>) -> Option<&'static AimedOrder<Self>> {
        Self::AIMED.iter().find(|(key, ..)| Some(*key) == verb)
    }
}

impl<G: UnitGame> HumanInput for G {
    type Orders = UnitOrders<G::Order>;

    fn orders(&self, player: Player) -> UnitOrders<G::Order> {
        UnitOrders::new(player)
    }

    fn act(&self, orders: &mut UnitOrders<G::Order>, act: Gesture) -> Reaction {
        let units = self.units(orders.player);
        if let Some(reaction) = orders.act(act, &units) {
            return reaction;
        }
        match act {
            Gesture::Pick(place) => pick(self, orders, place),
            Gesture::Type(key) => typed(self, orders, key.to_ascii_lowercase()),
            _ if orders.chosen.is_empty() => Reaction::Ignored,
            _ => G::way_of(act).map_or(Reaction::Ignored, |way| aim(self, orders, way)),
        }
    }

    fn hints(&self, orders: &UnitOrders<G::Order>) -> Hints {
        let units = self.units(orders.player);
        let mut marks = orders.marks(&units);
        if let Some(unit) = orders.only_chosen() {
            let targets = self.ways(unit).into_iter();
            let mark = |(_, place)| Mark { place, shape: Shape::Disc(30), ink: FAINT };
            marks.extend(targets.map(mark));
        }
        marks.extend(self.order_marks(orders));

        let mut choices = Vec::new();
        if !orders.chosen.is_empty() {
            choices.extend(G::PLAIN.iter().map(|&(key, _, label)| Choice::typed(key, label)));
            let is_verb = |key| orders.verb == Some(key);
            let aimed = G::AIMED.iter();
            choices.extend(
                aimed.map(|&(key, _, label)| Choice::typed(key, label).chosen_if(is_verb(key))),
            );
            choices.extend(self.way_choices(orders));
            let again = |last| Choice::typed('.', format!("as before: {}", G::order_name(last)));
            choices.extend(orders.last.map(again));
        }
        choices.extend(orders.choices(&units, G::NOUN));
        Hints {
            cursor: None,
            message: self.message(orders, &units),
            marks,
            choices,
            orders: orders.orders.len(),
            chosen: orders.chosen.clone(),
            units,
        }
    }

    fn carry_out(&self, orders: &UnitOrders<G::Order>, decision: Decision) -> G::Answer {
        self.answer(orders, decision)
    }
}

/// A pick of the chosen unit drops the choice. A pick beside it is a direction, or chooses another
/// unit.
fn pick<G: UnitGame>(game: &G, orders: &mut UnitOrders<G::Order>, place: Place) -> Reaction {
    if place as usize >= game.scene().board.places() {
        return Reaction::Ignored;
    }
    let chosen = orders.only_chosen();
    if chosen == Some(place) {
        orders.choose(vec![]);
        return Reaction::Changed;
    }
    let ways = chosen.map_or_else(Vec::new, |unit| game.ways(unit));
    let is_direction = orders.verb.is_some() || !game.is_chosen_first(orders.player, place);
    match ways.into_iter().find(|&(_, to)| to == place) {
        Some((way, _)) if is_direction => aim(game, orders, way),
        _ => match game.may_choose(orders.player, place) {
            Ok(()) => {
                orders.choose(vec![place]);
                Reaction::Changed
            }
            Err(why) => Reaction::Refused(why),
        },
    }
}

fn typed<G: UnitGame>(game: &G, orders: &mut UnitOrders<G::Order>, key: char) -> Reaction {
    if let Some(&(_, order, _)) = G::PLAIN.iter().find(|(typed, ..)| *typed == key) {
        return give(game, orders, order);
    }
    if key == '.' {
        return orders.last.map_or(Reaction::Ignored, |last| give(game, orders, last));
    }
    match (G::aimed(Some(key)), G::way_of(Gesture::Type(key))) {
        (None, None) => Reaction::Ignored,
        _ if orders.chosen.is_empty() => Reaction::Refused(G::CHOOSE_FIRST.into()),
        (Some(_), _) => {
            orders.verb = Some(key);
            Reaction::Changed
        }
        (None, Some(way)) => aim(game, orders, way),
    }
}

fn aim<G: UnitGame>(game: &G, orders: &mut UnitOrders<G::Order>, way: G::Way) -> Reaction {
    let order = match G::aimed(orders.verb) {
        Some((_, aimed, _)) => Ok(aimed(way)),
        None => game.usual(orders.player, orders.only_chosen(), way),
    };
    match order {
        Ok(order) => give(game, orders, order),
        Err(why) => Reaction::Refused(why),
    }
}

fn give<G: UnitGame>(game: &G, orders: &mut UnitOrders<G::Order>, order: G::Order) -> Reaction {
    if orders.chosen.is_empty() {
        return Reaction::Refused(G::CHOOSE_FIRST.into());
    }
    orders.give(order, |unit| game.can(unit, order))
}

/// Ink of units that wait for an order, and of places that may be picked.
const FAINT: Ink = Ink::faded(Hue::Accent, Ink::FULL / 3);

/// Ink of what is chosen.
const STRONG: Ink = Ink::new(Hue::Accent);

/// Orders of type `O` for units that are named by their place.
///
/// The same keys in all games: `*` chooses all units without an order, `n` the next one, `.` gives
/// the last order again, `x` takes the order of what is chosen away.
#[derive(Clone, Debug)]
pub struct UnitOrders<O> {
    /// Whose units they are.
    pub player: Player,
    /// Units that the next order is for, sorted.
    pub chosen: Vec<Place>,
    /// The character that was typed for an order that still needs a direction.
    pub verb: Option<char>,
    /// The orders, by place.
    pub orders: BTreeMap<Place, O>,
    /// For undo: the orders before each change.
    history: Vec<Vec<(Place, Option<O>)>>,
    /// The order that was given last.
    last: Option<O>,
}

impl<O: Copy> UnitOrders<O> {
    /// Returns empty orders.
    fn new(player: Player) -> UnitOrders<O> {
        UnitOrders {
            player,
            chosen: vec![],
            verb: None,
            orders: BTreeMap::new(),
            history: vec![],
            last: None,
        }
    }

    /// The unit that the next order is for, if it is a single one.
    pub fn only_chosen(&self) -> Option<Place> {
        <[Place; 1]>::try_from(self.chosen.as_slice()).ok().map(|[unit]| unit)
    }

    /// Chooses these units, sorted, in place of the old ones.
    fn choose(&mut self, units: Vec<Place>) {
        self.chosen = units;
        self.verb = None;
    }

    /// The order of a unit.
    pub fn get(&self, unit: Place) -> Option<O> {
        self.orders.get(&unit).copied()
    }

    /// Gives an order to all chosen units that can carry it out; the others stay chosen. Refuses if
    /// none can.
    fn give(&mut self, order: O, can: impl Fn(Place) -> Result<(), String>) -> Reaction {
        let mut able = vec![];
        let mut unable = vec![];
        let mut why = None;
        for &unit in &self.chosen {
            match can(unit) {
                Ok(()) => able.push(unit),
                Err(reason) => {
                    unable.push(unit);
                    why.get_or_insert(reason);
                }
            }
        }
        if able.is_empty() {
            return Reaction::Refused(why.unwrap_or_else(|| "nothing is chosen".into()));
        }
        self.set(able, Some(order));
        self.last = Some(order);
        self.choose(unable);
        Reaction::Changed
    }

    fn set(&mut self, units: Vec<Place>, order: Option<O>) {
        let before = units.iter().map(|&unit| (unit, self.get(unit))).collect();
        self.history.push(before);
        units.into_iter().for_each(|unit| self.put(unit, order));
    }

    fn put(&mut self, unit: Place, order: Option<O>) {
        match order {
            Some(order) => self.orders.insert(unit, order),
            None => self.orders.remove(&unit),
        };
    }

    /// Handles the gestures that mean the same in all games; `None` for others. `units` are all
    /// that can get orders, sorted.
    fn act(&mut self, act: Gesture, units: &[Place]) -> Option<Reaction> {
        Some(match act {
            Gesture::Confirm => Reaction::Submitted,
            Gesture::Undo => self.undo(),
            Gesture::Cancel => self.cancel(),
            Gesture::Type('*') => self.choose_waiting(units),
            Gesture::Type('n' | 'N') => self.choose_next(units),
            Gesture::Type('x' | 'X') => self.take_away(),
            _ => return None,
        })
    }

    fn undo(&mut self) -> Reaction {
        let Some(before) = self.history.pop() else {
            return Reaction::Refused("there is no order to take back".into());
        };
        let units = before.iter().map(|&(unit, _)| unit).collect();
        before.into_iter().for_each(|(unit, order)| self.put(unit, order));
        self.choose(units);
        Reaction::Changed
    }

    /// Drops the verb, or the choice if there is no verb.
    fn cancel(&mut self) -> Reaction {
        if self.verb.take().is_none() {
            if self.chosen.is_empty() {
                return Reaction::Ignored;
            }
            self.chosen.clear();
        }
        Reaction::Changed
    }

    fn choose_waiting(&mut self, units: &[Place]) -> Reaction {
        let waiting: Vec<Place> = self.waiting(units).collect();
        if waiting.is_empty() {
            return Reaction::Refused("all have their orders".into());
        }
        self.choose(waiting);
        Reaction::Changed
    }

    fn choose_next(&mut self, units: &[Place]) -> Reaction {
        let from = self.chosen.last().map_or(0, |&unit| unit + 1);
        let next =
            self.waiting(units).find(|&unit| unit >= from).or_else(|| self.waiting(units).next());
        let Some(next) = next else {
            return Reaction::Refused("all have their orders".into());
        };
        self.choose(vec![next]);
        Reaction::Changed
    }

    fn take_away(&mut self) -> Reaction {
        let ordered: Vec<Place> =
            self.chosen.iter().copied().filter(|&unit| self.get(unit).is_some()).collect();
        if ordered.is_empty() {
            return Reaction::Refused("nothing that is chosen has an order".into());
        }
        self.set(ordered, None);
        Reaction::Changed
    }

    fn waiting<'a>(&'a self, units: &'a [Place]) -> impl Iterator<Item = Place> + 'a {
        units.iter().copied().filter(|&unit| self.get(unit).is_none())
    }

    /// Returns the choices of all games. `noun` is the plural for the units.
    fn choices(&self, units: &[Place], noun: &str) -> Vec<Choice> {
        let waiting = self.waiting(units).count();
        let has_order = self.chosen.iter().any(|&unit| self.get(unit).is_some());
        let mut choices = vec![];
        if waiting > 0 {
            choices.push(Choice::typed('n', "next without an order"));
            let all = match waiting {
                1 => "all without an order".to_owned(),
                _ => format!("all {waiting} {noun} without an order"),
            };
            choices.push(Choice::typed('*', all));
        }
        if has_order {
            choices.push(Choice::typed('x', "no order"));
        }
        if !self.history.is_empty() {
            choices.push(Choice::new(Gesture::Undo, "take back"));
        }
        if self.verb.is_some() || !self.chosen.is_empty() {
            choices.push(Choice::new(Gesture::Cancel, "drop the choice"));
        }
        choices.push(Choice::new(
            Gesture::Confirm,
            format!("give orders ({} of {})", self.orders.len(), units.len()),
        ));
        choices
    }

    /// Rings around units without an order, and around what is chosen.
    fn marks(&self, units: &[Place]) -> Vec<Mark> {
        let ring = |place, ink| Mark { place, shape: Shape::Ring, ink };
        let is_chosen = |unit: &Place| self.chosen.binary_search(unit).is_ok();
        let waiting =
            self.waiting(units).filter(|unit| !is_chosen(unit)).map(|unit| ring(unit, FAINT));
        waiting.chain(self.chosen.iter().map(|&unit| ring(unit, STRONG))).collect()
    }
}

/// A mark that shows an order.
pub(crate) fn order_mark(place: Place, shape: Shape) -> Mark {
    Mark { place, shape, ink: STRONG }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [Place; 4] = [2, 3, 5, 9];

    fn orders() -> UnitOrders<u8> {
        UnitOrders::new(Player(0))
    }

    #[test]
    fn orders_are_given_to_whom_can_and_taken_back_at_once() {
        let mut orders = orders();
        assert_eq!(orders.act(Gesture::Type('*'), &UNITS), Some(Reaction::Changed));
        assert_eq!(orders.chosen, UNITS);
        let odd = |unit| if unit % 2 == 1 { Ok(()) } else { Err(format!("{unit} is even")) };
        assert_eq!(orders.give(7, odd), Reaction::Changed);
        assert_eq!((orders.orders.len(), &orders.chosen[..]), (3, &[2][..]));
        assert_eq!(orders.give(7, odd), Reaction::Refused("2 is even".into()));
        assert_eq!(orders.act(Gesture::Undo, &UNITS), Some(Reaction::Changed));
        assert_eq!((orders.orders.len(), &orders.chosen[..]), (0, &[3, 5, 9][..]));
        assert!(matches!(orders.act(Gesture::Undo, &UNITS), Some(Reaction::Refused(_))));
    }

    #[test]
    fn taking_back_brings_the_old_order_back() {
        let mut orders = orders();
        for order in [1, 2] {
            orders.choose(vec![5]);
            orders.give(order, |_| Ok(()));
        }
        orders.choose(vec![5]);
        orders.act(Gesture::Type('x'), &UNITS);
        let mut seen = vec![orders.get(5)];
        for _ in 0..3 {
            orders.act(Gesture::Undo, &UNITS);
            seen.push(orders.get(5));
        }
        assert_eq!(seen, [None, Some(2), Some(1), None]);
    }

    #[test]
    fn the_next_unit_goes_around_and_skips_those_with_orders() {
        let mut orders = orders();
        orders.choose(vec![3]);
        orders.give(1, |_| Ok(()));
        let mut seen = vec![];
        for _ in 0..4 {
            orders.act(Gesture::Type('n'), &UNITS);
            seen.extend(orders.only_chosen());
        }
        assert_eq!(seen, [2, 5, 9, 2]);
    }

    #[test]
    fn escape_drops_the_verb_first() {
        let mut orders = orders();
        orders.choose(vec![3]);
        orders.verb = Some('m');
        assert_eq!(orders.act(Gesture::Cancel, &UNITS), Some(Reaction::Changed));
        assert_eq!((orders.verb, &orders.chosen[..]), (None, &[3][..]));
        assert_eq!(orders.act(Gesture::Cancel, &UNITS), Some(Reaction::Changed));
        assert_eq!(orders.chosen, [0; 0]);
        assert_eq!(orders.act(Gesture::Cancel, &UNITS), Some(Reaction::Ignored));
    }
}
