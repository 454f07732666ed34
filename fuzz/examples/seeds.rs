//! Writes those files of `fuzz/seeds/`, well-formed inputs from which the fuzz targets start, that
//! follow from games and formats. Others are written by hand.
//!
//! `cargo run --release -p agon-fuzz --example seeds`; the files are committed, so that a run needs
//! no building of its own.

use std::{collections::BTreeMap, fs, io, os::unix::fs::PermissionsExt, path::Path};

use agon_arena::Bundle;
use agon_core::{BotInfo, Game, Seed};
use agon_games::{GameId, any::AnyGame, with_game};
use agon_ladder::ledger::{Entry, MatchRecord, Pairing, tree};
use agon_match::replay::{End, Writer};
use agon_match::spec::{BlobSeat, BuiltinSeat, Digest, MatchSettings, MatchSpec, Seat, SeatBot};

fn main() -> io::Result<()> {
    for (number, id) in (0u8..).zip(GameId::OWN) {
        write_seeds(number, id)?;
        let reply = id.kind().trials().sample.map_or("{}", |sample| sample.reply);
        text("jsonl_reply", id.meta().id, &[&[number], reply.as_bytes()].concat())?;
    }
    bundle()?;
    ladder_log()
}

/// A short log of a ladder: as a whole, in parts, and as a server that lies sends it.
fn ladder_log() -> io::Result<()> {
    let record = Digest::of(b"replay");
    let (source, built) = (Digest::of(b"source"), Digest::of(b"built"));
    let hand_in = |version| Entry::HandIn {
        arena: 1,
        bot: version,
        version,
        number: 1,
        source,
        nonce: Some(Digest::of(b"nonce")),
    };
    let pairing = |number| Pairing { number, seed: "7".to_owned(), versions: vec![20, 10] };
    let result = |number| MatchRecord {
        number,
        places: vec![1, 2],
        steps: 3,
        state_hash: "0x00000000000000ff".to_owned(),
        record,
    };
    let entries = [
        Entry::Arena { arena: 1, terms: Digest::of(b"terms") },
        hand_in(10),
        hand_in(20),
        Entry::Ready { version: 10, built },
        Entry::Boss { arena: 1, bot: 3, version: 30, name: "random".to_owned(), builtin: 1 },
        Entry::Pairings { arena: 1, matches: (1..5).map(pairing).collect() },
        Entry::Results { arena: 1, matches: vec![result(1), result(3), result(2)] },
        Entry::GivenUp { arena: 1, number: 4 },
        Entry::Annulled { arena: 1, number: 3 },
        Entry::Table { arena: 1, size: 8, digest: Digest::of(b"table") },
        Entry::Key { key: "log+1+2".to_owned(), note: "x\n\n— log 3\n".to_owned() },
    ];
    let lines: Vec<String> = entries.iter().map(Entry::text).collect();
    for (number, line) in lines.iter().enumerate() {
        text("ladder_log", &format!("entry-{number}"), format!("\x00{line}").as_bytes())?;
    }
    text("ladder_log", "note", b"\x01\x20a\x21b")?;
    let root = "A".repeat(43);
    let remembered = format!(r#"{{"key":"log+1+2","size":1,"root":"{root}="}}"#);
    text("ladder_log", "remembered", format!("\x01{remembered}").as_bytes())?;
    text("ladder_log", "path", b"\x02entries/x001/234.p/17")?;
    let tile = tree::bundle(lines.iter().map(String::as_bytes));
    text("ladder_log", "tile", &[b"\x03", &tile[..]].concat())?;
    text("ladder_log", "log", format!("\x04{}", lines.join("\n")).as_bytes())?;
    let numbers = [1_u64, 3].map(u64::to_le_bytes).concat();
    let tile = tree::bundle(lines[..3].iter().map(String::as_bytes));
    let parts = [b"\x05", &numbers[..], lines[0].as_bytes(), b"\xff", &tile, b"\xff", &[7; 96]];
    text("ladder_log", "server", &parts.concat())
}

/// Two files of a bot, one of them executable and in a folder.
fn bundle() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bin/run");
    fs::create_dir(folder.path().join("bin"))?;
    fs::write(&path, "#!/bin/sh\n")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    fs::write(folder.path().join("fox.py"), "print()")?;
    let bundle = Bundle::pack(folder.path()).map_err(io::Error::other)?;
    text("bundle", "two", &bundle.to_bytes())
}

/// A spec with a built-in bot, and one from a store.
fn spec(id: GameId, game: &AnyGame) -> MatchSpec {
    let spec = MatchSpec::new(id, game.rules(), MatchSettings::default());
    let builtin = BuiltinSeat { bot: "random".into(), params: BTreeMap::new(), version: 1 };
    let stored = BlobSeat {
        digest: Digest::of(b"fox"),
        build: Some("make".into()),
        run: "jsonl:python3 fox.py".into(),
        runtime: Some("python3".into()),
    };
    let seats = [("rosa", SeatBot::Builtin(builtin)), ("tom", SeatBot::Blob(stored))];
    let seats = seats.map(|(name, bot)| Seat { name: name.into(), bot });
    MatchSpec { seed: Seed(7), seats: seats.into(), max_turns: Some(9), ..spec }
}

/// What replays tell of a bot with a process.
const DIAGNOSIS: &str = concat!(
    r#"{"bots":[{"player":0,"totals":{"processes":1,"exit_status":null,"signal":11,"#,
    r#""peak_memory":9,"#,
    "\n    ",
    r#""cpu_us":7,"answers":2,"decisions":3,"cpu_per_decision":{"mean_ns":5,"median_ns":4,"#,
    r#""p99_ns":9,"max_ns":9,"max_step":2},"#,
    "\n    ",
    r#""wall_per_answer":null,"stderr_bytes":9},"#,
    r#""slowest":[{"step":2,"decisions":1,"cpu_us":9,"wall_us":10}],"#,
    "\n    ",
    r#""stderr":{"first":[{"step":0,"bytes":2,"text":"a\n"}],"#,
    r#""left_out":{"turns":1,"bytes":4},"last":[{"step":null,"bytes":3,"text":"bye"}]}}]}"#
);

fn write_seeds(number: u8, id: GameId) -> io::Result<()> {
    let mut game = agon_fuzz::begin(id.kind());
    text("match_spec", &format!("{id}.json"), &serde_json::to_vec(&spec(id, &game))?)?;
    let players = [BotInfo::new("a", "builtin"), BotInfo::new("b", "builtin")];
    let mut writer = Writer::new(Vec::new(), &game, &players).map_err(io::Error::other)?;
    let mut answers = vec![number];
    let mut step = 0;
    while !game.is_over() && step < 12 {
        let now = game.scripted_answers(Seed(1), step);
        now.encode(&mut answers);
        game.step(&now);
        writer.step(&now, &game).map_err(io::Error::other)?;
        step += 1;
    }
    let end = if game.is_over() { End::Over } else { End::Limit };
    let diagnosis = serde_json::from_str(DIAGNOSIS)?;
    writer.diagnosis(&diagnosis).map_err(io::Error::other)?;
    let replay = writer.finish(&game, end, &[]).map_err(io::Error::other)?;
    let name = id.meta().id;
    answers.truncate(300);
    text("answer", name, &answers)?;
    text("replay", name, &replay)?;
    let (position, settings) = with_game!(id, G => {
        let game = game.of_game::<G>();
        let position = with_postcard(number, &(game.rules(), game.position()));
        (position, with_postcard(number, &(game.rules(), 2u8)))
    });
    text("position", name, &position)?;
    text("settings", name, &settings)
}

fn with_postcard(number: u8, value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = vec![number];
    bytes.extend(postcard::to_stdvec(value).expect("positions and settings can be written"));
    bytes
}

fn text(target: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)
}
