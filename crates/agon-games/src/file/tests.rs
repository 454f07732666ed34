//! Tests of both sides of the interface without WebAssembly: a guest in this process.

#![cfg(test)]

use std::sync::{Mutex, atomic::AtomicU64, atomic::Ordering::Relaxed};

use agon_core::Seed;
use serde_json::{Value, json};

use super::message::{Op, Reader, Writer};
use super::{Archive, Caller, FileKind, Guest, Manifest, PresetOfFile, Setting};
use crate::any::{AnyGame, GameKind, kind_of};
use crate::cluster::Cluster;
use crate::conformance::{Options, Status, examine};
use crate::kit::{Kit, sample};

/// A guest, whose replies may be changed.
struct Here {
    guest: Mutex<Guest>,
    change: fn(Op, &mut Vec<u8>),
}

impl Caller for Here {
    fn call(&self, request: &[u8], _: usize) -> Result<Vec<u8>, String> {
        let op = Op::ALL[Reader(request).u32().unwrap() as usize];
        let mut reply = self.guest.lock().unwrap().call(request);
        (self.change)(op, &mut reply);
        Ok(reply)
    }
}

/// What `game.toml` would say of a game that is compiled here.
fn manifest(kind: &dyn GameKind) -> Manifest {
    let setting = |(name, default): (&String, &Value)| Setting {
        name: name.clone(),
        about: "A setting.".to_owned(),
        default: default.clone(),
        range: None,
        one_of: default.as_str().map(|word| vec![word.to_owned()]),
    };
    let meta = kind.meta();
    let rules = kind.default_rules();
    let rules = rules.as_object().unwrap();
    Manifest {
        name: format!("{}-file", meta.id),
        summary: meta.summary.to_owned(),
        players: [meta.min_players, meta.max_players.min(64)],
        turn: meta.turn_name.to_owned(),
        first_answer_ms: 1000,
        answer_ms: 100,
        program: None,
        settings: rules.iter().filter(|(_, value)| !value.is_null()).map(setting).collect(),
        presets: Vec::new(),
    }
}

/// Returns a game of files whose rules are those of a game that is compiled here.
fn file_of(kind: &'static dyn GameKind, change: fn(Op, &mut Vec<u8>)) -> &'static FileKind {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let page = NUMBER.fetch_add(1, Relaxed).to_string();
    let archive = Archive { manifest: String::new(), page, module: Vec::new() };
    let here = Here { guest: Mutex::new(Guest::new(kind)), change };
    FileKind::new(&archive, Vec::new(), manifest(kind), Box::new(here)).unwrap()
}

fn honest(_: Op, _: &mut Vec<u8>) {}

#[test]
fn games_of_the_kit_keep_all_promises_as_files() {
    let kinds = [
        kind_of::<sample::Sum>(),
        kind_of::<Kit<sample::Marking>>(),
        kind_of::<Kit<sample::Bidding>>(),
    ];
    for kind in kinds {
        let file = file_of(kind, honest);
        // The samples show more in a picture than in a view, which the point on secrets notices.
        let options = Options { rounds: 50, points: 1..=15, ..Options::tiny(file) };
        for point in examine(file, &options) {
            assert_ne!(point.status, Status::Failed, "{file:?}: {point:?}");
        }
    }
}

/// Plays a script in both, and compares all that a replay records.
fn same_match(native: &'static dyn GameKind, sets: &[&str], seed: Seed) {
    let file: &dyn GameKind = file_of(native, honest);
    let start = |kind: &dyn GameKind| -> AnyGame {
        kind.start(&kind.changed_rules(sets).unwrap(), 2, seed).unwrap()
    };
    let (mut one, mut other) = (start(native), start(file));
    let (mut said, mut hashes) = (Vec::new(), Vec::new());
    for step in 0.. {
        assert_eq!(one.position_bytes(), other.position_bytes(), "step {step}");
        assert_eq!(one.position_json(), other.position_json(), "step {step}");
        assert_eq!(one.state_hash(), other.state_hash(), "step {step}");
        assert_eq!(one.standing(), other.standing(), "step {step}");
        assert_eq!(one.decisions(), other.decisions());
        assert_eq!(one.progress(), other.progress());
        if one.is_over() {
            break;
        }
        for &decision in one.decisions() {
            assert_eq!(one.legal_actions(decision), other.legal_actions(decision));
        }
        let mut answers = one.scripted_answers(Seed(9), step);
        let mut same = file.no_answers();
        same.reset(answers.len());
        for at in 0..answers.len() {
            // Only what stands in the list of answers can be said in both.
            let actions = one.actions_of(one.decisions()[at], &answers, at).unwrap();
            match answers.reply(at).filter(|_| actions.is_some()) {
                Some(reply) => same.as_mut().set_reply(at, &reply.to_string()).unwrap(),
                None => {
                    let mut default = native.no_answers();
                    default.reset(1);
                    answers.copy_one(at, &default, 0);
                }
            }
        }
        one.step(&answers);
        other.step(&same);
        assert_eq!(other.failure(), None);
        said.push(same);
        hashes.push(other.state_hash());
    }
    let mut ahead = start(file);
    assert_eq!(file.play_ahead(&mut ahead, &mut said), Some(hashes));
    assert_eq!(ahead.position_bytes(), other.position_bytes());
}

#[test]
fn a_file_plays_as_the_same_rules_compiled() {
    for seed in [Seed(1), Seed(2), Seed::plain(3)] {
        same_match(kind_of::<Cluster>(), &["side=4", "max_rounds=10"], seed);
        same_match(kind_of::<sample::Sum>(), &[], seed);
        same_match(kind_of::<Kit<sample::Marking>>(), &[], seed);
    }
}

/// Every reply is cut off, or changed somewhere: the match is void or goes on, and nothing panics.
#[test]
fn whatever_a_module_says_the_arena_goes_on() {
    static ROUND: AtomicU64 = AtomicU64::new(0);
    fn damage(_: Op, reply: &mut Vec<u8>) {
        let mut rng = Seed(ROUND.fetch_add(1, Relaxed)).stream(agon_core::Purpose::Script, 0);
        match rng.below(6) {
            0 => reply.truncate(rng.index(reply.len() + 1)),
            1 if !reply.is_empty() => {
                let at = rng.index(reply.len());
                reply[at] = rng.bits() as u8;
            }
            2 => reply.extend([0; 9]),
            _ => {}
        }
    }
    let mut failures = 0;
    let mut file: &dyn GameKind = kind_of::<sample::Sum>();
    for round in 0..600_u64 {
        // What a module says of itself is asked once, so a new one comes now and then.
        if round % 20 == 0 {
            let kinds = [kind_of::<sample::Sum>(), kind_of::<Kit<sample::Marking>>()];
            file = file_of(kinds[round as usize / 20 % 2], damage);
        }
        let Ok(mut game) = file.start(&file.default_rules(), 2, Seed(round)) else { continue };
        for step in 0..20 {
            game.standing();
            game.scene();
            game.position_json();
            for &decision in game.decisions() {
                let _ = game.observation_json(decision);
            }
            if game.failure().is_some() {
                failures += 1;
                break;
            }
            if game.is_over() {
                break;
            }
            let answers = game.scripted_answers(Seed(round), step);
            game.step(&answers);
        }
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_manifest_is_checked() {
    let wrong = |change: fn(&mut Manifest)| {
        let mut changed = manifest(kind_of::<sample::Sum>());
        change(&mut changed);
        changed.check().unwrap_err()
    };
    assert!(wrong(|it| it.players = [0, 2]).starts_with("players: [0, 2] is not"));
    assert!(wrong(|it| it.turn = "a turn".to_owned()).contains("no single word"));
    assert!(wrong(|it| it.summary = "\u{1b}[2J".to_owned()).contains("hidden characters"));
    assert!(wrong(|it| it.settings[0].range = Some([7, 9])).contains("4 is not between 7 and 9"));
    assert!(wrong(|it| it.settings.push(it.settings[0].clone())).contains("two of this name"));
    assert!(wrong(|it| it.settings[0].name = "os.system".to_owned()).contains("is no name"));
    let preset = |it: &mut Manifest| {
        let set = json!({ "turn": 3 }).as_object().unwrap().clone();
        it.presets.push(PresetOfFile { name: "x".into(), summary: "X.".into(), set });
    };
    assert!(wrong(preset).contains("did you mean `turns`?"), "{}", wrong(preset));
}

#[test]
fn an_archive_comes_back_and_its_digest_stands_for_it() {
    let archive = Archive {
        manifest: "name = \"x\"".to_owned(),
        page: "# x\n".to_owned(),
        module: vec![0, 1, 2],
    };
    let bytes = archive.to_bytes();
    assert_eq!(Archive::from_bytes(&bytes).as_ref(), Ok(&archive));
    for length in 0..bytes.len() {
        assert!(Archive::from_bytes(&bytes[..length]).is_err());
    }
    let other = Archive { page: "# y\n".to_owned(), ..archive.clone() };
    assert_ne!(archive.digest(), other.digest());
    let hidden = Archive { page: "a\u{202e}b".to_owned(), ..archive };
    assert!(hidden.check().unwrap_err().to_string().contains("hidden characters"));
}

/// The form of positions in other languages than Rust.
#[test]
fn records_are_json_and_back() {
    let field = |name: &str, at: usize, bytes: usize, signed: bool, count: usize, length: &str| {
        json!({ "name": name, "about": "A field.", "at": at, "bytes": bytes, "signed": signed,
            "count": count, "length": length })
    };
    let fields = json!([
        field("turn", 0, 4, false, 0, ""),
        field("used", 4, 1, false, 0, ""),
        field("scores", 8, 2, true, 4, "used")
    ]);
    let record: super::record::Record =
        serde_json::from_value(json!({ "size": 16, "fields": fields })).unwrap();
    record.check(100).unwrap();
    assert!(record.check(15).is_err());
    let json = json!({ "turn": 70_000, "used": 2, "scores": [-1, 300] });
    let bytes = record.bytes_of(&json).unwrap();
    assert_eq!(record.to_json(&bytes).unwrap(), json);
    let wrong = |json: Value| record.bytes_of(&json).unwrap_err();
    assert!(wrong(json!({ "turn": 1 })).contains("`used` is missing"));
    let long = wrong(json!({ "turn": 1, "used": 1, "scores": [70_000] }));
    assert!(long.contains("no whole number of 16 bits"), "{long}");
    assert!(wrong(json!({ "turn": 1, "used": 5, "scores": [] })).contains("longer than its room"));
    let mut bytes = bytes;
    bytes[4] = 5;
    assert!(record.to_json(&bytes).is_err(), "a list that says more than there is");
    let mut out = Writer::default();
    out.bytes(b"x");
    assert_eq!(Reader(&out.0).bytes(), Ok(&b"x"[..]));
}
