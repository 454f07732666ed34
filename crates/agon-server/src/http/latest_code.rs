//! What the editor of an author begins with: the author's latest version, if a single file of it
//! differs from a starter kit.

use agon_arena::Bundle;
use agon_console::kits::Kit;
use agon_games::GameId;
use tokio::task::spawn_blocking;

use super::reply::Shown;
use crate::{app::App, store::bots::Bot};

/// The latest version of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Latest {
    /// Its number.
    pub(super) number: u32,
    /// Its kit and its main file, if it fits into the editor.
    pub(super) fits: Option<(&'static str, String)>,
}

impl Latest {
    /// Returns its code, if the editor shows it in the language of a kit.
    pub(super) fn code_in(&self, kit: &str) -> Option<&str> {
        self.fits.as_ref().filter(|(own, _)| *own == kit).map(|(_, code)| code.as_str())
    }

    /// Says why the editor, in the language of a kit, did not open this version, if it did not.
    pub(super) fn not_opened(&self, kit: &str) -> Option<String> {
        let why = match &self.fits {
            Some((own, _)) if *own == kit => return None,
            Some(_) => "is in another language",
            None => "came from an archive or from several files, so the editor cannot open it",
        };
        let number = self.number;
        Some(format!("Your version {number} {why}. What is in the editor replaces all of it."))
    }
}

/// Returns the latest version of a bot.
pub(super) async fn latest(
    app: &App,
    bot: Option<&Bot>,
    game: GameId,
    kits: Vec<Kit>,
) -> Shown<Option<Latest>> {
    let Some(bot) = bot else { return Ok(None) };
    let versions = app.store.versions(bot.id).await?;
    let Some(version) = versions.into_iter().next() else { return Ok(None) };
    let number = version.number;
    let Some(source) = version.source else { return Ok(Some(Latest { number, fits: None })) };
    let blobs = app.blobs.clone();
    let read = spawn_blocking(move || -> anyhow::Result<Option<(&'static str, String)>> {
        let bundle = Bundle::from_bytes(&blobs.get(source)?)?;
        let files: Vec<(&str, &[u8])> =
            bundle.files().map(|(path, contents, _)| (path, contents)).collect();
        Ok(kits.iter().find_map(|kit| Some((kit.id, main_file(kit, game, &files)?))))
    });
    // A blob that is missing is no reason not to show the page.
    let fits = read.await.map_err(anyhow::Error::from)?.unwrap_or_default();
    Ok(Some(Latest { number, fits }))
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
