//! What `agon` and the programs behind it share at the command line.
//!
//! That is output for people: styles, tables, and the one way to standard output and standard
//! error, on which foreign text cannot command a terminal. And flags that `agon` explains and
//! another program obeys.
//!
//! | module | contents |
//! | --- | --- |
//! | `terminal` | [`stdout`], [`stderr`]: escape what is not one of our styles |
//! | `style` | [`Style`]: bold, good, bad; [`Color`]: when; [`table()`]: tables without lines |
//! | `text` | sentences and lines; [`difference`]: two answers of bots side by side |
//! | [`serve_options`] | the flags of `agon serve` |
//! | [`client_options`] | the flags of `agon login`, `submit` and the other commands for ladder servers |

pub mod client_options;
pub mod kits;
pub mod serve_options;
mod style;
mod terminal;
mod text;

pub use style::{BAD, BOLD, CAUTION, Color, DIM, GOOD, PLAIN, Style, print_table, table};
pub use terminal::{
    Terminal, Watched, has_ascii_terminal, is_watched, say_line, say_part, shown_on_stderr, stderr,
    stderr_is_ascii, stdout, stdout_failure,
};
pub use text::{cut, difference, explain, listed, wrapped};
