//! Lets a person play cluster: a cursor over the columns, and keys for pellets and rotations. For
//! people who play with `agon play` or in a browser: the screens pass their clicks and keys on to
//! this file, which turns them into answers.

use agon_core::{Decision, Game, Player};

use super::{Answer, Cell, Cluster, scene::ink, state::full};
use crate::human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction};
use crate::scene::{Arrow, Hue, Ink, Mark, Place, Render, Scene, Shape};

/// What a person has chosen in a turn.
#[derive(Clone, Debug)]
pub struct Orders {
    player: Player,
    /// The column under the cursor; `None` if all are full.
    column: Option<u16>,
    /// The colour of the pellet to drop.
    color: Option<u8>,
    /// Whether the last gesture picked the column. Then a second pick drops the pellet.
    is_picked: bool,
    /// Whether the person is choosing a rotation.
    is_rotating: bool,
    answer: Option<Answer>,
}

impl Cluster {
    /// The different colours in hand, in ascending order.
    fn hand_colors(&self) -> Vec<u8> {
        let mut colors = self.hand.to_vec();
        colors.dedup();
        colors
    }

    fn is_open(&self, column: u16) -> bool {
        self.landing(column).is_some()
    }

    /// The next column that takes a pellet, to the left or right on the picture. It wraps around at
    /// the edge.
    fn next_column(&self, from: u16, way: ArrowKey) -> u16 {
        // For every gravity, columns are numbered from left to right on the picture, where gravity
        // points down.
        let columns = self.board.columns() as u16;
        let step = if way == ArrowKey::Left { columns - 1 } else { 1 };
        let ring = std::iter::successors(Some(from), |at| Some((at + step) % columns));
        let others = ring.skip(1).take(usize::from(columns));
        others.into_iter().find(|&column| self.is_open(column)).unwrap_or(from)
    }

    fn turn_cursor(&self, orders: &mut Orders, act: Gesture) -> Reaction {
        let (Gesture::Go(way @ (ArrowKey::Left | ArrowKey::Right)), Some(column)) =
            (act, orders.column)
        else {
            return Reaction::Ignored;
        };
        orders.column = Some(self.next_column(column, way));
        Reaction::Changed
    }

    fn pick(&self, orders: &mut Orders, place: Place, was_picked: bool) -> Reaction {
        if place as usize >= self.board.cells() {
            return Reaction::Ignored;
        }
        let column = self.board.column(place as Cell, self.gravity) as u16;
        if !self.is_open(column) {
            return Reaction::Refused(full(column));
        }
        if was_picked && orders.column == Some(column) {
            return self.drop_pellet(orders);
        }
        orders.column = Some(column);
        orders.is_picked = true;
        Reaction::Changed
    }

    fn drop_pellet(&self, orders: &mut Orders) -> Reaction {
        let Some(column) = orders.column else {
            return Reaction::Refused("all columns are full: rotate the board with r".into());
        };
        let Some(color) = orders.color else {
            return Reaction::Refused("choose a pellet first: 1 or 2".into());
        };
        self.give(orders, Answer::Place { column, color })
    }

    fn give(&self, orders: &mut Orders, answer: Answer) -> Reaction {
        match self.check(&answer) {
            Ok(()) => {
                orders.answer = Some(answer);
                Reaction::Submitted
            }
            Err(illegal) => Reaction::Refused(illegal),
        }
    }

    fn act_rotating(&self, orders: &mut Orders, act: Gesture) -> Reaction {
        match act {
            Gesture::Type(digit @ '1'..='5') => {
                self.give(orders, Answer::Rotate { cycles: digit as u8 - b'0' })
            }
            Gesture::Type('r' | 'R') | Gesture::Undo | Gesture::Cancel => {
                orders.is_rotating = false;
                Reaction::Changed
            }
            _ => Reaction::Ignored,
        }
    }

    fn choices(&self, orders: &Orders) -> Vec<Choice> {
        let mut choices: Vec<Choice> = ('1'..)
            .zip(self.hand_colors())
            .map(|(key, color)| {
                Choice::typed(key, format!("color {color}"))
                    .with_ink(ink(color))
                    .chosen_if(orders.color == Some(color))
            })
            .collect();
        if orders.column.is_some() {
            choices.push(Choice::new(Gesture::Go(ArrowKey::Left), "to the left"));
            choices.push(Choice::new(Gesture::Go(ArrowKey::Right), "to the right"));
        }
        if let (Some(column), Some(_)) = (orders.column, orders.color) {
            choices.push(Choice::new(Gesture::Confirm, format!("drop into column {column}")));
        }
        choices.push(Choice::typed('r', "rotate the board"));
        choices
    }

    /// Marks where pellets would land: faint in all columns, strong in the chosen one.
    ///
    /// A pointer marks the top of that column.
    fn landings(&self, orders: &Orders) -> Vec<Mark> {
        let faint = Ink::faded(Hue::Accent, Ink::FULL / 3);
        let mark = |(column, _): (usize, Cell)| {
            let place = Place::from(self.landing(column as u16)?);
            let is_chosen = orders.column == Some(column as u16);
            Some(match orders.color {
                Some(color) if is_chosen => Mark { place, shape: Shape::Disc(80), ink: ink(color) },
                None if is_chosen => {
                    Mark { place, shape: Shape::Disc(80), ink: Ink::new(Hue::Accent) }
                }
                _ => Mark { place, shape: Shape::Disc(25), ink: faint },
            })
        };
        let mut marks: Vec<Mark> = self.valid_columns().filter_map(mark).collect();
        let chosen =
            orders.column.map(|column| (column, self.board.top(column.into(), self.gravity)));
        if let Some((_, top)) = chosen.filter(|&(column, top)| self.landing(column) != Some(top)) {
            let shape = Shape::Pointer(Arrow(0));
            marks.push(Mark { place: top.into(), shape, ink: Ink::new(Hue::Accent) });
        }
        marks
    }
}

/// Describes how a rotation turns the board on the picture, where pellets always fall down.
fn turn_name(cycles: u8) -> String {
    match cycles {
        1 | 2 => format!("{}° to the left", 60 * cycles),
        3 => "180°".into(),
        _ => format!("{}° to the right", 60 * (6 - cycles)),
    }
}

impl HumanInput for Cluster {
    type Orders = Orders;

    fn orders(&self, player: Player) -> Orders {
        let middle = self.board.side() as u16 - 1;
        let open = (0..self.board.columns() as u16).filter(|&column| self.is_open(column));
        let column = open.min_by_key(|column| column.abs_diff(middle));
        let color = <[u8; 1]>::try_from(self.hand_colors()).ok().map(|[color]| color);
        Orders { player, column, color, is_picked: false, is_rotating: false, answer: None }
    }

    fn act(&self, orders: &mut Orders, act: Gesture) -> Reaction {
        if self.end.is_some() || self.to_move() != orders.player {
            return Reaction::Ignored;
        }
        if orders.is_rotating {
            return self.act_rotating(orders, act);
        }
        let was_picked = std::mem::take(&mut orders.is_picked);
        match act {
            Gesture::Pick(place) => self.pick(orders, place, was_picked),
            Gesture::Go(ArrowKey::Down) | Gesture::Confirm => self.drop_pellet(orders),
            Gesture::Go(_) => self.turn_cursor(orders, act),
            Gesture::Type('r' | 'R') => {
                orders.is_rotating = true;
                Reaction::Changed
            }
            Gesture::Type(digit @ '1'..='9') => {
                match self.hand_colors().get((digit as u8 - b'1') as usize) {
                    Some(&color) => {
                        orders.color = Some(color);
                        Reaction::Changed
                    }
                    None => Reaction::Ignored,
                }
            }
            _ => Reaction::Ignored,
        }
    }

    fn hints(&self, orders: &Orders) -> Hints {
        if self.end.is_some() || self.to_move() != orders.player {
            return Hints::default();
        }
        if orders.is_rotating {
            let mut choices: Vec<Choice> = (1..=5)
                .map(|cycles| Choice::typed(char::from(b'0' + cycles), turn_name(cycles)))
                .collect();
            choices.push(Choice::new(Gesture::Cancel, "do not rotate"));
            let burnt = match self.hand.len() {
                1 => "the pellet in hand is burnt".to_owned(),
                pellets => format!("the {pellets} pellets in hand are burnt"),
            };
            return Hints {
                message: format!("Rotate the board by how much? {burnt}"),
                choices,
                ..Hints::default()
            };
        }
        let message = match (orders.column, orders.color) {
            (None, _) => "All columns are full: rotate the board",
            (Some(_), None) => "Choose a pellet with 1 or 2, and a column",
            (Some(_), Some(_)) => {
                "Choose a column and drop the pellet with Return, or rotate the board"
            }
        };
        Hints {
            message: message.into(),
            marks: self.landings(orders),
            choices: self.choices(orders),
            ..Hints::default()
        }
    }

    fn carry_out(&self, orders: &Orders, _: Decision) -> Answer {
        orders.answer.unwrap_or_default()
    }

    /// Nobody else moves in this turn, and the board depends on nothing random.
    fn preview(&self, orders: &Orders) -> Option<Scene> {
        let mut after = self.clone();
        after.step(&[orders.answer?]);
        Some(after.scene())
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::{super::Rules, *};
    use crate::human::ArrowKey::{Down, Left, Right};
    use crate::human::Gesture::{Confirm, Go, Pick, Type, Undo};

    /// A small board on which the player to move has both colours in hand.
    fn game() -> Cluster {
        let rules = Rules { side: 3, ..Rules::default() };
        let games = (0..).map(|seed| Cluster::new(&rules, 2, Seed(seed)).unwrap());
        games.into_iter().find(|game| game.hand() == [0, 2]).unwrap()
    }

    fn answer_of(game: &Cluster, orders: &Orders) -> Answer {
        game.carry_out(orders, game.decisions()[0])
    }

    #[test]
    fn keys_choose_colour_and_column_and_drop() {
        let game = game();
        let mut orders = game.orders(Player(0));
        assert!(matches!(
            game.act(&mut orders, Confirm),
            Reaction::Refused(why) if why.contains("1 or 2")
        ));
        for act in [Type('2'), Go(Left), Go(Left), Go(Left)] {
            assert_eq!(game.act(&mut orders, act), Reaction::Changed);
        }
        assert_eq!(game.act(&mut orders, Go(Down)), Reaction::Submitted);
        assert_eq!(
            answer_of(&game, &orders),
            Answer::Place { column: 4, color: 2 },
            "around the edge"
        );
    }

    #[test]
    fn a_column_picked_twice_drops() {
        let game = game();
        let mut orders = game.orders(Player(0));
        game.act(&mut orders, Type('1'));
        let cell = Place::from(game.board().top(1, 0));
        assert_eq!(game.act(&mut orders, Pick(cell)), Reaction::Changed);
        game.act(&mut orders, Go(Right));
        game.act(&mut orders, Go(Left));
        assert_eq!(game.act(&mut orders, Pick(cell)), Reaction::Changed, "keys came in between");
        let below = Place::from(game.board().neighbor(cell as Cell, 0).unwrap());
        assert_eq!(game.act(&mut orders, Pick(below)), Reaction::Submitted);
        assert_eq!(answer_of(&game, &orders), Answer::Place { column: 1, color: 0 });
    }

    #[test]
    fn rotations_are_chosen_by_number_and_can_be_dropped() {
        let game = game();
        let mut orders = game.orders(Player(0));
        assert_eq!(game.act(&mut orders, Type('r')), Reaction::Changed);
        let hints = game.hints(&orders);
        assert!(hints.message.contains("2 pellets"), "{}", hints.message);
        let labels: Vec<_> = hints.choices.iter().map(|choice| choice.label.as_str()).collect();
        assert_eq!(
            labels[..5],
            [
                "60° to the left",
                "120° to the left",
                "180°",
                "120° to the right",
                "60° to the right"
            ]
        );
        assert_eq!(game.act(&mut orders, Undo), Reaction::Changed);
        assert_eq!(game.act(&mut orders, Type('2')), Reaction::Changed, "a colour again");
        game.act(&mut orders, Type('r'));
        assert_eq!(game.act(&mut orders, Type('2')), Reaction::Submitted);
        assert_eq!(answer_of(&game, &orders), Answer::Rotate { cycles: 2 });
    }

    #[test]
    fn full_columns_are_refused_and_skipped() {
        let mut game = game();
        // Column 0 has three cells; colours alternate, so that nobody wins.
        while game.is_open(0) {
            let color = game.hand()[0];
            game.step(&[Answer::Place { column: 0, color }]);
        }
        let player = game.to_move();
        let mut orders = game.orders(player);
        let cell = Place::from(game.board().top(0, 0));
        assert_eq!(game.act(&mut orders, Pick(cell)), Reaction::Refused("column 0 is full".into()));
        game.act(&mut orders, Go(Left));
        game.act(&mut orders, Go(Left));
        assert_eq!(orders.column, Some(4));
    }

    #[test]
    fn every_cell_belongs_to_the_column_that_a_pellet_would_fall_through() {
        let mut game = game();
        for gravity in 0..6 {
            game.gravity = gravity;
            for column in 0..game.board.columns() {
                let mut at = Some(game.board.top(column, gravity));
                while let Some(cell) = at {
                    assert_eq!(game.board.column(cell, game.gravity), column);
                    at = game.board.neighbor(cell, gravity);
                }
            }
        }
    }

    #[test]
    fn the_right_is_to_the_right_where_gravity_points_down() {
        let mut game = game();
        for gravity in 0..6u8 {
            game.gravity = gravity;
            // Seen with gravity downwards, the way to the right is that of South-East and
            // North-East at gravity 0.
            let right = |cell: Cell| {
                let (q, r) = game.board.coordinates(cell);
                let turned = (0..gravity).fold((q, r), |(q, r), _| (q + r, -q));
                turned.0
            };
            let from = game.board.side() as u16 - 1;
            let to = game.next_column(from, Right);
            let top = |column: u16| game.board.top(usize::from(column), gravity);
            assert!(right(top(to)) > right(top(from)), "gravity {gravity}");
        }
    }

    #[test]
    fn nobody_acts_out_of_turn() {
        let game = game();
        let mut orders = game.orders(Player(1));
        assert_eq!(game.act(&mut orders, Confirm), Reaction::Ignored);
        assert_eq!(game.hints(&orders), Hints::default());
    }
}
