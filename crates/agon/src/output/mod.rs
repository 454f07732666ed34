//! Output for people: tables, standings, progress.

mod events;
mod evidence;
mod film_time;
mod films;
mod progress;
mod remote;
mod standing;
mod tell;
mod waiting;

pub(crate) use agon_console::{
    BAD, BOLD, CAUTION, DIM, GOOD, PLAIN, Style, has_ascii_terminal, listed, print_table,
    shown_on_stderr, stderr, stderr_is_ascii, stdout, stdout_failure, table, wrapped,
};
pub(crate) use agon_core::text::number::{duration, grouped, memory, plural, space};
pub(crate) use agon_core::text::shell_word;
pub(crate) use events::print_event;
pub(crate) use evidence::{print_evidence, print_output};
pub(crate) use film_time::FilmTime;
pub(crate) use films::print_films;
pub(crate) use progress::{Bar, MatchProgress, bar_style, keep_drawn};
pub(crate) use remote::RemoteBoard;
pub(crate) use standing::{MatchInfo, exit_of, print_faults, print_result};
pub(crate) use tell::{tell, tell_above, tell_notice};
pub(crate) use waiting::WaitBoard;
