//! What `agon` and the programs behind it share at the command line.
//!
//! That is output for people: styles, tables, and the one way to standard output and standard
//! error, on which foreign text cannot command a terminal. And flags that `agon` explains and
//! another program obeys.
//!
//! | module | contents |
//! | --- | --- |
//! | `terminal` | [`stdout`], [`stderr`]: escape foreign text; [`Style`], [`Color`]; [`table()`] |
//! | `text` | sentences and lines; [`difference`]: two answers of bots side by side |
//! | [`kits`] | the starter kits: the files of a new bot in each language |
//! | [`serve_options`] | the flags of `agon serve` |
//! | [`client_options`] | the flags of `agon login`, `submit` and others for ladder servers |

pub mod client_options;
pub mod kits;
pub mod serve_options;
mod terminal;
mod text;

pub use terminal::{
    BAD, BOLD, CAUTION, Color, DIM, GOOD, PLAIN, Style, Terminal, Watched, has_ascii_terminal,
    is_watched, print_table, say_line, say_part, shown_on_stderr, stderr, stderr_is_ascii, stdout,
    stdout_failure, table, table_of,
};
pub use text::{cut, difference, explain, listed, wrapped};
