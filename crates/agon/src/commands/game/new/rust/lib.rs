//! The rules of coins: walkers collect coins on a board; the most coins win.
//!
//! All walkers move at once. Nobody leaves the board or goes to a square where somebody stands: the
//! draw of the turn decides who moves first.

use agon_core::{Decision, Meta, Player, Purpose, Rng, Seed, error::Problems};
use agon_games::kit::{Grid, SmallGame};
use agon_games::scene::{Hue, Ink, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

agon_games::export_game!(agon_games::kit::Kit<Coins>);

/// The settings, as `game.toml` lists them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Squares of each side of the board.
    pub side: i32,
    /// Turns until the match ends.
    pub turns: u64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { side: 8, turns: 60 }
    }
}

/// What a walker does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Answer {
    Up,
    Right,
    Down,
    Left,
    /// What a fault counts as.
    #[default]
    Stay,
}

agon_games::postcard_codec!(Answer);

/// A square: column and row, from 0 at the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Square {
    pub x: i32,
    pub y: i32,
}

impl Square {
    fn after(self, answer: Answer) -> Square {
        let (right, down) = match answer {
            Answer::Up => (0, -1),
            Answer::Right => (1, 0),
            Answer::Down => (0, 1),
            Answer::Left => (-1, 0),
            Answer::Stay => (0, 0),
        };
        Square { x: self.x + right, y: self.y + down }
    }

    fn is_on(self, rules: &Rules) -> bool {
        (0..rules.side).contains(&self.x) && (0..rules.side).contains(&self.y)
    }
}

/// The state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coins {
    pub turn: u64,
    pub coin: Square,
    pub walkers: Vec<Square>,
    /// The coins of each walker.
    pub coins: Vec<u64>,
}

/// What a decision sees.
#[derive(Serialize, JsonSchema)]
pub struct View {
    /// Number of your walker, from 0.
    pub you: u16,
    /// Squares of each side of the board.
    pub side: i32,
    /// Column and row of the coin, from 0 at the top left.
    pub coin_x: i32,
    pub coin_y: i32,
    /// Coins, column and row of each walker.
    pub coins: Vec<u64>,
    pub x: Vec<i32>,
    pub y: Vec<i32>,
}

impl Coins {
    /// Puts the coin on a free square.
    fn drop_coin(&mut self, rules: &Rules, rng: &mut Rng) {
        let side = rules.side as u64;
        loop {
            self.coin = Square { x: rng.below(side) as i32, y: rng.below(side) as i32 };
            if !self.walkers.contains(&self.coin) {
                return;
            }
        }
    }
}

impl SmallGame for Coins {
    /// `game.toml` says the same again, for everybody who does not read Rust.
    const META: Meta = Meta {
        id: "coins",
        rules_version: 1,
        min_players: 2,
        max_players: 4,
        turn_name: "turn",
        summary: "Walkers collect coins on a board; the most coins win.",
        page: include_str!("../page.md"),
    };

    type Settings = Rules;
    type Answer = Answer;
    type View = View;

    fn check_settings(rules: &Rules, _: usize, problems: &mut Problems) {
        problems.range("side", rules.side, 4..=32);
        problems.range("turns", rules.turns, 1..=1000);
    }

    fn check(&self, rules: &Rules, problems: &mut Problems) {
        problems.range("turn", self.turn, 0..=rules.turns);
        problems.range("walkers", self.walkers.len(), 2..=4);
        let mut taken = vec![self.coin];
        for &walker in &self.walkers {
            let fits = walker.is_on(rules) && !taken.contains(&walker);
            problems.require(fits, "walkers", || "outside of the board, or not alone".into());
            taken.push(walker);
        }
        problems.require(self.coin.is_on(rules), "coin", || "outside of the board".into());
        let fits = self.coins.len() == self.walkers.len()
            && self.coins.iter().all(|&coins| coins <= self.turn);
        problems.require(fits, "coins", || "one number for each walker, at most `turn`".into());
    }

    fn start(rules: &Rules, players: usize, seed: Seed) -> Coins {
        let last = rules.side - 1;
        let corners = [(0, 0), (last, last), (last, 0), (0, last)];
        let walkers = corners.into_iter().take(players).map(|(x, y)| Square { x, y }).collect();
        let coin = Square { x: 0, y: 0 };
        let mut now = Coins { turn: 0, coin, walkers, coins: vec![0; players] };
        now.drop_coin(rules, &mut seed.stream(Purpose::Setup, 0));
        now
    }

    fn players(&self) -> usize {
        self.walkers.len()
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn limit(rules: &Rules) -> Option<u64> {
        Some(rules.turns)
    }

    fn decisions(&self, rules: &Rules) -> Vec<Decision> {
        let walkers = if self.turn < rules.turns { self.walkers.len() } else { 0 };
        Player::all(walkers).map(|player| Decision::new(player, 0)).collect()
    }

    fn answers(_: &Rules, _: usize) -> Vec<Answer> {
        vec![Answer::Up, Answer::Right, Answer::Down, Answer::Left, Answer::Stay]
    }

    fn illegal(&self, rules: &Rules, decision: Decision, answer: &Answer) -> Option<String> {
        let next = self.walkers[decision.player.index()].after(*answer);
        (!next.is_on(rules)).then(|| "it leads off the board".into())
    }

    fn view(&self, rules: &Rules, decision: Decision) -> View {
        View {
            you: decision.player.0,
            side: rules.side,
            coin_x: self.coin.x,
            coin_y: self.coin.y,
            coins: self.coins.clone(),
            x: self.walkers.iter().map(|walker| walker.x).collect(),
            y: self.walkers.iter().map(|walker| walker.y).collect(),
        }
    }

    fn step(&mut self, rules: &Rules, seed: Seed, answers: &[(Decision, Answer)]) {
        self.turn += 1;
        let mut rng = seed.stream(Purpose::Draw, self.turn);
        let mut order = answers.to_vec();
        rng.shuffle(&mut order);
        for (decision, answer) in order {
            let player = decision.player.index();
            let next = self.walkers[player].after(answer);
            if !next.is_on(rules) || self.walkers.contains(&next) {
                continue;
            }
            self.walkers[player] = next;
            if next == self.coin {
                self.coins[player] += 1;
                self.drop_coin(rules, &mut rng);
            }
        }
    }

    fn score(&self, _: &Rules, player: Player) -> i64 {
        self.coins[player.index()] as i64
    }

    fn ending(&self, rules: &Rules) -> String {
        format!("most coins after {} turns", rules.turns)
    }

    fn grid(&self, rules: &Rules) -> Option<Grid> {
        let mut grid = Grid::new(rules.side as u32, rules.side as u32);
        let Square { x, y } = self.coin;
        grid.mark(x as u32, y as u32, Shape::Disc(60), Ink::new(Hue::Food));
        for (player, walker) in Player::all(self.walkers.len()).zip(&self.walkers) {
            grid.fill(walker.x as u32, walker.y as u32, Ink::player(player));
        }
        Some(grid)
    }
}
