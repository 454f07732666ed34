//! Finds the game of a comparison without `--game`: the only one that all its bots can play.

use std::{fs, path::Path};

use agon_bots::folder_game;
use agon_core::BotInfo;
use agon_games::{BuiltinBots, GameId, with_game};
use anyhow::{Result, bail};

/// Returns the game that was named, or else the only one that all bots can play, as far as they
/// show it.
///
/// # Errors
/// If there is no such game, or none follows from the bots.
pub fn game<'a>(
    named: Option<&str>,
    bots: impl IntoIterator<Item = &'a BotInfo>,
) -> Result<GameId> {
    if let Some(name) = named {
        return Ok(name.parse()?);
    }
    let mut games = GameId::ALL.to_vec();
    for bot in bots {
        let own = games_of(bot);
        games.retain(|game| own.contains(game));
    }
    match games.as_slice() {
        [game] => Ok(*game),
        _ => {
            let ids = GameId::ALL.map(|id| id.meta().id).join(", ");
            bail!("the bots do not tell which game they are for; add `--game GAME`, one of {ids}")
        }
    }
}

/// Returns the games that a bot may be for. Built-in bots belong to games, Clojure to amoebas, and
/// a folder's manifest names the game. A file of a bot made by `agon new` has a recorded
/// conversation of its game beside it.
fn games_of(bot: &BotInfo) -> Vec<GameId> {
    if let Some(name) = bot.spec.strip_prefix("builtin:") {
        let name = name.split('?').next().unwrap_or_default();
        return GameId::ALL.into_iter().filter(|&id| has_builtin(id, name)).collect();
    }
    if bot.kind == "clojure" {
        return vec![GameId::Amoebas];
    }
    if let Ok(game) = folder_game(Path::new(&bot.spec)) {
        return vec![game];
    }
    let words = shlex::split(&bot.spec).unwrap_or_default();
    let file = |word: &String| {
        let path = Path::new(word.split_once(':').map_or(word.as_str(), |(_, path)| path));
        fs::canonicalize(path).ok().filter(|path| path.is_file())
    };
    let files = words.iter().filter_map(file);
    let kit =
        files.flat_map(|file| file.ancestors().skip(1).take(4).filter_map(kit_in).next()).next();
    kit.map_or(GameId::ALL.to_vec(), |game| vec![game])
}

fn has_builtin(id: GameId, name: &str) -> bool {
    with_game!(id, G => G::BUILTINS.iter().any(|builtin| builtin.name == name))
}

/// Returns the game of the starter kit in this folder, if there is one.
fn kit_in(folder: &Path) -> Option<GameId> {
    let golden = |id: &GameId| folder.join(format!("golden/{id}.arena.jsonl")).is_file();
    GameId::ALL.into_iter().find(golden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(kind: &str, spec: &str) -> BotInfo {
        BotInfo { spec: spec.to_owned(), ..BotInfo::new("a", kind) }
    }

    #[test]
    fn bots_tell_their_game() {
        let guess = |bots: &[BotInfo]| game(None, bots).map_err(|error| error.to_string());
        let searcher = bot("builtin", "builtin:searcher?width=8");
        let random = bot("builtin", "builtin:random");
        assert_eq!(guess(&[searcher.clone(), random.clone()]), Ok(GameId::Cluster));
        assert_eq!(
            guess(&[bot("clojure", "x.clj?fn=a"), bot("program", "x")]),
            Ok(GameId::Amoebas)
        );
        let unclear = guess(&[random]).unwrap_err();
        assert!(unclear.contains("--game") && unclear.contains("cellhack, cluster"), "{unclear}");
        assert!(guess(&[searcher, bot("clojure", "x.clj")]).is_err(), "no game has both");
        assert_eq!(game(Some("rezzo"), []).unwrap(), GameId::Rezzo);
        assert!(game(Some("reszo"), []).unwrap_err().to_string().contains("did you mean `rezzo`"));
    }

    #[test]
    fn a_kit_stands_beside_its_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::create_dir_all(file("golden")).unwrap();
        fs::create_dir_all(file("src")).unwrap();
        fs::write(file("golden/rezzo.arena.jsonl"), "").unwrap();
        fs::write(file("src/bot.py"), "").unwrap();
        let spec = format!("jsonl:python3 -u {}", file("src/bot.py").display());
        assert_eq!(games_of(&bot("jsonl", &spec)), [GameId::Rezzo]);
        let manifest = "game = \"cellhack\"\nrun = \"bot.c\"\n";
        fs::write(file("agon.toml"), manifest).unwrap();
        let spec = folder.path().display().to_string();
        assert_eq!(games_of(&bot("c", &spec)), [GameId::Cellhack]);
    }
}
