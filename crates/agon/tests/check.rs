//! `agon check` with good bots and bots that are bad in every way: the report names the right
//! number.

use serde_json::{Value, json};

use crate::support::{Done, TestDir, root};

/// What `agon check` printed as JSON Lines.
struct Report {
    examinations: Vec<Value>,
    failed: Value,
    code: Option<i32>,
}

fn check(dir: &TestDir, line: &str) -> Report {
    let done = Done::of(dir.agon(&format!("check {line} --json")).current_dir(root()));
    let mut lines = done.lines();
    assert_eq!(lines.len(), 12, "{line}: {}", done.all());
    let failed = lines.pop().unwrap()["data"]["failed"].clone();
    let examinations: Vec<Value> = lines.drain(1..).map(|mut line| line["data"].take()).collect();
    for (number, examination) in (1..).zip(&examinations) {
        assert_eq!(examination["number"], number);
        let failed = examination["status"] == "failed";
        assert!(!failed || examination["remedy"].is_string(), "no remedy: {examination}");
    }
    Report { examinations, failed, code: done.code }
}

/// A check of `tests/bots/cluster.py` in a mode, in which nobody is slow.
fn cluster(mode: &str, flags: &str) -> Report {
    let time = if flags.contains("--time") { "" } else { "--time 60000" };
    let games = if flags.contains("--games") { "" } else { "--games 2" };
    let bot = format!("'python3 BOTS/cluster.py {mode}'");
    check(&TestDir::new(), &format!("cluster {bot} --set side=5 {time} {games} {flags}"))
}

impl Report {
    fn of(&self, number: usize) -> &Value {
        &self.examinations[number - 1]
    }

    #[track_caller]
    fn has(&self, status: &str, numbers: &[usize]) {
        for &number in numbers {
            assert_eq!(self.of(number)["status"], status, "{:#}", self.of(number));
        }
    }

    /// Exactly these examinations failed.
    #[track_caller]
    fn fails(&self, numbers: &[u64]) {
        assert_eq!(self.failed, json!(numbers), "{:#?}", self.examinations);
        assert_eq!(self.code, Some(i32::from(!numbers.is_empty())));
    }

    /// Some line of an examination's evidence has this text.
    #[track_caller]
    fn tells(&self, number: usize, text: &str) {
        assert!(self.of(number).to_string().contains(text), "no `{text}` in {:#}", self.of(number));
    }
}

#[test]
fn a_missing_file_is_named_with_the_remedy() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    dir.write("bot.py", "open('weights.bin')\n");
    let run = |run: &str| {
        let manifest = format!("game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"{run}\"\n");
        dir.write("agon.toml", manifest);
        check(&dir, &format!("cluster {}", dir.path("").display()))
    };
    let report = run("python3 bot.py");
    // It may end before or after its first question.
    let remedy = "`weights.bin` is missing: put it among the bot's files";
    let all = &report.examinations;
    assert!(all.iter().any(|of| of.to_string().contains(remedy)), "{all:#?}");
    let report = run("./fox");
    report.fails(&[1]);
    report.tells(1, "put the file that it names among");
}

/// Python draws the order of sets anew in each run.
#[test]
fn the_order_of_a_set_is_no_random_number() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let bot = "import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'decide':
        first = next(iter({word + 'x' for word in 'abcdefgh'}))
        answer = {'action': 'ROTATE', 'cycles': 1 + ord(first[0]) % 2}
        print(json.dumps({'step': message['step'], 'answers': [answer]}), flush=True)
";
    let path = dir.write("sets.py", bot);
    let bot = format!("'jsonl:python3 {}'", path.display());
    check(&dir, &format!("cluster {bot} --seed 1 --set side=3")).has("passed", &[9]);
}

#[test]
fn a_bot_of_cluster_that_overlooks_the_empty_line_is_told_of_it() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let bot = "import sys
def block():
    return [sys.stdin.readline().split() for _ in range(int(sys.stdin.readline()))]
for _ in range(4):
    block()
while True:
    gravity = int(sys.stdin.readline())
    columns, _, _, hand = block(), block(), block(), block()
    print('PLACE', columns[0][0], hand[0][0], flush=True)
";
    let path = dir.write("short.py", bot);
    let report = check(&dir, &format!("cluster 'python3 {}' --time 10000", path.display()));
    report.fails(&[4]);
    report.tells(4, "each message ends with an empty line: read it before you answer");
    report.tells(4, "each message ends with an empty line: read it too");
}

#[test]
fn a_good_program_passes() {
    agon_testkit::needs!("python3");
    let line = "cluster 'python3 examples/bots/cluster/greedy.py' --time 60000";
    let report = check(&TestDir::new(), line);
    report.fails(&[]);
    report.has("passed", &(1..=10).collect::<Vec<_>>());
    assert!(report.of(7)["figures"]["peak_bytes"].as_u64().unwrap() > 1 << 20);
    let times = &report.of(6)["figures"];
    let [p50, p99, max] = ["p50_us", "p99_us", "max_us"].map(|name| times[name].as_u64().unwrap());
    assert!(p50 > 0 && p50 <= p99 && p99 <= max);
    assert_eq!((&times["clock"], &times["limit_us"]), (&"cpu".into(), &60_000_000.into()));
    assert_eq!(report.of(8)["figures"]["exit_status"], 0);
}

#[test]
fn good_bots_of_other_games_pass() {
    agon_testkit::slow!();
    for (line, passed, not_applicable) in [
        ("rezzo 'python3 examples/bots/rezzo/guard.py' --turns 200", &[5][..], &[][..]),
        ("cellhack examples/bots/cellhack/drifter.c --turns 30", &[7, 8], &[5]),
        ("binfection examples/bots/binfection/alice.sh --turns 2 --games 1", &[7, 8], &[2, 5]),
        ("amoebas builtin:nasty --turns 20", &[], &[2, 3, 5, 6, 7, 8, 10]),
    ] {
        let time = if line.contains("turns 2") { "" } else { " --time 60000" };
        let report = check(&TestDir::new(), &format!("{line}{time}"));
        report.fails(&[]);
        report.has("passed", passed);
        report.has("not_applicable", not_applicable);
        if line.starts_with("binfection") {
            assert_eq!(report.of(6)["figures"]["clock"], "cpu");
            let cpu = report.of(3)["figures"]["cpu_us"].as_u64().unwrap();
            assert!(cpu > 1000, "python's CPU time counts");
        }
    }
}

#[test]
fn a_script_around_a_bot_does_not_hide_its_memory() {
    agon_testkit::needs!("python3");
    let bot = r#"cluster "sh -c 'python3 examples/bots/cluster/greedy.py; exit $?'""#;
    let line = format!("{bot} --games 1 --set side=5 --time 60000");
    let report = check(&TestDir::new(), &line);
    report.fails(&[]);
    assert_eq!(report.of(6)["figures"]["helpers"], 1);
    report.tells(6, "`exec`");
    assert!(report.of(7)["figures"]["peak_bytes"].as_u64().unwrap() > 5 << 20, "python takes more");
}

#[test]
fn a_source_that_does_not_compile_does_not_open() {
    let dir = TestDir::new();
    let source = dir.write("bad.c", "this is no C");
    let report = check(&dir, &format!("cellhack {}", source.display()));
    report.fails(&[1]);
    report.tells(1, "error");
}

/// Each mode of the bot with the one examination that fails, and what is said there.
#[test]
fn each_defect_fails_where_it_belongs() {
    agon_testkit::needs!("python3");
    for (mode, flags, number, texts) in [
        ("silent", "--time 50", 3, &["\"kind\":\"timeout\""][..]),
        ("garbage", "", 4, &["PLACE the red one"]),
        ("illegal", "", 4, &[" in 2 of 2 matches"]),
        ("dies", "", 4, &["I give up"]),
        ("junk", "", 5, &["that was a good move"]),
    ] {
        let report = cluster(mode, flags);
        report.fails(&[number]);
        let number = usize::try_from(number).unwrap();
        texts.iter().for_each(|text| report.tells(number, text));
        if mode == "dies" {
            report.tells(5, "as long as it played");
            let bytes = report.of(10)["figures"]["bytes"].as_u64().unwrap();
            assert!(bytes >= "I give up\n".len() as u64);
        }
    }
}

#[test]
fn time_memory_and_the_end_of_the_input_are_heeded() {
    agon_testkit::slow!();
    for (mode, flags, number, text) in [
        ("slow", "--time 1000", 6, ""),
        ("hog", "--turns 6 --memory 50", 7, ""),
        ("out-of-memory", "", 7, "MemoryError"),
        ("ignores-end", "--turns 4 --games 1", 8, "it still ran"),
        ("fails-at-end", "--turns 4 --games 1", 8, "no more lines?"),
        ("leaves-child", "--turns 4 --games 1", 8, "it left a process running"),
    ] {
        let report = cluster(mode, flags);
        report.fails(&[number]);
        report.tells(usize::try_from(number).unwrap(), text);
        if mode == "slow" {
            report.tells(4, "not examined, because 6 failed");
        }
    }
    cluster("hog", "--turns 6 --memory 2000").fails(&[]);
    let report = cluster("near-limit", "--time 1200 --turns 4 --games 1");
    report.fails(&[]);
    report.has("warning", &[6]);
}

#[test]
fn runners_leave_nothing_behind_either() {
    let dir = TestDir::new();
    let text =
        "sleep 1000 < /dev/null > /dev/null 2>&1 &\necho '{\"moves\": [], \"blob\": {}}' > $1\n";
    let script = dir.write("runner.sh", text);
    let bot = format!("'sh {}'", script.display());
    check(&dir, &format!("binfection {bot} --turns 2 --games 1")).fails(&[8]);
}

#[test]
fn answers_that_differ_and_talk_are_told() {
    agon_testkit::needs!("python3");
    let report = cluster("random", "");
    report.fails(&[]);
    report.has("warning", &[9]);
    let report = cluster("chatty", "--turns 4");
    report.fails(&[]);
    // Two answers in each of the three matches.
    assert_eq!(report.of(10)["figures"]["bytes"], 3 * 2 * "thinking\n".len());
}
