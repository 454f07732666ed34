//! `agon new GAME LANGUAGE`: a folder with a bot to begin with.

use std::{borrow::Cow, io::Write, path::PathBuf};

use agon_games::GameId;
use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{
    cli::NewArgs,
    kits::{Kit, folder, opponent},
    output::{BOLD, DIM, GOOD, print_table, table},
};

/// Writes a starter kit, or lists them.
pub(crate) fn new(args: &NewArgs, out: &mut impl Write) -> Result<()> {
    match (&args.game, &args.language) {
        (Some(game), Some(language)) => write(game, language, args, out),
        _ => list(args.json, out),
    }
}

fn write(game: &str, language: &str, args: &NewArgs, out: &mut impl Write) -> Result<()> {
    let game: GameId = match (game.parse(), Kit::find(game), language.parse::<GameId>()) {
        (Err(_), Ok(kit), Ok(game)) => {
            bail!("the game comes first, as in `agon new {game} {}`", kit.id)
        }
        (game, ..) => game?,
    };
    let kit = Kit::find(language)?;
    if !kit.games().contains(&game) {
        let games: Vec<_> = kit.games().iter().map(GameId::to_string).collect();
        bail!("the kit for {} has no {game}, only {}", kit.manifest.language, games.join(", "));
    }
    let path = args.folder.clone().unwrap_or_else(|| PathBuf::from(format!("{game}-{}", kit.id)));
    // `.` has no name, but the folder it stands for.
    let full = std::path::absolute(&path).with_context(|| path.display().to_string())?;
    let name = full.file_name().unwrap_or(full.as_os_str()).to_string_lossy();
    let files = kit.files(game, &name);
    folder::create(&path, &files)?;

    let manifest = kit.manifest.in_game(game);
    let play = format!("agon play {game} {} {}", quoted(&manifest.bot), opponent(game));
    let missing = manifest.missing();
    if args.json {
        let data = json!({ "game": game, "language": kit.id, "folder": path, "files": files.keys().collect::<Vec<_>>(),
            "build": manifest.build, "bot": manifest.bot, "test": manifest.test, "play": play, "missing": missing });
        writeln!(out, "{}", json!({ "type": "new", "data": data }))?;
        return Ok(());
    }
    let (count, shown) = (files.len(), path.display());
    let what = if count == 1 { "file" } else { "files" };
    let language = &manifest.language;
    writeln!(out, "{BOLD}{shown}{BOLD:#}: {count} {what}, a bot in {language} that makes random moves\n")?;
    writeln!(out, "    cd {}", quoted(&path.to_string_lossy()))?;
    for line in manifest.build.iter().chain([&play]) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "\nREADME.md says how to go on from there.")?;
    if !missing.is_empty() {
        let missing = missing.join(", ").replace('|', " or ");
        let remedy = manifest.remedy();
        anstream::eprintln!("warning: it needs {missing}, which is not on this machine ({remedy})");
    }
    Ok(())
}

fn list(json: bool, out: &mut impl Write) -> Result<()> {
    if json {
        for Kit { id, manifest } in &Kit::all() {
            let data = json!({ "id": id, "language": manifest.language, "aliases": manifest.aliases,
                "needs": manifest.needs, "missing": manifest.missing(), "debian": manifest.debian,
                "install": manifest.install, "build": manifest.build, "bot": manifest.bot,
                "test": manifest.test });
            writeln!(out, "{}", json!({ "type": "kit", "data": data }))?;
        }
        return Ok(());
    }
    let mut rows = table();
    for kit in Kit::all() {
        let Kit { id, manifest } = &kit;
        let missing = manifest.missing();
        let state = if missing.is_empty() {
            format!("{GOOD}ready{GOOD:#}")
        } else {
            format!("needs {}: {}", missing.join(", ").replace('|', " or "), manifest.remedy())
        };
        rows.add_row([format!("{BOLD}{id}{BOLD:#}"), manifest.language.clone(), state]);
    }
    print_table(&rows, out)?;
    writeln!(out, "\n{DIM}`agon new GAME LANGUAGE` writes a bot to begin with.{DIM:#}")?;
    Ok(())
}

/// As a shell wants it.
fn quoted(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+./:=".contains(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    // Only a NUL cannot be quoted, and no path has one.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}
