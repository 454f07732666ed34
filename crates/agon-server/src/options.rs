//! The command line of the server: the flags of `agon serve`, and those that all commands have.

use agon_serve_options::ServeOptions;
use clap::Parser;

/// Runs a ladder: people hand in bots in their browsers, the server plays them and ranks them.
#[derive(Debug, Parser)]
#[command(name = "agon-server", version, max_term_width = 100)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) serve: ServeOptions,
    /// Report on standard error what happens inside; twice for more.
    #[arg(long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours: the server uses none.
    #[arg(long, value_name = "WHEN", hide = true)]
    pub(crate) color: Option<String>,
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
