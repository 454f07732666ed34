//! The list of commands in `agon --help`, under headings.

use std::fmt::Write;

use clap::Command;

/// Headings and commands, in the order in which people meet them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Play and watch", &["play", "games", "rules", "bots", "watch", "replay", "web", "scenario"]),
    ("Write a bot", &["new", "check", "compare", "tune"]),
    ("Contests", &["tournament", "worker"]),
    (
        "Ladders",
        &[
            "login",
            "submit",
            "status",
            "matches",
            "logs",
            "leaderboard",
            "ladder",
            "logout",
            "serve",
        ],
    ),
    ("Classic command lines", &["amoebas", "binfection", "cellhack", "cluster", "rezzo"]),
    ("This machine", &["doctor", "completions", "help"]),
];

/// The description of the command that clap adds.
const HELP: &str = "Explain a command (`agon help plan`: the plan of a tournament)";

/// Has the help list the commands under headings.
///
/// clap has headings for flags, but only one for all commands.
pub(super) fn with_groups(command: Command) -> Command {
    let header = command.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\n{header}Options:{header:#}\n\
         {{options}}{{after-help}}",
        list(&command)
    );
    command.help_template(template)
}

fn list(command: &Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut list = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(list, "\n{header}{heading}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map_or_else(|| HELP.to_owned(), ToString::to_string);
            let _ = writeln!(list, "  {literal}{name:<11}{literal:#}  {about}");
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{super::Cli, *};

    #[test]
    fn every_command_is_under_one_heading() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        shown.push("help");
        shown.sort_unstable();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        listed.sort_unstable();
        assert_eq!(listed, shown);
    }

    #[test]
    fn the_list_fits_into_80_columns() {
        let command = Cli::command().styles(clap::builder::Styles::plain());
        for line in list(&command).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
