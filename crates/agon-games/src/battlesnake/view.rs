//! What a bot sees: the `move` request of the official API, without what only its web server needs.

use agon_core::Player;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Board, Cause, Map, Point, Rules, Ruleset, Snake};

/// What a bot sees.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct View {
    /// The rules of the match.
    pub game: Game,
    /// Turns that are over.
    pub turn: u64,
    /// The board.
    pub board: SeenBoard,
    /// The snake that the bot moves.
    pub you: SeenSnake,
    /// The snakes that are out.
    pub eliminated: Vec<Eliminated>,
}

/// The rules of the match.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Game {
    /// The game mode with its settings.
    pub ruleset: SeenRuleset,
    /// The map.
    pub map: Map,
}

/// A game mode with its settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SeenRuleset {
    /// The game mode.
    pub name: Ruleset,
    /// Its settings.
    pub settings: Settings,
}

/// The settings of a game mode.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The chance of a new food in each turn, in percent.
    pub food_spawn_chance: u32,
    /// If there is less food than this on the board, the missing food appears.
    pub minimum_food: u32,
    /// Health that a move into a hazard costs, besides the 1 of every move. A negative number
    /// heals.
    pub hazard_damage_per_turn: i32,
    /// Settings of royale.
    pub royale: Royale,
}

/// Settings of royale.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Royale {
    /// Turns from one new row or column of hazards to the next.
    pub shrink_every_n_turns: u32,
}

/// The board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Board")]
pub struct SeenBoard {
    /// Its number of rows.
    pub height: u32,
    /// Its number of columns.
    pub width: u32,
    /// The squares with food.
    pub food: Vec<Point>,
    /// The squares with hazards. One that comes twice hurts twice as much.
    pub hazards: Vec<Point>,
    /// The snakes that are left.
    pub snakes: Vec<SeenSnake>,
}

/// A snake.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Battlesnake")]
pub struct SeenSnake {
    /// The number of its player, as text.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its health, from 1 to 100.
    pub health: u8,
    /// Its squares, from head to tail. The last ones may be the same.
    pub body: Vec<Point>,
    /// The first square of its body.
    pub head: Point,
    /// The number of squares of its body.
    pub length: usize,
}

/// A snake that is out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Eliminated {
    /// The number of its player, as text.
    pub id: String,
    /// The turn after which it was gone.
    pub turn: u64,
    /// Why it is out.
    pub cause: Cause,
    /// The `id` of the snake that it ran into; null for none.
    pub by: Option<String>,
}

impl SeenSnake {
    fn new(number: usize, snake: &Snake) -> SeenSnake {
        SeenSnake {
            id: number.to_string(),
            name: format!("snake {number}"),
            health: snake.health,
            body: snake.body.clone(),
            head: snake.head(),
            length: snake.body.len(),
        }
    }
}

impl View {
    /// Returns what a player's bot sees.
    pub(super) fn new(board: &Board, rules: &Rules, player: Player) -> View {
        let mut snakes = Vec::with_capacity(board.snakes.len());
        let mut eliminated = Vec::new();
        for (number, snake) in board.snakes.iter().enumerate() {
            match snake.eliminated {
                None => snakes.push(SeenSnake::new(number, snake)),
                Some(out) => eliminated.push(Eliminated {
                    id: number.to_string(),
                    turn: out.turn,
                    cause: out.cause,
                    by: out.by.map(|other| other.to_string()),
                }),
            }
        }

        let settings = Settings {
            food_spawn_chance: rules.food_spawn_chance,
            minimum_food: rules.minimum_food,
            hazard_damage_per_turn: rules.hazard_damage_per_turn,
            royale: Royale { shrink_every_n_turns: rules.shrink_every_n_turns },
        };
        View {
            game: Game { ruleset: SeenRuleset { name: rules.ruleset, settings }, map: rules.map },
            turn: board.turn,
            you: SeenSnake::new(player.index(), &board.snakes[player.index()]),
            board: SeenBoard {
                height: rules.height,
                width: rules.width,
                food: board.food.clone(),
                hazards: board.hazards.clone(),
                snakes,
            },
            eliminated,
        }
    }
}
