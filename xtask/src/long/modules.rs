//! Agon's games as files: their rules are compiled to WebAssembly, and play the same matches.

use std::fs;

use anyhow::Result;
use xtask::{cargo, fresh, root, step, target, text_of, write};

use crate::setup::Toolchain;
use crate::web::TARGET as WASM;

/// The crate of the modules.
const MANIFEST: &str = r#"
[package]
name = "modules"
version = "0.1.0"
edition = "2024"

[profile.release]
lto = true
panic = "abort"

# This crate is part of no other workspace.
[workspace]

[dependencies]
agon-games = { path = "ROOT/crates/agon-games", default-features = false, features = ["games"] }
"#;

/// Compares each game with itself. Its table is for `docs/performance.md`.
pub(super) fn run() -> Result<()> {
    let folder = fresh(target()?.join("modules"))?;
    write(&folder.join("src/lib.rs"), String::new())?;
    let games = crate::test::games()?;
    let names = games.iter().filter_map(|file| file.parent()?.file_name()?.to_str());
    let mut manifest = MANIFEST.replace("ROOT", &root().display().to_string());
    for name in names.clone() {
        let game = name[..1].to_uppercase() + &name[1..];
        let code = "use agon_games::NAME::GAME;\n\nagon_games::export_game!(GAME);\n";
        let code = code.replace("NAME", name).replace("GAME", &game);
        write(&folder.join(format!("examples/{name}.rs")), code)?;
        manifest += &format!("[[example]]\nname = \"{name}\"\ncrate-type = [\"cdylib\"]\n");
    }
    write(&folder.join("Cargo.toml"), manifest)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut build = cargo(&["build", "--release", "--examples"]);
    build.env("CARGO_TARGET_DIR", folder.join("target")).current_dir(&folder);
    Toolchain::find(WASM)?.apply(&mut build, WASM, &["-Ctarget-feature=+simd128"])?;
    text_of(&mut build)?;
    for name in names {
        let module = format!("target/{}/release/examples/{name}.wasm", WASM.triple);
        fs::create_dir_all(folder.join("games").join(name))?;
        fs::copy(folder.join(module), folder.join("games").join(name).join("rules.wasm"))?;
    }
    step(&mut cargo(&["build", "--release", "-p", "agon-sandbox", "-p", "agon-wasm"]))?;
    let mut compare = cargo(&["run", "--release", "-p", "agon", "--example", "modules"]);
    // An example has no programs beside it.
    compare.env("AGON_WASM_HOST", target()?.join("release/agon-wasm-host"));
    compare.env("AGON_SIMD", "portable");
    step(compare.arg("--").arg(folder.join("games")))
}
