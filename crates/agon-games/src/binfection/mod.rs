//! binfection: bots command units on a field; moving splits a stack, and after every turn all
//! stacks grow.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `turn` | what a turn does: moves, fights, growth – the rules in one short file |
//! | `state` | [`Binfection`]: the game, and who wins |
//! | `rules`, `ini` | [`Rules`] and their `settings.ini`, [`IniFile`] |
//! | `spawn` | where the bots start |
//! | `field` | the field as a sorted list of occupied cells; which cells each player owns |
//! | `view` | what a player sees, fast; help for the built-in bots |
//! | `position`, `answer` | what people and bots read and write |
//! | `batch`, `jsonl` | questions and answers as flat memory and as JSON |
//! | `human` | how a person plays |
//! | [`protocol`] | the game's own files: question and reply |
//! | [`result_file`] | the `.res` file |
//! | `text` | a drawing for the terminal |
//! | `scene` | what it looks like as a picture |
//! | `bots` | built-in bots |

mod actions;
mod answer;
pub mod batch;
mod bots;
mod field;
mod human;
mod ini;
pub mod jsonl;
mod position;
pub mod protocol;
mod question;
pub mod result_file;
mod rules;
mod scene;
mod spawn;
mod state;
mod text;
mod turn;
mod view;

pub use answer::{Answer, Move};
pub use field::{Cell, Direction};
pub use ini::IniFile;
pub use position::{Fallen, Position};
pub use result_file::ResultFile;
pub use rules::{MAX_SIDE, MAX_TURNS, MAX_UNITS, Rules};
pub use state::{Binfection, Phases};
pub use text::{render_cells, render_text};
pub use view::{Kind, Neighbor, View};
