//! What the editor of an author begins with: the author's latest version, if a single file of it
//! differs from a starter kit.

use agon_arena::Bundle;
use agon_games::GameId;
use agon_kits::Kit;
use tokio::task::spawn_blocking;

use super::reply::Shown;
use crate::{app::App, store::bots::Bot};

/// A version that fits into the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LatestCode {
    /// The identifier of its kit.
    pub(super) kit: &'static str,
    /// Its main file.
    pub(super) code: String,
    /// The number of the version.
    pub(super) number: u32,
}

/// Returns the latest version of a bot, if it fits into the editor.
pub(super) async fn latest_code(
    app: &App,
    bot: &Bot,
    game: GameId,
    kits: Vec<Kit>,
) -> Shown<Option<LatestCode>> {
    let versions = app.store.versions(bot.id).await?;
    let Some(latest) = versions.into_iter().next() else { return Ok(None) };
    let Some(source) = latest.source else { return Ok(None) };
    let blobs = app.blobs.clone();
    let read = spawn_blocking(move || -> anyhow::Result<Option<LatestCode>> {
        let bundle = Bundle::from_bytes(&blobs.get(source)?)?;
        let files: Vec<(&str, &[u8])> =
            bundle.files().map(|(path, contents, _)| (path, contents)).collect();
        let found = kits.iter().find_map(|kit| Some((kit.id, main_file(kit, game, &files)?)));
        Ok(found.map(|(kit, code)| LatestCode { kit, code, number: latest.number }))
    });
    // A blob that is missing is no reason not to show the page.
    Ok(read.await.map_err(anyhow::Error::from)?.unwrap_or_default())
}

/// Returns the main file of a kit, if all other files are those of the kit.
fn main_file(kit: &Kit, game: GameId, files: &[(&str, &[u8])]) -> Option<String> {
    let main = kit.main_file(game)?;
    let of_kit = kit.files(game, "bot");
    let is_of_kit = |(path, contents): &(&str, &[u8])| {
        *path == main || of_kit.get(*path).is_some_and(|text| text.as_bytes() == *contents)
    };
    if !files.iter().all(is_of_kit) {
        return None;
    }
    let (_, code) = files.iter().find(|(path, _)| *path == main)?;
    String::from_utf8(code.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_kit_completes_fits_into_the_editor() {
        let game = GameId::ALL[0];
        let kit = Kit::find("python").unwrap();
        let main = kit.main_file(game).unwrap();
        let files = kit.files(game, "bot");
        let mut own: Vec<(&str, &[u8])> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        for (path, contents) in &mut own {
            if *path == main {
                *contents = b"mine";
            }
        }
        assert_eq!(main_file(&kit, game, &own).as_deref(), Some("mine"));
        let with = |more: (&'static str, &'static [u8])| [own.clone(), vec![more]].concat();
        assert_eq!(main_file(&kit, game, &with(("helper.py", b"x"))), None);
        own.retain(|(path, _)| *path != main);
        assert_eq!(main_file(&kit, game, &own), None);
    }
}
