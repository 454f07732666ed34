//! The arena that is meant: the one that was named, or the one that plays the bot's game.

use agon_ladder::api::{Arena, ArenaSummary, Phase};
use agon_text::escape;
use anyhow::{Result, bail};

use crate::{api, http::Client, places};

/// Returns the arena for a bot. A bot without `agon.toml` does not say its game.
///
/// # Errors
/// If there is none, or there are several, or the one that was named plays another game.
pub(super) fn choose(
    client: &Client,
    name: Option<&str>,
    game: Option<agon_games::GameId>,
) -> Result<Arena> {
    let all = places::arenas(client)?;
    let slug = match (name, game) {
        (Some(name), Some(game)) => named(&all, name, game.meta().id)?,
        (None, Some(game)) => by_game(&all, game.meta().id)?,
        (name, None) => {
            let slugs: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
            places::pick("arena", name, &slugs)?
        }
    };
    api::get(client, &["arenas", &slug])
}

fn named(all: &[ArenaSummary], name: &str, game: &str) -> Result<String> {
    let slugs: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
    let slug = places::pick("arena", Some(name), &slugs)?;
    match all.iter().find(|arena| arena.slug == slug) {
        Some(arena) if arena.game != game => bail!(
            "the bot is for {game}, as its agon.toml says, and {} plays {}",
            escape(&slug),
            escape(&arena.game)
        ),
        _ => Ok(slug),
    }
}

fn by_game(all: &[ArenaSummary], game: &str) -> Result<String> {
    let of_game: Vec<&ArenaSummary> = all.iter().filter(|arena| arena.game == game).collect();
    let open: Vec<&ArenaSummary> = of_game
        .iter()
        .copied()
        .filter(|arena| matches!(arena.phase, Phase::Open | Phase::Paused))
        .collect();
    match (open.as_slice(), of_game.as_slice()) {
        ([only], _) | ([], [only]) => Ok(only.slug.clone()),
        ([], []) => bail!("no arena of this server plays {game}"),
        (several, _) => {
            let shown = if several.is_empty() { &of_game } else { &open };
            let names: Vec<_> = shown.iter().take(8).map(|arena| escape(&arena.slug)).collect();
            bail!("several arenas play {game}: name one with --arena: {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arena(slug: &str, game: &str, phase: Phase) -> ArenaSummary {
        ArenaSummary { slug: slug.into(), game: game.into(), phase, ..ArenaSummary::default() }
    }

    #[test]
    fn the_game_decides_if_one_arena_plays_it() {
        let all = [
            arena("spring", "chess", Phase::Over),
            arena("autumn", "chess", Phase::Open),
            arena("go", "go", Phase::Frozen),
        ];
        assert_eq!(by_game(&all, "chess").unwrap(), "autumn");
        // The server says why it takes no version.
        assert_eq!(by_game(&all, "go").unwrap(), "go");
        assert!(by_game(&all, "shogi").unwrap_err().to_string().contains("no arena"));
        let two = [all[1].clone(), arena("club", "chess", Phase::Paused)];
        let error = by_game(&two, "chess").unwrap_err().to_string();
        assert!(error.ends_with("--arena: autumn, club"), "{error}");
    }

    #[test]
    fn an_arena_for_another_game_is_refused_before_anything_is_sent() {
        let all = [arena("spring", "chess", Phase::Open)];
        let error = named(&all, "spring", "go").unwrap_err().to_string();
        assert_eq!(error, "the bot is for go, as its agon.toml says, and spring plays chess");
        assert_eq!(named(&all, "spring", "chess").unwrap(), "spring");
        assert!(named(&all, "sprnig", "chess").unwrap_err().to_string().contains("did you mean"));
    }
}
