//! [`Cluster`]: the state of a match, and the rules of a turn.

use std::{ops::Deref, sync::Arc};

use agon_core::{
    Decision, Fold, Game, Meta, Player, PlayerStanding, Progress, Purpose, QuickStreams, Rng, Seed,
    SetupError, Standing,
};

use super::{
    Answer, Board, COLORS, Cell, End, Pellet, Pellets, Position, Rules, View, judge, longest_runs,
    own_colors, owner,
};

/// A game of cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub(super) rules: Rules,
    pub(super) seed: Seed,
    /// The draws of each turn.
    draws: QuickStreams,
    pub(super) board: Arc<Board>,
    pub(super) gravity: u8,
    pub(super) pellets: Pellets,
    /// What is left in the bag of each colour, the hand not included.
    pub(super) bags: [u32; COLORS],
    /// Colours in the hand of the player to move, in ascending order.
    pub(super) hand: InHand,
    /// Turns that are over; a turn is a move of one player.
    pub(super) turn: u64,
    pub(super) end: Option<End>,
    /// The decision of the player to move.
    pub(super) decision: [Decision; 1],
}

/// What is said of a column that takes no pellet.
pub(super) fn full(column: u16) -> String {
    format!("column {column} is full")
}

impl Cluster {
    pub(super) fn empty(rules: &Rules, seed: Seed, gravity: u8) -> Cluster {
        let board = Board::shared(rules.side);
        Cluster {
            pellets: Pellets::new(board.clone(), gravity),
            board,
            gravity,
            bags: [rules.bag_size(); COLORS],
            hand: InHand::default(),
            turn: 0,
            end: None,
            decision: [Decision::new(Player(0), 0)],
            rules: rules.clone(),
            draws: QuickStreams::new(seed, Purpose::Draw),
            seed,
        }
    }

    /// The geometry.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The direction in which pellets fall.
    pub fn gravity(&self) -> u8 {
        self.gravity
    }

    /// The pellets on the board.
    pub fn pellets(&self) -> &Pellets {
        &self.pellets
    }

    /// The player to move; after the end, the player who would be next.
    pub fn to_move(&self) -> Player {
        Player((self.turn % 2) as u16)
    }

    /// The colours in the hand of the player to move, in ascending order; empty once the game is
    /// over.
    pub fn hand(&self) -> &[u8] {
        &self.hand
    }

    /// How the game ended, if it did.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The columns that take a pellet now, with their top cells.
    pub fn valid_columns(&self) -> impl Iterator<Item = (usize, Cell)> {
        let tops =
            (0..self.board.columns()).map(|column| (column, self.board.top(column, self.gravity)));
        tops.filter(|&(_, top)| self.pellets.is_free(top))
    }

    /// Pellets that a player still has, in its bags and in its hand.
    pub fn pellets_left(&self, player: Player) -> u32 {
        let bags: u32 = own_colors(player).iter().map(|&color| self.bags[usize::from(color)]).sum();
        bags + self.hand.iter().filter(|&&color| owner(color) == player).count() as u32
    }

    /// Pellets that a player has on the board.
    pub fn pellets_of(&self, player: Player) -> u32 {
        own_colors(player).iter().map(|&color| self.pellets.count(color)).sum()
    }

    /// Checks whether the rules allow this answer of the player to move. To give up is allowed.
    ///
    /// # Errors
    /// Says which rule the answer breaks.
    pub fn check(&self, answer: &Answer) -> Result<(), String> {
        match *answer {
            Answer::Forfeit | Answer::Rotate { cycles: 1..=5 } => Ok(()),
            Answer::Rotate { cycles } => {
                Err(format!("the board cannot be rotated by {cycles} cycles, only by 1 to 5"))
            }
            Answer::Place { color, .. } if !self.hand.contains(&color) => {
                let hand = self.hand.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
                Err(format!("color {color} is not in hand (in hand: {hand})"))
            }
            Answer::Place { column, .. } if usize::from(column) >= self.board.columns() => {
                let last = self.board.columns() - 1;
                Err(format!("there is no column {column}; columns are numbered from 0 to {last}"))
            }
            Answer::Place { column, .. } => {
                let top = self.board.top(column.into(), self.gravity);
                if self.pellets.is_free(top) { Ok(()) } else { Err(full(column)) }
            }
        }
    }

    /// Plays one turn: the move, its result, and the next player's draw.
    pub(super) fn play(&mut self, answer: &Answer) {
        let mover = self.to_move();
        self.end = match (self.check(answer), *answer) {
            (Err(_), _) => Some(End::Illegal { loser: mover }),
            (Ok(()), Answer::Forfeit) => Some(End::Forfeit { loser: mover }),
            (Ok(()), Answer::Place { column, color }) => self.place(column, color),
            (Ok(()), Answer::Rotate { cycles }) => self.rotate(cycles),
        };
        self.put_hand_back();
        self.set_turn(self.turn + 1);
        if self.end.is_none() {
            self.begin_turn();
        }
    }

    pub(super) fn set_turn(&mut self, turn: u64) {
        self.turn = turn;
        self.decision = [Decision::new(self.to_move(), 0)];
    }

    /// The player to move draws. Without pellets, or after the last round, the game ends.
    pub(super) fn begin_turn(&mut self) {
        let player = self.to_move();
        if self.turn >= self.rules.max_turns() {
            self.end = Some(End::RoundLimit);
        } else if self.pellets_left(player) == 0 {
            self.end = Some(End::OutOfPellets { loser: player });
        } else if self.hand.is_empty() {
            self.draw();
        }
    }

    /// Each draw picks one of the colours left in the bags, with the same chance.
    fn draw(&mut self) {
        let mut rng = self.draws.of(self.turn);
        let colors = own_colors(self.to_move());
        for _ in 0..self.rules.hand_size {
            let left = colors.map(|color| self.bags[usize::from(color)] > 0);
            let color = match left {
                [true, true] => colors[rng.index(2)],
                [true, false] => colors[0],
                [false, true] => colors[1],
                [false, false] => break,
            };
            self.bags[usize::from(color)] -= 1;
            self.hand.take(color);
        }
    }

    pub(super) fn put_hand_back(&mut self) {
        for &color in &*std::mem::take(&mut self.hand) {
            self.bags[usize::from(color)] += 1;
        }
    }

    pub(super) fn landing(&self, column: u16) -> Option<Cell> {
        self.pellets.landing(self.board.top(column.into(), self.gravity))
    }

    /// Places a pellet that `check` has allowed. There was no long run before, so only a run
    /// through the new pellet can end the game.
    fn place(&mut self, column: u16, color: u8) -> Option<End> {
        let cell = self.landing(column)?;
        if !self.hand.give(color) {
            return None;
        }
        self.pellets.put(Pellet { cell, color });
        let length = self.pellets.color_grid().run_through(cell, color);
        (length >= self.rules.run_length).then_some(End::Run { winner: owner(color), length })
    }

    fn rotate(&mut self, cycles: u8) -> Option<End> {
        self.hand = InHand::default();
        self.gravity = (self.gravity + cycles) % 6;
        self.pellets.settle(self.gravity);
        judge(&self.board, &self.pellets, self.rules.run_length)
    }
}

impl Game for Cluster {
    const META: Meta = Meta {
        id: "cluster",
        rules_version: 1,
        min_players: 2,
        max_players: 2,
        turn_name: "turn",
        summary: "Four in a row on a hexagonal board whose gravity can be turned.",
        page: include_str!("page.md"),
    };

    type Rules = Rules;
    type Position = Position;
    type View<'a> = View<'a>;
    type Answer = Answer;

    fn new(rules: &Rules, players: usize, seed: Seed) -> Result<Cluster, SetupError> {
        rules.check(players)?;
        let mut game = Cluster::empty(rules, seed, 0);
        game.begin_turn();
        Ok(game)
    }

    fn from_position(rules: &Rules, seed: Seed, position: Position) -> Result<Cluster, SetupError> {
        position.into_game(rules, seed)
    }

    fn position(&self) -> Position {
        Position::of(self)
    }

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn seed(&self) -> Seed {
        self.seed
    }

    fn players(&self) -> usize {
        2
    }

    fn decisions(&self) -> &[Decision] {
        if self.end.is_none() { &self.decision } else { &[] }
    }

    fn view(&self, decision: Decision) -> View<'_> {
        assert!(self.decisions().contains(&decision), "{decision:?} is not asked now");
        View::new(self, decision.player)
    }

    fn step(&mut self, answers: &[Answer]) {
        assert_eq!(answers.len(), self.decisions().len(), "one answer per decision");
        answers.iter().for_each(|answer| self.play(answer));
    }

    fn illegal(&self, _: Decision, answer: &Answer) -> Option<String> {
        self.check(answer).err()
    }

    /// Draws an answer: mostly a pellet into some column, sometimes a rotation, rarely a blunder
    /// that loses the game.
    fn random_answer(&self, _: Decision, rng: &mut Rng) -> Answer {
        match rng.below(1000) {
            0 => return Answer::Forfeit,
            1 => return Answer::Place { column: rng.below(200) as u16, color: rng.below(5) as u8 },
            2 => return Answer::Rotate { cycles: rng.below(8) as u8 },
            _ => {}
        }
        let columns: Vec<_> = self.valid_columns().collect();
        match (rng.pick(&columns), rng.pick(&self.hand)) {
            (Some(&(column, _)), Some(&color)) if rng.chance(5, 6) => {
                Answer::Place { column: column as u16, color }
            }
            _ => Answer::Rotate { cycles: rng.between(1, 5) as u8 },
        }
    }

    fn progress(&self) -> Progress {
        Progress { turn: self.turn, limit: Some(self.rules.max_turns()) }
    }

    fn is_out(&self, player: Player) -> bool {
        let winner = self.end.and_then(End::winner);
        winner.is_some_and(|winner| winner != player)
    }

    /// The score is the length of the longest run.
    fn standing(&self) -> Standing {
        let runs = longest_runs(&self.board, &self.pellets);
        let player = |player: Player| {
            let run = i64::from(runs[player.index()].length);
            let measures = [
                ("run", run),
                ("pellets", self.pellets_of(player).into()),
                ("pellets_left", self.pellets_left(player).into()),
            ];
            PlayerStanding::new(run, &measures, self.is_out(player))
        };
        let rank = |player: Player| match self.end {
            Some(end) => u32::from(end.winner() == Some(player)),
            None => runs[player.index()].length,
        };
        let ranks = [rank(Player(0)), rank(Player(1))];
        Standing::ranked(Player::all(2).map(player).collect(), &ranks, self.end.map(End::outcome))
    }

    fn state_hash(&self) -> u64 {
        let mut fold = Fold::new();
        for value in
            [self.pellets.hash(), self.pellets.len() as u64, self.gravity.into(), self.turn]
        {
            fold.add(value);
        }
        self.bags.iter().for_each(|&bag| fold.add(bag.into()));
        fold.add_bytes(&self.hand);
        fold.add(self.end.map_or(0, End::code));
        fold.finish()
    }
}

/// The most pellets that settings allow in hand.
pub(super) const MAX_PELLETS: usize = 8;

/// Colours in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InHand {
    /// The colours, then at least one zero.
    colors: [u8; MAX_PELLETS + 1],
    count: u8,
}

impl InHand {
    /// Adds a pellet to the hand.
    ///
    /// # Panics
    /// If there are [`MAX_PELLETS`] already.
    pub(super) fn take(&mut self, mut color: u8) {
        let count = usize::from(self.count);
        assert!(count < MAX_PELLETS, "settings allow no more in hand");
        // Without a branch, because draws are unpredictable: higher colours move one place on.
        for held in &mut self.colors[..count] {
            (*held, color) = ((*held).min(color), (*held).max(color));
        }
        self.colors[count] = color;
        self.count += 1;
    }

    /// Removes a pellet of a colour; returns whether there was one.
    pub(super) fn give(&mut self, color: u8) -> bool {
        let mut found = false;
        for i in 0..usize::from(self.count) {
            found |= self.colors[i] == color;
            self.colors[i] = self.colors[i + usize::from(found)];
        }
        self.count -= u8::from(found);
        found
    }
}

impl Deref for InHand {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.colors[..usize::from(self.count)]
    }
}
