//! `agon watch FILE`

use agon_replay::Replay;
use anyhow::{Context, Result};

use crate::{cli::WatchArgs, screen, show};

/// Shows a replay until the person leaves.
pub(crate) fn watch(args: &WatchArgs) -> Result<()> {
    let file = || args.file.display().to_string();
    let replay = Replay::open_file(&args.file).with_context(file)?;
    let app = agon_view::open(&replay, args.theme.unwrap_or_default()).with_context(file)?;
    show::show(app, screen::choose(args.view)?, || false)
}
