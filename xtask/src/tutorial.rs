//! `cargo xtask tutorial`: builds the game of `docs/add-a-game.md`, and plays with it.
//!
//! So the page stays correct when the code changes. The game is built in a copy of the workspace,
//! which stays in the target folder, so that the next run builds only what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs, process::Command};

use anyhow::{Context, Result, ensure};
use xtask::{cargo, files_below, fresh, quiet_step, read, root, target, text_of, write};

use crate::test::Stages;

/// The path of the page below the root.
const PAGE: &str = "docs/add-a-game.md";

/// The path of the list of games below the root.
const LIST: &str = "crates/agon-games/src/lib.rs";

/// The most lines and files of the game, because the page promises a small one.
const MAX_LINES: usize = 300;
const MAX_FILES: usize = 3;

/// The number of damaged positions and answers that the generic tests try.
const ROUNDS: &str = "5000";

/// Builds the page's game in a copy of the workspace and plays the whole command line with it.
pub(crate) fn run() -> Result<()> {
    let stages = Stages::new();
    let folder = target()?.join("tutorial");
    let (sources, built) = (folder.join("sources"), folder.join("target"));
    let in_copy = |args: &[&str]| {
        let mut command = cargo(args);
        // Incremental builds would take gigabytes.
        command.env("CARGO_TARGET_DIR", &built).env("CARGO_INCREMENTAL", "0").current_dir(&sources);
        command
    };
    let result = (|| {
        let page = Page::read(&read(&root().join(PAGE))?)?;
        stages.run("tutorial: copy", || copy_workspace(&page, &sources))?;
        stages.run("tutorial: size", || check_size(&page, &sources))?;
        // A game of somebody else needs the kit, but not the five games.
        let kit = ["check", "--quiet", "-p", "agon-games", "--no-default-features"];
        let mut kit = in_copy(&kit);
        kit.env("RUSTFLAGS", "--deny warnings");
        stages.run("tutorial: the kit alone", || text_of(&mut kit))?;
        let mut tests = in_copy(&["test", "--quiet", "-p", "agon-games", "--test", "every_game"]);
        tests.env("AGON_GAME", &page.game).env("AGON_ROUNDS", ROUNDS);
        stages.run("tutorial: tests", || text_of(&mut tests))?;
        let mut build = in_copy(&["build", "--quiet", "-p", "agon", "-p", "agon-sandbox"]);
        stages.run("tutorial: build", || text_of(&mut build))?;
        let scratch = fresh(folder.join("scratch"))?;
        stages.run("tutorial: play", || play(&page.game, &built.join("debug"), &scratch))
    })();
    stages.tell(result)
}

/// Copies all files that git knows or would add, and adds the game. Deletes other files there.
fn copy_workspace(page: &Page, sources: &Path) -> Result<()> {
    // A file with the same contents keeps its time, so that it is not compiled again.
    let update = |path: &str, content: &[u8]| {
        let path = sources.join(path);
        let is_same = fs::read(&path).is_ok_and(|old| old == content);
        if is_same { Ok(()) } else { write(&path, content) }
    };
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = text_of(list.current_dir(root()))?;
    let mut paths: BTreeSet<&str> = list.split_terminator('\0').collect();
    paths.retain(|path| root().join(path).is_file());
    for path in paths.iter().filter(|path| **path != LIST) {
        update(path, &fs::read(root().join(path)).with_context(|| (*path).to_owned())?)?;
    }
    update(LIST, page.register(&read(&root().join(LIST))?)?.as_bytes())?;
    for (path, text) in &page.files {
        update(path, text.as_bytes())?;
        paths.insert(path);
    }
    for file in files_below(sources)? {
        if !paths.contains(&*file.strip_prefix(sources)?.to_string_lossy()) {
            fs::remove_file(&file)?;
        }
    }
    Ok(())
}

/// Checks that the code is formatted, and as small as the page promises.
fn check_size(page: &Page, sources: &Path) -> Result<()> {
    let code = page.files.keys().filter(|path| path.ends_with(".rs"));
    let mut check = Command::new("rustfmt");
    check.args(["--check", "--edition", "2024"]).args(code.map(|path| sources.join(path)));
    quiet_step(&mut check)
        .with_context(|| format!("the code in {PAGE} is not as rustfmt writes it"))?;

    let (lines, files) = (page.lines(), page.files.len());
    eprintln!("{}: {lines} lines in {files} files", page.game);
    ensure!(lines <= MAX_LINES, "{PAGE}: the game has {lines} lines; {MAX_LINES} were promised");
    ensure!(files <= MAX_FILES, "{PAGE}: the game has {files} files; {MAX_FILES} were promised");
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

# A program without `jsonl:` is refused: the game has no protocol of its own.
agon play GAME 'python3 bot/bot.py' builtin:random 2>refused && exit 1 || [ $? = 2 ]
grep jsonl: refused

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
fn play(game: &str, programs: &Path, folder: &Path) -> Result<()> {
    let of_game = |text: &str| text.replace("GAME", game);
    write(&folder.join("bot.c"), of_game(C_BOT))?;
    write(&folder.join("plan.toml"), of_game(PLAN))?;
    let mut path = programs.as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut tour = Command::new("bash");
    tour.args(["-euxo", "pipefail", "-c", &of_game(TOUR)]).env("PATH", path).current_dir(folder);
    text_of(&mut tour).map(drop)
}

/// The words that follow the path of the list of games, before the block with its new line.
const REGISTRATION: &str = "a line of `for_each_game!`";

/// The text before the module's name in a line of the list.
const MODULE: &str = "=> pub mod ";

/// The game that the page builds.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    /// Its name.
    game: String,
    /// Its files: paths from the root, and contents.
    files: BTreeMap<String, String>,
    /// Its line in the list of games.
    line: String,
}

impl Page {
    /// Reads the code.
    ///
    /// A block belongs to a file if the line before it names the file: `` `PATH`: ``. Several
    /// blocks of a file are joined with blank lines.
    ///
    /// # Errors
    /// If the page does not register a game, or has files elsewhere.
    fn read(text: &str) -> Result<Page> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut registration = None;
        let mut named: Option<&str> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                let code = code.join("\n") + "\n";
                match named.take() {
                    Some(name) if name.ends_with(REGISTRATION) => registration = Some(code),
                    Some(name) => {
                        let file = files.entry(name.replace('`', "")).or_default();
                        // Even between parts of one item: rustfmt complains about a blank line that
                        // is wrong.
                        let gap = if file.is_empty() { "" } else { "\n" };
                        *file += &format!("{gap}{code}");
                    }
                    None => {}
                }
            } else if !line.is_empty() {
                named = line.strip_suffix(':').filter(|line| line.starts_with("`crates/"));
            }
        }
        let line = registration.context("the page registers no game")?;
        let game = module_of(&line).context("the game's line names no module")?.to_owned();
        let stray = files.keys().find(|path| !path.contains(&format!("/src/{game}/")));
        ensure!(stray.is_none(), "{} is not in the game's folder", stray.unwrap_or(&game));
        Ok(Page { game, files, line })
    }

    /// Returns the list of games with the game in its place.
    ///
    /// # Errors
    /// If the game is already in the list, or there is no list.
    fn register(&self, list: &str) -> Result<String> {
        let games: Vec<(&str, &str)> =
            list.lines().filter_map(|line| Some((line, module_of(line)?))).collect();
        ensure!(!games.iter().any(|(_, game)| *game == self.game), "the game is there already");
        if let Some((line, _)) = games.iter().find(|(_, game)| **game > *self.game) {
            return Ok(list.replacen(line, &format!("{}{line}", self.line), 1));
        }
        let (last, _) = games.last().context("there is no list of games")?;
        Ok(list.replacen(&format!("{last}\n"), &format!("{last}\n{}", self.line), 1))
    }

    /// Counts the lines of all files, and the line that registers the game, without blank lines.
    fn lines(&self) -> usize {
        let texts = self.files.values().chain([&self.line]);
        texts.flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).count()
    }
}

/// Returns the module's name in a line of the list.
fn module_of(line: &str) -> Option<&str> {
    let (_, module) = line.trim_end().split_once(MODULE)?;
    let module = module.strip_suffix(';')?;
    module.chars().all(|c| c.is_ascii_lowercase() || c == '_').then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Title

`crates/g/src/go/mod.rs`:

```rust
//! go
```

```sh
ls
```

`crates/g/src/go/mod.rs`:

```rust
mod a;
```

`crates/g/src/lib.rs`, a line of `for_each_game!`:

```rust
    Go => pub mod go;
```
";

    #[test]
    fn blocks_of_a_file_follow_each_other() {
        let page = Page::read(TEXT).unwrap();
        assert_eq!(page.game, "go");
        let file = ("crates/g/src/go/mod.rs".to_owned(), "//! go\n\nmod a;\n".to_owned());
        assert_eq!(page.files.iter().next().map(|(a, b)| (a.clone(), b.clone())), Some(file));
        assert_eq!((page.files.len(), page.lines()), (1, 3));
    }

    #[test]
    fn the_game_gets_its_place_in_the_list() {
        let page = Page::read(TEXT).unwrap();
        let list = "x\n    Chess => pub mod chess;\n    Hex => pub mod hex;\ny\n";
        let with = "x\n    Chess => pub mod chess;\n    Go => pub mod go;\n    Hex => pub mod \
            hex;\ny\n";
        assert_eq!(page.register(list).unwrap(), with);
        let list = "x\n    Chess => pub mod chess;\ny\n";
        let with = "x\n    Chess => pub mod chess;\n    Go => pub mod go;\ny\n";
        assert_eq!(page.register(list).unwrap(), with);
        assert!(page.register(with).is_err());
        assert!(page.register("no list").is_err());
    }

    #[test]
    fn pages_that_build_no_game_are_refused() {
        assert!(Page::read("# Title\n").is_err());
        let elsewhere = TEXT.replace("src/go/mod.rs", "src/chess/mod.rs");
        assert!(Page::read(&elsewhere).is_err());
    }
}
