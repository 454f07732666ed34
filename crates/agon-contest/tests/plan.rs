//! Plans: the examples can be played, and all problems of a plan are reported.

use std::fs;
use std::path::{Path, PathBuf};

use agon_contest::plan::{Choose, Draw, FormatPlan};
use agon_contest::{Entrant, Plan};
use agon_match::spec::SandboxLevel;

fn example(name: &str) -> Plan {
    Plan::load(&folder_of_examples().join(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn check(name: &str, bots: usize, matches: std::ops::RangeInclusive<usize>) {
    let plan = example(name);
    assert_eq!(plan.bots.len(), bots);
    let mut schedule = plan.schedule();
    let played = crate::common::play(&mut schedule, 3, usize::MAX).len();
    assert!(matches.contains(&played), "{played} matches");
    assert_eq!(schedule.standing().len(), bots);
}

#[test]
fn the_examples_can_be_played() {
    check("cluster-round-robin.toml", 12, 132..=132);
    check("cellhack-swiss.toml", 64, 6 * 64..=6 * 64);
    // Two defeats for nine of ten, at most one for the champion; ties take up to twice as many
    // more.
    check("cluster-double-elimination.toml", 10, 4 * 18..=4 * 19 * 3);
    check("cellhack-groups.toml", 16, 5..=20);
    check("amoebas-league.toml", 6, 12..=12);
    check("ladder.toml", 12, 480..=480);
    check("amoebas-targets.toml", 5, 40..=40);
    check("amoebas-mutation.toml", 4, 6 * 20..=6 * 20);
    check("amoebas-mutation-rates.toml", 7, 21 * 6..=21 * 6);
    check("amoebas-dividing.toml", 6, 36..=36);
    check("amoebas-thresholds.toml", 7, 21 * 6..=21 * 6);
    check("cluster-width.toml", 4, 6 * 40..=6 * 40);
    check("strongest/amoebas.toml", 12, 2000..=2000);
    check("strongest/binfection.toml", 8, 1200..=1200);
    check("strongest/cellhack.toml", 11, 1800..=1800);
    check("strongest/cluster.toml", 8, 1200..=1200);
    check("strongest/rezzo.toml", 9, 1400..=1400);
}

#[test]
fn every_example_is_tested() {
    let own = include_str!("plan.rs");
    for file in examples() {
        let name = file.strip_prefix(folder_of_examples()).unwrap().display().to_string();
        assert!(own.contains(&format!("check(\"{name}\"")), "{name}");
    }
}

/// All plans of the examples.
fn examples() -> Vec<PathBuf> {
    let files = |folder: PathBuf| {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
    };
    let folder = folder_of_examples();
    files(folder.clone()).chain(files(folder.join("strongest"))).collect()
}

fn folder_of_examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tournaments")
}

/// A folder with files for patterns.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["bots/b.c", "bots/a.c", "bots/ann/bot.py", "bots/bob/bot.py"] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    // Somebody hands in a link to what only the organiser may read.
    fs::create_dir(folder.path().join("links")).unwrap();
    std::os::unix::fs::symlink("../bots/a.c", folder.path().join("links/eve.c")).unwrap();
    folder
}

fn parse(text: &str) -> Result<Plan, String> {
    let folder = folder();
    let path = folder.path().display().to_string();
    let result = Plan::parse(text, &folder.path().join("plan.toml"));
    result.map_err(|error| {
        error.to_string().replace(&format!("{path}/"), "").replace(&path, "FOLDER")
    })
}

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn patterns_are_sorted_and_names_made_unique_from_paths() {
    let plan = parse(
        r#"
game = "cluster"
bots = [
    "bots/*.c", "python3 bots/*/bot.py",
    "builtin:searcher?width=2", "builtin:searcher?width=3", "x=bots/a.c",
]
[[bot]]
name = "Rosa"
builtin = "greedy"
[[bot]]
command = "bots/b.c --slow"
[format]
kind = "round-robin"
"#,
    )
    .unwrap();
    let names: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
    // `b.c` and `b.c --slow` have the same path.
    assert_eq!(
        names,
        [
            "a",
            "bots/b.c",
            "ann/bot",
            "bob/bot",
            "searcher?width=2",
            "searcher?width=3",
            "x",
            "Rosa",
            "bots/b.c --slow"
        ]
    );
    assert_eq!(plan.bots[2].text, "python3 bots/ann/bot.py");
    assert!(
        plan.bots[2].spec.starts_with("python3 /")
            && plan.bots[2].spec.ends_with("/bots/ann/bot.py")
    );
    assert!(plan.bots[6].spec.starts_with('/'), "{}", plan.bots[6].spec);
    assert_eq!((plan.players, plan.matches, plan.mirrored), (2, 2, true));
}

#[test]
fn files_with_blanks_keep_their_names() {
    let folder = folder();
    fs::create_dir(folder.path().join("my bots")).unwrap();
    for name in ["Bob v3.py", "._Bob v3.py", "Eve v1.py"] {
        fs::write(folder.path().join("my bots").join(name), "").unwrap();
    }
    let text = "game = \"cluster\"\nbots = [\"my bots/*.py\", \"my bots/Eve v1.py\", \
                \"python3 'my bots/Bob*.py'\"]\n[format]\nkind = \"swiss\"\n";
    let plan = |text: &str| Plan::parse(text, &folder.path().join("plan.toml"));
    let error = plan(text).unwrap_err().to_string();
    assert!(error.contains("`my bots/Eve v1.py` plays already, see line 2"), "{error}");
    let plan = plan(&text.replace(" \"my bots/Eve v1.py\",", "")).unwrap();
    let names: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
    assert_eq!(names, ["my bots/Bob v3.py", "Eve v1", "python3 'my bots/Bob v3.py'"]);
    let path = folder.path().display();
    assert_eq!(plan.bots[0].spec, format!("{path}/my bots/Bob v3.py"));
    assert_eq!(plan.bots[2].spec, format!("python3 '{path}/my bots/Bob v3.py'"));
}

#[test]
fn given_names_stay_and_plans_may_be_in_the_working_directory() {
    let text = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"greedy=builtin:random\", \
                \"tests/pla*.rs\"]\n[format]\nkind = \"swiss\"\n";
    // Tests run in the folder of their crate.
    let plan = Plan::parse(text, Path::new("plan.toml")).unwrap();
    let bots: Vec<(&str, &str)> =
        plan.bots.iter().map(|bot| (bot.name.as_str(), bot.spec.as_str())).collect();
    assert_eq!(
        bots,
        [("greedy-2", "builtin:greedy"), ("greedy", "builtin:random"), ("plan", "tests/plan.rs")]
    );
    let absolute = text.replace("tests/", &format!("{}/tests/", env!("CARGO_MANIFEST_DIR")));
    let plan = Plan::parse(&absolute, Path::new("somewhere/plan.toml")).unwrap();
    assert_eq!(plan.bots[2].spec, format!("{}/tests/plan.rs", env!("CARGO_MANIFEST_DIR")));
}

#[test]
fn patterns_follow_no_link_to_elsewhere() {
    let text =
        |bots: &str| format!("game = \"cluster\"\nbots = [{bots}, \"builtin:a\", \"builtin:b\"]\n");
    let format = "[format]\nkind = \"round-robin\"\n";
    refused(
        &(text("\"links/*.c\"") + format),
        &["plan.toml:2:9: `links/*.c` finds links/eve.c, a link that leads elsewhere; remove it, \
           or name the bot without `*`"],
    );
    // Whoever writes the plan may name it.
    assert!(parse(&(text("\"links/eve.c\"") + format)).is_ok());
}

#[test]
fn single_bots_have_limits_of_their_own() {
    let plan = |more: &str| {
        parse(&format!("{TWO}[format]\nkind = \"swiss\"\n[time]\nlimit = 100\n{more}"))
    };
    let two = plan("[time.bots.greedy]\nstart_up = 20000\n").unwrap();
    let time = two.time.of("greedy");
    assert_eq!((time.limit, time.start_up), (Some(100), Some(20_000)));
    assert_eq!(two.time.of("random").start_up, None);
    let error = plan("[time.bots.gredy]\nlimit = 5\n").unwrap_err();
    assert!(error.contains("no bot has the name `gredy`; did you mean `greedy`?"), "{error}");
    let error = plan("[time.bots.greedy]\nlimt = 5\n").unwrap_err();
    assert!(error.contains("unknown field `limt`"), "{error}");
    let error = plan("[time.bots.greedy]\nlimit = 99999999999\n").unwrap_err();
    assert!(error.contains("numbers from 0 to 86400000"), "{error}");
}

#[test]
fn all_problems_are_told_at_once() {
    refused(
        r#"gam = "cluster"
game = "clustr"
seed = "x"
bots = ["builtin:a", "builtin:a", "nothing/*.c"]
sandbox = { levl = "off", level = "of" }
[format]
kind = "swis"
[time]
clock = false
limit = 5
"#,
        &[
            "plan.toml:1:1: a plan has no `gam`; did you mean `game`?",
            "plan.toml:2:8: there is no game `clustr`; did you mean `cluster`?",
            "plan.toml:3:8: `seed` is a whole number, not of type string",
            "plan.toml:4:22: `builtin:a` plays already, see line 4; give it a `name` to let it \
             play twice",
            "plan.toml:4:35: `nothing/*.c` finds no file; patterns start in the plan's folder, \
             FOLDER",
            "plan.toml:5:13: [sandbox] has no `levl`; did you mean `level`?",
            "plan.toml:5:35: `level` cannot be `of`; did you mean `off`?",
            "plan.toml:7:8: `kind` cannot be `swis`; did you mean `swiss`?",
            "plan.toml:8:1: without a clock there is no `limit` and no `bank`",
        ],
    );
}

#[test]
fn what_does_not_fit_together_is_refused() {
    refused(
        "game = \"cluster\"\nmatches = 3\nplayers = 3\n[settings]\nside = 1\nsides = 4\n\
         [format]\nkind = \"elimination\"\nrounds = 3\n",
        &[
            "plan.toml:1:1: 2 bots are needed at least, but the plan has 0; `bots` lists them",
            "plan.toml:2:11: `matches` is a multiple of 2, so that everybody plays each seed from \
             every seat: 4, or set `mirrored = false`",
            "plan.toml:3:11: `players` is a whole number: 2 here",
            "plan.toml:4:1: these settings cannot be played with 2 players: side: 1 is not between \
             2 and 64",
            "plan.toml:6:9: cluster has no setting `sides`; did you mean `side`?",
            "plan.toml:9:1: [format] has no `rounds`; there are: kind, more, draw",
        ],
    );
    refused(
        &format!("{TWO}[format]\nkind = \"groups\"\n"),
        &["plan.toml:3:1: in this game 2 play together, not 4: set `size`, or `within = \
             \"pairs\"`"],
    );
    refused(
        "bots = [\"builtin:a\", \"x=builtin:b\", \"x=builtin:c\"]\n[format]\n",
        &[
            "plan.toml:1:1: a plan needs a `game`: one of amoebas, battlesnake, binfection, \
             cellhack, cluster, rezzo",
            "plan.toml:1:37: the name `x` is taken by the bot of line 1",
            "plan.toml:2:1: a plan needs a [format] with a `kind`: one of round-robin, gauntlet, \
             swiss, elimination, double-elimination, groups, ladder",
        ],
    );
}

#[test]
fn text_that_is_no_toml_is_told_with_its_place() {
    let error = parse("game = \"cluster\nseed = 1\n").unwrap_err();
    assert!(error.starts_with("plan.toml:1:"), "{error}");
}

const TWO: &str =
    "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\", \"builtin:searcher\"]\n";

#[test]
fn formats_have_options() {
    let format = |text: &str| parse(&format!("{TWO}[format]\n{text}")).unwrap().format;
    let gauntlet = format("kind = \"gauntlet\"\nrunners = [\"searcher\"]");
    assert_eq!(gauntlet, FormatPlan::Gauntlet { runners: vec![Entrant(2)] });
    let gauntlet = format("kind = \"gauntlet\"\nrunners = 2");
    assert_eq!(gauntlet, FormatPlan::Gauntlet { runners: vec![Entrant(0), Entrant(1)] });
    let groups = format(
        "kind = \"groups\"\nsize = 3\nadvance = 2\nwithin = \"pairs\"\nmore = 1\ndraw = \"random\"",
    );
    let expected =
        FormatPlan::Groups { size: 3, advance: 2, pairs: true, more: 1, draw: Draw::Random };
    assert_eq!(groups, expected);
    let ladder = format("kind = \"ladder\"\nwave = 4\nlimit = 100");
    let expected =
        FormatPlan::Ladder { choose: Choose::Adaptive, wave: 4, limit: Some(100), floor: 100 };
    assert_eq!(ladder, expected);
    let ladder = format("kind = \"ladder\"\nchoose = \"random\"\nfloor = 5");
    let expected = FormatPlan::Ladder { choose: Choose::Random, wave: 16, limit: None, floor: 5 };
    assert_eq!(ladder, expected);
    let error =
        parse(&format!("{TWO}[format]\nkind = \"ladder\"\nchoose = \"adaptiv\"")).unwrap_err();
    assert!(error.contains("`choose` cannot be `adaptiv`; did you mean `adaptive`?"), "{error}");
    let error =
        parse(&format!("{TWO}[format]\nkind = \"gauntlet\"\nrunners = [\"sercher\"]")).unwrap_err();
    assert!(error.contains("did you mean `searcher`?"), "{error}");
}

#[test]
fn a_plan_may_start_from_a_preset() {
    let plan = |more: &str| parse(&format!("{TWO}{more}[format]\nkind = \"swiss\"\n"));
    let side = |more: &str| plan(more).unwrap().settings["side"].as_u64();
    assert_eq!((side(""), side("preset = \"classic\"\n")), (Some(12), Some(12)));
    assert_eq!(side("preset = \"short\"\n"), Some(7));
    let changed = plan("preset = \"short\"\n[settings]\nrun_length = 5\n").unwrap().settings;
    assert_eq!((&changed["side"], &changed["run_length"]), (&7.into(), &5.into()));
    let wrong = plan("preset = \"shrt\"\n").unwrap_err();
    assert!(wrong.contains("has no preset `shrt`; did you mean `short`?"), "{wrong}");
    let wrong = plan("preset = 7\n").unwrap_err();
    assert!(wrong.contains("`preset` is a text in quotes, not of type integer"), "{wrong}");
}

#[test]
fn the_digest_covers_what_results_depend_on() {
    let digest =
        |more: &str| parse(&format!("{TWO}{more}[format]\nkind = \"swiss\"\n")).unwrap().digest();
    let plain = digest("");
    assert_eq!(
        plain,
        digest("jobs = 2\n"),
        "not on how many matches are played at a time, nor on the folder"
    );
    for other in
        ["seed = 1\n", "[settings]\nside = 5\n", "[time]\nlimit = 7\n", "[sandbox]\nmemory = 64\n"]
    {
        assert_ne!(plain, digest(other), "{other}");
    }
    let plan = parse(&format!(
        "{TWO}[sandbox]\nlevel = \"strict\"\nmemory = 64\n[format]\nkind = \"swiss\"\n"
    ))
    .unwrap();
    assert_eq!((plan.sandbox.level, plan.sandbox.memory), (SandboxLevel::Strict, Some(64)));
}

#[test]
fn saved_plans_are_the_same_plans() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(Plan::SAVED);
    for example in examples() {
        let mut plan = Plan::load(&example).unwrap();
        plan.jobs = Some(3);
        plan.save(&file, &[], &plan.digest()).unwrap();
        let saved = Plan::load_saved(&file).unwrap();
        assert_eq!(saved.plan, plan);
        assert_eq!((&saved.plan.digest(), &saved.digest), (&plan.digest(), &plan.digest()));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn what_is_no_saved_plan_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(Plan::SAVED);
    let told = |file: &Path| Plan::load_saved(file).unwrap_err().to_string();
    assert!(told(&file).contains("plan.json: "), "{}", told(&file));
    let plan = example("cluster-round-robin.toml");
    plan.save(&file, &[], &plan.digest()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let changes = [
        (text.clone(), "{", "is no saved plan of a tournament"),
        (text.replacen("\"version\": 2", "\"version\": 7", 1), "", "version 7 of the format"),
        (text.replacen("\"jobs\"", "\"job\"", 1), "", "unknown field `job`"),
        (text.replacen("\"builtin:greedy\",", "", 1), "", "has 12 bots, but 11 specifications"),
    ];
    for (text, more, expected) in changes {
        fs::write(&file, format!("{more}{text}")).unwrap();
        assert!(told(&file).contains(expected), "{expected}: {}", told(&file));
    }
}
