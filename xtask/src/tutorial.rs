//! `cargo xtask tutorial`: builds the crate of `docs/your-game.md`, and plays with its game.
//!
//! So the page stays correct when the code changes, and a game from outside has all that it needs.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, process::Command};

use anyhow::{Context, Result, ensure};
use xtask::{cargo, fresh, quiet_step, read, root, target, text_of, write};

use crate::{setup::Toolchain, test::Stages, web::TARGET as WASM};

/// The path of the page below the root.
const PAGE: &str = "docs/your-game.md";

/// The folder of Agon's source in the page, as its crate sees it.
const CHECKOUT: &str = "../agon/";

/// The manifest of the crate.
const MANIFEST: &str = "Cargo.toml";

/// Added to the manifest: what the page shows has no warnings.
const STRICT: &str = "\n[lints.rust]\nwarnings = \"deny\"\n";

/// The most lines of the crate, because the page promises a small one.
const MAX_LINES: usize = 320;

/// Builds the page's crate outside of the workspace, and plays the whole command line with it.
pub(crate) fn run() -> Result<()> {
    let stages = Stages::new();
    let folder = target()?.join("tutorial");
    let built = folder.join("target");
    let cargo_in = |place: &Path, args: &[&str]| {
        let mut command = cargo(args);
        // Incremental builds would take gigabytes.
        command.env("CARGO_TARGET_DIR", &built).env("CARGO_INCREMENTAL", "0").current_dir(place);
        command
    };
    let result = (|| {
        let page = Page::read(&read(&root().join(PAGE))?)?;
        let sources = fresh(folder.join("crate"))?;
        stages.run("tutorial: write", || page.write(&sources))?;
        stages.run("tutorial: size", || check_size(&page, &sources))?;
        // A game of somebody else needs the kit, but not the five games.
        let kit = ["check", "--quiet", "-p", "agon-games", "--no-default-features"];
        let mut kit = cargo_in(&root(), &kit);
        kit.env("RUSTFLAGS", "--deny warnings");
        stages.run("tutorial: the kit alone", || text_of(&mut kit))?;
        let mut build = cargo_in(&sources, &["build", "--quiet", "--offline"]);
        stages.run("tutorial: build", || text_of(&mut build))?;
        stages.run("tutorial: file", || module(&page.game, &sources, &built))?;
        let scratch = fresh(folder.join("scratch"))?;
        stages.run("tutorial: play", || {
            play(&page.game, &built.join("debug"), &sources.join("file"), &scratch)
        })
    })();
    stages.tell(result)
}

/// Compiles the rules to WebAssembly, and puts them beside `game.toml`.
fn module(game: &str, sources: &Path, built: &Path) -> Result<()> {
    // Not offline: Debian's compiler builds Rust's own libraries with what they need.
    let mut build = cargo(&["rustc", "--release", "--lib", "--crate-type", "cdylib"]);
    build.env("CARGO_TARGET_DIR", built).current_dir(sources);
    Toolchain::find(WASM)?.apply(&mut build, WASM, &[])?;
    text_of(&mut build)?;
    let module = built.join(WASM.triple).join("release").join(format!("{game}.wasm"));
    fs::copy(module, sources.join("file/rules.wasm"))?;
    fs::copy(sources.join("src/page.md"), sources.join("file/page.md"))?;
    Ok(())
}

/// Checks that the code is formatted, and as small as the page promises.
fn check_size(page: &Page, sources: &Path) -> Result<()> {
    let code = page.files.keys().filter(|path| path.ends_with(".rs"));
    let mut check = Command::new("rustfmt");
    check.args(["--check", "--edition", "2024"]).args(code.map(|path| sources.join(path)));
    check.arg("--config-path").arg(root());
    quiet_step(&mut check)
        .with_context(|| format!("the code in {PAGE} is not as rustfmt writes it"))?;

    let (lines, files) = (page.lines(), page.files.len());
    eprintln!("{}: {lines} lines in {files} files", page.game);
    ensure!(lines < MAX_LINES, "{PAGE}: {lines} lines; fewer than {MAX_LINES} are promised");
    Ok(())
}

/// A bot in C, for games made with `agon_games::kit`.
const C_BOT: &str = "#include \"agon/GAME.h\"
uint32_t agon_abi(void) { return AGON_ABI; }
uint32_t agon_decide(const void *question, uint32_t length, void *answers, uint32_t room)
{
    uint32_t n = ((const agon_question *)question)->decisions;
    (void)length, (void)room;
    for (uint32_t i = 0; i < n; i++) {
        const agon_kit_question *seen = agon_kit_question_at(question, i);
        const uint8_t *legal = (const uint8_t *)agon_at(question, seen->legal);
        agon_kit_answer *answer = (agon_kit_answer *)answers + i;
        while (!legal[answer->answer]) answer->answer++;
        answer->answered = 1;
    }
    return n * (uint32_t)sizeof(agon_kit_answer);
}
";

/// A plan of a tournament.
const PLAN: &str = r#"
game = "GAME"
seed = 1
matches = 2
bots = ["builtin:random", "other=builtin:random", "jsonl:python3 bot/bot.py"]

[format]
kind = "round-robin"
"#;

/// A run of each command, as people type them. The first that fails ends it.
const TOUR: &str = r#"
# The lists, the page and the schemas have the game.
agon games | grep GAME
agon bots GAME | grep GAME
agon rules GAME | grep GAME
agon rules GAME --json | python3 -m json.tool
agon rules GAME --schema | python3 -m json.tool

# The game keeps the promises of games.
agon game check GAME

# The tests of a new bot in Python pass, and it passes its examination.
agon new GAME python bot
(cd bot && python3 test_agon.py)
(cd bot && agon check GAME 'jsonl:python3 bot.py')

agon play GAME --seed 1
agon play GAME --seed 2 --json | tail -n 1 | grep '"type":"result"'
for bot in 'jsonl:python3 bot/bot.py' bot.c; do
    agon play GAME "$bot" builtin:random --replay m.agon --json >events
    if grep '"faults":{"' events; then exit 1; fi
done

refuses() { "$@" 2>refused && exit 1 || [ $? = 2 ]; }

# A program without `jsonl:` is refused: the game has no protocol of its own.
refuses agon play GAME 'python3 bot/bot.py' builtin:random
grep jsonl: refused

# A ladder server and a worker have the game, too: they suggest its name.
refuses agon-server --data ladder --arena GAMEx
grep 'did you mean `GAME`' refused
refuses agon-nats nats://localhost --games GAMEx
grep 'did you mean `GAME`' refused

agon replay verify m.agon | grep proven
agon replay export m.agon --png pictures --zoom 8
head -c 4 pictures/00000000.png | grep -a PNG
agon replay export m.agon --gif m.gif --theme light
agon replay export m.agon --states states.jsonl
agon replay chart m.agon --svg chart.svg

# The key `q` ends the viewer after it has drawn.
if command -v script; then
    (sleep 2; printf q) | TERM=xterm timeout 60 \
        script -qec 'stty rows 30 cols 80; agon watch m.agon --terminal' screen.txt
    grep -a random screen.txt
fi

# The same game as a file plays the same match, and its replay proves itself.
agon game check FILE
agon play FILE builtin:random builtin:random --seed 5 --replay file.agon
agon play GAME builtin:random builtin:random --seed 5 --replay crate.agon
agon replay verify file.agon | grep proven
for one in file crate; do agon replay export $one.agon --states $one.jsonl; done
cmp <(grep -o '"position":.*' file.jsonl) <(grep -o '"position":.*' crate.jsonl)

# A scenario from the first state of the replay starts with that state, and has one more.
python3 -c '
import json
position = json.loads(open("states.jsonl").readline())["position"]
json.dump({"game": "GAME", "position": position, "steps": [[]]}, open("scenario.json", "w"))
'
agon scenario scenario.json >played
[ "$(wc -l <played)" = 2 ]
hash() { head -n 1 "$1" | grep -o '"state_hash":"[^"]*"'; }
[ "$(hash played)" = "$(hash states.jsonl)" ]

agon tournament plan.toml | grep '6 matches over'
# Two versions that are the same end with 1: neither is better.
agon compare builtin:random builtin:random --max 20 --game GAME || [ $? = 1 ]
"#;

/// Takes the tour in an empty folder. An error has the commands and their output.
fn play(game: &str, programs: &Path, file: &Path, folder: &Path) -> Result<()> {
    let of_game =
        |text: &str| text.replace("GAME", game).replace("FILE", &file.display().to_string());
    write(&folder.join("bot.c"), of_game(C_BOT))?;
    write(&folder.join("plan.toml"), of_game(PLAN))?;
    let mut path = programs.as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut tour = Command::new("bash");
    tour.args(["-euxo", "pipefail", "-c", &of_game(TOUR)]).env("PATH", path).current_dir(folder);
    text_of(&mut tour).map(drop)
}

/// The crate that the page builds.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    /// The game's name, which is that of the crate.
    game: String,
    /// Its files: paths in its folder, and contents.
    files: BTreeMap<String, String>,
}

impl Page {
    /// Reads the code.
    ///
    /// A block belongs to a file if the line before it names the file: `` `PATH`: ``. Several
    /// blocks of a file are joined with blank lines.
    ///
    /// # Errors
    /// If the page makes no crate.
    fn read(text: &str) -> Result<Page> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut named: Option<&str> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                let Some(name) = named.take() else { continue };
                let file = files.entry(name.to_owned()).or_default();
                // Even between parts of one item: rustfmt complains about a blank line that is
                // wrong.
                let gap = if file.is_empty() { "" } else { "\n" };
                *file += &format!("{gap}{}\n", code.join("\n"));
            } else if !line.is_empty() {
                named = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:"));
            }
        }
        let manifest = files.get(MANIFEST).context("the page makes no crate")?;
        let mut names = manifest.lines().filter_map(|line| line.strip_prefix("name = \""));
        let name = names.next().and_then(|rest| rest.strip_suffix('"'));
        let game = name.context("the crate has no name")?.to_owned();
        Ok(Page { game, files })
    }

    /// Writes the crate, which uses this checkout and the versions that it uses.
    fn write(&self, folder: &Path) -> Result<()> {
        for (path, text) in &self.files {
            let text = text.replace(CHECKOUT, &format!("{}/", root().display()));
            let strict = if path == MANIFEST { STRICT } else { "" };
            write(&folder.join(path), text + strict)?;
        }
        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(())
    }

    /// Counts the lines of all files, without blank ones.
    fn lines(&self) -> usize {
        let lines = self.files.values().flat_map(|text| text.lines());
        lines.filter(|line| !line.trim().is_empty()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Title

`Cargo.toml`:

```toml
[package]
name = \"go\"
```

`src/lib.rs`:

```rust
//! go
```

```sh
ls
```

`src/lib.rs`:

```rust
mod a;
```
";

    #[test]
    fn blocks_of_a_file_follow_each_other() {
        let page = Page::read(TEXT).unwrap();
        assert_eq!(page.game, "go");
        assert_eq!(page.files["src/lib.rs"], "//! go\n\nmod a;\n");
        assert_eq!((page.files.len(), page.lines()), (2, 4));
    }

    #[test]
    fn a_page_without_a_crate_is_refused() {
        assert!(Page::read("# Title\n").is_err());
        assert!(Page::read(&TEXT.replace("name", "title")).is_err());
    }
}
