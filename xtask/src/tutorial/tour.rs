//! Tries the whole command line with the game of the tutorial: each command once.
//!
//! `cargo xtask tutorial` does this last. It shows that a new game works everywhere.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{Page, WorkspaceCopy};
use crate::run::has;

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
pub(super) struct Tour {
    agon: PathBuf,
    folder: PathBuf,
    game: String,
}

impl Tour {
    pub(super) fn new(page: &Page, copy: &WorkspaceCopy) -> Result<Tour> {
        let agon = copy.programs().join("agon");
        Ok(Tour { agon, folder: copy.scratch()?, game: page.game.clone() })
    }

    pub(super) fn take(&self) -> Result<()> {
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
        run(test.arg("test_agon.py").current_dir(self.folder.join("bot")))?;
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
        run(Command::new("sh").args(["-c", line, &watch]).current_dir(&self.folder))?;
        let screen = fs::read(self.folder.join("screen.txt"))?;
        let screen = String::from_utf8_lossy(&screen);
        ensure!(screen.contains("random"), "no players on the screen: {screen}");
        Ok(())
    }

    /// Plays a scenario from the first state of the replay. It must start with that state.
    fn play_a_scenario(&self) -> Result<()> {
        let states = fs::read_to_string(self.folder.join("states.jsonl"))?;
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
        let args = ["compare", "builtin:random", "builtin:random", "--max", "20", "--game"];
        self.agon(&[&args[..], &[&self.game]].concat())?;
        Ok(())
    }

    fn examine(&self) -> Result<()> {
        let mut check = Command::new(&self.agon);
        check.args(["check", &self.game, BOT]).current_dir(self.folder.join("bot"));
        run(&mut check)?;
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.folder.join(name), text).with_context(|| name.to_owned())
    }

    fn agon(&self, args: &[&str]) -> Result<String> {
        run(Command::new(&self.agon).args(args).current_dir(&self.folder))
    }
}

/// Runs a command and returns its output. Exit status 1 of `agon compare` is no error.
fn run(command: &mut Command) -> Result<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run {line}"))?;
    let is_finding = output.status.code() == Some(1) && line.contains(" compare ");
    if !output.status.success() && !is_finding {
        let said = [output.stdout, output.stderr].concat();
        bail!("failed with {}: {line}\n{}", output.status, String::from_utf8_lossy(&said));
    }
    Ok(String::from_utf8(output.stdout)?)
}
