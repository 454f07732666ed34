//! `cargo xtask tutorial`: builds the game of `docs/add-a-game.md`, and plays with it.
//!
//! So the page stays correct when the code changes.

mod workspace_copy;

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use workspace_copy::{Page, WorkspaceCopy};

use crate::run::{cargo, has, quiet_step, read, root, target, text_of, write};
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
    let result = (|| {
        let page = Page::read(&read(&root().join(PAGE))?)?;
        let copy = WorkspaceCopy::new(target()?.join("tutorial"));
        stages.run("tutorial: copy", || prepare(&page, &copy))?;
        stages.run("tutorial: size", || check_size(&page, &copy))?;
        // A game of somebody else needs the kit, but not the five games.
        stages.run("tutorial: the kit alone", || {
            let check = ["check", "--quiet", "-p", "agon-games", "--no-default-features"];
            let mut check = cargo(&check);
            copy.redirect(&mut check);
            quiet_step(check.env("RUSTFLAGS", "--deny warnings"))
        })?;
        stages.run("tutorial: build tests", || {
            quiet_step(&mut generic_tests(&page, &copy, &["--no-run"]))
        })?;
        stages.run("tutorial: build", || quiet_step(&mut build(&copy)))?;
        stages.run("tutorial: tests", || quiet_step(&mut generic_tests(&page, &copy, &[])))?;
        stages.run("tutorial: play", || Tour::new(&page, &copy)?.take())
    })();
    stages.tell(result)
}

/// Copies the workspace and adds the game.
fn prepare(page: &Page, copy: &WorkspaceCopy) -> Result<()> {
    copy.update(&root(), |path, content| match path {
        LIST => page.register(content).map(String::into_bytes),
        _ => Ok(content.to_owned()),
    })?;
    for (path, text) in &page.files {
        copy.write(Path::new(path), text.as_bytes())?;
    }
    copy.share_crates(&target()?)
}

/// Checks that the code is formatted, and as small as the page promises.
fn check_size(page: &Page, copy: &WorkspaceCopy) -> Result<()> {
    let sources = page.files.keys().filter(|path| path.ends_with(".rs"));
    let sources: Vec<_> = sources.map(|path| copy.sources().join(path)).collect();
    let mut check = Command::new("rustfmt");
    quiet_step(check.args(["--check", "--edition", "2024"]).args(sources))
        .with_context(|| format!("the code in {PAGE} is not as rustfmt writes it"))?;

    let lines = page.lines();
    eprintln!("{}: {lines} lines in {} files", page.game, page.files.len());
    ensure!(lines <= MAX_LINES, "{PAGE}: the game has {lines} lines; {MAX_LINES} were promised");
    if page.files.len() > MAX_FILES {
        bail!("{PAGE}: the game has {} files; {MAX_FILES} were promised", page.files.len());
    }
    Ok(())
}

fn build(copy: &WorkspaceCopy) -> Command {
    let mut command = cargo(&["build", "--quiet", "-p", "agon", "-p", "agon-sandbox"]);
    copy.redirect(&mut command);
    command
}

/// Returns the command that runs the tests of every game for this game.
fn generic_tests(page: &Page, copy: &WorkspaceCopy, more: &[&str]) -> Command {
    let test = ["test", "--quiet", "-p", "agon-games", "--test", "every_game"];
    let mut command = cargo(&[&test, more].concat());
    copy.redirect(&mut command);
    command.env("AGON_GAME", &page.game).env("AGON_ROUNDS", ROUNDS);
    command
}

/// The bot that `agon new` writes, as seen from its folder and from the folder above.
const BOT: &str = "jsonl:python3 bot.py";
const BOT_BESIDE: &str = "jsonl:python3 bot/bot.py";

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

/// A run of each command. An error has the command and its output.
struct Tour {
    agon: PathBuf,
    folder: PathBuf,
    game: String,
}

impl Tour {
    fn new(page: &Page, copy: &WorkspaceCopy) -> Result<Tour> {
        let agon = copy.programs().join("agon");
        Ok(Tour { agon, folder: copy.scratch()?, game: page.game.clone() })
    }

    fn take(&self) -> Result<()> {
        self.read_about_it()?;
        self.begin_bots()?;
        self.play()?;
        self.replay()?;
        self.watch_in_a_terminal()?;
        self.play_a_scenario()?;
        self.hold_a_tournament()?;
        self.examine()
    }

    /// Checks that the lists, the page and the schemas have the game.
    fn read_about_it(&self) -> Result<()> {
        for args in [&["games"][..], &["bots", &self.game], &["rules", &self.game]] {
            let text = self.agon(args)?;
            ensure!(text.contains(&self.game), "`agon {}` does not name it", args.join(" "));
        }
        for schema in ["--json", "--schema"] {
            serde_json::from_str::<Value>(&self.agon(&["rules", &self.game, schema])?)?;
        }
        Ok(())
    }

    /// Writes a bot in Python, whose tests must pass, and one in C.
    fn begin_bots(&self) -> Result<()> {
        self.agon(&["new", &self.game, "python", "bot"])?;
        let mut test = Command::new("python3");
        text_of(test.arg("test_agon.py").current_dir(self.folder.join("bot")))?;
        self.write("bot.c", &C_BOT.replace("GAME", &self.game))
    }

    fn play(&self) -> Result<()> {
        let game = self.game.as_str();
        self.agon(&["play", game, "--seed", "1"])?;
        let lines = self.agon(&["play", game, "--json", "--seed", "2"])?;
        let last = lines.lines().last().context("`agon play --json` prints nothing")?;
        ensure!(serde_json::from_str::<Value>(last)?["type"] == "result", "no result: {last}");
        for bot in [BOT_BESIDE, "bot.c"] {
            let args = ["play", game, bot, "builtin:random", "--replay", "m.agon", "--json"];
            let result = self.agon(&args)?;
            let faults = result.lines().filter(|line| line.contains(r#""faults":{""#)).count();
            ensure!(faults == 0, "{bot} commits faults: {result}");
        }
        self.refuse_programs_without_a_protocol()
    }

    /// Checks that a program without `jsonl:` is refused: the game has no protocol of its own.
    fn refuse_programs_without_a_protocol(&self) -> Result<()> {
        let args = ["play", &self.game, "python3 bot/bot.py", "builtin:random"];
        let output = Command::new(&self.agon).args(args).current_dir(&self.folder).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(2) && said.contains("jsonl:"), "not refused: {said}");
        Ok(())
    }

    fn replay(&self) -> Result<()> {
        let text = self.agon(&["replay", "verify", "m.agon"])?;
        ensure!(text.contains("proven"), "the replay is not proven: {text}");
        self.agon(&["replay", "export", "m.agon", "--png", "pictures", "--zoom", "8"])?;
        let picture = fs::read(self.folder.join("pictures").join("00000000.png"))?;
        ensure!(picture.starts_with(b"\x89PNG"), "the picture is none");
        self.agon(&["replay", "export", "m.agon", "--gif", "m.gif", "--theme", "light"])?;
        self.agon(&["replay", "export", "m.agon", "--states", "states.jsonl"])?;
        self.agon(&["replay", "chart", "m.agon", "--svg", "chart.svg"])?;
        Ok(())
    }

    /// Watches the replay in a terminal that the program `script` provides.
    fn watch_in_a_terminal(&self) -> Result<()> {
        if !has("script") {
            eprintln!("skipped: watching in a terminal, which needs the program `script`");
            return Ok(());
        }
        let watch =
            format!("stty rows 30 cols 80; {} watch m.agon --terminal", self.agon.display());
        // The key `q` ends it after it has been drawn.
        let line = "(sleep 2; printf q) | TERM=xterm timeout 60 script -qec \"$0\" screen.txt";
        text_of(Command::new("sh").args(["-c", line, &watch]).current_dir(&self.folder))?;
        let screen = fs::read(self.folder.join("screen.txt"))?;
        let screen = String::from_utf8_lossy(&screen);
        ensure!(screen.contains("random"), "no players on the screen: {screen}");
        Ok(())
    }

    /// Plays a scenario from the first state of the replay. It must start with that state.
    fn play_a_scenario(&self) -> Result<()> {
        let states = read(&self.folder.join("states.jsonl"))?;
        let first: Value = serde_json::from_str(states.lines().next().context("no states")?)?;
        let scenario = json!({
            "game": self.game, "position": first["position"], "steps": [[]]
        });
        self.write("scenario.json", &scenario.to_string())?;
        let played = self.agon(&["scenario", "scenario.json"])?;
        let again: Value = serde_json::from_str(played.lines().next().unwrap_or_default())?;
        ensure!(again["state_hash"] == first["state_hash"], "another state: {again}");
        ensure!(played.lines().count() == 2, "a step leads to another state: {played}");
        Ok(())
    }

    fn hold_a_tournament(&self) -> Result<()> {
        let plan = format!(
            "game = \"{}\"\nseed = 1\nmatches = 2\nbots = [\"builtin:random\", \
             \"other=builtin:random\", \"{BOT_BESIDE}\"]\n\n[format]\nkind = \"round-robin\"\n",
            self.game
        );
        self.write("plan.toml", &plan)?;
        let table = self.agon(&["tournament", "plan.toml"])?;
        ensure!(table.contains("6 matches over"), "the tournament is not over: {table}");
        // Two versions that are the same end with 1: neither is better.
        let args = ["compare", "builtin:random", "builtin:random", "--max", "20", "--game"];
        let mut compare = Command::new(&self.agon);
        let output = compare.args(args).arg(&self.game).current_dir(&self.folder).output()?;
        ensure!(matches!(output.status.code(), Some(0 | 1)), "`agon compare` fails: {output:?}");
        Ok(())
    }

    fn examine(&self) -> Result<()> {
        let mut check = Command::new(&self.agon);
        check.args(["check", &self.game, BOT]).current_dir(self.folder.join("bot"));
        text_of(&mut check)?;
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        write(&self.folder.join(name), text)
    }

    fn agon(&self, args: &[&str]) -> Result<String> {
        text_of(Command::new(&self.agon).args(args).current_dir(&self.folder))
    }
}
