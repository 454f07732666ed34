//! A page with a replay, for `agon watch --web`.
//!
//! It serves the viewer with one replay. `live` serves running matches.

use std::{collections::BTreeSet, path::Path, thread, time::Duration};

use agon_arena::{Notice, Tell};
use agon_paint::ThemeName;
use agon_text::escape;
use agon_web::bundle;
use anyhow::{Result, bail};

use super::{
    browser, listing,
    server::{Content, File, Server},
};

/// The check interval for a reason to end.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A page with a replay. Dropping this ends it.
#[derive(Debug)]
pub struct ReplayPage {
    server: Server,
    address: String,
}

impl ReplayPage {
    /// Serves a replay on this port, or any free one.
    ///
    /// # Errors
    /// If it is no replay, or the port is taken.
    pub fn serve(
        replay: &Path,
        theme: Option<ThemeName>,
        patterns: bool,
        port: Option<u16>,
        tell: Tell<'_>,
    ) -> Result<ReplayPage> {
        let (entry, bytes) = listing::read(replay, &mut BTreeSet::new())?;
        let list = serde_json::to_vec(&[&entry])?;
        if let Some(remedy) = bundle::remedy_without(&escape(&entry.game)) {
            tell(Notice::Note(remedy));
        }
        let query = format!("?replay={}{}", entry.file, theme_query(theme, patterns));
        let files = [
            File { path: listing::FILE, media_type: "application/json", contents: &list },
            File { path: &entry.file, media_type: "application/octet-stream", contents: &bytes },
        ];
        let content = Content { files: &files, ..Content::default() };
        let server = Server::start(content, port, tell)?;
        let address = server.address(&query);
        Ok(ReplayPage { server, address })
    }

    /// Returns the address of the page.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Opens the page in the person's browser, if there is one.
    pub fn open_browser(&self) {
        browser::open(&self.address);
    }

    /// Waits until `is_over`.
    ///
    /// # Errors
    /// If the page cannot be served any more.
    pub fn wait(&self, is_over: impl Fn() -> bool) -> Result<()> {
        while !is_over() {
            if let Some(why) = self.server.lost() {
                bail!(why);
            }
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }
}

/// Returns the part of the address that sets the theme and patterns.
///
/// Without a theme the system decides.
pub(super) fn theme_query(theme: Option<ThemeName>, patterns: bool) -> String {
    let theme = theme.map_or_else(String::new, |theme| format!("&theme={theme}"));
    theme + if patterns { "&patterns" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_says_what_was_chosen() {
        assert_eq!(theme_query(None, false), "");
        assert_eq!(theme_query(None, true), "&patterns");
        assert_eq!(theme_query(Some(ThemeName::Light), true), "&theme=light&patterns");
    }
}
