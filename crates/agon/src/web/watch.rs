//! A replay in a browser.

use std::{collections::BTreeSet, io::Write, sync::atomic::Ordering, thread, time::Duration};

use agon_paint::ThemeName;
use anyhow::{Result, bail};

use super::{
    browser, listing,
    server::{Content, File, Server},
};
use crate::{
    Exit,
    cli::WatchArgs,
    interrupts::{handle_interrupts, interrupted_page},
};

/// How often is looked whether there is a reason to end.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Serves a replay until Ctrl-C.
///
/// # Errors
/// If it is no replay, the port is taken, or it cannot be served any more.
pub(crate) fn watch(args: &WatchArgs, out: &mut impl Write) -> Result<Exit> {
    handle_interrupts();
    let (entry, bytes) = listing::read(&args.file, &mut BTreeSet::new())?;
    let list = serde_json::to_vec(&[&entry])?;
    let query = format!("?replay={}{}", entry.file, theme(args.theme));
    let files = [
        File { path: listing::FILE, media_type: "application/json", contents: &list },
        File { path: &entry.file, media_type: "application/octet-stream", contents: &bytes },
    ];
    let server =
        Server::start(Content { files: &files, ..Content::default() }, args.web_args.port)?;
    let stop = interrupted_page();
    let address = server.address(&query);
    writeln!(out, "watch at {address}")?;
    out.flush()?;
    if !args.web_args.no_open {
        browser::open(&address);
    }
    say!("Ctrl-C ends it");
    while !stop.load(Ordering::Relaxed) {
        if let Some(why) = server.lost() {
            bail!(why);
        }
        thread::sleep(CHECK_INTERVAL);
    }
    Ok(Exit::Interrupted)
}

/// What the page is told of its colours; those of the person's system if nothing is said.
pub(super) fn theme(theme: Option<ThemeName>) -> String {
    theme.map_or_else(String::new, |theme| format!("&theme={theme}"))
}
