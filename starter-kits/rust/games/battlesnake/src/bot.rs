//! A snake for the official Battlesnake API. It moves at random, but into no wall and no body.

mod json;
mod server;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use json::Json;

/// The answer to `GET /`.
const INDEX: &str =
    r##"{"apiversion":"1","author":"","color":"#dea584","head":"default","tail":"default"}"##;

/// Each move, and where it leads.
const MOVES: [(&str, i64, i64); 4] =
    [("up", 0, 1), ("down", 0, -1), ("left", -1, 0), ("right", 1, 0)];

/// Returns the move for this turn. Change this.
fn choose_move(state: &Json) -> &'static str {
    let (x, y) = square(&state["you"]["head"]);
    let is_safe = |(_, dx, dy): &(&str, i64, i64)| is_free(state, x + dx, y + dy);
    let mut moves = MOVES.to_vec();
    if moves.iter().any(is_safe) {
        moves.retain(is_safe);
    }
    // Seeded, so that a match can be played again.
    let mut hasher = DefaultHasher::new();
    let (game, you) = (state["game"]["id"].text(), state["you"]["id"].text());
    (game, you, state["turn"].number()).hash(&mut hasher);
    moves[hasher.finish() as usize % moves.len()].0
}

/// Returns whether a square is on the board and no body is there.
fn is_free(state: &Json, mut x: i64, mut y: i64) -> bool {
    let board = &state["board"];
    let (width, height) = (board["width"].number(), board["height"].number());
    if state["game"]["ruleset"]["name"].text().starts_with("wrapped") {
        x = x.rem_euclid(width);
        y = y.rem_euclid(height);
    }
    let bodies = board["snakes"].list().iter().map(|snake| snake["body"].list());
    // The last square of a body is free after this turn.
    let mut blocked = bodies.flat_map(|body| body.iter().rev().skip(1));
    let is_on_board = (0..width).contains(&x) && (0..height).contains(&y);
    is_on_board && !blocked.any(|at| square(at) == (x, y))
}

/// Returns the coordinates of a square; (0, 0) is at the bottom left.
fn square(value: &Json) -> (i64, i64) {
    (value["x"].number(), value["y"].number())
}

fn main() -> std::io::Result<()> {
    server::run()
}
