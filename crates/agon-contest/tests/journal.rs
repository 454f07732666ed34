//! Journals: nothing is lost, nothing counts twice, and a tournament that continues from one has
//! the same table.

use std::io::{BufRead, BufReader, Write};
use std::{collections::BTreeSet, fs, path::Path, process::Stdio};

use agon_contest::journal::{
    Header, SeatFault, SyncPolicy, read, with_sums, write as written_bytes,
};
use agon_contest::{Entrant, Journal, Match, MatchId, Outcome, PairingId, Plan, Record, Schedule};
use agon_core::{FaultKind, Purpose, Rng, Seed};
use agon_match::spec::PlayedOn;

use crate::common::made_up;

/// A record with a text of a length that is drawn: most are short, some are long enough to be torn.
fn record(number: u32, rng: &mut Rng) -> Record {
    let length = if rng.chance(1, 8) { rng.index(1_000_000) } else { rng.index(200) };
    let game = Match {
        id: MatchId { pairing: PairingId { round: 0, group: 0, pairing: number }, number: 0 },
        seats: Entrant::all(2),
        seed: Seed(u64::MAX - u64::from(number)),
    };
    let names = ["ann", "b\"o\"b \u{1F9A0}"].map(str::to_owned).to_vec();
    Record {
        key: format!("{number:064x}"),
        faults: vec![
            Vec::new(),
            vec![SeatFault {
                step: Some(number.into()),
                stderr: "ä".repeat(length % 100),
                ..SeatFault::new(FaultKind::Timeout, 2, "x".repeat(length))
            }],
        ],
        replay: Some(format!("{number}.agon")),
        machine: Some(PlayedOn { worker: "lab-7".to_owned(), scale: 125 }),
        ..Record::new(&game, names, Outcome::new(vec![1, 2], vec![7, -3]))
    }
}

fn short(number: u32) -> Record {
    let mut record = record(number, &mut Seed::plain(1).stream(Purpose::Script, 0));
    record.faults[1][0].text = "it slept".to_owned();
    record
}

/// A journal with some short records.
fn written(path: &Path, records: u32) -> Vec<u8> {
    let (mut journal, _) = Journal::open(path, "plan", SyncPolicy::Never).unwrap();
    (0..records).for_each(|number| journal.append(&short(number)).unwrap());
    drop(journal);
    fs::read(path).unwrap()
}

const CHILD: &str = "AGON_TEST_JOURNAL";

/// Not a test by itself: the test below starts and kills it. It writes as fast as it can, and
/// reports each record after it is written.
#[test]
fn writer_child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let (mut journal, contents) =
        Journal::open(Path::new(&path), "plan", SyncPolicy::Never).unwrap();
    let mut rng = Seed::plain(contents.whole).stream(Purpose::Script, 0);
    let mut out = std::io::stdout();
    for number in contents.records.len() as u32.. {
        journal.append(&record(number, &mut rng)).unwrap();
        out.write_all(format!("\nwritten {number}\n").as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_writer_that_is_killed_a_hundred_times_loses_nothing() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut rng = Seed::plain(u64::from(std::process::id())).stream(Purpose::Script, 0);
    let mut torn = 0;
    let mut expected = 0;
    for _ in 0..100 {
        let mut child = agon_testkit::this_program()
            .args(["journal::writer_child", "--exact", "--nocapture", "--test-threads=1"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let told = |line: String| {
            line.strip_prefix("written ").map(|number| number.parse::<u32>().unwrap())
        };
        let mut last = None;
        for _ in 0..=rng.index(6) {
            last = lines.by_ref().find_map(told).or(last);
        }
        // At any moment of the writing of the next ones.
        (0..rng.index(400_000)).for_each(|_| std::hint::spin_loop());
        child.kill().unwrap();
        child.wait().unwrap();
        last = lines.filter_map(told).last().or(last);
        let last = last.expect("it wrote something before it was killed");

        let contents = read(&fs::read(&path).unwrap(), &path).unwrap();
        torn += u32::from(contents.torn.is_some());
        let numbers: Vec<u32> =
            contents.records.iter().map(|record| record.id.pairing.pairing).collect();
        assert_eq!(
            numbers,
            (0..numbers.len() as u32).collect::<Vec<_>>(),
            "all in order, none twice"
        );
        assert!(numbers.len() as u32 > last, "what it told of is there");
        assert!(numbers.len() as u32 <= last + 2, "and at most one that it had no time to tell of");
        assert!(numbers.len() > expected, "what was there stays there");
        expected = numbers.len();
        if expected > 150 {
            // Long files take long to read.
            fs::remove_file(&path).unwrap();
            expected = 0;
        }
    }
    eprintln!("{torn} of 100 kills tore a line");
}

#[test]
fn a_tail_torn_at_any_byte_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let whole = written(&path, 3);
    let ends: Vec<usize> =
        (0..whole.len()).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
    assert_eq!(ends.len(), 4);
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let (mut journal, contents) = Journal::open(&path, "plan", SyncPolicy::Never).unwrap();
        let lines = ends.iter().filter(|&&end| end <= length).count();
        assert_eq!(contents.records.len(), lines.saturating_sub(1), "of {length} bytes");
        assert_eq!(contents.torn.is_some(), length != 0 && !ends.contains(&length));
        // What is missing is written again, and the file is the same as without the accident.
        for number in contents.records.len() as u32..3 {
            journal.append(&short(number)).unwrap();
        }
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    let mut garbage = whole.clone();
    garbage.extend([0; 5000]);
    let contents = read(&garbage, &path).unwrap();
    assert_eq!(contents.records.len(), 3);
    let torn = contents.torn.unwrap().to_string();
    assert!(torn.starts_with("line 5 was being written") && torn.contains("5000 bytes"), "{torn}");
}

#[test]
fn every_damaged_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let whole = written(&path, 3);
    let end = |line: usize| {
        whole.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(line).unwrap().0 + 1
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        match read(&bytes, Path::new("j")) {
            Err(error) => {
                let error = error.to_string();
                let expected = match () {
                    () if at < end(0) => "j is no journal",
                    () if at < end(1) => "j:2: this line is damaged",
                    () => "j:3: this line is damaged",
                };
                assert!(at < end(2) && error.starts_with(expected), "byte {at}: {error}");
            }
            // The last line is as one that was torn.
            Ok(contents) => {
                assert!(
                    at >= end(2) && contents.torn.is_some() && contents.records.len() == 2,
                    "byte {at}"
                );
            }
        }
    }
    let mut bytes = whole.clone();
    bytes[end(0) + 20] ^= 1;
    let error = read(&bytes, Path::new("league/journal.jsonl")).unwrap_err().to_string();
    assert!(error.starts_with("league/journal.jsonl:2: this line is damaged"), "{error}");
    assert!(error.contains("delete the line: its match is then played again"), "{error}");
    // And that helps.
    let without = [&whole[..end(0)], &whole[end(1)..]].concat();
    assert_eq!(read(&without, &path).unwrap().records.len(), 2);
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    for text in
        ["hello", "{}\n", "[1, 2]\n{\"journal\":1}\n", "{\"journal\":\"agon-tournament\"}\n"]
    {
        fs::write(&path, text).unwrap();
        let error = Journal::open(&path, "plan", SyncPolicy::Never).unwrap_err();
        assert!(error.to_string().contains("is no journal of a tournament"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let error = Journal::open(Path::new("/dev/null"), "plan", SyncPolicy::Never).unwrap_err();
    assert!(error.to_string().contains("is no journal of a tournament"), "{error}");
}

#[test]
fn one_process_writes_and_only_for_its_plan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let (mut journal, _) =
        Journal::open(&path, "plan", SyncPolicy::Every(std::time::Duration::ZERO)).unwrap();
    let error = Journal::open(&path, "plan", SyncPolicy::Never).unwrap_err().to_string();
    assert!(error.contains("is being written by another process"), "{error}");
    journal.append(&short(0)).unwrap();
    let error = journal.append(&short(0)).unwrap_err().to_string();
    assert_eq!(error, "match r0.g0.p0.m0 is in the journal already");
    drop(journal);
    let error = Journal::open(&path, "other", SyncPolicy::Never).unwrap_err().to_string();
    assert!(error.contains("belongs to another plan"), "{error}");
    let (_, contents) = Journal::open(&path, "plan", SyncPolicy::Never).unwrap();
    assert_eq!(contents.header, Some(Header::new("plan")));
    assert_eq!(contents.records, [short(0)]);
}

#[test]
fn twins_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let whole = written(&path, 2);
    let last = whole[..whole.len() - 1].iter().rposition(|&b| b == b'\n').unwrap() + 1;
    let bytes = [&whole[..], &whole[last..]].concat();
    let error = read(&bytes, Path::new("j")).unwrap_err().to_string();
    assert_eq!(
        error,
        "j:4: match r0.g0.p1.m0 is there already, in line 3; delete one of the two lines"
    );
}

#[test]
fn records_are_lines_of_json_for_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(written(&folder.path().join("journal.jsonl"), 2)).unwrap();
    let values: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values[0]["plan"], "plan");
    assert_eq!(values[1]["match"], "r0.g0.p0.m0");
    let machine = serde_json::json!({ "worker": "lab-7", "scale": 125 });
    assert_eq!(values[1]["machine"], machine);
    assert_eq!(values[2]["faults"][1][0]["kind"], "timeout");
    let sums: BTreeSet<&str> = values.iter().map(|value| value["sum"].as_str().unwrap()).collect();
    assert_eq!(sums.len(), 3);
}

#[test]
fn journals_can_be_written_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = written(&folder.path().join("journal.jsonl"), 2);
    assert_eq!(written_bytes(&Header::new("plan"), &[short(0), short(1)]), bytes);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let open: String =
        text.lines().map(|line| format!("{}?\"}}\n", &line[..line.len() - 18])).collect();
    assert_eq!(with_sums(open.as_bytes()), bytes);
}

/// What a later version might write, or a tool that makes mistakes.
#[test]
fn records_that_contradict_themselves_are_damage() {
    let journal = |header: &str, record: &str| {
        let text = format!("{header},\"sum\":\"?\"}}\n{record},\"sum\":\"?\"}}\n");
        read(&with_sums(text.as_bytes()), Path::new("j")).unwrap_err().to_string()
    };
    let header = "{\"journal\":\"agon-tournament\",\"version\":1,\"plan\":\"p\"";
    let record = "{\"match\":\"r0.g0.p0.m0\",\"key\":\"\",\"seats\":[\"a\",\"b\"],\"seed\":1,\
        \"places\":[1],\"scores\":[1,2],\"faults\":[[],[]],\"void\":0,\"ms\":1,\"replay\":null";
    let error = journal(header, record);
    assert!(
        error.starts_with("j:2: this line is damaged (it has 2 seats, but another number"),
        "{error}"
    );
    let error = journal(header, &record.replace("\"ms\"", "\"millis\""));
    assert!(
        error.starts_with("j:2: this line is damaged (it cannot be read: unknown field `millis`"),
        "{error}"
    );
    let error = journal(&header.replace(":1,", ":2,"), record);
    assert_eq!(error, "j has version 2 of the format, and this program knows version 1");
}

fn made_up_record(plan: &Plan, game: &Match) -> Record {
    Record::new(game, plan.names(game), made_up(game))
}

fn plan(format: &str) -> Plan {
    let bots: Vec<String> =
        (2..13).map(|width| format!("\"builtin:searcher?width={width}\"")).collect();
    let more = match format {
        "groups" => "within = \"pairs\"",
        "ladder" => "wave = 4\nlimit = 150",
        _ => "",
    };
    let text = format!(
        "game = \"cluster\"\nseed = 9\nbots = [{}]\n[format]\nkind = \"{format}\"\n{more}\n",
        bots.join(",")
    );
    Plan::parse(&text, Path::new("plan.toml")).unwrap()
}

/// Plays some matches, in any order, and writes them down.
fn play_some(plan: &Plan, path: &Path, order: u64, most: usize) -> Schedule {
    let (mut journal, contents) = Journal::open(path, &plan.digest(), SyncPolicy::Never).unwrap();
    let mut schedule = plan.resume(&contents.records).unwrap();
    let mut rng = Seed::plain(order).stream(Purpose::Order, 0);
    for _ in 0..most {
        let missing = schedule.missing();
        let Some(game) = rng.pick(&missing) else { break };
        let record = made_up_record(plan, game);
        journal.append(&record).unwrap();
        schedule.record(record.id, record.outcome()).unwrap();
    }
    schedule
}

#[test]
fn accidents_change_nothing() {
    for format in [
        "round-robin",
        "gauntlet",
        "swiss",
        "elimination",
        "double-elimination",
        "groups",
        "ladder",
    ] {
        let plan = plan(format);
        let folder = tempfile::tempdir().unwrap();
        let quiet = play_some(&plan, &folder.path().join("quiet.jsonl"), 0, usize::MAX);
        let path = folder.path().join("journal.jsonl");
        let mut rng = Seed::plain(4).stream(Purpose::Order, 0);
        let mut runs = 0;
        while !play_some(&plan, &path, runs, 1 + rng.index(12)).is_finished() {
            // What was written last may be torn.
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() - rng.index(150)]).unwrap();
            runs += 1;
        }
        assert!(runs >= 2, "{format}: {runs}");
        let again = play_some(&plan, &path, 0, 0);
        assert_eq!(again.standing(), quiet.standing(), "{format}");
        assert_eq!(again.history(), quiet.history(), "{format}");
    }
}

#[test]
fn journals_that_do_not_follow_from_the_plan_are_refused() {
    let plan = plan("swiss");
    let schedule = plan.schedule();
    let first = made_up_record(&plan, &schedule.missing()[0]);
    let error = |record: Record| plan.resume(&[record]).unwrap_err().to_string();
    let message = error(Record { id: "r7.g0.p0.m0".parse().unwrap(), ..first.clone() });
    assert!(
        message.contains("match r7.g0.p0.m0 does not follow from the results before it"),
        "{message}"
    );
    let message = error(Record { seed: Seed(1), ..first.clone() });
    assert!(
        message.contains("was played by searcher?width=2, searcher?width=7 on seed 1, but"),
        "{message}"
    );
    let message = error(Record { places: vec![1, 2, 3], ..first.clone() });
    assert!(message.contains("has 2 seats, but the result is one of 3 places"), "{message}");
    assert!(plan.resume(&[first]).is_ok());
}
