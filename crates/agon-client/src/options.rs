//! The command line: the commands that `agon` hands over, with the flags that all commands have.

use agon_client_options::ClientCommand;
use anstream::ColorChoice;
use clap::{Parser, ValueEnum};

/// Uses a ladder server from a shell.
#[derive(Debug, Parser)]
#[command(name = "agon", bin_name = "agon", version, max_term_width = 100)]
pub(crate) struct Options {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Report on standard error what happens inside: nothing here.
    #[arg(long, global = true, hide = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: ClientCommand,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it the choice for all output.
    pub(crate) fn write_global(self) {
        let choice = match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }
}
