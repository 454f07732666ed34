//! `agon web export DIR FILE...`

use std::io::Write;

use anyhow::Result;

use crate::{cli::WebExportArgs, output::tell_notice};

/// Writes the page with replays into a folder.
pub(crate) fn export(args: &WebExportArgs, out: &mut impl Write) -> Result<()> {
    let folder = &args.folder;
    agon_show::web::export(folder, &args.files, &tell_notice)?;
    let count = match args.files.len() {
        1 => "1 replay".to_owned(),
        count => format!("{count} replays"),
    };
    writeln!(out, "{}: the page and {count}, for any web server", folder.display())?;
    Ok(())
}
