//! A built-in bot of a game, as people name it: `cluster/greedy`.

use std::{fmt, str::FromStr};

use agon_games::{BuiltinBots, GameId, with_game};

/// A built-in bot that plays in an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boss {
    /// Its game.
    pub game: GameId,
    /// Its name within the game.
    pub name: String,
}

impl fmt::Display for Boss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.game.meta().id, self.name)
    }
}

impl FromStr for Boss {
    type Err = String;

    fn from_str(text: &str) -> Result<Boss, String> {
        let (game, name) =
            text.split_once('/').ok_or("give game and bot, as in cluster/greedy".to_owned())?;
        let game: GameId = game.parse().map_err(|error| format!("{error}"))?;
        let names: Vec<&str> =
            with_game!(game, G => G::BUILTINS.iter().map(|bot| bot.name).collect());
        match names.contains(&name) {
            true => Ok(Boss { game, name: name.to_owned() }),
            false => Err(format!("{} has the bots {}", game.meta().id, names.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boss_is_a_built_in_bot_of_a_game() {
        let boss: Boss = "cluster/greedy".parse().unwrap();
        assert_eq!((boss.game, boss.to_string().as_str()), (GameId::Cluster, "cluster/greedy"));
        let refused = |text: &str| text.parse::<Boss>().unwrap_err();
        assert!(refused("greedy").contains("as in cluster/greedy"));
        assert!(refused("cluster/gredy").starts_with("cluster has the bots "));
        assert!(refused("chess/greedy").contains("chess"), "{}", refused("chess/greedy"));
    }
}
