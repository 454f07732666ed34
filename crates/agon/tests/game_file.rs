//! Games from files: what `agon game new` writes is compiled, played, proven, packed and ranked;
//! rules that misbehave make a match void.

use std::{fs, process::Command};

use assert_cmd::cargo::cargo_bin;

use crate::support::{Done, TestDir};

/// Compiles the rules of a folder; false if this machine cannot, or cannot run them.
fn compiles(dir: &TestDir, folder: &str) -> bool {
    if !cargo_bin("agon").with_file_name("agon-wasm-host").is_file() {
        agon_testkit::leave_out("need `agon-wasm-host`, which a build of the workspace makes");
        return false;
    }
    let flags = "--target=wasm32 -O2 -mbulk-memory -nostdlib -Wl,--no-entry -Wall -Werror -I .";
    let mut clang = Command::new("clang");
    clang.args(flags.split(' ')).args(["-o", "rules.wasm", "rules.c"]);
    match clang.current_dir(dir.path(folder)).output() {
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.success() && said.is_empty(), "{said}");
            true
        }
        Err(_) => {
            agon_testkit::leave_out("need clang");
            false
        }
    }
}

/// A new game in C, or `None` if this machine cannot compile it.
pub(crate) fn new_game(dir: &TestDir, change: fn(&str) -> String) -> Option<()> {
    dir.ok("game new coins --language c").prints(["clang --target=wasm32", "agon game check ."]);
    dir.write("coins/rules.c", change(&dir.read("coins/rules.c")));
    compiles(dir, "coins").then_some(())
}

#[test]
fn a_new_game_plays_everywhere_and_is_proven() {
    let dir = TestDir::new();
    dir.refuses("game new cluster --language c", ["one of Agon's own games"]);
    dir.refuses("game new Coins --language c", ["is no name for a game"]);
    let Some(()) = new_game(&dir, str::to_owned) else { return };
    dir.refuses("game new coins --language c", ["is there already"]);
    dir.ok("rules ./coins")
        .prints(["Squares of each side of the board.", "drops on a free square"]);
    let match_of = |game: &str| {
        format!(
            "play {game} 'walker=jsonl:python3 coins/bot.py' builtin:random --set turns=40 \
             --seed 3 \
            --replay m.agon --json"
        )
    };
    let folder = dir.ok(&match_of("./coins"));
    assert!(
        folder.out.contains("\"walker\"") && !folder.out.contains("\"fault\""),
        "{}",
        folder.out
    );
    let first = dir.bytes("m.agon");
    // As in a package: nothing but these two programs.
    fs::create_dir(dir.path("bin")).unwrap();
    for name in ["agon", "agon-wasm-host"] {
        fs::copy(cargo_bin("agon").with_file_name(name), dir.path("bin").join(name)).unwrap();
    }
    let mut alone = Command::new(dir.path("bin/agon"));
    Done::of(alone.args(["game", "check", "coins"]).current_dir(dir.path("")))
        .prints(["coins@", "passed"]);
    dir.ok("game pack coins").prints(["packed coins@", "coins.agon-game"]);
    dir.ok(&match_of("coins.agon-game"));
    // The replay carries the game: it is proven where nobody has seen it.
    let proven = |file: &str| {
        let cache = dir.path("empty-cache");
        let _ = fs::remove_dir_all(&cache);
        let words = format!("replay verify {file}");
        Done::of(dir.agon(&words).env("XDG_CACHE_HOME", cache))
    };
    let done = proven("m.agon");
    assert_eq!(done.code, Some(0), "{}", done.all());
    // It names the digest of the files it carries, so no other rules can be put into it.
    let text = String::from_utf8_lossy(&first);
    assert!(!text.contains("\"game\":\"coins\""), "the digest stands behind the name");
    dir.write("cut.agon", &first[..first.len() / 2]);
    assert_ne!(proven("cut.agon").code, Some(0));
    // A spec names a folder beside itself; the journal has the digest.
    let plan = "game = \"./coins\"\nmatches = 4\nbots = [\"a=builtin:random\", \
        \"b=jsonl:python3 coins/bot.py\"]\n[format]\nkind = \"round-robin\"\n\
        [settings]\nturns = 20\n";
    dir.write("cup.toml", plan);
    dir.ok("tournament cup.toml").says("b");
    assert!(dir.read("cup-results/plan.json").contains("coins@"));
    dir.ok("tournament report cup-results");
    let done =
        dir.run("compare 'jsonl:python3 coins/bot.py' builtin:random --game ./coins --max 20");
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.all());
}

#[test]
fn what_does_not_fit_is_named() {
    let dir = TestDir::new();
    dir.write("tron/game.toml", "name = \"tron\"\nsummary = \"x\"\nplayers = [2, 99]\n");
    dir.write("tron/page.md", "# tron\n");
    dir.refuses("play ./tron", ["there is no rules.wasm"]);
    dir.write("tron/rules.wasm", "no module");
    dir.refuses("play ./tron", ["tron/game.toml", "players: [2, 99]"]);
    dir.write("tron/game.toml", "name = \"cluster\"\nsummary = \"x\"\nplayers = [2, 2]\n");
    dir.refuses("play ./tron", ["`cluster` is the name of one of Agon's own games"]);
    dir.write("tron/game.toml", "name = \"tron\"\nsumary = \"x\"\nplayers = [2, 2]\n");
    dir.refuses("play ./tron", ["game.toml", "sumary"]);
    // A link would put a file of this machine into archives and replays.
    dir.write("secret", "a secret");
    std::os::unix::fs::symlink(dir.path("secret"), dir.path("tron/linked")).unwrap();
    fs::remove_file(dir.path("tron/page.md")).unwrap();
    fs::rename(dir.path("tron/linked"), dir.path("tron/page.md")).unwrap();
    dir.refuses("game pack tron", ["page.md"]);
    dir.write("tron.agon-game", "no archive");
    dir.refuses("play tron.agon-game", ["tron.agon-game", "it is no archive of a game"]);
    dir.refuses("play ./nowhere", ["nowhere"]);
    let far = "tron@00000000000000000000000000000000";
    dir.refuses(&format!("play {far}"), ["are not on this machine"]);
    dir.refuses("play tron@../../secret", ["cannot read tron@../../secret"]);
}

/// Rules that misbehave: what is put in place of the first line of a step, and what is said.
const BAD: [(&str, &str); 5] = [
    ("for (volatile int i = 0;; i++) {}", "fuel"),
    ("__builtin_trap();", "unreachable"),
    ("now->players = 1;", "players"),
    ("now->turn = 0; return;", ""),
    ("while (__builtin_wasm_memory_grow(0, 100) != SIZE_MAX) {} __builtin_trap();", "unreachable"),
];

#[test]
fn rules_that_misbehave_void_the_match_and_are_named() {
    for (line, said) in BAD {
        let dir = TestDir::new();
        dir.ok("game new coins --language c");
        let rules = dir.read("coins/rules.c").replacen(
            "now->turn++;",
            &format!("now->turn++; if (now->turn > 3) {{ {line} }}"),
            1,
        );
        dir.write("coins/rules.c", rules);
        if !compiles(&dir, "coins") {
            return;
        }
        let done = dir.run("play ./coins builtin:random builtin:random --replay m.agon");
        assert_eq!(done.code, Some(2), "{line}: {}", done.all());
        done.tells(["the rules of coins@", "have failed", said]);
        // Its steps until then are kept, but there is no result to prove.
        assert_ne!(dir.run("replay verify m.agon").code, Some(0), "{line}");
    }
}

/// A module that remembers something gives other states when a match is played again.
#[test]
fn a_module_that_remembers_is_found_out() {
    let dir = TestDir::new();
    let remembers = |rules: &str| {
        let counter = "static uint32_t calls;\nvoid agon_step(";
        rules.replacen("void agon_step(", counter, 1).replacen(
            "now->turn++;",
            "now->turn++; now->coins[0] += ++calls % 50 == 0;",
            1,
        )
    };
    let Some(()) = new_game(&dir, remembers) else { return };
    dir.ends(1, "game check coins").prints(["failed"]);
}

/// Hidden hands, chance, teams, elimination, an early end, 2 to 6 players.
#[test]
fn a_card_game_hides_hands_and_a_leak_is_found() {
    let dir = TestDir::new();
    let toml = "name = \"cards\"\nsummary = \"Two teams with hidden hands.\"\nplayers = [2, 6]\n\
        turn = \"round\"\n";
    dir.write("cards/game.toml", toml);
    dir.write("cards/page.md", "# cards\n");
    dir.write("cards/agon/game.h", agon_games::file::GAME_H);
    let rules = include_str!("games/cards.c");
    dir.write("cards/rules.c", rules);
    if !compiles(&dir, "cards") {
        return;
    }
    dir.ok("game check cards").prints(["could not tell two states apart", "passed"]);
    let four = "play ./cards builtin:random builtin:random builtin:random builtin:random --seed 5";
    dir.ok(&format!("{four} --replay m.agon")).prints(["the other team is out"]);
    dir.ok("replay verify m.agon");
    // A picture that shows the others' cards, too.
    dir.write("cards/rules.c", rules.replace("(player == AGON_ALL || player == i)", "true"));
    assert!(compiles(&dir, "cards"));
    dir.ends(1, "game check cards").prints(["the picture", "sees more"]);
}

/// Rules that are a program play the same way, but nothing starts them from a replay.
#[test]
fn rules_that_are_a_program_play_but_prove_nothing() {
    let dir = TestDir::new();
    let toml = "name = \"sticks\"\nsummary = \"The last stick wins.\"\nplayers = [2, 2]\n\
        program = \"python3 nim.py\"\n[[setting]]\nname = \"sticks\"\nabout = \"Sticks.\"\n\
        default = 21\nrange = [1, 1000]\n";
    dir.write("sticks/game.toml", toml);
    dir.write("sticks/page.md", "# sticks\n");
    dir.write("sticks/nim.py", include_str!("games/nim.py"));
    let done = dir.ok("play ./sticks builtin:random builtin:random --seed 4 --replay m.agon");
    done.says("the last stick is taken");
    done.tells(["referee not proven"]);
    dir.refuses("replay verify m.agon", ["a program, which no file starts by itself", "--game"]);
    dir.ok("replay verify m.agon --game sticks").says("referee not proven");
    dir.ok("game check sticks --rounds 20");
    // A program that ends, or talks nonsense, makes a match void.
    let nonsense = include_str!("games/nim.py")
        .replace("return state(now[\"sticks\"] - taken", "return (now[\"sticks\"] - taken");
    dir.write("sticks/nim.py", nonsense);
    let done = dir.ends(2, "play ./sticks builtin:random builtin:random");
    done.tells(["the rules of sticks@", "have failed"]);
    dir.write("sticks/nim.py", "import sys\nsys.exit('no game')\n");
    dir.ends(2, "play ./sticks builtin:random builtin:random").tells(["rules", "no game"]);
}
