//! The database of results: what is in it, and tournaments without the program that writes it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::test_dir::{TestDir, interrupt, signal};

/// A short tournament: 3 bots, 6 matches.
const PLAN: &str = r#"
game = "cluster"
seed = 3
bots = ["builtin:random", "builtin:greedy", "third=builtin:random?rotate=50"]

[settings]
side = 4

[format]
kind = "round-robin"
"#;

const VARIABLE: &str = "AGON_DATABASE_HOST";

/// A folder whose third bot waits for a file.
fn waiting_yard() -> TestDir {
    let dir = TestDir::new();
    let [asked, go] = ["asked", "go"].map(|name| dir.path(name));
    let wait = format!(
        "import os, time\nopen({asked:?}, 'w')\nwhile not os.path.exists({go:?}): \
         time.sleep(0.01)\n"
    );
    dir.write("fox.py", &format!("{wait}print('x')\n"));
    let fox = format!("python3 {}", dir.path("fox.py").display());
    let plan = PLAN.replace("third=builtin:random?rotate=50", &format!("third={fox}"));
    dir.write("plan.toml", &format!("{plan}\n[time]\nclock = false\n[sandbox]\nlevel = \"off\"\n"));
    dir
}

/// Runs a tournament with another program for databases.
fn run_with(dir: &TestDir, program: &str, args: &[&str]) -> Output {
    dir.agon(args).env(VARIABLE, program).output().unwrap()
}

/// The same, which must go: the table and the talk.
#[track_caller]
fn succeed_with(dir: &TestDir, program: &str, args: &[&str]) -> (String, String) {
    let output = run_with(dir, program, args);
    let [table, talk] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(0), "{table}{talk}");
    (table, talk)
}

/// The journal and the database of a folder say the same, and all of the database is in one file.
#[track_caller]
fn assert_same(dir: &TestDir, folder: &str) {
    let path = dir.path(folder).join("results.sqlite");
    assert!(!dir.path(folder).join("results.sqlite-wal").exists());
    let database = Connection::open(path).unwrap();
    let results = dir.results(folder);
    let mut rows = database.prepare("SELECT id, seed, replay FROM match ORDER BY id").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let rows: Vec<(String, String, String)> = rows.collect::<Result<_, _>>().unwrap();
    let expected = results.values().map(|record| {
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        (text("match"), text("seed"), text("replay"))
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

/// The program that writes the database of an arena that runs, once it has opened it.
#[track_caller]
fn host_of(run: &mut Child) -> u32 {
    let begun = Instant::now();
    loop {
        let children = ["-P", &run.id().to_string(), "-f", "agon-database-host"];
        let found = Command::new("pgrep").args(children).output().unwrap().stdout;
        if let Ok(id) = String::from_utf8(found).unwrap().trim().parse() {
            return id;
        }
        assert!(
            run.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60),
            "it has none"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a process is gone.
#[track_caller]
fn wait_for_end(process: u32) {
    let begun = Instant::now();
    let path = PathBuf::from(format!("/proc/{process}/exe"));
    // What has ended has no program any more.
    while fs::read_link(&path).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{process} is still there");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the bot waits; the program that writes the database.
fn wait_for_bot(dir: &TestDir, run: &mut Child) -> u32 {
    while !dir.path("asked").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(5));
    }
    host_of(run)
}

#[test]
fn the_database_has_what_the_journal_has() {
    let dir = TestDir::with_plan(PLAN);
    dir.succeed(&["plan.toml"]);
    assert_same(&dir, "plan-results");
}

#[test]
fn without_its_program_a_tournament_plays_and_the_database_comes_later() {
    let dir = TestDir::with_plan(PLAN);
    let (expected, _) = dir.succeed(&["plan.toml", "--out", "with"]);
    for (number, program) in ["", "/nowhere/agon-database-host"].into_iter().enumerate() {
        let out = format!("without-{number}");
        let (table, talk) = succeed_with(&dir, program, &["plan.toml", "--out", &out]);
        assert_eq!(table, expected);
        let what = if program.is_empty() { "`agon-database-host` is missing" } else { program };
        assert!(talk.starts_with(&format!("note: {what}")), "{talk}");
        assert!(
            talk.contains(&format!("`agon tournament resume {out}` makes results.sqlite")),
            "{talk}"
        );
        assert_eq!(talk.matches("note: ").count(), 1, "{talk}");
        let remedy =
            "correct the environment variable AGON_DATABASE_HOST, or unset it. The journal";
        assert!(talk.contains(remedy), "{talk}");
        assert_eq!(dir.results(&out), dir.results("with"));
        assert!(!dir.path(&out).join("results.sqlite").exists());
        // A report needs it as little.
        let output = run_with(&dir, program, &["report", &out]);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        // It is all played, and nothing is to be told.
        let (again, talk) = dir.succeed(&["resume", &out]);
        assert_eq!((again, talk.as_str()), (table, ""));
        assert_same(&dir, &out);
    }
}

#[test]
fn another_program_is_no_program_for_databases() {
    agon_testkit::slow!();
    let dir = TestDir::with_plan(PLAN);
    let programs = [
        ("true", "it ended at once, exit status: 0"),
        ("cat", "it does not greet as it should: it says nothing"),
    ];
    for (program, why) in programs {
        let path = Path::new("/bin").join(program);
        let (_, talk) =
            succeed_with(&dir, path.to_str().unwrap(), &["plan.toml", "--out", program]);
        let expected =
            format!("note: {}: {why}; correct the environment variable {VARIABLE}", path.display());
        assert!(talk.starts_with(&expected), "{talk}");
        assert_eq!(dir.records(program), 6);
    }
}

#[test]
fn results_of_before_are_left_as_they_are_without_it() {
    agon_testkit::needs!("pgrep");
    let dir = waiting_yard();
    let mut run = dir.agon(&["plan.toml", "--jobs", "2"]).spawn().unwrap();
    wait_for_bot(&dir, &mut run);
    interrupt(&run);
    dir.write("go", "");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let database = dir.path("plan-results/results.sqlite");
    let before = fs::read(&database).unwrap();
    succeed_with(&dir, "", &["resume", "plan-results"]);
    assert_eq!((dir.records("plan-results"), fs::read(&database).unwrap()), (6, before));
    dir.succeed(&["resume", "plan-results"]);
    assert_same(&dir, "plan-results");
}

#[test]
fn an_interrupt_does_not_reach_it() {
    agon_testkit::needs!("pgrep");
    let dir = waiting_yard();
    let mut run = dir.agon(&["plan.toml", "--jobs", "2"]).spawn().unwrap();
    let host = wait_for_bot(&dir, &mut run);
    // As a terminal does: to the whole group of the arena, in which this test is, too, so to these
    // two alone.
    let group = |process: u32| fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let group = |process| group(process).split_whitespace().nth(4).unwrap().to_owned();
    assert_ne!(group(host), group(run.id()));
    interrupt(&run);
    dir.write("go", "");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    wait_for_end(host);
    assert_same(&dir, "plan-results");
}

#[test]
fn killed_in_the_middle_it_is_an_error_and_nothing_is_lost() {
    agon_testkit::needs!("pgrep");
    let dir = waiting_yard();
    let mut run = dir.agon(&["plan.toml", "--jobs", "2"]).spawn().unwrap();
    let host = wait_for_bot(&dir, &mut run);
    assert!(Command::new("kill").args(["-9", &host.to_string()]).status().unwrap().success());
    dir.write("go", "");
    let output = run.wait_with_output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{talk}");
    let expected = "results.sqlite: `agon-database-host`, which writes it, ended (signal: 9 \
                    (SIGKILL)); the journal has all results, and the database catches up with it";
    assert!(talk.contains(expected), "{talk}");
    assert!(dir.records("plan-results") > 0);
    dir.succeed(&["resume", "plan-results"]);
    assert_eq!(dir.records("plan-results"), 6);
    assert_same(&dir, "plan-results");
}

#[test]
fn it_ends_with_its_arena() {
    agon_testkit::needs!("pgrep");
    let dir = waiting_yard();
    let mut run = dir.agon(&["plan.toml", "--jobs", "2"]).spawn().unwrap();
    let host = wait_for_bot(&dir, &mut run);
    signal(&run, "KILL");
    run.wait().unwrap();
    wait_for_end(host);
    dir.write("go", "");
    dir.succeed(&["resume", "plan-results"]);
    assert_same(&dir, "plan-results");
}
