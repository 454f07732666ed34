//! `agon game new`: writes the folder of a first game, which plays as soon as its rules are
//! compiled.

use std::io::Write;
use std::path::{Path, PathBuf};

use agon_games::GameId;
use anyhow::{Context, Result, bail, ensure};

use crate::cli::{GameLanguage, GameNewArgs};
use crate::output::GOOD;

/// The kit for games in C.
const GAME_H: &str = agon_games::file::GAME_H;

/// Writes the folder, and says what to do next.
pub(crate) fn new(args: &GameNewArgs, out: &mut impl Write) -> Result<()> {
    let name = &args.name;
    GameId::check_name(name)?;
    ensure!(name.parse::<GameId>().is_err(), "`{name}` is one of Agon's own games");
    let folder = args.folder.clone().unwrap_or_else(|| PathBuf::from(name));
    if folder.exists() {
        bail!("`{}` is there already; name another folder behind `{name}`", folder.display());
    }
    let (files, build) = match args.language {
        GameLanguage::C => (
            vec![
                ("rules.c", include_str!("new/c/rules.c").to_owned()),
                ("agon/game.h", GAME_H.into()),
            ],
            BUILD_C.to_owned(),
        ),
        GameLanguage::Assemblyscript => (
            vec![
                ("rules.ts", include_str!("new/assemblyscript/rules.ts").to_owned()),
                ("agon.ts", include_str!("new/assemblyscript/agon.ts").to_owned()),
            ],
            BUILD_ASSEMBLYSCRIPT.to_owned(),
        ),
        GameLanguage::Rust => {
            let source = agon_files::parts::kit().context(
                "games in Rust need the sources of Agon's kit, which packages and checkouts have; \
                 this program is alone, so choose `c`",
            )?;
            let manifest = include_str!("new/rust/Cargo.toml");
            let manifest = manifest
                .replace("NAME", name)
                .replace("\"AGON/", &format!("\"{}/", source.display()));
            let rules = include_str!("new/rust/lib.rs")
                .replace("id: \"coins\"", &format!("id: \"{name}\""));
            let built = name.replace('-', "_");
            let mut files = vec![("Cargo.toml", manifest), ("src/lib.rs", rules)];
            // A package has all crates that the kit needs, so that nothing is fetched.
            let vendor = source.join("vendor");
            if vendor.is_dir() {
                files.push((".cargo/config.toml", vendored(&vendor)));
            }
            (
                files,
                format!(
                    "{BUILD_RUST}cp target/wasm32-unknown-unknown/release/{built}.wasm rules.wasm"
                ),
            )
        }
    };
    let toml =
        include_str!("new/game.toml").replace("name = \"coins\"", &format!("name = \"{name}\""));
    let page = include_str!("new/page.md").replacen("# coins", &format!("# {name}"), 1);
    let bot = include_str!("new/bot.py").replace("NAME", name);
    let readme = format!(
        "# {name}\n\nA game for Agon. `game.toml` has its name and settings, \
         `page.md` its rules for people, and `rules.wasm` plays them. Build it:\n\n\
         ```sh\n{build}\n```\n"
    );
    let common = [("game.toml", toml), ("page.md", page), ("bot.py", bot), ("README.md", readme)];
    for (file, text) in common.into_iter().chain(files) {
        write(&folder.join(file), &text)?;
    }
    let folder = folder.display();
    writeln!(out, "{GOOD}wrote{GOOD:#} {folder}. Next:\n")?;
    writeln!(out, "  cd {folder}")?;
    for line in build.lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "  agon game check .\n  agon play . 'jsonl:python3 bot.py' builtin:random")?;
    Ok(())
}

const BUILD_C: &str = "clang --target=wasm32 -O2 -mbulk-memory -nostdlib -Wl,--no-entry -I . \
                       -o rules.wasm rules.c";

const BUILD_ASSEMBLYSCRIPT: &str =
    "npm install assemblyscript@0.28\nnpx asc rules.ts -O --use abort= -o rules.wasm";

/// Tells cargo where the crates are.
fn vendored(folder: &Path) -> String {
    let folder = toml_text(&folder.to_string_lossy());
    format!("[source.crates-io]\nreplace-with = \"kit\"\n\n[source.kit]\ndirectory = {folder}\n")
}

/// A text with quotes. JSON's are also those of TOML.
fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

const BUILD_RUST: &str = "cargo build --release --target wasm32-unknown-unknown\n";

fn write(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().expect("it lies in the folder");
    std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    Ok(agon_files::write(path, text.as_bytes())?)
}
