//! binfection: bots command units on a field; moving splits a stack, and after every turn all
//! stacks grow.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `turn` | what a turn does: moves, fights, growth – the rules in one short file |
//! | `state` | [`Binfection`]: the game; `standing`: who wins |
//! | `rules`, `ini` | [`Rules`] and their `settings.ini`, [`IniFile`] |
//! | `spawn` | where the bots start |
//! | `cell`, `field`, `slot_index` | the field as a sorted list of occupied cells |
//! | `holdings` | which cells each player owns |
//! | `visible_cells`, `survey`, `cell_set` | what a player sees, fast; help for the built-in bots |
//! | `position`, `answer`, `view` | what people and bots read and write |
//! | `batch`, `jsonl` | questions and answers as flat memory and as JSON |
//! | `actions` | numbered actions, and which are legal |
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
mod cell;
mod cell_set;
mod field;
mod holdings;
mod human;
mod ini;
pub mod jsonl;
mod position;
mod presets;
pub mod protocol;
mod question;
mod replies;
pub mod result_file;
mod rules;
mod scene;
mod slot_index;
mod spawn;
mod standing;
mod state;
mod survey;
mod text;
mod turn;
mod view;
mod visible_cells;

pub use answer::{Answer, Move};
pub use cell::{Cell, Direction};
pub use ini::IniFile;
pub use position::{Fallen, Position};
pub use result_file::ResultFile;
pub use rules::{MAX_SIDE, MAX_TURNS, MAX_UNITS, Rules};
pub use state::{Binfection, Phases};
pub use text::{render_cells, render_text};
pub use view::{Kind, Neighbor, View};
