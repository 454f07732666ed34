//! A plain second implementation of rezzo, for the tests: characters in rows.

use agon_core::{Player, Purpose, Seed};
use agon_games::rezzo::{
    Ack, Action, AgentPosition, Answer, BaseOf, Damage, Facing, FlagDissolves, Position, Rules,
};

/// A world as characters of the viewport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Board(pub(crate) Vec<Vec<char>>);

impl Board {
    pub(crate) fn of(rows: &[String]) -> Board {
        Board(rows.iter().map(|row| row.chars().collect()).collect())
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        self.0.iter().map(|row| row.iter().collect()).collect()
    }

    fn at(&self, x: i64, y: i64) -> char {
        let row = &self.0[y.rem_euclid(self.0.len() as i64) as usize];
        row[x.rem_euclid(row.len() as i64) as usize]
    }

    fn neighbours(&self, x: usize, y: usize) -> Vec<char> {
        let (x, y) = (x as i64, y as i64);
        let around = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
        around.iter().map(|(dx, dy)| self.at(x + dx, y + dy)).collect()
    }

    /// One generation, and the flags that touched a base that counts: one entry per pair.
    pub(crate) fn generation(&self, rules: &Rules) -> (Board, Vec<usize>) {
        let mut next = self.clone();
        let mut touches = Vec::new();
        for y in 0..self.0.len() {
            for x in 0..self.0[y].len() {
                let near = self.neighbours(x, y);
                let c = self.0[y][x];
                next.0[y][x] = next_cell(c, &near, rules);
                if let Some(flag) = flag_of(c) {
                    let bases = near.iter().filter_map(|&n| base_of(n));
                    touches.extend(
                        bases.filter(|&b| rules.base_of == BaseOf::Any || b != flag).map(|_| flag),
                    );
                }
            }
        }
        (next, touches)
    }

    /// Takes all cells of a player away.
    pub(crate) fn erase(&mut self, player: usize) {
        for c in self.0.iter_mut().flatten() {
            if owner(*c) == Some(player) {
                *c = if flag_of(*c).is_some() { '.' } else { ' ' };
            }
        }
    }
}

fn next_cell(c: char, near: &[char], rules: &Rules) -> char {
    let count = |wanted: char| near.iter().filter(|&&n| n == wanted).count();
    let mut sources: Vec<usize> =
        near.iter().filter_map(|&n| flag_of(n).or(geyser_of(n))).collect();
    sources.dedup();
    let dissolver = if rules.flag_dissolves == FlagDissolves::Photon { '~' } else { '*' };
    match c {
        '.' if count('*') == 1 || count('*') == 2 => '*',
        '*' if !sources.is_empty() && count(',') > 0 => '~',
        '*' => ',',
        ',' => '.',
        '~' if sources.len() == 1 => (b'A' + sources[0] as u8) as char,
        '~' => '.',
        flag if flag_of(flag).is_some() && count(dissolver) > 0 => '.',
        other => other,
    }
}

fn nth(c: char, first: char) -> Option<usize> {
    let n = (c as usize).checked_sub(first as usize)?;
    (n < 10).then_some(n)
}

fn flag_of(c: char) -> Option<usize> {
    nth(c, 'A')
}

fn geyser_of(c: char) -> Option<usize> {
    nth(c, 'a')
}

fn base_of(c: char) -> Option<usize> {
    nth(c, 'n')
}

fn owner(c: char) -> Option<usize> {
    nth(c, '0').or(flag_of(c)).or(geyser_of(c)).or(base_of(c))
}

/// A whole match.
pub(crate) struct Reference {
    rules: Rules,
    tick: u64,
    pub(crate) board: Board,
    damage: Vec<Vec<u8>>,
    agents: Vec<AgentPosition>,
    places: Vec<(usize, usize)>,
}

impl Reference {
    pub(crate) fn new(rules: &Rules, position: &Position) -> Reference {
        let board = Board::of(&position.rows);
        let mut damage: Vec<Vec<u8>> = board.0.iter().map(|row| vec![0; row.len()]).collect();
        for d in &position.damage {
            damage[d.y as usize][d.x as usize] = d.hits;
        }
        let mut places = vec![(0, 0); position.agents.len()];
        for (y, row) in board.0.iter().enumerate() {
            for (x, &c) in row.iter().enumerate() {
                if let Some(player) = nth(c, '0') {
                    places[player] = (x, y);
                }
            }
        }
        let agents = position.agents.clone();
        Reference { rules: rules.clone(), tick: position.tick, board, damage, agents, places }
    }

    pub(crate) fn position(&self) -> Position {
        let mut damage = Vec::new();
        for (y, row) in self.damage.iter().enumerate() {
            for (x, &hits) in row.iter().enumerate().filter(|(_, hits)| **hits > 0) {
                damage.push(Damage { x: x as u32, y: y as u32, hits });
            }
        }
        Position { tick: self.tick, rows: self.board.rows(), agents: self.agents.clone(), damage }
    }

    pub(crate) fn living(&self) -> Vec<Player> {
        Player::all(self.agents.len()).filter(|p| self.agents[p.index()].lost.is_none()).collect()
    }

    /// The drawn order of the actions of this tick.
    pub(crate) fn order(&self, seed: Seed) -> Vec<Player> {
        let mut order = self.living();
        seed.quick_stream(Purpose::Order, self.tick).shuffle(&mut order);
        order
    }

    /// The actions in the given order; `answers` in order of the living players.
    pub(crate) fn act(&mut self, order: &[Player], answers: &[Answer]) {
        let living = self.living();
        for &player in order {
            let index = living.iter().position(|&p| p == player).expect("a living player");
            let possible =
                answers[index].action().is_none_or(|action| self.apply(player.index(), action));
            self.agents[player.index()].ack = match (answers[index], possible) {
                (Answer::Silence | Answer::Gone, _) => Ack::NoMessage,
                (Answer::Garbage, _) => Ack::Garbage,
                (Answer::Several(_), _) => Ack::Several,
                (_, true) => Ack::Ok,
                (_, false) => Ack::Invalid,
            };
        }
    }

    /// The generation, and then the losses: by flags, and of the players in `gone`.
    pub(crate) fn generation(&mut self, gone: &[Player]) {
        let (board, mut losers) = self.board.generation(&self.rules);
        self.board = board;
        self.tick += 1;
        losers.extend(gone.iter().map(|p| p.index()));
        for loser in losers {
            self.board.erase(loser);
            self.agents[loser] =
                AgentPosition { lost: Some(self.tick), ..AgentPosition::default() };
        }
    }

    pub(crate) fn step(&mut self, order: &[Player], answers: &[Answer]) {
        let living = self.living();
        self.act(order, answers);
        let gone = living.iter().zip(answers).filter(|(_, answer)| **answer == Answer::Gone);
        self.generation(&gone.map(|(&p, _)| p).collect::<Vec<_>>());
    }

    fn apply(&mut self, player: usize, action: Action) -> bool {
        let turn = |facing: Facing, by: usize| {
            let all = [Facing::N, Facing::E, Facing::S, Facing::W];
            all[(all.iter().position(|&f| f == facing).expect("one of four") + by) % 4]
        };
        let facing = self.agents[player].facing;
        match action {
            Action::Nop => true,
            Action::TurnLeft => {
                self.agents[player].facing = turn(facing, 3);
                true
            }
            Action::TurnRight => {
                self.agents[player].facing = turn(facing, 1);
                true
            }
            Action::Advance => self.walk(player, ' '),
            Action::Build => self.walk(player, '.'),
            Action::Hit => self.hit(player),
        }
    }

    fn ahead(&self, player: usize) -> (usize, usize) {
        let (x, y) = self.places[player];
        let (w, h) = (self.board.0[0].len(), self.board.0.len());
        match self.agents[player].facing {
            Facing::N => (x, (y + h - 1) % h),
            Facing::E => ((x + 1) % w, y),
            Facing::S => (x, (y + 1) % h),
            Facing::W => ((x + w - 1) % w, y),
        }
    }

    fn walk(&mut self, player: usize, left_behind: char) -> bool {
        let ((x, y), (to_x, to_y)) = (self.places[player], self.ahead(player));
        if self.board.0[to_y][to_x] != ' ' {
            return false;
        }
        self.board.0[to_y][to_x] = self.board.0[y][x];
        self.board.0[y][x] = left_behind;
        self.damage[to_y][to_x] = 0;
        self.damage[y][x] = 0;
        self.places[player] = (to_x, to_y);
        true
    }

    fn hit(&mut self, player: usize) -> bool {
        let (x, y) = self.ahead(player);
        let c = self.board.0[y][x];
        if !".*,~".contains(c) && flag_of(c).is_none() {
            return false;
        }
        self.damage[y][x] += 1;
        if self.damage[y][x] == self.rules.damage_limit {
            self.damage[y][x] = 0;
            self.board.0[y][x] = ' ';
        }
        true
    }
}
