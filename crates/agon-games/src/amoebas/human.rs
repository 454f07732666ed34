//! Lets a person play a species: choose amoebas, then give them a command, with one of eight
//! directions where it needs one. For people who play with `agon play` or in a browser: the screens
//! pass their clicks and keys on to this file, which turns them into answers.
//!
//! A round is one turn, though the game asks for its amoebas in many batches. The person gives all
//! orders at the first batch. An amoeba stays on its cell until it acts, so orders are kept by
//! cell.

use agon_core::{Decision, Game, Player};

use crate::{
    human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction, UnitOrders},
    scene::{Arrow, Mark, Place, Shape},
};

use super::{Amoebas, Answer, Dir};

/// What a person has ordered in a round.
#[derive(Clone, Debug)]
pub struct Orders(UnitOrders<Order>);

/// What an amoeba does when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Rest,
    Move(Dir),
    Hit(Dir),
    Divide(Dir),
}

/// An order that needs a direction.
type Aimed = fn(Dir) -> Order;

/// The orders that need a direction, and the keys for them.
const AIMED: [(char, Aimed, &str); 3] =
    [('m', Order::Move, "move"), ('h', Order::Hit, "hit"), ('d', Order::Divide, "divide")];

/// Digits as they lie on a keypad, by number of direction.
const KEYPAD: [char; 8] = ['7', '8', '9', '6', '3', '2', '1', '4'];

fn aimed(verb: char) -> Option<Aimed> {
    AIMED.iter().find(|(key, ..)| *key == verb).map(|&(_, aimed, _)| aimed)
}

fn dir_of(way: ArrowKey) -> Dir {
    match way {
        ArrowKey::Up => Dir::N,
        ArrowKey::Right => Dir::E,
        ArrowKey::Down => Dir::S,
        ArrowKey::Left => Dir::W,
    }
}

fn arrow(dir: Dir) -> Arrow {
    // Directions begin north-west, arrows north.
    Arrow((dir.number() + 7) % 8)
}

impl Order {
    fn dir(self) -> Option<Dir> {
        match self {
            Order::Rest => None,
            Order::Move(dir) | Order::Hit(dir) | Order::Divide(dir) => Some(dir),
        }
    }

    fn name(self) -> String {
        match self {
            Order::Rest => "rest".into(),
            Order::Move(dir) => format!("move {dir}"),
            Order::Hit(dir) => format!("hit {dir}"),
            Order::Divide(dir) => format!("divide {dir}"),
        }
    }

    fn answer(self) -> Answer {
        match self {
            Order::Rest => Answer::REST,
            Order::Move(dir) => Answer::step(dir),
            Order::Hit(dir) => Answer::hit(dir),
            Order::Divide(dir) => Answer::divide(dir),
        }
    }
}

/// Who is on a cell, from a player's point of view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Nobody,
    Own,
    Other,
}

impl Amoebas {
    /// The player's amoebas that have not acted in this round.
    fn waiting_of(&self, player: Player) -> Vec<Place> {
        let species = Some(player.index());
        let cells = self.occupants().zip(0..).filter(|&(occupant, _)| occupant == species);
        cells.map(|(_, cell)| cell).filter(|&cell| self.waiting(cell).is_some()).collect()
    }

    fn beside(&self, unit: Place, dir: Dir) -> Place {
        let size = self.rules().world_size as i32;
        let (dx, dy) = dir.offset();
        let (x, y) = (unit as i32 % size, unit as i32 / size);
        ((y + dy).rem_euclid(size) * size + (x + dx).rem_euclid(size)) as Place
    }

    fn on(&self, player: Player, place: Place) -> On {
        match self.board.content(place as usize).species() {
            None => On::Nobody,
            Some(species) if species == player.index() => On::Own,
            Some(_) => On::Other,
        }
    }

    /// Energy of an amoeba that has not acted.
    fn energy_of(&self, unit: Place) -> u32 {
        self.waiting(unit).map_or(0, |decision| self.view(decision).energy())
    }

    /// Whether its energy is enough: that does not change until it acts. Its neighbours may change.
    fn can(&self, unit: Place, order: Order) -> Result<(), String> {
        let rules = self.rules();
        let (what, needed) = match order {
            Order::Rest => return Ok(()),
            Order::Move(_) => ("move", rules.move_energy),
            Order::Hit(_) => ("hit", rules.hit_energy),
            Order::Divide(_) => ("divide", rules.min_divide_energy),
        };
        match self.energy_of(unit) {
            energy if energy < needed => {
                Err(format!("an amoeba needs {needed} energy to {what}, and this one has {energy}"))
            }
            _ => Ok(()),
        }
    }

    fn aim(&self, orders: &mut UnitOrders<Order>, dir: Dir) -> Reaction {
        if let Some(aimed) = orders.verb().and_then(aimed) {
            return self.give(orders, aimed(dir));
        }
        // Without a typed command: move to an empty cell, hit a foreign amoeba.
        let on = orders
            .only_chosen()
            .map_or(On::Nobody, |unit| self.on(orders.player(), self.beside(unit, dir)));
        match on {
            On::Nobody => self.give(orders, Order::Move(dir)),
            On::Other => self.give(orders, Order::Hit(dir)),
            On::Own => Reaction::Refused("there is an own amoeba: type what to do".into()),
        }
    }

    fn give(&self, orders: &mut UnitOrders<Order>, order: Order) -> Reaction {
        if orders.chosen().is_empty() {
            return Reaction::Refused("choose an amoeba first".into());
        }
        orders.give(order, |unit| self.can(unit, order))
    }

    fn pick(&self, orders: &mut UnitOrders<Order>, place: Place) -> Reaction {
        if place as usize >= self.occupants().len() {
            return Reaction::Ignored;
        }
        if orders.only_chosen() == Some(place) {
            orders.choose(vec![]);
            return Reaction::Changed;
        }
        let is_own = self.on(orders.player(), place) == On::Own;
        let dir = orders
            .only_chosen()
            .and_then(|unit| Dir::ALL.into_iter().find(|&dir| self.beside(unit, dir) == place));
        match dir {
            Some(dir) if !is_own || orders.verb().is_some() => self.aim(orders, dir),
            _ if is_own && self.waiting(place).is_none() => {
                Reaction::Refused("this amoeba has acted in this round".into())
            }
            _ if is_own => {
                orders.choose(vec![place]);
                Reaction::Changed
            }
            _ => Reaction::Refused("choose one of your own amoebas".into()),
        }
    }

    fn typed(&self, orders: &mut UnitOrders<Order>, key: char) -> Reaction {
        let dir = KEYPAD.iter().position(|&digit| digit == key).map(|number| Dir::ALL[number]);
        match (key, aimed(key), dir) {
            ('r', ..) => self.give(orders, Order::Rest),
            ('.', ..) => match orders.last() {
                Some(last) => self.give(orders, last),
                None => Reaction::Ignored,
            },
            (_, None, None) => Reaction::Ignored,
            _ if orders.chosen().is_empty() => Reaction::Refused("choose an amoeba first".into()),
            (_, Some(_), _) => orders.begin(key),
            (_, _, Some(dir)) => self.aim(orders, dir),
        }
    }

    fn message(&self, orders: &UnitOrders<Order>) -> String {
        let who = match (orders.only_chosen(), orders.chosen().len()) {
            (_, 0) => {
                return "Choose an amoeba, or all of them with *; without an order it rests".into();
            }
            (Some(unit), _) => {
                format!(
                    "An amoeba with {} energy on {} fuel",
                    self.energy_of(unit),
                    self.board.content(unit as usize).fuel()
                )
            }
            (None, amoebas) => format!("{amoebas} amoebas"),
        };
        match AIMED.iter().find(|(key, ..)| Some(*key) == orders.verb()) {
            Some((.., verb)) => {
                format!("{who}: {verb} where? An arrow or a digit of the keypad says it")
            }
            None => format!("{who}: type what to do, or a direction to go or to hit"),
        }
    }

    fn choices(&self, orders: &UnitOrders<Order>, units: &[Place]) -> Vec<Choice> {
        let mut choices = vec![];
        if !orders.chosen().is_empty() {
            choices.push(Choice::typed('r', "rest"));
            let aimed =
                |(key, _, label)| Choice::typed(key, label).chosen_if(orders.verb() == Some(key));
            choices.extend(AIMED.map(aimed));
            choices.extend(Dir::ALL.map(|dir| {
                Choice::typed(KEYPAD[usize::from(dir.number())], dir.to_string())
                    .towards(arrow(dir))
            }));
            choices.extend(
                orders.last().map(|last| Choice::typed('.', format!("as before: {}", last.name()))),
            );
        }
        choices.extend(orders.choices(units, "amoebas"));
        choices
    }

    fn marks(&self, orders: &UnitOrders<Order>, units: &[Place]) -> Vec<Mark> {
        let mut marks = orders.marks(units);
        if let Some(unit) = orders.only_chosen() {
            marks.extend(
                Dir::ALL.map(|dir| UnitOrders::<Order>::target_mark(self.beside(unit, dir))),
            );
        }
        for (unit, order) in orders.iter() {
            let mut mark = |place, shape| marks.push(UnitOrders::<Order>::order_mark(place, shape));
            let pointer = order.dir().map_or(Shape::Disc(40), |dir| Shape::Pointer(arrow(dir)));
            mark(unit, pointer);
            match order {
                Order::Hit(dir) => mark(self.beside(unit, dir), Shape::Cross),
                Order::Divide(dir) => mark(self.beside(unit, dir), Shape::Disc(40)),
                Order::Rest | Order::Move(_) => {}
            }
        }
        marks
    }
}

impl HumanInput for Amoebas {
    type Orders = Orders;

    fn orders(&self, player: Player) -> Orders {
        Orders(UnitOrders::new(player))
    }

    fn act(&self, Orders(orders): &mut Orders, act: Gesture) -> Reaction {
        let units = self.waiting_of(orders.player());
        if let Some(reaction) = orders.act(act, &units) {
            return reaction;
        }
        match act {
            Gesture::Pick(place) => self.pick(orders, place),
            Gesture::Go(way) if !orders.chosen().is_empty() => self.aim(orders, dir_of(way)),
            Gesture::Type(key) => self.typed(orders, key.to_ascii_lowercase()),
            _ => Reaction::Ignored,
        }
    }

    fn hints(&self, Orders(orders): &Orders) -> Hints {
        let units = self.waiting_of(orders.player());
        Hints {
            cursor: None,
            message: self.message(orders),
            marks: self.marks(orders, &units),
            choices: self.choices(orders, &units),
            orders: orders.len(),
            chosen: orders.chosen().to_vec(),
            units,
        }
    }

    /// Without an order the amoeba rests, which is no fault.
    fn carry_out(&self, Orders(orders): &Orders, decision: Decision) -> Answer {
        orders.get(decision.unit).map_or(Answer::REST, Order::answer)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::{
        super::{Amoeba, Position, Rules},
        *,
    };

    /// A world of 12×12 cells; own amoebas at (0, 0) with 90 and at (1, 0) with 5 energy, a foreign
    /// one at (11, 11).
    fn game() -> Amoebas {
        let rules = Rules { world_size: 12, rounds: 9, ..Rules::default() };
        let amoeba = |x, y, species, energy| Amoeba {
            x,
            y,
            species,
            energy,
            health: 10,
            data: None,
            function: None,
            acted: false,
        };
        let amoebas = vec![amoeba(0, 0, 0, 90), amoeba(1, 0, 0, 5), amoeba(11, 11, 1, 50)];
        let position = Position { players: 2, round: 0, fuel: vec![], amoebas };
        Amoebas::from_position(&rules, Seed(1), position).unwrap()
    }

    fn play(game: &Amoebas, acts: &[Gesture]) -> Orders {
        let mut orders = game.orders(Player(0));
        for &act in acts {
            assert_eq!(game.act(&mut orders, act), Reaction::Changed, "{act:?}");
        }
        orders
    }

    fn order(game: &Amoebas, acts: &[Gesture]) -> Option<Order> {
        play(game, acts).0.get(0)
    }

    #[test]
    fn commands_go_in_eight_directions_over_the_edges() {
        let game = game();
        assert_eq!(
            order(&game, &[Gesture::Pick(0), Gesture::Type('3')]),
            Some(Order::Move(Dir::SE))
        );
        assert_eq!(
            order(&game, &[Gesture::Pick(0), Gesture::Go(ArrowKey::Up)]),
            Some(Order::Move(Dir::N))
        );
        assert_eq!(
            order(&game, &[Gesture::Pick(0), Gesture::Pick(143)]),
            Some(Order::Hit(Dir::NW))
        );
        assert_eq!(
            order(&game, &[Gesture::Pick(0), Gesture::Type('h'), Gesture::Pick(1)]),
            Some(Order::Hit(Dir::E))
        );
        assert_eq!(
            order(&game, &[Gesture::Pick(0), Gesture::Type('d'), Gesture::Pick(12)]),
            Some(Order::Divide(Dir::S))
        );
        assert_eq!(order(&game, &[Gesture::Pick(0), Gesture::Type('R')]), Some(Order::Rest));
        assert_eq!(order(&game, &[Gesture::Pick(0), Gesture::Type('r'), Gesture::Undo]), None);
    }

    #[test]
    fn digits_lie_as_on_a_keypad() {
        for (number, digit) in KEYPAD.into_iter().enumerate() {
            let (dx, dy) = Dir::ALL[number].offset();
            let place = digit as i32 - '1' as i32;
            assert_eq!((place % 3 - 1, 1 - place / 3), (dx, dy), "{digit}");
        }
        assert_eq!([Dir::N, Dir::E, Dir::NW].map(arrow), [Arrow(0), Arrow(2), Arrow(7)]);
    }

    #[test]
    fn what_the_energy_does_not_allow_is_refused() {
        let game = game();
        let mut orders = play(&game, &[Gesture::Pick(1), Gesture::Type('d')]);
        let why = game.act(&mut orders, Gesture::Go(ArrowKey::Down));
        assert_eq!(
            why,
            Reaction::Refused("an amoeba needs 30 energy to divide, and this one has 5".into())
        );
        let mut orders = play(&game, &[Gesture::Pick(0)]);
        assert!(
            matches!(game.act(&mut orders, Gesture::Go(ArrowKey::Right)), Reaction::Refused(_)),
            "an own amoeba"
        );
    }

    #[test]
    fn orders_of_a_round_are_carried_out_batch_by_batch() {
        let mut game = game();
        let orders = play(
            &game,
            &[
                Gesture::Type('*'),
                Gesture::Type('m'),
                Gesture::Go(ArrowKey::Down),
                Gesture::Pick(0),
                Gesture::Type('d'),
                Gesture::Type('1'),
            ],
        );
        let mut batches = 0;
        while game.round() == 0 {
            let answers: Vec<Answer> = game
                .decisions()
                .iter()
                .map(|&decision| match decision.player {
                    Player(0) => game.carry_out(&orders, decision),
                    _ => Answer::REST,
                })
                .collect();
            game.step(&answers);
            batches += 1;
        }
        assert!(batches > 1);
        let own: Vec<_> =
            game.position().amoebas.iter().filter(|a| a.species == 0).map(|a| (a.x, a.y)).collect();
        assert_eq!(own, [(0, 0), (1, 1), (11, 1)]);
    }
}
