//! The command that asks more about what was found.

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, parser::ValueSource};

use crate::{cli::Cli, output::shell_word};

/// Flags of both commands that a comparison has of its own.
const OWN: [&str; 5] = ["game", "jobs", "json", "out", "seed"];

/// The command that compares `bots` as the tuning did whose command was `typed`: in the same game,
/// with the same settings, opponents, limits and sandbox.
pub(super) fn comparison(
    game: &str,
    bots: [String; 2],
    typed: impl IntoIterator<Item = OsString>,
) -> String {
    let mut words: Vec<OsString> = ["agon", "compare", "--game", game].map(OsString::from).to_vec();
    words.extend(bots.map(OsString::from));
    if let Ok(matches) = Cli::command().try_get_matches_from(typed)
        && let Some(("tune", tune)) = matches.subcommand()
    {
        words.extend(shared_flags(tune));
    }
    words.iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

/// The flags that were given and that `agon compare` has, too.
fn shared_flags(tune: &ArgMatches) -> Vec<OsString> {
    let cli = Cli::command();
    let compare = cli.find_subcommand("compare").expect("there is such a command");
    let mut words = Vec::new();
    for arg in compare.get_arguments() {
        let id = arg.get_id().as_str();
        let is_given = || {
            tune.try_contains_id(id).is_ok()
                && tune.value_source(id) == Some(ValueSource::CommandLine)
        };
        let Some(long) = arg.get_long().filter(|_| !OWN.contains(&id) && is_given()) else {
            continue;
        };
        let flag = OsString::from(format!("--{long}"));
        if !arg.get_action().takes_values() {
            words.push(flag);
            continue;
        }
        for occurrence in tune.get_raw_occurrences(id).into_iter().flatten() {
            words.push(flag.clone());
            words.extend(occurrence.map(OsString::from));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_about_the_same_matches() {
        let typed = "agon tune --game rezzo builtin:x --param a=1..2 --seed 4 --matches 20 --set \
                     a=1 --set b=2 --against one two --players 3 --time 50 --sandbox strict \
                     --allow-read x --no-clock -j 2";
        let bots = || ["new?a=1".to_owned(), "old".to_owned()];
        let asked = comparison("rezzo", bots(), typed.split_whitespace().map(OsString::from));
        assert_eq!(
            asked,
            "agon compare --game rezzo 'new?a=1' old --against one two --players 3 --set a=1 --set \
             b=2 --no-clock --time 50 --sandbox strict --allow-read x"
        );
        // It can be typed.
        Cli::command()
            .try_get_matches_from(asked.replace('\'', "").split_whitespace())
            .expect("it is a command");
        let plain = comparison("rezzo", bots(), ["agon", "tune"].map(OsString::from));
        assert_eq!(plain, "agon compare --game rezzo 'new?a=1' old");
    }
}
