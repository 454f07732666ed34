//! The command line: the commands that `agon` hands over, with the flags that all commands have.

use agon_console::client_options::ClientCommand;
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

    #[test]
    fn the_guides_name_commands_that_exist() {
        let guides = ["docs/submit.md", "docs/ladder-proof.md"];
        let mut commands = 0;
        for guide in guides {
            let text = std::fs::read_to_string(format!("../../{guide}")).unwrap();
            let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
            for line in lines.filter(|line| !line.starts_with("agon new ")) {
                let words = shlex::split(line).unwrap();
                let read = Options::try_parse_from(words);
                assert!(read.is_ok(), "{guide}: {line}: {}", read.unwrap_err());
                commands += 1;
            }
        }
        assert!(commands > 8, "{commands} commands");
    }
}
