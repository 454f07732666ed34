//! `agon watch FILE` and `agon web export DIR FILE...`

use std::io::Write;

use agon_match::replay::Replay;
use agon_show::web::{self, ReplayPage};
use agon_show::{View, choose_screen};
use agon_view::paint::Appearance;
use anyhow::{Context, Result};

use crate::cli::{WatchArgs, WebExportArgs};
use crate::interrupts::{Doing, begin, handle_interrupts, is_interrupted};
use crate::output::{plural, tell_notice};
use crate::{Exit, arena::environment};

/// Shows a replay until the person leaves.
pub(crate) fn watch(args: &WatchArgs, out: &mut impl Write) -> Result<Exit> {
    super::know(args.game.as_deref())?;
    if args.web || args.board.is_some() || args.view == Some(View::Web) {
        return in_browser(args, out);
    }
    web::refuse(&args.web_args)?;
    let file = || args.file.display().to_string();
    agon_files::protect(&args.file);
    let replay = Replay::open_file(&args.file).with_context(file)?;
    let theme = args.theme.unwrap_or_default();
    let appearance = Appearance { theme, patterns: args.patterns };
    let mut app = agon_view::open(&replay, appearance).with_context(file)?;
    app.open_at(None, true);
    let view = args.view.or(args.terminal.then_some(View::Terminal)).or(args.vnc.map(View::Vnc));
    let environment = environment(None);
    let screen = choose_screen(view, &args.vnc_args, &environment)?;
    agon_show::show(app, screen, &environment, || false)?;
    Ok(Exit::Done)
}

/// Serves a replay until Ctrl-C.
fn in_browser(args: &WatchArgs, out: &mut impl Write) -> Result<Exit> {
    handle_interrupts();
    let port = args.web_args.port;
    let page = match &args.board {
        Some(board) => ReplayPage::serve_board(&args.file, args.theme, board, port, &tell_notice)?,
        None => ReplayPage::serve(&args.file, args.theme, args.patterns, port, &tell_notice)?,
    };
    begin(Doing::Page);
    writeln!(out, "watch at {}", page.address)?;
    out.flush()?;
    if !args.web_args.no_open {
        page.open_browser();
    }
    say!("Ctrl-C ends it");
    page.wait(is_interrupted)?;
    Ok(Exit::Interrupted)
}

/// Writes the page with replays into a folder.
pub(crate) fn export(args: &WebExportArgs, out: &mut impl Write) -> Result<()> {
    let folder = &args.folder;
    web::export(folder, &args.files, &tell_notice)?;
    let count = plural(args.files.len() as u64, "replay");
    writeln!(out, "{}: the page and {count}, for any web server", folder.display())?;
    Ok(())
}
