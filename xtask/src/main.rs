//! Chores of the project: `cargo xtask help` lists them.
//!
//! Each module below is a chore, or a part that several chores share.

mod bench;
mod fuzz;
mod instructions;
mod kit_types;
mod kits;
mod long;
mod package;
mod pages;
mod setup;
mod soak;
mod test;
mod tutorial;
mod web;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
Chores of the project.

  cargo xtask check           quick: format, lints, the tests that `cargo test` runs
  cargo xtask test            everything that must hold before a change lands: format, lints, all
                              tests, documentation, the viewer for browsers, a short soak;
                              installs what is missing
  cargo xtask long NAME...|--all|--in-turn
                              long jobs: soak, simulations, aarch64, asan, tsan, benchmarks,
                              instructions, packages, systems, contributor, kills, power,
                              postgres, fuzz, storms, large-tests, vectors, kits, tutorial;
                              --in-turn runs the one whose turn it is, by the number of commits
  cargo xtask setup           installs what tests and starter kits need beside Rust (Debian
                              packages, as root)
  cargo xtask kits [LANGUAGE...]
                              begins a bot with each starter kit for each game, and builds, tests
                              and examines it; installs what the languages need
  cargo xtask format          formats all code, also the games, which rustfmt does not find alone
  cargo xtask tutorial        builds the crate of docs/your-game.md outside of the workspace, and
                              plays the whole command line with it; fails if it has grown
  cargo xtask generate        writes the files that are made from the code: C headers, JSON
                              Schemas, recorded conversations, and types of the starter kits
  cargo xtask web [--check]   builds the viewer for browsers, crates/agon-web/web/agon.wasm, from
                              the sources; with --check it only fails if that has not been done
  cargo xtask pictures        plays a match of each game and writes a film of it to docs/pictures,
                              for the documentation
  cargo xtask presets [GAME]  plays the line-up of each game with each preset and prints who wins
                              how often; without GAME writes it to docs/presets.md
  cargo xtask site [DIR]      writes the documentation as a static site, by default to target/site:
                              with search, a match of each game, and all links checked
  cargo xtask size [--write]  counts the lines of Rust by area; with --write also in CONTRIBUTING.md
  cargo xtask package [tar|deb|wheel|oci ...]
                              builds the programs as others get them and packs them, below
                              target/packages: an archive, a package for Debian, one for pip, and
                              an image for containers
  cargo xtask bench [TEXT]    measures the figures of docs/performance.md and writes them there,
                              or measures only those with TEXT in their name
  cargo xtask instructions [--update]
                              counts the processor's instructions of a step of each game with
                              Valgrind; fails if they are 5 % more than written down, or with
                              --update writes them down
  cargo xtask fuzz [SECONDS] [TARGET]
                              runs one or all fuzz targets, each for SECONDS (default 60)
  cargo xtask soak [--matches N] [--load K]
                              plays N short matches (default 20000) on a machine kept busy by K
                              programs a core (default 2); fails if that costs a bot anything
";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.is_empty() || args[0] == "help" || args.iter().any(|arg| ["--help", "-h"].contains(arg))
    {
        eprint!("{HELP}");
        return Ok(());
    }
    match args.as_slice() {
        ["check"] => test::check(),
        ["test"] => test::all(),
        ["long", wanted @ ..] => long::run(wanted),
        ["setup"] => setup::run().and_then(|()| setup::toolchains(&kits::Kit::all()?)),
        ["kits", languages @ ..] => kits::run(languages),
        ["format"] => test::format(),
        ["tutorial"] => tutorial::run(),
        ["generate"] => kit_types::generate(),
        ["pictures"] => pages::pictures(),
        ["presets"] => pages::presets(None),
        ["presets", game] => pages::presets(Some(game)),
        ["size"] => pages::size(false),
        ["size", "--write"] => pages::size(true),
        ["site"] => pages::site(None),
        ["site", folder] => pages::site(Some(folder)),
        ["package", kinds @ ..] => package::run(kinds).map(|_| ()),
        ["web"] => web::build(),
        ["web", "--check"] => web::check(),
        ["bench"] => bench::run(""),
        ["bench", text] => bench::run(text),
        ["instructions"] => instructions::run(false),
        ["instructions", "--update"] => instructions::run(true),
        ["fuzz"] => fuzz::run(60, None),
        ["fuzz", time] => fuzz::run(seconds(time)?, None),
        ["fuzz", time, target] => fuzz::run(seconds(time)?, Some(target)),
        ["soak", args @ ..] => soak::run(args),
        other => bail!("unknown chore `{}`\n\n{HELP}", other.join(" ")),
    }
}

fn seconds(text: &str) -> Result<u64> {
    text.parse()
        .ok()
        .with_context(|| format!("`{text}` is no number of seconds for each fuzz target\n\n{HELP}"))
}
