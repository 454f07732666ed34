//! Lets a person play binfection: choose stacks, then send half of each in a direction. For people
//! who play with `agon play` or in a browser: the screens pass their clicks and keys on to this
//! file, which turns them into answers.

use std::collections::BTreeMap;

use agon_core::{Decision, Player};

use super::{Answer, Binfection, Cell, Direction, Move};
use crate::human::{ArrowKey, Choice, Gesture, UnitGame, UnitOrders, order_mark};
use crate::scene::{Mark, Place, Shape};

/// Directions are numbered as arrow keys are.
fn key(direction: Direction) -> ArrowKey {
    ArrowKey::ALL[direction as usize]
}

impl Binfection {
    fn sent(&self, unit: Place) -> u64 {
        self.field.cell_at(unit).units / 2
    }
}

impl UnitGame for Binfection {
    type Order = Direction;
    type Way = Direction;

    const NOUN: &'static str = "stacks";
    const CHOOSE_FIRST: &'static str = "nothing is chosen";

    /// Stacks of two units and more can move.
    fn units(&self, player: Player) -> Vec<Place> {
        let slots = self.holdings.slots(player).iter().map(|&slot| slot as usize);
        let movable = slots.filter(|&slot| self.field.units(slot) > 1);
        movable.map(|slot| self.field.index(slot)).collect()
    }

    fn ways(&self, unit: Place) -> Vec<(Direction, Place)> {
        let way = |way| Some((way, self.field.next(unit, way)?));
        Direction::ALL.into_iter().filter_map(way).collect()
    }

    fn way_of(act: Gesture) -> Option<Direction> {
        match act {
            Gesture::Go(way) => Some(Direction::ALL[way as usize]),
            _ => None,
        }
    }

    /// A pick beside the chosen stack is always a direction.
    fn is_chosen_first(&self, _: Player, _: Place) -> bool {
        false
    }

    fn may_choose(&self, player: Player, place: Place) -> Result<(), String> {
        let Cell { owner, units, .. } = self.field.cell_at(place);
        if owner != Some(player) {
            return Err("choose one of your own stacks".into());
        }
        if units < 2 {
            return Err("a single unit cannot move".into());
        }
        Ok(())
    }

    fn usual(&self, _: Player, _: Option<Place>, way: Direction) -> Result<Direction, String> {
        Ok(way)
    }

    fn can(&self, unit: Place, direction: Direction) -> Result<(), String> {
        match self.field.next(unit, direction) {
            Some(_) => Ok(()),
            None => Err("units that leave the field are lost: choose another direction".into()),
        }
    }

    fn message(&self, orders: &UnitOrders<Direction>, units: &[Place]) -> String {
        match (orders.only_chosen(), orders.chosen.len()) {
            _ if units.is_empty() => "No stack can move: Return ends the turn".into(),
            (_, 0) => "Choose a stack; half of its units go where you send them".into(),
            (Some(unit), _) => {
                let units = self.field.cell_at(unit).units;
                format!("Send {} of {units} units with an arrow, or pick a cell beside", units / 2)
            }
            (None, stacks) => format!("Send half of {stacks} stacks with an arrow"),
        }
    }

    fn way_choices(&self, orders: &UnitOrders<Direction>) -> Vec<Choice> {
        let sent: u64 = orders.chosen.iter().map(|&unit| self.sent(unit)).sum();
        let choice =
            |way: ArrowKey| Choice::new(Gesture::Go(way), format!("{sent} {}", way.name()));
        ArrowKey::ALL.map(choice).into()
    }

    fn order_name(direction: Direction) -> String {
        key(direction).name().into()
    }

    /// Pointers on stacks that move, and the number of units where they arrive.
    fn order_marks(&self, orders: &UnitOrders<Direction>) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut arriving: BTreeMap<Place, u64> = BTreeMap::new();
        for (&unit, &direction) in &orders.orders {
            marks.push(order_mark(unit, Shape::Pointer(key(direction).arrow())));
            if let Some(to) = self.field.next(unit, direction) {
                *arriving.entry(to).or_default() += self.sent(unit);
            }
        }
        marks.extend(arriving.into_iter().map(|(to, units)| order_mark(to, Shape::Number(units))));
        marks
    }

    fn answer(&self, orders: &UnitOrders<Direction>, _: Decision) -> Answer {
        let order = |(&unit, &direction): (&Place, &Direction)| {
            let Cell { x, y, .. } = self.field.cell_at(unit);
            Move { x, y, direction }
        };
        Answer { moves: orders.orders.iter().map(order).collect() }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Seed};

    use super::super::{Position, Rules};
    use super::*;
    use crate::human::Gesture::{Confirm, Go, Pick, Type, Undo};
    use crate::human::{HumanInput, Reaction};

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

    fn moves(game: &Binfection, orders: &UnitOrders<Direction>) -> Vec<(u32, u32, Direction)> {
        let answer = game.carry_out(orders, game.decisions()[0]);
        assert_eq!(game.illegal(game.decisions()[0], &answer), None);
        answer.moves.iter().map(|order| (order.x, order.y, order.direction)).collect()
    }

    fn act(game: &Binfection, orders: &mut UnitOrders<Direction>, act: Gesture) {
        assert_eq!(game.act(orders, act), Reaction::Changed, "{act:?}");
    }

    #[test]
    fn stacks_go_by_arrows_and_by_picking() {
        let game = game();
        let mut orders = game.orders(Player(0));
        act(&game, &mut orders, Pick(0));
        act(&game, &mut orders, Go(ArrowKey::Down));
        act(&game, &mut orders, Pick(1));
        act(&game, &mut orders, Pick(2));
        assert_eq!(moves(&game, &orders), [(0, 0, Direction::Down), (1, 0, Direction::Right)]);
        assert_eq!(game.hints(&orders).orders, 2);
        act(&game, &mut orders, Undo);
        assert_eq!(moves(&game, &orders), [(0, 0, Direction::Down)]);
        assert_eq!(game.act(&mut orders, Confirm), Reaction::Submitted);
    }

    #[test]
    fn all_stacks_go_at_once_and_again() {
        let game = game();
        let mut orders = game.orders(Player(0));
        act(&game, &mut orders, Type('*'));
        assert_eq!(game.hints(&orders).message, "Send half of 2 stacks with an arrow");
        act(&game, &mut orders, Go(ArrowKey::Left));
        assert_eq!(
            moves(&game, &orders),
            [(1, 0, Direction::Left)],
            "the other would leave the field"
        );
        act(&game, &mut orders, Go(ArrowKey::Right));
        act(&game, &mut orders, Pick(1));
        act(&game, &mut orders, Type('.'));
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
        assert!(refused(Pick(4)).contains("single unit"));
        assert!(refused(Pick(11)).contains("own stacks"));
        act(&game, &mut orders, Pick(0));
        let why = game.act(&mut orders, Go(ArrowKey::Up));
        assert!(matches!(why, Reaction::Refused(why) if why.contains("leave the field")));
        assert_eq!(game.act(&mut orders, Pick(u32::MAX)), Reaction::Ignored);
    }

    #[test]
    fn marks_show_where_how_many_arrive() {
        let game = game();
        let mut orders = game.orders(Player(0));
        for act in [Pick(0), Go(ArrowKey::Right), Pick(1), Go(ArrowKey::Left)] {
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
        game.act(&mut orders, Pick(0));
        let seen = game.view(game.decisions()[0]).seen();
        for mark in game.hints(&orders).marks {
            assert!(seen.iter().any(|cell| cell.y * 4 + cell.x == mark.place), "{mark:?}");
        }
    }
}
