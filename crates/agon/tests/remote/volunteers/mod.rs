//! Volunteers play matches of public bots, and those who lie or drop results achieve nothing.

mod liar;

use std::{
    process::{Child, Stdio},
    time::Duration,
};

use agon_testkit::nats::PROGRAM;

use self::liar::{Habit, Liar, Login};
use super::{
    fleet::{wait_for, with_parts},
    secured::Secured,
};

/// Ninety matches of built-in bots.
const PLAN: &str = "game = \"cluster\"\nseed = 5\nmatches = 30\n\
    bots = [\"builtin:greedy\", \"builtin:random\", \"builtin:searcher\"]\n\n\
    [settings]\nside = 3\n\n[format]\nkind = \"round-robin\"\n";

struct Volunteers(Secured);

impl Volunteers {
    fn start(plan: &str, names: &[&str]) -> Volunteers {
        let secured = Secured::with_plan(plan);
        for name in names {
            let args = ["worker", "credential", "queue", "volunteer", "--name", name];
            let made = super::secured::run(&secured.dir, &args);
            assert_eq!(made.0, Some(0), "{made:?}");
        }
        Volunteers(secured)
    }

    fn login(&self, name: &str) -> Login {
        let path = |name: &str| self.0.dir.path(&format!("queue/{name}"));
        Login {
            address: self.0.address(),
            authority: path("authority.pem"),
            credentials: path(&format!("{name}.creds")),
        }
    }

    /// Starts a tournament; a liar sends no replays.
    fn tournament(&self, out: &str, replays: &str, more: &[&str]) -> Child {
        let mut command = with_parts(&self.0.dir, &["tournament", "plan.toml", "--out", out]);
        command.args(["--replays", replays, "--on", &self.0.address()]).args(more);
        command.args(self.0.user("coordinator")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits for the end of a tournament, and returns what it said. The table is that of this
    /// machine alone.
    fn check(&self, tournament: Child, out: &str, replays: &str) -> String {
        let done = tournament.wait_with_output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success(), "{said}");
        let local = format!("local-{out}");
        self.0.dir.succeed(&["plan.toml", "--out", &local, "--replays", replays]);
        assert_eq!(self.0.dir.results(out), self.0.dir.results(&local));
        said
    }

    /// The workers that have played the matches of a tournament.
    fn workers(&self, out: &str) -> Vec<String> {
        let journal = std::fs::read_to_string(self.0.dir.path(&format!("{out}/journal.jsonl")));
        let journal = journal.unwrap();
        let worker = |line: &str| {
            let (_, rest) = line.split_once("\"worker\":\"")?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let mut all: Vec<String> = journal.lines().filter_map(worker).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

#[test]
fn honest_volunteers_play_and_the_table_is_the_same() {
    agon_testkit::needs!(PROGRAM);
    let mut test = Volunteers::start(PLAN, &["ada", "bob"]);
    for name in ["ada", "bob", "worker"] {
        test.0.add_worker(name);
    }
    let tournament = test.tournament("out", "all", &["--volunteers"]);
    let said = test.check(tournament, "out", "all");
    for name in ["ada", "bob"] {
        assert!(said.contains(&format!("volunteer {name}: ")), "{said}");
    }
    assert!(!said.contains("takes part no more"), "{said}");
    // Nobody asks for volunteers: they get nothing.
    let tournament = test.tournament("without", "all", &[]);
    let said = test.check(tournament, "without", "all");
    assert!(!said.contains("volunteer"), "{said}");
    let all = test.workers("without");
    assert!(all.len() == 1 && all[0].starts_with("worker-"), "{all:?}");
}

#[test]
fn a_liar_is_excluded_and_none_of_its_lies_counts() {
    agon_testkit::slow!();
    agon_testkit::needs!(PROGRAM);
    let mut test = Volunteers::start(PLAN, &["eve"]);
    let liar = Liar::start(test.login("eve"), Habit::Lies);
    let tournament = test.tournament("out", "none", &["--volunteers"]);
    wait_for("a lie", || liar.played() > 0);
    test.0.add_worker("worker");
    let said = test.check(tournament, "out", "none");
    assert!(said.contains("eve takes part no more: its result of match"), "{said}");
    let all = test.workers("out");
    assert!(all.iter().all(|worker| worker.starts_with("worker-")), "{all:?}");
    let file = std::fs::read_to_string(test.0.dir.path("out/excluded-volunteers")).unwrap();
    assert!(file.starts_with("eve\tits result of match "), "{file}");

    // When the tournament continues, nothing of it counts from the beginning.
    test.0.dir.write("plan.toml", &PLAN.replace("matches = 30", "matches = 40"));
    let tournament = test.tournament("out", "none", &["--volunteers"]);
    let said = test.check(tournament, "out", "none");
    assert!(said.contains("excluded earlier: eve; delete a line"), "{said}");
    assert!(!said.contains("its result of match"), "{said}");
}

#[test]
fn what_a_volunteer_drops_is_played_by_others() {
    agon_testkit::slow!();
    agon_testkit::needs!(PROGRAM);
    let mut test = Volunteers::start(PLAN, &["eve"]);
    let liar = Liar::start(test.login("eve"), Habit::Drops);
    let tournament = test.tournament("out", "none", &["--volunteers"]);
    wait_for("a match", || liar.played() > 0);
    test.0.add_worker("worker");
    let said = test.check(tournament, "out", "none");
    assert!(said.contains("volunteer eve: "), "{said}");
}

#[test]
fn matches_of_bots_that_are_not_public_stay_with_trusted_workers() {
    agon_testkit::needs!(PROGRAM, "python3");
    let bots = crate::tournament::test_dir::root().join("examples/bots/cluster");
    let bot = bots.canonicalize().unwrap().join("greedy.py").display().to_string();
    let plan = |public: bool| {
        format!(
            "game = \"cluster\"\nseed = 5\nmatches = 2\nbots = [\"builtin:greedy\"]\n\n[[bot]]\n\
             name = \"fox\"\ncommand = \"python3 {bot}\"\npublic = {public}\n\n[settings]\n\
             side = 3\n\n[format]\nkind = \"round-robin\"\n"
        )
    };
    let mut test = Volunteers::start(&plan(false), &["ada", "bob"]);
    test.0.add_worker("ada");
    let tournament = test.tournament("out", "none", &["--volunteers"]);
    std::thread::sleep(Duration::from_secs(8));
    test.0.add_worker("worker");
    let said = test.check(tournament, "out", "none");
    assert!(said.contains("all workers are volunteers', and bots are not public"), "{said}");
    assert!(said.contains("some bots are not public"), "{said}");
    let all = test.workers("out");
    assert!(all.iter().all(|worker| worker.starts_with("worker-")), "{all:?}");

    // A public one in Python: two volunteers must agree, without a trusted worker.
    let mut test = Volunteers::start(&plan(true), &["ada", "bob"]);
    ["ada", "bob"].iter().for_each(|name| test.0.add_worker(name));
    let tournament = test.tournament("out", "none", &["--volunteers"]);
    let said = test.check(tournament, "out", "none");
    assert!(said.contains("volunteer ada: ") && said.contains("volunteer bob: "), "{said}");
}
