//! `agon watch FILE`

use std::io::Write;

use agon_replay::Replay;
use anyhow::{Context, Result};

use crate::{
    Exit,
    cli::{View, WatchArgs},
    screen, show, web,
};

/// Shows a replay until the person leaves.
pub(crate) fn watch(args: &WatchArgs, out: &mut impl Write) -> Result<Exit> {
    if args.web || args.view == Some(View::Web) {
        return web::watch(args, out);
    }
    web::refuse(&args.web_args)?;
    let file = || args.file.display().to_string();
    agon_files::protect(&args.file);
    let replay = Replay::open_file(&args.file).with_context(file)?;
    let app = agon_view::open(&replay, args.theme.unwrap_or_default()).with_context(file)?;
    let view = args.view.or(args.terminal.then_some(View::Terminal)).or(args.vnc.map(View::Vnc));
    show::show(app, screen::choose(view, &args.vnc_args)?, || false)?;
    Ok(Exit::Done)
}
