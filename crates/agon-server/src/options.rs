//! The command line of the server: the flags of `agon serve`, and those that all commands have.

use agon_console::serve_options::ServeCommand;
use clap::Parser;

/// Runs a ladder: people hand in bots in their browsers, the server plays them and ranks them.
#[derive(Debug, Parser)]
#[command(name = "agon-server", version, max_term_width = 100)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) command: ServeCommand,
    /// Report on standard error what happens inside; twice for more.
    #[arg(long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colours: the server uses none.
    #[arg(long, global = true, value_name = "WHEN", hide = true)]
    pub(crate) color: Option<String>,
}

#[cfg(test)]
mod tests {
    use agon_console::serve_options::Chore;
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_folder_is_served_unless_something_else_is_named() {
        let read = |words: &str| Options::try_parse_from(words.split(' '));
        let options = read("agon-server --data x --pace 3 --verbose").unwrap();
        let serve = options.command.serve.expect("it serves");
        assert_eq!((serve.pace, options.command.chore.is_none()), (3, true));
        let options = read("agon-server backup --data x copy --verbose").unwrap();
        assert!(matches!(options.command.chore, Some(Chore::Backup(_))));
        assert!(options.command.serve.is_none() && options.verbose == 1);
        assert!(read("agon-server restore copy --data new").is_ok());
        for words in ["agon-server", "agon-server --pace 3", "agon-server --data x backup y"] {
            assert!(read(words).is_err(), "{words}");
        }
    }
}
