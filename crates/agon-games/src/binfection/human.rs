//! Lets a person play binfection: choose stacks, then send half of each in a direction. For people
//! who play with `agon play` or in a browser: the screens pass their clicks and keys on to this
//! file, which turns them into answers.

use std::collections::BTreeMap;

use agon_core::{Decision, Player};

use crate::{
    human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction, UnitOrders},
    scene::{Mark, Place, Shape},
};

use super::{Answer, Binfection, Cell, Direction, Move};

/// What a person has ordered in a turn.
#[derive(Clone, Debug)]
pub struct Orders(UnitOrders<Direction>);

impl From<ArrowKey> for Direction {
    fn from(way: ArrowKey) -> Direction {
        match way {
            ArrowKey::Up => Direction::Up,
            ArrowKey::Right => Direction::Right,
            ArrowKey::Down => Direction::Down,
            ArrowKey::Left => Direction::Left,
        }
    }
}

impl From<Direction> for ArrowKey {
    fn from(direction: Direction) -> ArrowKey {
        ArrowKey::ALL[direction as usize]
    }
}

impl Binfection {
    /// The player's stacks that can move: those of two units and more.
    fn movable(&self, player: Player) -> Vec<Place> {
        let slots = self.holdings.slots(player).iter().map(|&slot| slot as usize);
        slots
            .filter(|&slot| self.field.units(slot) > 1)
            .map(|slot| self.field.index(slot))
            .collect()
    }

    fn choose(&self, orders: &mut Orders, place: Place) -> Reaction {
        if place as usize >= self.field.width as usize * self.field.height as usize {
            return Reaction::Ignored;
        }
        let Cell { owner, units, .. } = self.field.cell_at(place);
        if owner != Some(orders.0.player()) {
            return Reaction::Refused("choose one of your own stacks".into());
        }
        if units < 2 {
            return Reaction::Refused("a single unit cannot move".into());
        }
        orders.0.choose(vec![place]);
        Reaction::Changed
    }

    /// A pick beside the chosen stack is a direction. A pick of the chosen stack drops the choice.
    fn pick(&self, orders: &mut Orders, place: Place) -> Reaction {
        let Some(chosen) = orders.0.only_chosen() else { return self.choose(orders, place) };
        if chosen == place {
            orders.0.choose(vec![]);
            return Reaction::Changed;
        }
        let beside = |direction: &Direction| self.field.next(chosen, *direction) == Some(place);
        match Direction::ALL.into_iter().find(beside) {
            Some(direction) => self.send(orders, direction),
            None => self.choose(orders, place),
        }
    }

    fn send(&self, orders: &mut Orders, direction: Direction) -> Reaction {
        let can = |unit| match self.field.next(unit, direction) {
            Some(_) => Ok(()),
            None => Err("units that leave the field are lost: choose another direction".to_owned()),
        };
        orders.0.give(direction, can)
    }

    fn sent(&self, unit: Place) -> u64 {
        self.field.cell_at(unit).units / 2
    }

    fn message(&self, orders: &UnitOrders<Direction>, units: &[Place]) -> String {
        match (orders.only_chosen(), orders.chosen().len()) {
            _ if units.is_empty() => "No stack can move: Return ends the turn".into(),
            (_, 0) => "Choose a stack; half of its units go where you send them".into(),
            (Some(unit), _) => {
                let units = self.field.cell_at(unit).units;
                format!("Send {} of {units} units with an arrow, or pick a cell beside", units / 2)
            }
            (None, stacks) => format!("Send half of {stacks} stacks with an arrow"),
        }
    }

    fn choices(&self, orders: &UnitOrders<Direction>, units: &[Place]) -> Vec<Choice> {
        let mut choices = vec![];
        if !orders.chosen().is_empty() {
            let sent: u64 = orders.chosen().iter().map(|&unit| self.sent(unit)).sum();
            choices.extend(
                ArrowKey::ALL
                    .map(|way| Choice::new(Gesture::Go(way), format!("{sent} {}", way.name()))),
            );
            choices.extend(orders.last().map(|last| {
                Choice::typed('.', format!("as before: {}", ArrowKey::from(last).name()))
            }));
        }
        choices.extend(orders.choices(units, "stacks"));
        choices
    }

    /// Pointers on stacks that move, and the number of units where they arrive.
    fn marks(&self, orders: &UnitOrders<Direction>, units: &[Place]) -> Vec<Mark> {
        let mut marks = orders.marks(units);
        if let Some(unit) = orders.only_chosen() {
            let beside =
                Direction::ALL.into_iter().filter_map(|direction| self.field.next(unit, direction));
            marks.extend(beside.map(UnitOrders::<Direction>::target_mark));
        }
        let mut arriving: BTreeMap<Place, u64> = BTreeMap::new();
        for (unit, direction) in orders.iter() {
            let pointer = Shape::Pointer(ArrowKey::from(direction).arrow());
            marks.push(UnitOrders::<Direction>::order_mark(unit, pointer));
            if let Some(to) = self.field.next(unit, direction) {
                *arriving.entry(to).or_default() += self.sent(unit);
            }
        }
        let number = |(to, units)| UnitOrders::<Direction>::order_mark(to, Shape::Number(units));
        marks.extend(arriving.into_iter().map(number));
        marks
    }
}

impl HumanInput for Binfection {
    type Orders = Orders;

    fn orders(&self, player: Player) -> Orders {
        Orders(UnitOrders::new(player))
    }

    fn act(&self, orders: &mut Orders, act: Gesture) -> Reaction {
        let units = self.movable(orders.0.player());
        if let Some(reaction) = orders.0.act(act, &units) {
            return reaction;
        }
        match (act, orders.0.last()) {
            (Gesture::Pick(place), _) => self.pick(orders, place),
            (Gesture::Go(way), _) if !orders.0.chosen().is_empty() => self.send(orders, way.into()),
            (Gesture::Type('.'), Some(last)) => self.send(orders, last),
            _ => Reaction::Ignored,
        }
    }

    fn hints(&self, orders: &Orders) -> Hints {
        let units = self.movable(orders.0.player());
        Hints {
            cursor: None,
            message: self.message(&orders.0, &units),
            marks: self.marks(&orders.0, &units),
            choices: self.choices(&orders.0, &units),
            orders: orders.0.len(),
            chosen: orders.0.chosen().to_vec(),
            units,
        }
    }

    fn carry_out(&self, orders: &Orders, _: Decision) -> Answer {
        let order = |(unit, direction)| {
            let Cell { x, y, .. } = self.field.cell_at(unit);
            Move { x, y, direction }
        };
        Answer { moves: orders.0.iter().map(order).collect() }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Seed};

    use super::{
        super::{Position, Rules},
        *,
    };

    /// A field of 4×3 cells; the first player has stacks of 8 in the upper left corner and of 4
    /// beside it, and a single unit below.
    fn game() -> Binfection {
        let rules = Rules { field_width: 4, field_height: 3, ..Rules::default() };
        let cell = |x, y, player, units| Cell { x, y, owner: Some(Player(player)), units };
        let cells = vec![cell(0, 0, 0, 8), cell(1, 0, 0, 4), cell(0, 1, 0, 1), cell(3, 2, 1, 9)];
        let position = Position { cells, ..start(&rules) };
        Binfection::from_position(&rules, Seed(1), position).unwrap()
    }

    fn start(rules: &Rules) -> Position {
        let small = Rules { spawn_border_gap: 0, ..rules.clone() };
        Binfection::new(&small, 2, Seed(1)).unwrap().position()
    }

    fn moves(game: &Binfection, orders: &Orders) -> Vec<(u32, u32, Direction)> {
        let answer = game.carry_out(orders, game.decisions()[0]);
        assert_eq!(game.illegal(game.decisions()[0], &answer), None);
        answer.moves.iter().map(|order| (order.x, order.y, order.direction)).collect()
    }

    fn act(game: &Binfection, orders: &mut Orders, act: Gesture) {
        assert_eq!(game.act(orders, act), Reaction::Changed, "{act:?}");
    }

    #[test]
    fn stacks_go_by_arrows_and_by_picking() {
        let game = game();
        let mut orders = game.orders(Player(0));
        act(&game, &mut orders, Gesture::Pick(0));
        act(&game, &mut orders, Gesture::Go(ArrowKey::Down));
        act(&game, &mut orders, Gesture::Pick(1));
        act(&game, &mut orders, Gesture::Pick(2));
        assert_eq!(moves(&game, &orders), [(0, 0, Direction::Down), (1, 0, Direction::Right)]);
        assert_eq!(game.hints(&orders).orders, 2);
        act(&game, &mut orders, Gesture::Undo);
        assert_eq!(moves(&game, &orders), [(0, 0, Direction::Down)]);
        assert_eq!(game.act(&mut orders, Gesture::Confirm), Reaction::Submitted);
    }

    #[test]
    fn all_stacks_go_at_once_and_again() {
        let game = game();
        let mut orders = game.orders(Player(0));
        act(&game, &mut orders, Gesture::Type('*'));
        assert_eq!(game.hints(&orders).message, "Send half of 2 stacks with an arrow");
        act(&game, &mut orders, Gesture::Go(ArrowKey::Left));
        assert_eq!(
            moves(&game, &orders),
            [(1, 0, Direction::Left)],
            "the other would leave the field"
        );
        act(&game, &mut orders, Gesture::Go(ArrowKey::Right));
        act(&game, &mut orders, Gesture::Pick(1));
        act(&game, &mut orders, Gesture::Type('.'));
        let right = Direction::Right;
        assert_eq!(moves(&game, &orders), [(0, 0, right), (1, 0, right)]);
    }

    #[test]
    fn what_is_impossible_is_refused() {
        let game = game();
        let mut orders = game.orders(Player(0));
        let mut refused = |act| match game.act(&mut orders, act) {
            Reaction::Refused(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(refused(Gesture::Pick(4)).contains("single unit"));
        assert!(refused(Gesture::Pick(11)).contains("own stacks"));
        act(&game, &mut orders, Gesture::Pick(0));
        let why = game.act(&mut orders, Gesture::Go(ArrowKey::Up));
        assert!(matches!(why, Reaction::Refused(why) if why.contains("leave the field")));
        assert_eq!(game.act(&mut orders, Gesture::Pick(u32::MAX)), Reaction::Ignored);
    }

    #[test]
    fn marks_show_where_how_many_arrive() {
        let game = game();
        let mut orders = game.orders(Player(0));
        for act in [
            Gesture::Pick(0),
            Gesture::Go(ArrowKey::Right),
            Gesture::Pick(1),
            Gesture::Go(ArrowKey::Left),
        ] {
            game.act(&mut orders, act);
        }
        let marks = game.hints(&orders).marks;
        let at =
            |place| marks.iter().filter(move |mark| mark.place == place).map(|mark| mark.shape);
        assert!(at(0).eq([Shape::Pointer(ArrowKey::Right.arrow()), Shape::Number(2)]), "{marks:?}");
        assert!(at(1).eq([Shape::Pointer(ArrowKey::Left.arrow()), Shape::Number(4)]), "{marks:?}");
    }

    #[test]
    fn marks_are_on_cells_that_the_player_sees() {
        let game = game();
        let mut orders = game.orders(Player(0));
        game.act(&mut orders, Gesture::Pick(0));
        let seen = game.view(game.decisions()[0]).seen();
        for mark in game.hints(&orders).marks {
            assert!(seen.iter().any(|cell| cell.y * 4 + cell.x == mark.place), "{mark:?}");
        }
    }
}
