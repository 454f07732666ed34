//! cellhack: single-celled organisms on a torus, every cell of a player run by the same small
//! function.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `turn` | what happens in a turn: the rules in one short file |
//! | `transfer` | one of its steps, for the whole board at once |
//! | `state` | [`Cellhack`], the state of a match, and its `Game` implementation |
//! | `board` | the cells: owner, energy and memory, a flat vector each; the list of all |
//! | `rules` | [`Rules`], the settings |
//! | `position` | [`Position`], the state in a form for people; [`View`], [`Env`]: what a bot sees |
//! | `answer` | [`Action`], [`Answer`]: what a bot replies, also as numbers |
//! | `batch`, `jsonl` | questions and answers as flat memory and as JSON |
//! | [`protocol`] | the C header that bots include |
//! | [`result_file`] | the replay file that other tools know |
//! | `scene` | what it looks like |
//! | `human` | how a person plays |
//! | `bots` | built-in bots |

mod actions;
mod answer;
pub mod batch;
mod board;
mod bots;
mod human;
pub mod jsonl;
mod position;
pub mod protocol;
pub mod result_file;
mod rules;
mod scene;
mod state;
mod transfer;
mod turn;

pub use answer::{Action, Answer, Direction};
pub use position::{Cell, Env, Place, Position, View};
pub use rules::Rules;
pub use state::Cellhack;

/// The mark of an empty place.
pub const EMPTY: u8 = 0;

/// The mark of a rock.
pub const ROCK: u8 = 255;
