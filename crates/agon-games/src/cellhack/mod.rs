//! cellhack: single-celled organisms on a torus, every cell of a player run by the same small
//! function.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `turn` | what happens in a turn: the rules in one short file |
//! | `wishes`, `transfer`, `order`, `listing` | its steps, each for the whole board at once |
//! | `state` | [`Cellhack`], the state of a match, and its `Game` implementation |
//! | `board` | the cells: owner, energy and memory, a flat vector each |
//! | `rules` | [`Rules`], the settings |
//! | `position` | [`Position`], the state in a form for people |
//! | `action`, `answer` | [`Action`], [`Answer`]: what a bot replies |
//! | `actions` | the same as numbers, and which are legal |
//! | `view` | [`View`], [`Env`]: what a bot sees |
//! | `batch`, `jsonl` | questions and answers as flat memory and as JSON |
//! | [`protocol`] | the C header that bots include |
//! | [`result_file`] | the replay file that other tools know |
//! | `scene` | what it looks like |
//! | `human` | how a person plays |
//! | `bots` | built-in bots |

mod action;
mod actions;
mod answer;
pub mod batch;
mod board;
mod bots;
mod human;
pub mod jsonl;
mod listing;
mod order;
mod position;
mod presets;
pub mod protocol;
pub mod result_file;
mod rules;
mod scene;
mod state;
mod transfer;
mod turn;
mod view;
mod wishes;

pub use action::{Action, Direction};
pub use answer::Answer;
pub use position::{Cell, Place, Position};
pub use rules::Rules;
pub use state::Cellhack;
pub use view::{Env, View};

/// The mark of an empty place.
pub const EMPTY: u8 = 0;

/// The mark of a rock.
pub const ROCK: u8 = 255;
