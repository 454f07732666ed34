//! Arguments for people who play.

use std::time::Duration;

use agon_show::PersonOptions;
use clap::Args;

/// Flags of people who play.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct PersonArgs {
    /// Give a person so many seconds for the orders of a turn [default: as long as it takes].
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        conflicts_with = "real_time",
        help_heading = "People who play"
    )]
    pub(crate) human_time: Option<f64>,
    /// Do not wait for the person: a tick lasts as long as the game says (only rezzo).
    #[arg(long, help_heading = "People who play")]
    pub(crate) real_time: bool,
}

impl PersonArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> PersonOptions {
        let time_limit = self.human_time.map(Duration::from_secs_f64);
        PersonOptions { time_limit, real_time: self.real_time }
    }
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    if (0.1..=1e6).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("expected 0.1 to 1000000 seconds")
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::cli::Cli;

    #[test]
    fn real_time_is_offered_where_it_can_be_played() {
        let cli = Cli::command();
        let offers = |name: &str| {
            let command = cli.find_subcommand(name).unwrap();
            command.clone().render_long_help().to_string().contains("--real-time")
        };
        for name in ["amoebas", "binfection", "cellhack", "cluster"] {
            assert!(!offers(name), "{name}");
        }
        assert!(offers("rezzo") && offers("play"));
    }
}
