//! Tests that a bot that is edited after it was read still plays in its old version, in every host.
//!
//! They run with and without confinement.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, path::PathBuf, process::Command};

use agon_bots::{Beyond, BotSpec, HostOptions, Level, SandboxOptions, open};
use agon_core::{Coverage, Game, Seed};
use agon_games::amoebas::{Amoebas, Rules as AmoebasRules};
use agon_games::binfection::{Binfection, Rules as BinfectionRules};
use agon_games::cellhack::{Action, Cell, Cellhack, Position, Rules};
use agon_games::cluster::{Answer as ClusterAnswer, Cluster, Rules as ClusterRules};
use agon_games::{GameId, any::AnyGame};

use crate::common::{Arena, Workshop, new_game, patient, spec};

/// Returns options for each way to start a bot.
fn all_options(workshop: &Workshop) -> [HostOptions; 2] {
    [Level::Default, Level::Off].map(|level| HostOptions {
        cache: Some(workshop.path("cache")),
        sandbox: SandboxOptions { level, ..SandboxOptions::default() },
        ..patient()
    })
}

fn read(text: &str, options: &HostOptions) -> BotSpec {
    spec(text).read(options, &[]).unwrap()
}

/// Makes a match of a bot that has been read against a built-in one.
fn arena(game: AnyGame, bot: &BotSpec, options: &HostOptions) -> Arena {
    let kind = game.kind();
    let other = spec(&format!("builtin:{}", kind.builtins()[0].name));
    let bots = [bot, &other].map(|bot| open(kind, bot, options).unwrap());
    Arena::with_bots(game, bots.into())
}

/// Returns the action of a bot's cell.
#[track_caller]
fn action(bot: &BotSpec, options: &HostOptions) -> Action {
    let cell = |x, player| Cell { x, y: 2, player, energy: 50, memory: 0 };
    let position =
        Position { players: 2, turn: 0, cells: vec![cell(1, 0), cell(5, 1)], rocks: vec![] };
    let game = Cellhack::from_position(
        &Rules { width: 9, height: 9, ..Rules::default() },
        Seed(1),
        position,
    )
    .unwrap();
    let mut arena = arena(AnyGame::of(game), bot, options);
    let answers = arena.answers::<Cellhack>();
    assert_eq!(arena.faults, []);
    answers[0].action
}

const C: &str = "#include \"plan.h\"\n__asm__(\".section .rodata\\n.globl plan\\nplan: .incbin \
    \\\"PLAN\\\"\\n.byte 0\\n.previous\\n\");\nextern const char plan[];\nuint8_t \
    cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)\n{ return plan[0] == 'r' ? \
    PLAN : DIE; }\n";

#[test]
fn sources_in_c_stay_as_they_were() {
    let workshop = Workshop::new();
    let plan = workshop.path("plan.txt");
    let file = workshop.file("bot.c", C.replace("PLAN\\\"", &format!("{}\\\"", plan.display())));
    for options in all_options(&workshop) {
        workshop.file("plan.h", "#define PLAN REST\n");
        workshop.file("plan.txt", "rest");
        let bot = read(&file, &options);
        assert_eq!(bot.info().unwrap().covers, Some(Coverage::Folder));
        assert_eq!(action(&bot, &options), Action::Rest);
        workshop.file("plan.h", "#define PLAN DIE\n");
        assert_eq!(action(&bot, &options), Action::Rest);
        let edited = read(&file, &options);
        assert_ne!(edited.info().unwrap().digest, bot.info().unwrap().digest);
        assert_eq!(action(&edited, &options), Action::Die);
        // Files that only the assembler reads count as well.
        workshop.file("plan.h", "#define PLAN REST\n");
        workshop.file("plan.txt", "die");
        assert_eq!(action(&read(&file, &options), &options), Action::Die);
        fs::remove_file(workshop.path("plan.h")).unwrap();
        assert_eq!(action(&bot, &options), Action::Rest);
    }
}

#[test]
fn a_source_that_does_not_compile_is_called_by_its_own_name() {
    let workshop = Workshop::new();
    let file = workshop.file("bot.c", "int x = ;\n");
    for options in all_options(&workshop) {
        let error = open(GameId::Cellhack.kind(), &read(&file, &options), &options)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(&format!("{file}:1")) && !error.contains("agon-bots-"), "{error}");
    }
}

#[test]
fn libraries_stay_as_they_were() {
    let workshop = Workshop::new();
    let build = |action: u8| {
        let source =
            workshop.file("bot.c", format!("char cell_decide_action() {{ return {action}; }}"));
        let new = workshop.path("new.so");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o"])
            .arg(&new)
            .arg(source)
            .status();
        assert!(built.unwrap().success());
        fs::rename(new, workshop.path("bot.so")).unwrap();
    };
    for options in all_options(&workshop) {
        build(Action::Rest.byte());
        let bot = read(workshop.path("bot.so").to_str().unwrap(), &options);
        build(Action::Die.byte());
        assert_eq!(action(&bot, &options), Action::Rest);
        assert_eq!(
            action(&read(workshop.path("bot.so").to_str().unwrap(), &options), &options),
            Action::Die
        );
        fs::remove_file(workshop.path("bot.so")).unwrap();
        assert_eq!(action(&bot, &options), Action::Rest);
    }
}

/// Plays the move in a module and in a file beside it, and prints its place.
const FOX: &str = "import json, os, sys\nimport helper\nhere = \
    os.path.dirname(os.path.abspath(__file__))\nsys.stderr.write(__file__ + '\\n')\nmove = lambda: \
    json.load(open(os.path.join(here, 'weights.json')))[helper.PART]\nfor line in sys.stdin:\n    \
    question = json.loads(line)\n    if question['type'] == 'decide': print(json.dumps({'step': \
    question['step'], 'answers': [move()]}), flush=True)\n";

#[test]
fn programs_stay_as_they_were_with_what_is_beside_them() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let file = workshop.file("fox.py", FOX);
    for options in all_options(&workshop) {
        let turn = |cycles: u8| format!("[{{\"action\": \"ROTATE\", \"cycles\": {cycles}}}]");
        workshop.file("helper.py", "PART = 0\n");
        workshop.file("weights.json", turn(2));
        let bot = read(&format!("jsonl:python3 {file}"), &options);
        let first = |bot: &BotSpec| -> (ClusterAnswer, String) {
            let game = new_game::<Cluster>(&ClusterRules { side: 3, ..ClusterRules::default() }, 2);
            let mut arena = arena(game, bot, &options);
            let answer = arena.answers::<Cluster>()[0];
            let said: String =
                arena.turns.iter().map(|(_, _, turn)| turn.stderr.text().to_owned()).collect();
            (answer, format!("{said}{:?}", arena.faults))
        };
        let before = first(&bot);
        assert_eq!(before.0, ClusterAnswer::Rotate { cycles: 2 }, "{}", before.1);
        workshop.file("weights.json", turn(3));
        assert_eq!(first(&bot).0, before.0);
        let edited = first(&read(&format!("jsonl:python3 {file}"), &options));
        assert_eq!(edited.0, ClusterAnswer::Rotate { cycles: 3 }, "{}", edited.1);
        fs::remove_file(workshop.path("helper.py")).unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(first(&bot).0, before.0);
        if options.sandbox.level == Level::Default {
            assert!(before.1.contains(&file), "it is where it was: {before:?}");
        }
        workshop.file("fox.py", FOX);
    }
}

/// The opener of a bot need not keep its snapshot.
#[test]
fn copies_stay_as_long_as_a_bot_plays() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    workshop.file("helper.py", "PART = 0\n");
    workshop.file("weights.json", "[{\"action\": \"ROTATE\", \"cycles\": 1}]");
    let text = format!("jsonl:python3 {}", workshop.file("fox.py", FOX));
    for options in all_options(&workshop) {
        let game = new_game::<Cluster>(&ClusterRules { side: 3, ..ClusterRules::default() }, 2);
        let mut arena = arena(game, &read(&text, &options), &options);
        arena.steps(5);
        assert_eq!(arena.faults, []);
    }
}

#[test]
fn runners_stay_as_they_were() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let good = "import json, sys\nfrom brain import side\nquestion = \
        json.load(open(sys.argv[1]))\nme = 'bot-0'\nmoves = [{'x': c['x'], 'y': c['y'], \
        'direction': side} for c in question['cells'] if c['owner'] == me]\njson.dump({'moves': \
        moves, 'blob': {}}, open(sys.argv[1], 'w'))\n";
    let file = workshop.file("runner.py", good);
    for options in all_options(&workshop) {
        workshop.file("brain.py", "side = 0\n");
        let bot = read(&format!("python3 {file}"), &options);
        workshop.file("brain.py", "raise SystemExit(3)\n");
        let game = new_game::<Binfection>(
            &BinfectionRules { field_width: 12, field_height: 12, ..BinfectionRules::default() },
            2,
        );
        let mut arena = arena(game, &bot, &options);
        for _ in 0..2 {
            assert!(!arena.answers::<Binfection>()[0].moves.is_empty(), "{:?}", arena.faults);
        }
        assert_eq!(arena.faults, []);
    }
}

#[test]
fn species_stay_as_they_were_with_what_they_load() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let file = workshop.file(
        "fox.clj",
        "(ns fox)\n(load-file \"DIR/brain.clj\")\n(defn fox [& _] (brain))\n"
            .replace("DIR", workshop.path("").to_str().unwrap().trim_end_matches('/'))
            .as_str(),
    );
    // Compiled Clojure code, which all tests share.
    let cache = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clojure"));
    let options = HostOptions { cache, ..all_options(&workshop)[0].clone() };
    workshop.file("brain.clj", "(defn brain [] {:cmd :rest})\n");
    let bot = read(&file, &options);
    workshop.file("brain.clj", "(throw (Exception. \"edited\"))\n");
    let options = HostOptions { jvms: Default::default(), ..options };
    options.jvms.expect([&bot]);
    // Each of the two amoebas acts once.
    arena(new_game::<Amoebas>(&AmoebasRules::default(), 2), &bot, &options).steps(2);
    let edited = open(
        GameId::Amoebas.kind(),
        &read(&file, &options),
        &HostOptions { jvms: Default::default(), ..options.clone() },
    );
    assert!(edited.err().unwrap().to_string().contains("edited"));
}

#[test]
fn links_lead_where_they_led() {
    let workshop = Workshop::new();
    for (name, text) in [("one", "exit 3"), ("two", "exit 4")] {
        fs::create_dir(workshop.path(name)).unwrap();
        workshop.file(&format!("{name}/bot.sh"), text);
    }
    let link = workshop.path("now");
    let lead = |name: &str| {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(name, &link).unwrap();
    };
    for options in all_options(&workshop) {
        lead("one");
        let bot = read(&format!("sh {}", link.join("bot.sh").display()), &options);
        lead("two");
        let mut arena = arena(new_game::<Cluster>(&ClusterRules::default(), 2), &bot, &options);
        arena.step();
        assert_eq!(arena.only_fault().evidence.exit_status, Some(3));
    }
}

#[test]
fn digests_say_what_they_cover() {
    let workshop = Workshop::new();
    let options = &all_options(&workshop)[0];
    let covers = |text: &str| read(text, options).info().unwrap().covers;
    let file = workshop.file("bot.sh", "exit 0");
    workshop.file("bot.wasm", "");
    assert_eq!(covers(&format!("sh {file}")), Some(Coverage::Folder));
    assert_eq!(covers(&format!("sh -c 'sh {file}'")), Some(Coverage::Folder));
    assert_eq!(covers(&format!("{}", workshop.path("bot.wasm").display())), Some(Coverage::File));
    assert_eq!(covers("sh -c 'exit 0'"), Some(Coverage::File));
    assert_eq!(covers("builtin:random"), None);
    // Compiled code is no part of a bot, even if the cache is in its folder.
    let digest = || read(&format!("sh {file}"), options).info().unwrap().digest;
    let before = digest();
    fs::create_dir(workshop.path("cache")).unwrap();
    workshop.file("cache/library.so", "x");
    assert_eq!(digest(), before);
    // A writable folder changes by itself.
    let sandbox = SandboxOptions { write: vec![workshop.path("")], ..SandboxOptions::default() };
    let writes = HostOptions { sandbox, ..options.clone() };
    let bot = read(&format!("sh {file}"), &writes);
    assert_eq!(bot.info().unwrap().covers, Some(Coverage::File));
    let before = bot.info().unwrap().digest;
    workshop.file("log", "x");
    assert_eq!(read(&format!("sh {file}"), &writes).info().unwrap().digest, before);

    assert_eq!(spec("builtin:random").beyond(), Beyond::Nothing);
    assert_eq!(spec("connect:localhost:1").beyond(), Beyond::Unknown);
    let shared = HostOptions {
        sandbox: SandboxOptions {
            read: vec![workshop.path("shared")],
            ..SandboxOptions::default()
        },
        ..options.clone()
    };
    fs::create_dir(workshop.path("shared")).unwrap();
    workshop.file("shared/book", "1");
    let beyond = || read("sh -c 'exit 0'", &shared).beyond();
    let before = beyond();
    assert!(matches!(before, Beyond::Stamp(_)));
    workshop.file("shared/book", "12");
    assert_ne!(beyond(), before);
}

#[test]
fn what_a_species_may_require_counts_beside_its_folder() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.path("code/cup/fox")).unwrap();
    let file = workshop.file("code/cup/fox/core.clj", "(ns cup.fox.core (:require cup.words))");
    workshop.file("code/cup/words.clj", "(ns cup.words)");
    let bot = read(&file, &patient());
    let before = bot.beyond();
    assert_ne!(before, Beyond::Nothing);
    workshop.file("code/cup/words.clj", "(ns cup.words) (def Word 1)");
    assert_ne!(bot.beyond(), before);
}

#[test]
fn a_bot_whose_folder_is_gone_is_not_at_fault() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("own")).unwrap();
    let file = workshop.file("own/bot.py", "input()\n");
    // The copy can be shown anywhere except within a folder that is shown itself: there it needs
    // a place.
    let [mut options, _] = all_options(&workshop);
    options.sandbox.read = vec![workshop.path("")];
    let bot = read(&format!("python3 {file}"), &options);
    fs::rename(workshop.path("own"), workshop.path("away")).unwrap();
    let game = new_game::<Cluster>(&ClusterRules::default(), 2);
    let mut arena = arena(game, &bot, &options);
    arena.step();
    let [fault] = arena.faults.as_slice() else { panic!("{:#?}", arena.faults) };
    assert!(fault.detail.contains("own is not there any more; was it moved"), "{fault:#?}");
}
