//! What `agon` and the programs behind it share at the command line.
//!
//! That is output for people: styles, tables, and the one way to standard output and standard
//! error, on which foreign text cannot command a terminal. And flags that `agon` explains and
//! another program obeys.
//!
//! | module | contents |
//! | --- | --- |
//! | `terminal` | [`stdout`], [`stderr`]: escape what is not one of our styles |
//! | `style` | [`Style`]: bold, good, bad |
//! | `table` | [`table()`]: tables without lines |
//! | `text` | sentences and lines |
//! | [`serve_options`] | the flags of `agon serve` |
//! | [`client_options`] | the flags of `agon login`, `submit` and the other commands for ladder servers |
//! | `answers` | [`difference`]: two answers of bots side by side |

mod answers;
pub mod client_options;
pub mod serve_options;
mod style;
mod table;
mod terminal;
mod text;

pub use answers::{cut, difference};
pub use style::{BAD, BOLD, CAUTION, DIM, GOOD, PLAIN, Style};
pub use table::{print_table, table};
pub use terminal::{
    Terminal, Watched, has_ascii_terminal, is_watched, say_line, say_part, shown_on_stderr, stderr,
    stderr_is_ascii, stdout, stdout_failure,
};
pub use text::{explain, listed, wrapped};
