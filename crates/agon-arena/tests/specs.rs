//! Specs that are written as JSON and read again, with built-in bots and bots in a store.

use std::{fs, path::Path, sync::Arc};

use agon_arena::{
    BlobStore, BotEntry, Bundle, Finished, Job, MatchQueue, Pool, PoolOptions, resolve,
};
use agon_bots::HostOptions;
use agon_core::{Evidence, Fault, FaultKind, Outcome, Player, Seed};
use agon_games::GameId;
use agon_match::replay::Replay;
use agon_match::spec::{
    BlobSeat, BuiltinSeat, Digest, MatchOutcome, MatchSettings, MatchSpec, Recording, Seat, SeatBot,
};
use serde_json::{Value, json};

fn spec(seats: Vec<Seat>) -> MatchSpec {
    let recording = Recording { replay: true, ..Recording::default() };
    let settings = MatchSettings { recording, ..MatchSettings::default() };
    let rules = GameId::Cluster.kind().changed_rules(&["side=5"]).unwrap();
    let spec = MatchSpec::new(GameId::Cluster, rules, settings);
    MatchSpec { seed: Seed(3), seats, ..spec }
}

fn builtin(name: &str, bot: &str) -> Seat {
    let bot = BuiltinSeat { bot: bot.to_owned(), params: Default::default(), version: 1 };
    Seat { name: name.to_owned(), bot: SeatBot::Builtin(bot) }
}

fn blob(name: &str, digest: Digest, run: &str) -> Seat {
    let bot = BlobSeat { digest, build: None, run: run.to_owned(), runtime: None };
    Seat { name: name.to_owned(), bot: SeatBot::Blob(bot) }
}

fn store() -> (tempfile::TempDir, BlobStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = BlobStore::open(folder.path()).unwrap();
    (folder, store)
}

/// A bundle with these files of the example bots.
fn bundle(store: &BlobStore, files: &[&str]) -> Digest {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/cluster");
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        fs::copy(examples.join(file), folder.path().join(file)).unwrap();
    }
    store.put(&Bundle::pack(folder.path()).unwrap().to_bytes()).unwrap()
}

fn play(spec: &MatchSpec, bots: Vec<Arc<BotEntry>>) -> (MatchOutcome, Option<Vec<u8>>) {
    let pool = Pool::new(PoolOptions::default());
    let mut client = pool.client(Arc::default());
    client.submit(Job { ticket: 1, spec: spec.clone(), bots }).unwrap();
    let Finished { outcome, replay, .. } = client.wait().unwrap().unwrap();
    (outcome.unwrap(), replay)
}

#[test]
fn a_match_names_its_bots_itself() {
    let spec = spec_of_builtins();
    let bots = resolved(&spec);
    let mut renamed = spec.clone();
    for (seat, name) in renamed.seats.iter_mut().zip(["one", "other"]) {
        seat.name = name.to_owned();
    }
    let (outcome, replay) = play(&renamed, bots);
    let players = outcome.result.players.iter().map(|player| player.bot.name.as_str());
    assert!(players.eq(["one", "other"]));
    let replay = Replay::open(replay.unwrap()).unwrap();
    assert!(replay.header().players.iter().map(|bot| bot.name.as_str()).eq(["one", "other"]));
}

#[test]
fn a_spec_comes_back_from_json_and_takes_no_unknown_fields() {
    let (_folder, store) = store();
    let digest = store.put(b"x").unwrap();
    let spec = spec(vec![builtin("rosa", "greedy"), blob("tom", digest, "jsonl:python3 tom.py")]);
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<MatchSpec>(&text).unwrap(), spec);
    let outcome = play(&spec_of_builtins(), resolved(&spec_of_builtins())).0;
    let outcomes = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<MatchOutcome>(&outcomes).unwrap(), outcome);
    let with_unknown = |text: &str, place: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        value.pointer_mut(place).unwrap()["unheard"] = json!(1);
        value
    };
    let bots = ["/seats/0/bot", "/seats/0/bot/builtin", "/seats/1/bot/blob"];
    let settings = ["/settings", "/settings/time", "/settings/sandbox", "/settings/recording"];
    for place in ["", "/rules", "/seats/0"].into_iter().chain(bots).chain(settings) {
        let read = serde_json::from_value::<MatchSpec>(with_unknown(&text, place));
        assert!(read.is_err() || read.unwrap().check().is_err(), "{place}");
    }
    for place in ["", "/result", "/result/players/0"] {
        let read = serde_json::from_value::<MatchOutcome>(with_unknown(&outcomes, place));
        assert!(read.is_err(), "{place}");
    }
}

fn spec_of_builtins() -> MatchSpec {
    spec(vec![builtin("rosa", "greedy"), builtin("tom", "random")])
}

fn resolved(spec: &MatchSpec) -> Vec<Arc<BotEntry>> {
    resolve(spec, &store().1, &HostOptions::default()).unwrap()
}

#[test]
fn an_outcome_names_its_own_players_only() {
    let spec = spec_of_builtins();
    let outcome = play(&spec, resolved(&spec)).0;
    let refusal = |change: fn(&mut MatchOutcome)| {
        let mut outcome = outcome.clone();
        change(&mut outcome);
        outcome.check().unwrap_err().to_string()
    };
    let winner = |outcome: &mut MatchOutcome| {
        outcome.result.standing.outcome = Some(Outcome::new(vec![Player(2)], "most points"));
    };
    assert_eq!(
        refusal(winner),
        "`result.standing.outcome.winners` in the match outcome does not fit its 2 players"
    );
    let standing = refusal(|outcome| outcome.result.standing.players.truncate(1));
    assert!(standing.contains("`result.standing.players`"), "{standing}");
    let fault = refusal(|outcome| {
        outcome.result.faults.push(Fault {
            player: Player(9),
            step: 0,
            kind: FaultKind::Timeout,
            detail: "late".into(),
            evidence: Evidence::default(),
            count: 1,
        });
    });
    assert!(fault.contains("`result.faults`"), "{fault}");
}

#[test]
fn equal_specs_have_equal_outcomes() {
    let spec = spec_of_builtins();
    let [one, other] = [0, 1].map(|_| {
        let (outcome, replay) = play(&spec, resolved(&spec));
        (MatchOutcome { ms: 0, ..outcome }, replay)
    });
    assert_eq!(one, other);
    assert_eq!(one.0.replay, one.1.as_deref().map(Digest::of));
}

#[test]
fn bots_of_this_machine_do_not_leave_it() {
    let (folder, store) = store();
    fs::write(folder.path().join("fox.py"), "").unwrap();
    let file = folder.path().join("fox.py");
    let cases = [
        ("human".to_owned(), "a person sits at its screen"),
        ("connect:localhost:4000".to_owned(), "waits at an address"),
        (format!("python3 {}", file.display()), "pack them into a store first"),
    ];
    for (text, why) in cases {
        let bot = BotEntry::of(text.parse().unwrap()).unwrap();
        let spec = spec(vec![builtin("rosa", "greedy"), bot.seat(GameId::Cluster)]);
        let error = serde_json::to_string(&spec).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains(&text), "{error}");
        assert_eq!(spec.check_portable().unwrap_err().to_string(), error);
        let error = resolve(&spec, &store, &HostOptions::default()).unwrap_err();
        assert!(error.to_string().contains(why) && !error.is_of_the_bot, "{error}");
    }
    let mut spec = spec_of_builtins();
    spec.settings.sandbox.read.push("/srv/data".into());
    let error = spec.check_portable().unwrap_err().to_string();
    assert!(error.contains("/srv/data"), "{error}");
}

#[test]
fn what_cannot_be_played_here_is_refused_with_the_reason() {
    let error = |change: &dyn Fn(&mut MatchSpec)| {
        let mut spec = spec_of_builtins();
        change(&mut spec);
        resolve(&spec, &store().1, &HostOptions::default()).unwrap_err().to_string()
    };
    for (change, expected) in [
        (
            (|spec| spec.version = 2) as fn(&mut MatchSpec),
            "the match spec has version 2, but this Agon reads version 1",
        ),
        (|spec| spec.rules_version += 7, "for version"),
        (|spec| spec.rules["unheard"] = json!(1), "unheard"),
        (|spec| spec.seats[1].name = "rosa".into(), "two seats"),
        (|spec| spec.seats[1].name = "a\u{202e}b".into(), "seat 2 of the match spec"),
        (|spec| spec.settings.recording.faults = 1_000_000, "settings.recording.faults"),
        (|spec| spec.settings.time.scale = 0, "settings.time.scale"),
        (|spec| spec.settings.time.limit = Some(u64::MAX), "settings.time.limit"),
        (|spec| spec.settings.sandbox.memory = Some(1), "16 to"),
        (|spec| spec.seats[0] = builtin("rosa", "greedi"), "no such bot"),
    ] {
        let error = error(&change);
        assert!(error.contains(expected), "{expected} in: {error}");
    }
    let newer = |spec: &mut MatchSpec| {
        let SeatBot::Builtin(seat) = &mut spec.seats[0].bot else { panic!("it is built in") };
        seat.version = 9;
    };
    assert!(error(&newer).contains("version 9"), "{}", error(&newer));
}

#[test]
fn bots_of_a_store_play() {
    agon_testkit::needs!("python3");
    let (_folder, store) = store();
    let python = bundle(&store, &["greedy.py"]);
    let source = bundle(&store, &["blocker.c"]);
    let built = BlobSeat {
        digest: source,
        build: Some("cc -O1 -o blocker blocker.c".to_owned()),
        run: "./blocker --quiet".to_owned(),
        runtime: None,
    };
    let built = Seat { name: "tom".to_owned(), bot: SeatBot::Blob(built) };
    let spec = spec(vec![blob("rosa", python, "python3 greedy.py"), built]);
    let bots = resolve(&spec, &store, &HostOptions::default()).unwrap();
    assert_eq!(bots[0].info.spec, "python3 greedy.py");
    let (outcome, replay) = play(&spec, bots);
    assert!(outcome.result.faults.is_empty(), "{:?}", outcome.result.faults);
    assert!(replay.is_some());
    let names: Vec<&str> =
        outcome.result.players.iter().map(|player| player.bot.name.as_str()).collect();
    assert_eq!(names, ["rosa", "tom"]);
    // The same bot against itself is unpacked once.
    let twice = MatchSpec {
        seats: vec![
            blob("rosa", python, "python3 greedy.py"),
            blob("tom", python, "python3 greedy.py"),
        ],
        ..spec
    };
    let bots = resolve(&twice, &store, &HostOptions::default()).unwrap();
    assert!(play(&twice, bots).0.result.faults.is_empty());
}

#[test]
fn bad_blobs_are_refused() {
    let (folder, store) = store();
    let digest = bundle(&store, &["greedy.py"]);
    let error = |seat: Seat| {
        let spec = spec(vec![seat, builtin("tom", "greedy")]);
        resolve(&spec, &store, &HostOptions::default()).unwrap_err()
    };
    let missing = error(blob("rosa", Digest::of(b"hen"), "python3 x.py"));
    assert!(missing.to_string().contains("has no blob") && !missing.is_of_the_bot, "{missing}");
    let other = error(blob("rosa", store.put(b"no bundle").unwrap(), "./x y"));
    assert!(other.to_string().contains("is not a bundle") && other.is_of_the_bot, "{other}");
    for run in ["/srv/sh -c 'exit 0'", "../x y", "human", "builtin:greedy", "hen.c"] {
        let error = error(blob("rosa", digest, run));
        let is_told = error.to_string().contains("has no files below the bot's folder");
        assert!(is_told && error.is_of_the_bot, "{run}: {error}");
    }
    let quote = error(blob("rosa", digest, "'x"));
    assert!(quote.to_string().contains("a quote is not closed") && quote.is_of_the_bot, "{quote}");
    let BlobSeat { run, .. } =
        BlobSeat { digest, build: None, run: "python3 greedy.py".to_owned(), runtime: None };
    let failing = BlobSeat { digest, build: Some("exit 3".into()), run, runtime: None };
    let failing = Seat { name: "rosa".into(), bot: SeatBot::Blob(failing) };
    assert!(error(failing).to_string().contains("`exit 3` fails"));
    let text = digest.to_string();
    fs::write(folder.path().join(&text[..2]).join(&text), "damaged").unwrap();
    let damaged = error(blob("rosa", digest, "python3 greedy.py"));
    assert!(damaged.to_string().contains("is damaged") && !damaged.is_of_the_bot, "{damaged}");
}

#[test]
fn a_bot_of_a_store_sees_no_credentials() {
    agon_testkit::needs!("python3");
    const KEY: &str = "xyzzy-8d1f-secret";
    let (_folder, store) = store();
    // As those of a worker, in a folder that belongs to no bot.
    let secrets = tempfile::tempdir().unwrap();
    let credentials = secrets.path().join("worker.creds");
    fs::write(&credentials, KEY).unwrap();
    let spy = include_bytes!("../../agon/tests/hostile/bots/spy.py");
    let shown = credentials.display();
    let files = [("spy.py", spy.to_vec()), ("places", shown.to_string().into_bytes())];
    let files = files.map(|(name, bytes)| (name.to_owned(), bytes, false));
    let digest = store.put(&Bundle::of_files(files).to_bytes()).unwrap();
    let folder = secrets.path().display();
    let words = format!("{shown} --file={shown} -I{folder} {folder} x:{folder} '; cat {shown}'");
    let rows = [
        (format!("jsonl:python3 spy.py {words}"), None),
        (format!("python3 spy.py {words}"), None),
        (format!("jsonl:python3 spy.py {words}"), Some("true".to_owned())),
    ];
    for (run, build) in rows {
        let bot = BlobSeat { digest, build, run: run.clone(), runtime: None };
        let spy = Seat { name: "spy".to_owned(), bot: SeatBot::Blob(bot) };
        let spec = spec(vec![spy, builtin("tom", "greedy")]);
        let bots = resolve(&spec, &store, &HostOptions::default()).unwrap();
        let (outcome, _) = play(&spec, bots);
        let said = format!("{:?}", outcome.result.faults);
        assert!(said.contains("the spy has looked") && !said.contains(KEY), "{run}: {said}");
    }
    let links = BlobSeat {
        digest,
        build: Some(format!("ln -s {folder} data")),
        run: "jsonl:python3 spy.py data".to_owned(),
        runtime: None,
    };
    let spec = spec(vec![
        Seat { name: "spy".to_owned(), bot: SeatBot::Blob(links) },
        builtin("tom", "greedy"),
    ]);
    let error = resolve(&spec, &store, &HostOptions::default()).unwrap_err();
    assert!(error.to_string().contains("a bundle has no links") && error.is_of_the_bot, "{error}");
}

#[test]
fn variables_of_this_machine_do_not_travel() {
    let mut spec = spec(vec![builtin("rosa", "greedy"), builtin("tom", "greedy")]);
    spec.settings.sandbox.env.push("NATS_CREDS".to_owned());
    let error = resolve(&spec, &store().1, &HostOptions::default()).unwrap_err().to_string();
    assert!(error.contains("NATS_CREDS"), "{error}");
}
